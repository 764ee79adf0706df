"""Memory limits for data that clients make the generator keep: captured packets, receive queues, events and streams.

Each session has a limit, and all together have one. The streams of a port count as a session of their own, since they
stay when their session ends. Data beyond a limit is not kept: a capture is full, a cyclic capture and an event queue
drop their oldest entries, a stream is refused."""

from __future__ import annotations

from collections.abc import Hashable

SESSION_BYTES = 512 << 20
ALL_BYTES = 1 << 30


class Memory:
    """Memory in use, by owner. Sizes are upper estimates of what Python needs."""

    def __init__(self, session_bytes: int = SESSION_BYTES, all_bytes: int = ALL_BYTES) -> None:
        self.session_bytes, self.all_bytes = session_bytes, all_bytes
        self.held_bytes = 0
        self._of: dict[Hashable, int] = {}

    def take(self, who: Hashable, size_bytes: int) -> bool:
        """Reserve memory until `give` returns it. False if the limit is reached."""
        own = self._of.get(who, 0) + size_bytes
        if own > self.session_bytes or self.held_bytes + size_bytes > self.all_bytes:
            return False
        self._of[who] = own
        self.held_bytes += size_bytes
        return True

    def give(self, who: Hashable, size_bytes: int) -> None:
        self.held_bytes -= size_bytes
        left = self._of.pop(who, 0) - size_bytes
        if left:
            self._of[who] = left
