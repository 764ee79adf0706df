"""Thousands of profiles and streams: a port's worker is asked once, and no call visits everything that the port has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import fake_generator
import pytest
from test_rpc_methods import Session

from wirespeed.profiles import load_profile

MANY = 1000
MUL = {"type": "pps", "op": "abs", "value": 2000}
CHANGES: dict[str, dict[str, Any]] = {
    "pause_traffic": {},
    "resume_traffic": {},
    "update_traffic": {"mul": MUL, "force": False},
    "stop_traffic": {},
}


@contextmanager
def instructions() -> Iterator[list[int]]:
    """Counts the Python instructions executed outside of the fake core, in the list's only element."""
    counted = [0]

    def look(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename == fake_generator.__file__:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        counted[0] += event == "opcode"
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield counted
    finally:
        sys.settrace(before)


def holding(count: int, **tunables: str) -> Session:
    """A session whose port 0 sends that many profiles."""
    session = Session()
    session.acquire(0)
    (loaded,) = load_profile("bench", tunables, 0, 0)
    who = {"port_id": 0, "handler": session.handlers[0]}
    started = {"mul": {"type": "pps", "op": "abs", "value": 1000}, "duration": -1, "force": False}
    for number in range(count):
        given = {**who, "profile_id": f"p{number}"}
        session.batch(("add_stream", {**given, **loaded}), ("start_traffic", {**given, **started}))
    return session


def test_a_thousand_profiles_are_changed_by_one_word_to_the_worker() -> None:
    session = holding(MANY)
    session.events()
    for method, more in CHANGES.items():
        session.core.calls.clear()
        given = [
            (method, {"port_id": 0, "handler": session.handlers[0], "profile_id": f"p{i}", **more}) for i in range(MANY)
        ]
        session.batch(*given)
        session.server.changes.make()
        assert len(session.core.calls) == 1
        if method == "update_traffic":
            assert set(session.core.calls[0][2].values()) == {2000}  # type: ignore[attr-defined]
    assert session.state() == "STREAMS"
    kinds = [kind for kind, _ in session.events()]
    assert [kinds.count(kind) for kind in (12, 2, 13, 3, 11, 1)] == [MANY, 1, MANY, 1, MANY, 1]


def test_changes_one_by_one_are_gathered_while_many_profiles_run() -> None:
    session = holding(30)
    session.core.advance(1)
    session.server.tick()
    session.core.calls.clear()
    for number in range(20):
        session.owned("pause_traffic", profile_id=f"p{number}")
    assert len(session.core.calls) == 1  # the first at once
    session.core.advance(0.1)
    session.owned("pause_traffic", profile_id="p20")
    assert len(session.core.calls) == 2  # and the others after a while
    session.owned("pause_traffic", profile_id="p21")
    session.call("ping")  # any other request finds them made
    assert sum(state.paused for state in session.core.profiles(0)) == 22
    session.owned("pause_traffic", profile_id="p22")
    session.server.tick()
    assert sum(state.paused for state in session.core.profiles(0)) == 23


def test_a_change_is_made_at_once_where_few_profiles_run() -> None:
    session = holding(3)
    for number in range(3):
        session.owned("pause_traffic", profile_id=f"p{number}")
        assert sum(state.paused for state in session.core.profiles(0)) == number + 1


def test_changes_are_made_in_their_order() -> None:
    session = holding(3)
    who = {"port_id": 0, "handler": session.handlers[0]}
    session.core.calls.clear()
    session.batch(
        ("pause_traffic", {**who, "profile_id": "p0"}),
        ("pause_traffic", {**who, "profile_id": "p1"}),
        ("resume_traffic", {**who, "profile_id": "p0"}),
        ("stop_traffic", {**who, "profile_id": "p1"}),
        ("start_traffic", {**who, "profile_id": "p1", "mul": MUL, "duration": -1, "force": False}),
    )
    assert [call[0] for call in session.core.calls] == ["pause", "pause", "stop", "start"]
    assert len(session.core.profiles(0)) == 3
    assert not any(state.paused for state in session.core.profiles(0))


def test_a_profile_that_ended_meanwhile_is_told_of_as_ended() -> None:
    session = holding(2)
    session.events()
    session.core.finish(0, profile=session.server.ports[0].profiles["p1"].number)
    session.owned("pause_traffic", profile_id="p1")
    session.server.tick()
    assert [kind for kind, data in session.events() if data.get("profile_id") == "p1"] == [12, 14]
    assert session.call("get_port_status", port_id=0, profile_id="p1")["state_profile"] == "STREAMS"


def test_the_load_of_all_profiles_is_theirs() -> None:
    session = holding(3)
    loads = [1000.0, 1000.0, 1000.0]
    for number, (method, more) in enumerate((("pause_traffic", {}), ("update_traffic", {"mul": MUL, "force": False}))):
        session.owned(method, profile_id=f"p{number}", **more)
    loads[:2] = [0, 2000]
    assert session.call("get_global_stats")["m_tx_expected_pps"] == pytest.approx(sum(loads))
    session.owned("resume_traffic", profile_id="p0")
    assert session.call("get_global_stats")["m_tx_expected_pps"] == pytest.approx(4000)
    session.owned("stop_traffic", profile_id="*")
    assert session.call("get_global_stats")["m_tx_expected_pps"] == 0


@pytest.mark.parametrize("method", [*CHANGES, "get_port_status", "remove_all_streams", "add_stream", "start_traffic"])
def test_a_call_costs_the_same_however_many_profiles_there_are(method: str) -> None:
    costs = []
    for count in (20, 320):
        session = holding(count)
        (loaded,) = load_profile("bench", {}, 0, 0)
        more: dict[str, Any] = CHANGES.get(method) or {}
        if method == "resume_traffic":
            session.owned("pause_traffic", profile_id="p7")
        if method in ("remove_all_streams", "start_traffic"):
            session.owned("stop_traffic", profile_id="p7")
        if method == "start_traffic":
            more = {"mul": MUL, "duration": -1, "force": False}
        if method == "add_stream":
            more = {**loaded}
        profile = "new" if method == "add_stream" else "p7"
        with instructions() as counted:
            session.owned(method, profile_id=profile, **more)
        costs.append(counted[0])
    assert costs[1] < 1.1 * costs[0] + 100


def test_a_latency_stream_more_costs_the_same_however_many_there_are() -> None:
    session = Session()
    session.acquire(0)
    costs = []
    for number in range(100):
        (loaded,) = load_profile("bench", {"flow": "fsl", "pg_id": str(number)}, 0, 0)
        with instructions() as counted:
            session.owned("add_stream", stream_id=number, stream=loaded["stream"])
        costs.append(counted[0])
    assert costs[-1] < 1.1 * costs[1] + 100
