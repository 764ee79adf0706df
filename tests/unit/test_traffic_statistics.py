"""Rates from snapshots: smooth while traffic runs, and 0 at once when it has ended."""

import pytest

from wirespeed._native.generator import PortTraffic, Snapshot
from wirespeed.generator.traffic_statistics import Meter

FRAME_BYTES = 64
INTERVAL_S = 0.5


def observed(meter: Meter, at: int, packets: int) -> None:
    traffic = PortTraffic(packets, packets * FRAME_BYTES, packets, packets * FRAME_BYTES)
    meter.observe(Snapshot(at * INTERVAL_S, (traffic,), ()))


def measured(*packets: int) -> Meter:
    """After one interval with so many packets for each."""
    meter = Meter(Snapshot(0.0, (PortTraffic(),), ()))
    for at in range(len(packets)):
        observed(meter, at + 1, sum(packets[: at + 1]))
    return meter


def test_a_port_that_was_stopped_reads_0_at_once() -> None:
    rates = measured(5000, 5000, 5000, 1200, 0).rates[0]
    assert (rates.tx_pps, rates.tx_bps, rates.rx_pps, rates.rx_bps) == (0, 0, 0, 0)


def test_what_runs_is_smoothed() -> None:
    rates = measured(5000, 0, 5000).rates[0]
    assert rates.tx_pps == pytest.approx(5000)
    assert rates.tx_bps == pytest.approx(5000 * FRAME_BYTES * 8)


def test_a_packet_a_second_does_not_flicker() -> None:
    low = [measured(*[1, 0] * 20, *more).rates[0].tx_pps for more in ((), (1,), (1, 0))]
    assert all(0.5 < pps < 1.5 for pps in low)
