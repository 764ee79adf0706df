"""Telemetry of a device under test over one interval, its description, and their JSON in result files.

A sample's `dut` object has the flat keys of older files (FLAT), so old viewers read new files, and also the counts that
these figures follow from. Older files have the flat keys only.

    {"interval": 0.25, "cycles_per_packet": 182.0, …, "in_packets": 250000, "out_packets": …, "drop_packets": …,
     "drops": {"ip4-input: bad ip4 checksum": 3}, "events": {…}, "cpu_percent": {…}, "watts": 19.0, "error": "…",
     "workers": [{"name": "ws_wk_0", "cpu": 1, "interval": 0.25, "tsc_hz": 2600000000, "loops": 81000,
                  "clocks": 650000000, "preempted": 0.001, "longest_preemption": 0.0004,
                  "nodes": {"ip4-lookup": [calls, vectors, clocks, suspends], …}}, …]}

Values that the device does not report are omitted. `dut_cpu.py` adds those of its CPUs, NICs and sensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar

from wirespeed.results.codec import (
    INLINE,
    ORIGINAL,
    SPARSE,
    Item,
    Misfit,
    Stored,
    as_object,
    from_json,
    is_number,
    placed,
    reader_of,
    to_json,
)
from wirespeed.results.dut_cpu import MachineLoad
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


@dataclass(frozen=True)
class NodeCost:
    """One node of a worker's graph: calls, packets, TSC ticks, and rounds given up, within a time."""

    name: str
    calls: int
    vectors: int
    clocks: int
    suspends: int


OUTSIDE = "outside nodes"
"""Name of a worker's ticks outside its nodes, in lists of nodes."""


@dataclass(frozen=True)
class NodeRow:
    """One node of one worker at one load. `clocks_per_packet` is VPP's Clocks, `vectors_per_call` its Vectors/Call;
    `share_percent` is of all ticks of the worker, of which those outside nodes are a row of their own."""

    test: str
    offered_pps: float
    worker: str
    node: str
    calls: int
    vectors: int
    suspends: int
    clocks: int
    clocks_per_packet: float | None
    vectors_per_call: float | None
    share_percent: float


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
    """Cost of forwarding a packet, over all workers together.

    `cycles_per_packet` is the sum of the ticks of all nodes with packets, divided by the packets received;
    `without_input` excludes the polling node, whose ticks include empty polls. `vectors_per_call` is the mean number of
    packets per call: 1 if idle, 256 if the workers are saturated. `idle_polls` is the share of polls without
    packets."""

    cycles_per_packet: float
    cycles_per_packet_without_input: float
    vectors_per_call: float
    idle_polls: float


def forwarding_cost(nodes: Iterable[NodeCost]) -> ForwardingCost | None:
    """The cost by the nodes of all workers; None if no packets were received."""
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


def _nodes_to_json(nodes: Iterable[NodeCost]) -> dict[str, list[int]]:
    return {node.name: [node.calls, node.vectors, node.clocks, node.suspends] for node in nodes}


def _nodes(raw: Any) -> tuple[NodeCost, ...]:
    return tuple(placed(Item(name), partial(_node, name), row) for name, row in as_object(raw).items())


def _node(name: str, row: Any) -> NodeCost:
    if not isinstance(row, list) or len(row) != 4:
        raise Misfit("is not a list of calls, vectors, clocks and suspends")
    calls, vectors, clocks, suspends = map(reader_of(int), row)
    return NodeCost(name, calls, vectors, clocks, suspends)


NODES = Stored(write=_nodes_to_json, read=_nodes, shape=Mapping[str, tuple[int, int, int, int]])


@dataclass(frozen=True)
class WorkerCost:
    """One worker over one interval. `clocks_total` is the interval in TSC ticks: the ticks of `nodes` and
    `outside_nodes` add up to it. `nodes` has the nodes that ran: calls, vectors, clocks and suspends. Preempted is the
    time in which other threads had the worker's CPU. `idle_s` is that of iterations that found no packets, waits
    included. None if unknown."""

    name: str = ""
    cpu: Annotated[int | None, SPARSE] = None
    interval_s: Annotated[float, Stored("interval")] = 0.0
    tsc_hz: int = 0
    loops: int = 0
    clocks_total: Annotated[int, Stored("clocks")] = 0
    nodes: Annotated[tuple[NodeCost, ...], NODES] = ()
    preempted_s: Annotated[float | None, Stored("preempted", sparse=True, former="absent")] = None
    longest_preemption_s: Annotated[
        float | None, Stored("longest_preemption", sparse=True, former="longest_absent")
    ] = None
    idle_s: Annotated[float | None, Stored("idle", sparse=True)] = None

    @property
    def outside_nodes(self) -> int:
        """Ticks outside all nodes: the loop itself, sleep, and preemption between two nodes."""
        return self.clocks_total - sum(node.clocks for node in self.nodes)


@dataclass(frozen=True)
class DutTelemetry:
    """Values of a DUT over one interval. Counts are of that interval; None if the DUT does not report them, and `error`
    if it could not be read.

    `drops` counts by the DUT's own reasons; one packet may have two reasons, so the sum may exceed `drop_packets`.
    `events` are counters that explain a drop and are not drops themselves (Linux: `softnet time_squeeze`).
    `cpu_percent` are shares of the DUT's CPUs, which add up to 100. `watts` is the mean of a power meter, None without
    one and during gaps in its readings. `told` are plain figures of an older file. `machine` has the values of the
    DUT's machine.
    """

    also_stored: ClassVar[Mapping[str, str]] = dict(zip(FLAT, FLAT, strict=True))

    interval_s: Annotated[float, Stored("interval", sparse=True)] = 0.0
    workers: Annotated[tuple[WorkerCost, ...], SPARSE] = ()
    in_packets: Annotated[int | None, SPARSE] = None
    out_packets: Annotated[int | None, SPARSE] = None
    drop_packets: Annotated[int | None, SPARSE] = None
    drops: Annotated[dict[str, int], SPARSE] = field(default_factory=dict)
    events: Annotated[dict[str, int], SPARSE] = field(default_factory=dict)
    cpu_percent: Annotated[dict[str, float], SPARSE] = field(default_factory=dict)
    error: Annotated[str | None, SPARSE] = None
    watts: Annotated[float | None, SPARSE] = None
    told: Annotated[dict[str, float], Stored(is_kept=False)] = field(default_factory=dict)
    machine: Annotated[MachineLoad | None, INLINE] = None

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
        document: dict[str, Any] = to_json(self)
        return document

    @classmethod
    def readable(cls, raw: Any) -> DutTelemetry:
        """Read like from_json; telemetry of another program, or of a later version, has an `error` with the reason."""
        try:
            return cls.from_json(raw)
        except ValueError as error:
            return cls(error=str(error))

    @classmethod
    def from_json(cls, raw: Any, where: str = "dut") -> DutTelemetry:
        """The telemetry of a sample's `dut` object; ValueError names its error, and `where` it is."""
        return placed(where, cls.of_document, raw)  # type: ignore[no-any-return]

    @classmethod
    def of_document(cls, raw: Any) -> DutTelemetry:
        """Read like from_json, without a place. Figures of older, unchecked files that are not numbers are omitted."""
        raw = as_object(raw)
        if "interval" not in raw:
            flat = {name: float(raw[name]) for name in FLAT if is_number(raw.get(name))}
            return replace(from_json(cls, {key: raw[key] for key in ("error", "watts") if key in raw}), told=flat)
        telemetry = from_json(cls, raw)
        for index, worker in enumerate(telemetry.workers):
            if worker.interval_s <= 0:
                raise Misfit(f"is {worker.interval_s:g} s, not above 0", "interval", f"worker {index}")
        return telemetry


def telemetry_at(key: str) -> Stored:
    """A field of a document that holds telemetry, unless it is empty."""
    return Stored(key, sparse=True, read=DutTelemetry.of_document)


def _texts(raw: Any) -> dict[str, str]:
    return {name: str(text) for name, text in as_object(raw).items()}


TEXTS = Stored(sparse=True, read=_texts)


def _object(raw: Any) -> dict[str, Any]:
    return raw if isinstance(raw, dict) else {}


OBJECT = Stored(sparse=True, read=_object)


def _description(raw: Any) -> dict[str, Any]:
    """A testbed file's description; older files have `box` in place of `dut`."""
    return {("dut" if key == "box" else key): value for key, value in _object(raw).items()}


COUNT_OR_NONE = Stored(sparse=True, read=lambda raw: raw if isinstance(raw, int) else None)


@dataclass(frozen=True)
class DutFacts:
    """The DUT, for the head of a result: `kind` such as router, linux or none, its description in a testbed file, the
    `commands` that configured it, the CPUs that forward, and further `details`. `dropped_packets` and `drops` are those
    of the whole test, by the DUT's own count and by its reasons. `texts` are outputs by command; keys of output from
    before the load begin with `before: `. Values of other programs are kept as they are."""

    name: Annotated[str, SPARSE] = ""
    kind: Annotated[str, SPARSE] = ""
    description: Annotated[Mapping[str, object], replace(OBJECT, read=_description, shape=Mapping[str, str])] = field(
        default_factory=dict, kw_only=True
    )
    version: Annotated[str, SPARSE] = ""
    commands: Annotated[tuple[str, ...], SPARSE] = ()
    cpus: Annotated[tuple[int, ...], SPARSE] = ()
    details: Annotated[Mapping[str, str], SPARSE] = field(default_factory=dict)
    dropped_packets: Annotated[int | None, COUNT_OR_NONE] = field(default=None, kw_only=True)
    drops: Annotated[Mapping[str, int], OBJECT] = field(default_factory=dict, kw_only=True)
    texts: Annotated[Mapping[str, str], TEXTS] = field(default_factory=dict, kw_only=True)
    as_read: Annotated[Mapping[str, Any], ORIGINAL] = field(default_factory=dict, kw_only=True)
