"""The knee, where the received rate stops following the offered load: a broken line fitted to the samples, and bounds
of its corner.

The model, in the ratio of returned to offered so that every load weighs the same: `a` up to the knee (a DUT that loses
a constant share has a < 1 and no knee), beyond it (p + b x) / x, which is flat for b = 0, falling for b < 0 and still
rising for 0 < b < a. Both meet at the knee, unless the DUT breaks down there. The samples are reduced to medians of
equal loads first, so that single bad ones draw nothing, and the best knee of all is found by sums over both sides.

A knee is accepted when beyond it received rises clearly less than offered, and when enough samples lie there whose
deficit is more than twice the scatter of those below it. Its bounds are the knees that fit hardly worse (a profile of
the residuals), widened to the neighbouring loads. All of it is deterministic.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean, median
from typing import NamedTuple

LEAST_LOAD_PPS = 1e-3  # less is noise of a file, and no load
BINS = 200  # groups of about equal load; a ramp of 600 s has 600 samples
WEIGHT = 5  # of a group, at most: a long hold is one load, not all the evidence
SUBPROPORTIONAL = 0.9  # beyond the knee a tenth of each further packet is lost, or more
LEAST_DEFICIT = 0.005  # of what was offered; less is a loss and no limit
SCATTER_SHARE = 0.9  # of the samples below the knee lie within the scatter
SCATTERS = 2  # of those below the knee
AGREEING_SHARE = 0.75  # of the samples beyond it are nearer to the knee's line than to following on
FEW = 3  # loads are too few to tell a share lost at every load from one lost beyond the knee
NEAR = 1.5  # times the knee: what lies further beyond tells its slope, not its place
DROP = 0.05  # of what came back at the knee: a larger step down is a breakdown
F_95 = 4.0  # of one parameter, two standard errors squared


@dataclass(frozen=True)
class Corner:
    """A knee between `low` and `high`, most likely at `at`; `plateau` is the median received beyond it."""

    at: float
    low: float
    high: float
    plateau: float


class _Pair(NamedTuple):
    load: float
    ratio: float
    proves: bool = True


@dataclass(frozen=True)
class _Group:
    load: float
    ratio: float
    weight: float


class _Fit(NamedTuple):
    """Returned is `a` x up to `at` and `p` + `b` x beyond; `b_error` is the standard error of b."""

    error: float
    at: float
    a: float
    p: float
    b: float
    b_error: float = 0.0
    broken: bool = False

    def deficit(self, load: float) -> float:
        """Missing share at `load` above the knee, relative to a rate that had continued to follow the load."""
        return 1 - (self.p / load + self.b) / self.a


def corner(offered: Sequence[float], returned: Sequence[float], proves: Sequence[bool] = ()) -> Corner | None:
    """The knee of `returned` over `offered` (packets per second, of samples in any order); None without one.

    `proves` tells for each sample whether its missing packets can prove a limit; by default all can.
    """
    rows = zip(offered, returned, proves or [True] * len(offered), strict=True)
    pairs = sorted(_Pair(x, max(0.0, min(1.0, y / x)), proof) for x, y, proof in rows if x > LEAST_LOAD_PPS)
    fit = _accepted(pairs)
    if fit is None:
        return None
    near = [pair for pair in pairs if pair.load <= NEAR * fit.at]
    if len(near) < len(pairs):
        closer = _accepted(near)
        if closer is not None:
            pairs, fit = near, closer
    low, high = _bounds(pairs, fit)
    plateau = median(pair.load * pair.ratio for pair in pairs if pair.load > fit.at)
    at = fit.at
    if abs(fit.b) <= 2 * fit.b_error and not fit.broken:
        at = min(high, max(low, plateau / fit.a))  # nothing says that it is not level beyond
    return Corner(at, low, high, plateau)


def _accepted(pairs: Sequence[_Pair]) -> _Fit | None:
    """The best knee of samples sorted by load, if they bear it out."""
    sums = _Sums(_groups(pairs))
    fit = sums.best()
    if fit is None or fit.at <= 0 or fit.a <= 0 or fit.b + fit.b_error > SUBPROPORTIONAL * fit.a:
        return None
    below = sorted(abs(pair.ratio - fit.a) for pair in pairs if pair.load <= fit.at)
    scatter = below[ceil(SCATTER_SHARE * len(below)) - 1] if below else 0.0
    least = max(LEAST_DEFICIT, SCATTERS * scatter / fit.a)
    clear = [pair for pair in pairs if pair.proves and pair.load > fit.at and fit.deficit(pair.load) >= least]
    agreeing = sum(pair.ratio < fit.a * (1 - fit.deficit(pair.load) / 2) for pair in clear)
    enough = max(3, min(5, len(pairs) // 20))
    return fit if len(clear) >= enough and agreeing >= AGREEING_SHARE * len(clear) else None


def _bounds(pairs: Sequence[_Pair], fit: _Fit) -> tuple[float, float]:
    """The loads between which the knee lies with about 95 % confidence."""
    loads = [pair.load for pair in pairs]
    after = bisect_right(loads, fit.at)
    followed = fit.a * (1 - LEAST_DEFICIT)
    low = next((load for load, ratio, _ in reversed(pairs[:after]) if ratio >= followed), fit.at)
    high = next((load for load, ratio, _ in pairs[after:] if ratio < followed), loads[-1])
    if fit.broken:
        return low * (1 - LEAST_DEFICIT / 2), high * (1 + LEAST_DEFICIT / 2)
    sums = _Sums(_groups(pairs))
    limit = sums.error(fit.at) * (1 + F_95 / max(1, len(sums.loads) - 3))
    step = fit.at / 1000
    for number in range(1, 500):
        if sums.error(fit.at - number * step) > limit:
            break
        low = min(low, fit.at - number * step)
    for number in range(1, 1000):
        if fit.at + number * step > loads[-1] or sums.error(fit.at + number * step) > limit:
            break
        high = max(high, fit.at + number * step)
    # A share that is lost below the knee may be one that is lost at every load, or the machine's that saturation hides.
    return max(0.0, min(low, fit.a * fit.at) * (1 - LEAST_DEFICIT)), high * (1 + LEAST_DEFICIT)


def _groups(pairs: Sequence[_Pair]) -> list[_Group]:
    """Samples of about equal load as one, by the median of their ratios; single ones by that of three neighbours."""
    width = pairs[-1].load / BINS if pairs else 1.0
    bins: dict[int, list[_Pair]] = {}
    for pair in pairs:
        bins.setdefault(int(pair.load / width), []).append(pair)
    groups = [
        _Group(fmean(pair.load for pair in few), median(pair.ratio for pair in few), min(WEIGHT, len(few)))
        for few in bins.values()
    ]
    smooth = list(groups)
    for index in range(1, len(groups) - 1):
        if groups[index].weight < 3:
            ratio = median(one.ratio for one in groups[index - 1 : index + 2])
            smooth[index] = _Group(groups[index].load, ratio, groups[index].weight)
    return smooth


class _Sums:
    """Sums over the groups up to each, from which the residuals of any knee follow at once."""

    def __init__(self, groups: Sequence[_Group]) -> None:
        self.loads = [group.load for group in groups]
        self.groups = groups
        rows: list[tuple[float, ...]] = [(0.0,) * 6]
        for group in groups:
            w, u, r = group.weight, 1 / group.load, group.ratio
            terms = (w, w * u, w * u * u, w * r, w * r * u, w * r * r)
            rows.append(tuple(old + new for old, new in zip(rows[-1], terms, strict=True)))
        self._rows = rows
        self._right = [tuple(whole - left for whole, left in zip(rows[-1], row, strict=True)) for row in rows]

    def best(self) -> _Fit | None:
        """The knee with the least residual of all; None for fewer than two loads."""
        if len(self.loads) < 2:
            return None
        fits = [fit for split in range(len(self.loads)) for fit in self._fits(split)]
        joined = min((fit for fit in fits if fit.p >= 0 or fit.b < 0), key=lambda fit: fit.error, default=None)
        broken = min(self._breakdowns(), key=lambda fit: fit.error, default=None)
        if broken is not None and (joined is None or broken.error * 1.5 < joined.error):
            return broken
        return joined

    def error(self, at: float) -> float:
        """The residual of the best line with its knee at `at`."""
        return self._with_knee(at).error

    def _fits(self, split: int) -> list[_Fit]:
        """Knees between the load before `split` and that after it."""
        if split == 0:
            first = self._line(0)
            at = first.p / (1 - first.b) if first.b < 1 else 0.0
            return [_Fit(first.error, at, 1.0, first.p, first.b, first.b_error)] if 0 < at <= self.loads[0] else []
        last, following = self.loads[split - 1], self.loads[split]
        a, left_error = self._mean(split)
        if split < FEW and a < 1 - LEAST_DEFICIT:
            return []
        if split == len(self.loads) - 1:
            level = self.groups[-1].ratio * following
            return [_Fit(left_error, min(level / a, following), a, level, 0.0)] if a > 0 and level / a >= last else []
        right = self._line(split)
        at = right.p / (a - right.b) if a > right.b else 0.0
        if last <= at <= following:
            return [_Fit(left_error + right.error, at, a, right.p, right.b, right.b_error)]
        return [self._with_knee(last)]

    def _breakdowns(self) -> list[_Fit]:
        """Steps down: after the last load that was followed, much less comes back."""
        fits = []
        for split in range(1, len(self.loads)):
            a, left_error = self._mean(split)
            right = self._line(split)
            if split < FEW and a < 1 - LEAST_DEFICIT:
                continue
            if right.p + right.b * self.loads[split] < (1 - DROP) * a * self.loads[split - 1]:
                at = self.loads[split - 1]
                fits.append(_Fit(left_error + right.error, at, a, right.p, right.b, right.b_error, broken=True))
        return fits

    def _mean(self, split: int) -> tuple[float, float]:
        """The ratio up to `split`, and its residual."""
        w, _, _, r, _, rr = self._rows[split]
        return r / w, max(0.0, rr - r * r / w)

    def _line(self, split: int) -> _Fit:
        """p + b x through the groups from `split` on; level for a single load."""
        w, u, uu, r, ru, rr = self._right[split]
        det = w * uu - u * u
        if split == len(self.loads) - 1 or det <= 1e-12 * w * uu:
            level = r / u if u else 0.0
            return _Fit(max(0.0, rr - level * ru), 0.0, 1.0, level, 0.0)
        p, b = (w * ru - u * r) / det, (uu * r - u * ru) / det
        error = max(0.0, rr - p * ru - b * r)
        return _Fit(error, 0.0, 1.0, p, b, (self._variance(error, w, len(self.loads) - split) * uu / det) ** 0.5)

    def _with_knee(self, at: float) -> _Fit:
        """The best line whose two parts meet at `at`."""
        split = bisect_right(self.loads, at)
        if split == 0:
            return self._with_knee_below(at)
        wl, _, _, rl, _, _ = self._rows[split]
        w, u, uu, r, ru, _ = self._right[split]
        aa, ab, bb = wl + at * at * uu, at * u - at * at * uu, w - 2 * at * u + at * at * uu
        ta, tb = rl + at * ru, r - at * ru
        det = aa * bb - ab * ab
        squares = self._rows[-1][5]
        if det <= 1e-12 * aa * max(bb, 1e-300):
            a, b = (ta / aa if aa else 1.0), 0.0
            b_error = 0.0
            error = max(0.0, squares - a * ta)
        else:
            a, b = (bb * ta - ab * tb) / det, (aa * tb - ab * ta) / det
            error = max(0.0, squares - a * ta - b * tb)
            b_error = (self._variance(error, wl + w, len(self.loads)) * aa / det) ** 0.5
        return _Fit(error, at, a, (a - b) * at, b, b_error)

    def _with_knee_below(self, at: float) -> _Fit:
        """The best line beyond a knee that lies below all loads: nothing was lost there."""
        w, u, uu, r, ru, rr = self._rows[-1]
        bb, tb = w - 2 * at * u + at * at * uu, r - at * ru - at * u + at * at * uu
        b = tb / bb if bb > 0 else 0.0
        return _Fit(max(0.0, rr - 2 * at * ru + at * at * uu - b * tb), at, 1.0, (1 - b) * at, b)

    def _variance(self, error: float, weight: float, count: int) -> float:
        """Variance of a group of weight one, from the residual of `count` groups with total `weight`."""
        return error / max(1, count - 3) if weight else 0.0
