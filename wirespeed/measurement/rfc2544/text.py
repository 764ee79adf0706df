"""The report of RFC 2544: a table a test with what each section demands beside it, and all of it as a block of text
that can be pasted (Markdown, aligned to be read as it is). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.measurement.rfc2544.result import (
    APPLICABILITY,
    BackToBackRow,
    FrameLossRow,
    LatencyRow,
    RecoveryRow,
    ResetRow,
    Rfc2544Result,
    Test,
    ThroughputRow,
)
from wirespeed.measurement.verdicts import LIMITED_BY
from wirespeed.results.figures import NOTHING, percent_text
from wirespeed.results.verdict import LIMITS

Cells = Sequence[str]
Grid = tuple[Cells, Sequence[Cells]]
"""The head of a table and its rows."""

TITLES: dict[Test, str] = {
    "throughput": "Throughput",
    "latency": "Latency",
    "frame-loss": "Frame loss rate",
    "back-to-back": "Back-to-back frames",
    "recovery": "System recovery",
    "reset": "Reset",
}

LATENCY_DEFINITION = (
    "Latency is from before a frame is given to the sending port's driver to after the receiving port's driver gave it "
    "over: the frame's own time on the line, the medium and the tester's loop (floor) are in it, which RFC 1242's "
    "definition for store-and-forward devices leaves out."
)


def text_block(result: Rfc2544Result) -> str:
    """Everything, tests without a row left out."""
    return "\n\n".join(["\n".join(_head(result)), *map(_written, sections(result)), APPLICABILITY]) + "\n"


def _head(result: Rfc2544Result) -> Iterator[str]:
    method, ways = result.method, "both directions at once" if result.is_bidirectional else "one direction"
    device = " ".join(filter(None, (result.dut.name, result.dut.version))) or "not described"
    yield f"# RFC 2544: {result.name}"
    yield ""
    yield f"- DUT: {device}"
    yield f"- Tester: {result.versions.get('generator', 'unknown')}, wirespeed {result.versions.get('wirespeed', '?')}"
    media = ", ".join(
        f"port {port.index} {port.driver or 'unknown'} {_speed(port.speed_bps)}" for port in result.ports.values()
    )
    yield f"- Media: {media}"
    yield f"- Protocol: {method.protocol}; {method.stream_format}"
    directions = ", ".join(map(str, result.directions))
    yield f"- Load: {ways} ({directions}), equal; rates are frames per second of each, sizes are with FCS"
    waits = f"{method.learning_s:g} s after learning, {method.residual_s:g} s residual, {method.restabilise_s:g} s rest"
    yield f"- Trials: {method.trial_s:g} s; waits: {waits}; search resolution {method.resolution * 100:g} %"
    if method.common_exceptions:
        yield f"- In all tests not as the RFC has it: {'; '.join(method.common_exceptions)}"
    if result.ending.started:
        yield f"- Begun {result.ending.started}, {len(result.trials)} trials in {result.spent_s:.0f} s"
    if result.ending.reason:
        yield f"- Not ended as planned: {result.ending.reason}"
    yield from (f"- Note: {note}" for note in result.ending.notes if note != APPLICABILITY)


def _speed(speed_bps: float | None) -> str:
    return "without a line speed" if speed_bps is None else f"{speed_bps / 1e9:g} Gb/s"


@dataclass(frozen=True)
class ReportSection:
    """One test as a report has it: its table, remarks on single rows, and the sentences that go with it, of which the
    last says how far it conforms."""

    test: Test
    title: str
    head: Cells
    rows: Sequence[Cells]
    remarks: tuple[str, ...]
    sentences: tuple[str, ...]


def sections(result: Rfc2544Result) -> tuple[ReportSection, ...]:
    """Sections of the tests that have a row, in the order of the request."""
    grids: dict[Test, Grid] = {
        "throughput": _throughput(result.throughput),
        "latency": _latency(result.latency),
        "frame-loss": _frame_loss(result.frame_loss),
        "back-to-back": _back_to_back(result.back_to_back),
        "recovery": _recovery(result.recovery),
        "reset": _reset(result.reset),
    }
    return tuple(
        ReportSection(test, TITLES[test], *grids[test], _remarks(result, test), tuple(_said(result, test)))
        for test in result.method.tests
        if result.rows(test)
    )


def _remarks(result: Rfc2544Result, test: Test) -> tuple[str, ...]:
    said = [(row.frame, getattr(row, "skipped", "") or row.irregular) for row in result.rows(test)]
    return tuple(dict.fromkeys(f"{frame}: {why}" for frame, why in said if why))


def _written(section: ReportSection) -> str:
    parts = [f"## {section.title}", "", *table(section.head, section.rows)]
    parts += ["", *(f"- {remark}" for remark in section.remarks)] if section.remarks else []
    return "\n".join([*parts, "", *section.sentences])


def _said(result: Rfc2544Result, test: Test) -> Iterator[str]:
    method = result.method
    match test:
        case "throughput" if (row := _single(result.throughput)) is not None:
            yield (
                f"As a single number: {_least(row)}{_whole(row.throughput_pps)} frames/s of {row.frame} bytes, of a "
                f"theoretical {_whole(row.line_pps)}, {method.protocol}."
            )
        case "latency":
            yield LATENCY_DEFINITION
            yield f"A repeat: {2 * method.trial_s:g} s, {method.latency_pps:g} tagged frames per second."
        case "back-to-back":
            yield (
                f"{method.burst_repeats} binary searches a size over bursts of up to {method.burst_most_s:g} s at line "
                f"rate, to {method.resolution * 100:g} %; a burst that lost was repeated {method.burst_verify} "
                "time(s) before it counted. Corrected = mean / line rate x (1 - throughput / line rate)."
            )
        case "recovery":
            yield (
                f"Overload of {method.trial_s:g} s, then half of it; the mean of {method.recovery_repeats} repeats, "
                "from the cut until no frame more was lost, a queue that was still long included."
            )
        case "reset":
            yield f"Frames lost over their rate, at the throughput; the mean of {method.reset_repeats} repeats."
        case _:
            pass
    above = ", and except as is said of all tests above" if method.common_exceptions else ""
    yield f"Conformance: {method.conformance(test, all_of_them=False)}{above}."


def _single(rows: Sequence[ThroughputRow]) -> ThroughputRow | None:
    """Section 26.1: the value of the smallest size, if one number is to stand for all."""
    known = [row for row in rows if row.throughput_pps is not None]
    return min(known, key=lambda row: row.frame_bytes, default=None)


def _least(row: ThroughputRow) -> str:
    """A lower bound, if tester or host ended the search."""
    return "≥ " if row.is_at_least else ""


def _throughput(rows: Sequence[ThroughputRow]) -> Grid:
    return (
        ("frame size", "theoretical fps", "throughput fps", "% of line", "next to fail fps", "limit", "trials"),
        [
            (
                row.frame,
                _whole(row.line_pps),
                _least(row) + _whole(row.throughput_pps),
                percent_text(row.line_percent),
                _whole(row.upper_pps),
                LIMITS[LIMITED_BY[row.limit]],
                str(row.trials),
            )
            for row in rows
        ],
    )


def _latency(rows: Sequence[LatencyRow]) -> Grid:
    head = (
        "frame size",
        "direction",
        "load fps",
        "repeats",
        "mean us",
        "stdev us",
        "min us",
        "max us",
        "floor us",
        "tagged (lost)",
    )
    found = []
    for row in rows:
        spread = row.spread_us
        mean, deviation, count = (None, None, 0) if spread is None else (spread.mean, spread.stdev, spread.count)
        times = [_decimal(value) for value in (mean, deviation, row.least_us, row.most_us, row.baseline_us)]
        found.append(
            (row.frame, row.direction, _whole(row.load_pps), str(count), *times, f"{row.tagged} ({row.tagged_lost})")
        )
    return head, found


def _frame_loss(rows: Sequence[FrameLossRow]) -> Grid:
    return (
        ("frame size", "input % of line", "offered fps", "offered %", "loss %", "remark"),
        [
            (
                row.frame,
                f"{point.intended_percent:g}",
                _whole(point.offered_pps),
                percent_text(point.offered_percent),
                _percent(point.loss_percent),
                point.irregular,
            )
            for row in rows
            for point in row.points
        ],
    )


def _back_to_back(rows: Sequence[BackToBackRow]) -> Grid:
    lengths = ("frame size", "mean frames", "min", "max", "stdev", "searches")
    head = (*lengths, "implied ms", "corrected ms", "throughput fps", "line fps")
    found = []
    for row in rows:
        spread = row.spread
        four = (NOTHING,) * 4
        if spread is not None:
            four = (_whole(spread.mean), _whole(spread.least), _whole(spread.most), _whole(spread.stdev))
        times = [NOTHING if value is None else f"{value * 1e3:.3f}" for value in (row.implied_s, row.corrected_s)]
        rates = (_whole(row.throughput_pps), _whole(row.line_pps))
        found.append((row.frame, *four, str(len(row.lengths)), *times, *rates))
    return head, found


def _recovery(rows: Sequence[RecoveryRow]) -> Grid:
    head = (
        "frame size",
        "throughput fps",
        "overload fps",
        "reduced fps",
        "mean ms",
        "min ms",
        "max ms",
        "resolution ms",
    )
    found = []
    for row in rows:
        spread = row.spread_s
        times = (None, None, None) if spread is None else (spread.mean, spread.least, spread.most)
        loads = (row.throughput_pps, row.overload_pps, row.reduced_pps)
        found.append((row.frame, *map(_whole, loads), *(_ms(value) for value in (*times, row.resolution_s))))
    return head, found


def _reset(rows: Sequence[ResetRow]) -> Grid:
    found = []
    for row in rows:
        spread = row.spread_s
        times = (None, None, None) if spread is None else (spread.mean, spread.least, spread.most)
        mean_lost = sum(row.lost) / len(row.lost) if row.lost else None
        cells = [NOTHING if value is None else f"{value:.3f}" for value in times]
        found.append((row.frame, row.kind, _whole(row.load_pps), *cells, _whole(mean_lost)))
    return ("frame size", "reset", "load fps", "mean s", "min s", "max s", "mean frames lost"), found


def table(head: Cells, rows: Sequence[Cells]) -> list[str]:
    """A Markdown table whose columns stand below each other."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]

    def drawn(line: Cells) -> str:
        return "| " + " | ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) + " |"

    return [drawn(head), "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|", *map(drawn, rows)]


def _whole(value: float | None) -> str:
    """Frames, rounded down: a rate that was not reached is not claimed."""
    return NOTHING if value is None else f"{int(value + 1e-6):,}".replace(",", " ")


def _decimal(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def _ms(seconds: float | None) -> str:
    return NOTHING if seconds is None else f"{seconds * 1e3:.1f}"


def _percent(percent: float) -> str:
    """A loss is never shown as none."""
    return "0" if percent == 0 else f"{percent:.3f}" if percent >= 0.001 else "< 0.001"
