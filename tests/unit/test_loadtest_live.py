"""What a load test shows while it runs and when it is over."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from wirespeed.loadtest.live import LiveView, NoView, PlainLines, format_loss, news, summary, title_of, view, watcher
from wirespeed.loadtest.plan import LoadPlan, Step
from wirespeed.loadtest.result import Channel, PortSample, Result, Sample
from wirespeed.loadtest.run import Progress
from wirespeed.loadtest.saturation import ChannelPoint
from wirespeed.units import Rate

PLAN = LoadPlan("bench", {"size": "64", "vm": "var2"})
PORT = PortSample(8e6, 6e6, 4.096e9, 3.072e9, 53.8, 40.3, asked_pps=12e6)
POINT = ChannelPoint(300.0, "ramp", 7e6, 6e6, 1 / 7, 0.0)


def progress(phase: str = "ramp", end_s: float = 330.0, *, saturated: bool = False) -> Progress:
    rate = Rate(50, "percentage") if phase == "ramp" else Rate(1000, "pps")
    sample = Sample(end_s + 0.04, 1.0, phase, {0: PORT, 1: PORT})
    point = POINT if saturated else None
    return Progress(PLAN, Step(phase, end_s - 1, end_s, rate), sample, {Channel(0, 1): point, Channel(1, 0): None})


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=120, height=30, color_system=None)


def text_of(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def test_a_plain_line_says_phase_load_rates_loss_and_time_left() -> None:
    screen = console()
    with PlainLines(screen, PLAN) as lines:
        lines(progress())
    assert text_of(screen) == (
        "  330.0 s ramp 50.0 %: "
        "0→1 offered 12.00 Mpps, received 6.00 Mpps (3.07 Gbps L2, 4.03 Gbps L1, 40.3 %), loss 50 %; "
        "1→0 offered 12.00 Mpps, received 6.00 Mpps (3.07 Gbps L2, 4.03 Gbps L1, 40.3 %), loss 50 %; "
        "5:30 left\n"
    )


def test_plain_lines_come_at_new_phases_and_then_every_few_seconds() -> None:
    screen = console()
    with PlainLines(screen, PLAN) as lines:
        for second in range(1, 31):
            lines(progress("warm-up", second))
        for second in range(31, 631):
            lines(progress("ramp", second))
    seconds = [float(line.split()[0]) for line in text_of(screen).splitlines()]
    assert seconds[0] == pytest.approx(1, abs=0.1)
    assert 31 in [round(second) for second in seconds]
    assert 50 < len(seconds) < 70


def test_saturation_is_told_once_and_at_once() -> None:
    screen = console()
    with PlainLines(screen, PLAN) as lines:
        lines(progress(end_s=300))
        lines(progress(end_s=301, saturated=True))
        lines(progress(end_s=302, saturated=True))
    told = [line for line in text_of(screen).splitlines() if "saturated" in line]
    assert told == ["0→1 saturated from 7.00 Mpps offered at 300.0 s on: received 6.00 Mpps, loss 14.3 %"]


def test_saturation_of_the_tester_itself_is_called_so() -> None:
    point = replace(POINT, tester_pps=0.6e6)
    line = news(replace(progress(), saturation={Channel(0, 1): point, Channel(1, 0): None}), set())
    assert line == [
        "0→1 saturated from 7.00 Mpps offered at 300.0 s on: received 6.00 Mpps, loss 14.3 %, "
        "most of it the tester's own"
    ]


def test_the_live_view_has_a_row_for_each_channel_and_marks_the_saturated_one() -> None:
    screen = console()
    screen.print(view(progress(saturated=True), title_of(PLAN)))
    lines = text_of(screen).splitlines()
    assert lines[0] == "bench size=64,vm=var2, bidirectional: 50.0 %"
    assert lines[1].split()[0] == "ramp"
    assert "330 of 660 s" in lines[1]
    assert "5:30 left" in lines[1]
    assert lines[2].split() == ["channel", "offered", "received", "L2", "L1", "line", "loss"]
    rows = {line.split()[0]: line for line in lines[3:]}
    assert rows["0→1"].rstrip().endswith("50 %  saturated")
    assert rows["1→0"].rstrip().endswith("50 %")
    assert "12.00 Mpps" in rows["1→0"]


def test_the_live_view_leaves_only_the_news_behind() -> None:
    screen = console(terminal=True)
    with LiveView(screen, PLAN, "title") as live:
        live(progress())
        live(progress(saturated=True))
    assert "0→1 saturated from 7.00 Mpps" in text_of(screen)


def test_the_view_fits_where_it_is_shown() -> None:
    assert isinstance(watcher(console(terminal=True), PLAN, "", quiet=False), LiveView)
    assert isinstance(watcher(console(), PLAN, "", quiet=False), PlainLines)
    assert isinstance(watcher(console(terminal=True), PLAN, "", quiet=True), NoView)


def ended(**changes: Any) -> Result:
    channel = {
        "max_received_pps": 6e6,
        "max_received_percent": 40.32,
        "saturation": {"t": 1.0, "offered_pps": 7e6, "offered_percent": 47.04, "received_pps": 6e6},
        "tester_limited": False,
        "sent_packets": 1_000_000,
        "lost_packets": 1234,
        **changes,
    }
    return Result("x", {}, (), outcome={"status": "complete", "channels": {"0→1": channel}})


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {},
            "max received 6.00 Mpps (40.3 % of line), saturated from 7.00 Mpps (47.0 % of line) on; "
            "of 1,000,000 packets 1,234 lost",
        ),
        (
            {"saturation": None, "max_received_percent": None, "lost_packets": 0},
            "max received 6.00 Mpps, not saturated; of 1,000,000 packets 0 lost",
        ),
        (
            {"saturation": None, "asked_packets": 1_500_000, "refused_packets": 500_000, "late_packets": 0},
            "max received 6.00 Mpps (40.3 % of line), not saturated; of 1,500,000 packets 1,234 lost, 500,000 refused",
        ),
        (
            {"saturation": None, "asked_packets": 1_500_000, "late_packets": 500_000, "tester_limited": True},
            "max received 6.00 Mpps (40.3 % of line), not saturated; of 1,500,000 packets 1,234 lost, 500,000 late; "
            "the tester was the limit, not the DUT",
        ),
        (
            {"saturation": None, "tester_limited": True},
            "max received 6.00 Mpps (40.3 % of line), not saturated; of 1,000,000 packets 1,234 lost; "
            "sent less than asked",
        ),
        ({"max_received_pps": None}, "no ramp was measured; of 1,000,000 packets 1,234 lost"),
    ],
)
def test_the_summary_says_the_best_rate_the_limit_and_whose_it_is(changes: dict[str, Any], line: str) -> None:
    assert summary(ended(**changes), "x.json") == ["x complete", f"  0→1  {line}", "result in x.json"]


@pytest.mark.parametrize(
    ("ratio", "text"), [(0, "0 %"), (1e-9, "< 0.001 %"), (0.00012, "0.012 %"), (0.5, "50 %"), (1, "100 %")]
)
def test_a_loss_is_never_shown_as_none(ratio: float, text: str) -> None:
    assert format_loss(ratio) == text
