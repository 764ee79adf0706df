"""Output of a burst test: live lines, and the summary."""

from __future__ import annotations

from rich.console import Console

from wirespeed.measurement.burst.result import BurstResult, BurstTrial
from wirespeed.measurement.burst.run import BurstProgress
from wirespeed.measurement.lines import last_lines, lines_watcher
from wirespeed.pages.words import count
from wirespeed.results.figures import exact_text, losses_text
from wirespeed.results.verdict import Verdict
from wirespeed.watching import Watcher


def watcher(console: Console, title: str, quiet: bool) -> Watcher[BurstProgress]:
    return lines_watcher(
        console,
        title,
        quiet,
        lambda now: None if now.trial is None else trial_line(now.trial),
        lambda now: f"a burst of {now.frames:,} frames; {count(now.count, 'burst')}, {now.spent_s:.0f} s",
    )


def trial_line(trial: BurstTrial) -> str:
    """`burst 7: 4,096 frames at 14.88 Mpps, loss 0 %, not sent 0 %`."""
    judged = trial.judged
    said = losses_text(judged.lost_ratio, judged.not_sent_ratio)
    why = f"; {trial.trial.disturbed}" if trial.trial.disturbed else ""
    return f"burst {trial.number}: {trial.frames:,} frames at {exact_text(trial.load_pps)}, {said}{why}"


def summary(result: BurstResult, verdict: Verdict, where: str | None) -> list[str]:
    """The last lines: the verdict, the shortest burst that lost frames, and remarks."""
    headline = f": {count(len(result.trials), 'burst')} in {result.spent_s:.0f} s"
    details = () if result.lossy is None else (f"bursts of {result.lossy:,} frames lose frames",)
    return last_lines(result, verdict, where, headline, details)
