"""Events for sessions: what happened to ports, in order, until each session fetches it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

IDLE_SESSION_S = 10.0
"""The queue of a session that has not polled for so long stops growing."""

FORGET_SESSION_S = 3600.0


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
    waiting: list[Json] = field(default_factory=list)


class EventQueues:
    """One queue for each session that ever polled; sequence numbers count per session from 0."""

    def __init__(self) -> None:
        self._sessions: dict[int, _Session] = {}
        self.triggers = 0
        """Events since the publisher last told the subscribers that some wait; it sets this back to 0."""

    def emit(self, kind: EventKind, now_s: float, **data: Any) -> None:
        self.triggers += 1
        for session in self._sessions.values():
            if now_s - session.polled_at_s <= IDLE_SESSION_S:
                event = {"name": "trex-event", "type": int(kind), "seq": session.next_seq, "data": data}
                session.waiting.append(event)
                session.next_seq += 1

    def fetch(self, session_id: int, now_s: float) -> list[Json]:
        """What waits for a session; asking makes it known."""
        for known in [known for known, one in self._sessions.items() if now_s - one.polled_at_s > FORGET_SESSION_S]:
            del self._sessions[known]
        session = self._sessions.setdefault(session_id, _Session(now_s))
        session.polled_at_s = now_s
        waiting, session.waiting = session.waiting, []
        return waiting
