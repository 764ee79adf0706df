"""What is wrong in requests to `wirespeed generator --otg`."""

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
        ("flows[0].packet[0].choice", lambda c: c["flows"][0].update(packet=[{"choice": "gre", "gre": {}}])),
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
    assert post(f"{served[1]}/config", b" " * 10_000_000)[0] == 400
    assert "no JSON" in post(f"{served[1]}/config", b'{"ports": [')[1]["errors"][0]
    half = http.client.HTTPConnection(host)
    half.putrequest("POST", "/config")
    half.putheader("content-length", "1000")
    half.endheaders(b"{")
    half.close()
    code, answer = post(f"{served[1]}/control/action", b"{}")
    assert (code, answer["code"]) == (501, 501)
    assert post(f"{served[1]}/nothing", b"{}")[1]["code"] == 404
    with refused("flow_names: there is no"):
        transmit(api, "start", "nobody")
