"""Counters as T-Rex's statistics have them: bytes with FCS, layer 2 bits per second, smoothed rates."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

from wirespeed._native.generator import GeneratorSnapshot, PortTraffic
from wirespeed.renamed import with_former_keys

Json = dict[str, Any]

SMOOTHING = 0.5
"""Weight of the newest interval in a rate; see `smoothed`."""

SURE_PACKETS = 4
"""If this number of packets was due in an interval and none arrived, the rate is 0 at once: the port was stopped."""

HISTORY = 20

KIND_PREFIX = "rx_kind_"
"""Prefix of the counters of frames outside any load."""

DROP_SHARE = 0.1
"""Share of the sent packets; a smaller difference proves nothing."""


@dataclass(frozen=True)
class CounterRates:
    """A second's worth of each counter; bits at layer 2."""

    tx_pps: float = 0.0
    tx_bps: float = 0.0
    rx_pps: float = 0.0
    rx_bps: float = 0.0


class RateMeter:
    """Turns snapshots into rates and worker loads, one interval after another."""

    def __init__(self, first: GeneratorSnapshot) -> None:
        self._before = first
        self.rates = [CounterRates() for _ in first.ports]
        self._earlier = list(self.rates)
        self.cpu_percent = [0.0 for _ in first.workers]
        self.cpu_history = [deque([0] * HISTORY, maxlen=HISTORY) for _ in first.workers]

    def observe(self, now: GeneratorSnapshot) -> None:
        seconds = now.at_s - self._before.at_s
        if seconds <= 0:
            return
        for port, (before, after) in enumerate(zip(self._before.ports, now.ports, strict=True)):
            new = _smoothed(self._earlier[port], self.rates[port], _rates(before, after, seconds), seconds)
            self._earlier[port], self.rates[port] = self.rates[port], new
        for worker, (was, load) in enumerate(zip(self._before.workers, now.workers, strict=True)):
            total = load.total_clocks - was.total_clocks
            busy = 100.0 * (load.busy_clocks - was.busy_clocks) / total if total > 0 else 0.0
            self.cpu_percent[worker] += SMOOTHING * (busy - self.cpu_percent[worker])
            self.cpu_history[worker].appendleft(round(busy))
        self._before = now


def _rates(before: PortTraffic, after: PortTraffic, seconds: float) -> CounterRates:
    return CounterRates(
        tx_pps=(after.tx_packets - before.tx_packets) / seconds,
        tx_bps=(after.tx_bytes - before.tx_bytes) * 8 / seconds,
        rx_pps=(after.rx_packets - before.rx_packets) / seconds,
        rx_bps=(after.rx_bytes - before.rx_bytes) * 8 / seconds,
    )


def smoothed(earlier: float, last: float, new: float) -> float:
    """The rate after an interval at `new`, from those after the two intervals before.

    Traffic that begins within an interval has its whole rate in the next one only; both are taken as they are.
    """
    begins = last == 0 or (earlier == 0 and new > last)
    return new if begins else last + SMOOTHING * (new - last)


def _smoothed(earlier: CounterRates, last: CounterRates, new: CounterRates, seconds: float) -> CounterRates:
    tx_ended = _has_ended(last.tx_pps, new.tx_pps, seconds)
    rx_ended = _has_ended(last.rx_pps, new.rx_pps, seconds)
    return CounterRates(
        tx_pps=0.0 if tx_ended else smoothed(earlier.tx_pps, last.tx_pps, new.tx_pps),
        tx_bps=0.0 if tx_ended else smoothed(earlier.tx_bps, last.tx_bps, new.tx_bps),
        rx_pps=0.0 if rx_ended else smoothed(earlier.rx_pps, last.rx_pps, new.rx_pps),
        rx_bps=0.0 if rx_ended else smoothed(earlier.rx_bps, last.rx_bps, new.rx_bps),
    )


def _has_ended(last_pps: float, new_pps: float, seconds: float) -> bool:
    return new_pps == 0 and last_pps * seconds >= SURE_PACKETS


def port_stats(snapshot: GeneratorSnapshot, port: int, rates: CounterRates, cpu_percent: float) -> Json:
    """Reply to `get_port_stats`. T-Rex does not have the keys from `intended_packets` on.

    intended = opackets + refused (the TX queue was full) + no_buffer (the packet pool was empty) + late (the worker was
    behind schedule). Some of the packets sent were pushed in addition to the streams. Pause frames are included if the
    driver counts them. `ts` is the time of the counters on the server's monotonic clock. All values are numbers, since
    T-Rex's client adds up those of its ports."""
    seen = snapshot.ports[port]
    pauses = {"rx_pause_frames": seen.rx_pause_frames, "tx_pause_frames": seen.tx_pause_frames}
    return with_former_keys(
        {
            "opackets": seen.tx_packets,
            "ipackets": seen.rx_packets,
            "obytes": seen.tx_bytes,
            "ibytes": seen.rx_bytes,
            "oerrors": seen.tx_errors,
            "ierrors": seen.rx_errors + seen.rx_missed,
            "m_total_tx_bps": rates.tx_bps,
            "m_total_tx_pps": rates.tx_pps,
            "m_total_rx_bps": rates.rx_bps,
            "m_total_rx_pps": rates.rx_pps,
            "m_cpu_util": cpu_percent,
            "intended_packets": seen.intended_packets,
            "pushed_packets": seen.pushed_packets,
            "pushed_bytes": seen.pushed_bytes,
            "refused_packets": seen.refused_packets,
            "no_buffer_packets": seen.no_buffer_packets,
            "late_packets": seen.late_packets,
            "rx_missed": seen.rx_missed,
            "ts": snapshot.at_s,
            **{f"{KIND_PREFIX}{kind}": frames for kind, frames in asdict(seen.rx_kinds).items()},
            **{name: frames for name, frames in pauses.items() if frames is not None},
        }
    )


def global_stats(snapshot: GeneratorSnapshot, meter: RateMeter, expected_pps: float, expected_bps: float) -> Json:
    """`get_global_stats`; fields of T-Rex's stateful mode are 0.

    `m_rx_drop_bps` is the difference of sent and received rate over all ports, if it is at least a tenth: smoothed
    rates of two directions are never exactly equal.
    """
    tx_bps, rx_bps = sum(rates.tx_bps for rates in meter.rates), sum(rates.rx_bps for rates in meter.rates)
    cpu = sum(meter.cpu_percent) / len(meter.cpu_percent)
    cores = len(meter.cpu_percent)
    stateful = (
        "tx_cps tx_expected_cps active_flows open_flows total_clients total_servers active_sockets socket_util "
        "total_nat_time_out total_nat_time_out_wait_ack total_nat_no_fid total_nat_active total_nat_syn_wait "
        "total_nat_open total_nat_learn_error total_alloc_error total_queue_drop"
    )
    return {f"m_{name}": 0 for name in stateful.split()} | {
        "m_cpu_util": cpu,
        "m_cpu_util_raw": cpu,
        "m_bw_per_core": (tx_bps + rx_bps) / 1e9 / cores / (cpu / 100) if cpu else 0.0,
        "m_rx_cpu_util": 0.0,
        "m_rx_core_pps": sum(rates.rx_pps for rates in meter.rates),
        "m_platform_factor": 1.0,
        "m_tx_bps": tx_bps,
        "m_rx_bps": rx_bps,
        "m_tx_pps": sum(rates.tx_pps for rates in meter.rates),
        "m_rx_pps": sum(rates.rx_pps for rates in meter.rates),
        "m_tx_expected_pps": expected_pps,
        "m_tx_expected_bps": expected_bps,
        "m_total_queue_full": sum(port.refused_packets for port in snapshot.ports),
        "m_rx_drop_bps": tx_bps - rx_bps if tx_bps - rx_bps >= DROP_SHARE * tx_bps else 0.0,
        "m_total_tx_pkts": sum(port.tx_packets for port in snapshot.ports),
        "m_total_rx_pkts": sum(port.rx_packets for port in snapshot.ports),
        "m_total_tx_bytes": sum(port.tx_bytes for port in snapshot.ports),
        "m_total_rx_bytes": sum(port.rx_bytes for port in snapshot.ports),
    }
