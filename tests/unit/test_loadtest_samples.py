"""Samples are differences of counters over real time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.generator.client import PortStats, Snapshot
from wirespeed.loadtest.samples import sample_between

COUNTS = st.integers(min_value=0, max_value=10**12)
ZERO = PortStats(0, 0, 0, 0, 0, 0)


def shot(at_s: float, stats: PortStats, **global_stats: object) -> Snapshot:
    return Snapshot(at_s, {0: stats}, dict(global_stats))


def test_rates_are_deltas_and_totals_count_from_the_start_of_traffic() -> None:
    origin = PortStats(1000, 500, 64_000, 32_000, 1, 2, asked=1000, refused=10, late=20, rx_missed=30)
    before = replace(origin, opackets=2000, obytes=128_000, asked=2500)
    now = PortStats(4000, 2500, 256_000, 160_000, 1, 5, asked=6500, refused=1510, late=1020, rx_missed=31)
    sample = sample_between(
        shot(12.0, before), shot(14.0, now), origin=shot(11.0, origin), phase="ramp", speeds_bps={0: 1e6}
    )
    port = sample.ports[0]
    assert (sample.t_s, sample.interval_s, sample.phase) == (3.0, 2.0, "ramp")
    assert (port.tx_pps, port.rx_pps, port.asked_pps) == (1000, 1000, 2000)
    assert (port.tx_bps, port.rx_bps) == (512_000, 512_000)
    assert port.tx_util == pytest.approx(1000 * 84 * 8 / 1e6 * 100)
    assert (port.opackets, port.ipackets, port.obytes, port.ibytes) == (3000, 2000, 192_000, 128_000)
    assert (port.oerrors, port.ierrors, port.refused, port.late, port.rx_missed) == (0, 3, 1500, 1000, 1)


def test_a_server_without_the_extension_leaves_them_out() -> None:
    sample = sample_between(
        shot(0, ZERO), shot(1, replace(ZERO, opackets=5)), origin=shot(0, ZERO), phase="hold", speeds_bps={}
    )
    port = sample.ports[0]
    assert (port.tx_pps, port.tx_util) == (5, 0)
    assert port.asked_pps is port.refused is port.late is port.rx_missed is None


def test_global_statistics_have_the_names_of_the_trex_client_and_finite_values() -> None:
    now = shot(1, ZERO, m_cpu_util=12.5, m_total_queue_full=3, m_active_flows=0.0, m_rx_bps=float("nan"))
    sample = sample_between(shot(0, ZERO), now, origin=shot(0, ZERO), phase="hold", speeds_bps={})
    assert sample.global_stats == {"cpu_util": 12.5, "queue_full": 3}


@given(st.lists(st.tuples(st.floats(min_value=0.01, max_value=5), COUNTS), min_size=1, max_size=20))
def test_rates_times_intervals_come_to_the_total(spans: list[tuple[float, int]]) -> None:
    origin = before = shot(100.0, ZERO)
    packets = 0.0
    for span_s, sent in spans:
        now = shot(before.at_s + span_s, replace(ZERO, opackets=before.ports[0].opackets + sent))
        sample = sample_between(before, now, origin=origin, phase="ramp", speeds_bps={0: 10e9})
        packets += sample.ports[0].tx_pps * sample.interval_s
        before = now
    assert packets == pytest.approx(sum(sent for _, sent in spans))
    assert sample.ports[0].opackets == sum(sent for _, sent in spans)


def test_a_clock_that_stands_still_gives_no_rate() -> None:
    sample = sample_between(
        shot(1, ZERO), shot(1, replace(ZERO, opackets=9)), origin=shot(1, ZERO), phase="ramp", speeds_bps={}
    )
    assert (sample.ports[0].tx_pps, sample.ports[0].opackets) == (0, 9)
