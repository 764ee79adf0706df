"""Trends as lines on a plane: what an inline SVG is made of. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.figures import measured_text, three_digits
from wirespeed.site.entries import Figure
from wirespeed.site.trends import Trend

SPARK_WIDTH, SPARK_HEIGHT = 80.0, 18.0
WIDTH, HEIGHT = 720.0, 170.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 12.0, 26.0, 24.0


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    page: str
    title: str


@dataclass(frozen=True)
class Mark:
    """A step: a line down the plane and its words, which end or begin at it."""

    x: float
    text: str
    anchor: str
    is_down: bool


@dataclass(frozen=True)
class Chart:
    """`ticks` are (y, text); `means` are (x1, x2, y) of plateaus."""

    label: str
    line: str
    points: tuple[Point, ...]
    ticks: tuple[tuple[float, str], ...]
    means: tuple[tuple[float, float, float], ...]
    marks: tuple[Mark, ...]
    first: str
    last: str
    unit: str


@dataclass(frozen=True)
class Spark:
    """`dots` are the steps."""

    label: str
    line: str
    dots: tuple[tuple[float, float], ...]


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
    return Spark(label, _line([at(place) for place in range(len(rates))]), tuple(at(step.at) for step in trend.steps))


def chart(trend: Trend) -> Chart:
    rates = trend.rates
    least, most = _range(rates)
    inner, high = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def x(place: float) -> float:
        return round(_LEFT + inner * (place + 0.5) / len(rates), 1)

    def y(pps: float) -> float:
        return round(_TOP + high * (1 - (pps - least) / (most - least)), 1)

    points = tuple(
        Point(x(place), y(figure.value.rate_pps), figure.entry.page, _title(figure))
        for place, figure in enumerate(trend.figures)
    )
    return Chart(
        label=f"{trend.subject.title}: {'; '.join(step.text for step in trend.steps) or 'no step'}",
        line=_line([(point.x, point.y) for point in points]),
        points=points,
        ticks=tuple((y(pps), three_digits(pps / 1e6)) for pps in (least, (least + most) / 2, most)),
        means=tuple((x(one.first - 0.4), x(one.last + 0.4), y(one.mean)) for one in trend.plateaus),
        marks=tuple(_mark(x(step.at - 0.5), step.text, step.ratio < 0) for step in trend.steps),
        first=trend.figures[0].entry.started[:10],
        last=trend.figures[-1].entry.started[:10],
        unit="Mpps",
    )


def _mark(x: float, text: str, is_down: bool) -> Mark:
    return Mark(x, text, "start" if x < WIDTH / 2 else "end", is_down)


def _title(figure: Figure) -> str:
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
