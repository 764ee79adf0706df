"""From readings to samples: deltas over real time, totals since the start of traffic. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.results.dut import DutTelemetry
from wirespeed.results.order import Order
from wirespeed.results.sample import PortSample, Sample
from wirespeed.trial.latency import latency_between
from wirespeed.trial.machine import preemption_between
from wirespeed.trial.reading import TrialReading, foreign
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


_TOTALS = (
    *("opackets", "ipackets", "obytes", "ibytes", "oerrors", "ierrors"),
    *("intended", "refused", "no_buffer", "late", "rx_missed", "rx_pause_frames"),
)


@dataclass(frozen=True)
class Basis:
    """Common basis of all samples of a measurement: the reading at the start, the line speed of each port, and the
    kinds of control frames that belong to the load."""

    origin: TrialReading
    speeds_bps: Mapping[int, float | None]
    kinds: frozenset[str] = frozenset()


def sample_between(
    basis: Basis,
    before: TrialReading,
    now: TrialReading,
    *,
    phase: str,
    intended_pps: Mapping[int, float] | None = None,
    dut: DutTelemetry | None = None,
    links_down: Sequence[int] = (),
) -> Sample:
    """The sample that two readings make. `intended_pps` is each sender's intended load, for servers that do not count
    it."""
    known = {name: now.global_stats[trex] for trex, name in _GLOBALS.items() if trex in now.global_stats}
    finite = {key: value for key, value in known.items() if isinstance(value, (int, float)) and math.isfinite(value)}
    latency = {channel: latency_between(before.latency.get(channel), after) for channel, after in now.latency.items()}
    return Sample(
        t_s=now.at_s - basis.origin.at_s,
        interval_s=now.at_s - before.at_s,
        phase=phase,
        ports={port: _port_sample(basis, before, now, port, (intended_pps or {}).get(port)) for port in now.ports},
        global_stats=finite,
        dut=dut.to_json() if dut is not None else {},
        test_frames={
            channel: count - basis.origin.test_frames.get(channel, 0) for channel, count in now.test_frames.items()
        },
        order={channel: seen.since(basis.origin.order.get(channel, Order())) for channel, seen in now.order.items()},
        latency={channel: told for channel, told in latency.items() if told is not None},
        preemption=preemption_between(before.machine, now.machine, dut),
        links_down=tuple(links_down),
    )


def _port_sample(
    basis: Basis, before: TrialReading, now: TrialReading, port: int, planned_pps: float | None
) -> PortSample:
    old, new, start = before.ports[port], now.ports[port], basis.origin.ports[port]
    interval_s = now.port_at_s(port) - before.port_at_s(port)
    speed_bps = basis.speeds_bps.get(port)

    def rate(counter: str) -> float:
        delta: int = getattr(new, counter) - getattr(old, counter)
        return delta / interval_s if interval_s > 0 else 0.0

    def total(counter: str) -> int | None:
        value, first = getattr(new, counter), getattr(start, counter)
        return None if value is None or first is None else value - first

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
        intended_pps=planned_pps if new.intended is None or old.intended is None else rate("intended"),
        foreign=foreign(start, new, basis.kinds),
        kinds={kind: count - start.kinds.get(kind, 0) for kind, count in new.kinds.items()},
        **{counter: total(counter) for counter in _TOTALS},
    )
