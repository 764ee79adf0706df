"""Bursts: the longest that a device forwards whole. Pure: what sends is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Burst:
    """One burst a direction: frames that were really sent, and whether all came back."""

    sent: float
    whole: bool


@dataclass(frozen=True)
class LongestBurst:
    """`frames` as they were sent, 0 where none came back whole. `is_longest_tried`: no burst lost anything."""

    frames: float
    trials: int
    is_longest_tried: bool


def longest_burst(
    send: Callable[[int], Burst], most: int, resolution: float, verify: int, first: int | None = None
) -> LongestBurst:
    """RFC 9004 section 5: binary search on the length of a burst of at most `most` frames, until what is whole and what
    is not differ by at most `resolution` of the latter, or by one frame. A burst that loses is sent again up to
    `verify` times, and is only lossy if all of them lose. With `first` the search begins with bursts that grow from
    that length, each twice as long as the one before, in place of the longest."""
    trials = 0

    def sent_whole(frames: int) -> Burst | None:
        nonlocal trials
        for _ in range(1 + verify):
            trials += 1
            burst = send(frames)
            if burst.whole:
                return burst
        return None

    good, bad, longest = 0, most, 0.0
    for frames in _growing(most if first is None else min(first, most), most):
        found = sent_whole(frames)
        if found is None:
            bad = frames
            break
        good, longest = frames, found.sent
    else:
        return LongestBurst(longest, trials, is_longest_tried=True)
    while bad - good > max(1.0, resolution * bad):
        middle = (good + bad) // 2
        found = sent_whole(middle)
        if found is None:
            bad = middle
        else:
            good, longest = middle, found.sent
    return LongestBurst(longest, trials, is_longest_tried=False)


def _growing(first: int, most: int) -> Iterator[int]:
    """Twice as long each time, and `most` at the end."""
    while first < most:
        yield first
        first *= 2
    yield most
