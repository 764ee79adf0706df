"""The line at the end of a run that says whether it shows the DUT's limit, with the reason and a remedy. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wirespeed.pages.words import count
from wirespeed.results.verdict import LimitedBy, Verdict

FEW_CPUS = 4
"""Number of CPUs from which on tester, router and control process each have their own, with one left for everything
else."""


def worth_line(verdicts: Sequence[Verdict], cpus: int | None = None) -> str:
    """`cpus` is how many the lab had, None where tester and router are on machines of their own."""
    if not verdicts:
        return "worth: nothing was measured"
    shown = sum(one.shows_the_dut for one in verdicts)
    tests = count(len(verdicts), "test")
    if shown == len(verdicts):
        what = "its limit or its whole line" if len(verdicts) > 1 else "the line" if _whole(verdicts) else "its limit"
        return f"worth: this run shows what the DUT forwards: {tests} reached {what}"
    reasons = Counter(one.limited_by for one in verdicts if not one.shows_the_dut)
    by, number = reasons.most_common(1)[0]
    full = sum(one.limited_by == "line" for one in verdicts)
    head = f"{shown - full} of {tests} {'shows' if shown - full == 1 else 'show'} the DUT's limit"
    if not shown:
        head = "this run does not show the limit of the DUT"
    elif full:
        head += f", {full} {'fills its' if full == 1 else 'fill their'} line"
    return f"worth: {head}: {_why(by, number, verdicts)}; {_help(by, cpus, verdicts)}"


def few_cpus_text(cpus: int) -> str:
    """Why so few CPUs disturb a lab, and what helps."""
    return (
        f"only {count(cpus, 'CPU')}: tester and DUT share them with everything else; give the lab {FEW_CPUS}, or stop "
        "the programs that `wirespeed host check` names"
    )


def _whole(verdicts: Sequence[Verdict]) -> bool:
    return all(one.limited_by == "line" for one in verdicts)


def _why(by: LimitedBy, number: int, verdicts: Sequence[Verdict]) -> str:
    of = "" if len(verdicts) == 1 else f" in {number} of {len(verdicts)}"
    return {
        "tester": f"the tester was the limit{of}",
        "host": f"the host disturbed it{of}",
        "nothing": f"no more was offered{of}",
        "unknown": f"what limited it is unknown{of}",
    }.get(by, f"too few samples were left undisturbed{of}")


def _help(by: LimitedBy, cpus: int | None, verdicts: Sequence[Verdict]) -> str:
    if by in ("tester", "host", "dut") and cpus is not None and cpus < FEW_CPUS:
        return few_cpus_text(cpus)
    if by in ("tester", "host", "dut"):
        return "`wirespeed host check` says what disturbs, and `host fix` fixes what it can"
    return next(one.next_step for one in verdicts if one.limited_by == by) or "`wirespeed explain` says what is missing"
