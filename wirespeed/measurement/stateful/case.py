"""Cases for `explain` from tests of stateful devices: one per test and number of flows, at the lowest rate or load with
loss, otherwise at the highest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirespeed.cases.facts import Case
from wirespeed.cases.state_facts import StateFacts
from wirespeed.cases.trials import TrialsOfLoad, case_of
from wirespeed.measurement.stateful.result import StatefulResult, StatefulTrial, case_subject

_TESTS = ("rate", "throughput")


def cases_of(result: StatefulResult, source: str) -> tuple[Case, ...]:
    """Empty for tests without a trial."""
    return tuple(_cases(result, source))


def _cases(result: StatefulResult, source: str) -> Iterator[Case]:
    # A few flows above the capacity say little; the step that was much too large shows what a full table does.
    full = {max((step.flows for step in row.steps if step.rate is None), default=0) for row in result.capacity}
    tried = [
        one
        for one in result.trials
        if one.filtered and not one.excluded and (one.test in _TESTS or (one.test == "capacity" and one.flows in full))
    ]
    head = replace(TrialsOfLoad.of(result, source), frame_bytes=float(result.method.frame))
    for test, flows, addresses in dict.fromkeys((one.test, one.flows, one.addresses) for one in tried):
        same = [one for one in tried if (one.test, one.flows, one.addresses) == (test, flows, addresses)]
        curve = tuple(
            (row.flows, row.median)
            for row in result.rate
            if row.filtered and row.addresses == addresses and row.median is not None
        )
        chosen, what = _chosen(same)
        subject = case_subject(test, flows, addresses, filtered=True)
        of = replace(head, name=f"{result.name}, {subject}")
        of = replace(of, frame_bytes=float(result.method.opening_bytes)) if test != "throughput" else of
        place = f"of {subject}, {what}"
        case = case_of(of, [one.judged for one in chosen], [one.judged for one in same], place)
        yield replace(case, states=_facts(result, chosen[-1], curve, f"{source}: trial {chosen[-1].number}"))


def _chosen(trials: Sequence[StatefulTrial]) -> tuple[list[StatefulTrial], str]:
    """The lowest rate or load with loss; without any the highest."""
    failed = [one for one in trials if one.judged.lost_ratio > 0 or not one.opened.is_whole]
    if failed:
        least = min(one.load_pps for one in failed)
        return [one for one in failed if one.load_pps == least], "the lowest that lost"
    most = max(one.load_pps for one in trials)
    return [one for one in trials if one.load_pps == most], "the highest"


def _facts(
    result: StatefulResult, trial: StatefulTrial, curve: tuple[tuple[int, float], ...], source: str
) -> StateFacts:
    ranges = result.method.ranges_of(trial.flows, trial.addresses)
    return StateFacts(
        flows=trial.flows,
        opened=trial.opened.established,
        answered=None if trial.validated is None else trial.validated.established,
        table=trial.states,
        used_before=trial.states_before or 0,
        lasted_s=trial.lasted_s or None,
        endpoints=None if ranges is None else ranges.endpoints,
        curve=curve,
        protocol=result.method.transport,
        source=source,
    )
