"""Rates from snapshots: smooth while traffic runs, and 0 at once when it ends."""

import pytest

from wirespeed._native.generator import GeneratorSnapshot, PortTraffic
from wirespeed.generator.traffic_statistics import RateMeter

FRAME_BYTES = 64
INTERVAL_S = 0.5


def observed(meter: RateMeter, at: int, packets: int) -> None:
    sent_bytes = packets * FRAME_BYTES
    traffic = PortTraffic(tx_packets=packets, tx_bytes=sent_bytes, rx_packets=packets, rx_bytes=sent_bytes)
    meter.observe(GeneratorSnapshot(at * INTERVAL_S, (traffic,), ()))


def measured(*packets: int) -> RateMeter:
    """After one interval with these numbers of packets."""
    meter = RateMeter(GeneratorSnapshot(0.0, (PortTraffic(),), ()))
    for at in range(len(packets)):
        observed(meter, at + 1, sum(packets[: at + 1]))
    return meter


def test_a_port_that_was_stopped_reads_0_at_once() -> None:
    rates = measured(5000, 5000, 5000, 1200, 0).rates[0]
    assert (rates.tx_pps, rates.tx_bps, rates.rx_pps, rates.rx_bps) == (0, 0, 0, 0)


@pytest.mark.parametrize("packets", [(5000,), (1200, 5000), (0, 0, 1, 5000), (5000, 5000, 0, 0, 700, 5000)])
def test_what_begins_has_its_rate_within_two_intervals(packets: tuple[int, ...]) -> None:
    rates = measured(*packets).rates[0]
    assert (rates.tx_pps, rates.rx_pps) == (10_000, 10_000)
    assert rates.tx_bps == rates.rx_bps == 10_000 * FRAME_BYTES * 8


def test_what_runs_is_smoothed() -> None:
    rates = measured(5000, 5000, 7000).rates[0]
    assert (rates.tx_pps, rates.tx_bps) == (12_000, 12_000 * FRAME_BYTES * 8)
    assert measured(5000, 5000, 3000, 5000).rates[0].tx_pps == 9000


def test_a_packet_a_second_does_not_flicker() -> None:
    low = [measured(*[1, 0] * 20, *more).rates[0].tx_pps for more in ((), (1,), (1, 0))]
    assert all(0.5 < pps < 1.5 for pps in low)
