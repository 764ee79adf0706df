"""Whole load tests against a simulated T-Rex: what is measured, and how tests end that cannot go on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from simulated_trex import SimulatedTrex

from wirespeed.errors import ConnectionFault, EnvironmentFault, MeasurementError, RemoteError, UsageError
from wirespeed.generator.client import GeneratorClient
from wirespeed.loadtest.outcome import raise_for_outcome
from wirespeed.loadtest.plan import LoadPlan
from wirespeed.loadtest.result import Channel, Result, read_result, write_result
from wirespeed.loadtest.run import Progress, run_loadtest
from wirespeed.units import Rate

LINE_PPS = 10e9 / 672
QUICK = LoadPlan(
    "bench",
    {"size": "64", "vm": "var2"},
    warmup_rate=Rate(100_000, "pps"),
    warmup_s=0.06,
    ramp_s=0.36,
    hold_s=0.09,
    interval_s=0.03,
    lab={"kind": "simulated"},
    dut={"name": "a loop"},
    versions={"dut": "7"},
)


def run(trex: SimulatedTrex, plan: LoadPlan = QUICK, **more: Any) -> Result:
    with GeneratorClient(trex.server, timeout_s=2.0) as client:
        client.connect()
        return run_loadtest(plan, client, **more)


@contextmanager
def loop(**simulation: Any) -> Iterator[SimulatedTrex]:
    with SimulatedTrex(**simulation) as trex:
        yield trex
        assert trex.idle, "a test left traffic, streams or ports behind"


@pytest.mark.parametrize("extended", [True, False])
def test_a_device_that_carries_all_is_not_saturated(extended: bool) -> None:
    with loop(extended=extended) as trex:
        result = run(trex)
    assert result.outcome["status"] == "complete"
    assert [sum(s.phase == phase for s in result.samples) for phase in ("warm-up", "ramp", "hold")] == [2, 12, 3]
    for channel in result.channels:
        ended = result.outcome["channels"][str(channel)]
        assert ended["saturation"] is None
        assert ended["lost_packets"] == 0
        assert ended["sent_packets"] == ended["received_packets"] > 0
        assert not ended["tester_limited"]
        assert ended["max_received_percent"] == pytest.approx(100, rel=0.1)
    assert trex.ports[0].rates_asked[0] == 100_000
    ramp = trex.ports[0].rates_asked[1:-1]
    assert ramp == pytest.approx([LINE_PPS * n / 12 for n in range(1, 13)])


@pytest.mark.parametrize("extended", [True, False])
def test_saturation_is_found_where_the_device_gives_out(extended: bool) -> None:
    with loop(extended=extended, capacity_pps=LINE_PPS * 0.55, latency_s=0.000_01) as trex:
        result = run(trex)
    for channel in result.channels:
        ended = result.outcome["channels"][str(channel)]
        assert ended["saturation"]["offered_percent"] == pytest.approx(7 / 12 * 100, rel=0.2)
        assert ended["saturation"]["received_pps"] == pytest.approx(LINE_PPS * 0.55, rel=0.2)
        assert not ended["tester_limited"]
        if extended:  # a virtual wire does not take what the device leaves: refused, not lost
            assert ended["asked_packets"] == ended["sent_packets"] + ended["refused_packets"]
            assert ended["refused_packets"] > 0 == ended["lost_packets"] == ended["late_packets"]
        else:
            assert ended["lost_packets"] == ended["sent_packets"] - ended["received_packets"] > 0
            assert "asked_packets" not in ended


def test_packets_under_way_at_the_end_are_waited_for() -> None:
    with loop(latency_s=0.1) as trex:
        result = run(trex, replace(QUICK, unidirectional=True))
    ended = result.outcome["channels"]["0→1"]
    assert result.samples[-1].ports[0].opackets > result.samples[-1].ports[1].ipackets
    assert ended["lost_packets"] == 0
    assert result.outcome["drain"]["settled"]


def test_a_slow_tester_is_not_taken_for_a_slow_device() -> None:
    with loop(tester_pps=LINE_PPS / 3) as trex:
        result = run(trex)
    for ended in result.outcome["channels"].values():
        assert ended["saturation"] is not None
        assert ended["tester_limited"]
        assert ended["late_packets"] > 0


def test_a_slow_trex_is_noticed_by_what_it_sends() -> None:
    with loop(extended=False, tester_pps=LINE_PPS / 3) as trex:
        result = run(trex)
    assert all(ended["tester_limited"] for ended in result.outcome["channels"].values())


def test_unidirectional_traffic_leaves_the_second_port_silent() -> None:
    with loop() as trex:
        result = run(trex, replace(QUICK, unidirectional=True))
    assert list(result.outcome["channels"]) == ["0→1"]
    assert trex.ports[1].rates_asked == []
    assert all(sample.ports[1].tx_pps == 0 for sample in result.samples)


def test_the_result_is_whole_and_survives_its_file(tmp_path: Path) -> None:
    with loop(extended=False) as trex:
        result = run(trex, replace(QUICK, name="x"))
    write_result(result, tmp_path / "x.json")
    again = read_result(tmp_path / "x.json")
    assert again == result
    assert again.variables["server"] == trex.server
    assert again.versions == {"wirespeed": "0.1.0", "generator": "T-Rex v3.08", "dut": "7"}
    assert again.lab["kind"] == "simulated"
    assert again.lab["ports"][1] == {
        "index": 1,
        "driver": "net_memif",
        "mac": "02:00:00:00:00:01",
        "speed_bps": 10e9,
    }
    assert again.dut == {"name": "a loop"}
    assert again.samples[0].global_stats == {"cpu_util": 12.5, "queue_full": 3}
    times = [sample.t_s for sample in again.samples]
    assert times == sorted(times)


def test_a_watcher_sees_every_sample_and_saturation_as_it_happens() -> None:
    seen: list[Progress] = []
    with loop(capacity_pps=LINE_PPS / 4) as trex:
        result = run(trex, on_sample=seen.append)
    assert tuple(progress.sample for progress in seen) == result.samples
    assert seen[-1].remaining_s == pytest.approx(0, abs=1e-9)
    first = next(index for index, progress in enumerate(seen) if progress.saturation[Channel(0, 1)])
    assert seen[first].sample.phase == "ramp"
    point = seen[first].saturation[Channel(0, 1)]
    assert point is not None
    assert point.t_s == result.outcome["channels"]["0→1"]["saturation"]["t"] < seen[first].sample.t_s


def test_what_the_device_says_goes_with_its_sample_even_when_it_does_not_answer() -> None:
    calls = iter(range(10_000))

    def probe() -> dict[str, Any]:
        n = next(calls)
        if n == 3:
            raise ConnectionFault("router gone")
        return {"clocks": n}

    with loop() as trex:
        result = run(trex, dut_probe=probe)
    assert [sample.dut for sample in result.samples[:5]] == [
        {"clocks": 0},
        {"clocks": 1},
        {"clocks": 2},
        {"error": "router gone"},
        {"clocks": 4},
    ]


def test_a_stall_delays_the_steps_that_follow_but_does_not_shorten_them() -> None:
    def stall(progress: Progress) -> None:
        if progress.step.end_s == pytest.approx(0.12):
            threading.Event().wait(0.2)

    with loop() as trex:
        result = run(trex, on_sample=stall)
    assert len(result.samples) == 17
    assert all(sample.interval_s > QUICK.interval_s / 3 for sample in result.samples)
    assert result.samples[-1].t_s > QUICK.total_s + 0.15


@pytest.mark.parametrize("warmup_s", [0.06, 0.0])
def test_a_device_that_returns_nothing_ends_the_test_after_the_warm_up(warmup_s: float) -> None:
    with loop(silent=(0,)) as trex:
        result = run(trex, replace(QUICK, warmup_s=warmup_s))
    assert result.outcome["status"] == "failed"
    assert all(sample.phase == "warm-up" for sample in result.samples) is (warmup_s > 0)
    with pytest.raises(MeasurementError, match=r"DUT returned nothing: \d+ packets left port 1 .* arrived on port 0"):
        raise_for_outcome(result)


def test_a_port_that_sends_nothing_is_told_from_a_silent_device() -> None:
    with loop(capacity_pps=0) as trex:
        result = run(trex)
    with pytest.raises(MeasurementError, match=r"port 0 of the generator sent nothing .*refused by its medium"):
        raise_for_outcome(result)


def test_a_generator_that_dies_leaves_the_samples() -> None:
    with SimulatedTrex(dies_after=25) as trex, GeneratorClient(trex.server, timeout_s=0.2) as client:
        client.connect()
        result = run_loadtest(QUICK, client)
    assert result.samples
    assert result.outcome["drain"] == {}
    with pytest.raises(ConnectionFault, match="stopped answering"):
        raise_for_outcome(result)


def test_a_port_stolen_in_the_middle_ends_the_test_and_frees_the_other() -> None:
    def steal(progress: Progress) -> None:
        if progress.step.phase == "ramp" and trex.ports[1].owner != "thief":
            with GeneratorClient(trex.server) as thief:
                thief.connect()
                thief.user = "thief"
                thief.acquire((1,), force=True)

    with SimulatedTrex() as trex:
        result = run(trex, on_sample=steal)
        assert [port.owner for port in trex.ports] == ["", "thief"]
        assert not trex.ports[0].active
    assert result.outcome["exit_code"] == 4
    assert "not owned by you" in result.outcome["reason"]
    assert result.samples


@pytest.mark.parametrize("how", ["event", "exception"])
def test_an_interrupted_test_keeps_what_it_measured(how: str) -> None:
    stop = threading.Event()

    def interrupt(progress: Progress) -> None:
        if progress.step.phase == "ramp":
            if how == "exception":
                raise KeyboardInterrupt
            stop.set()

    with loop(capacity_pps=LINE_PPS / 24) as trex:
        result = run(trex, on_sample=interrupt, stop=stop)
    assert result.outcome["status"] == "interrupted"
    assert [sample.phase for sample in result.samples] == ["warm-up", "warm-up", "ramp"]
    assert result.outcome["channels"]["0→1"]["lost_packets"] == 0
    assert result.outcome["channels"]["0→1"]["refused_packets"] > 0
    assert result.outcome["channels"]["0→1"]["saturation"] is None  # one failing sample is not enough
    raise_for_outcome(result)  # an interrupt is no error


def test_an_interrupt_before_traffic_leaves_nothing_behind() -> None:
    stop = threading.Event()
    stop.set()
    with loop() as trex, pytest.raises(KeyboardInterrupt):
        run(trex, stop=stop)
    assert "start_traffic" not in trex.methods


def test_an_error_of_the_watcher_still_gives_the_ports_back() -> None:
    def fail(progress: Progress) -> None:
        raise BrokenPipeError

    with loop() as trex, pytest.raises(BrokenPipeError):
        run(trex, on_sample=fail)


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
    assert result.outcome["channels"]["0→1"]["max_received_percent"] is None
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
        with pytest.raises(RemoteError, match=r"taken by 'somebody'; --force takes it"):
            run(trex)
        assert [port.owner for port in trex.ports] == ["", "somebody"]
        assert run(trex, replace(QUICK, force=True)).outcome["status"] == "complete"


def test_an_idle_port_that_an_earlier_run_of_ours_left_is_taken_but_a_busy_one_is_not() -> None:
    with SimulatedTrex() as trex, other_session(None)(trex):
        trex.ports[1].active = True
        with pytest.raises(RemoteError, match="another session of"):
            run(trex)
        trex.ports[1].active = False
        assert run(trex).outcome["status"] == "complete"
        assert trex.idle


def test_a_port_without_a_link_is_named_before_any_traffic_and_force_sends_all_the_same() -> None:
    with loop(no_link=(1,)) as trex:
        with pytest.raises(EnvironmentFault, match=r"port 1 of generator .* has no link"):
            run(trex)
        assert "acquire" not in trex.methods
        assert run(trex, replace(QUICK, force=True)).outcome["status"] == "complete"


def test_a_generator_with_one_port_cannot_run_a_load_test() -> None:
    with SimulatedTrex() as trex:
        trex.ports = trex.ports[:1]
        with pytest.raises(EnvironmentFault, match="has 1 port; a load test needs two"):
            run(trex)


def test_many_tests_in_one_process_on_one_connection() -> None:
    with loop() as trex, GeneratorClient(trex.server) as client:
        client.connect()
        results = [run_loadtest(replace(QUICK, ramp_s=0.1, hold_s=0.05), client) for _ in range(3)]
    assert all(result.outcome["status"] == "complete" for result in results)
    assert all(result.samples[0].ports[0].opackets < 100_000 for result in results)  # counted from the test's start
