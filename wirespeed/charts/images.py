"""Charts as PNG and SVG files for print, drawn by matplotlib (extra `images`) in the page's colours and words: no
browser. Each is as wide as one column of a journal or as two."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wirespeed.charts.chart import Chart, Curve, LegendEntry, Panel, Rule
from wirespeed.charts.colours import ALARM, REFERENCE
from wirespeed.charts.image_words import (
    DASHES,
    INK,
    LINE,
    SOFT,
    PanelWords,
    PictureSize,
    line,
    marks,
    wide,
    words_of,
    write_words,
)
from wirespeed.errors import EnvironmentFault, FileFault
from wirespeed.files import write_atomically
from wirespeed.pages.words import harmless

FORMATS = ("png", "svg")
DPI = 300
LEAST_PT = 7.0
"""Size of the smallest letters."""
ROOM = 1.16
"""Height of an axis that begins at 0, in heights of its highest curve: words fit above that curve."""
RULE_FITS = 2.0
"""Times the largest value: a level further up is named at the edge, as on the page."""
GAP_PT, RIGHT_PT = 6.0, 8.0
GRID = "#dfe3e8"
FILLED = 0.97
"""Share of the width that rows of a legend fill at most: letters are wider in a picture than when they are measured."""
MARKS_APART = 0.16
"""Between the marks of a curve, as a share of the panel's diagonal."""


TWO_COLUMNS, ONE_COLUMN = PictureSize(175, "", 8.0, 0.5), PictureSize(85, "-85mm", LEAST_PT, 0.4)


def write_images(charts: Sequence[Chart], folder: Path) -> list[Path]:
    """A PNG and an SVG a chart and size, those of two columns first; the folder is made. EnvironmentFault without
    matplotlib, FileFault where a file cannot be written."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra, and slow to load

        mpl.use("Agg")
    except ImportError:
        raise EnvironmentFault(
            "pictures need matplotlib, which is not installed: "
            "pip install 'wirespeed[images]', or tools/setup.sh images in a checkout"
        ) from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileFault(f"folder {folder} cannot be made: {error.strerror}") from None
    written = []
    settings = {"svg.fonttype": "none", "svg.hashsalt": "wirespeed", "text.parse_math": False}
    for size in (TWO_COLUMNS, ONE_COLUMN):
        with mpl.rc_context({**settings, "font.size": size.letters_pt}):
            for stem, chart in zip(stems(charts), charts, strict=True):
                for suffix, data in zip(FORMATS, _drawn(chart, size), strict=True):
                    path = folder / f"{stem}{size.ending}.{suffix}"
                    write_atomically(path, data, "picture")
                    written.append(path)
    return written


def stems(charts: Iterable[Chart]) -> Iterator[str]:
    """File names of charts, by kind and subject, such as `load-64b-one-flow`; equal names are numbered."""
    seen: Counter[str] = Counter()
    for chart in charts:
        kind = re.sub(r"-\d+", "", chart.identity)
        of = re.sub(r"[^\w.]+", "-", chart.sentence.partition(":")[0]).strip("-.")[:120]
        stem = f"{kind}-{of}" if of else kind
        seen[stem] += 1
        yield stem if seen[stem] == 1 else f"{stem}-{seen[stem]}"


def _drawn(chart: Chart, size: PictureSize) -> list[bytes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(size.width_pt / 72, 4), dpi=72)
    FigureCanvasAgg(figure)
    panels = [panel for panel in chart.panels if not panel.folded]
    axes = [figure.add_axes((0, 0, 1, 1)) for _ in panels]
    artists = []
    for axis, panel in zip(axes, panels, strict=True):
        artists.append(_panel(axis, chart, panel))
        _across(axis, chart, size, is_last=axis is axes[-1])
    entries = [*(entry for entry in chart.legend if entry.on), *_keys(chart)]
    known, alike = {entry.name for entry in entries}, {entry.key for entry in entries if entry.is_alike}
    legends = [_legend(figure, entries, size), *(_Legend() for _ in panels)]
    words = _placed(figure, chart, axes, panels, artists, legends, size)
    for number, of_panel in enumerate(words, start=1):
        others = (one for one in of_panel.unnamed if one.name not in known and getattr(one, "key", "") not in alike)
        unnamed = {one.name: _entry(one) for one in sorted(others, key=partial(_place_of, entries))}
        legends[number] = _legend(figure, list(unnamed.values()), size)
    if any(legend.height_pt for legend in legends[1:]):  # they take room from the panels
        words = _placed(figure, chart, axes, panels, artists, legends, size)
    for of_panel in words:
        write_words(figure, of_panel.placed, size)
    files = []
    for suffix in FORMATS:
        data = io.BytesIO()
        figure.savefig(data, format=suffix, dpi=DPI, metadata={"Date": None} if suffix == "svg" else None)
        files.append(data.getvalue())
    return files


def _placed(
    figure: Any,
    chart: Chart,
    axes: Sequence[Any],
    panels: Sequence[Panel],
    artists: Sequence[Any],
    legends: Sequence[_Legend],
    size: PictureSize,
) -> list[PanelWords]:
    """The words of each panel, after the panels have their places."""
    _lay_out(figure, chart, axes, panels, legends, size)
    return [
        words_of(axis, panel, _shown(chart, panel), drawn, size)
        for axis, panel, drawn in zip(axes, panels, artists, strict=True)
    ]


def _fitted(text: str, room_pt: float, size: PictureSize, *, bold: bool = False) -> str:
    """The text in as many lines as it takes; words longer than a line are broken, at hyphens first."""
    lines = [""]
    for word in re.split(r"(?<=\s)(?=\S)|(?<=\w\w-)(?=\w)", text.strip()):
        if wide(lines[-1] + word.rstrip(), size, bold=bold) <= room_pt:
            lines[-1] += word
            continue
        lines.append("")
        for letter in word:
            if wide(lines[-1] + letter, size, bold=bold) > room_pt:
                lines.append("")
            lines[-1] += letter
    return "\n".join(line.rstrip() for line in lines if line.strip())


@dataclass(frozen=True)
class _Legend:
    """Names in rows; without any it has no height."""

    drawn: Any = None
    height_pt: float = 0.0


def _legend(figure: Any, entries: Sequence[LegendEntry], size: PictureSize) -> _Legend:
    """Names in rows that are as wide as the picture at most, each whole."""
    if not entries:
        return _Legend()
    room_pt = size.width_pt - 4 * size.letters_pt
    texts = (": ".join(filter(None, (entry.name, entry.value))) for entry in entries)
    names = [_fitted(harmless(text), room_pt, size) for text in texts]
    handles = [_handle(entry, name) for entry, name in zip(entries, names, strict=True)]
    for columns in range(min(6, len(entries)), 0, -1):
        legend = figure.legend(
            handles=handles,
            loc="upper left",
            ncols=columns,
            frameon=False,
            borderaxespad=0,
            borderpad=0.2,
            handlelength=2.4,
            columnspacing=1.2,
        )
        box = legend.get_window_extent(figure.canvas.get_renderer())
        if box.width <= FILLED * size.width_pt or columns == 1:
            break
        legend.remove()
    return _Legend(legend, float(box.height))


def _lay_out(
    figure: Any,
    chart: Chart,
    axes: Sequence[Any],
    panels: Sequence[Panel],
    legends: Sequence[_Legend],
    size: PictureSize,
) -> None:
    """The title, and panels one under the other, all as wide as the figures beside them allow. The first of the
    `legends` is that of the chart, the others are of each panel."""
    for text in list(figure.texts):
        text.remove()
    line_pt = size.letters_pt * LINE
    heading = _fitted(harmless(chart.heading), size.width_pt, size, bold=True)
    title_pt = line_pt * (1.6 + heading.count("\n"))
    titles = [_fitted(harmless(panel.heading), size.width_pt, size, bold=True) for panel in panels]
    # The highest figure of an axis stands half a line above its panel.
    bare = [GAP_PT + line_pt * (1.7 + title.count("\n")) for title in titles]
    heads = [head_pt + legend.height_pt for head_pt, legend in zip(bare, legends[1:], strict=True)]
    heights = [max(60.0, panel.height_px * size.pixel_pt) for panel in panels]
    foot_pt = 3.2 * line_pt
    above_pt = title_pt + legends[0].height_pt
    whole_pt = above_pt + sum(heads) + sum(heights) + GAP_PT * len(panels) + foot_pt
    figure.set_size_inches(size.width_pt / 72, whole_pt / 72)
    place = {"transform": figure.transFigure, "fontsize": size.letters_pt, "fontweight": "bold", "color": INK}
    figure.text(0, 1 - 0.2 * line_pt / whole_pt, heading, va="top", **place)
    _move(figure, legends[0], 1 - title_pt / whole_pt)
    tops = [
        1 - (above_pt + sum(heads[:number]) + sum(heights[:number]) + GAP_PT * number) / whole_pt
        for number in range(len(axes))
    ]
    for top, title, axis, bare_pt, head_pt, height_pt, legend in zip(
        tops, titles, axes, bare, heads, heights, legends[1:], strict=True
    ):
        axis.set_position((0.1, top - (head_pt + height_pt) / whole_pt, 0.8, height_pt / whole_pt))
        figure.text(0, top - (bare_pt - 0.6 * line_pt) / whole_pt, title, va="bottom", **place)
        _move(figure, legend, top - (bare_pt - 0.6 * line_pt) / whole_pt)
    # Figures of axes follow from the height of panels.
    half_pt = max((wide(label.get_text(), size) / 2 for label in axes[-1].get_xticklabels()), default=0.0)
    figures = [wide(label.get_text(), size) for axis in axes for label in axis.get_yticklabels()]
    left_pt = max(half_pt, 8 + max(figures, default=20.0))
    for axis in axes:
        box = axis.get_position()
        width_pt = size.width_pt - left_pt - max(RIGHT_PT, half_pt)
        axis.set_position((left_pt / size.width_pt, box.y0, width_pt / size.width_pt, box.height))


def _move(figure: Any, legend: _Legend, top: float) -> None:
    if legend.drawn is not None:
        legend.drawn.set_bbox_to_anchor((0, top), transform=figure.transFigure)


def _panel(axis: Any, chart: Chart, panel: Panel) -> dict[int, Any]:
    """Gives what was drawn, by the identity of the curve."""
    shown = _shown(chart, panel)
    axis.grid(color=GRID, linewidth=0.6)
    axis.tick_params(colors=SOFT, length=0)
    for name, spine in axis.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(REFERENCE)
    if panel.scale.logarithmic:
        axis.set_yscale("log")
    for band in chart.bands:
        if band.key not in chart.off:
            axis.axvspan(band.low, band.high, color=band.colour, alpha=0.17, linewidth=0)
            for at in {band.low, band.high}:
                axis.axvline(at, color=band.colour, linewidth=0.8, linestyle=DASHES[band.dash])
    lines = [curve for curve in shown if not curve.dots]
    number = {id(curve): place for place, curve in enumerate(lines)}
    artists = {id(curve): _curve(axis, curve, number.get(id(curve), 0), panel.scale.floor) for curve in shown}
    low, high = panel.scale.low, panel.scale.high
    if low is None:
        most = max((y for curve in shown for y in (*curve.y, *curve.high) if y is not None), default=0.0)
        most = max([most, *(rule.value for rule in panel.rules if rule.value < RULE_FITS * most)])
        low, high = 0.0, ROOM * most or 1.0
    axis.set_ylim(low, high)
    if panel.scale.ticks:
        ticks = [tick for tick in panel.scale.ticks if low <= tick[0] <= (high or tick[0])]
        axis.set_yticks([at for at, _ in ticks], [text for _, text in ticks])
        axis.minorticks_off()
    for rule in panel.rules:
        if rule.value <= axis.get_ylim()[1]:
            colour = ALARM if rule.alarm else REFERENCE
            axis.axhline(rule.value, color=colour, linewidth=0.8, linestyle="--" if rule.alarm else "-")
    if panel.diagonal:
        axis.axline((0, 0), slope=1, color=REFERENCE, linewidth=0.7, linestyle=DASHES["dot"])
    return artists


def _shown(chart: Chart, panel: Panel) -> list[Curve]:
    return [curve for curve in panel.curves if curve.key not in chart.off]


def _path(curve: Curve, floor: float | None) -> tuple[list[float], list[float]]:
    """The points, with a gap between one at the floor and one above it."""
    x, y = list(curve.x), [math.nan if value is None else value for value in curve.y]
    gaps = [place for place in range(1, len(y)) if floor is not None and (y[place] <= floor) != (y[place - 1] <= floor)]
    for place in reversed(gaps if not curve.dots else []):
        x.insert(place, x[place])
        y.insert(place, math.nan)
    return x, y


def _curve(axis: Any, curve: Curve, number: int, floor: float | None) -> Any:
    x, y = _path(curve, floor)
    if curve.dots:
        looks = {"linestyle": "", "zorder": 3, **marks(curve.symbol, curve.colour, is_open=curve.is_open)}
    else:
        looks = {"markevery": (MARKS_APART * (0.1 + number * 0.618 % 1), MARKS_APART), "zorder": 2, **line(curve)}
    (drawn,) = axis.plot(x, y, **looks)
    if curve.low:
        axis.vlines(curve.x, curve.low, curve.high, color=curve.colour, linewidth=0.7)
    if curve.left:
        axis.hlines(curve.y, curve.left, curve.right, color=curve.colour, linewidth=0.7)
    return drawn


def _across(axis: Any, chart: Chart, size: PictureSize, *, is_last: bool) -> None:
    if is_last:
        axis.set_xlabel(harmless(chart.x_title), color=SOFT)
    axis.tick_params(labelbottom=is_last)
    if chart.categories:
        names = [harmless(name) for name in chart.categories]
        step = math.ceil(len(names) * (4 + max(wide(name, size) for name in names)) / (0.8 * size.width_pt))
        axis.set_xticks(range(0, len(names), step), names[::step])
        axis.set_xlim(-0.4, len(chart.categories) - 0.6)
        return
    curves = [curve for panel in chart.panels for curve in _shown(chart, panel) if curve.x]
    ends = [band.high for band in chart.bands if band.key not in chart.off]
    most = max([*ends, *(x for curve in curves for x in (curve.x[-1], *curve.right))], default=1.0)
    least = min((x for curve in curves for x in (curve.x[0], *curve.left)), default=0.0)
    low = least if chart.x_low is None else chart.x_low
    high = most if chart.x_high is None else chart.x_high
    axis.set_xlim(low, high + 0.02 * (high - low or 1.0))


def _handle(entry: LegendEntry, name: str) -> Any:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    style = "" if entry.is_dots else DASHES[entry.dash]
    looks = marks(entry.symbol, entry.colour, is_open=entry.is_open) if entry.is_dots or entry.symbol != "dot" else {}
    return Line2D([], [], color=entry.colour, linestyle=style, linewidth=1.4, label=name, **looks)


def _place_of(entries: Sequence[LegendEntry], line: Curve | Rule) -> tuple[float, int]:
    """Place in the legend of a panel: curves by their right end, the highest first, of one height as in the legend of
    the chart; then levels."""
    if isinstance(line, Rule):
        return math.inf, 0
    return -(line.end or 0.0), next((place for place, one in enumerate(entries) if one.of == line.of), len(entries))


def _entry(line: Curve | Rule) -> LegendEntry:
    """The legend entry of a curve or level that is not named in its panel."""
    if isinstance(line, Rule):
        colour = ALARM if line.alarm else REFERENCE
        return LegendEntry("", line.name, colour, "dash" if line.alarm else "solid", "dot", on=True, of="")
    return LegendEntry(
        "", line.name, line.colour, line.dash, line.symbol, on=True, of=line.of, is_open=line.is_open, is_dots=line.dots
    )


def _keys(chart: Chart) -> list[LegendEntry]:
    """Kinds of marks that have a word."""
    shown = (curve for panel in chart.panels if not panel.folded for curve in _shown(chart, panel))
    found = {curve.key_mark: curve for curve in shown if curve.key_mark}
    return [
        LegendEntry("", name, SOFT, "solid", curve.symbol, on=True, of="", is_open=curve.is_open, is_dots=True)
        for name, curve in found.items()
    ]
