"""Clients that disappear, clients that lose their ports, and the end of the server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fake_generator import FakeGenerator
from test_rpc_methods import Session

from wirespeed.generator.methods.refused import REFUSED
from wirespeed.generator.rpc import RpcError
from wirespeed.generator.server import LONGEST_NAP_S, SHORTEST_NAP_S, Server, ring_nap_s


@pytest.fixture
def session() -> Session:
    """Owner of port 0, which is sending."""
    one = Session()
    one.acquire(0)
    one.load()
    one.start()
    one.events()
    return one


def ask(session: Session, peer: bytes, method: str, **params: Any) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"api_h": session.server.api_h} | params}
    assert "result" in json.loads(session.server.handle(json.dumps(request).encode(), peer))


def pass_time(session: Session, seconds: int) -> None:
    for _ in range(seconds):
        session.core.advance(1)
        session.server.tick()


def test_idle_workers_sleep_longest_while_nobody_uses_the_generator() -> None:
    session = Session()
    session.server.tick()
    assert session.core.nap_s == LONGEST_NAP_S
    session.acquire(0)
    of_rings = session.core.nap_s
    assert SHORTEST_NAP_S < of_rings < LONGEST_NAP_S
    capture = session.call("capture", command="start", limit=10, mode="fixed", rx=[0])["capture_id"]
    assert session.core.nap_s == SHORTEST_NAP_S
    session.call("capture", command="remove", capture_id=capture)
    assert session.core.nap_s == of_rings
    ask(session, b"sync", "release", port_id=0, handler=session.handlers[0])
    assert session.core.nap_s == LONGEST_NAP_S


@pytest.mark.parametrize(("slots", "nap_us"), [(0, 50), (64, 50), (1024, 51.6), (8192, 412.9), (32768, 1000)])
def test_a_ring_holds_what_arrives_while_a_worker_sleeps(slots: int, nap_us: float) -> None:
    """Three quarters of it, at 10 Gb/s of 64-byte frames: 14.88 Mpps."""
    assert ring_nap_s(slots) * 1e6 == pytest.approx(nap_us, abs=0.1)


def test_traffic_of_a_client_that_vanished_stops(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    pass_time(session, 59)
    assert session.state() == "TX"  # this request comes through the owner's connection
    pass_time(session, 60)
    session.server.tick()
    assert session.server.ports[0].state.value == "TX"
    pass_time(session, 1)
    assert session.server.ports[0].state.value == "STREAMS"
    assert "port 0 is stopped: its owner 'me' was silent for 61 s" in capsys.readouterr().err


def test_a_client_is_heard_by_whatever_it_asks(session: Session) -> None:
    port, handler = 0, session.handlers[0]
    ask(session, b"sync", "pause_traffic", port_id=port, handler=handler)
    for _ in range(4):
        pass_time(session, 40)
        ask(session, b"sync", "get_port_stats", port_id=port)  # without a session, but its connection identifies it
    for _ in range(4):
        pass_time(session, 40)
        ask(session, b"async", "get_async_events", session_id=1, user="sub")
    assert session.server.ports[0].state.value == "PAUSE"


def test_others_do_not_speak_for_the_owner(session: Session) -> None:
    for _ in range(3):
        pass_time(session, 30)
        ask(session, b"other", "get_async_events", session_id=77, user="sub")
        ask(session, b"other", "get_port_stats", port_id=0)
    assert session.server.ports[0].state.value == "STREAMS"


def test_released_ports_and_patient_servers_send_on(session: Session) -> None:
    session.owned("release")
    pass_time(session, 200)
    assert session.state() == "TX"
    patient = Session()
    patient.server = Server(patient.core, owner_timeout_s=0)
    patient.acquire(0)
    patient.load()
    patient.start()
    pass_time(patient, 1000)
    assert patient.state() == "TX"


def test_what_the_last_owner_left_is_sent_on_for_the_next(session: Session) -> None:
    session.acquire(0, session_id=1, force=True)
    assert session.state() == "TX"  # the same session may continue its traffic
    session.events()
    session.acquire(0, session_id=2, user="you", force=True)
    assert session.state() == "TX"
    assert session.events() == [(5, {"port_id": 0, "who": "you", "session_id": 2, "force": True})]


def test_shutdown_spares_the_ports_of_others(session: Session) -> None:
    with pytest.raises(RpcError, match="port 0 is owned by 'me'; shut down with force"):
        session.call("shutdown", user="you", force=False)
    assert session.server.ending is None
    session.call("shutdown", user="me", force=False)
    assert session.server.ending == "shut down by 'me'"


def test_global_settings_are_kept() -> None:
    session = Session(FakeGenerator())
    settings = session.call("get_global_cfg")
    assert settings == {"sched_max_stretch": 0.0, "process_at_cp": False, "do_mbuf_cache": False}
    assert session.call("set_global_cfg", **settings) is None
    session.call("set_global_cfg", sched_max_stretch=5.0)
    assert session.call("get_global_cfg") == settings | {"sched_max_stretch": 5.0}
    with pytest.raises(RpcError, match="'string', expecting 'bool'"):
        session.call("set_global_cfg", do_mbuf_cache="yes")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_there_is_refused_with_the_reason(name: str) -> None:
    session = Session()
    with pytest.raises(RpcError, match="not supported|need T-Rex|cannot be joined") as caught:
        session.call(name, port_id=0, handler="", username="x")
    assert caught.value.code == -32000
    assert name not in session.call("get_supported_cmds")
