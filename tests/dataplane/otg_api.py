"""Use of snappi, the real client, by the tests of `wirespeed generator --otg`."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.ports import free_port
from harness.waiting import wait_for

from wirespeed.client.stateless_client import StatelessClient
from wirespeed.machine.child import Child
from wirespeed.machine.ports import free_rpc_port


@contextmanager
def serving(log: Path, ports: Sequence[str], *more: str, scheme: str = "http") -> Iterator[tuple[str, str]]:
    """A generator on these ports; yields the addresses of its RPC and API."""
    rpc, otg = f"127.0.0.1:{free_rpc_port()}", f"127.0.0.1:{free_port()}"
    given = [word for port in ports for word in ("--port", port)]
    with Child(
        "generator", ["generator", *given, "--hugepages", "never", "--rpc", rpc, "--otg", otg, *more], log
    ).start():
        yield rpc, f"{scheme}://{otg}"


@contextmanager
def refused(text: str) -> Iterator[None]:
    """The call in the block must fail with an API error with this text."""
    with pytest.raises(Exception, match="code: 400") as caught:
        yield
    assert text in caught.value.args[0].errors[0]


def two_ports(api: Any) -> Any:
    config = api.config()
    config.ports.port(name="p1", location="0").port(name="p2", location="1")
    return config


def add_flow(config: Any, name: str = "f1", packets: int = 100, pps: int = 10_000) -> Any:
    flow = config.flows.flow(name=name)[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    ethernet, ip, udp = flow.packet.ethernet().ipv4().udp()
    ethernet.src.value, ethernet.dst.value = "00:11:22:33:44:55", "00:11:22:33:44:66"
    ip.src.increment.start, ip.src.increment.step, ip.src.increment.count = "16.0.0.1", "0.0.0.1", 5
    ip.dst.values = ["48.0.0.1", "48.0.0.9", "49.0.0.1"]
    udp.dst_port.value = 53
    flow.size.fixed = 128
    flow.rate.pps = pps
    flow.duration.fixed_packets.packets = packets
    flow.metrics.enable = flow.metrics.loss = True
    return flow


def transmit(api: Any, state: str, *names: str) -> None:
    control = api.control_state()
    control.traffic.flow_transmit.state = state
    control.traffic.flow_transmit.flow_names = list(names)
    api.set_control_state(control)


def flow_metrics(api: Any) -> dict[str, Any]:
    request = api.metrics_request()
    request.flow.flow_names = []
    return {metric.name: metric for metric in api.get_metrics(request).flow_metrics}


def port_metrics(api: Any) -> dict[str, Any]:
    request = api.metrics_request()
    request.port.port_names = []
    return {metric.name: metric for metric in api.get_metrics(request).port_metrics}


def stopped(api: Any) -> dict[str, Any]:
    """Flow metrics once all flows have ended; snappi's scripts wait in the same way."""

    def ended() -> dict[str, Any] | None:
        metrics = flow_metrics(api)
        return metrics if all(metric.transmit == "stopped" for metric in metrics.values()) else None

    return wait_for(ended, "the flows do not end")


def stopped_ports(api: Any) -> None:
    """Wait for the end of flows without metrics."""
    wait_for(lambda: all(one.transmit == "stopped" for one in port_metrics(api).values()), "the flows do not end")


def captured(client: StatelessClient, run: Any, packets: int, only: str = "") -> list[bytes]:
    """Packets that port 1 receives until `run` has sent that many; `only` is a filter in tcpdump's syntax."""
    capture = client.capture("start", tx=[], rx=[1], limit=1000, filter=only)["capture_id"]
    run()
    found: list[bytes] = []

    def are_all_there() -> bool:
        answer = client.capture("fetch", capture_id=capture, pkt_limit=1000)
        found.extend(base64.b64decode(one["binary"]) for one in answer["pkts"])
        return len(found) >= packets

    wait_for(are_all_there, f"{packets} captured packets")
    client.capture("remove", capture_id=capture)
    return found


def post(url: str, body: bytes) -> tuple[int, dict[str, Any]]:
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)
