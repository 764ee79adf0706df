"""Bursts: the longest that a device forwards whole. Pure: what sends is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wirespeed.results.trial import TrialResult

UNSENT = 0.05
"""A burst of which the tester leaves more than this share unsent was not sent back to back."""


@dataclass(frozen=True)
class Burst:
    """One burst a direction: frames that were really sent, whether they went back to back, and whether all came back.
    A burst with gaps is never whole."""

    sent: float
    whole: bool
    back_to_back: bool = True


@dataclass(frozen=True)
class LongestBurst:
    """`frames` as they were sent, 0 where none came back whole. `is_longest_tried`: no burst lost anything.
    `tester_limited`: the search ended at a length that the tester did not send back to back."""

    frames: float
    trials: int
    is_longest_tried: bool = False
    tester_limited: bool = False


def burst_of(trial: TrialResult) -> Burst:
    """The result of a burst. `sent` is the average of the directions."""
    balance = trial.balance
    back_to_back = balance.tester_share <= UNSENT
    whole = back_to_back and balance.offered > 0 and balance.lost == 0
    return Burst(balance.offered / len(trial.channels), whole, back_to_back)


def longest_burst(
    send: Callable[[int], Burst], most: int, resolution: float, signature: int, first: int | None = None
) -> LongestBurst:
    """RFC 9004 section 5: binary search on the length of a burst of at most `most` frames, until the longest passing
    and the shortest lossy length differ by at most `resolution` of the latter, or by one frame. A lossy burst is
    repeated up to `signature` times; its length is lossy only if all of them lost frames. A length that never passed
    and was once not sent back to back ends the search. With `first`, the search begins with that length and doubles it
    each time, instead of beginning with the longest."""
    trials, gaps = 0, False

    def sent_whole(frames: int) -> Burst | None:
        nonlocal trials, gaps
        had_gaps = False
        for _ in range(1 + signature):
            trials += 1
            burst = send(frames)
            if burst.whole:
                return burst
            had_gaps |= not burst.back_to_back
        gaps = had_gaps
        return None

    good, bad, longest = 0, most, 0.0
    for frames in _growing(most if first is None else min(first, most), most):
        whole = sent_whole(frames)
        if whole is None:
            bad = frames
            break
        good, longest = frames, whole.sent
    else:
        return LongestBurst(longest, trials, is_longest_tried=True)
    while not gaps and bad - good > max(1.0, resolution * bad):
        middle = (good + bad) // 2
        whole = sent_whole(middle)
        if whole is None:
            bad = middle
        else:
            good, longest = middle, whole.sent
    return LongestBurst(longest, trials, tester_limited=gaps)


def _growing(first: int, most: int) -> Iterator[int]:
    """Twice as long each time, and `most` at the end."""
    while first < most:
        yield first
        first *= 2
    yield most
