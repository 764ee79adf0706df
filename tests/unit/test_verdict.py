"""The verdict on a result: the samples of a figure, its limit, its text, and the validity of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from simulated_bench import FORWARD, LINE_BPS, Bench, ramp, run, steps

from wirespeed.explain.verdicts import verdict_of
from wirespeed.explain.worth import worth_line
from wirespeed.measurement.loadtest.analysis import analyse, judged
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.measurement.loadtest.verdict import loadtest_verdict
from wirespeed.results.balance import Medium
from wirespeed.results.codec import from_json
from wirespeed.results.ending import FAILED, INTERRUPTED
from wirespeed.results.load_figures import NEIGHBOURS
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import Preemption, Sample
from wirespeed.results.verdict import Figure, Limit, Verdict
from wirespeed.units import l1_bits

LINE_PPS = LINE_BPS / l1_bits(64)


def result_of(samples: list[Sample], **variables: object) -> Result:
    ports = {port: PortFacts(port, speed_bps=LINE_BPS, medium=Medium.RING) for port in (0, 1)}
    known = {"profile_file": "bench", "tunables": {"size": "64"}, **variables}
    return judged(Result("t", from_json(LoadTestSettings, known), tuple(samples), ports=ports, directions=(FORWARD,)))


def up_to(pps: float) -> Bench:
    return Bench(medium=Medium.RING, dut=lambda offered: min(offered, pps))


def away(sample: Sample, share: float) -> Sample:
    """The DUT's worker was preempted for `share` of the sample, and that much more was lost."""
    moment = Preemption(tester_preempted_s=0.0, dut_preempted_s=share * sample.interval_s)
    return replace(sample, preemption=moment)


def test_the_figure_of_a_ramp_is_the_mean_of_neighbours_and_an_estimate() -> None:
    verdict = verdict_of(result_of(run(up_to(5e6), ramp(LINE_PPS, 300, 20))))
    figure, full = verdict.figure, verdict.full_load
    assert (figure.samples, figure.mark, figure.bound) == (NEIGHBOURS, "estimate", "")
    assert 4.8e6 < (figure.rate_pps or 0) <= 5e6
    assert full is not None and (full.samples, full.mark) == (20, "lossy")
    assert full.rate_pps == pytest.approx(5e6)
    assert full.loss_ratio == pytest.approx(1 - 5e6 / LINE_PPS, rel=1e-3)
    assert verdict.limited_by == "dut"


def test_the_figure_of_steps_is_the_highest_step_that_held_as_a_whole() -> None:
    verdict = verdict_of(result_of(run(up_to(5e6), steps([2e6, 4e6, 6e6, 8e6], count=5))))
    figure, full = verdict.figure, verdict.full_load
    assert (figure.rate_pps, figure.samples, figure.mark) == (pytest.approx(4e6), 5, "held")
    assert full is not None and full.rate_pps == pytest.approx(5e6) and full.offered_pps == pytest.approx(8e6)


def test_the_best_second_is_no_figure() -> None:
    """One second of the hold returned 9 Mpps of 11.4: it counts as one of twenty samples."""
    samples = run(Bench(medium=Medium.RING, dut=lambda pps: min(pps, 5e6)), ramp(11.4e6, 100, 20))
    best = max(sample.ports[1].rx_pps for sample in samples)
    verdict = verdict_of(result_of(samples))
    assert (verdict.figure.rate_pps or 0) < best and (verdict.figure.loss_ratio or 0) <= 0.001


@pytest.mark.parametrize(("disturbed", "measured"), [(9, True), (10, True), (11, False), (20, False)])
def test_a_hold_of_which_too_little_is_undisturbed_is_not_measured(disturbed: int, measured: bool) -> None:
    samples = run(up_to(5e6), ramp(5.5e6, 60, 20))
    held = [place for place, sample in enumerate(samples) if sample.phase == "hold"][:disturbed]
    samples = [away(sample, 0.2) if place in held else sample for place, sample in enumerate(samples)]
    full = verdict_of(result_of(samples)).full_load
    assert full is not None
    if measured:
        assert (full.samples, full.rate_pps) == (20 - disturbed, pytest.approx(5e6))
    else:
        assert (full.rate_pps, full.text, full.mark) == (None, "not measured: disturbed", "disturbed")


def test_where_every_sample_is_disturbed_there_is_no_number_and_the_host_is_the_limit() -> None:
    samples = [away(sample, 0.9) for sample in run(Bench(dut=lambda pps: 0.5 * pps), ramp(LINE_PPS, 30, 8))]
    verdict = verdict_of(result_of(samples))
    assert [one.text for one in verdict.figures] == ["not measured: disturbed"] * 2
    assert verdict.limited_by == "host"
    assert not verdict.shows_the_dut


def test_disturbed_samples_count_where_that_was_asked_for() -> None:
    samples = [away(sample, 0.9) for sample in run(Bench(dut=lambda pps: 0.5 * pps), ramp(LINE_PPS, 30, 8))]
    full = verdict_of(result_of(samples, keep_spoilt=True)).full_load
    assert full is not None and full.loss_ratio == pytest.approx(0.5)


def test_packets_that_came_later_were_not_lost_and_rate_l1_and_percentage_agree() -> None:
    """The frames of two samples of the hold were delayed until the next one; in the end nothing was lost."""
    samples = run(Bench(held=frozenset({62, 66}), signature=True), ramp(5e6, 60, 10))
    held = [sample for sample in samples if sample.phase == "hold"]
    samples = [away(sample, 0.6) if sample in held else sample for sample in samples]
    result = result_of(samples)
    balance = replace(result.outcome.channels["0→1"].balance, received=result.outcome.channels["0→1"].balance.sent)
    found = analyse(result, balances={FORWARD: balance}).curves[0].full_load
    assert found is not None
    assert (found.samples, found.loss_ratio, found.received_pps) == (10, 0, pytest.approx(5e6))
    assert found.received_percent == pytest.approx(found.received_pps / LINE_PPS * 100)
    assert found.l1_bps == pytest.approx(found.received_pps * l1_bits(64))


@pytest.mark.parametrize("status", [INTERRUPTED, FAILED])
def test_a_test_that_did_not_end_says_so(status: str) -> None:
    result = result_of(run(up_to(5e6), ramp(LINE_PPS, 60, 0)))
    broken = replace(result, ending=replace(result.ending, status=status))  # type: ignore[arg-type]
    verdict = verdict_of(broken)
    assert (verdict.figure.mark, verdict.status) == ("broken off", status)
    assert verdict.full_load is not None and verdict.full_load.text == "not measured: no load was held"


def test_a_whole_line_and_a_load_without_loss_are_limits_of_their_own() -> None:
    assert verdict_of(result_of(run(Bench(), ramp(LINE_PPS, 60, 10)))).limited_by == "line"
    result = result_of(run(Bench(), ramp(5e6, 60, 10)))
    for less in (loadtest_verdict(analyse(result)), verdict_of(result)):
        assert (less.limited_by, less.limit.cause) == ("nothing", "")
        assert less.figure.text == "≥ 5.00 Mpps (not offered more)"
        assert less.next_step == "offer more: a higher target, smaller frames or both directions"


def test_a_tester_that_catches_up_seems_to_exceed_no_line() -> None:
    """The hold returns 2 % more than line rate, since the tester's clock is fast."""
    verdict = verdict_of(result_of(run(Bench(line_bps=1.02 * LINE_BPS), ramp(1.02 * LINE_PPS, 60, 10))))
    assert "14.9 Mpps is 100 % of the line's 14.9 Mpps" in verdict.sentence


@pytest.mark.parametrize(
    ("bench", "found", "by"),
    [
        # The counters are conclusive.
        (Bench(medium=Medium.RING, worker_pps=6e6), "dut", "tester"),
        (Bench(medium=Medium.RING, worker_pps=6e6), "host", "host"),
        (Bench(), "dut", "line"),
        # They show neither the cause within the device nor whether another source is more specific.
        (up_to(5e6), "dut", "dut"),
        # A cable, a link or a wrong address is not the DUT.
        (up_to(5e6), "unknown", "unknown"),
        (Bench(), "unknown", "line"),
    ],
)
def test_what_explain_names_counts_where_the_counters_leave_a_doubt(bench: Bench, found: str, by: str) -> None:
    named = Limit(found, "a cause", "an experiment", 0.9, cause="x")  # type: ignore[arg-type]
    verdict = loadtest_verdict(analyse(result_of(run(bench, ramp(LINE_PPS, 60, 10)))), named)
    assert verdict.limited_by == by
    assert (verdict.sentence == "a cause") == (found == by)


def test_what_explain_does_not_name_stays_what_the_counters_say() -> None:
    verdict = loadtest_verdict(analyse(result_of(run(up_to(5e6), ramp(LINE_PPS, 60, 10)))), Limit())
    assert verdict.limited_by == "dut"


def test_where_nothing_comes_back_nobody_knows_whose_fault_it_is() -> None:
    """The path may not lead through the DUT at all."""
    verdict = verdict_of(result_of(run(up_to(0.0), ramp(LINE_PPS, 60, 10))))
    assert (verdict.limited_by, verdict.limit.cause) == ("unknown", "")
    assert verdict.sentence == "no packet came back at any load; what loses them is unknown"
    assert verdict.next_step == "check cables, addresses and routes: `wirespeed testbed check` tries each"
    figure = verdict.figure
    assert (figure.text, figure.mark, figure.loss_ratio, figure.share_text) == ("0 pps", "lossy", 1.0, "0 % of line")


@pytest.mark.parametrize(
    ("figure", "text", "line"),
    [
        (Figure("NDR", "held", 7.77e6, upper_pps=7.808e6), "7.77 Mpps to 7.81 Mpps", "NDR 7.77 Mpps to 7.81 Mpps"),
        (
            Figure("forwarded", "at least", 4.474e6, loss_ratio=0.0, bound="tester-limited", samples=3),
            "≥ 4.47 Mpps (tester-limited)",
            "forwarded ≥ 4.47 Mpps (tester-limited), loss 0 %",
        ),
        (
            Figure("at full load", "lossy", 589_519, loss_ratio=0.0123, line_percent=30.384, lines=2, samples=8),
            "590 kpps",
            "at full load 590 kpps, 30.4 % of 2 lines, loss 1.23 %",
        ),
        (Figure("forwarded", "disturbed", why="not measured: disturbed"), "not measured: disturbed", None),
        (Figure("loss", "held", said="lost 0 of 5"), "lost 0 of 5", "lost 0 of 5"),
    ],
)
def test_a_figure_has_one_text(figure: Figure, text: str, line: str | None) -> None:
    assert figure.text == text
    assert figure.line == (line or f"{figure.name} {text}")


def verdicts(*limits: str) -> list[Verdict]:
    figure = Figure("forwarded", "held", 1e6)
    return [Verdict("loadtest", "t", (figure,), Limit(limit, next_step=f"mend {limit}")) for limit in limits]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limits", "cpus", "words"),
    [
        (("dut", "line"), 2, "worth: this run shows what the DUT forwards"),
        (("tester", "tester", "host"), 2, "the tester was the limit in 2 of 3; only 2 CPUs: tester and DUT share"),
        (("dut", "host"), 2, "worth: 1 of 2 tests shows the DUT's limit: the host disturbed it in 1 of 2"),
        (
            ("dut", "line", "line", "host"),
            2,
            "worth: 1 of 4 tests shows the DUT's limit, 2 fill their line: the host",
        ),
        (
            ("line", "tester"),
            2,
            "worth: 0 of 2 tests show the DUT's limit, 1 fills its line: the tester was the limit in",
        ),
        (("tester",), None, "the tester was the limit; `wirespeed host check` says what disturbs"),
        (("tester",), 8, "the tester was the limit; `wirespeed host check` says what disturbs"),
        (("nothing",), 2, "no more was offered; mend nothing"),
        ((), 2, "worth: nothing was measured"),
    ],
)
def test_a_run_says_whether_it_is_worth_something(limits: tuple[str, ...], cpus: int | None, words: str) -> None:
    line = worth_line(verdicts(*limits), cpus)
    assert words in line and "\n" not in line
