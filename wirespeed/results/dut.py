"""What a device under test told over one interval, and what it is: values, and their JSON in result files.

A sample's `dut` object keeps the flat keys that older files have (FLAT), so old viewers read new files; beside them it
has the counts they follow from. Older files have the flat keys alone, and load with those as given.

    {"interval": 0.25, "cycles_per_packet": 182.0, …, "in_packets": 250000, "out_packets": …, "drop_packets": …,
     "drops": {"ip4-input: bad ip4 checksum": 3}, "events": {…}, "cpu_percent": {…}, "watts": 19.0, "error": "…",
     "workers": [{"name": "ws_wk_0", "cpu": 1, "interval": 0.25, "tsc_hz": 2600000000, "loops": 81000,
                  "clocks": 650000000, "absent": 0.001, "longest_absent": 0.0004,
                  "nodes": {"ip4-lookup": [calls, vectors, clocks, suspends], …}}, …]}

What the device does not tell is left out. What its machine tells (CPUs, NICs, sensors) is beside them, by dut_cpu.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from wirespeed.results.dut_cpu import MachineLoad
from wirespeed.results.json_values import LARGEST, as_object
from wirespeed.results.node_classes import takes_in

INPUT_NODES = (
    *("dpdk-input", "memif-input", "avf-input", "rdma-input", "af-packet-input", "af_xdp-input", "virtio-input"),
    *("vhost-user-input", "vmxnet3-input", "idpf-input", "ena-input", "netmap-input", "pg-input"),
)
"""Nodes of VPP and of our router that poll for packets, by the kind of port."""
FLAT = (
    "cycles_per_packet",
    "cycles_per_packet_without_input",
    "vectors_per_call",
    "idle_polls",
    "in_pps",
    "out_pps",
    "drop_pps",
)
_COUNTS = ("in_packets", "out_packets", "drop_packets")


@dataclass(frozen=True)
class NodeCost:
    """One node of a worker's graph: calls, packets, TSC ticks, and rounds given up, within a time."""

    name: str
    calls: int
    vectors: int
    clocks: int
    suspends: int


def summed(nodes: Iterable[NodeCost]) -> tuple[NodeCost, ...]:
    """Nodes of the same name as one, in the order of their first."""
    sums: dict[str, list[int]] = {}
    for node in nodes:
        row = sums.setdefault(node.name, [0, 0, 0, 0])
        for at, value in enumerate((node.calls, node.vectors, node.clocks, node.suspends)):
            row[at] += value
    return tuple(NodeCost(name, *row) for name, row in sums.items())


@dataclass(frozen=True)
class ForwardingCost:
    """What forwarding a packet costs, over all workers together.

    `cycles_per_packet` is the ticks of all nodes that had packets over the packets that came in; `without_input` leaves
    out the polling node, whose ticks hold the idle polls as well. `vectors_per_call` is how many packets a node got at
    once: 1 when idle, 256 when the workers cannot keep up. `idle_polls` is the share of polls that found nothing.
    """

    cycles_per_packet: float
    cycles_per_packet_without_input: float
    vectors_per_call: float
    idle_polls: float


def forwarding_cost(nodes: Iterable[NodeCost]) -> ForwardingCost | None:
    """The cost by the nodes of all workers; None when no packet came in."""
    rows = list(nodes)
    clocks = input_clocks = packets = polls = 0
    for node in rows:
        clocks += node.clocks if node.vectors else 0
        if node.name in INPUT_NODES:
            polls += node.calls
            packets += node.vectors
            input_clocks += node.clocks if node.vectors else 0
    if not packets:
        return None
    # Without a node that is known to take packets in, all polls count as having found some.
    calls = entry_calls(rows) or polls
    return ForwardingCost(
        cycles_per_packet=clocks / packets,
        cycles_per_packet_without_input=(clocks - input_clocks) / packets,
        vectors_per_call=packets / calls if calls else 0.0,
        idle_polls=max(0.0, 1 - calls / polls) if polls else 0.0,
    )


def entry_calls(nodes: Iterable[NodeCost]) -> int:
    """Calls of the nodes that take packets from the polling nodes: one for each look that found packets.

    Ethernet's input node has them all, except on ports without Ethernet (memif in mode ip) and in VPP up to 17.x, where
    packets go to their layer's input node at once. 0 where no such node had packets.
    """
    rows = [node for node in nodes if node.vectors]
    packets = sum(node.vectors for node in rows if node.name in INPUT_NODES)
    polls = sum(node.calls for node in rows if node.name in INPUT_NODES)
    entries = [node for node in rows if takes_in(node.name)]
    ethernet = [node for node in entries if node.name.startswith("ethernet-")]
    if 2 * sum(node.vectors for node in ethernet) >= packets:
        return sum(node.calls for node in ethernet)
    return min(polls, sum(node.calls for node in entries))


@dataclass(frozen=True)
class WorkerCost:
    """One worker over one interval. `clocks_total` are the interval's TSC ticks, so that nodes and `outside_nodes` sum
    to all of them; `nodes` has those that ran. Absent is the time that others had its CPU, None where it does not tell.
    """

    name: str
    cpu: int | None
    interval_s: float
    tsc_hz: int
    loops: int
    clocks_total: int
    nodes: tuple[NodeCost, ...]
    absent_s: float | None = None
    longest_absent_s: float | None = None

    @property
    def outside_nodes(self) -> int:
        """Ticks that no node had: the walk between nodes, sleep, and what others took of the CPU between two."""
        return self.clocks_total - sum(node.clocks for node in self.nodes)


@dataclass(frozen=True)
class DutTelemetry:
    """What a DUT told over one interval. Without `error`, counts are of that interval; None where it does not tell.

    `drops` counts by the reasons that the DUT names; a packet may have had two (no route, then an answer that was
    rationed), so they need not sum to `drop_packets`. `events` counts what explains and is no drop of its own (Linux:
    `softnet time_squeeze`). `cpu_percent` are shares of the DUT's CPUs, summing to 100.
    `watts` are the mean by a power meter beside it, None without one and while it was silent.
    `told` are flat figures of an older file, which do not follow from anything else. `machine` is what the machine
    below it told, CPU by CPU.
    """

    interval_s: float = 0.0
    workers: tuple[WorkerCost, ...] = ()
    in_packets: int | None = None
    out_packets: int | None = None
    drop_packets: int | None = None
    drops: dict[str, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    cpu_percent: dict[str, float] = field(default_factory=dict)
    error: str | None = None
    watts: float | None = None
    told: dict[str, float] = field(default_factory=dict)
    machine: MachineLoad | None = None

    @property
    def cycles_per_packet(self) -> float | None:
        return self._figure("cycles_per_packet")

    @property
    def cycles_per_packet_without_input(self) -> float | None:
        return self._figure("cycles_per_packet_without_input")

    @property
    def vectors_per_call(self) -> float | None:
        return self._figure("vectors_per_call")

    @property
    def idle_polls(self) -> float | None:
        return self._figure("idle_polls")

    @property
    def in_pps(self) -> float | None:
        return self._rate("in_pps", self.in_packets)

    @property
    def out_pps(self) -> float | None:
        return self._rate("out_pps", self.out_packets)

    @property
    def drop_pps(self) -> float | None:
        return self._rate("drop_pps", self.drop_packets)

    def _figure(self, name: str) -> float | None:
        if name in self.told:
            return self.told[name]
        cost = forwarding_cost(node for worker in self.workers for node in worker.nodes)
        return None if cost is None else float(getattr(cost, name))

    def _rate(self, name: str, packets: int | None) -> float | None:
        if packets is None or self.interval_s <= 0:
            return self.told.get(name)
        return packets / self.interval_s

    def to_json(self) -> dict[str, Any]:
        """A sample's `dut` object; {} of a DUT that tells nothing."""
        figures = {name: getattr(self, name) for name in (*FLAT, *_COUNTS)}
        groups: dict[str, Mapping[str, float]] = {
            "drops": self.drops,
            "events": self.events,
            "cpu_percent": self.cpu_percent,
        }
        out: dict[str, Any] = {"interval": self.interval_s} if self.interval_s > 0 else {}
        out |= {name: value for name, value in figures.items() if value is not None}
        out |= {name: dict(group) for name, group in groups.items() if group}
        out |= {} if self.watts is None else {"watts": self.watts}
        if self.workers:
            out["workers"] = [_worker_to_json(worker) for worker in self.workers]
        if self.machine is not None:
            out |= self.machine.to_json()
        return out if self.error is None else {**out, "error": self.error}

    @classmethod
    def readable(cls, raw: Any) -> DutTelemetry:
        """As from_json; telemetry that no program of ours wrote, or a later one did, has `error` that says so."""
        try:
            return cls.from_json(raw)
        except ValueError as error:
            return cls(error=str(error))

    @classmethod
    def from_json(cls, raw: Any, where: str = "dut") -> DutTelemetry:
        """The telemetry of a sample's `dut` object; ValueError says what is wrong with it, and `where`."""
        raw = as_object(raw, where)
        error = None if raw.get("error") is None else str(raw["error"])
        watts = None if raw.get("watts") is None else _number(raw["watts"], f"watts of {where}")
        if "interval" not in raw:
            # What older programs wrote was never checked; what is not a number is no reason to refuse the file.
            flat = {name: float(raw[name]) for name in FLAT if _is_number(raw.get(name))}
            return cls(error=error, told=flat, watts=watts)
        incoming, outgoing, dropped = (
            None if raw.get(name) is None else _whole(raw[name], f"{name} of {where}") for name in _COUNTS
        )
        shares = as_object(raw.get("cpu_percent", {}), f"cpu_percent of {where}")
        workers = raw.get("workers", [])
        if not isinstance(workers, list):
            raise ValueError(f"workers of {where} is not a list")
        return cls(
            interval_s=_number(raw["interval"], f"interval of {where}"),
            workers=tuple(
                _worker_from_json(worker, f"worker {index} of {where}") for index, worker in enumerate(workers)
            ),
            in_packets=incoming,
            out_packets=outgoing,
            drop_packets=dropped,
            drops=_counts(raw.get("drops", {}), f"drops of {where}"),
            events=_counts(raw.get("events", {}), f"events of {where}"),
            cpu_percent={name: _number(share, f"cpu_percent of {where}") for name, share in shares.items()},
            error=error,
            watts=watts,
            machine=MachineLoad.from_json(raw, where),
        )


@dataclass(frozen=True)
class DutFacts:
    """What a DUT is, for a result's head: `kind` such as router, linux or none, the commands that configured it, the
    CPUs that forward, and whatever else is worth knowing."""

    name: str
    kind: str
    version: str = ""
    commands: tuple[str, ...] = ()
    cpus: tuple[int, ...] = ()
    details: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        lists = {"commands": list(self.commands), "cpus": list(self.cpus)}
        return {"name": self.name, "kind": self.kind, "version": self.version, **lists, "details": dict(self.details)}

    @classmethod
    def from_json(cls, raw: Any, where: str = "dut") -> DutFacts:
        """The facts of a result's head; what older files do not say is empty. ValueError says what is wrong."""
        raw = as_object(raw, where)
        commands, cpus = raw.get("commands", []), raw.get("cpus", [])
        if not (isinstance(commands, list) and isinstance(cpus, list)):
            raise ValueError(f"commands or cpus of {where} is not a list")
        return cls(
            name=str(raw.get("name", "")),
            kind=str(raw.get("kind", "")),
            version=str(raw.get("version", "")),
            commands=tuple(map(str, commands)),
            cpus=tuple(_whole(cpu, f"cpus of {where}") for cpu in cpus),
            details={
                key: str(value) for key, value in as_object(raw.get("details", {}), f"details of {where}").items()
            },
        )


def _worker_to_json(worker: WorkerCost) -> dict[str, Any]:
    said = {"cpu": worker.cpu, "absent": worker.absent_s, "longest_absent": worker.longest_absent_s}
    return {
        "name": worker.name,
        "interval": worker.interval_s,
        "tsc_hz": worker.tsc_hz,
        "loops": worker.loops,
        "clocks": worker.clocks_total,
        **{name: value for name, value in said.items() if value is not None},
        "nodes": {node.name: [node.calls, node.vectors, node.clocks, node.suspends] for node in worker.nodes},
    }


def _worker_from_json(raw: Any, where: str) -> WorkerCost:
    raw = as_object(raw, where)

    def number(name: str) -> float | None:
        return None if raw.get(name) is None else _number(raw[name], f"{name} of {where}")

    nodes = as_object(raw.get("nodes", {}), f"nodes of {where}")
    found = WorkerCost(
        name=str(raw.get("name", "")),
        cpu=None if raw.get("cpu") is None else _whole(raw["cpu"], f"cpu of {where}"),
        interval_s=number("interval") or 0.0,
        tsc_hz=_whole(raw.get("tsc_hz", 0), f"tsc_hz of {where}"),
        loops=_whole(raw.get("loops", 0), f"loops of {where}"),
        clocks_total=_whole(raw.get("clocks", 0), f"clocks of {where}"),
        nodes=tuple(_node(name, row, f"node {name} of {where}") for name, row in nodes.items()),
        absent_s=number("absent"),
        longest_absent_s=number("longest_absent"),
    )
    if found.interval_s <= 0:
        raise ValueError(f"interval of {where} is {found.interval_s:g} s")
    return found


def _node(name: str, row: Any, where: str) -> NodeCost:
    if not isinstance(row, list) or len(row) != 4:
        raise ValueError(f"{where} is not a list of calls, vectors, clocks and suspends")
    calls, vectors, clocks, suspends = (_whole(count, where) for count in row)
    return NodeCost(name, calls, vectors, clocks, suspends)


def _counts(raw: Any, where: str) -> dict[str, int]:
    return {reason: _whole(count, where) for reason, count in as_object(raw, where).items()}


def _whole(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{where} is {str(value)[:40]!r}, not a whole number")
    return value


def _number(value: Any, where: str) -> float:
    if not _is_number(value):
        raise ValueError(f"{where} is {str(value)[:40]!r}, not a sensible number")
    return float(value)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST  # not so NaN
