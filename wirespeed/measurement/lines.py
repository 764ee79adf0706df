"""Terminal output of a measurement: a line per step, the current activity, and the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from rich.console import Console
from rich.text import Text

from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.power import power_line
from wirespeed.results.verdict import Verdict
from wirespeed.watching import NoView, Quiet, Redrawn, Watcher

SHOWN_LINES = 12

Progress = TypeVar("Progress")


class PlainLines(Quiet, Generic[Progress]):
    """For logs: the line of each step that has one."""

    def __init__(self, console: Console, line_of: Callable[[Progress], str | None]) -> None:
        self._console, self._line_of = console, line_of

    def __call__(self, progress: Progress, /) -> None:
        if (line := self._line_of(progress)) is not None:
            self._console.out(line, highlight=False)


class LiveLines(Redrawn, Generic[Progress]):
    """For terminals: title, current activity, and the last lines, redrawn in place."""

    def __init__(
        self,
        console: Console,
        title: str,
        line_of: Callable[[Progress], str | None],
        now_of: Callable[[Progress], str],
    ) -> None:
        super().__init__(console)
        self._title, self._line_of, self._now_of = title, line_of, now_of
        self._lines: list[str] = []

    def __call__(self, progress: Progress, /) -> None:
        if (line := self._line_of(progress)) is not None:
            self._lines = [*self._lines[1 - SHOWN_LINES :], line]
        self._draw(Text("\n".join((self._title, self._now_of(progress), *self._lines)), no_wrap=True))


def lines_watcher(
    console: Console,
    title: str,
    quiet: bool,
    line_of: Callable[[Progress], str | None],
    now_of: Callable[[Progress], str],
) -> Watcher[Progress]:
    """The view on `console`; none with `quiet`."""
    if quiet:
        return NoView()
    return LiveLines(console, title, line_of, now_of) if console.is_terminal else PlainLines(console, line_of)


def last_lines(
    result: MeasurementResult, verdict: Verdict, where: str | None, headline: str, details: Iterable[str] = ()
) -> list[str]:
    """The summary of a result: status and `headline`, the verdict, `details`, power, notes, and the result's file."""
    power = power_line(result) if result.draws else ""
    notes = (f"note: {note}" for note in result.ending.notes)
    lines = filter(None, (result.ending.reason, *verdict.lines, *details, power, *notes))
    kept = [] if where is None else [f"result in {where}"]
    return [f"{result.name} {result.ending.status}{headline}", *(f"  {line}" for line in lines), *kept]
