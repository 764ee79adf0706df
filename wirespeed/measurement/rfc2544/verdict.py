"""The verdict on RFC 2544's tests. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.measurement.rfc2544.result import Rfc2544Result, ThroughputRow
from wirespeed.measurement.verdicts import (
    LIMITED_BY,
    counting_of_trials,
    figure_of_bounds,
    limit_of_bound,
    verdict_of_trials,
)
from wirespeed.results.channel import Channel
from wirespeed.results.verdict import Figure, Limit, Named, Verdict


def throughput_figure(row: ThroughputRow, directions: Sequence[Channel] = ()) -> Figure:
    """The throughput of one frame size; without `directions` that of one direction."""
    return figure_of_bounds(
        f"throughput at {row.frame}",
        [str(wire) for wire in directions],
        row.throughput_pps,
        None if row.is_at_least else row.upper_pps,
        LIMITED_BY[row.limit],
        row.irregular,
        loss_ratio=0.0,
        line_percent=row.line_percent,
        frame_bytes=row.frame_bytes,
    )


def row_limit(row: ThroughputRow, named: Named) -> Limit:
    """The limit at one frame size."""
    return limit_of_bound(row.limit, named.get(row.frame))


def verdict_of(result: Rfc2544Result, named: Named) -> Verdict:
    """The throughput of each frame size; the limit is that of the first."""
    figures = tuple(throughput_figure(row, result.directions) for row in result.throughput)
    limits = {row.frame: row_limit(row, named) for row in result.throughput}
    limit = next(iter(limits.values()), limit_of_bound("none", None))
    return verdict_of_trials(result, figures, limit, counting_of_trials(result), limits)
