"""The tests of RFC 2544 with a simulated T-Rex and device: their figures, and how they end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harness.waiting import wait_for
from simulated_trex import SimulatedTrex
from trex_fields import Fields, Refused

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import ConnectionFault, MeasurementError, RemoteError, UsageError
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_file, write_file
from wirespeed.measurement.rfc.bench import RfcProgress
from wirespeed.measurement.rfc2544.plan import Rfc2544Plan, parse_sizes, parse_test
from wirespeed.measurement.rfc2544.result import Rfc2544Result, Row, Test
from wirespeed.measurement.rfc2544.run import raise_for_ending, run_rfc2544
from wirespeed.profiles import load_profile
from wirespeed.results.dut import DutFacts
from wirespeed.results.journal import Journal, journal_path
from wirespeed.results.lab import LabFacts
from wirespeed.results.recorder import JournalRecorder
from wirespeed.trial import tester
from wirespeed.trial.directions import pair_directions
from wirespeed.trial.load import load_of
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate, line_rate_pps

pytestmark = pytest.mark.early

LINE_PPS = line_rate_pps(64, 10e9)
QUICK = Rfc2544Plan(
    frames=parse_sizes("64", ip6=False),
    trial_s=0.2,
    repeats=2,
    waits_s=(0.0, 0.0, 0.0),
    resolution=0.05,
    burst_most_s=0.1,
    lab=LabFacts(kind="simulated"),
    dut=DutFacts("a loop"),
)


def of(*tests: Test) -> Rfc2544Plan:
    return replace(QUICK, tests=tests)


def run(trex: SimulatedTrex, plan: Rfc2544Plan, **more: Any) -> Rfc2544Result:
    with GeneratorClient(trex.server, timeout_s=2.0) as client:
        client.connect()
        return run_rfc2544(plan, Execution(client, **more))


@contextmanager
def loop(**simulation: Any) -> Iterator[SimulatedTrex]:
    with SimulatedTrex(**simulation) as trex:
        yield trex
        assert trex.idle, "a test left traffic, streams or ports behind"


# ---- bursts of a trial


@contextmanager
def bare_trial(trex: SimulatedTrex) -> Iterator[Trial]:
    wires = pair_directions()
    load = load_of({port: load_profile("bench", {"size": "64"}, port, port) for port in (0, 1)})
    with GeneratorClient(trex.server, timeout_s=2.0) as client:
        client.connect()
        with Trial(tester.Tester(client, wires), load) as trial:
            yield trial


@pytest.mark.parametrize("extended", [True, False])
def test_a_burst_is_ended_by_the_server_to_the_frame(extended: bool) -> None:
    with loop(extended=extended) as trex, bare_trial(trex) as trial:
        for frames in (100, 20_000, 100):
            found = trial.measure(Rate(1e6, "pps"), frames / 1e6)
            for channel in found.channels.values():
                assert channel.balance.sent == pytest.approx(frames, abs=1)  # however late the check is
                assert channel.balance.lost == 0
                assert channel.offered_pps == pytest.approx(1e6, rel=0.02)
    assert "stop_traffic" in trex.methods  # requests to an idle port: they prove that the port is still owned


def test_a_buffer_holds_a_burst_and_no_more() -> None:
    with loop(capacity_pps=4e6, buffer_frames=1000.0) as trex, bare_trial(trex) as trial:
        # Length of a burst that just fills the buffer: 1000 = n x (1 - 4 / 10)
        assert trial.measure(Rate(10e6, "pps"), 1600 / 10e6).balance.lost == 0
        assert trial.measure(Rate(10e6, "pps"), 1800 / 10e6).balance.lost > 0


def test_a_server_that_does_not_end_a_burst_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirespeed.trial.trial._END_MOST_S", 0.1)
    with loop() as trex:
        for port in trex.ports:
            monkeypatch.setattr(port, "tick", lambda now_s: None)
        with bare_trial(trex) as trial, pytest.raises(ConnectionFault, match="still sends 0.1 s after the 0.01 s"):
            trial.measure(Rate(1e6, "pps"), 0.01)


def test_residual_frames_are_waited_for_as_long_as_asked() -> None:
    wires = pair_directions(only="0-1")
    load = load_of({0: load_profile("bench", {"size": "64"}, 0, 0)})
    with loop() as trex, GeneratorClient(trex.server, timeout_s=2.0) as client:
        client.connect()
        with Trial(tester.Tester(client, wires), load, residual_s=0.3) as trial:
            assert trial.measure(Rate(1e5, "pps"), 0.05).drain.duration_s >= 0.3


# ---- the tests


def test_throughput_of_a_device_is_what_it_carries() -> None:
    with loop(capacity_pps=4e6) as trex:
        result = run(trex, of("throughput"))
    (row,) = result.throughput
    assert result.ending.status == "complete"
    assert row.limit == "dut" and not row.irregular
    assert row.throughput_pps is not None and row.upper_pps is not None
    assert 0.9 * 4e6 <= row.throughput_pps <= 4.1e6
    assert row.line_pps == pytest.approx(LINE_PPS)
    assert row.line_percent == pytest.approx(row.throughput_pps / LINE_PPS * 100)
    decisive = [one for one in result.trials if one.load_pps == row.throughput_pps]
    assert any(one.intended_s == pytest.approx(0.2) for one in decisive), "the answer is of a trial of full length"
    raise_for_ending(result)


def test_the_line_and_the_tester_are_not_the_device() -> None:
    with loop() as trex:
        (row,) = run(trex, of("throughput")).throughput
    assert row.is_line and row.line_percent == pytest.approx(100)
    with loop(tester_pps=3e6) as trex:
        (row,) = run(trex, of("throughput")).throughput
    assert row.is_at_least and "the tester could not offer more" in row.irregular


def test_each_size_has_its_own_line() -> None:
    with loop() as trex:
        result = run(trex, replace(of("throughput"), frames=parse_sizes("64,1518,imix", ip6=False)))
    assert [row.frame for row in result.throughput] == ["64", "1518", "imix"]
    assert result.throughput[1].line_pps == pytest.approx(812_743.8, rel=1e-6)
    assert all(row.is_line for row in result.throughput)


def test_ipv6_frames_are_sent() -> None:
    with loop() as trex:
        result = run(trex, replace(of("throughput"), frames=parse_sizes("82", ip6=True), ip6=True))
    assert result.throughput[0].is_line and result.method.protocol == "UDP over IPv6"


def test_loss_falls_to_none_in_steps() -> None:
    with loop(capacity_pps=0.75 * LINE_PPS) as trex:
        (row,) = run(trex, of("frame-loss")).frame_loss
    assert [point.intended_percent for point in row.points[:4]] == [100, 90, 80, 70]
    assert row.points[0].loss_percent == pytest.approx(25, abs=1)
    assert row.points[1].loss_percent == pytest.approx(16.7, abs=1)
    assert row.points[-1].loss_percent == row.points[-2].loss_percent == 0
    assert row.lossless_twice and not row.irregular
    assert row.points[0].offered_percent == pytest.approx(100, abs=5)


def test_a_tester_that_falls_short_says_so_beside_each_loss() -> None:
    with loop(tester_pps=0.5 * LINE_PPS) as trex:
        (row,) = run(trex, of("frame-loss")).frame_loss
    assert row.points[0].offered_percent < 60
    assert "the tester was the limit" in row.points[0].irregular


def test_bursts_tell_the_buffer() -> None:
    capacity, buffer = 4e6, 200_000.0
    with loop(capacity_pps=capacity, buffer_frames=buffer) as trex:
        result = run(trex, of("throughput", "back-to-back"))
    (row,) = result.back_to_back
    assert not row.skipped and not row.irregular and len(row.lengths) == 2
    spread = row.spread
    assert spread is not None
    assert spread.mean == pytest.approx(buffer / (1 - capacity / LINE_PPS), rel=0.06)
    # The rest of such a burst in the buffer is all that it holds; the time is that of as many frames on the link.
    assert row.corrected_s == pytest.approx(buffer / LINE_PPS, rel=0.15)
    assert row.longest == round(0.1 * LINE_PPS)


def test_bursts_of_a_device_that_carries_the_line_are_not_sent() -> None:
    with loop() as trex:
        result = run(trex, of("throughput", "back-to-back"))
    (row,) = result.back_to_back
    assert "its throughput is the line rate" in row.skipped and not row.lengths
    with loop(tester_pps=3e6) as trex:
        (row,) = run(trex, of("throughput", "back-to-back")).back_to_back
    assert "the tester was the limit of its throughput" in row.skipped


def test_recovery_takes_as_long_as_the_queue() -> None:
    # 10 % above its capacity, the queue of 80 000 is full at the cut; then 55 % are received, so it drains at 45 %.
    capacity, buffer = 4e6, 80_000.0
    with loop(capacity_pps=capacity, buffer_frames=buffer) as trex:
        result = run(trex, replace(of("throughput", "recovery"), trial_s=0.5, resolution=0.01))
    (row,) = result.recovery
    assert row.overload_pps == pytest.approx(1.1 * row.throughput_pps)
    assert row.reduced_pps == pytest.approx(row.overload_pps / 2)
    assert row.resolution_s > 0
    spread = row.spread_s
    assert spread is not None and spread.count == 2
    empty_s = buffer / (capacity - row.reduced_pps)
    assert spread.least >= empty_s - row.resolution_s
    assert spread.most <= empty_s + 3 * row.resolution_s


def test_an_overload_that_loses_nothing_says_so() -> None:
    with loop() as trex:
        (row,) = run(trex, of("throughput", "recovery")).recovery
    assert row.overload_pps == pytest.approx(LINE_PPS)
    assert "2 of 2 overloads lost nothing to recover from" in row.irregular and not row.times_s


def gone_for(trex: SimulatedTrex, seconds: float) -> Callable[[], None]:
    """A device that forwards nothing for a while, and then everything again."""

    def reset() -> None:
        trex.device.outages.append((trex.now_s, trex.now_s + seconds))
        time.sleep(seconds)

    return reset


def test_reset_is_the_loss_over_the_rate() -> None:
    plan = replace(of("throughput", "reset"), frames=parse_sizes("128,64", ip6=False), reset_kind="by hand")
    with loop() as trex:
        result = run(trex, plan, restart=gone_for(trex, 0.5))
    (row,) = result.reset
    assert (row.frame, row.kind, len(row.times_s)) == ("64", "by hand", 2)
    assert row.load_pps == result.throughput[1].throughput_pps
    for seconds in row.times_s:
        assert seconds == pytest.approx(0.5, abs=0.1)
    assert row.lost[0] == pytest.approx(2 * row.times_s[0] * row.load_pps, rel=0.1)


def test_a_generator_hears_us_while_a_reset_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirespeed.measurement.rfc2544.disturbances.HEARTBEAT_S", 0.01)
    heard: list[int] = []
    with loop() as trex:

        def reset() -> None:
            before = trex.methods.count("resume_streams")
            wait_for(lambda: trex.methods.count("resume_streams") >= before + 4, "four heartbeats")
            heard.append(trex.methods.count("resume_streams") - before)

        run(trex, replace(of("throughput", "reset"), repeats=1, reset_kind="slowly"), restart=reset)
    assert heard[0] >= 4


def test_a_reset_that_fails_ends_the_tests_and_keeps_the_rows() -> None:
    def reset() -> None:
        raise MeasurementError("no such outlet")

    with loop() as trex:
        result = run(trex, replace(of("throughput", "reset"), reset_kind="x"), restart=reset)
    assert (result.ending.status, result.ending.exit_code, result.ending.reason) == ("failed", 5, "no such outlet")
    assert result.throughput and not result.reset


def test_latency_is_the_mean_of_repeats_of_tagged_frames() -> None:
    with loop(extended=False) as trex:
        result = run(trex, of("throughput", "latency"))
    assert [row.direction for row in result.latency] == ["0→1", "1→0"]
    for row in result.latency:
        spread = row.spread_us
        assert spread is not None and spread.count == 2
        assert 40 <= spread.least <= spread.most <= 42  # the server's count of all its packets
        assert row.tagged_bytes == 64
        assert row.load_pps == result.throughput[0].throughput_pps


# ---- how they end


def test_everything_comes_back_from_its_file_and_from_its_journal(tmp_path: Path) -> None:
    plan = replace(QUICK, tests=parse_test("all"), name="x", reset_kind="by hand")
    file, other = tmp_path / "x.json", tmp_path / "y.json"
    journal = Journal(journal_path(other))
    with loop(capacity_pps=4e6, buffer_frames=50_000.0) as trex:
        result = run(trex, plan, restart=gone_for(trex, 0.2), recorder=JournalRecorder(journal))
    journal.close()
    assert all(result.rows(test) for test in plan.tests)
    write_file(result, file)
    assert read_file(file) == result
    kept = read_file(other)
    assert isinstance(kept, Rfc2544Result)
    assert kept.trials == result.trials
    assert all(kept.rows(test) == result.rows(test) for test in plan.tests)
    assert kept.ending.status == "interrupted"


def test_a_watcher_sees_each_trial_and_each_row() -> None:
    seen: list[RfcProgress[Any, Any, Any]] = []
    with loop(capacity_pps=4e6) as trex:
        result = run(trex, of("throughput", "frame-loss"), watch=seen.append)
    assert tuple(one.trial for one in seen if one.trial is not None) == result.trials
    rows: list[Row] = [one.row for one in seen if one.row is not None]
    assert rows == [*result.throughput, *result.frame_loss]


def test_stop_keeps_the_rows_that_there_are() -> None:
    stop = threading.Event()

    def watch(progress: RfcProgress[Any, Any, Any]) -> None:
        if progress.test == "frame-loss" and progress.trial is not None:
            stop.set()

    with loop(capacity_pps=4e6) as trex:
        result = run(trex, of("throughput", "frame-loss"), watch=watch, stop=stop)
    assert result.ending.status == "interrupted"
    assert result.throughput and not result.frame_loss


def test_a_search_that_was_stopped_keeps_what_it_knows() -> None:
    stop = threading.Event()

    def watch(progress: RfcProgress[Any, Any, Any]) -> None:
        if progress.count >= 4:
            stop.set()

    with loop(capacity_pps=4e6) as trex:
        result = run(trex, of("throughput"), watch=watch, stop=stop)
    (row,) = result.throughput
    assert row.irregular == "the search was ended before it was done" and row.upper_pps is not None
    raise_for_ending(result)


def test_a_generator_that_goes_away_fails_them_and_keeps_the_trials() -> None:
    with SimulatedTrex(capacity_pps=4e6, dies_after=30) as trex:
        result = run(trex, of("throughput"))
    assert (result.ending.status, result.ending.exit_code) == ("failed", 4)
    assert result.trials
    with pytest.raises(ConnectionFault):
        raise_for_ending(result)


def test_a_device_that_returns_nothing_has_no_throughput() -> None:
    with loop(silent=(0, 1)) as trex:
        result = run(trex, replace(QUICK, tests=parse_test("all"), reset_kind="x"), restart=lambda: None)
    assert result.throughput[0].throughput_pps is None
    assert not (result.latency or result.recovery or result.reset)
    assert "no throughput was found" in result.back_to_back[0].skipped
    with pytest.raises(MeasurementError, match="no throughput was found: the DUT returned nothing"):
        raise_for_ending(result)


def test_frames_that_the_ports_do_not_carry_are_left_out_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    add = SimulatedTrex._do_add_stream

    def refuse(self: SimulatedTrex, params: Fields) -> Any:
        if len(params.raw["stream"]["packet"]["binary"]) > 4000:
            raise Refused("packet is longer than the port's MTU")
        return add(self, params)

    monkeypatch.setattr(SimulatedTrex, "_do_add_stream", refuse)
    with loop() as trex:
        result = run(trex, replace(of("throughput"), frames=parse_sizes("64,9000", ip6=False)))
        assert [row.frame for row in result.throughput] == ["64"]
        assert any("frames of 9000 were not tested" in note and "MTU" in note for note in result.ending.notes)
        with pytest.raises(RemoteError, match="MTU"):
            run(trex, replace(of("throughput"), frames=parse_sizes("9000", ip6=False)))


def test_a_line_without_a_speed_is_refused_before_anything_is_sent() -> None:
    with loop(speed_gbps=0.0) as trex:
        with pytest.raises(UsageError, match="has no line speed, to which all loads of RFC 2544 refer"):
            run(trex, QUICK)
        assert not trex.ports[0].rates_asked
