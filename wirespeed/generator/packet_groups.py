"""Packet groups (pg_id): which streams count together, under what number in the core, and at what rate.

A group lives from the first stream that names it to the removal of its last one, on all ports; its version tells one
life from the next. It gets a number in the core, and counters that are 0, when it first starts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wirespeed._native.flow_records import FLOW_FIELDS, FLOWS, LATENCY_FLOWS, FlowKind, FlowsSnapshot
from wirespeed._native.generator import NativeGenerator
from wirespeed.generator.rpc import failed
from wirespeed.generator.traffic_statistics import smoothed

LIMITS = {FlowKind.STATS: FLOWS, FlowKind.LATENCY: LATENCY_FLOWS}


@dataclass
class PacketGroup:
    pg_id: int
    kind: FlowKind
    version: int
    streams: int = 0
    hardware_id: int | None = None
    rates: tuple[float, ...] = ()
    """A second's worth of each of its counts, as `FlowsSnapshot` has them; none before the second look."""
    earlier: tuple[float, ...] = ()
    """The rates one look before."""


class PacketGroups:
    """All groups of a server."""

    def __init__(self, core: NativeGenerator) -> None:
        self._core = core
        self._groups: dict[int, PacketGroup] = {}
        self._counts = dict.fromkeys(LIMITS, 0)
        self._versions = 0
        self._before: dict[FlowKind, FlowsSnapshot] = {}

    def join(self, pg_id: int, kind: FlowKind) -> None:
        """A stream was added; a latency group is one stream's."""
        group = self._groups.get(pg_id)
        if group is not None and group.kind is not kind:
            raise failed("Can't use same pg_id for streams with different l4 protocol")
        if group is not None and kind is FlowKind.LATENCY:
            raise failed(
                "For payload rules: Can't have two streams with same pg_id, or same stream on more than one port"
            )
        if group is None:
            if self._counts[kind] == LIMITS[kind]:
                what = "latency" if kind is FlowKind.LATENCY else "statistics"
                raise failed(f"at most {LIMITS[kind]} pg_ids with {what} can be counted")
            group = self._groups[pg_id] = PacketGroup(pg_id, kind, self._versions)
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

    def chosen(self, pg_ids: Iterable[int]) -> list[PacketGroup]:
        """Existing groups among `pg_ids`; all groups if none is named."""
        wanted = set(pg_ids)
        return [group for pg_id, group in sorted(self._groups.items()) if not wanted or pg_id in wanted]

    def counters(self, groups: Iterable[PacketGroup]) -> dict[int, tuple[int, ...]]:
        """By pg_id, counts as `FlowsSnapshot` has them; of each kind at one instant."""
        nothing = (0,) * (FLOW_FIELDS * self._core.port_count())
        by_group = {group.pg_id: nothing for group in groups}
        for kind in LIMITS:
            by_id = {one.hardware_id: one for one in groups if one.kind is kind and one.hardware_id is not None}
            if by_id:
                counts = self._core.flows(kind, list(by_id)).counts
                by_group |= {group.pg_id: counts[number] for number, group in by_id.items()}
        return by_group

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
            seconds = now.at_s - before.at_s
            for number, group in by_id.items():
                counts = now.counts[number]
                none = (0.0,) * len(counts)
                was = before.counts.get(number, none)  # counted from the start on, which was since then
                if was == counts and not any(group.rates):
                    group.rates = none
                    continue
                # A reset between the readings looks like packets taken back.
                group.earlier, group.rates = (
                    group.rates,
                    tuple(
                        [
                            smoothed(earlier, last, max(0, after - then) / seconds)
                            for earlier, last, then, after in zip(
                                group.earlier or none, group.rates or none, was, counts, strict=True
                            )
                        ]
                    ),
                )
