"""From counter snapshots to samples: deltas over real time, totals since the start of traffic. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from wirespeed.generator.client import PortStats, Snapshot
from wirespeed.loadtest.result import PortSample, Sample
from wirespeed.units import l1_bps

_GLOBALS = {
    "m_cpu_util": "cpu_util",
    "m_cpu_util_raw": "cpu_util_raw",
    "m_rx_cpu_util": "rx_cpu_util",
    "m_bw_per_core": "bw_per_core",
    "m_tx_pps": "tx_pps",
    "m_tx_bps": "tx_bps",
    "m_rx_pps": "rx_pps",
    "m_rx_bps": "rx_bps",
    "m_rx_drop_bps": "rx_drop_bps",
    "m_tx_expected_pps": "tx_expected_pps",
    "m_tx_expected_bps": "tx_expected_bps",
    "m_total_queue_full": "queue_full",
}
"""The stateless part of T-Rex's global statistics and the names its client gives them."""


def sample_between(
    before: Snapshot,
    now: Snapshot,
    *,
    origin: Snapshot,
    phase: str,
    speeds_bps: Mapping[int, float | None],
    dut: dict[str, Any] | None = None,
) -> Sample:
    """The sample that two snapshots make; `origin` is the snapshot at the start of traffic."""
    interval_s = now.at_s - before.at_s
    ports = {
        port: _port_sample(before.ports[port], now.ports[port], origin.ports[port], interval_s, speeds_bps.get(port))
        for port in now.ports
    }
    known = {ours: now.global_stats[theirs] for theirs, ours in _GLOBALS.items() if theirs in now.global_stats}
    finite = {key: value for key, value in known.items() if isinstance(value, (int, float)) and math.isfinite(value)}
    return Sample(now.at_s - origin.at_s, interval_s, phase, ports, finite, dut or {})


def _port_sample(
    before: PortStats, now: PortStats, origin: PortStats, interval_s: float, speed_bps: float | None
) -> PortSample:
    def rate(counter: str) -> float:
        delta: int = getattr(now, counter) - getattr(before, counter)
        return delta / interval_s if interval_s > 0 else 0.0

    def total(counter: str) -> int | None:
        value, start = getattr(now, counter), getattr(origin, counter)
        return None if value is None or start is None else value - start

    def util(pps: float, bps: float) -> float:
        return l1_bps(bps, pps) / speed_bps * 100 if speed_bps else 0.0

    tx_pps, rx_pps, tx_bps, rx_bps = rate("opackets"), rate("ipackets"), rate("obytes") * 8, rate("ibytes") * 8
    return PortSample(
        tx_pps=tx_pps,
        rx_pps=rx_pps,
        tx_bps=tx_bps,
        rx_bps=rx_bps,
        tx_util=util(tx_pps, tx_bps),
        rx_util=util(rx_pps, rx_bps),
        opackets=total("opackets"),
        ipackets=total("ipackets"),
        obytes=total("obytes"),
        ibytes=total("ibytes"),
        oerrors=total("oerrors"),
        ierrors=total("ierrors"),
        asked_pps=None if now.asked is None or before.asked is None else rate("asked"),
        refused=total("refused"),
        late=total("late"),
        rx_missed=total("rx_missed"),
    )
