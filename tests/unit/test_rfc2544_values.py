"""The formulas, schedules and texts of RFC 2544 and its updates, against figures calculated by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from wirespeed.errors import UsageError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.rfc.loss import LossPoint, frame_loss, frame_loss_percent, loss_loads
from wirespeed.measurement.rfc2544.plan import (
    Frame,
    Rfc2544Plan,
    check_plan,
    parse_sizes,
    parse_test,
    parse_waits,
)
from wirespeed.measurement.rfc2544.result import (
    BackToBackRow,
    FrameLossRow,
    LatencyRow,
    Method,
    RecoveryRow,
    ResetRow,
    Rfc2544Result,
    Rfc2544Settings,
    ThroughputRow,
    corrected_buffer_s,
    implied_buffer_s,
    spread_of,
)
from wirespeed.measurement.rfc2544.schedules import (
    MissingFrames,
    outage_s,
    recovery_s,
)
from wirespeed.measurement.rfc2544.text import TEXT
from wirespeed.results.channel import Channel
from wirespeed.trial.bursts import Burst, longest_burst
from wirespeed.units import line_rate_pps


def test_the_worked_example_of_a_corrected_buffer() -> None:
    assert implied_buffer_s(26_000, 14.88e6) == pytest.approx(1.747e-3, abs=5e-7)
    assert corrected_buffer_s(26_000, 14.88e6, 7.77e6) == pytest.approx(0.835e-3, abs=5e-7)
    row = BackToBackRow("64", 64.0, 14.88e6, 7.77e6, lengths=(25_000.0, 26_000.0, 27_000.0))
    assert row.implied_s is not None and row.corrected_s is not None
    assert (f"{row.implied_s * 1e3:.3f}", f"{row.corrected_s * 1e3:.3f}") == ("1.747", "0.835")
    assert row.spread is not None
    assert (row.spread.mean, row.spread.least, row.spread.most, row.spread.stdev) == (26_000, 25_000, 27_000, 1_000)
    assert BackToBackRow("64", 64.0, 14.88e6, None, lengths=(1.0,)).corrected_s is None


def test_a_device_that_forwards_nothing_meanwhile_needs_no_correction() -> None:
    assert corrected_buffer_s(1000, 1e6, 0.0) == implied_buffer_s(1000, 1e6)
    assert corrected_buffer_s(1000, 1e6, 1e6) == 0


@pytest.mark.parametrize(
    ("size", "fps"),
    [(64, 14_880_952), (128, 8_445_945), (256, 4_528_985), (512, 2_349_624), (1024, 1_197_318), (1280, 961_538)],
)
def test_theoretical_rates_of_a_10g_line_are_rounded_down(size: int, fps: int) -> None:
    row = ThroughputRow(str(size), float(size), line_rate_pps(size, 10e9), line_rate_pps(size, 10e9), limit="line")
    text = text_of(replace(RESULT, throughput=(row,)))
    assert f"{fps:,}".replace(",", " ") in text
    assert row.line_percent == pytest.approx(100)


def test_loss_is_percent_of_what_was_offered() -> None:
    assert frame_loss_percent(1000, 990) == 1.0
    assert frame_loss_percent(3, 2) == pytest.approx(33.333, abs=1e-3)
    assert frame_loss_percent(0, 0) == 0
    assert frame_loss_percent(10, 12) == 0  # more packets than were sent are not a negative loss


def test_one_measurement_has_no_deviation_and_none_no_mean() -> None:
    assert spread_of(()) is None
    one = spread_of((5.0,))
    assert one is not None and (one.mean, one.stdev) == (5.0, 0.0)


# ---- schedules


def point(percent: float, loss: float) -> LossPoint:
    return LossPoint(percent, percent * 1e4, percent, percent * 1e4, loss)


def test_the_loss_rate_is_measured_down_to_two_trials_on_end_without_loss() -> None:
    lossy_at_60 = {60.0: 0.5}
    points, twice = frame_loss(lambda load: point(load, lossy_at_60.get(load, max(0.0, load - 80))), 10.0)
    assert [one.intended_percent for one in points] == [100, 90, 80, 70]
    assert twice
    points, twice = frame_loss(lambda load: point(load, 0.5 if load == 70 else max(0.0, load - 80)), 10.0)
    assert [one.intended_percent for one in points] == [100, 90, 80, 70, 60, 50]
    points, twice = frame_loss(lambda load: point(load, 1.0), 10.0)
    assert (len(points), points[-1].intended_percent, twice) == (10, 10.0, False)


def test_steps_end_above_nothing() -> None:
    assert list(loss_loads(10)) == [100, 90, 80, 70, 60, 50, 40, 30, 20, 10]
    assert list(loss_loads(40)) == [100, 60, 20]


@pytest.mark.parametrize("holds", [1, 7, 1000, 26_000, 999_999])
def test_the_longest_burst_is_found_to_the_resolution(holds: int) -> None:
    found = longest_burst(lambda frames: Burst(frames, frames <= holds), 1_000_000, 0.01, signature=1)
    assert not found.is_longest_tried
    assert holds * 0.98 - 1 <= found.frames <= holds


def test_a_loss_that_does_not_repeat_is_no_full_buffer() -> None:
    rng, sent = random.Random(7), []

    def send(frames: int) -> Burst:
        sent.append(frames)
        return Burst(frames, frames <= 5000 and rng.random() > 0.2)

    assert longest_burst(send, 100_000, 0.01, signature=6).frames == pytest.approx(5000, rel=0.02)
    assert max(sent.count(frames) for frames in sent) <= 7


def test_bursts_that_never_or_always_come_back() -> None:
    whole = longest_burst(lambda frames: Burst(frames - 2, whole=True), 1000, 0.01, signature=1)
    assert (whole.frames, whole.trials, whole.is_longest_tried) == (998, 1, True)
    none = longest_burst(lambda frames: Burst(frames, whole=False), 1000, 0.01, signature=0)
    assert none.frames == 0 and not none.is_longest_tried


def test_a_length_that_is_not_sent_back_to_back_ends_the_search() -> None:
    sent = []

    def send(frames: int) -> Burst:
        sent.append(frames)
        return Burst(frames, whole=frames < 1000, back_to_back=frames < 1000 or len(sent) % 2 == 0)

    found = longest_burst(send, 100_000, 0.01, signature=1, first=256)
    assert sent == [256, 512, 1024, 1024], "one of the two was sent with gaps"
    assert (found.frames, found.tester_limited, found.is_longest_tried) == (512, True, False)


def test_bursts_grow_from_the_first_and_are_narrowed_from_there() -> None:
    sent = []

    def send(frames: int) -> Burst:
        sent.append(frames)
        return Burst(frames, frames <= 5000)

    found = longest_burst(send, 100_000, 0.01, signature=0, first=64)
    assert sent[:8] == [64, 128, 256, 512, 1024, 2048, 4096, 8192] and max(sent) == 8192
    assert 5000 * 0.98 <= found.frames <= 5000 and found.trials == len(sent)
    sent.clear()
    whole = longest_burst(send, 200, 0.01, signature=0, first=64)
    assert sent == [64, 128, 200] and (whole.frames, whole.is_longest_tried) == (200, True)


def test_recovery_ends_with_the_last_loss() -> None:
    # 500 are in flight all the time; 10 000 are lost in the end, the last of them 40 ms after the cut.
    growing = [MissingFrames(1.0 + ms / 1000, 500 + 10_000 * min(1.0, 0.6 + ms / 100)) for ms in range(0, 200, 10)]
    assert recovery_s(growing, cut_s=1.0) == pytest.approx(0.04)
    at_once = [MissingFrames(1.0 + ms / 1000, 10_500) for ms in range(0, 200, 10)]
    assert recovery_s(at_once, cut_s=1.0) == 0
    assert recovery_s([], cut_s=1.0) == 0
    emptied = [MissingFrames(1.0 + ms / 1000, 10_000 + max(0, 3000 - 100 * ms)) for ms in range(0, 200, 10)]
    assert recovery_s(emptied, cut_s=1.0) == pytest.approx(0.03)


def test_an_outage_is_the_loss_over_the_rate() -> None:
    assert outage_s(1000.0, 3000.0, 5.0) == pytest.approx(2.0)
    assert outage_s(1000.0, 5001.0, 5.0) == 0
    assert outage_s(0.0, 0.0, 5.0) == 0


# ---- plans


def test_sizes_as_a_user_names_them() -> None:
    assert [frame.name for frame in parse_sizes("", ip6=False)] == ["64", "128", "256", "512", "1024", "1280", "1518"]
    assert [frame.name for frame in parse_sizes("", ip6=True)] == ["82", "128", "256", "512", "1024", "1280", "1518"]
    assert parse_sizes("64,9000,imix", ip6=False)[2] == Frame("imix", {"size": "imix"})
    assert parse_sizes("128", ip6=True)[0].tunables == {"size": "128", "ip": "6"}


@pytest.mark.parametrize("text", ["63", "9217", "x", "64,,128", "64,64", "-64", "64.5"])
def test_sizes_that_cannot_be(text: str) -> None:
    with pytest.raises(UsageError, match="size"):
        parse_sizes(text, ip6=False)


def test_small_ipv6_frames_are_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match=r"from 82 \(IPv6, UDP and the tester's signature take as much\)"):
        parse_sizes("64", ip6=True)


def test_tests_bring_what_they_stand_on() -> None:
    assert parse_test("throughput") == ("throughput",)
    assert parse_test("recovery") == ("throughput", "recovery")
    assert parse_test("frame-loss") == ("frame-loss",)
    assert len(parse_test("all")) == 6
    with pytest.raises(UsageError, match="test 'speed' is not known: give throughput, latency"):
        parse_test("speed")


@pytest.mark.parametrize("text", ["2", "2,2", "2,2,x", "2,2,-1", "2,2,inf", "nan,2,2"])
def test_waits_that_cannot_be(text: str) -> None:
    with pytest.raises(UsageError, match="waits"):
        parse_waits(text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trial_s": 0.0}, "--trial 0 is not a duration"),
        ({"trial_s": float("nan")}, "--trial nan is not a duration"),
        ({"repeats": 0}, "--repeats 0: give 1 or more"),
        ({"resolution": 0.0}, "--resolution 0: give a share"),
        ({"tunables": {"size": "64"}}, "frames are chosen by --sizes"),
        ({"directions": (Channel(0, 1), Channel(0, 2))}, "port 0 is to send to port 1 and to port 2"),
    ],
)
def test_plans_that_cannot_be_run(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_plan(replace(Rfc2544Plan(frames=parse_sizes("64", ip6=False)), **changes))  # type: ignore[arg-type]


def test_a_whole_method_differs_only_where_it_has_to() -> None:
    method = Rfc2544Plan(frames=parse_sizes("", ip6=False)).method
    assert (method.learning_s, method.residual_s, method.restabilise_s) == (2, 2, 5)
    assert (method.latency_repeats, method.burst_repeats) == (20, 50)
    told = method.conformance("throughput")
    assert told.startswith("RFC 2544 §26.1 except: addresses of 16.0.0.0/8")
    assert "§24" not in told and "§9.1" not in told and "waits" not in told
    assert "repeats" not in method.conformance("back-to-back")


def test_a_short_method_says_each_way_in_which_it_is_short() -> None:
    method = Rfc2544Plan(frames=parse_sizes("64,1518", ip6=False), trial_s=2.0).method
    assert (method.latency_repeats, method.burst_repeats) == (3, 3)
    assert (method.learning_s, method.restabilise_s) == (0.067, 0.167)
    for words in ("trials of 2 s, not of at least 60 s (§24)", "waits of 0.067, 0.067, 0.167 s", "sizes 64, 1518 only"):
        assert words in method.conformance("throughput")
    assert "streams of 4 s, not of at least 120 s; 3 repeats, not at least 20" in method.conformance("latency")
    assert method.conformance("back-to-back").startswith("RFC 9004 (RFC 2544 §26.4) except: 3 repeats, not at least 50")
    half = Rfc2544Plan(frames=parse_sizes("64", ip6=False), trial_s=30.0).method
    assert (half.latency_repeats, half.burst_repeats) == (10, 25)
    told = Rfc2544Plan(frames=parse_sizes("64", ip6=False), trial_s=2.0, repeats=7, waits_s=(2, 2, 5)).method
    assert (told.latency_repeats, told.burst_repeats, told.restabilise_s) == (7, 7, 5)


def test_ipv6_is_of_the_benchmarks_addresses() -> None:
    method = Rfc2544Plan(frames=parse_sizes("", ip6=True), ip6=True).method
    assert method.protocol == "UDP over IPv6" and "2001:2::/49" in method.stream_format
    told = method.conformance("throughput")
    assert "82 bytes are the least" in told and "198.18" not in told and "§9.1" not in told


def test_reset_without_a_way_to_do_it() -> None:
    plan = Rfc2544Plan(frames=parse_sizes("64", ip6=False))
    assert "reset" not in plan.with_reset("").tests
    with pytest.raises(UsageError, match="give --reset-command, or --lab embedded"):
        replace(plan, tests=parse_test("reset")).with_reset("")


# ---- the block of text

RESULT = Rfc2544Result(
    name="edge",
    variables=Rfc2544Settings(),
    directions=(Channel(0, 1), Channel(1, 0)),
    method=Rfc2544Plan(frames=parse_sizes("64,1518", ip6=False), trial_s=2.0).method,
)


def text_of(result: Rfc2544Result) -> str:
    return TEXT.text_block(result, verdict_of(result))


def test_the_block_says_what_each_section_demands() -> None:
    points = (LossPoint(100, 1e6, 99.5, 995_000, 12.3456), LossPoint(90, 9e5, 90, 9e5, 0.0001), point(80, 0))
    text = text_of(
        replace(
            RESULT,
            throughput=(
                ThroughputRow("64", 64, 14_880_952.4, 7_770_000, 7_800_000, "dut", trials=9),
                ThroughputRow("1518", 1518, 812_743.8, 700_000, 710_000, "tester", 5, irregular="the tester could not"),
            ),
            latency=(
                LatencyRow("64", 64, "0→1", 7.77e6, 14.88e6, (40.0, 50.0), 12.0, 99.0, tagged=9, baseline_us=3.0),
            ),
            frame_loss=(FrameLossRow("64", 64, 1e6, points, lossless_twice=False, irregular="no two trials"),),
            back_to_back=(
                BackToBackRow("64", 64, 14.88e6, 7.77e6, (26_000.0,), 29_760_000, 14.88e6, 20),
                BackToBackRow("1518", 1518, 812_743.8, 812_743.8, skipped="its throughput is the line rate"),
            ),
            recovery=(RecoveryRow("64", 64, 7.77e6, 8.547e6, 4.2735e6, 2.0, (0.010, 0.030), 0.005, 1e6),),
            reset=(ResetRow("64", 64, "software reset", 7.77e6, (1.5,), (11_655_000.0,)),),
        )
    )
    for words in (
        "bidirectional (0→1, 1→0)",
        "14 880 952 |",
        "As a single number: 7 770 000 frames/s of 64 bytes, of a theoretical 14 880 952, UDP over IPv4.",
        "≥ 700 000",
        "- 1518: the tester could not",
        "| 45.0 | 7.1 | 12.0 | 99.0 | 3.0 | 9 (0) |",
        "12.346",
        "< 0.001",
        "1.747 |",
        "0.835 |",
        "- 1518: its throughput is the line rate",
        "| 20.0 | 10.0 | 30.0 | 5.0 |",
        "software reset",
        "Conformance: RFC 2544 §26.1 except: trials of 2 s",
        "In all tests not as the RFC has it: waits of 0.067, 0.067, 0.167 s",
        "Conformance: RFC 6201 (RFC 2544 §26.6) except: one type of reset, not each that the DUT has, and except as",
        "RFC 6815",
    ):
        assert words in " ".join(text.split()), words
    assert all(len(set(map(len, block))) == 1 for block in tables_of(text))


def tables_of(text: str) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def test_a_test_without_rows_has_no_section() -> None:
    text = text_of(RESULT)
    assert "##" not in text and "DUT: not described" in text


def test_methods_say_nothing_of_tests_that_are_as_the_rfc_has_them() -> None:
    assert Method(("throughput",), ("64",)).conformance("throughput") == "RFC 2544 §26.1"
