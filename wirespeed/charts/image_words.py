"""Words in picture files: names of levels, marks and curves, where no line goes through them; and how curves look."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

from wirespeed.charts.chart import Curve, Panel, Rule, together
from wirespeed.charts.colours import ALARM
from wirespeed.charts.shapes import POLYGONS, STROKES, Symbol
from wirespeed.pages.words import harmless

LABELLED, FEW = 12, 4
"""Up to this number of curves, names are written beside curves, and words beside the marks of one test."""
LINE = 1.25
INK, SOFT = "#1c2430", "#4d5765"
DASHES: Mapping[str, Any] = {
    "solid": "-",
    "dash": (0, (3.5, 2)),
    "dot": (0, (1, 1.5)),
    "dashdot": (0, (3.5, 1.5, 1, 1.5)),
    "longdash": (0, (9, 3)),
}
ALIKE, NEAR_PT = 0.9, 1.2
"""Curves of one result are drawn as one if so many of their points are no further apart."""
APART_PT = 2.4
"""Between lines that can be told apart."""
SAMPLE_PT = 22.0
ROWS_BELOW, ROWS_BELOW_FEW = 12, 5
"""Places below a mark, half a line apart, of many and of few curves."""
NOTE_STEPS = (1.3, -0.6, 2.3, -1.6, 3.3)
"""Places for the word of a mark, in lines below it."""
PAPER = "#ffffff"

_Segment = tuple[tuple[float, float], tuple[float, float]]
_Box = tuple[float, float, float, float]
"""Left, bottom, right and top."""


@dataclass(frozen=True)
class PictureSize:
    """A picture's width, the end of its file's name, its letters, and how high a pixel of a panel is."""

    width_mm: float
    ending: str
    letters_pt: float
    pixel_pt: float

    @property
    def width_pt(self) -> float:
        return self.width_mm / 25.4 * 72


def wide(text: str, size: PictureSize, *, bold: bool = False) -> float:
    """Points."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415
    from matplotlib.textpath import text_to_path  # noqa: PLC0415

    width, _, _ = text_to_path.get_text_width_height_descent(
        text, FontProperties(size=size.letters_pt, weight="bold" if bold else "normal"), ismath=False
    )
    return float(width)


def line(curve: Curve) -> dict[str, Any]:
    marked = {} if curve.symbol == "dot" else marks(curve.symbol, curve.colour, is_open=curve.is_open)
    return {"color": curve.colour, "linewidth": curve.width * 0.6, "linestyle": DASHES[curve.dash], **marked}


def marks(symbol: Symbol, colour: str, *, is_open: bool) -> dict[str, Any]:
    """Symbol of a mark in matplotlib; its shapes are those of the page."""
    from matplotlib.path import Path as Outline  # noqa: PLC0415

    marker: Any = "o"
    if symbol in STROKES:
        points = [(x, -y) for stroke in STROKES[symbol] for x, y in stroke]
        marker = Outline(points, [Outline.MOVETO, Outline.LINETO] * len(STROKES[symbol]))
    elif symbol in POLYGONS:
        points = [(x, -y) for x, y in (*POLYGONS[symbol], POLYGONS[symbol][0])]
        marker = Outline(points, closed=True)
    looks = {"markerfacecolor": PAPER if is_open else colour, "markeredgecolor": colour, "markeredgewidth": 0.8}
    return {"marker": marker, "markersize": 2.4 if symbol == "dot" else 4.5, **looks}


@dataclass(frozen=True)
class PlacedWord:
    """A word of a panel at its place in points; `of` is the curve that it names, drawn in front of it."""

    text: str
    left: float
    y: float
    colour: str
    of: Curve | None = None


@dataclass(frozen=True)
class PanelWords:
    """`unnamed` are the curves and levels for whose names there is no place."""

    placed: tuple[PlacedWord, ...]
    unnamed: tuple[Curve | Rule, ...]


def words_of(
    axis: Any, panel: Panel, curves: Iterable[Curve], artists: Mapping[int, Any], size: PictureSize
) -> PanelWords:
    """Names of levels, words of marks and names of curves beside them, none over another word or on a line. `artists`
    are what was drawn, by the identity of the curve."""
    shown = [curve for curve in curves if curve.x]
    lines = [curve for curve in shown if not curve.dots]
    drawn = {id(curve): _drawn_points(axis, curve) for curve in shown}
    groups = _alike(lines, drawn)
    for curve in (curve for group in groups for curve in group[1:]):
        artists[id(curve)].set_linestyle("")
    segments = [*_levels(axis, panel, shown), *_drawn_lines(axis, panel, lines)]
    points = [point for curve in shown if curve.dots for point in drawn[id(curve)]]
    words = _Words(axis.get_window_extent(), size, segments, points)
    unnamed: list[Curve | Rule] = _name_levels(axis, panel, words)
    if len(groups) > LABELLED:
        return PanelWords(tuple(words.placed), (*unnamed, *lines))
    if len(groups) <= FEW and len({curve.of for curve in lines}) == 1:
        _note_marks(shown, drawn, words)
    if not _name_curves(axis, panel, shown, drawn, groups, words):
        unnamed += lines
    return PanelWords(tuple(words.placed), tuple(unnamed))


@dataclass
class _Words:
    """The words `placed` so far in the `box` of a panel, whose lines and marks are `segments` and `points`."""

    box: Any
    size: PictureSize
    segments: Sequence[_Segment]
    points: Sequence[tuple[float, float]]
    placed: list[PlacedWord] = field(default_factory=list)
    taken: list[tuple[float, float, float]] = field(default_factory=list)

    @property
    def line_pt(self) -> float:
        return self.size.letters_pt * LINE

    def put(
        self,
        text: str,
        places: Iterable[tuple[float, float]],
        colour: str,
        *,
        to_left: bool,
        of: Curve | None = None,
        is_clear: Callable[[_Box], bool] = lambda _: True,
    ) -> bool:
        """Place the word at the first of the places that is free and `is_clear`; False if none is."""
        box, letters_pt = self.box, self.size.letters_pt
        room_pt = wide(text, self.size) + (SAMPLE_PT if of is not None else 0.0)
        for x, y in places:
            left = min(max(x - room_pt if to_left else x, box.x0 + 2), box.x1 - room_pt)
            inside = room_pt <= box.width and box.y0 + 1 <= y <= box.y1 - letters_pt + 1
            words = (
                left < end and left + room_pt > begin and abs(y - other) < self.line_pt
                for begin, end, other in self.taken
            )
            around = (left - 2, y - 2.5, left + room_pt + 2, y + letters_pt)
            if inside and not any(words) and not _is_crossed(around, self.segments, self.points) and is_clear(around):
                self.taken.append((left - 3, left + room_pt + 3, y))
                self.placed.append(PlacedWord(text, left, y, colour, of))
                return True
        return False


def _name_levels(axis: Any, panel: Panel, words: _Words) -> list[Curve | Rule]:
    """Names the levels, and returns those for which there is no place."""
    box, unnamed = words.box, []
    for rule in panel.rules:
        y = _y(axis, rule.value)
        if y < box.y0 - 1:
            continue
        name = harmless(f"↑ {rule.name}" if y > box.y1 + 1 else rule.name)
        heights = (min(y + 3, box.y1 - words.size.letters_pt), min(y, box.y1) - words.line_pt)
        places = ((box.x1 - 2 - left, height) for height in heights for left in range(0, int(box.width), 20))
        if not words.put(name, places, ALARM if rule.alarm else SOFT, to_left=True):
            unnamed.append(replace(rule, name=name))
    return [*unnamed]


def _note_marks(shown: Iterable[Curve], drawn: Mapping[int, Sequence[tuple[float, float]]], words: _Words) -> None:
    noted: set[tuple[str, int, int]] = set()
    for curve in (curve for curve in shown if curve.note and drawn[id(curve)]):
        x, y = drawn[id(curve)][0]
        if (mark := (curve.note, round(x / 8), round(y / 8))) not in noted:
            noted.add(mark)
            places = [(x + 6, y - step * words.line_pt) for step in NOTE_STEPS]
            words.put(harmless(curve.note), places, INK, to_left=False)


def _name_curves(
    axis: Any,
    panel: Panel,
    shown: Sequence[Curve],
    drawn: Mapping[int, Sequence[tuple[float, float]]],
    groups: Sequence[Sequence[Curve]],
    words: _Words,
) -> bool:
    """Name all curves of the panel, or none: then the legend has them."""
    few, line_pt = len(groups) <= FEW, words.line_pt
    lines_of = [list(_drawn_lines(axis, panel, group[:1])) for group in groups]
    for group, own in zip(groups, lines_of, strict=True):
        curve = group[0]
        all_names = together([one.name for one in group], short=not few)
        name = harmless(f"{all_names}, alike" if few and len(group) > 1 else all_names)
        # Names of many are all above their curves, so that none is taken for that of the curve below it.
        above = (5.0, -line_pt - 2) if few else (5.0,)
        beside = [(x, y + up) for x, y in drawn[id(curve)][::-1] if x <= words.box.x1 + 1 for up in above]
        others = [segment for lines in lines_of if lines is not own for segment in lines]
        is_own = partial(_is_nearest, own, others)
        below = []
        if panel.scale.floor is not None:
            rows = ROWS_BELOW_FEW if few else ROWS_BELOW
            below = _below_mark(curve, shown, drawn, SAMPLE_PT + wide(name, words.size), line_pt, rows)
        is_placed = (few or not below) and words.put(name, beside, INK, to_left=True, of=curve, is_clear=is_own)
        if not is_placed and not words.put(name, below, INK, to_left=True, of=curve):
            words.placed = [word for word in words.placed if word.of is None]
            return False
    return True


def _below_mark(
    curve: Curve,
    shown: Iterable[Curve],
    drawn: Mapping[int, Sequence[tuple[float, float]]],
    room_pt: float,
    line_pt: float,
    rows: int,
) -> list[tuple[float, float]]:
    """Places for the name of a curve that joins others again: below the mark at which it leaves them."""
    marks = (one for one in shown if one.note and (one.of, one.name) == (curve.of, curve.name))
    ends = [drawn[id(mark)][0] for mark in marks if drawn[id(mark)]]
    heights = [(x, y - (1.5 + row / 2) * line_pt) for x, y in ends for row in range(rows)]
    return [(x + across, y) for x, y in heights for across in (room_pt - 10, 10)]


def write_words(figure: Any, words: Iterable[PlacedWord], size: PictureSize) -> None:
    for word in words:
        sample_pt = SAMPLE_PT if word.of is not None else 0.0
        place = {"transform": figure.dpi_scale_trans, "color": word.colour, "fontsize": size.letters_pt}
        figure.text((word.left + sample_pt) / 72, word.y / 72, word.text, **place)
        if word.of is not None:
            _sample(figure, word.of, word.left, word.y + size.letters_pt * 0.35)


def _levels(axis: Any, panel: Panel, curves: Iterable[Curve]) -> Iterator[_Segment]:
    """Lines of a panel that are no curves: levels, the diagonal and the bars of marks."""
    box, to_points = axis.get_window_extent(), axis.transData.transform
    for rule in panel.rules:
        if box.y0 <= (y := _y(axis, rule.value)) <= box.y1:
            yield (box.x0, y), (box.x1, y)
    if panel.diagonal:
        low, high = to_points([(0.0, 0.0), (axis.get_xlim()[1],) * 2])
        yield tuple(low), tuple(high)
    for curve in curves:
        for place, value in enumerate(curve.y):
            if value is None:
                continue
            across = ((curve.left[place], value), (curve.right[place], value)) if curve.left else ()
            down = ((curve.x[place], curve.low[place]), (curve.x[place], curve.high[place])) if curve.low else ()
            for ends in filter(None, (across, down)):
                one, other = to_points(ends)
                yield tuple(one), tuple(other)


def _alike(lines: Sequence[Curve], drawn: Mapping[int, Sequence[tuple[float, float]]]) -> list[list[Curve]]:
    """Coinciding lines of one result are grouped."""
    groups: list[list[Curve]] = []
    for curve in lines:
        for first, *_ in groups:
            points, other = drawn[id(first)], drawn[id(curve)]
            is_pair = first.colour == curve.colour and first.of == curve.of and first.width == curve.width
            if is_pair and len(points) == len(other):
                pairs = zip(points, other, strict=True)
                near = sum(abs(x - u) <= NEAR_PT and abs(y - v) <= NEAR_PT for (x, y), (u, v) in pairs)
                if near >= ALIKE * len(points):
                    next(group for group in groups if group[0] is first).append(curve)
                    break
        else:
            groups.append([curve])
    return groups


def _sample(figure: Any, curve: Curve, left: float, y: float) -> None:
    """The line and the mark of a curve, in front of its name."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    ends = [(left + part * (SAMPLE_PT - 4)) / 72 for part in (0, 0.5, 1)]
    looks = line(curve) | ({"markevery": [1]} if curve.symbol != "dot" else {})
    figure.add_artist(Line2D(ends, [y / 72] * 3, transform=figure.dpi_scale_trans, **looks))


def _y(axis: Any, value: float) -> float:
    return float(axis.transData.transform((0, value))[1])


def _drawn_points(axis: Any, curve: Curve) -> list[tuple[float, float]]:
    known = [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if y is not None]
    return [(float(x), float(y)) for x, y in axis.transData.transform(known)] if known else []


def _drawn_lines(axis: Any, panel: Panel, lines: Iterable[Curve]) -> Iterator[_Segment]:
    """Parts of lines, but for those from the floor up."""
    floor = panel.scale.floor
    for curve in lines:
        known = [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if y is not None]
        for one, other in pairwise(known):
            if floor is None or (one[1] <= floor) == (other[1] <= floor):
                begin, end = axis.transData.transform([one, other])
                yield tuple(begin), tuple(end)


def _is_nearest(own: Iterable[_Segment], others: Iterable[_Segment], box: _Box) -> bool:
    """True if the lines `own` are visibly closer to the box than all others, so that a name there is not taken for
    theirs."""
    return _distance(own, box) + APART_PT <= _distance(others, box)


def _distance(segments: Iterable[_Segment], box: _Box) -> float:
    """Points between the box and the next line above or below it."""
    left, bottom, right, top = box
    nearest = math.inf
    for (x0, y0), (x1, y1) in segments:
        if max(x0, x1) < left or min(x0, x1) > right:
            continue
        slope = (y1 - y0) / (x1 - x0) if x1 != x0 else 0.0
        for x in (left, right):
            y = y0 + slope * (min(max(x, min(x0, x1)), max(x0, x1)) - x0)
            nearest = min(nearest, max(bottom - y, y - top, 0.0))
    return nearest


def _is_crossed(
    box: _Box,
    segments: Sequence[_Segment],
    points: Sequence[tuple[float, float]],
) -> bool:
    """True if a line or a mark crosses the box."""
    left, bottom, right, top = box
    if any(left - 3 <= x <= right + 3 and bottom - 3 <= y <= top + 3 for x, y in points):
        return True
    for (x0, y0), (x1, y1) in segments:
        if max(x0, x1) < left or min(x0, x1) > right or max(y0, y1) < bottom or min(y0, y1) > top:
            continue
        slope = (y1 - y0) / (x1 - x0) if x1 != x0 else 0.0
        at = [y0 + slope * (min(max(x, min(x0, x1)), max(x0, x1)) - x0) for x in (left, right)] if slope else [y0, y1]
        if min(at) <= top and max(at) >= bottom:
            return True
    return False
