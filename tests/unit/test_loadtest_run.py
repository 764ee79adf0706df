"""Whole load tests with a simulated T-Rex: results, and the end of tests that cannot continue."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest
from simulated_trex import SimulatedTrex

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.dut.dut import DutReading
from wirespeed.dut.none import NoDut
from wirespeed.errors import ConnectionFault, EnvironmentFault, MeasurementError, RemoteError, UsageError
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_as, write_file
from wirespeed.measurement.loadtest.plan import LoadPlan
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.loadtest.run import LoadTestProgress, run_loadtest
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutFacts, DutTelemetry
from wirespeed.results.ending import raise_for
from wirespeed.results.lab import LabFacts
from wirespeed.results.outcome import PortFacts
from wirespeed.results.point import points
from wirespeed.results.sample import Sample
from wirespeed.trial.directions import pair_directions
from wirespeed.units import Rate

pytestmark = pytest.mark.early

LINE_PPS = 10e9 / 672
ONE_WAY = pair_directions(only="0-1")
QUICK = LoadPlan(
    "bench",
    {"size": "64", "vm": "var2"},
    warmup_rate=Rate(100_000, "pps"),
    warmup_s=0.06,
    ramp_s=0.36,
    hold_s=0.09,
    interval_s=0.03,
    lab=LabFacts(kind="simulated"),
    dut=DutFacts("a loop"),
    versions={"dut": "7"},
)


def run(trex: SimulatedTrex, plan: LoadPlan = QUICK, **more: Any) -> Result:
    with GeneratorClient(trex.server, timeout_s=2.0) as client:
        client.connect()
        return run_loadtest(plan, Execution(client, **more))


@contextmanager
def loop(**simulation: Any) -> Iterator[SimulatedTrex]:
    with SimulatedTrex(**simulation) as trex:
        yield trex
        assert trex.idle, "a test left traffic, streams or ports behind"


@pytest.mark.parametrize("extended", [True, False])
def test_a_device_that_carries_all_is_not_saturated(extended: bool) -> None:
    with loop(extended=extended) as trex:
        result = run(trex)
    assert result.ending.status == "complete"
    assert [sum(s.phase == phase for s in result.samples) for phase in ("warm-up", "ramp", "hold")] == [2, 12, 3]
    for channel in result.channels:
        ended = result.outcome.channels[str(channel)]
        assert ended.loss_onset is ended.saturation is None
        assert ended.balance.lost == 0
        assert ended.balance.sent == ended.balance.received > 0
        assert not ended.tester_limited
        assert ended.full_load is not None and ended.full_load.received_percent == pytest.approx(100, rel=0.1)
    assert trex.ports[0].rates_asked[0] == 100_000
    ramp = trex.ports[0].rates_asked[1:-1]
    assert ramp == pytest.approx([LINE_PPS * n / 12 for n in range(1, 13)])


@pytest.mark.parametrize("extended", [True, False])
def test_saturation_is_found_where_the_device_gives_out(extended: bool) -> None:
    with loop(extended=extended, capacity_pps=LINE_PPS * 0.55, latency_s=0.000_01) as trex:
        result = run(trex)
    for channel in result.channels:
        ended = result.outcome.channels[str(channel)]
        assert ended.loss_onset is not None
        assert ended.loss_onset.offered_percent == pytest.approx(7 / 12 * 100, rel=0.2)
        assert ended.loss_onset.received_pps == pytest.approx(LINE_PPS * 0.55, rel=0.2)
        assert not ended.tester_limited
        balance = ended.balance
        assert balance.lost > 0
        if extended:  # a virtual link refuses what the device does not take; it still counts as offered
            assert balance.intended == balance.sent + balance.refused
            assert balance.lost == balance.refused > 0 == balance.late
        else:
            assert balance.lost == balance.sent - balance.received
            assert balance.intended is None


def test_packets_under_way_at_the_end_are_waited_for() -> None:
    with loop(latency_s=0.1) as trex:
        result = run(trex, replace(QUICK, directions=ONE_WAY))
    ended = result.outcome.channels["0→1"]
    assert result.samples[-1].ports[0].opackets > result.samples[-1].ports[1].ipackets
    assert ended.balance.lost == 0
    assert result.outcome.settled


def test_a_slow_tester_is_not_taken_for_a_slow_device() -> None:
    with loop(tester_pps=LINE_PPS / 3) as trex:
        result = run(trex)
    for ended in result.outcome.channels.values():
        assert ended.saturation is None
        assert ended.tester_limited
        assert ended.balance.late > 0


def test_a_slow_trex_is_noticed_by_what_it_sends() -> None:
    with loop(extended=False, tester_pps=LINE_PPS / 3) as trex:
        result = run(trex)
    assert all(ended.tester_limited for ended in result.outcome.channels.values())


def test_unidirectional_traffic_leaves_the_second_port_silent() -> None:
    with loop() as trex:
        result = run(trex, replace(QUICK, directions=ONE_WAY))
    assert list(result.outcome.channels) == ["0→1"]
    assert trex.ports[1].rates_asked == []
    assert all(sample.ports[1].tx_pps == 0 for sample in result.samples)


def test_the_result_is_whole_and_survives_its_file(tmp_path: Path) -> None:
    with loop(extended=False) as trex:
        result = run(trex, replace(QUICK, name="x"))
    write_file(result, tmp_path / "x.json")
    again = read_as(Result, tmp_path / "x.json")
    assert again == result
    assert again.variables.server == trex.server
    assert again.versions == {"wirespeed": "0.1.0", "generator": "T-Rex v3.08", "dut": "7"}
    assert again.lab.kind == "simulated"
    assert again.ports[1] == PortFacts(1, "net_memif", "02:00:00:00:00:01", 10e9, "ring", "unknown")
    assert again.dut == DutFacts("a loop")
    assert again.samples[0].global_stats.items() >= {"cpu_util": 12.5, "queue_full": 3}.items()
    times = [sample.t_s for sample in again.samples]
    assert times == sorted(times)


def test_a_watcher_sees_every_sample_and_saturation_as_it_happens() -> None:
    seen: list[LoadTestProgress] = []
    with loop(capacity_pps=LINE_PPS / 4) as trex:
        result = run(trex, watch=seen.append)
    assert tuple(progress.sample for progress in seen) == result.samples
    assert seen[-1].remaining_s == pytest.approx(0, abs=1e-9)
    wire = Channel(0, 1)
    first = next(index for index, progress in enumerate(seen) if progress.outcomes[wire].loss_onset)
    assert seen[first].sample.phase == "ramp"
    lossy = seen[first].outcomes[wire].loss_onset
    assert lossy is not None
    assert lossy == result.outcome.channels["0→1"].loss_onset
    assert lossy.t_s < seen[first].sample.t_s
    assert seen[-1].points[wire] == list(points(result.samples, wire, result.medium(0), 10e9))


class Told(NoDut):
    """A device that counts its readings, and does not answer one of them."""

    name = "told"

    def __init__(self) -> None:
        self.readings = 0

    def describe(self) -> DutFacts:
        return DutFacts(self.name, "simulated")

    def reading(self) -> DutReading | None:  # type: ignore[override]
        self.readings += 1
        return DutReading(float(self.readings), "router gone" if self.readings == 4 else None)

    def telemetry(self, before: DutReading | None, after: DutReading | None) -> DutTelemetry:
        assert before is not None and after is not None
        error = before.error or after.error
        if error:
            return DutTelemetry(error=error)
        return DutTelemetry(after.at_s - before.at_s, drop_packets=7, drops={"no route": 7})


def test_what_the_device_says_goes_with_its_sample_even_when_it_does_not_answer() -> None:
    with loop() as trex:
        result = run(trex, replace(QUICK, dut=None), dut=Told())
    told = [sample.dut for sample in result.samples]
    assert [one.get("drop_packets") for one in told[:5]] == [7, 7, None, None, 7]
    assert told[2] == told[3] == {"error": "router gone"}
    assert result.dut.kind == "simulated"
    assert result.dut.dropped_packets == 7
    assert result.dut.drops == {"no route": 7}


def test_a_stall_delays_the_steps_that_follow_but_does_not_shorten_them() -> None:
    def stall(progress: LoadTestProgress) -> None:
        if progress.step.end_s == pytest.approx(0.12):
            threading.Event().wait(0.2)

    with loop() as trex:
        result = run(trex, watch=stall)
    assert len(result.samples) == 17
    # Without correct times there would be seven steps; a busy machine shortens one or two of them.
    assert sum(sample.interval_s < QUICK.interval_s / 3 for sample in result.samples) < 4
    assert result.samples[-1].t_s > QUICK.total_s + 0.15


@pytest.mark.parametrize("warmup_s", [0.06, 0.0])
def test_a_device_that_returns_nothing_ends_the_test_after_the_warm_up(warmup_s: float) -> None:
    with loop(silent=(0,)) as trex:
        result = run(trex, replace(QUICK, warmup_s=warmup_s))
    assert result.ending.status == "failed"
    assert all(sample.phase == "warm-up" for sample in result.samples) is (warmup_s > 0)
    with pytest.raises(MeasurementError, match=r"DUT returned nothing: \d+ packets left port 1 .* arrived on port 0"):
        raise_for(result.ending)


@pytest.mark.parametrize(("away", "status"), [(0.5, "complete"), (0.0, "failed"), (None, "failed")])
def test_a_warm_up_without_an_answer_goes_on_where_workers_were_away(
    monkeypatch: pytest.MonkeyPatch, away: float | None, status: str
) -> None:
    monkeypatch.setattr("wirespeed.measurement.loadtest.run.preempted_share", lambda before, sample: away)
    with loop() as trex:
        began_s = trex.now_s

        def answer(progress: LoadTestProgress) -> None:
            if progress.step.phase == "ramp" and trex.device.outages == [(began_s, inf)]:
                trex.device.outages[:] = [(began_s, trex.now_s)]

        trex.device.outages.append((began_s, inf))
        result = run(trex, watch=answer)
    assert result.ending.status == status, result.ending.reason


def test_a_port_that_sends_nothing_is_told_from_a_silent_device() -> None:
    with loop(capacity_pps=0) as trex:
        result = run(trex)
    with pytest.raises(MeasurementError, match=r"port 0 of the generator sent nothing .*refused by its medium"):
        raise_for(result.ending)


def test_a_generator_that_dies_leaves_the_samples() -> None:
    with SimulatedTrex(dies_after=25) as trex, GeneratorClient(trex.server, timeout_s=0.2) as client:
        client.connect()
        result = run_loadtest(QUICK, Execution(client))
    assert result.samples
    assert result.outcome.drain_s is None
    with pytest.raises(ConnectionFault, match="stopped answering"):
        raise_for(result.ending)


def test_a_port_stolen_in_the_middle_ends_the_test_and_frees_the_other() -> None:
    def steal(progress: LoadTestProgress) -> None:
        if progress.step.phase == "ramp" and trex.ports[1].owner != "thief":
            with GeneratorClient(trex.server) as thief:
                thief.connect()
                thief.user = "thief"
                thief.acquire((1,), force=True)

    with SimulatedTrex() as trex:
        result = run(trex, watch=steal)
        assert [port.owner for port in trex.ports] == ["", "thief"]
        assert not trex.ports[0].active
    assert result.ending.exit_code == 4
    assert "'thief' took it" in result.ending.reason
    assert result.samples


@pytest.mark.parametrize("how", ["event", "exception"])
def test_an_interrupted_test_keeps_what_it_measured(how: str) -> None:
    stop = threading.Event()

    def interrupt(progress: LoadTestProgress) -> None:
        if progress.step.phase == "ramp":
            if how == "exception":
                raise KeyboardInterrupt
            stop.set()

    with loop(capacity_pps=LINE_PPS / 24) as trex:
        result = run(trex, watch=interrupt, stop=stop)
    assert result.ending.status == "interrupted"
    assert [sample.phase for sample in result.samples] == ["warm-up", "warm-up", "ramp"]
    ended = result.outcome.channels["0→1"]
    assert ended.balance.lost == ended.balance.refused > 0
    assert ended.loss_onset is ended.saturation is None  # one failing sample is not enough
    raise_for(result.ending)  # an interrupt is not an error


def test_an_interrupt_before_traffic_leaves_nothing_behind() -> None:
    stop = threading.Event()
    stop.set()
    with loop() as trex, pytest.raises(KeyboardInterrupt):
        run(trex, stop=stop)
    assert "start_traffic" not in trex.methods


def test_an_error_of_the_watcher_still_gives_the_ports_back() -> None:
    def fail(progress: LoadTestProgress) -> None:
        raise BrokenPipeError

    with loop() as trex, pytest.raises(BrokenPipeError):
        run(trex, watch=fail)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"profile": "no-such"}, UsageError, "no-such"),
        ({"tunables": {"size": "tiny"}}, UsageError, "tiny"),
        ({"warmup_rate": Rate(20e6, "pps")}, UsageError, "warm-up rate of 20mpps exceeds the line"),
        ({"ramp_target": Rate(11e9, "bpsl1")}, UsageError, "ramp target of 11gbpsl1 exceeds the line"),
        ({"ramp_target": Rate(101, "percentage")}, UsageError, "at most 100"),
    ],
)
def test_what_cannot_run_is_refused_before_any_port_is_taken(
    changes: dict[str, Any], error: type[Exception], words: str
) -> None:
    with loop() as trex, pytest.raises(error, match=words):
        run(trex, replace(QUICK, **changes))
    assert "acquire" not in trex.methods


def test_a_line_without_speed_takes_packets_a_second_only() -> None:
    with loop(speed_gbps=0) as trex:
        with pytest.raises(UsageError, match="no line speed"):
            run(trex)
        result = run(trex, replace(QUICK, ramp_target=Rate(1e6, "pps")))
    best = result.outcome.channels["0→1"].full_load
    assert best is not None and best.received_percent is None
    assert result.samples[-1].ports[1].rx_util == 0


def other_session(user: str | None) -> Callable[[SimulatedTrex], GeneratorClient]:
    def make(trex: SimulatedTrex) -> GeneratorClient:
        client = GeneratorClient(trex.server)
        client.connect()
        client.user = user or client.user
        client.acquire((1,))
        return client

    return make


def test_a_port_of_somebody_else_is_left_alone_unless_forced() -> None:
    with SimulatedTrex() as trex, other_session("somebody")(trex):
        with pytest.raises(RemoteError, match=r"taken by 'somebody'; wait until .* take the port with --force"):
            run(trex)
        assert [port.owner for port in trex.ports] == ["", "somebody"]
        assert run(trex, replace(QUICK, force=True)).ending.status == "complete"


def test_an_idle_port_that_an_earlier_run_of_ours_left_is_taken_but_a_busy_one_is_not() -> None:
    with SimulatedTrex() as trex, other_session(None)(trex):
        trex.ports[1].active = True
        with pytest.raises(RemoteError, match="another session of"):
            run(trex)
        trex.ports[1].active = False
        assert run(trex).ending.status == "complete"
        assert trex.idle


def test_a_port_without_a_link_is_named_before_any_traffic_and_force_sends_all_the_same() -> None:
    with loop(no_link=(1,)) as trex:
        with pytest.raises(EnvironmentFault, match=r"port 1 of generator .* has no link"):
            run(trex)
        assert "acquire" not in trex.methods
        assert run(trex, replace(QUICK, force=True)).ending.status == "complete"


def test_a_generator_with_one_port_cannot_run_a_load_test() -> None:
    with SimulatedTrex() as trex:
        trex.ports = trex.ports[:1]
        with pytest.raises(EnvironmentFault, match="has port 0 only, and the test needs port 1"):
            run(trex)


def test_many_tests_in_one_process_on_one_connection() -> None:
    with loop() as trex, GeneratorClient(trex.server) as client:
        client.connect()
        results = [run_loadtest(replace(QUICK, ramp_s=0.1, hold_s=0.05), Execution(client)) for _ in range(3)]
    assert all(result.ending.status == "complete" for result in results)
    assert all(result.samples[0].ports[0].opackets < 100_000 for result in results)  # counted from the test's start


def test_a_link_that_is_lost_ends_the_test_as_failed_with_what_was_measured() -> None:
    def pull(progress: LoadTestProgress) -> None:
        if progress.step.phase == "ramp":
            trex.no_link = (1,)

    with loop() as trex:
        result = run(trex, watch=pull)
    assert (result.ending.status, result.ending.exit_code) == ("failed", 4)
    assert "port 1 lost its link" in result.ending.reason
    assert [sample.links_down for sample in result.samples] == [(), (), (), (1,)]
    with pytest.raises(ConnectionFault, match="--ignore-link-down"):
        raise_for(result.ending)


def test_a_link_that_is_lost_is_ridden_out_when_told_and_its_samples_are_marked() -> None:
    def flap(progress: LoadTestProgress) -> None:
        trex.no_link = (1,) if 2 <= sum(progress.step.end_s >= end_s for end_s in (0.09, 0.12, 0.18)) < 3 else ()

    with loop() as trex:
        result = run(trex, replace(QUICK, ignore_link_down=True), watch=flap)
    assert result.ending.status == "complete"
    down = [sample.links_down for sample in result.samples]
    assert (1,) in down
    assert down[-1] == ()


def test_a_port_that_stops_by_itself_ends_the_test() -> None:
    def halt(progress: LoadTestProgress) -> None:
        if progress.step.phase == "hold":
            trex.ports[0].active = False

    with SimulatedTrex() as trex:
        result = run(trex, replace(QUICK, hold_s=0.3), watch=halt)
    assert result.ending.exit_code == 4
    assert "port 0 stopped sending during the test: its state is STREAMS" in result.ending.reason
    assert result.samples[-1].phase == "hold"


def test_counters_that_begin_anew_end_the_test_and_are_not_in_it() -> None:
    def restart(progress: LoadTestProgress) -> None:
        if progress.step.phase == "hold":
            for port in trex.ports:
                port.history = [(0.0, 0.0, 0.0)]

    with SimulatedTrex() as trex:
        result = run(trex, replace(QUICK, hold_s=0.3), watch=restart)
    assert result.ending.exit_code == 4
    assert "began again at 0" in result.ending.reason
    sent = [sample.ports[0].opackets or 0 for sample in result.samples]
    assert sent == sorted(sent)
    assert result.outcome.channels["0→1"].balance.sent >= sent[-1]


@pytest.mark.parametrize("same_user", [True, False])
def test_a_thief_in_the_hold_ends_the_test_and_none_of_its_figures_are_in_it(same_user: bool) -> None:
    def steal(progress: LoadTestProgress) -> None:
        if progress.step.phase == "hold":
            with GeneratorClient(trex.server) as thief:
                thief.connect()
                thief.user = thief.user if same_user else "thief"
                thief.acquire((1,), force=True)
            trex.ports[1].set_pps(0.0, trex.now_s)
            trex.ports[1].set_pps(1e9, trex.now_s)

    with SimulatedTrex() as trex:
        result = run(trex, replace(QUICK, ramp_target=Rate(1e6, "pps"), hold_s=0.3), watch=steal)
        assert not trex.ports[0].active
    assert result.ending.exit_code == 4
    assert "port 1 was lost during the test" in result.ending.reason
    assert all(sample.ports[1].tx_pps < 2e6 for sample in result.samples)
    assert result.outcome.channels["1→0"].balance.sent < 1e6


def test_frames_of_others_are_told_of_and_with_verify_they_hide_nothing() -> None:
    with loop(extended=False, capacity_pps=LINE_PPS / 4, noise_pps=LINE_PPS) as trex:
        hidden = run(trex)
        has_signature = run(trex, replace(QUICK, signature=True))
    ended = hidden.outcome.channels["0→1"]
    assert ended.balance.lost == 0
    assert any("foreign frames came back" in note and "--signature" in note for note in hidden.ending.notes)
    ended = has_signature.outcome.channels["0→1"]
    assert ended.loss_onset is not None
    assert ended.loss_onset.offered_percent == pytest.approx(25, rel=0.4)
    assert 0.4 < ended.balance.loss_ratio < 0.8
    assert ended.balance.extraneous > 0
    assert set(has_signature.samples[-1].test_frames) == {Channel(0, 1), Channel(1, 0)}


def test_latency_of_a_trex_goes_with_each_sample() -> None:
    with loop(extended=False, latency_lost=3) as trex:
        result = run(trex, replace(QUICK, latency_rate_pps=1000.0, directions=ONE_WAY))
    told = [sample.latency[Channel(0, 1)] for sample in result.samples]
    assert all(one.percentiles["50"] == pytest.approx(40, rel=0.02) for one in told)
    packets = [one.packets for one in told[1:]]
    assert sum(packets) == pytest.approx(1000 * (result.samples[-1].t_s - result.samples[0].t_s), abs=len(packets) + 1)
    assert told[0].lost == 3
    assert told[1].lost == 0


def test_the_other_direction_alone() -> None:
    with loop() as trex:
        result = run(trex, replace(QUICK, directions=pair_directions(only="1-0")))
    assert list(result.outcome.channels) == ["1→0"]
    assert trex.ports[0].rates_asked == []
    assert result.outcome.channels["1→0"].balance.sent > 0


class Kept:
    """A recorder that keeps everything in memory."""

    def __init__(self) -> None:
        self.head: Result | None = None
        self.samples: list[Sample] = []

    def begin(self, head: Result) -> None:
        self.head = head

    def add(self, sample: Sample) -> None:
        self.samples.append(sample)


def test_a_recorder_gets_the_head_and_then_every_sample() -> None:
    kept = Kept()
    with loop() as trex:
        result = run(trex, recorder=kept)
    assert tuple(kept.samples) == result.samples
    assert kept.head is not None
    assert replace(kept.head, samples=result.samples, ending=result.ending, outcome=result.outcome) == result
