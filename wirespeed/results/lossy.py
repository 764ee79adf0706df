"""Loss onset of a direction: the first sample from which a loss above the threshold persists.

A sample fails if it lost more than `threshold` of the packets offered. Loss persists from a failing sample under two
conditions. It begins at least RUN consecutive failing samples, and at least nine in ten of the later samples fail, too;
a single good sample is always allowed. A shorter run at the very end counts if no load as high has passed. So a ramp
that ends just above the limit shows it, and a single loss late in the hold does not."""

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
