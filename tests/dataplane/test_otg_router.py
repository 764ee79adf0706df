"""snappi's flows through a wirespeed router, over two memifs: devices and router resolve each other."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import snappi
from harness.waiting import wait_for
from otg_api import flow_metrics, refused, serving, stopped, transmit
from router_run import INTERFACES, ROUTER0, ROUTER1, RouterProcess, router
from scapy.all import IP, Ether, IPv6, PcapReader

EXAMPLE = Path(__file__).parents[2] / "examples" / "otg" / "convergence.py"
CONFIG = f"""{INTERFACES}\
set interface ip address e0 10.0.0.254/24
set interface ip address e1 10.0.1.254/24
set interface ip address e0 2001:db8::fe/64
set interface ip address e1 2001:db8:1::fe/64
set interface rx-mode e0 interrupt
set interface rx-mode e1 interrupt
"""


@pytest.fixture(scope="module")
def routed_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RouterProcess, str]]:
    """A router, and the API of a generator whose two ports are connected to it."""
    folder = tmp_path_factory.mktemp("routed")
    sockets = [f"memif:{folder}/e{number}.sock" for number in range(2)]
    interfaces = [f"e{number}={one},role=server" for number, one in enumerate(sockets)]
    ports = [f"{one},role=client,speed=10G" for one in sockets]
    with router(folder, interfaces, CONFIG) as running, serving(folder / "log", ports) as (_, url):
        yield running, url


@pytest.fixture
def routed(routed_url: tuple[RouterProcess, str]) -> Any:
    return snappi.api(location=routed_url[1])


def routed_config(api: Any) -> Any:
    """A device at each interface of the router, and a flow of each IP version between them."""
    config = api.config()
    config.ports.port(name="p0", location="0").port(name="p1", location="1")
    for number in range(2):
        ethernet = config.devices.device(name=f"d{number}")[-1].ethernets.ethernet(name=f"e{number}")[-1]
        ethernet.connection.port_name, ethernet.mac = f"p{number}", f"02:11:00:00:00:0{number}"
        network6 = "2001:db8:1:" if number else "2001:db8:"
        ethernet.ipv4_addresses.ipv4(name=f"v4-{number}", address=f"10.0.{number}.1", gateway=f"10.0.{number}.254")
        ethernet.ipv6_addresses.ipv6(name=f"v6-{number}", address=f"{network6}:1", gateway=f"{network6}:fe")
    for version in (4, 6):
        flow = config.flows.flow(name=f"ip{version}")[-1]
        flow.tx_rx.device.tx_names, flow.tx_rx.device.rx_names = [f"v{version}-0"], [f"v{version}-1"]
        getattr(flow.packet.ethernet(), f"ipv{version}")().udp()
        flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 256, 2000, 200
        flow.metrics.enable = flow.metrics.loss = True
        flow.metrics.latency.enable = True
    config.captures.capture(name="c", port_names=["p1"])[-1].filters.custom()
    field = config.captures[0].filters[0]
    field.offset, field.bit_length, field.value = 48, 48, ROUTER1.replace(":", "")
    return config


def neighbors(api: Any, version: int) -> dict[str, str | None]:
    request = api.states_request()
    getattr(request, f"ipv{version}_neighbors").ethernet_names = []
    told = getattr(api.get_states(request), f"ipv{version}_neighbors")
    return {one.ethernet_name: one.link_layer_address for one in told}


def test_devices_find_the_router_and_flows_cross_it(routed: Any) -> None:
    config = routed_config(routed)
    routed.set_config(config)
    for version in (4, 6):
        wait_for(lambda version=version: all(neighbors(routed, version).values()), "the router does not answer")
        assert neighbors(routed, version) == {"e0": ROUTER0, "e1": ROUTER1}
    # The first packets of a flow wait until the router has resolved its device, so there is an extra round first.
    for _ in range(2):
        control = routed.control_state()
        control.port.capture.state = "start"
        routed.set_control_state(control)
        transmit(routed, "start")
        metrics = stopped(routed)
    for name in ("ip4", "ip6"):
        one = metrics[name]
        assert (one.frames_tx, one.frames_rx, one.loss, one.port_rx) == (200, 200, 0, "p1")
        assert 0 < one.latency.minimum_ns <= one.latency.maximum_ns
    request = routed.capture_request()
    request.port_name = "p1"
    packets = [Ether(bytes(one)) for one in PcapReader(io.BytesIO(routed.get_capture(request).read()))]
    forwarded = [one for one in packets if one.haslayer("UDP")]
    assert len(forwarded) == 400
    assert {(one.src, one.dst) for one in forwarded} == {(ROUTER1, "02:11:00:00:00:01")}
    assert {(one[IP].src, one[IP].dst, one[IP].ttl) for one in forwarded if IP in one} == {("10.0.0.1", "10.0.1.1", 63)}
    hops = {(one[IPv6].src, one[IPv6].dst, one[IPv6].hlim) for one in forwarded if IPv6 in one}
    assert hops == {("2001:db8::1", "2001:db8:1::1", 63)}


def test_what_the_router_drops_is_loss(routed: Any) -> None:
    config = routed_config(routed)
    flow = config.flows[0]
    flow.packet[1].dst.values = ["10.0.1.1", "203.0.113.1"]  # to the second there is no route
    routed.set_config(config)
    for _ in range(2):
        transmit(routed, "start", "ip4")
        one = stopped(routed)["ip4"]
    assert (one.frames_tx, one.frames_rx, one.loss) == (200, 100, 50)
    assert flow_metrics(routed)["ip6"].frames_tx == 0


def test_the_example_of_convergence(routed_url: tuple[RouterProcess, str]) -> None:
    running, url = routed_url
    command = [sys.executable, str(EXAMPLE), url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as example:
        assert example.stdout is not None
        assert example.stdout.readline() == "the flow runs\n"
        running.ask("set interface state e1 down")
        assert example.stdout.readline() == "the flow is interrupted\n"
        running.ask("set interface state e1 up")
        told = re.fullmatch(r"the flow goes on: (\d+) frames lost, (\d+) ms without a way\n", example.stdout.readline())
        assert example.wait(60) == 0
    assert told is not None
    assert int(told[1]) == int(told[2]) > 200  # at 1000 frames per second


def test_a_link_that_cannot_be_taken_down_is_named(routed: Any) -> None:
    routed.set_config(routed_config(routed))
    control = routed.control_state()
    control.port.link.port_names, control.port.link.state = ["p1"], "down"
    with refused("port.link.port_names: port 1: port p1: link state cannot be changed"):
        routed.set_control_state(control)
