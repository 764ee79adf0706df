"""Behaviour that T-Rex's users notice: loads, counters, starts and owners as in T-Rex."""

from __future__ import annotations

import json

import pytest
from fake_generator import FakeGenerator
from test_rpc_methods import Session

from wirespeed.generator.rpc import RpcError
from wirespeed.profiles import load_profile


@pytest.fixture
def session() -> Session:
    session = Session(FakeGenerator())
    session.acquire(0)
    return session


def test_latency_streams_alone_start_with_any_multiplier(session: Session) -> None:
    (loaded,) = load_profile("bench", {"flow": "fsl"}, 0, 0)
    session.owned("add_stream", **loaded)
    mul = {"type": "percentage", "op": "abs", "value": 10}
    assert session.owned("start_traffic", mul=mul, duration=0, force=False)["multiplier"] == 1
    status = session.call("get_port_status", port_id=1)
    assert status["rx_info"]["latency"]["is_active"]
    session.core.advance(30)
    session.server.tick()
    assert session.state() == "TX"  # a duration of 0 is none
    session.owned("stop_traffic")
    assert not session.call("get_port_status", port_id=1)["rx_info"]["latency"]["is_active"]


def test_ports_tell_that_they_count_streams(session: Session) -> None:
    system = session.call("get_system_info")
    assert system["advanced_per_stream_stats"] is True
    assert [port["rx"] for port in system["ports"]] == 2 * [
        {"caps": ["flow_stats", "latency", "rx_bytes", "tpg"], "counters": 1023}
    ]


def test_a_stream_that_nothing_starts_does_not_start(session: Session) -> None:
    session.load()
    (loaded,) = load_profile("bench", {}, 0, 0)
    session.owned("add_stream", stream_id=9, stream=loaded["stream"] | {"self_start": False})
    with pytest.raises(RpcError, match="nothing starts stream 9"):
        session.start()


def test_ieee_1588_is_refused(session: Session) -> None:
    (loaded,) = load_profile("bench", {"flow": "fsl"}, 0, 0)
    flow_stats = loaded["stream"]["flow_stats"] | {"ieee_1588": True}
    said = session.refused("add_stream", stream_id=1, stream=loaded["stream"] | {"flow_stats": flow_stats})
    assert said == "Driver doesn't support IEEE-1588."


def test_statistics_inside_vxlan_are_refused(session: Session) -> None:
    (loaded,) = load_profile("bench", {"flow": "fs"}, 0, 0)
    flow_stats = loaded["stream"]["flow_stats"] | {"vxlan": True}
    said = session.refused("add_stream", stream_id=1, stream=loaded["stream"] | {"flow_stats": flow_stats})
    assert "inside VXLAN are not supported" in said


def test_a_client_that_is_too_new_is_told(session: Session) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "api_sync_v2", "params": {"name": "STL", "major": 6, "minor": 0}}
    error = json.loads(session.server.handle(json.dumps(request).encode()))["error"]
    assert "Version mismatch: your client version is too new" in error["specific_err"]


def test_an_owned_port_is_changed_by_its_owner_alone(session: Session) -> None:
    with pytest.raises(RpcError, match="field 'handler' value is null"):
        session.call("set_l2", port_id=0, dst_mac="02:00:00:00:00:09")
    session.owned("release")
    assert session.call("set_l2", port_id=0, dst_mac="02:00:00:00:00:09") == {}
