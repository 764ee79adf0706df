"""`wirespeed ctl stats`: what a running router counts, read from its statistics segment and not asked of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.options import seconds

if TYPE_CHECKING:
    from wirespeed.statseg.reading import StatsReading, Value
    from wirespeed.statseg.segment import StatsSegment

HELP = "Read the counters of a router, wirespeed's or VPP, from its shared memory."

_Patterns = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATTERN...]", help="Regular expressions to find in names. Default: all counters."),
]
_File = Annotated[
    Path | None,
    typer.Option(
        "-f",
        "--file",
        metavar="PATH",
        help="Statistics file, or a stats.sock of a wirespeed router or VPP.",
        show_default="the router's",
    ),
]

_Socket = Annotated[
    Path | None,
    typer.Option(
        "-s", "--socket", metavar="PATH", help="Control socket of the router.", show_default="that of `router`"
    ),
]


def ls(patterns: _Patterns = None, *, socket: _Socket = None, file: _File = None) -> None:
    """List the names of counters."""
    with _segment(socket, file) as segment:
        for name in segment.names(patterns or []):
            print(name)


def dump(
    patterns: _Patterns = None,
    *,
    socket: _Socket = None,
    file: _File = None,
    workers: Annotated[
        bool, typer.Option("-w", "--workers", help="Show the value of each thread, the main thread first.")
    ] = False,
    nonzero: Annotated[bool, typer.Option("--nonzero", help="Leave out counters that are 0.")] = False,
) -> None:
    """Print the values of counters once."""
    with _segment(socket, file) as segment:
        for line in dump_lines(segment.read(patterns or []), threads=workers, nonzero=nonzero):
            print(line)


def poll(
    patterns: _Patterns = None,
    *,
    socket: _Socket = None,
    file: _File = None,
    interval: Annotated[
        float,
        typer.Option("-i", "--interval", parser=seconds, metavar="TIME", help="Time between polls.", show_default="1s"),
    ] = 1.0,
    count: Annotated[
        int, typer.Option("-n", "--count", metavar="N", help="Number of polls; 0: until interrupted.")
    ] = 0,
) -> None:
    """Print which counters change, and how fast."""
    from wirespeed.errors import UsageError  # noqa: PLC0415 - a command starts fast

    if not 0.01 <= interval <= 3600 or count < 0:
        raise UsageError("give --interval from 0.01 to 3600 seconds, and --count from 0 up")
    with _segment(socket, file) as segment:
        for line in _poll(segment, patterns or [], interval, count):
            print(line, flush=True)


VERBS = {"ls": ls, "dump": dump, "poll": poll}


def _segment(socket: Path | None, file: Path | None) -> StatsSegment:
    from wirespeed.router.protocol import default_socket  # noqa: PLC0415 - a command starts fast
    from wirespeed.router.stats_file import default_stats_file  # noqa: PLC0415
    from wirespeed.statseg.segment import StatsSegment  # noqa: PLC0415

    return StatsSegment(file or default_stats_file(socket or default_socket()))


def dump_lines(readings: dict[str, StatsReading], *, threads: bool, nonzero: bool) -> Iterator[str]:
    """`1234 /sys/rx`, `12 packets, 720 bytes /interfaces/e0/rx`; of vectors by index `[2] 1234 /if/ip4`, and of each
    thread by index and thread `[0 @ 1] 1234 /sys/rx`, as VPP's own tool has them."""
    for reading in readings.values():
        for index, text in enumerate(reading.texts):
            if text:
                yield f"[{index}] {text} {reading.name}"
        if threads and len(reading.rows) > 1:
            for thread, row in enumerate(reading.rows):
                for index, value in enumerate(row):
                    if any(value) or not nonzero:
                        yield f"[{index} @ {thread}] {_value(value)} {reading.name}"
            continue
        for label, value in _columns(reading):
            if any(value) or not nonzero:
                yield f"{label}{_value(value)} {reading.name}"


def change_lines(before: dict[str, StatsReading], now: dict[str, StatsReading], seconds: float) -> Iterator[str]:
    """Lines for changed counters: `1234 +100 50.0/s /sys/rx`. A new counter, or one that was reset, counts from 0."""
    for name, reading in now.items():
        old = before.get(name)
        old_values = dict(_columns(old)) if old is not None else {}
        for label, (value, *_) in _columns(reading):
            old_value = old_values.get(label, (0,))[0]
            if reading.is_gauge:
                if value != old_value:
                    yield f"{label}{value} {value - old_value:+} {name}"
                continue
            grown = value - old_value if value >= old_value else value
            if grown:
                yield f"{label}{value} +{grown} {grown / seconds:.1f}/s {name}"


def _columns(reading: StatsReading) -> Iterator[tuple[str, Value]]:
    """Sums over the threads, with the index if a counter has several values. A histogram becomes cumulative counts; its
    first word is the exponent of the smallest bin."""
    columns = reading.columns
    if reading.is_histogram:
        exponent = reading.rows[0][0][0] if columns else 0
        for index, value in enumerate(columns[1:]):
            yield f"[<= {1 << (exponent + index)}] ", value
        return
    for index, value in enumerate(columns):
        yield (f"[{index}] " if len(columns) > 1 else ""), value


def _poll(segment: StatsSegment, patterns: list[str], interval_s: float, count: int) -> Iterator[str]:
    before, started, read_at = segment.read(patterns), segment.started_ns, time.monotonic()
    done = 0
    while not count or done < count:
        time.sleep(interval_s)
        now, now_at = segment.read(patterns), time.monotonic()
        if segment.started_ns != started:
            yield "-- the router was restarted"
            before, started = {}, segment.started_ns
        yield f"-- {now_at - read_at:.3f} s"
        yield from change_lines(before, now, now_at - read_at)
        before, read_at = now, now_at
        done += 1


def _value(value: Value) -> str:
    return f"{value[0]} packets, {value[1]} bytes" if len(value) == 2 else str(value[0])
