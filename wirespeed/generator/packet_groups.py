"""Packet groups (pg_id): which streams count together, under what number in the core, and at what rate.

A group lives from the first stream that names it to the removal of its last one, on all ports; its version tells one
life from the next. It gets a number in the core, and counters that are 0, when it first starts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wirespeed._native.flow_records import FLOWS, LATENCY_FLOWS, Flow, FlowKind, FlowReading
from wirespeed._native.generator import GeneratorCore
from wirespeed.generator.rpc import failed
from wirespeed.generator.statistics import SMOOTHING

LIMITS = {FlowKind.STATS: FLOWS, FlowKind.LATENCY: LATENCY_FLOWS}


@dataclass(frozen=True)
class FlowRates:
    """A second's worth of a group on one port; bits at layer 2, FCS included."""

    rx_pps: float = 0.0
    rx_bps: float = 0.0
    tx_pps: float = 0.0
    tx_bps: float = 0.0


@dataclass
class Group:
    pg_id: int
    kind: FlowKind
    version: int
    streams: int = 0
    hardware_id: int | None = None
    rates: tuple[FlowRates, ...] = ()


class PacketGroups:
    """All groups of a server."""

    def __init__(self, core: GeneratorCore) -> None:
        self._core = core
        self._groups: dict[int, Group] = {}
        self._counts = dict.fromkeys(LIMITS, 0)
        self._versions = 0
        self._before: dict[FlowKind, FlowReading] = {}

    def join(self, pg_id: int, kind: FlowKind) -> None:
        """A stream was added; a latency group is one stream's."""
        group = self._groups.get(pg_id)
        if group is not None and (group.kind is not kind or kind is FlowKind.LATENCY):
            raise failed(f"pg_id {pg_id} belongs to a latency stream and cannot be shared")
        if group is None:
            if self._counts[kind] == LIMITS[kind]:
                what = "latency" if kind is FlowKind.LATENCY else "statistics"
                raise failed(f"at most {LIMITS[kind]} pg_ids with {what} can be counted")
            group = self._groups[pg_id] = Group(pg_id, kind, self._versions)
            self._versions += 1
            self._counts[kind] += 1
        group.streams += 1

    def leave(self, pg_id: int) -> None:
        """A stream was removed."""
        group = self._groups[pg_id]
        group.streams -= 1
        if not group.streams:
            del self._groups[pg_id]
            self._counts[group.kind] -= 1

    def hardware_ids(self, pg_ids: Iterable[int]) -> dict[int, int]:
        """The core's numbers of groups that are to send."""
        wanted = [self._groups[pg_id] for pg_id in dict.fromkeys(pg_ids)]
        for kind, limit in LIMITS.items():
            taken = {one.hardware_id for one in self._groups.values() if one.kind is kind}
            free = (number for number in range(limit) if number not in taken)
            fresh = [group for group in wanted if group.kind is kind and group.hardware_id is None]
            for group in fresh:
                group.hardware_id = next(free)
            if fresh:
                self._core.reset_flows(kind, [one.hardware_id for one in fresh if one.hardware_id is not None])
        return {group.pg_id: group.hardware_id for group in wanted if group.hardware_id is not None}

    def active(self, kind: FlowKind) -> list[int]:
        return sorted(group.pg_id for group in self._groups.values() if group.kind is kind)

    def chosen(self, pg_ids: Iterable[int]) -> list[Group]:
        """Those of the groups that are there; all of them when none is named."""
        wanted = set(pg_ids)
        return [group for pg_id, group in sorted(self._groups.items()) if not wanted or pg_id in wanted]

    def counters(self, groups: Iterable[Group]) -> dict[int, tuple[Flow, ...]]:
        """By pg_id, one `Flow` a port; of each kind at one instant."""
        nothing = tuple(Flow() for _ in range(self._core.port_count()))
        found = {group.pg_id: nothing for group in groups}
        for kind in LIMITS:
            by_id = {one.hardware_id: one for one in groups if one.kind is kind and one.hardware_id is not None}
            if by_id:
                flows = self._core.flows(kind, list(by_id)).flows
                found |= {group.pg_id: flows[number] for number, group in by_id.items()}
        return found

    def observe(self) -> None:
        """Work out the rates since the last time; called twice a second or so."""
        for kind in LIMITS:
            by_id = {
                group.hardware_id: group
                for group in self._groups.values()
                if group.kind is kind and group.hardware_id is not None
            }
            if not by_id:
                self._before.pop(kind, None)
                continue
            now = self._core.flows(kind, list(by_id))
            before, self._before[kind] = self._before.get(kind), now
            if before is None or now.at_s <= before.at_s:
                continue
            for number, group in by_id.items():
                was = before.flows.get(number, now.flows[number])
                old = group.rates or (FlowRates(),) * len(was)
                group.rates = tuple(
                    _rates(*ports, now.at_s - before.at_s) for ports in zip(old, was, now.flows[number], strict=True)
                )


def _rates(old: FlowRates, was: Flow, now: Flow, seconds: float) -> FlowRates:
    def mix(rate: float, change: int) -> float:
        # A reset between the readings looks like packets taken back.
        return rate + SMOOTHING * (max(0, change) / seconds - rate)

    return FlowRates(
        mix(old.rx_pps, now.rx_packets - was.rx_packets),
        mix(old.rx_bps, 8 * (now.rx_bytes - was.rx_bytes)),
        mix(old.tx_pps, now.tx_packets - was.tx_packets),
        mix(old.tx_bps, 8 * (now.tx_bytes - was.tx_bytes)),
    )
