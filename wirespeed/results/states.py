"""The state table of a stateful DUT: limits, states in use and counters, as values and in result files. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from wirespeed.results.codec import SPARSE

LEAST_OF_FLUSH = 10
"""A flush shows a rate if it takes this many times as long as the same command on an empty table."""
_WRAP = 1 << 32
_IN_USE = ("established", "unacknowledged")


@dataclass(frozen=True)
class StateTable:
    """A state table at one instant, or its growth since another (`since`).

    `used` entries of at most `limit`, in `buckets` hash chains; a flow takes `entries_per_flow` of them, and each entry
    stands in `links_per_entry` chains. `timeouts_s`, `counters` and `rules` have the DUT's own names: those of Linux
    are the columns of /proc/net/stat/nf_conntrack, `rules` are packets by rule. `uncounted_rules` drop or limit
    packets without a counter. `nat_ports` are the ports that NAT may give to the flows of one public address and one
    destination endpoint. `cpu_packets` were taken up by each CPU. `bypasses` forward packets without the table.
    `took_s` is the time of the reading."""

    used: int
    limit: Annotated[int | None, SPARSE] = None
    buckets: Annotated[int | None, SPARSE] = None
    entries_per_flow: Annotated[int, SPARSE] = 1
    links_per_entry: Annotated[int, SPARSE] = 2
    timeouts_s: Annotated[dict[str, float], SPARSE] = field(default_factory=dict)
    counters: Annotated[dict[str, int], SPARSE] = field(default_factory=dict)
    rules: Annotated[dict[str, int], SPARSE] = field(default_factory=dict)
    uncounted_rules: Annotated[tuple[str, ...], SPARSE] = ()
    nat_ports: Annotated[int | None, SPARSE] = None
    cpu_packets: Annotated[dict[str, int], SPARSE] = field(default_factory=dict)
    bypasses: Annotated[tuple[str, ...], SPARSE] = ()
    took_s: Annotated[float, SPARSE] = 0.0

    def timeouts_of(self, protocol: str) -> dict[str, float]:
        """Timeouts of flows in use, "udp" or "tcp": of established connections, and where data is not acknowledged."""
        found = {name: seconds for name, seconds in self.timeouts_s.items() if name.startswith(protocol)}
        if protocol == "tcp":
            found = {name: seconds for name, seconds in found.items() if name.endswith(_IN_USE)}
        return found

    def timeout_s(self, protocol: str) -> float | None:
        """The shortest of them; None if they are unknown."""
        return min(self.timeouts_of(protocol).values(), default=None)

    @property
    def links_per_bucket(self) -> float | None:
        """Mean length of a hash chain."""
        return self.used * self.links_per_entry / self.buckets if self.buckets else None

    def since(self, before: StateTable) -> StateTable:
        """The table with the growth of its counters. Linux counts in 32 bits; a counter that fell by less than half of
        that began again at 0."""
        return replace(
            self,
            counters=_grown(before.counters, self.counters),
            rules=_grown(before.rules, self.rules),
            cpu_packets=_grown(before.cpu_packets, self.cpu_packets),
        )


def _grown(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    return {name: _growth(before.get(name, 0), count) for name, count in after.items()}


def _growth(before: int, after: int) -> int:
    if after >= before:
        return after - before
    return after - before + _WRAP if before - after > _WRAP // 2 else after


@dataclass(frozen=True)
class TearDown:
    """A flush of the state table: `states` before it, `left` after it, the time of the command, and its time on an
    empty table."""

    states: int
    left: int
    took_s: float
    idle_s: float

    @property
    def states_per_s(self) -> float | None:
        """The tear-down rate of RFC 9693 §4.8, without the command's own time; None if that is more than a tenth."""
        if self.took_s <= 0 or self.took_s < LEAST_OF_FLUSH * self.idle_s:
            return None
        return (self.states - self.left) / (self.took_s - self.idle_s)
