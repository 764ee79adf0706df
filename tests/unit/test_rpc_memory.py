"""Memory that clients make the generator use is bounded, and freed."""

from __future__ import annotations

from typing import Any

import pytest
from test_rpc_methods import Session
from test_rpc_packets import UDP_PACKET, fetch, start

from wirespeed.generator.captures import PACKET_BYTES
from wirespeed.generator.events import EVENT_BYTES, MAX_SESSIONS, EventKind, EventQueues
from wirespeed.generator.memory import Memory
from wirespeed.profiles import load_profile

KEPT_BYTES = len(UDP_PACKET) + PACKET_BYTES


@pytest.fixture
def session() -> Session:
    one = Session()
    one.acquire(0, 1)
    return one


def receive(session: Session, count: int, port: int = 0) -> None:
    for _ in range(count):
        session.core.wire(port, UDP_PACKET)
    session.server.tick()


def test_a_session_and_all_of_them_have_a_bound() -> None:
    memory = Memory(session_bytes=10, all_bytes=15)
    assert memory.take("a", 10)
    assert not memory.take("a", 1)
    assert memory.take("b", 5)
    assert not memory.take("b", 1)
    memory.give("a", 10)
    assert memory.held_bytes == 5
    assert memory.take("b", 5)
    assert not memory.take("b", 1)


def test_a_capture_keeps_what_its_session_has_room_for(session: Session) -> None:
    session.server.memory.session_bytes = 3 * KEPT_BYTES
    fixed = start(session, limit=100)
    receive(session, 5)
    cyclic = start(session, limit=100, mode="cyclic")
    assert session.server.captures.get(fixed).matched == 5
    assert len(fetch(session, fixed, pkt_limit=1)) == 1
    receive(session, 5)
    counts = {one["id"]: one["count"] for one in session.call("capture", command="status")}
    assert counts == {fixed: 3, cyclic: 0}
    fetch(session, fixed)
    receive(session, 5)
    assert sum(one["count"] for one in session.call("capture", command="status")) == 3
    session.call("capture", command="remove", capture_id=fixed)
    session.call("capture", command="remove", capture_id=cyclic)
    assert session.server.memory.held_bytes == 0


def test_a_receive_queue_forgets_its_oldest_and_gives_all_back(session: Session) -> None:
    session.server.memory.all_bytes = 2 * KEPT_BYTES
    session.owned("set_rx_feature", type="queue", enabled=True, size=100)
    receive(session, 5)
    assert len(session.call("get_rx_queue_pkts", port_id=0)["pkts"]) == 2
    assert session.server.memory.held_bytes == 0
    receive(session, 1)
    session.owned("set_rx_feature", type="queue", enabled=False)
    assert session.server.memory.held_bytes == 0


def test_events_that_nobody_fetches_are_bounded() -> None:
    memory = Memory(session_bytes=3 * EVENT_BYTES, all_bytes=4 * EVENT_BYTES)
    queues = EventQueues(memory)
    for one in (1, 2):
        queues.fetch(one, 0.0)
    for _ in range(10):
        queues.emit(EventKind.PORT_STARTED, 0.0, port_id=0)
    assert [event["seq"] for event in queues.fetch(1, 0.0)] == [8, 9]
    assert [event["seq"] for event in queues.fetch(2, 0.0)] == [8, 9]
    assert memory.held_bytes == 0


def test_the_sessions_that_polled_longest_ago_are_forgotten() -> None:
    memory = Memory()
    queues = EventQueues(memory)
    for one in (1, 2):
        queues.fetch(one, 0.0)
    queues.emit(EventKind.PORT_STARTED, 0.0, port_id=0)
    queues.fetch(1, 0.0)
    for one in range(3, MAX_SESSIONS + 2):
        queues.fetch(one, 0.0)
    assert memory.held_bytes == 0  # for session 2, the only one
    queues.emit(EventKind.PORT_STARTED, 0.0, port_id=0)
    assert [event["seq"] for event in queues.fetch(1, 0.0)] == [1]
    assert queues.fetch(2, 0.0) == []


def test_streams_are_bounded_in_bytes_and_kept_as_they_came(session: Session) -> None:
    (loaded,) = load_profile("bench", {}, 0, 0)
    stream: dict[str, Any] = loaded["stream"] | {"unknown": ["x" * 100_000]}
    session.server.memory.session_bytes = 350_000
    for number in (1, 2, 3):
        session.owned("add_stream", stream_id=number, stream=stream)
    said = session.refused("add_stream", stream_id=4, stream=stream | {"flow_stats": {"enabled": False}})
    assert "no memory for more streams" in said
    assert session.call("get_stream", port_id=0, stream_id=3, get_pkt=True)["stream"] == stream
    session.owned("remove_stream", stream_id=3)
    session.owned("add_stream", stream_id=4, stream=stream)
    session.owned("remove_all_streams")
    assert session.server.memory.held_bytes == 0


def test_a_refused_stream_leaves_no_group_behind(session: Session) -> None:
    (loaded,) = load_profile("bench", {}, 0, 0)
    counted = {"enabled": True, "stream_id": 7, "rule_type": "stats"}
    session.server.memory.session_bytes = 1
    session.refused("add_stream", stream_id=1, stream=loaded["stream"] | {"flow_stats": counted})
    session.server.memory.session_bytes = 1 << 20
    latency = counted | {"rule_type": "latency"}
    session.owned("add_stream", stream_id=1, stream=loaded["stream"] | {"flow_stats": latency})
