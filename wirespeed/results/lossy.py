"""From which load on a direction loses more than the threshold: the first sample from which that persists.

A sample fails when it lost more than `threshold` of what it was offered. Loss persists from a failing sample when it
starts at least RUN failing samples in a row, and when it does not heal: of the samples from there to the end of the
measurement at least nine in ten fail, one good sample being forgiven in any case. A shorter run at the very end counts
when no load as high was seen to pass, so that a ramp which ends just past the limit shows it while a single hiccup late
in the hold does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

DEFAULT_THRESHOLD = 0.001
RUN = 3
HEALED_SHARE = 0.1
_SAME_LOAD = 0.995


def lossy_index(
    loads: Sequence[float], loss_ratios: Sequence[float], threshold: float = DEFAULT_THRESHOLD, complete: bool = True
) -> int | None:
    """Index of the first load from which loss persists, or None.

    `loads` and `loss_ratios` are the measured samples of one direction in time order; samples without load say
    nothing and are skipped. With `complete` false more samples may follow, and a short run at the end waits for them.
    """
    loaded = [index for index, load in enumerate(loads) if load > 0]
    fails = [loss_ratios[index] > threshold for index in loaded]
    passes_from = list(accumulate((not failed for failed in reversed(fails)), initial=0))[::-1]
    highest_pass = 0.0
    start = 0
    while start < len(fails):
        if not fails[start]:
            highest_pass = max(highest_pass, loads[loaded[start]])
            start += 1
            continue
        end = start
        while end < len(fails) and fails[end]:
            end += 1
        novel = loads[loaded[start]] * _SAME_LOAD > highest_pass
        long_enough = end - start >= RUN or (complete and end == len(fails) and novel)
        healed = passes_from[start] > max(1, HEALED_SHARE * (len(fails) - start))
        if long_enough and not healed:
            return loaded[start]
        start = end
    return None
