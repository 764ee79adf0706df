"""Output of a load test while it runs and at the end."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from wirespeed.measurement.loadtest.live import LoadTestLines, LoadTestView, news, summary, view, watcher
from wirespeed.measurement.loadtest.plan import LoadPlan, LoadTestStep
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.measurement.loadtest.run import LoadTestProgress
from wirespeed.results.balance import Balance, Medium
from wirespeed.results.channel import Channel
from wirespeed.results.ending import Ending
from wirespeed.results.figures import loss_text
from wirespeed.results.judge import judge
from wirespeed.results.outcome import ChannelOutcome, Knee, LoadPoint, Outcome, PortFacts
from wirespeed.results.point import points
from wirespeed.results.sample import PortSample, Sample
from wirespeed.results.verdict import Figure, Limit, Verdict
from wirespeed.units import Rate
from wirespeed.watching import NoView

PLAN = LoadPlan("bench", {"size": "64", "vm": "var2"})
THERE, BACK = Channel(0, 1), Channel(1, 0)
PORT = PortSample(8e6, 6e6, 4.096e9, 3.072e9, 53.8, 40.3, intended_pps=8e6)
LOSSY = LoadPoint(300.0, 7e6, 6e6, 47.04, 40.32)
KNEE = Knee(7e6, 6.8e6, 7.3e6, 6e6, 47.04)
FINE = ChannelOutcome(
    balance=Balance(sent=1_000_000, received=998_766, intended=1_000_000),
    frame_bytes=64,
    received_frame_bytes=64,
    line_bps=10e9,
    full_load=LoadPoint(330.0, 8e6, 6e6, 53.76, 40.32),
    forwarded=None,
    loss_onset=None,
    saturation=None,
    tester_limited=False,
)

HELD = Figure(
    "forwarded", "at least", 5e6, 5e6, 0.0, l1_bps=3.36e9, line_percent=33.6, bound="tester-limited", samples=3
)
FULL = Figure("at full load", "lossy", 6e6, 8e6, 0.25, samples=30)


def progress(phase: str = "ramp", end_s: float = 330.0, **changes: Any) -> LoadTestProgress:
    """The same sample in both directions; `changes` apply to the first direction's outcome."""
    rate = Rate(50, "percentage") if phase == "ramp" else Rate(1000, "pps")
    sample = Sample(end_s + 0.04, 1.0, phase, {0: PORT, 1: PORT})
    found = {wire: list(points([sample], wire, Medium.QUEUE, 10e9)) for wire in (THERE, BACK)}
    outcomes = {THERE: replace(FINE, **changes), BACK: FINE}
    return LoadTestProgress(PLAN, LoadTestStep(phase, end_s - 1, end_s, rate), sample, found, lambda: outcomes)


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=120, height=30, color_system=None)


def text_of(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def test_a_plain_line_says_phase_load_rates_loss_and_time_left() -> None:
    screen = console()
    with LoadTestLines(screen) as lines:
        lines(progress())
    assert text_of(screen) == (
        "  330.0 s ramp 50.0 %: "
        "0→1 offered 8.00 Mpps, received 6.00 Mpps (3.07 Gbps L2, 4.03 Gbps L1, 40.3 %), loss 25 %; "
        "1→0 offered 8.00 Mpps, received 6.00 Mpps (3.07 Gbps L2, 4.03 Gbps L1, 40.3 %), loss 25 %; "
        "5:30 left\n"
    )


def test_plain_lines_come_at_new_phases_and_then_every_few_seconds() -> None:
    screen = console()
    with LoadTestLines(screen) as lines:
        for second in range(1, 31):
            lines(progress("warm-up", second))
        for second in range(31, 631):
            lines(progress("ramp", second))
    seconds = [float(line.split()[0]) for line in text_of(screen).splitlines()]
    assert seconds[0] == pytest.approx(1, abs=0.1)
    assert 31 in [round(second) for second in seconds]
    assert 50 < len(seconds) < 70


def test_loss_and_saturation_are_told_once_each_and_at_once() -> None:
    screen = console()
    with LoadTestLines(screen) as lines:
        lines(progress(end_s=300))
        lines(progress(end_s=301, loss_onset=LOSSY))
        lines(progress(end_s=302, loss_onset=LOSSY, saturation=KNEE))
        lines(progress(end_s=303, loss_onset=LOSSY, saturation=KNEE))
    told = [line for line in text_of(screen).splitlines() if "offered" not in line]
    assert told == [
        "0→1 loss above 0.1 % from 7.00 Mpps (47.0 % of line), at 300.0 s",
        "0→1 saturation point so far: 7.00 Mpps (47.0 % of line), between 6.80 Mpps and 7.30 Mpps",
    ]


def test_loss_where_the_tester_was_the_limit_is_called_so() -> None:
    assert news(progress(loss_onset=LOSSY, tester_limited=True), set()) == [
        "0→1 loss above 0.1 % from 7.00 Mpps (47.0 % of line), at 300.0 s; the tester was the limit, not the DUT"
    ]


def test_the_live_view_has_a_row_for_each_channel_and_marks_the_saturated_one() -> None:
    screen = console()
    screen.print(view(progress(saturation=KNEE), PLAN.title))
    lines = text_of(screen).splitlines()
    assert lines[0] == "bench size=64,vm=var2, bidirectional: 50.0 %"
    assert lines[1].split()[0] == "ramp"
    assert "330 of 660 s" in lines[1]
    assert "5:30 left" in lines[1]
    assert lines[2].split() == ["direction", "offered", "received", "L2", "L1", "line", "loss", "not", "sent"]
    rows = {line.split()[0]: line for line in lines[3:]}
    assert rows["0→1"].split()[-3:] == ["25", "%", "saturated"]
    assert rows["1→0"].rstrip().endswith("25 %")
    assert "8.00 Mpps" in rows["1→0"]


def test_the_live_view_leaves_only_the_news_behind() -> None:
    screen = console(terminal=True)
    with LoadTestView(screen, "title") as live:
        live(progress())
        live(progress(saturation=KNEE))
    assert "0→1 saturation point so far: 7.00 Mpps" in text_of(screen)


def test_the_view_fits_where_it_is_shown() -> None:
    assert isinstance(watcher(console(terminal=True), "", quiet=False), LoadTestView)
    assert isinstance(watcher(console(), "", quiet=False), LoadTestLines)
    assert isinstance(watcher(console(terminal=True), "", quiet=True), NoView)


def ended(*notes: str, **changes: Any) -> Result:
    outcome = Outcome(channels={"0→1": replace(FINE, **changes)})
    return Result("x", LoadTestSettings(), (), directions=(THERE,), outcome=outcome, ending=Ending(notes=notes))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"loss_onset": LOSSY, "saturation": KNEE},
            "loss above 0.1 % from 7.00 Mpps (47.0 % of line); "
            "saturation point: 7.00 Mpps (47.0 % of line), between 6.80 Mpps and 7.30 Mpps; 1,234 of 1,000,000 "
            "offered packets lost (0.123 %)",
        ),
        (
            {"loss_onset": LOSSY},
            "loss above 0.1 % from 7.00 Mpps (47.0 % of line); "
            "not saturated; 1,234 of 1,000,000 offered packets lost (0.123 %)",
        ),
        (
            {"balance": Balance(100, 100)},
            "no loss above 0.1 %; not saturated; 0 of 100 offered packets lost (0 %)",
        ),
        (
            {"balance": Balance(1_000_000, 1_000_100, 1_500_000, refused=500_000, extraneous=100, medium=Medium.RING)},
            "no lasting loss above 0.1 %; not saturated; 500,000 of 1,500,000 "
            "offered packets lost (33.3 %), 500,000 refused, 100 foreign",
        ),
        (
            {"balance": Balance(1_000_000, 1_000_000, 1_500_000, late=500_000), "tester_limited": True},
            "no loss above 0.1 %; not saturated; 0 of 1,000,000 offered packets lost (0 %), 500,000 late",
        ),
        (
            {"disturbed_samples": 3},
            "no loss above 0.1 % except in samples that the host disturbed; not saturated; "
            "1,234 of 1,000,000 offered packets lost (0.123 %); 3 samples disturbed by the host",
        ),
    ],
)
def test_the_summary_says_the_best_rate_the_limit_and_whose_it_is(changes: dict[str, Any], line: str) -> None:
    verdict = Verdict("loadtest", "x", (HELD, FULL), Limit("tester", "it is slow", "another tester"), threshold=0.001)
    assert summary(ended(**changes), verdict, "x.json") == [
        "x complete",
        "  forwarded ≥ 5.00 Mpps (tester-limited), 33.6 % of line, loss 0 %; at full load 6.00 Mpps, loss 25 %",
        "  limited by tester: it is slow",
        "  next: another tester",
        f"  0→1  {line}",
        "result in x.json",
    ]


def test_the_summary_has_the_figures_of_each_direction() -> None:
    each = tuple(replace(HELD, name=name, lines=1, bound="") for name in ("0→1", "1→0"))
    both = replace(HELD, rate_pps=10e6, lines=2, each=each)
    lines = summary(ended(), Verdict("loadtest", "x", (both,), threshold=0.001), None)
    assert lines[1] == "  forwarded ≥ 10.0 Mpps (tester-limited), 33.6 % of 2 lines, loss 0 %"
    assert lines[3].startswith("  0→1  forwarded 5.00 Mpps, 33.6 % of line, loss 0 %; no ")


def test_the_summary_ends_with_what_else_is_to_be_said() -> None:
    verdict = Verdict("loadtest", "x", (HELD,), threshold=0.001)
    assert summary(ended("flow control of port 0 is on"), verdict, None)[-1] == "  note: flow control of port 0 is on"


def test_packets_that_were_under_way_at_the_last_sample_are_said_to_be_so() -> None:
    late = replace(PORT, opackets=8_000_000, ipackets=6_000_000, intended=8_000_000)
    sample = Sample(1.0, 1.0, "hold", {0: late, 1: late})
    balance = Balance(8_000_000, 8_000_000)
    facts = {port: PortFacts(port, speed_bps=10e9) for port in (0, 1)}
    verdict = judge(points([sample], THERE, Medium.QUEUE, 10e9), threshold=0.001, line_bps=10e9, balance=balance)
    outcome = Outcome(channels={"0→1": verdict}, settled=True)
    result = Result("x", LoadTestSettings(), (sample,), ports=facts, directions=(THERE,), outcome=outcome)
    *_, line, more = summary(result, Verdict("loadtest", "x", (HELD,), threshold=0.001), None)
    assert "not saturated" in line
    assert more.strip() == "2,000,000 packets were under way at the last sample and came later"


@pytest.mark.parametrize(
    ("ratio", "text"), [(0, "0 %"), (1e-9, "< 0.001 %"), (0.00012, "0.012 %"), (0.5, "50 %"), (1, "100 %")]
)
def test_a_loss_is_never_shown_as_none(ratio: float, text: str) -> None:
    assert loss_text(ratio) == text
