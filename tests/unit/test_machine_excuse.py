"""Losses explained by preemptions: those of matching size, unless a link or the device itself explains them."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from simulated_bench import FORWARD, Bench, run

from wirespeed.explain.ranking import explain
from wirespeed.measurement.loadtest.case import cases_of
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.results.balance import Medium
from wirespeed.results.machine import why_disturbed
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import PortSample, Preemption, Sample


def sample(preempted_s: float, *, dut: dict[str, Any] | None = None, links_down: tuple[int, ...] = ()) -> Sample:
    port = PortSample(1e6, 1e6, 0.0, 0.0, 0.0, 0.0)
    moment = Preemption(
        tester_preempted_s=0.0,
        dut_preempted_s=preempted_s,
        tester_longest_preemption_s=0.0,
        dut_longest_preemption_s=preempted_s,
    )
    return Sample(
        1.0, 1.0, "hold", {0: port, 1: port}, global_stats={}, dut=dut or {}, preemption=moment, links_down=links_down
    )


@pytest.mark.parametrize(
    ("preempted_s", "loss", "disturbed"),
    [
        (0.1, 0.15, True),
        (0.1, 0.3, False),
        (0.6, 0.9, True),
        (0.6, 1.0, False),  # it had its CPU for 0.4 s, in which no packets came back either
        (0.95, 1.0, True),
    ],
)
def test_an_absence_excuses_a_loss_of_its_size(preempted_s: float, loss: float, disturbed: bool) -> None:
    assert (why_disturbed(None, sample(preempted_s), FORWARD, loss) is not None) is disturbed


def test_a_link_of_the_tester_that_is_down_is_named_first() -> None:
    assert why_disturbed(None, sample(0.6, links_down=(1,)), FORWARD, 1.0) == "port 1 had no link"
    assert why_disturbed(None, sample(0.6, links_down=(1,)), FORWARD, 0.5) == "port 1 had no link"


@pytest.mark.parametrize(
    "reason", ["e1-output: interface is down", "ethernet-input: subinterface down", "null-node: blackholed packets"]
)
def test_what_the_device_counted_for_its_own_link_is_not_the_machines(reason: str) -> None:
    assert why_disturbed(None, sample(0.6, dut={"drops": {reason: 5000}}), FORWARD, 0.5) is None
    assert why_disturbed(None, sample(0.6, dut={"drops": {reason: 0}}), FORWARD, 0.5) is not None
    assert why_disturbed(None, sample(0.6, dut={"drops": {"e1-tx: no free tx slots": 5000}}), FORWARD, 0.5) is not None


@pytest.mark.parametrize(("first", "cause"), [(10, "link-down"), (28, "tester")], ids=["most", "two samples"])
def test_a_link_that_was_down_is_no_machine_that_was_away(first: int, cause: str) -> None:
    """From sample `first` on, no packets come back."""
    calls = count()
    bench = Bench(medium=Medium.QUEUE, dut=lambda pps: 0.0 if first <= next(calls) < 30 else pps)
    samples = tuple(
        replace(one, links_down=(1,)) if first <= at < 30 else one
        for at, one in enumerate(run(bench, [("hold", 5e6)] * 30, 1))
    )
    ports = {number: PortFacts(number, speed_bps=10e9, medium=Medium.QUEUE) for number in (0, 1)}
    (case,) = cases_of(Result("cut", LoadTestSettings(), samples, ports=ports, directions=(FORWARD,)), "cut.json")
    found = explain(case)
    assert found.cause == cause and "preemption" not in {finding.cause for finding in (*found.named, *found.likely)}
    if cause == "tester":
        assert case.remarks == ("ports of the tester had no link in 2 samples, which the figures leave out",)
