"""Charts as PNG and SVG files, drawn by matplotlib (extra `images`) in the page's colours and words: no browser."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wirespeed.charts.chart import Chart, Curve, Panel
from wirespeed.charts.colours import ALARM, REFERENCE
from wirespeed.errors import EnvironmentFault, FileFault
from wirespeed.files import write_atomically
from wirespeed.pages.words import harmless

FORMATS = ("png", "svg")
WIDTH_PX, LEGEND_ROW_PX, FOOT_PX, GAP_PX, DPI = 1000, 22, 60, 46, 100
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "wirespeed", "font.size": 9, "text.parse_math": False}
LABELLED = 4
"""While there are no more curves, names stand at their ends."""
INK, SOFT, GRID = "#1c2430", "#4d5765", "#dfe3e8"
DASHES: Mapping[str, Any] = {
    "solid": "-",
    "dash": (0, (3.5, 2)),
    "dot": (0, (1, 1.5)),
    "dashdot": (0, (3.5, 1.5, 1, 1.5)),
    "longdash": (0, (6, 2)),
}
SYMBOLS: Mapping[str, str] = {
    "dot": "o",
    "circle": "o",
    "cross": "x",
    "diamond": "D",
    "open-diamond": "D",
    "triangle": "^",
    "square": "s",
    "bar": "_",
}
FILLED = frozenset({"dot", "diamond", "triangle"})


def write_images(charts: Sequence[Chart], folder: Path) -> list[Path]:
    """Two files a chart; the folder is made. EnvironmentFault without matplotlib, FileFault where a file cannot be
    written."""
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
    with mpl.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "wirespeed", "font.size": 9, "text.parse_math": False}
    ):
        for stem, chart in zip(stems(charts), charts, strict=True):
            for suffix, data in zip(FORMATS, _drawn(chart), strict=True):
                path = folder / f"{stem}.{suffix}"
                write_atomically(path, data, "picture")
                written.append(path)
    return written


def stems(charts: Iterable[Chart]) -> Iterator[str]:
    """What the files of charts are called: what kind it is and of what, such as `load-bench-size-64`; equal ones are
    numbered."""
    seen: Counter[str] = Counter()
    for chart in charts:
        kind = re.sub(r"-\d+", "", chart.identity)
        of = re.sub(r"[^\w.]+", "-", chart.sentence.partition(":")[0]).strip("-.")[:120]
        stem = f"{kind}-{of}" if of else kind
        seen[stem] += 1
        yield stem if seen[stem] == 1 else f"{stem}-{seen[stem]}"


def _drawn(chart: Chart) -> list[bytes]:
    from matplotlib.figure import Figure  # noqa: PLC0415

    entries = [entry for entry in chart.legend if entry.on]
    rows = 1 + sum(6 + len(entry.name) for entry in entries) // 150
    heights = [panel.height_px for panel in chart.panels]
    inner_px = sum(heights) + GAP_PX * (len(heights) - 1)
    top_px = GAP_PX + LEGEND_ROW_PX * rows
    height_px = top_px + inner_px + FOOT_PX
    figure = Figure(figsize=(WIDTH_PX / DPI, height_px / DPI), dpi=DPI)
    grid = figure.add_gridspec(
        len(heights),
        1,
        height_ratios=heights,
        hspace=GAP_PX / (sum(heights) / len(heights)),
        left=0.08,
        right=0.98,
        top=1 - top_px / height_px,
        bottom=FOOT_PX / height_px,
    )
    axes: list[Any] = []
    for number, panel in enumerate(chart.panels):
        axis = figure.add_subplot(grid[number], sharex=axes[0] if axes else None)
        _panel(axis, chart, panel, is_first=number == 0)
        axis.tick_params(labelbottom=number == len(heights) - 1)
        axes.append(axis)
    _across(axes[-1], chart)
    if entries:
        handles = [_handle(entry.colour, entry.dash, entry.symbol, harmless(entry.name)) for entry in entries]
        figure.legend(handles=handles, loc="upper left", ncols=max(1, -(-len(entries) // rows)), frameon=False)
    files = []
    for suffix in FORMATS:
        data = io.BytesIO()
        figure.savefig(data, format=suffix, metadata={"Date": None} if suffix == "svg" else None)
        files.append(data.getvalue())
    return files


def _panel(axis: Any, chart: Chart, panel: Panel, *, is_first: bool) -> None:
    shown = [curve for curve in panel.curves if curve.key not in chart.off]
    axis.set_title(harmless(panel.title), loc="left", fontsize=9, fontweight="bold", color=INK)
    axis.grid(color=GRID, linewidth=0.8)
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
                axis.axvline(at, color=band.colour, linewidth=1.2, linestyle=DASHES[band.dash])
    for curve in shown:
        _curve(axis, curve)
    lines = [curve for curve in shown if not curve.dots]
    if len(lines) <= LABELLED:
        _words(axis, shown, lines if is_first else [])
    low, high = panel.scale.low, panel.scale.high
    axis.set_ylim(0.0 if low is None else low, high)
    if panel.scale.ticks:
        ticks = [tick for tick in panel.scale.ticks if low is None or low <= tick[0] <= (high or tick[0])]
        axis.set_yticks([at for at, _ in ticks], [text for _, text in ticks])
        axis.minorticks_off()
    for rule in panel.rules:
        colour = ALARM if rule.alarm else REFERENCE
        axis.axhline(rule.value, color=colour, linewidth=1, linestyle="--" if rule.alarm else "-")
        place = {"xy": (1, rule.value), "xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        axis.annotate(harmless(rule.name), xytext=(-3, 3), ha="right", fontsize=8, color=colour, **place)
    if panel.diagonal:
        axis.axline((0, 0), slope=1, color=REFERENCE, linewidth=0.9, linestyle=DASHES["dot"])
        if low is None:
            top = max((y for curve in shown for y in curve.y if y is not None), default=1.0)
            axis.set_ylim(0, 1.08 * max([top, *(rule.value for rule in panel.rules if rule.value < 4 * top)]))


def _curve(axis: Any, curve: Curve) -> None:
    y = [float("nan") if value is None else value for value in curve.y]
    fill = curve.colour if curve.symbol in FILLED else "none"
    if curve.dots:
        marker = SYMBOLS[curve.symbol]
        colours = {"color": curve.colour} if marker in "x_" else {"facecolors": fill, "edgecolors": curve.colour}
        axis.scatter(curve.x, y, marker=marker, s=26 if curve.symbol != "dot" else 12, zorder=3, **colours)
    else:
        axis.plot(curve.x, y, color=curve.colour, linewidth=curve.width * 0.8, linestyle=DASHES[curve.dash], zorder=2)
    if curve.low:
        axis.vlines(curve.x, curve.low, curve.high, color=curve.colour, linewidth=0.9)
    if curve.left:
        axis.hlines(y, curve.left, curve.right, color=curve.colour, linewidth=0.9)


def _words(axis: Any, shown: Sequence[Curve], lines: Sequence[Curve]) -> None:
    """Beside marks, and at the ends of curves."""
    for curve in shown:
        if curve.note:
            place = {"xy": (curve.x[0], curve.y[0]), "xytext": (7, -11), "textcoords": "offset points"}
            axis.annotate(harmless(curve.note), fontsize=8, color=INK, **place)
    taken: Counter[int] = Counter()
    for curve in lines:
        known = [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if y is not None]
        if curve.key and known:
            at = round(known[-1][1] * 8 / (max(y for _, y in known) or 1.0))
            taken[at] += 1
            place = {"xy": known[-1], "xytext": (-2, -5 + 11 * taken[at]), "textcoords": "offset points"}
            axis.annotate(harmless(curve.name), ha="right", fontsize=8, color=INK, **place)


def _across(axis: Any, chart: Chart) -> None:
    axis.set_xlabel(harmless(chart.x_title), color=SOFT)
    if chart.categories:
        axis.set_xticks(range(len(chart.categories)), [harmless(name) for name in chart.categories])
        axis.set_xlim(-0.4, len(chart.categories) - 0.6)
        return
    if chart.x_low is not None:
        axis.set_xlim(left=chart.x_low)
    if chart.x_high is not None:
        axis.set_xlim(right=chart.x_high * 1.02)


def _handle(colour: str, dash: str, symbol: str | None, name: str) -> Any:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    if symbol is None:
        return Line2D([], [], color=colour, linestyle=DASHES[dash], label=name)
    face = colour if symbol in FILLED else "none"
    return Line2D([], [], color=colour, linestyle="", marker=SYMBOLS[symbol], markerfacecolor=face, label=name)
