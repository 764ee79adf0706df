"""Texts about a soak, which the live view, the summary, the report and its tables share."""

from __future__ import annotations

import math

from wirespeed.measurement.soak.result import SoakVerdict

CAUSES = {"dut": "DUT", "tester": "tester", "host": "host"}
DOER = {"dut": "by the DUT", "tester": "by the tester's receiver", "host": "while CPUs were preempted"}


def lost_text(verdict: SoakVerdict) -> str:
    """`lost 12 of 30,000,000 (4e-07) in 2 events`."""
    ratio = "" if not verdict.lost else f" ({ratio_text(verdict.loss_ratio)})"
    events = "" if not verdict.event_count else f" in {count_text(verdict.event_count, 'event')}"
    return f"lost {verdict.lost:,} of {verdict.offered:,}{ratio}{events}"


def bound_text(verdict: SoakVerdict) -> str:
    """`at most 3e-06 at 95 %`: the bound of the loss ratio."""
    return f"at most {ratio_text(verdict.upper_ratio)} at {verdict.confidence * 100:g} %"


def shown_text(verdict: SoakVerdict) -> str:
    """`1e-07 shown at 95 %: no, needs 12 min more without another loss`."""
    head = f"{verdict.target_ratio:.3g} shown at {verdict.confidence * 100:g} %: "
    if verdict.shown:
        return f"{head}yes"
    if not verdict.offered:
        return f"{head}no, nothing was offered"
    if verdict.lower_ratio > verdict.target_ratio:
        return f"{head}no, the loss ratio is above it (at least {ratio_text(verdict.lower_ratio)})"
    if verdict.needed_s is None or not math.isfinite(verdict.needed_s):
        return f"{head}no, and nobody knows how long it would take"
    return f"{head}no, needs {needed_text(verdict.needed_s)} more without another loss"


def verdict_text(verdict: SoakVerdict) -> str:
    """All three as a sentence: `Lost 0 of 1,000,000; at most 3e-06 at 95 %; 1e-07 shown at 95 %: no, needs …`."""
    said = "; ".join((lost_text(verdict), bound_text(verdict), shown_text(verdict)))
    return f"{said[:1].upper()}{said[1:]}."


def ratio_text(ratio: float) -> str:
    """Small ratios as powers of ten: `3.1e-08`."""
    return "0" if ratio == 0 else f"{ratio:.2g}"


def count_text(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def time_text(seconds: float) -> str:
    """`45 s`, `10 min`, `8 h 5 min`, `3 d 2 h`."""
    return _spelled(seconds) if seconds < 120 else _spelled(round(seconds / 60) * 60)


def needed_text(seconds: float) -> str:
    """A time that is needed, rounded up: `6 min 40 s` is 7 min."""
    return _spelled(math.ceil(seconds)) if seconds < 120 else _spelled(math.ceil(seconds / 60) * 60)


def _spelled(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h" + (f" {minutes} min" if minutes else "")
    days, hours = divmod(hours, 24)
    return f"{days} d" + (f" {hours} h" if hours else "")
