"""Trends as charts, and as lines as small as a word. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.charts.chart import Band, Chart, Curve, Panel, Scale, short, shortened
from wirespeed.charts.colours import ALARM, REFERENCE
from wirespeed.results.figures import MEGA, measured_text
from wirespeed.site.entries import SiteFigure
from wirespeed.site.trends import Trend, TrendStep, since

SPARK_WIDTH, SPARK_HEIGHT = 80.0, 18.0
TREND_PX = 180
WIDE = 0.1
"""Charts of values that differ by this share begin at 0, since it is seen there; others around their values."""
LABEL_LETTERS = 12
"""The longest version that a label within a chart has room for."""


@dataclass(frozen=True)
class Spark:
    """`dots` are the steps, each with whether it is judged to be for the worse."""

    label: str
    line: str
    dots: tuple[tuple[float, float, bool], ...]


def spark(trend: Trend) -> Spark | None:
    """None of a single value."""
    rates = trend.rates
    if len(rates) < 2:
        return None
    least, most = _range(rates)

    def at(place: int) -> tuple[float, float]:
        x = 2 + (SPARK_WIDTH - 4) * place / (len(rates) - 1)
        return round(x, 1), round(2 + (SPARK_HEIGHT - 4) * (1 - (rates[place] - least) / (most - least)), 1)

    steps = "; ".join(step.text for step in trend.steps)
    label = f"{len(rates)} values, last {measured_text(rates[-1])}{f'; {steps}' if steps else ', no step'}"
    return Spark(
        label,
        _line([at(place) for place in range(len(rates))]),
        tuple((*at(step.at), step.is_worse) for step in trend.steps),
    )


def trend_chart(identity: str, name: str, trend: Trend, colour: str, root: str) -> Chart:
    """The values one after the other, by version or date; `name` says what of which DUT they are, `root` is the way
    from the page to the results."""
    least, most = _range(trend.rates)
    if least < (1 - WIDE) * most:
        least, most = 0.0, max(trend.rates) * (1 + WIDE)
    values = Curve(
        name="each result",
        key="each result",
        colour=colour,
        x=shortened(range(len(trend.figures))),
        y=shortened(pps / MEGA.divisor for pps in trend.rates),
        dots=True,
        told=tuple(map(_title, trend.figures)),
        links=tuple(figure.entry.page and root + figure.entry.page for figure in trend.figures),
    )
    means: list[tuple[float, float | None]] = []
    for one in trend.plateaus:
        means += [(one.first - 0.5, None)] if means else []
        means += [(place, short(one.mean / MEGA.divisor)) for place in range(one.first, one.last + 1)]
    plateaus = Curve("mean", colour, tuple(x for x, _ in means), tuple(y for _, y in means), key="mean", width=4.0)
    return Chart(
        identity=identity,
        sentence=f"{name}: {'; '.join(step.text for step in trend.steps) or 'no step'}",
        x_title="result, by version or date",
        x_unit="",
        panels=(
            Panel(
                title=f"{name} ({MEGA.unit})",
                unit=MEGA.unit,
                height_px=TREND_PX,
                curves=(values, plateaus) if means else (values,),
                scale=Scale(low=least / MEGA.divisor, high=most / MEGA.divisor),
            ),
        ),
        bands=tuple(
            Band(_label(step), step.at - 0.5, step.at - 0.5, ALARM if step.is_worse else REFERENCE, dash="dash")
            for step in trend.steps
        ),
        categories=tuple(since(figure) for figure in trend.figures),
    )


def _label(step: TrendStep) -> str:
    """Short enough for a phone; the page says against what."""
    since = step.version if 0 < len(step.version) <= LABEL_LETTERS else step.day
    judged = f", {step.word}" if step.word in ("better", "worse") else ""
    return f"{since}: {step.arrow}{judged}"


def _title(figure: SiteFigure) -> str:
    entry = figure.entry
    told = (measured_text(figure.value.rate_pps), entry.version, entry.started[:16].replace("T", " "), entry.title)
    return " · ".join(filter(None, told))


def _range(rates: tuple[float, ...]) -> tuple[float, float]:
    """Around the values, so that noise of a percent is not drawn as if it were all."""
    least, most = min(rates), max(rates)
    margin = max((most - least) * 0.1, most * 0.02)
    return max(0.0, least - margin), most + margin


def _line(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)
