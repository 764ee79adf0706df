"""The tests of RFC 9693 with a simulated device: their figures, their order, and refused plans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from simulated_flows import VARIATION, StatefulDevice
from simulated_trex import SimulatedTrex

from wirespeed.cases.state_facts import StateFacts
from wirespeed.client.flow_sets import FlowSet
from wirespeed.client.generator_client import GeneratorClient
from wirespeed.dut.none import NoDut
from wirespeed.errors import ConnectionFault, MeasurementError, UsageError
from wirespeed.explain.verdicts import verdict_of as explained_verdict
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_file, write_file
from wirespeed.measurement.registry import verdict_of
from wirespeed.measurement.stateful.case import cases_of
from wirespeed.measurement.stateful.charts import flows_chart
from wirespeed.measurement.stateful.kind import Stateful
from wirespeed.measurement.stateful.live import LINES
from wirespeed.measurement.stateful.options import StatefulOptions
from wirespeed.measurement.stateful.plan import StatefulPlan, parse_counts
from wirespeed.measurement.stateful.report import REPORT
from wirespeed.measurement.stateful.result import RateRow, StatefulResult, Test
from wirespeed.measurement.stateful.rows import figures_of
from wirespeed.measurement.stateful.run import raise_for_ending, run_stateful
from wirespeed.measurement.stateful.text import TEXT
from wirespeed.report.comparison import compare
from wirespeed.results.dut import DutFacts
from wirespeed.results.figures import Scaler
from wirespeed.results.journal import Journal, journal_path
from wirespeed.results.lab import LabFacts
from wirespeed.results.recorder import JournalRecorder
from wirespeed.results.states import StateTable

QUICK = StatefulPlan(
    tests=("rate",),
    flows=(1_000_000,),
    trial_s=1.0,
    repeats=1,
    rest_s=0.0,
    resolution=0.01,
    lab=LabFacts(kind="simulated"),
    dut=DutFacts("a known device"),
)
OVER_STATES: tuple[Test, ...] = ("rate", "throughput")


@pytest.fixture
def client() -> Iterator[GeneratorClient]:
    with SimulatedTrex() as trex, GeneratorClient(trex.server, timeout_s=2.0) as connected:
        connected.connect()
        yield connected


@pytest.fixture
def run(client: GeneratorClient, monkeypatch: pytest.MonkeyPatch) -> Any:
    def of(dut: StatefulDevice, plan: StatefulPlan = QUICK, **more: Any) -> StatefulResult:
        monkeypatch.setattr("wirespeed.measurement.stateful.bench.FlowSession", dut.session)
        monkeypatch.setattr("wirespeed.measurement.stateful.run.states_of", lambda device: device and dut)
        ways = {name: more.pop(name) for name in ("empty", "beside") if name in more}
        return run_stateful(plan, Execution(client, more.pop("told_by", _NOBODY), **more), **ways)

    return of


class _Nobody:
    """A device whose only telemetry is its state table."""

    name = "nobody"

    def __getattr__(self, name: str) -> Any:
        return getattr(NoDut(), name)


_NOBODY: Any = _Nobody()


def row_of(result: StatefulResult, filtered: bool = True) -> RateRow:
    return next(row for row in result.rate if row.filtered == filtered)


def test_the_rate_is_what_the_device_establishes_and_the_tester_alone_stands_beside_it(run: Any) -> None:
    result = run(StatefulDevice())
    row, without = row_of(result), row_of(result, filtered=False)
    assert row.median == pytest.approx(200_000, rel=0.01)
    assert row.median <= 200_000
    assert row.limit == "dut"
    assert row.states == 1_000_000
    assert without.median == pytest.approx(2_000_000, rel=0.01) or without.needed_flows == 2_000_000
    assert all(one.states_before == 0 for one in result.trials if one.filtered)
    assert all(one.states is None for one in result.trials if not one.filtered)


def test_a_rate_without_validation_is_no_rate(run: Any) -> None:
    """Phase 1 is complete up to 200 000 flows/s, but entries are gone before the responder sends at 0.8
    of that rate.
    """
    row = row_of(run(StatefulDevice(answer_fps=80_000)))
    assert row.median == pytest.approx(100_000, rel=0.01)
    assert row.unvalidated == pytest.approx(200_000, rel=0.05)
    assert row.unvalidated > row.median


@pytest.mark.parametrize("broken", [{"merged": 1}])
def test_two_flows_on_one_tuple_are_no_two_states(run: Any, broken: dict[str, int]) -> None:
    result = run(StatefulDevice(**broken), replace(QUICK, without_filter=False))
    assert row_of(result).median is None
    assert row_of(result).irregular
    with pytest.raises(MeasurementError, match="no figure was found"):
        raise_for_ending(result)


def test_a_tester_that_is_slower_than_asked_is_the_limit(run: Any) -> None:
    row = row_of(run(StatefulDevice(tester_fps=150_000), replace(QUICK, without_filter=False)))
    assert row.limit == "tester"
    assert row.is_at_least
    assert row.median is not None
    assert 100_000 < row.median <= 150_000


def test_a_responder_that_is_much_slower_than_asked_is_the_limit_too(run: Any) -> None:
    """It validates at 0.8 of the rate, less a tenth: 72 000 flows/s are enough for 100 000 of phase 1."""
    row = row_of(run(StatefulDevice(responder_fps=72_000), replace(QUICK, without_filter=False)))
    assert (row.limit, row.is_at_least) == ("tester", True)
    assert row.median == pytest.approx(100_000, rel=0.02)


def test_few_flows_have_no_rate_and_say_how_many_would(run: Any) -> None:
    result = run(StatefulDevice(), replace(QUICK, flows=(1, 1000, 64_000, 1_000_000), without_filter=False))
    rows = {row.flows: row for row in result.rate}
    assert rows[1_000_000].found
    for flows in (1, 1000, 64_000):
        assert not rows[flows].found
        assert rows[flows].needed_flows == 200_000
    assert {one.flows for one in result.trials} == {1_000_000}, "nothing is sent for what cannot be told"
    assert "give --flows 200000 or more" in TEXT.text_block(result, explained_verdict(result))


def test_the_only_number_of_flows_is_too_small_for_its_rate(run: Any) -> None:
    row = row_of(run(StatefulDevice(), replace(QUICK, flows=(64_000,), without_filter=False)))
    assert not row.found
    assert row.needed_flows in (200_000, 210_000)
    assert "less than 1 s" in row.left_out


def test_flows_that_the_table_does_not_hold_are_refused(run: Any) -> None:
    dut = StatefulDevice(limit=300_000)
    result = run(dut, replace(QUICK, flows=(250_000, 1_000_000), without_filter=False))
    rows = {row.flows: row for row in result.rate}
    assert rows[1_000_000].left_out == "the table holds 300000; --force sends them all the same"
    assert rows[250_000].found
    with pytest.raises(UsageError, match="the table holds 300000"):
        run(dut)
    forced = run(dut, replace(QUICK, force=True, without_filter=False))
    assert row_of(forced).median is None
    assert all(one.opened.established <= 300_000 for one in forced.trials)


def test_entries_of_earlier_traffic_refuse_no_flows(run: Any) -> None:
    """Each trial empties the table; a few entries stay in an empty one."""
    plan = replace(QUICK, flows=(250_000,), without_filter=False)
    assert row_of(run(StatefulDevice(limit=300_000, used=200_000), plan)).found
    with pytest.raises(UsageError, match="the table holds 250000"):
        run(StatefulDevice(limit=250_000, used=1), plan)


@pytest.mark.parametrize(
    ("rules", "untranslated", "told"),
    [
        ("nat", 0, ""),
        ("nat", 7, "7 of 1,000,000 flows were not translated"),
        ("nat", 1_000_000, "1,000,000 of 1,000,000 flows were not translated"),
        ("stateful", 1_000_000, ""),
    ],
)
def test_flows_that_nat_left_as_they_were_are_told(run: Any, rules: str, untranslated: int, told: str) -> None:
    plan = replace(QUICK, lab=LabFacts(kind="simulated", filter=rules), without_filter=False)
    assert row_of(run(StatefulDevice(untranslated=untranslated), plan)).irregular == told


def test_trials_that_outlive_their_flows_are_refused_or_marked(run: Any) -> None:
    plan = replace(QUICK, tests=OVER_STATES, trial_s=60.0)
    with pytest.raises(UsageError, match="--trial 60: flows of the DUT live for 30 s"):
        run(StatefulDevice(), plan)
    # A million flows at half of 200 000/s take 10 s, and the trial 25.
    result = run(StatefulDevice(), replace(plan, trial_s=25.0, without_filter=False))
    (row,) = result.throughput
    assert not row.found
    assert "longer than the DUT's UDP timeout of 30 s" in row.left_out
    result = run(StatefulDevice(), replace(plan, trial_s=25.0, without_filter=False, over_timeout=True))
    (row,) = result.throughput
    assert row.found
    assert "longer than the DUT's timeout" in row.irregular


def test_no_rate_is_tried_at_which_validation_ends_after_the_timeout(run: Any) -> None:
    result = run(StatefulDevice(timeout_s=20.0), replace(QUICK, without_filter=False))
    assert result.trials
    assert all(one.lasted_s < 20.0 for one in result.trials)
    result = run(StatefulDevice(timeout_s=1.0), replace(QUICK, without_filter=False))
    assert "raise it" in row_of(result).left_out


def test_a_table_that_does_not_get_empty_gives_no_figure(run: Any) -> None:
    result = run(StatefulDevice(keeps=5000), replace(QUICK, without_filter=False))
    assert not result.trials
    with pytest.raises(MeasurementError, match="5,000 entries after it was emptied"):
        raise_for_ending(result)


def test_throughput_over_states_is_opened_below_the_rate(run: Any) -> None:
    dut = StatefulDevice()
    plan = replace(QUICK, tests=("rate", "throughput", "frame-loss", "latency"), flows=(1, 1_000_000))
    result = run(dut, replace(plan, ways=("both", "initiator", "responder")))
    found = {(row.flows, row.way, row.filtered): row for row in result.throughput}
    assert len(found) == 12
    for (_, _, filtered), row in found.items():
        assert row.median == pytest.approx(500_000 if filtered else 2_000_000, rel=0.01)
        assert row.opened_at == pytest.approx(100_000, rel=0.01)
    assert {row.direction for row in result.latency if row.way == "both"} == {"0→1", "1→0"}
    assert {row.direction for row in result.latency if row.way == "responder"} == {"1→0"}
    assert all(row.pdv_us == pytest.approx(75.0) for row in result.latency)
    assert all(row.ipdv == (VARIATION,) * len(row.medians_us) for row in result.latency)
    text = TEXT.text_block(result, explained_verdict(result))
    ipdv = [line for line in text.splitlines() if "IPDV" in line and "0→1" in line]
    assert len(ipdv) == 3 * 2 * 2 * 2  # quantities, numbers of flows, directions, with and without the filter
    assert "-60.0" in ipdv[0] and "0.5" in ipdv[1] and "62.0" in ipdv[2]
    assert all(row.points[0].intended_percent == 100 for row in result.frame_loss)
    assert all(row.points[0].loss_percent > 0 for row in result.frame_loss)


def test_a_flow_that_was_opened_anew_is_an_error_of_its_trial(run: Any) -> None:
    (row,) = run(StatefulDevice(remapped=3), replace(QUICK, tests=OVER_STATES, without_filter=False)).throughput
    assert not row.found


def test_without_a_throughput_there_is_no_latency_and_a_reason(run: Any) -> None:
    plan = replace(QUICK, tests=("rate", "throughput", "latency"), without_filter=False)
    (row,) = run(StatefulDevice(remapped=3), plan).latency
    assert (row.medians_us, row.left_out) == ((), "no throughput was found")


def test_the_tear_down_is_by_the_given_command(run: Any) -> None:
    dut, told = StatefulDevice(), []
    plan = replace(QUICK, tests=("rate", "tear-down"), flows=(400_000,), without_filter=False)

    def empty() -> None:
        told.append(dut.used)
        dut.used = 0

    (row,) = run(dut, plan, empty=empty).tear_down
    assert (row.states, told[-1], dut.emptied) == (400_000, 400_000, 0)
    (row,) = run(StatefulDevice(keeps_none=True), plan).tear_down
    assert row.median is None
    (row,) = run(StatefulDevice(entries=2), plan).tear_down
    assert row.irregular == "the DUT had only 400,000 entries for 400,000 flows"


def test_the_tear_down_rate_needs_a_flush_that_lasts(run: Any) -> None:
    plan = replace(QUICK, tests=("rate", "tear-down"), flows=(1, 400_000), repeats=3)
    many, few = sorted(run(StatefulDevice(), plan).tear_down, key=lambda row: -row.flows)
    assert many.rates == pytest.approx((400_000, 400_000, 400_000))
    assert many.states == 400_000
    assert few.median is None
    assert "give more flows" in few.left_out


def test_the_capacity_is_where_the_validated_rate_collapses(run: Any) -> None:
    plan = replace(QUICK, tests=("capacity",), flows=(10_000,))
    result = run(StatefulDevice(limit=100_000), plan)
    (row,) = result.capacity
    assert row.capacity is not None
    assert row.full_at is not None
    assert 99_900 <= row.capacity <= 100_000 < row.full_at
    assert row.full_at - row.capacity <= 100
    assert [step.flows for step in row.steps[:5]] == [10_000, 20_000, 40_000, 80_000, 160_000]
    assert row.steps[4].rate is None
    assert verdict_of(result).figures[0].said.startswith("capacity ")
    assert verdict_of(result).limit.by == "dut"
    assert "(beta)" in TEXT.text_block(result, explained_verdict(result))
    (case,) = cases_of(result, "file")
    assert case.states is not None
    assert case.states.flows == 160_000
    assert explained_verdict(result).limit.by == "dut"


def test_the_capacity_is_the_median_of_its_repeats(run: Any) -> None:
    """This device's table has a different size in each search; searches begin with 10 000 flows."""

    class Varying(StatefulDevice):
        limits: ClassVar = [100_000, 90_000, 95_000]

        def session(self, client: object, flow_set: FlowSet, **more: Any) -> Any:
            if flow_set.flows == 10_000:
                self.limit = self.limits.pop(0)
            return super().session(client, flow_set, **more)

    result = run(Varying(), replace(QUICK, tests=("capacity",), flows=(10_000,), repeats=3))
    (row,) = result.capacity
    assert len(row.found) == len(row.full) == 3
    assert [step.flows for step in row.steps if step.rate is None and step.flows == 160_000] == [160_000] * 3
    assert {step.repeat for step in row.steps} == {one.repeat for one in result.trials} == {1, 2, 3}
    assert row.capacity is not None and row.full_at is not None
    assert 94_900 <= row.capacity <= 95_000 < row.full_at
    assert row.found[0] > row.capacity > row.found[1]
    (figure,) = figures_of(result, "capacity", row, {})
    assert (figure.value, figure.repeats) == (row.capacity, 3)
    assert figure.p1 is not None and figure.p99 is not None
    assert 90_200 > figure.p1 > 89_900 and 100_000 > figure.p99 > 99_700


def test_one_pair_of_addresses_and_many_are_rows_of_their_own(run: Any) -> None:
    plan = replace(QUICK, tests=("rate", "throughput"), flows=(1000, 1_000_000), addresses=(1, 16))
    result = run(StatefulDevice(), plan)
    kinds = [(row.flows, row.addresses, row.filtered) for row in result.throughput]
    assert sorted(kinds) == [(n, many, on) for n in (1000, 1_000_000) for many in (1, 16) for on in (False, True)]
    pair, many = (result.method.ranges_of(1_000_000, number) for number in (1, 16))
    assert pair is not None and many is not None
    assert (pair.sources, pair.destination_ports, many.sources, many.destination_ports) == (1, 20, 16, 1)
    assert {one.addresses for one in result.trials} == {1, 16}
    assert len({case.load.name for case in cases_of(result, "file")}) == 6
    said = [figure.said or figure.name for figure in verdict_of(result).figures]
    assert len(said) == len(set(said))
    assert any("1,000,000 flows, 16 addresses" in one for one in said)
    chart = flows_chart("id", "told", result, Scaler(1e3, "kpps"))
    assert chart is not None
    curves = [curve.name for panel in chart.panels for curve in panel.curves]
    assert len(curves) == len(set(curves)) == 2 * (2 + 1 + 1)  # throughput has a curve without filter, too


def test_a_table_that_is_never_full_has_a_lower_bound(run: Any) -> None:
    (row,) = run(StatefulDevice(limit=1 << 40), replace(QUICK, tests=("capacity",), flows=(1_000_000,))).capacity
    assert row.full_at is None
    assert row.capacity is not None
    assert "not known" in row.irregular or "longer than flows live" in row.irregular


def test_what_is_outside_the_rfc_is_said() -> None:
    def said(**more: Any) -> str:
        return replace(QUICK, **more).method(None).conformance("rate")

    assert "addresses from 16.0.0.1 and 48.0.0.1 on, not 10.0.0.2 and 198.19.0.2 (§3)" in said()
    assert "addresses from" not in said(source="10.0.0.2", destination="198.19.0.2")
    assert "16 addresses of each side only" in said(addresses=(16,))
    assert "(§3.2)" not in said(addresses=(1, 16))
    assert "no IETF document" in said(ip6=True)
    assert "outside" not in said(lab=LabFacts(filter="nat"))
    assert "without source NAT are outside the RFC's scope" in said(lab=LabFacts(filter="stateful"))


OVER_TCP = replace(QUICK, transport="tcp", size=74)


def test_tests_over_tcp_claim_no_conformance(run: Any, tmp_path: Path) -> None:
    result = run(StatefulDevice(), replace(OVER_TCP, tests=OVER_STATES, without_filter=False))
    assert row_of(result).median == pytest.approx(200_000, rel=0.01)
    assert (result.method.protocol, result.method.timeout_s) == ("TCP over IPv4", 300.0)
    write_file(result, tmp_path / "tcp.json")
    read = read_file(tmp_path / "tcp.json")
    assert isinstance(read, StatefulResult)
    assert (read.conformance, read.variables.protocol) == ({}, "tcp")
    block = TEXT.text_block(read, explained_verdict(read))
    assert block.startswith("# TCP connections: ")
    assert "- TCP is outside RFC 9693, and this is not RFC 3511: no conformance is claimed\n" in block
    assert "tcp_established 3600 s; tcp_unacknowledged 300 s" in block
    assert "Conformance" not in block
    last = "\n".join(LINES.summary(read, verdict_of(read), None))
    assert "TCP is outside RFC 9693" in last
    assert "§" not in last
    shown = compare([read]).shown()
    assert {row.conformance for row in REPORT.rows([read], shown)["stateful"]} == {""}
    assert REPORT.counted([read]) == "1 run of TCP connections"
    assert [section.title for section in REPORT.sections([read], shown)] == [f"TCP connections: {read.name}"]


def test_the_line_carries_a_syn_and_an_ack_of_each_flow(run: Any) -> None:
    fast = StatefulDevice(new_fps=1e9, limit=1 << 40)
    row = row_of(run(fast, replace(OVER_TCP, without_filter=False, flows=(10_000_000,))))
    assert row.limit == "line"
    assert row.median == pytest.approx(10e9 / 8 / (66 + 20 + 64 + 20), rel=0.01)


def test_the_line_carries_the_data_of_validation(run: Any) -> None:
    """They are sent at 0.8 of the rate, and are longer than the handshake."""
    fast = StatefulDevice(new_fps=1e9, limit=1 << 40)
    row = row_of(run(fast, replace(OVER_TCP, size=1514, without_filter=False, flows=(2_000_000,))))
    assert row.limit == "line"
    assert row.median == pytest.approx(10e9 / 8 / 1534 / 0.8, rel=0.01)


def test_handshakes_that_the_tester_does_not_answer_are_its_own_limit(run: Any) -> None:
    plan = replace(OVER_TCP, without_filter=False)
    lost = run(StatefulDevice(new_fps=1e9, unanswered=5), plan).trials[0]
    assert (lost.opened.unanswered, lost.opened.unsent) == (5, 0)
    assert lost.judged.lost_ratio > 0
    assert not lost.trial.tester_limited
    unsent = run(StatefulDevice(new_fps=1e9, unsent=5000), plan).trials[0]
    assert (unsent.opened.unanswered, unsent.opened.unsent) == (0, 5000)
    assert unsent.judged.lost_ratio == 0
    assert unsent.trial.tester_limited


def test_data_of_one_side_stay_within_the_window(run: Any) -> None:
    plan = replace(OVER_TCP, tests=OVER_STATES, flows=(1, 1_000_000), ways=("both", "initiator"), trial_s=60.0)
    rows = run(StatefulDevice(), replace(plan, without_filter=False)).throughput
    found = {(row.flows, row.way): row for row in rows}
    assert found[1, "both"].found
    assert found[1_000_000, "initiator"].found
    assert "exceed the window of 1 connections" in found[1, "initiator"].left_out
    assert len(rows) == len(found) == 4


@pytest.mark.parametrize(
    ("text", "found"),
    [("1,1k,64k,1M", (1, 1000, 64_000, 1_000_000)), ("2.5M,10", (10, 2_500_000)), ("50000", (50_000,))],
)
def test_numbers_of_flows(text: str, found: tuple[int, ...]) -> None:
    assert parse_counts("--flows", text) == found


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"flows": "0"}, "--flows '0': give numbers from 1"),
        ({"flows": "1k,1000"}, "a number is given twice"),
        ({"flows": "60M", "tunables": "ports=1"}, "1 source ports and 44151 destination ports make at most 44151"),
        ({"tunables": "vm=var2"}, "-t vm=…: flows have size, ip, source"),
        ({"tunables": "ip=5"}, "-t ip=5: give 4 or 6"),
        ({"tunables": "size=63"}, "-t size=63: give bytes with FCS from 64"),
        ({"tunables": "ip=6,size=64"}, "from 82"),
        ({"tunables": "source=2001:2::1"}, "IPv6 needs ip=6"),
        ({"tunables": "source=here"}, "give an address such as 16.0.0.1"),
        ({"tunables": "ports=65000"}, "give 1 to 64512"),
        ({"protocol": "sctp"}, "--protocol 'sctp' is not known: give udp or tcp"),
        ({"protocol": "tcp", "tunables": "size=73"}, "from 74"),
        ({"addresses": "0"}, "--addresses '0': give numbers from 1"),
        ({"tunables": "addresses=2"}, "-t addresses=…: flows have size"),
        ({"capacity": "gamma=100%"}, "--capacity gamma=1: give a share between 0 and 1"),
        ({"capacity": "delta=1%"}, "--capacity delta=…: it has beta, gamma, error"),
        ({"ways": "both,all"}, "--ways 'all' is not known"),
        ({"alpha": "1.5"}, "--alpha"),
        ({"unidirectional": True}, "flows need a pair of ports and both directions"),
        ({"test": "everything"}, "test 'everything' is not known"),
        ({"trial_s": 0.0}, "--trial 0 is not a duration"),
    ],
)
def test_options_that_cannot_be_used(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        Stateful(StatefulOptions(**options))


class Collapsing(StatefulDevice):
    """It no longer answers once it has more states than `bears`."""

    bears = 300_000

    def read(self) -> StateTable:
        if self.used > self.bears:
            raise ConnectionFault("box does not answer")
        return super().read()


@pytest.mark.parametrize("test", ["rate", "capacity"])
def test_a_device_that_collapses_leaves_a_result(run: Any, tmp_path: Path, test: Test) -> None:
    flows = (100_000,) if test == "capacity" else (200_000, 300_000, 400_000)
    result = run(Collapsing(), replace(QUICK, tests=(test,), flows=flows, without_filter=False))
    assert result.ending.status == "failed"
    with pytest.raises(ConnectionFault, match="box does not answer"):
        raise_for_ending(result)
    write_file(result, tmp_path / "collapsed.json")
    read = read_file(tmp_path / "collapsed.json")
    assert isinstance(read, StatefulResult)
    for row in read.capacity:
        assert (row.capacity, row.full_at, row.irregular) == (200_000, None, "box does not answer")
    assert len(read.capacity) == (test == "capacity")


def test_without_reading_the_table_nothing_is_proved(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    dut, emptied = StatefulDevice(), []
    monkeypatch.setattr(dut, "used", 0)
    result = run(dut, told_by=None, empty=lambda: emptied.append(1) or setattr(dut, "used", 0))
    row = row_of(result)
    assert row.median == pytest.approx(200_000, rel=0.01)
    assert "not proved" in row.irregular
    assert row.states is None
    assert len(emptied) == len(result.trials)


def test_rows_without_filter_may_come_from_another_result(run: Any) -> None:
    off = run(StatefulDevice(new_fps=900_000), replace(QUICK, name="off", without_filter=False))
    result = run(StatefulDevice(), beside=off)
    assert row_of(result, filtered=False).median == row_of(off).median
    assert "rows without filter are those of off" in result.ending.notes
    # The device has no filter at all, so that its table stays empty.
    bare = run(StatefulDevice(keeps_none=True), replace(QUICK, name="bare", without_filter=False))
    assert "had only 0 entries" in row_of(bare).irregular
    row = row_of(run(StatefulDevice(), beside=bare), filtered=False)
    assert (row.median, row.states, row.irregular) == (row_of(bare).median, None, "")


def test_rows_without_filter_are_of_the_same_frames(run: Any) -> None:
    long = run(StatefulDevice(), replace(QUICK, name="long", size=1514, without_filter=False))
    with pytest.raises(UsageError, match=r"--beside long: its frame is 1514, that of this test 64; give a result of"):
        run(StatefulDevice(), beside=long)


def test_the_error_is_known_if_each_search_came_to_a_value_that_failed() -> None:
    assert RateRow(5, (100.0, 90.0, 95.0), (101.0, 93.0, 96.0)).error == 3.0
    assert RateRow(5, (100.0, 90.0, 95.0), (91.0, 96.0)).error is None
    assert RateRow(5).error is None


def test_the_result_is_read_as_it_was_written(run: Any, tmp_path: Path) -> None:
    journal = Journal(journal_path(tmp_path / "whole.json"))
    plan = replace(QUICK, tests=("rate", "throughput", "frame-loss", "latency"), flows=(1, 250_000))
    result = run(StatefulDevice(), plan, recorder=JournalRecorder(journal))
    journal.close()
    kept = read_file(journal_path(tmp_path / "whole.json"))
    write_file(result, tmp_path / "other.json")
    read = read_file(tmp_path / "other.json")
    assert isinstance(read, StatefulResult)
    assert isinstance(kept, StatefulResult)
    assert replace(read, name=result.name) == replace(result, trials=read.trials)
    assert kept.rate == read.rate
    assert kept.latency == read.latency
    assert len(kept.trials) == len(read.trials)
    assert read.conformance["throughput"].startswith("RFC 9693 §4.7 (RFC 8219 §7.1) except: 1 repeat, not 10; trials")


def test_what_is_said_of_it(run: Any) -> None:
    result = run(StatefulDevice(), replace(QUICK, tests=OVER_STATES))
    verdict = verdict_of(result)
    assert verdict.figures[0].said.startswith("new flows with 1,000,000 flows: 1")
    assert verdict.limit.by == "dut"
    assert explained_verdict(result).figures
    cases = cases_of(result, "file")
    rate = next(case for case in cases if "rate" in case.load.name)
    assert isinstance(rate.states, StateFacts)
    assert rate.states.flows == 1_000_000
    assert rate.states.unopened > 0
    text = TEXT.text_block(result, explained_verdict(result))
    assert "1,000,000 of 1,000,000 tuples: 16.0.0.1, ports 1024 to 51023; to 48.0.0.1, ports 5001 to 5020" in text
    assert "65,536 buckets, 15.3 entries per bucket at 1,000,000" in text
