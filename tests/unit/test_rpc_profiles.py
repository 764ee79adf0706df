"""Several profiles on one port: each is started, paused, changed and stopped by itself."""

from __future__ import annotations

from typing import Any

import pytest
from test_rpc_methods import Session

from wirespeed.profiles import load_profile


@pytest.fixture
def session() -> Session:
    """Port 0 is acquired and has a stream in each of the profiles a and b."""
    session = Session()
    session.acquire(0)
    (loaded,) = load_profile("bench", {}, 0, 0)
    for profile in ("a", "b"):
        session.owned("add_stream", **loaded, profile_id=profile)
    session.events()
    return session


def states(session: Session) -> dict[str, str]:
    found: dict[str, str] = session.call("get_port_status", port_id=0, profile_id="*")["state_profile"]
    return found


def kinds(session: Session) -> list[int]:
    return [kind for kind, _ in session.events()]


def test_each_runs_by_itself(session: Session) -> None:
    assert session.start(1000, profile_id="a") == 1000
    assert kinds(session) == [10, 0]
    session.start(500, profile_id="b")
    assert kinds(session) == [10]  # the port had already started
    session.core.advance(1)
    assert session.call("get_port_stats", port_id=0)["opackets"] == 1500
    session.owned("pause_traffic", profile_id="a")
    assert (states(session), session.state()) == ({"_": "IDLE", "a": "PAUSE", "b": "TX"}, "TX")
    session.core.advance(1)
    assert session.call("get_port_stats", port_id=0)["opackets"] == 2000
    session.owned("stop_traffic", profile_id="b")
    assert (states(session), session.state()) == ({"_": "IDLE", "a": "PAUSE", "b": "STREAMS"}, "PAUSE")
    session.owned("resume_traffic", profile_id="a")
    session.update(2000, profile_id="a")
    session.core.advance(1)
    assert session.call("get_port_stats", port_id=0)["opackets"] == 4000
    session.owned("stop_traffic", profile_id="*")
    assert states(session) == {"_": "IDLE", "a": "STREAMS", "b": "STREAMS"}


def test_one_ends_and_the_other_goes_on(session: Session) -> None:
    session.start(1000, profile_id="a", duration=2)
    session.start(1000, profile_id="b")
    session.events()
    session.core.advance(3)
    session.server.tick()
    assert session.events() == [(14, {"port_id": 0, "profile_id": "a"})]
    assert (states(session)["a"], session.state()) == ("STREAMS", "TX")
    session.start(1000, profile_id="a")
    session.owned("stop_traffic", profile_id="*")
    assert kinds(session) == [10, 11, 11, 1]


def test_together_they_must_fit_the_line(session: Session) -> None:
    session.start(60, "percentage", profile_id="a")
    mul: dict[str, Any] = {"type": "percentage", "op": "abs", "value": 50}
    given = {"mul": mul, "duration": -1, "profile_id": "b"}
    assert "exceeds port line rate" in session.refused("start_traffic", **given, force=False)
    session.owned("start_traffic", **given, force=True)
    assert "exceeds port line rate" in session.refused(
        "update_traffic", mul=mul | {"value": 60}, force=False, profile_id="a"
    )


def test_a_running_profile_keeps_its_streams_and_others_may_change(session: Session) -> None:
    session.start(profile_id="a")
    assert "on current state: 'TX on profile_id(a)" in session.refused("remove_all_streams", profile_id="a")
    session.owned("remove_all_streams", profile_id="b")
    assert session.call("get_profile_list", port_id=0) == ["_", "a", "b"]
    assert session.call("get_port_status", port_id=0, profile_id="b")["state_profile"] == "IDLE"
    assert "state_profile" not in session.call("get_port_status", port_id=0)


def test_what_takes_all_profiles_and_what_one_by_name(session: Session) -> None:
    assert session.call("get_stream_list", port_id=0, profile_id="*") == {"_": [], "a": [1], "b": [1]}
    session.owned("remove_all_streams", profile_id="*")
    assert list(session.call("get_all_streams", port_id=0, profile_id="*")["profiles"]) == ["a", "b"]
    given = {"mul": {"type": "pps", "op": "abs", "value": 1}, "force": False, "profile_id": "*"}
    for method in ("start_traffic", "update_traffic", "pause_traffic", "resume_traffic"):
        assert session.refused(method, duration=-1, **given) == "profile_id * does not exists"
    session.owned("stop_traffic", profile_id="*")


def test_a_start_may_lie_ahead(session: Session) -> None:
    now_s = session.call("ping")["ts"]
    session.start(1000, profile_id="a", start_at_ts=now_s + 2)
    session.core.advance(3)
    assert session.call("get_port_stats", port_id=0)["opackets"] == 1000
    session.start(1000, profile_id="b", start_at_ts=now_s - 100)
    session.core.advance(1)
    assert session.call("get_port_stats", port_id=0)["opackets"] == 3000


def test_profiles_cannot_be_made_without_end(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirespeed.generator.port.MAX_PROFILES", 20)
    (loaded,) = load_profile("bench", {}, 0, 0)
    for number in range(17):
        session.owned("add_stream", **loaded, profile_id=f"p{number}")
    assert "at most 20 profiles" in session.refused("add_stream", **loaded, profile_id="one more")
    session.owned("remove_all_streams", profile_id="p0")
    session.owned("add_stream", **loaded, profile_id="one more")  # emptied ones are replaced
    assert "p0" not in session.call("get_profile_list", port_id=0)
