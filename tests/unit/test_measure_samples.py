"""Samples are differences of counters over real time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.client.readings import PortStats
from wirespeed.results.balance import Medium
from wirespeed.results.channel import Channel
from wirespeed.trial.reading import TrialReading, balance_between, foreign
from wirespeed.trial.samples import Basis, sample_between

COUNTS = st.integers(min_value=0, max_value=10**12)
ZERO = PortStats(0, 0, 0, 0, 0, 0)


def shot(at_s: float, stats: PortStats, **global_stats: object) -> TrialReading:
    return TrialReading(at_s, {0: stats}, dict(global_stats))


def test_rates_are_deltas_and_totals_count_from_the_start_of_traffic() -> None:
    origin = PortStats(1000, 500, 64_000, 32_000, 1, 2, intended=1000, refused=10, late=20, rx_missed=30)
    before = replace(origin, opackets=2000, obytes=128_000, intended=2500)
    now = PortStats(4000, 2500, 256_000, 160_000, 1, 5, intended=6500, refused=1510, late=1020, rx_missed=31)
    sample = sample_between(Basis(shot(11.0, origin), {0: 1e6}), shot(12.0, before), shot(14.0, now), phase="ramp")
    port = sample.ports[0]
    assert (sample.t_s, sample.interval_s, sample.phase) == (3.0, 2.0, "ramp")
    assert (port.tx_pps, port.rx_pps, port.intended_pps) == (1000, 1000, 2000)
    assert (port.tx_bps, port.rx_bps) == (512_000, 512_000)
    assert port.tx_util == pytest.approx(1000 * 84 * 8 / 1e6 * 100)
    assert (port.opackets, port.ipackets, port.obytes, port.ibytes) == (3000, 2000, 192_000, 128_000)
    assert (port.oerrors, port.ierrors, port.refused, port.late, port.rx_missed) == (0, 3, 1500, 1000, 1)


def test_a_server_without_the_extension_leaves_them_out() -> None:
    sample = sample_between(Basis(shot(0, ZERO), {}), shot(0, ZERO), shot(1, replace(ZERO, opackets=5)), phase="hold")
    port = sample.ports[0]
    assert (port.tx_pps, port.tx_util) == (5, 0)
    assert port.intended_pps is port.refused is port.late is port.rx_missed is None


def test_global_statistics_have_the_names_of_the_trex_client_and_finite_values() -> None:
    now = shot(1, ZERO, m_cpu_util=12.5, m_total_queue_full=3, m_active_flows=0.0, m_rx_bps=float("nan"))
    sample = sample_between(Basis(shot(0, ZERO), {}), shot(0, ZERO), now, phase="hold")
    assert sample.global_stats == {"cpu_util": 12.5, "queue_full": 3}


@given(st.lists(st.tuples(st.floats(min_value=0.01, max_value=5), COUNTS), min_size=1, max_size=20))
def test_rates_times_intervals_come_to_the_total(spans: list[tuple[float, int]]) -> None:
    origin = before = shot(100.0, ZERO)
    packets = 0.0
    for span_s, sent in spans:
        now = shot(before.at_s + span_s, replace(ZERO, opackets=before.ports[0].opackets + sent))
        sample = sample_between(Basis(origin, {0: 10e9}), before, now, phase="ramp")
        packets += sample.ports[0].tx_pps * sample.interval_s
        before = now
    assert packets == pytest.approx(sum(sent for _, sent in spans))
    assert sample.ports[0].opackets == sum(sent for _, sent in spans)


def test_a_clock_that_stands_still_gives_no_rate() -> None:
    sample = sample_between(Basis(shot(1, ZERO), {}), shot(1, ZERO), shot(1, replace(ZERO, opackets=9)), phase="ramp")
    assert (sample.ports[0].tx_pps, sample.ports[0].opackets) == (0, 9)


def test_each_port_counts_over_the_time_between_its_own_instants() -> None:
    """Ports of two servers have different clocks."""

    def reading(at_s: float, there_s: float, packets: int) -> TrialReading:
        return TrialReading(
            at_s, {0: replace(ZERO, opackets=packets), 1: replace(ZERO, opackets=packets, at_s=there_s)}
        )

    origin = reading(10.0, 500.0, 0)
    sample = sample_between(Basis(origin, {}), origin, reading(11.0, 502.0, 1000), phase="hold")
    assert (sample.ports[0].tx_pps, sample.ports[1].tx_pps) == (1000, 500)


def test_what_the_plan_asked_for_stands_where_the_server_keeps_no_account() -> None:
    basis, end = Basis(shot(0, ZERO), {}), shot(2, replace(ZERO, opackets=10))
    sample = sample_between(basis, shot(0, ZERO), end, phase="ramp", intended_pps={0: 7.0})
    assert (sample.ports[0].intended_pps, sample.ports[0].intended) == (7.0, None)
    known = replace(ZERO, intended=4)
    sample = sample_between(
        Basis(shot(0, known), {}), shot(0, known), shot(2, replace(known, intended=8)), phase="ramp"
    )
    assert (sample.ports[0].intended_pps, sample.ports[0].intended) == (2.0, 4)


def test_foreign_frames_are_those_of_kinds_that_no_stream_sends() -> None:
    before, after = replace(ZERO, kinds={"arp": 1, "icmp_error": 5}), replace(ZERO, kinds={"arp": 4, "icmp_error": 7})
    assert foreign(before, after, frozenset()) == 5
    assert foreign(before, after, frozenset({"arp"})) == 2
    assert foreign(ZERO, ZERO, frozenset()) is None


def test_frames_of_others_hide_no_loss_in_a_balance() -> None:
    wire = Channel(0, 1)
    before = TrialReading(0, {0: ZERO, 1: ZERO})
    after = TrialReading(1, {0: replace(ZERO, opackets=100), 1: replace(ZERO, ipackets=100, kinds={"icmp_error": 30})})
    found = balance_between(before, after, wire, Medium.QUEUE)
    assert (found.sent, found.received, found.extraneous, found.lost) == (100, 100, 30, 30)
    marked = replace(after, test_frames={wire: 60})
    assert balance_between(before, marked, wire, Medium.QUEUE).lost == 40
