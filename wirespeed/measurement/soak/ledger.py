"""Times of the losses in one direction, from the number of missing packets once per second. Pure.

Missing packets are lost or under way; the latter number goes up and down. A rise is a loss if it is still there two
seconds later, which is as long as a drain waits for packets, and stands out of what usually comes back in that time.
What is smaller is found in the end, when nothing is under way any more, and has no time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import median

LOOK_AHEAD = 2
"""Readings that a loss has to outlast."""

_REMEMBERED = 31
_STANDS_OUT = 3
_STALLS = 2


@dataclass(frozen=True)
class Placed:
    """Lost in the second that is `LOOK_AHEAD` readings old by now; and how many of those placed before came after
    all."""

    lost: int = 0
    delayed: int = 0


class LossLedger:
    """`see` each reading; it answers for the one LOOK_AHEAD before, None while there is none."""

    def __init__(self, placed: int = 0, under_way: int | None = None) -> None:
        self.placed = placed
        self._under_way = under_way
        self._missing: deque[int] = deque()
        self._usual: deque[int] = deque(maxlen=_REMEMBERED)
        self._delayed = 0
        self._most_under_way = 0

    @property
    def under_way(self) -> int:
        """The lowest number of packets that were ever in flight."""
        return self._under_way or 0

    def see(self, missing: int, most_under_way: int) -> Placed | None:
        """`missing` is the count since the beginning. Of the packets missing at the first reading, at most
        `most_under_way` count as in flight."""
        if self._under_way is None and not self._missing:
            self._most_under_way = most_under_way
        if missing < self.placed:
            self._delayed += self.placed - missing
            self.placed = missing
        self._missing.append(missing)
        return self._settle() if len(self._missing) > LOOK_AHEAD else None

    def finish(self, missing: int | None) -> tuple[list[Placed], int]:
        """The losses of the remaining readings, and the number of losses without a time (below 0: packets placed as
        lost that arrived later). `missing` is the count after the drain; None without a drain."""
        rest = []
        while self._missing:
            rest.append(self._settle())
        return rest, 0 if missing is None else missing - self.placed

    @property
    def _noise(self) -> float:
        """Usual number of packets that arrive within two seconds, without one or two stalls."""
        largest = sorted(self._usual)
        return max(_STANDS_OUT * median(largest), largest[max(-len(largest), -1 - _STALLS)])

    def _settle(self) -> Placed:
        lasting = min(self._missing)
        self._usual.append(self._missing.popleft() - lasting)
        if self._under_way is None:
            self._under_way = min(lasting, self._most_under_way)
        rise = lasting - self._under_way - self.placed
        lost = 0
        if rise < 0:
            self._under_way = max(0, lasting - self.placed)
        elif rise > self._noise:
            lost = rise
            self.placed += lost
        delayed, self._delayed = self._delayed, 0
        return Placed(lost, delayed)
