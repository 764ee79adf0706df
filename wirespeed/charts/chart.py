"""Description of a chart: panels one below the other over one x axis, each with curves that share a y axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wirespeed.charts.shapes import Symbol

Dash = Literal["solid", "dash", "dot", "dashdot", "longdash"]

DASHES: tuple[Dash, ...] = ("solid", "dash", "dot", "dashdot", "longdash")
DIRECTION_DASHES: tuple[Dash, ...] = ("solid", "dash", "dashdot")
ALONE_DASH: Dash = "longdash"


def direction_dash(number: int, of: int) -> Dash:
    """The line of the direction of that number among those `of` a test: the same in each chart, whatever else is in
    it. A test of one direction has a line of its own."""
    return ALONE_DASH if of == 1 else DIRECTION_DASHES[number % len(DIRECTION_DASHES)]


@dataclass(frozen=True)
class Curve:
    """Points in the order of x, in the units of its panel; a y of None is a gap.

    Curves of one `key` share a legend entry, which shows or hides them; none if it is empty. `value` follows the name
    in the legend. `dots`: points without a line between them. A line marks some of its points by its `symbol`, unless
    that is a dot; `is_open` symbols are outlines. `told` has text for each point. `low` and `high` are ends of error
    bars along y, `left` and `right` along x. `of` is the name of the result. `links` are the pages that the points link
    to.
    """

    name: str
    colour: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    key: str = ""
    dash: Dash = "solid"
    width: float = 2.0
    dots: bool = False
    symbol: Symbol = "dot"
    is_open: bool = False
    told: tuple[str, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    left: tuple[float, ...] = ()
    right: tuple[float, ...] = ()
    of: str = ""
    note: str = ""
    """Text beside the first point."""
    links: tuple[str, ...] = ()
    value: str = ""
    bar: str = ""
    """Meaning of the curve's bars."""

    @property
    def end(self) -> float | None:
        """The last y of a line."""
        return None if self.dots else next((y for y in reversed(self.y) if y is not None), None)

    @property
    def key_mark(self) -> str:
        """Legend text for the curve's marks and bars: `loss onset, bar: from the highest load that passed`."""
        return ", ".join(filter(None, (self.note, f"bar: {self.bar}" if self.bar else "")))


@dataclass(frozen=True)
class Rule:
    """A horizontal reference line, such as line rate, with its name at the right end."""

    name: str
    value: float
    alarm: bool = False


@dataclass(frozen=True)
class Band:
    """An interval of the x axis, in all panels; a line if both ends are equal. Without a key, its name is written into
    the first panel."""

    name: str
    low: float
    high: float
    colour: str
    key: str = ""
    dash: Dash = "solid"
    of: str = ""


@dataclass(frozen=True)
class Scale:
    """The y axis: by default from zero to the highest value of the curves. `ticks` are (place, text). A `floor`
    represents 0 on a logarithmic axis; no line leads up from it."""

    logarithmic: bool = False
    low: float | None = None
    high: float | None = None
    ticks: tuple[tuple[float, str], ...] = ()
    floor: float | None = None


LINEAR = Scale()


@dataclass(frozen=True)
class Panel:
    """`unit` goes with a figure where one is told; `diagonal` draws what y = x would be, by that name. A page shows a
    `folded` one when somebody opens it."""

    title: str
    unit: str
    height_px: int
    curves: tuple[Curve, ...]
    scale: Scale = LINEAR
    rules: tuple[Rule, ...] = ()
    diagonal: str = ""
    folded: bool = False

    @property
    def heading(self) -> str:
        """The title, and how to read an axis that does not begin at 0."""
        if self.scale.logarithmic:
            return f"{self.title}, log scale"
        return f"{self.title}, axis from {self.scale.low:.4g}" if self.scale.low else self.title


@dataclass(frozen=True)
class LegendEntry:
    """An entry of the legend. `on`: its curves are drawn at first. `is_dots`: points without a line. `is_alike`: one
    curve for both directions, with filled and open marks."""

    key: str
    name: str
    colour: str
    dash: Dash
    symbol: Symbol
    on: bool
    of: str
    is_open: bool = False
    is_dots: bool = False
    value: str = ""
    is_alike: bool = False


@dataclass(frozen=True)
class PercentScale:
    """A chart in percent: x, and y of panels with a diagonal, as shares of `of`, by result. Results that `of` does not
    name are left out. The titles are those of the x axis and of such panels."""

    x_title: str
    title: str
    of: Mapping[str, float]


@dataclass(frozen=True)
class Chart:
    """`sentence` describes the chart for screen readers; `title` heads a saved picture with test, load and devices
    instead. With `categories`, x is an index into them. `off` are the keys of curves hidden at first; `called` are the
    names of keys that several curves share. With `shares` it can be read in percent."""

    identity: str
    sentence: str
    x_title: str
    x_unit: str
    panels: tuple[Panel, ...]
    bands: tuple[Band, ...] = ()
    categories: tuple[str, ...] = ()
    x_low: float | None = 0.0
    x_high: float | None = None
    off: frozenset[str] = field(default_factory=frozenset)
    called: Mapping[str, str] = field(default_factory=dict)
    shares: PercentScale | None = None
    title: str = ""

    @property
    def heading(self) -> str:
        """Name of its picture."""
        return self.title or self.sentence

    @property
    def legend(self) -> tuple[LegendEntry, ...]:
        """One entry per key, in the style of its first curve or band: results in the order of the right ends of
        their lines, the highest first; curves hidden at first come last."""
        entries: dict[str, LegendEntry] = {}
        curves = [curve for panel in self.panels for curve in panel.curves]
        owners: dict[str, set[str]] = {}
        opened: dict[str, set[bool]] = {}
        for curve in curves:
            owners.setdefault(curve.key, set()).add(curve.of)
            if not curve.dots:
                opened.setdefault(curve.key, set()).add(curve.is_open)
        for curve in curves:
            if curve.key and curve.key not in entries:
                entries[curve.key] = LegendEntry(
                    key=curve.key,
                    name=self.called.get(curve.key, curve.name),
                    colour=curve.colour,
                    dash=curve.dash,
                    symbol=curve.symbol,
                    on=curve.key not in self.off,
                    of=curve.of if len(owners[curve.key]) == 1 else "",
                    is_open=curve.is_open,
                    is_dots=curve.dots,
                    value=curve.value,
                    is_alike=len(owners[curve.key]) == 1 and len(opened.get(curve.key, ())) > 1,
                )
        for band in self.bands:
            if band.key and band.key not in entries:
                on = band.key not in self.off
                entries[band.key] = LegendEntry(band.key, band.name, band.colour, band.dash, "dot", on, band.of)
        ends: dict[str, float] = {}
        for panel in self.panels:
            new = [curve for curve in panel.curves if curve.end is not None and curve.key not in ends]
            for curve in new:
                ends[curve.key] = max(ends.get(curve.key, -math.inf), curve.end or 0.0)
        # The directions of a result stay together, in their order.
        highest: dict[str, float] = {}
        for one in entries.values():
            owner = one.of or one.key
            highest[owner] = max(highest.get(owner, -math.inf), ends.get(one.key, -math.inf))
        lines = iter(
            sorted((one for one in entries.values() if one.key in ends), key=lambda one: -highest[one.of or one.key])
        )
        ordered = [next(lines) if one.key in ends else one for one in entries.values()]
        return tuple(sorted(ordered, key=lambda entry: not entry.on))


def short(value: float) -> float:
    """Numbers are rounded to five digits: the same picture, half the size of the page."""
    return float(f"{value:.5g}")


def shortened(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(map(short, values))


def in_order(x: Sequence[float]) -> list[int]:
    """The places of points from left to right; those at one place keep their order."""
    return sorted(range(len(x)), key=x.__getitem__)


def together(names: Sequence[str], *, short: bool = False) -> str:
    """`router both 0→1` and `router both 1→0` as `router both 0→1 and 1→0`, or in short as `router both`."""
    words = [name.split(" ") for name in names]
    shortest = min(map(len, words))
    head = next((at for at in range(shortest - 1) if len({some[at] for some in words}) > 1), shortest - 1)
    most = shortest - 1 - head
    tail = next((at for at in range(most) if len({some[-1 - at] for some in words}) > 1), most)
    first, last = words[0][:head], words[0][len(words[0]) - tail :]
    if short and len(names) > 1 and (first or last):
        return " ".join((*first, *last))
    return " ".join((*first, " and ".join(" ".join(some[head : len(some) - tail]) for some in words), *last))
