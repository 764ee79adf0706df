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
from wirespeed.results.verdict import Figure, Limit, Verdict


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


def verdict_of(result: Rfc2544Result, named: Limit | None = None) -> Verdict:
    """The throughput of each frame size; `named` is what `explain` names as the limit."""
    figures = tuple(throughput_figure(row, result.directions) for row in result.throughput)
    limit = limit_of_bound(result.throughput[0].limit if result.throughput else "none", named)
    return verdict_of_trials(result, figures, limit, counting_of_trials(result))
