"""Pictures of dashboards, drawn from Prometheus's answers to their queries, without Grafana.

Queries, units, scales, stacking and places of panels are those of the dashboard's file. Colours, legends and text are
not Grafana's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import EngFormatter, FuncFormatter
from PIL import Image

from telemetry.rehearsal.queries import BoardFile, PanelFile, Target, filled
from telemetry.rehearsal.server import Prometheus, Series

_COLUMN_IN, _ROW_IN = 0.56, 0.37
_LEGEND_MOST = 12
"""Number of curves that a legend names: those with the highest last values."""
_COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"),
    *("#8C6D1F", "#4D4D4D", "#7A68C9", "#A3B34C", "#A65E2E", "#2F8F8F"),
)
_BANDS = {"Tests": "#E69F00", "Phases": "#0072B2"}


@dataclass(frozen=True)
class Times:
    """Seconds since 1970; `window_s` is the range of rates."""

    start_s: float
    end_s: float
    step_s: float
    window_s: float

    def ask(self, server: Prometheus, expr: str) -> list[Series]:
        return server.query_range(filled(expr, self.window_s), self.start_s, self.end_s, self.step_s)


def draw(board: BoardFile, server: Prometheus, times: Times, to: Path) -> None:
    """Write the picture of `board` to `to`."""
    lowest = max(panel.place[1] + panel.place[3] for panel in board.panels)
    width_in, height_in = 24 * _COLUMN_IN, lowest * _ROW_IN + 0.5
    figure = plt.figure(figsize=(width_in, height_in), facecolor="white")
    figure.text(0.01, 1 - 0.28 / height_in, board.title, fontsize=16, weight="bold", va="center")

    def top(y: float) -> float:
        return 1 - (0.5 + y * _ROW_IN) / height_in

    for title, y in board.rows.items():
        figure.text(0.01, top(y + 0.6), f"▾ {title}", fontsize=12, weight="bold", color="#444", va="center")
    bands = {
        str(each["name"]): [(each["titleFormat"], series) for series in times.ask(server, each["expr"])]
        for each in board.annotations
    }
    for panel in board.panels:
        x, y, w, h = panel.place
        left, right = (x + 1.4) / 24, (x + w - 0.35) / 24
        legend_rows = 0.0 if panel.kind != "timeseries" else 1.9
        bottom_y, top_y = y + h - 0.9 - legend_rows, y + 1.0
        axes = figure.add_axes((left, top(bottom_y), right - left, top(top_y) - top(bottom_y)))
        axes.set_title(panel.title, fontsize=10.5, weight="bold", loc="left", pad=5)
        _KINDS[panel.kind](axes, panel, [(t, times.ask(server, t.expr)) for t in panel.targets], times)
        if panel.kind != "stat":
            _time_axis(axes, times)
            _draw_bands(axes, bands, times)
    figure.savefig(to, dpi=76)
    plt.close(figure)
    with Image.open(to) as picture:
        # 256 colours: a third of the size. This method keeps the colours of thin curves.
        few = picture.convert("RGB").quantize(method=Image.Quantize.FASTOCTREE)
    few.save(to, optimize=True)


def name_of(target: Target, series: Series) -> str:
    """Text of the legend: `{{label}}` is replaced by the value of the label."""
    text = target.legend
    for label in target.legend_labels:
        text = text.replace("{{" + label + "}}", series.labels.get(label, ""))
    return text


_Answers = Sequence[tuple[Target, list[Series]]]


def _curves(axes: Any, panel: PanelFile, answers: _Answers, times: Times) -> None:
    named = [(name_of(target, series), series) for target, found in answers for series in found]
    named.sort(key=lambda each: -max((v for v in each[1].values if math.isfinite(v)), default=0))
    if not named:
        axes.text(0.5, 0.5, "no data", color="#888", fontsize=9, ha="center", transform=axes.transAxes)
        return
    if panel.stacked:
        _stack(axes, named, times)
    else:
        for index, (name, series) in enumerate(named):
            xs = [at - times.start_s for at, _ in series.points]
            label = name if index < _LEGEND_MOST else "_"
            axes.plot(xs, series.values, lw=1, color=_COLOURS[index % len(_COLOURS)], label=label)
    longest = max(len(name) for name, _ in named[:_LEGEND_MOST])
    highest = max((value for _, series in named for value in series.values if math.isfinite(value)), default=0)
    if panel.log:
        axes.set_yscale("log")
    elif not highest:
        axes.set_ylim(0, 1)
    else:
        axes.set_ylim(panel.least, panel.most if panel.most != 256 else None)
    axes.yaxis.set_major_formatter(_formatter(panel.unit))
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(-0.02, -0.12),
        ncols=4 if longest <= 21 else 3 if longest <= 28 else 2,
        fontsize=7.5,
        frameon=False,
        columnspacing=1,
        handlelength=1.2,
        borderaxespad=0,
    )


def _stack(axes: Any, named: Sequence[tuple[str, Series]], times: Times) -> None:
    xs = sorted({at for _, series in named for at, _ in series.points})
    rows = [[dict(series.points).get(at, 0.0) for at in xs] for _, series in named]
    shown = [at - times.start_s for at in xs]
    colours = [_COLOURS[index % len(_COLOURS)] for index in range(len(rows))]
    labels = [name if index < _LEGEND_MOST else "_" for index, (name, _) in enumerate(named)]
    axes.stackplot(shown, rows, labels=labels, colors=colours, alpha=0.75)


def _heat(axes: Any, panel: PanelFile, answers: _Answers, times: Times) -> None:
    """Cells of a heat map: the difference between each cumulative bucket (by `le`) and the one below it."""
    found = sorted(answers[0][1], key=lambda series: float(series.labels["le"]))
    finite = [series for series in found if math.isfinite(float(series.labels["le"]))]
    xs = sorted({at for series in finite for at, _ in series.points})
    rows, below = [], dict.fromkeys(xs, 0.0)
    for series in finite:
        here = {**dict.fromkeys(xs, 0.0), **dict(series.points)}
        rows.append([max(0.0, here[at] - below[at]) or math.nan for at in xs])
        below = here
    used = [index for index, row in enumerate(rows) if not all(map(math.isnan, row))]
    if used:
        first, last = max(0, used[0] - 1), used[-1] + 1
        tops = [float(series.labels["le"]) for series in finite[first:last]]
        edges = [tops[0] / 2, *tops] if tops[0] > 0 else [tops[0] - 1, *tops]
        grid = [[value**0.5 for value in row] for row in rows[first:last]]
        axes.pcolormesh(
            [at - times.start_s - times.step_s / 2 for at in [*xs, xs[-1] + times.step_s]], edges, grid, cmap="viridis"
        )
        if edges[0] > 0:
            axes.set_yscale("log")
    axes.yaxis.set_major_formatter(_formatter(panel.unit))


def _number(axes: Any, panel: PanelFile, answers: _Answers, _times: Times) -> None:
    axes.axis("off")
    form = _formatter(panel.unit)
    shown = [(name_of(target, series), series) for target, found in answers for series in found]
    for index, (name, series) in enumerate(shown[:3]):
        x = (index + 0.5) / min(3, len(shown))
        axes.text(
            x, 0.55, form(float(f"{series.last:.3g}")), fontsize=19, ha="center", va="center", transform=axes.transAxes
        )
        axes.text(x, 0.1, name, fontsize=8, color="#666", ha="center", va="center", transform=axes.transAxes)


_KINDS: Mapping[str, Callable[[Any, PanelFile, _Answers, Times], None]] = {
    "timeseries": _curves,
    "heatmap": _heat,
    "stat": _number,
}


def _formatter(unit: str) -> Callable[[float], str]:
    words = {"pps": "pps", "bps": "b/s", "s": "s", "hertz": "Hz", "bytes": "B", "watt": "W", "celsius": "°C"}
    if unit == "percentunit":
        return FuncFormatter(lambda value, _: f"{100 * value:.3g}\N{THIN SPACE}%")
    return EngFormatter(unit=words.get(unit, ""), sep="\N{THIN SPACE}" if unit in words else "")


def _time_axis(axes: Any, times: Times) -> None:
    axes.set_xlim(0, times.end_s - times.start_s)
    axes.tick_params(labelsize=8)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} s"))
    axes.grid(True, lw=0.4, color="#ddd")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


_HEIGHTS = (0.985, 0.88)


def _draw_bands(axes: Any, bands: Mapping[str, Sequence[tuple[str, Series]]], times: Times) -> None:
    """Draw each period of a series without a gap as a band, with its text above the axis (tests) or in it (phases)."""
    for kind, found in bands.items():
        colour = _BANDS.get(kind, "#888")
        stretches = sorted(
            (begin - times.start_s, end - times.start_s, _text(title, series))
            for title, series in found
            for begin, end in _stretches(series, times.step_s)
        )
        for number, (begin, end, text) in enumerate(stretches):
            axes.axvspan(begin, end, color=colour, alpha=0.07, lw=0)
            axes.axvline(begin, color=colour, lw=0.7, ls="--")
            # Texts of phases alternate between two lines, since phases may be short.
            within = (begin, _HEIGHTS[number % 2], "left", "top")
            x, y, ha, va = (end, 1.015, "right", "bottom") if kind == "Tests" else within
            axes.text(x, y, text, fontsize=7.5, color=colour, ha=ha, va=va, transform=axes.get_xaxis_transform())


def _text(title: str, series: Series) -> str:
    for label, value in series.labels.items():
        title = title.replace("{{" + label + "}}", value)
    return title


def _stretches(series: Series, step_s: float) -> list[tuple[float, float]]:
    out: list[tuple[float, float]] = []
    for at, value in series.points:
        if not value:
            continue
        if out and at - out[-1][1] <= 1.5 * step_s:
            out[-1] = (out[-1][0], at)
        else:
            out.append((at, at))
    return out
