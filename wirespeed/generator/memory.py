"""How much clients may make the generator keep: captured packets, receive queues, events and streams.

Each session has a bound, and all together have one; what a port's streams hold counts as a session of its own, since
they stay when their session goes. What would be beyond is not kept: a capture is full, a cyclic one and a queue of
events forget their oldest, a stream is refused.
"""

from __future__ import annotations

from collections.abc import Hashable

SESSION_BYTES = 512 << 20
ALL_BYTES = 1 << 30


class Memory:
    """Who holds how much. Sizes are estimates from above of what Python takes."""

    def __init__(self, session_bytes: int = SESSION_BYTES, all_bytes: int = ALL_BYTES) -> None:
        self.session_bytes, self.all_bytes = session_bytes, all_bytes
        self.held_bytes = 0
        self._of: dict[Hashable, int] = {}

    def take(self, who: Hashable, size_bytes: int) -> bool:
        """Whether there was room; it is held until it is given back."""
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
