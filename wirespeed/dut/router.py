"""Our router as a device under test: its statistics segment, read as differences and never cleared."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wirespeed.dut.dut import DutReading
from wirespeed.dut.errors import parse_errors
from wirespeed.dut.memory import resident_bytes
from wirespeed.errors import WirespeedError
from wirespeed.machine.thread_times import ThreadTimes, thread_times, waited_s
from wirespeed.results.dut import DutFacts, DutTelemetry, NodeCost, WorkerCost
from wirespeed.router.client import ask
from wirespeed.router.counters import (
    RouterCounters,
    WorkerCounters,
    capture_counters,
    router_counters,
)
from wirespeed.router.stats_file import default_stats_file
from wirespeed.statseg.reading import StatsCapture
from wirespeed.statseg.segment import StatsSegment

TEXTS = (
    "show version verbose",
    "show cpu",
    "show threads",
    "show interface",
    "show hardware-interfaces",
    "show interface rx-placement",
    "show runtime",
    "show errors",
    "show buffers",
)
_PATIENCE_S = 2.0
"""Time to wait for an answer under load; samples are late meanwhile."""
_LEAST_WAIT_S = 0.01
"""Timers of virtual machines are late by as much: a sleeper that was woken and waits no longer is not absent."""
_THREAD = re.compile(r"\d+ +(?P<name>\S+) +(?P<id>\d+) +(?P<cpu>\d+) ")
_EVENTS = ("rx-no-buf", "tx-error")
"""Counters of drivers for packets that are offered again; packets of the other counters are lost."""


@dataclass(frozen=True)
class RouterReading(DutReading):
    """The words of a router's statistics, not yet looked at, and the times of its workers; None with an error."""

    capture: StatsCapture | None = None
    times: tuple[ThreadTimes | None, ...] = ()


@dataclass(frozen=True)
class Thread:
    """A worker by its name, its CPU and the number of its Linux thread."""

    name: str
    cpu: int
    id: int = 0


class RouterDut:
    """The router at a control socket. `commands` are those that configured it, if known."""

    name = "wirespeed"

    def __init__(self, socket: Path, stats_file: Path | None = None, commands: Sequence[str] = ()) -> None:
        self._socket = socket
        self._segment = StatsSegment(stats_file or default_stats_file(socket))
        self._commands = tuple(commands)
        self._threads: tuple[Thread, ...] = ()
        self._threads_of = 0
        self._labels: dict[str, tuple[str, bool]] = {}

    def ask(self, line: str) -> str:
        """The router's answer to one line of its command language. UsageError for a wrong line, ConnectionFault without
        a router."""
        return ask(self._socket, line)

    def prepare(self) -> None:
        # The first capture reads the directory, which takes longer than those that follow.
        self._learn_threads(capture_counters(self._segment).started_ns, ask(self._socket, "show threads"))

    def describe(self) -> DutFacts:
        return DutFacts(
            name=self.name,
            kind="router",
            version=ask(self._socket, "show version").strip(),
            commands=self._commands,
            cpus=tuple(thread.cpu for thread in self._threads),
        )

    def reading(self) -> RouterReading:
        try:
            capture = capture_counters(self._segment)
        except WirespeedError as error:
            return RouterReading(time.monotonic(), str(error))
        return RouterReading(
            capture.at_s,
            capture=capture,
            times=tuple(thread_times(thread.id, thread.name) for thread in self._threads),
        )

    def telemetry(self, before: DutReading | None, after: DutReading | None) -> DutTelemetry:
        first, last = _capture(before), _capture(after)
        error = _why_not(before, first) or _why_not(after, last)
        if first is None or last is None:
            return DutTelemetry(error=error)
        if first.started_ns != last.started_ns:
            return DutTelemetry(error="the router was restarted in between: its counters began at 0")
        old, new = router_counters(first), router_counters(last)
        reasons = _grown(old.reasons, new.reasons)
        self._learn(last.started_ns, reasons)
        drops = self._labelled(reasons, are_drops=True)
        interval_s = last.at_s - first.at_s
        waits = _waits(before, after, interval_s)
        told = router_telemetry(old, new, interval_s, last.tsc_hz, self._threads, drops, waits)
        return replace(told, events=told.events | self._labelled(reasons, are_drops=False))

    def memory_bytes(self) -> int | None:
        return resident_bytes(self._socket)

    def collect(self) -> dict[str, str]:
        texts = {}
        for command in TEXTS:
            try:
                texts[command] = ask(self._socket, command)
            except WirespeedError as error:
                texts[command] = f"{error}\n"
        return texts

    def close(self) -> None:
        self._segment.close()

    def _learn(self, started_ns: int, reasons: Mapping[str, int]) -> None:
        """Ask for what the segment does not say: the workers' names, and which counters are drops. Once each."""
        try:
            if self._threads_of != started_ns:
                self._learn_threads(started_ns, ask(self._socket, "show threads", _PATIENCE_S))
            if any(reason not in self._labels for reason in reasons):
                for row in parse_errors(ask(self._socket, "show errors", _PATIENCE_S)):
                    label = f"{row.node}: {row.reason}"
                    self._labels[f"{row.node}/{row.reason}"] = (label, row.severity == "error")
        except WirespeedError:
            pass  # the numbers are right without it

    def _learn_threads(self, started_ns: int, shown: str) -> None:
        rows = map(_THREAD.match, shown.splitlines())
        self._threads = tuple(Thread(row["name"], int(row["cpu"]), int(row["id"])) for row in rows if row)
        self._threads_of = started_ns

    def _labelled(self, reasons: Mapping[str, int], *, are_drops: bool) -> dict[str, int]:
        """Counters of nodes by the names of `show errors`: packets that they dropped, fragmented, answered or
        punted."""
        named = ((self._labels.get(reason), count) for reason, count in reasons.items())
        return {label[0]: count for label, count in named if label is not None and label[1] == are_drops}


def router_telemetry(
    before: RouterCounters,
    after: RouterCounters,
    interval_s: float,
    tsc_hz: int,
    threads: Sequence[Thread],
    drops: Mapping[str, int],
    waits: Sequence[float] = (),
) -> DutTelemetry:
    """Telemetry of a router over `interval_s`. `drops` are those counted by its nodes in that time, `waits` the seconds
    for which each worker waited for its CPU, by Linux."""
    ports = _grown(before.ports, after.ports)
    events = {name: count for name, count in ports.items() if name.endswith(_EVENTS)}
    lost = {name: count for name, count in ports.items() if name not in events}
    pairs = list(zip(before.workers, after.workers, strict=True))
    unknown = [(f"worker {index}", None) for index in range(len(threads), len(pairs))]
    who = [*((thread.name, thread.cpu) for thread in threads), *unknown]
    waited = [*waits, *[0.0] * len(pairs)]
    return DutTelemetry(
        interval_s=interval_s,
        workers=tuple(
            _worker(old, new, interval_s, tsc_hz, name, cpu, wait_s)
            for (old, new), (name, cpu), wait_s in zip(pairs, who, waited, strict=False)
        ),
        in_packets=sum(new.rx_packets - old.rx_packets for old, new in pairs),
        out_packets=sum(new.tx_packets - old.tx_packets for old, new in pairs),
        drop_packets=sum(new.drops - old.drops for old, new in pairs) + sum(lost.values()),
        drops=dict(drops) | lost,
        events=events,
    )


def _worker(
    before: WorkerCounters,
    after: WorkerCounters,
    interval_s: float,
    tsc_hz: int,
    name: str,
    cpu: int | None,
    wait_s: float,
) -> WorkerCost:
    nodes = tuple(
        cost
        for name, node in sorted(after.nodes.items())
        if (cost := _node(before.nodes.get(name), node)).calls or cost.clocks
    )
    preempted_s = longest_s = None
    if before.preempted_ticks is not None and after.preempted_ticks is not None:
        preempted_s = (after.preempted_ticks - before.preempted_ticks) / tsc_hz
        if preempted_s == 0:
            longest_s = 0.0
        elif (after.longest_preemption_ticks or 0) > (before.longest_preemption_ticks or 0):
            longest_s = (after.longest_preemption_ticks or 0) / tsc_hz
    if preempted_s is not None and after.sleeps == 0 and after.loops == before.loops:
        # A preemption is counted when it ends. A worker that never sleeps and ended no iteration is still preempted.
        preempted_s = longest_s = interval_s
    elif preempted_s is not None and after.sleeps and wait_s >= max(_LEAST_WAIT_S, preempted_s):
        # Linux alone knows how long a worker waits for its CPU after something woke it.
        preempted_s, longest_s = wait_s, interval_s if wait_s == interval_s else longest_s or None
    return WorkerCost(
        name=name,
        cpu=cpu,
        interval_s=interval_s,
        tsc_hz=tsc_hz,
        loops=after.loops - before.loops,
        # A call that began before the interval is counted where it ended.
        clocks_total=max(round(interval_s * tsc_hz), sum(node.clocks for node in nodes)),
        nodes=nodes,
        preempted_s=preempted_s,
        longest_preemption_s=longest_s,
        idle_s=None
        if before.idle_ticks is None or after.idle_ticks is None
        else (after.idle_ticks - before.idle_ticks) / tsc_hz,
    )


def _node(before: NodeCost | None, after: NodeCost) -> NodeCost:
    if before is None or after.calls < before.calls:
        return after
    return NodeCost(
        after.name,
        calls=after.calls - before.calls,
        vectors=after.vectors - before.vectors,
        clocks=after.clocks - before.clocks,
        suspends=after.suspends - before.suspends,
    )


def _grown(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """Counters that grew, by how much. A new counter, and one that fell (a recreated interface), counts from 0."""
    pairs = ((name, count, before.get(name, 0)) for name, count in after.items())
    grown = ((name, count - old if count >= old else count) for name, count, old in pairs)
    return {name: count for name, count in grown if count}


def _waits(before: DutReading | None, after: DutReading | None, interval_s: float) -> list[float]:
    if not (isinstance(before, RouterReading) and isinstance(after, RouterReading)):
        return []
    return [waited_s(*pair, interval_s) for pair in zip(before.times, after.times, strict=False)]


def _capture(reading: DutReading | None) -> StatsCapture | None:
    return reading.capture if isinstance(reading, RouterReading) else None


def _why_not(reading: DutReading | None, capture: StatsCapture | None) -> str | None:
    if capture is not None:
        return None
    return (reading.error if reading is not None else None) or "the router was not read"
