"""Events for sessions: what happened to ports, in order, until each session fetches it."""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from wirespeed.generator.memory import Memory

Json = dict[str, Any]

IDLE_SESSION_S = 10.0
"""Time without a poll after which the queue of a session stops growing."""

FORGET_SESSION_S = 3600.0
MAX_SESSIONS = 4096

EVENT_BYTES = 2048
"""Largest memory of one event, with the names in it."""


class EventKind(enum.IntEnum):
    """T-Rex's event numbers."""

    PORT_STARTED = 0
    PORT_STOPPED = 1
    PORT_PAUSED = 2
    PORT_RESUMED = 3
    PORT_FINISHED = 4
    PORT_ACQUIRED = 5
    PORT_RELEASED = 6
    PORT_ATTR_CHANGED = 8
    PROFILE_STARTED = 10
    PROFILE_STOPPED = 11
    PROFILE_PAUSED = 12
    PROFILE_RESUMED = 13
    PROFILE_FINISHED = 14
    SERVER_STOPPED = 100


@dataclass
class _Session:
    polled_at_s: float
    next_seq: int = 0
    waiting: deque[Json] = field(default_factory=deque)


class EventQueues:
    """One queue for each session that polled; sequence numbers count per session from 0. A session without memory
    loses its oldest events, and sees that by the numbers."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._sessions: dict[int, _Session] = {}
        self.triggers = 0
        """Events since the publisher last told the subscribers that some wait; it sets this back to 0."""

    def emit(self, kind: EventKind, now_s: float, **data: Any) -> None:
        self.triggers += 1
        for session_id, session in self._sessions.items():
            if now_s - session.polled_at_s <= IDLE_SESSION_S:
                event = {"name": "trex-event", "type": int(kind), "seq": session.next_seq, "data": data}
                session.next_seq += 1
                self._keep(session_id, session, event)

    def _keep(self, session_id: int, session: _Session, event: Json) -> None:
        while not self._memory.take(session_id, EVENT_BYTES):
            if not session.waiting:
                return
            session.waiting.popleft()
            self._memory.give(session_id, EVENT_BYTES)
        session.waiting.append(event)

    def _take_out(self, session_id: int) -> list[Json]:
        session = self._sessions[session_id]
        waiting, session.waiting = list(session.waiting), deque()
        self._memory.give(session_id, EVENT_BYTES * len(waiting))
        return waiting

    def fetch(self, session_id: int, now_s: float) -> list[Json]:
        """Waiting events of a session; its first request registers it."""
        session = self._sessions.pop(session_id, None) or _Session(now_s)
        session.polled_at_s = now_s
        self._sessions[session_id] = session  # last: who has not polled for longest comes first
        oldest = next(iter(self._sessions))
        while len(self._sessions) > MAX_SESSIONS or now_s - self._sessions[oldest].polled_at_s > FORGET_SESSION_S:
            self._take_out(oldest)
            del self._sessions[oldest]
            oldest = next(iter(self._sessions))
        return self._take_out(session_id)
