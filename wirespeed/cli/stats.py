"""`wirespeed stats`: what a running router counts, read from its statistics block and not asked of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from wirespeed.router.stats_block import Reading, StatsBlock


def command(
    what: Annotated[
        Literal["ls", "dump", "poll"],
        typer.Argument(help="ls: the names; dump: the values; poll: what changes, and how fast."),
    ],
    patterns: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATTERN...]", help="Regular expressions found in the names; else all."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("-f", "--file", metavar="PATH", help="Statistics file.", show_default="the router's")
    ] = None,
    interval: Annotated[float, typer.Option("-i", "--interval", metavar="S", help="Seconds between polls.")] = 1.0,
    count: Annotated[int, typer.Option("-n", "--count", metavar="N", help="Polls; 0: until interrupted.")] = 0,
    *,
    workers: Annotated[bool, typer.Option("-w", "--workers", help="Each worker's own value.")] = False,
    nonzero: Annotated[bool, typer.Option("--nonzero", help="Leave out what is zero.")] = False,
) -> None:
    """Read a router's counters from its shared memory."""
    from wirespeed.errors import UsageError  # noqa: PLC0415 - keeps --help of other commands fast
    from wirespeed.router.protocol import default_socket  # noqa: PLC0415
    from wirespeed.router.stats_block import StatsBlock  # noqa: PLC0415
    from wirespeed.router.stats_file import default_stats_file  # noqa: PLC0415

    if not 0.01 <= interval <= 3600 or count < 0:
        raise UsageError("--interval is 0.01 to 3600 seconds, --count not below 0")
    with StatsBlock(file or default_stats_file(default_socket())) as block:
        for line in _lines(block, what, patterns or [], interval, count, workers=workers, nonzero=nonzero):
            print(line, flush=what == "poll")


def _lines(
    block: StatsBlock, what: str, patterns: list[str], interval_s: float, count: int, *, workers: bool, nonzero: bool
) -> Iterator[str]:
    match what:
        case "ls":
            yield from (entry.name for entry in block.entries(patterns))
        case "dump":
            yield from dump_lines(block.read(patterns), workers=workers, nonzero=nonzero)
        case _:
            yield from _poll(block, patterns, interval_s, count)


def dump_lines(readings: dict[str, Reading], *, workers: bool, nonzero: bool) -> Iterator[str]:
    """`1234 /sys/rx`, `12 packets, 720 bytes /interfaces/e0/rx`; of each worker `[0] 1234 /sys/rx`."""
    for reading in readings.values():
        if workers and reading.is_of_workers:
            for worker, value in enumerate(reading.values):
                if any(value) or not nonzero:
                    yield f"[{worker}] {_value(value)} {reading.name}"
        elif any(reading.total) or not nonzero:
            yield f"{_value(reading.total)} {reading.name}"


def change_lines(before: dict[str, Reading], now: dict[str, Reading], seconds: float) -> Iterator[str]:
    """What changed: `1234 +100 50.0/s /sys/rx`. A counter that is new or began anew counts from 0."""
    for name, reading in now.items():
        old = before.get(name)
        first, old_first = reading.total[0], old.total[0] if old is not None else 0
        if reading.kind == "gauge":
            if first != old_first:
                yield f"{first} {first - old_first:+} {name}"
            continue
        grown = first - old_first if first >= old_first else first
        if grown:
            yield f"{first} +{grown} {grown / seconds:.1f}/s {name}"


def _poll(block: StatsBlock, patterns: list[str], interval_s: float, count: int) -> Iterator[str]:
    before, started, read_at = block.read(patterns), block.started_ns, time.monotonic()
    done = 0
    while not count or done < count:
        time.sleep(interval_s)
        now, now_at = block.read(patterns), time.monotonic()
        if block.started_ns != started:
            yield "-- the router started anew"
            before, started = {}, block.started_ns
        yield f"-- {now_at - read_at:.3f} s"
        yield from change_lines(before, now, now_at - read_at)
        before, read_at = now, now_at
        done += 1


def _value(value: tuple[int, ...]) -> str:
    return f"{value[0]} packets, {value[1]} bytes" if len(value) == 2 else str(value[0])
