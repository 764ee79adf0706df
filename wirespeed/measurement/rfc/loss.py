"""The frame loss rate (RFC 2544 section 26.3): its formula, its loads and its points. Pure: the caller provides the
function that runs a trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from wirespeed.measurement.rfc.result import RfcTrial
from wirespeed.results.codec import Stored


@dataclass(frozen=True)
class LossPoint:
    """A load: intended and offered load in percent of the theoretical maximum, and the frame loss rate in percent of
    the offered load."""

    intended_percent: Annotated[float, Stored(former="asked_percent")]
    intended_pps: Annotated[float, Stored(former="asked_pps")]
    offered_percent: float
    offered_pps: float
    loss_percent: float
    irregular: str = ""


def frame_loss_percent(offered: float, received: float) -> float:
    """(input count - output count) × 100 / input count; 0 if the input count is 0."""
    return max(0.0, (offered - received) * 100 / offered) if offered > 0 else 0.0


def loss_point(percent: float, line_pps: float, trial: RfcTrial) -> LossPoint:
    """The point of a trial at `percent` of the line."""
    balance, offered_pps = trial.trial.balance, trial.judged.offered_pps / max(1, len(trial.trial.channels))
    return LossPoint(
        intended_percent=percent,
        intended_pps=trial.load_pps,
        offered_percent=offered_pps / line_pps * 100,
        offered_pps=offered_pps,
        loss_percent=frame_loss_percent(balance.offered, balance.offered - balance.lost),
        irregular=trial.remark,
    )


def loss_loads(step_percent: float) -> Iterator[float]:
    """Percentages of the line from 100 down in equal steps, the last one above 0."""
    count = 0
    while (percent := 100 - count * step_percent) > 1e-9:
        yield percent
        count += 1


def frame_loss(measure: Callable[[float], LossPoint], step_percent: float) -> tuple[tuple[LossPoint, ...], bool]:
    """Points from line rate down until two consecutive trials lost nothing, and whether two did."""
    points: list[LossPoint] = []
    for percent in loss_loads(step_percent):
        points.append(measure(percent))
        if len(points) > 1 and not points[-1].loss_percent and not points[-2].loss_percent:
            return tuple(points), True
    return tuple(points), False


def lossless_text(points: Sequence[LossPoint]) -> str:
    """`, none from 90 % of line down`; empty where each load lost frames."""
    whole = next((point.intended_percent for point in points if not point.loss_percent), None)
    return "" if whole is None else f", none from {whole:g} % of line down"
