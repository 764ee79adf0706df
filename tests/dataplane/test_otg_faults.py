"""Invalid requests to `wirespeed generator --otg`."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest
from otg_api import add_flow, post, refused, stopped, transmit, two_ports


def faulty(change: Any) -> bytes:
    end = {"tx_name": "p1", "rx_names": ["p2"]}
    flow = {"name": "f1", "tx_rx": {"choice": "port", "port": end}, "packet": [{"choice": "ethernet", "ethernet": {}}]}
    config = {"ports": [{"name": "p1", "location": "0"}, {"name": "p2", "location": "1"}], "flows": [flow]}
    change(config)
    return json.dumps(config).encode()


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("ports[1].name", lambda c: c["ports"][1].update(name="p1")),
        ("ports[1].location", lambda c: c["ports"][1].update(location="7")),
        ("flows[1].name", lambda c: c["flows"].append(c["flows"][0])),
        ("flows[0].tx_rx.port.tx_name", lambda c: c["flows"][0]["tx_rx"]["port"].update(tx_name="p9")),
        ("flows[0].rate", lambda c: c["flows"][0].update(rate={"choice": "gbps", "gbps": 11})),
        ("flows[0].packet[0].choice", lambda c: c["flows"][0].update(packet=[{"choice": "gtpv1", "gtpv1": {}}])),
        ("lags", lambda c: c.update(lags=[{"name": "l1"}])),
        ("devices[0].bgp", lambda c: c.update(devices=[{"name": "d1", "bgp": {}}])),
        (
            "flows[0].payload.fixed.pattern",
            lambda c: c["flows"][0].update(payload={"choice": "fixed", "fixed": {"pattern": "no"}}),
        ),
        (
            "flows[0].size",
            lambda c: c["flows"][0]["packet"].append({"choice": "custom", "custom": {"bytes": "00" * 60}}),
        ),
        (
            "flows[0].packet[1].ipv4.src.value",
            lambda c: c["flows"][0]["packet"].append(
                {"choice": "ipv4", "ipv4": {"src": {"choice": "value", "value": "1.2.3"}}}
            ),
        ),
    ],
)
def test_what_is_wrong_is_named_and_the_former_configuration_stays(
    api: Any, served: tuple[str, str], path: str, change: Any
) -> None:
    config = two_ports(api)
    add_flow(config, "kept", 10)
    api.set_config(config)
    code, answer = post(f"{served[1]}/config", faulty(change))
    assert (code, answer["kind"]) == (400, "validation")
    assert answer["errors"][0].startswith(f"{path}: ")
    assert [flow.name for flow in api.get_config().flows] == ["kept"]
    transmit(api, "start")
    assert stopped(api)["kept"].frames_rx == 10


def test_requests_that_are_none(api: Any, served: tuple[str, str]) -> None:
    host = served[1].removeprefix("http://")
    api.set_config(two_ports(api))
    code, answer = post(f"{served[1]}/config", b" " * 10_000_000)
    assert (code, answer["errors"]) == (400, ["the body is longer than 4194304 bytes"])
    assert "not JSON" in post(f"{served[1]}/config", b'{"ports": [')[1]["errors"][0]
    half = http.client.HTTPConnection(host)
    half.putrequest("POST", "/config")
    half.putheader("content-length", "1000")
    half.endheaders(b"{")
    half.close()
    code, answer = post(f"{served[1]}/control/action", b"{}")
    assert (code, answer["code"]) == (501, 501)
    assert post(f"{served[1]}/nothing", b"{}")[1]["code"] == 404
    assert [port.name for port in api.get_config().ports] == ["p1", "p2"]
    with refused("flow_names: there is no"):
        transmit(api, "start", "nobody")


def test_numbers_as_text_and_defaults_as_clients_leave_them_out(api: Any, served: tuple[str, str]) -> None:
    """Requirements of snappi beyond its own tests: a content type with each answer, 64-bit numbers as text, absent
    members, and the older name of the receiver.
    """
    flow = {
        "name": "f1",
        "tx_rx": {"choice": "port", "port": {"tx_name": "p1", "rx_name": "p2"}},
        "packet": [{"choice": "ethernet", "ethernet": {}}, {"choice": "ipv4", "ipv4": {}}],
        "rate": {"choice": "pps", "pps": "1000"},
        "duration": {"choice": "fixed_packets", "fixed_packets": {}},
        "metrics": {"enable": True},
    }
    config = {"ports": [{"name": "p1", "location": "0"}, {"name": "p2", "location": "1"}], "flows": [flow]}
    assert post(f"{served[1]}/config", json.dumps(config).encode()) == (200, {"warnings": []})
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert (metric.frames_tx, metric.frames_rx, metric.bytes_rx) == (1, 1, 64)
    told = post(f"{served[1]}/monitor/metrics", b'{"choice": "flow", "flow": {}}')[1]["flow_metrics"][0]
    assert told["frames_rx"] == "1"
    for path, body in (("/config", b"{}"), ("/config", b"{"), ("/nothing", b"{}"), ("/monitor/states", b"{}")):
        connection = http.client.HTTPConnection(served[1].removeprefix("http://"))
        connection.request("POST", path, body)
        assert connection.getresponse().getheader("content-type") == "application/json"
        connection.close()


def test_members_that_nobody_knows_are_named(served: tuple[str, str]) -> None:
    for body, path in (
        ({"port": []}, "port"),
        ({"ports": [{"name": "p1", "speed": 1}]}, "ports[0].speed"),
        ({"events": {"enable": True}}, "events"),
        ({"options": {"per_port_options": []}}, "options.per_port_options"),
    ):
        code, answer = post(f"{served[1]}/config", json.dumps(body).encode())
        assert (code, answer["errors"]) == (400, [f"{path}: is not supported by this generator; leave it out"])


def test_what_is_not_here_answers_with_its_place(api: Any) -> None:
    config = two_ports(api)
    flow = add_flow(config)
    flow.metrics.timestamps = True
    with refused("flows[0].metrics.timestamps: is not supported"):
        api.set_config(config)
    flow.metrics.timestamps = False
    flow.metrics.latency.enable, flow.metrics.latency.mode = True, "cut_through"
    with refused("flows[0].metrics.latency.mode: "):
        api.set_config(config)
    flow.metrics.latency.enable, flow.metrics.latency.mode = False, "store_forward"
    flow.egress_packet.ethernet()
    with refused("flows[0].egress_packet: is not supported by this generator; leave it out"):
        api.set_config(config)
