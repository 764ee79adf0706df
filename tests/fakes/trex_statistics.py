"""Counters of a strict T-Rex, each read a little before the answer; packet groups; computed rates of profiles."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from trex_device import Device
from trex_fields import Refused
from trex_port import Port
from trex_streams import Stream

from wirespeed.units import MIN_FRAME_BYTES, l1_bits

_RULES = ("stats", "latency", "tpg")
_LATENCY_US = 40


class Statistics:
    def __init__(
        self, ports: Sequence[Port], device: Device, reader: random.Random, skew_s: float, latency_lost: int
    ) -> None:
        self._ports, self._device, self._reader = ports, device, reader
        self._skew_s, self._latency_lost = skew_s, latency_lost
        self._read: dict[tuple[int, str], tuple[int, int]] = {}
        self._groups: dict[int, tuple[str, int]] = {}
        self._lives: dict[int, int] = {}
        self._senders: dict[int, tuple[Port, Stream]] = {}

    # ---- packet groups

    def add(self, port: Port, stream: Stream) -> None:
        """Register a stream's group, or raise Refused."""
        if stream.group is None:
            return
        held = self._groups.get(stream.group)
        if held is not None and (stream.rule, held[0]) == ("latency", "latency"):
            raise Refused(
                "For payload rules: Can't have two streams with same pg_id, or same stream on more than one port"
            )
        if stream.rule not in _RULES or (held is not None and held[0] != stream.rule):
            raise Refused("Can't use same pg_id for streams with different l4 protocol")
        if not _has_network(stream):
            raise Refused("Failed determining l3 proto for packet")
        if held is None:
            self._lives[stream.group] = len(self._lives)
        self._groups[stream.group] = (stream.rule, 1 + (held[1] if held else 0))
        self._senders[stream.group] = (port, stream)

    def drop(self, stream: Stream) -> None:
        if stream.group is None:
            return
        rule, users = self._groups[stream.group]
        self._groups[stream.group] = (rule, users - 1)
        if users == 1:
            del self._groups[stream.group], self._senders[stream.group]

    def active(self) -> dict[str, list[int]]:
        kinds = {"flow_stats": "stats", "latency": "latency"}
        return {
            name: [group for group, (rule, _) in self._groups.items() if rule == wanted]
            for name, wanted in kinds.items()
        }

    def of_groups(self, wanted: Sequence[int], now_s: float) -> dict[str, Any]:
        known = [group for group in (wanted or self._groups) if group in self._groups]
        flows = {str(group): self._flow(group, now_s) for group in known}
        latency: dict[str, Any] = {"g": None}
        for group in known:
            port, stream = self._senders[group]
            if stream.fixed and len(port.history) > 1:
                seen = self._flow(group, now_s)["rp"][str(1 - port.index)]
                times = {"average": 0, "total_max": _LATENCY_US, "total_min": _LATENCY_US, "last_max": _LATENCY_US}
                counted = {"histogram": {str(_LATENCY_US): seen}} if seen else {"histogram": {}}
                latency[str(group)] = {"er": {"drp": self._latency_lost}, "lat": {**times, "jit": 0, **counted}}
        versions = {str(group): self._lives[group] for group in known}
        return {"flow_stats": flows or None, "latency": latency, "ver_id": versions or None}

    def _flow(self, group: int, now_s: float) -> dict[str, dict[str, float]]:
        port, stream = self._senders[group]
        sent, back = self._sent(port, now_s)[0], self._passed(port, now_s)[0]
        part = port.sent_of(stream, now_s) / max(1, port.sent(now_s)[0])
        told: dict[str, dict[str, float]] = {}
        for way, (index, packets) in {"t": (port.index, sent), "r": (1 - port.index, back)}.items():
            told[f"{way}p"] = {"0": 0, "1": 0, str(index): int(packets * part)}
            told[f"{way}b"] = {"0": 0, "1": 0, str(index): int(packets * part) * stream.frame_bytes}
            told[f"{way}ps"] = told[f"{way}bs"] = {"0": 0.0, "1": 0.0}
        return told

    # ---- ports

    def _sent(self, port: Port, at_s: float) -> tuple[int, int]:
        return self._once_read(port, "sent", port.sent(self._early(at_s), self._device.tester_pps))

    def _passed(self, port: Port, at_s: float) -> tuple[int, int]:
        """Packets of this port that the other port has received."""
        return self._once_read(port, "passed", self._device.passed(port, self._early(at_s)))

    def _received(self, port: Port, at_s: float) -> tuple[int, int]:
        if port.index in self._device.silent:
            return 0, 0
        packets, octets = self._passed(self._ports[1 - port.index], at_s)
        strange = int(at_s * self._device.noise_pps)
        return packets + strange, octets + strange * MIN_FRAME_BYTES

    def _early(self, at_s: float) -> float:
        return at_s - self._reader.uniform(0, self._skew_s) if self._skew_s else at_s

    def _once_read(self, port: Port, way: str, counts: tuple[int, int]) -> tuple[int, int]:
        """Counters never decrease, however early they are read."""
        if not self._skew_s:
            return counts
        old = self._read.get((port.index, way), (0, 0))
        self._read[port.index, way] = new = (max(old[0], counts[0]), max(old[1], counts[1]))
        return new

    def of_generator(self, port: Port, now_s: float) -> dict[str, Any]:
        """Counters of wirespeed's generator: packets that a virtual link does not take are refused, not sent."""
        asked, punctual = port.sent(now_s)[0], port.sent(now_s, self._device.tester_pps)[0]
        taken, taken_bytes = self._device.taken(port, now_s)
        return {
            **self.of_port(port, now_s),
            **{"opackets": taken, "obytes": taken_bytes, "rx_missed": 0},
            **{"intended_packets": asked, "refused_packets": punctual - taken, "late_packets": asked - punctual},
        }

    def of_port(self, port: Port, now_s: float) -> dict[str, Any]:
        (sent, sent_bytes), (received, received_bytes) = self._sent(port, now_s), self._received(port, now_s)
        sending, coming = port.pps, self._ports[1 - port.index].pps
        return {
            **{"opackets": sent, "obytes": sent_bytes, "ipackets": received, "ibytes": received_bytes},
            **{"oerrors": 0, "ierrors": 0, "m_cpu_util": 0.0},
            **{"m_total_tx_pps": sending[0], "m_total_tx_bps": sending[1] * 8},
            **{"m_total_rx_pps": coming[0], "m_total_rx_bps": coming[1] * 8},
        }

    def whole(self) -> dict[str, Any]:
        pps, octets = (sum(port.pps[place] for port in self._ports) for place in (0, 1))
        rates = (
            *("m_active_flows", "m_bw_per_core", "m_cpu_util", "m_cpu_util_raw", "m_open_flows", "m_rx_core_pps"),
            *("m_rx_cpu_util", "m_rx_drop_bps", "m_socket_util", "m_tx_cps", "m_tx_expected_cps"),
            *("m_tx_expected_bps", "m_tx_expected_pps", "m_total_nat_time_out", "m_total_nat_time_out_wait_ack"),
        )
        counts = (
            *("m_active_sockets", "m_total_alloc_error", "m_total_queue_full", "m_total_queue_drop"),
            *("m_total_clients", "m_total_servers", "m_total_nat_active", "m_total_nat_learn_error"),
            *("m_total_nat_no_fid", "m_total_nat_open", "m_total_nat_syn_wait"),
            *("m_total_tx_pkts", "m_total_rx_pkts", "m_total_tx_bytes", "m_total_rx_bytes"),
        )
        return {
            **dict.fromkeys(rates, 0.0),
            **dict.fromkeys(counts, 0),
            **{"m_tx_pps": pps, "m_rx_pps": pps, "m_tx_bps": octets * 8, "m_rx_bps": octets * 8},
            **{"m_platform_factor": 1.0, "m_cpu_util": 12.5, "m_total_queue_full": 3},
        }

    def validation(self, port: Port, streams: Mapping[int, Stream]) -> dict[str, Any]:
        """Rate of `streams` at multiplier 1."""
        line = port.line_bps
        speeds = {number: stream.rate_pps(line) for number, stream in streams.items()}
        events = [
            {
                "diff_bps_l1": pps * l1_bits(streams[number].frame_bytes),
                "diff_bps_l2": pps * streams[number].frame_bytes * 8,
                "diff_pps": pps,
                "stream_id": number,
                "time_usec": float(streams[number].raw["isg"]),
            }
            for number, pps in reversed(speeds.items())
        ]

        def rates(kept: list[int]) -> tuple[float, float, float]:
            weights = {number: streams[number].weight_pps(line) for number in kept}
            l1 = sum(pps * l1_bits(streams[number].frame_bytes) for number, pps in weights.items())
            l2 = sum(pps * streams[number].frame_bytes * 8 for number, pps in weights.items())
            return l1, l2, sum(weights.values())

        told: dict[str, float] = {}
        for name, kept in (("max", list(streams)), ("min", [n for n, stream in streams.items() if stream.fixed])):
            l1, l2, pps = rates(kept)
            told |= {f"{name}_bps_l1": l1, f"{name}_bps_l2": l2, f"{name}_pps": pps}
            told[f"{name}_line_util"] = l1 / line * 100
        return {"rate": told, "graph": {"events": events, "events_count": len(events), "expected_duration": -1}}


def _has_network(stream: Stream) -> bool:
    """True if its packet is IPv4 or IPv6, with or without tags."""
    packet, at = stream.packet, 12
    while packet[at : at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    return packet[at : at + 2] in (b"\x08\x00", b"\x86\xdd")
