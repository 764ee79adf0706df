"""Samples as curves: those of a ramp on a line, those at a load that was held as dots by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.charts.chart import LINEAR, Curve, Dash, Panel, Scale, in_order, shortened
from wirespeed.charts.colours import MARKS
from wirespeed.charts.dut_panels import PANEL_PX, Account, values
from wirespeed.charts.dut_panels import DutPanel as Asked
from wirespeed.charts.scales import log_scale


@dataclass(frozen=True)
class Dot:
    """A sample: whether its load was held, its place, and its text."""

    held: bool
    x: float
    y: float
    told: str = ""


def sampled(dots: Sequence[Dot], like: Curve) -> list[Curve]:
    """The curves of samples, at most two, in the style of `like`, a curve without points."""
    curves = []
    for held in (False, True):
        some = [dot for dot in dots if dot.held is held]
        if not some:
            continue
        order = in_order([dot.x for dot in some])
        drawn = replace(
            like,
            x=shortened(some[number].x for number in order),
            y=shortened(some[number].y for number in order),
            told=tuple(some[number].told for number in order),
            dots=held,
        )
        curves.append(drawn)
    return curves


def blank(name: str, colour: str, key: str = "", dash: Dash = "solid", width: float = 2.0, of: str = "") -> Curve:
    """The style of a curve that has no points yet. Its mark goes with its colour."""
    symbol = MARKS.get(colour, "dot")
    return Curve(name=name, colour=colour, x=(), y=(), key=key, dash=dash, width=width, symbol=symbol, of=of)


def device_panels(
    asked: Sequence[Asked], accounts: Sequence[Account], styles: Mapping[str, Curve], divisor: float
) -> list[Panel]:
    """A panel for each quantity that the devices told; `styles`, by the accounts' names, name the curves."""
    panels = []
    for panel in asked:
        curves: list[Curve] = []
        for account in accounts:
            style = styles[account.name]
            for quantity in panel.quantities:
                dots = [Dot(read.held, read.at / divisor, read.value) for read in values(account, quantity)]
                like = replace(style, width=1.6)
                if len(panel.quantities) > 1:
                    like = replace(like, name=f"{style.name}: {quantity.words}", dash=quantity.dash)
                curves += sampled(dots, like)
        scale = positive(curves) if panel.logarithmic else LINEAR
        panels.append(Panel(panel.title, panel.unit, PANEL_PX, tuple(curves), scale))
    return panels


def positive(curves: Sequence[Curve]) -> Scale:
    """A logarithmic axis for them."""
    return log_scale(y for curve in curves for y in curve.y if y is not None)
