"""Output of tests by an RFC: one line per trial and per row, live and in the summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from rich.console import Console

from wirespeed.measurement.lines import last_lines, lines_watcher
from wirespeed.measurement.rfc.bench import ARow, ATest, ATrial, RfcProgress, said
from wirespeed.measurement.rfc.result import RfcResult
from wirespeed.results.verdict import Verdict
from wirespeed.watching import Watcher


@dataclass(frozen=True)
class RfcLines(Generic[ATest, ATrial, ARow]):
    """`trial_text` has the load and the outcome of a trial, `row_text` the figure of a row."""

    trial_text: Callable[[ATrial], str]
    row_text: Callable[[ARow], str]

    def watcher(self, console: Console, title: str, quiet: bool) -> Watcher[RfcProgress[ATest, ATrial, ARow]]:
        return lines_watcher(
            console, title, quiet, self.line_of, lambda now: f"{now.doing}; {now.count} trials, {now.spent_s:.0f} s"
        )

    def line_of(self, progress: RfcProgress[ATest, ATrial, ARow]) -> str | None:
        """A line for the new trial or row; None without either."""
        if progress.trial is not None:
            return self.trial_line(progress.trial)
        return None if progress.row is None else self.row_line(progress.test, progress.row)

    def trial_line(self, trial: ATrial) -> str:
        """`throughput 64, trial 7: 7.770 Mpps for 2 s, received …, loss …, not sent …`."""
        label = f" {trial.label}" if trial.label else ""
        words = f"{trial.test} {trial.subject}, trial {trial.number}{label}: {self.trial_text(trial)}"
        return said(words, f"set aside: {trial.excluded}" if trial.excluded else trial.remark)

    def row_line(self, test: str, row: ARow) -> str:
        """`throughput 64: 7.77 Mpps to 7.81 Mpps, 52.2 % of line`, and the reason if it is irregular or left out."""
        return said(f"{test} {row.subject}: {self.row_text(row)}", row.remark)

    def summary(self, result: RfcResult, verdict: Verdict, where: str | None) -> list[str]:
        """The last lines: the verdict, and each number by test."""
        method: Any = result.method
        details = [self.row_line(test, row) for test in method.tests for row in result.rows(test)]
        measured = [test for test in result.conformance if result.rows(test)]
        details += [f"{test}: {method.conformance(test, all_of_them=False)}" for test in measured]
        details += filter(None, [method.outside])
        if common := method.common_exceptions:
            details.append(f"in all tests not as the RFC has it: {'; '.join(common)}")
        return last_lines(result, verdict, where, f": {len(result.trials)} trials in {result.spent_s:.0f} s", details)
