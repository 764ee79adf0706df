"""Facts about one test and its DUT: typed values, each with its source. Pure.

Nothing here judges; `causes/` does. None and empty mean unknown, never zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Literal

from wirespeed.cases.machine_facts import MachineFacts
from wirespeed.cases.nic_counters import said
from wirespeed.cases.state_facts import StateFacts
from wirespeed.results.dut import INPUT_NODES, NodeCost, WorkerCost, entry_calls, summed
from wirespeed.results.figures import rate_text
from wirespeed.units import line_rate_pps

Flows = Literal["one", "many"]

FRAME_VECTORS = 256
"""Packets that a node gets at most at once, in VPP and here."""

NOT_ARRIVED = 0.01
"""Share of the offered packets that may fail to arrive; beyond it, the router was not under that load."""

DROPS_BY_REASON = "drops by reason (`loadtest --dut` and `dut collect` keep them; `show errors`, `ethtool -S`)"
"""Missing evidence that several causes ask for."""

SATURATED_VECTORS = 0.9 * FRAME_VECTORS
"""Vectors a call from which on a worker has no time to spare: it finds a full vector nearly each time it looks."""

_TIME_LEFT = 0.1
"""Idle share of a worker's time from which on it has time to spare."""


@dataclass(frozen=True)
class CaseLoad:
    """A test at its highest load, all `directions` together.

    `offered_pps` is None if only the received rate was published. `line_bps` is the line rate of one direction.
    `hashed` is False for frames that a NIC cannot spread over queues (MPLS, GRE, PPPoE). `tester_percent` is the
    maximum of the tester in percent of one line. `tester_limited`: the test itself found its tester too slow.
    `bound_by`: the cause for which a test of trials refused the load (dut, tester or host), or empty. `cycles`
    are ticks per packet without polling, with `routes` in the table. `by_direction` is what came back in each.
    `disturbed_share` of the samples that lost did so while CPUs were away, for `longest_preemption_s` at the most;
    `unlinked_share` of what was lost was lost while a port of the tester had no link. `refused_share` of what was lost
    was never taken by the ring between tester and device, which the device had not drained. `extraneous_share` is what
    came back beyond what was sent, or is not ours, of what was sent. `hidden_share` of what was sent the device says
    that it dropped, and it is not missing."""

    name: str
    received_pps: float
    source: str = ""
    offered_pps: float | None = None
    frame_bytes: float | None = None
    line_bps: float | None = None
    directions: int = 1
    flows: Flows | None = None
    hashed: bool = True
    tester_percent: float | None = None
    tester_limited: bool = False
    bound_by: str = ""
    disturbed_share: float = 0.0
    refused_share: float = 0.0
    unlinked_share: float = 0.0
    extraneous_share: float = 0.0
    hidden_share: float = 0.0
    longest_preemption_s: float | None = None
    paused: bool = False
    by_direction: tuple[float, ...] = ()
    routes: int | None = None
    cycles: float | None = None

    @property
    def line_pps(self) -> float | None:
        """Line rate of all directions together."""
        if not self.line_bps or not self.frame_bytes:
            return None
        return line_rate_pps(self.frame_bytes, self.line_bps) * self.directions

    @property
    def line_share(self) -> float | None:
        """Received rate as a share of all lines, 0 to 1."""
        line = self.line_pps
        return None if line is None else self.received_pps / line

    @property
    def offered_share(self) -> float | None:
        line = self.line_pps
        return None if line is None or self.offered_pps is None else self.offered_pps / line

    @property
    def loss_ratio(self) -> float | None:
        if not self.offered_pps:
            return None
        return max(0.0, 1 - self.received_pps / self.offered_pps)

    @property
    def within_line(self) -> CaseLoad:
        """The load, scaled down to line rate if a catching-up tester seems to exceed it."""
        share = self.line_share
        if share is None or share <= 1:
            return self
        return replace(
            self,
            received_pps=self.received_pps / share,
            offered_pps=None if self.offered_pps is None else self.offered_pps / share,
            by_direction=tuple(pps / share for pps in self.by_direction),
        )

    @property
    def is_short_of_tester(self) -> bool:
        """True if the tester could not offer more, by its own counters or by its known maximum."""
        return self.tester_limited or self.tester_percent is not None

    @property
    def one_queue_on_one_port(self) -> bool:
        """One worker has all of its packets, whatever there are."""
        return self.one_queue_only and self.directions == 1

    @property
    def one_queue_only(self) -> bool:
        """Its packets meet one queue of a port however many there are."""
        return self.flows == "one" or not self.hashed


@dataclass(frozen=True)
class Worker:
    """A polling thread over some time. `polls` and `packets` are those of its input nodes, `calls` those of the nodes
    that take packets from them; clocks are TSC ticks, `polling_clocks` of the input nodes. `preempted_s`: others had
    its CPU; `idle_s`: it found no packets, or waited for them. `in_pps`, `out_pps` and `drop_pps` are what the device
    itself prints as its rates."""

    name: str
    interval_s: float
    packets: int
    polls: int
    calls: int
    clocks: int
    polling_clocks: int
    source: str = ""
    tsc_hz: float | None = None
    preempted_s: float | None = None
    idle_s: float | None = None
    out_pps: float | None = None
    in_pps: float | None = None
    drop_pps: float | None = None
    nodes: tuple[NodeCost, ...] = ()

    @property
    def pps(self) -> float:
        """Packets received per second: the device's own rate, or calculated from its counts."""
        if self.in_pps is not None:
            return self.in_pps
        return self.packets / self.interval_s if self.interval_s > 0 else 0.0

    @property
    def vectors(self) -> float:
        """Packets per call, by the input node or the one behind it: one of both sees the whole vector."""
        found = [self.packets / count for count in (self.polls, self.calls) if count]
        return max(found, default=0.0)

    @property
    def finds(self) -> str:
        """Packets per call in words. Several queues that are read in one call find more than a vector holds."""
        found = f"{self.name} finds {self.vectors:.3g} packets per call"
        if self.vectors <= FRAME_VECTORS:
            return f"{found}, of {FRAME_VECTORS}"
        return f"{found}, full vectors of {FRAME_VECTORS} from {ceil(self.vectors / FRAME_VECTORS)} queues"

    @property
    def idle_polls(self) -> float | None:
        """Share of looks at the queues that found nothing; None where the nodes behind them are not known."""
        if not self.polls or self.calls > self.polls or (self.packets and not self.calls):
            return None
        return max(0.0, 1 - self.calls / self.polls)

    @property
    def cycles(self) -> float:
        """Ticks per packet, polling included."""
        return self.clocks / self.packets if self.packets else 0.0

    @property
    def work_clocks(self) -> float:
        """Ticks without those of looks that found nothing, and without the time that others had the CPU."""
        away = (self.preempted_s or 0.0) / self.interval_s if self.interval_s > 0 else 0.0
        spent = self.clocks - self.polling_clocks * (self.idle_polls or 0.0)
        return spent * (1 - min(1.0, away))

    @property
    def effective_hz(self) -> float:
        """Ticks that its packets account for, a second: the clock of a thread that always runs."""
        return self.pps * self.cycles

    @property
    def idle_share(self) -> float | None:
        """Share of the time in which it found no packets, or waited for them."""
        return None if self.idle_s is None or self.interval_s <= 0 else self.idle_s / self.interval_s

    @property
    def has_time(self) -> bool:
        """True if it was idle for a clear share of the time. After a preemption the ring is full, so by its vectors
        alone a preempted worker would be saturated."""
        return (self.idle_share or 0.0) >= _TIME_LEFT

    @property
    def idle(self) -> float | None:
        """Share of its time, or of its looks at the queues where the device does not count that time."""
        return self.idle_polls if self.idle_share is None else self.idle_share

    @property
    def is_saturated(self) -> bool:
        return self.vectors >= SATURATED_VECTORS and not self.has_time

    @property
    def is_idle(self) -> bool:
        return self.vectors < FRAME_VECTORS / 4


def busy_cycles(workers: Sequence[Worker]) -> float | None:
    """Ticks per packet without those of looks at queues that found nothing, and without the time that others had the
    CPU; None without packets, and where others had the CPU all the time."""
    packets = sum(worker.packets for worker in workers)
    ticks = sum(worker.work_clocks for worker in workers)
    return ticks / packets if packets and ticks > 0 else None


def worker_of(name: str, interval_s: float, nodes: tuple[NodeCost, ...], **more: float | str | None) -> Worker:
    """A worker by the rows of its graph; epoll and other pollers without packets count among its polling."""
    busy = [node for node in nodes if node.vectors]
    polling = [node for node in busy if node.name in INPUT_NODES]
    idle = [node for node in nodes if not node.vectors]
    return replace(
        Worker(
            name=name,
            interval_s=interval_s,
            packets=sum(node.vectors for node in polling),
            polls=sum(node.calls for node in polling),
            calls=entry_calls(nodes),
            clocks=sum(node.clocks for node in busy) + sum(node.clocks for node in idle),
            polling_clocks=sum(node.clocks for node in polling) + sum(node.clocks for node in idle),
            nodes=nodes,
        ),
        **more,  # type: ignore[arg-type]  # by name, of the fields that worker_of does not work out
    )


def merged_workers(rounds: Sequence[Sequence[Worker] | Sequence[WorkerCost]]) -> tuple[Worker, ...]:
    """Each worker over all rounds."""
    rows: dict[str, list[Worker | WorkerCost]] = {}
    for worker in (worker for workers in rounds for worker in workers):
        rows.setdefault(worker.name, []).append(worker)
    return tuple(_merged(name, of) for name, of in rows.items())


def _merged(name: str, rows: Sequence[Worker | WorkerCost]) -> Worker:
    preemptions = [row.preempted_s for row in rows if row.preempted_s is not None]
    idle = [row.idle_s for row in rows if row.idle_s is not None]
    return worker_of(
        name,
        sum(row.interval_s for row in rows),
        summed(node for row in rows for node in row.nodes),
        tsc_hz=rows[0].tsc_hz or None,
        preempted_s=sum(preemptions) if preemptions else None,
        idle_s=sum(idle) if len(idle) == len(rows) else None,
    )


@dataclass(frozen=True)
class NicLink:
    """A PCIe link as it was negotiated, and the NIC behind it, `ports` of whose ports carry the test's traffic."""

    gts: float
    width: int
    ports: int = 1
    nic: str = ""
    source: str = ""


@dataclass(frozen=True)
class CpuShares:
    """Shares of one CPU's time over the test, 0 to 100, by kind (`user system irq softirq idle steal`). `packets` is
    the number that its softirqs processed, None if not counted."""

    name: str
    percent: Mapping[str, float]
    packets: int | None = None

    @property
    def idle_percent(self) -> float:
        return self.percent.get("idle", 0.0)

    @property
    def kernel_percent(self) -> float:
        """CPU modes that include a kernel's forwarding; other use of a busy CPU is by programs."""
        return sum(self.percent.get(kind, 0.0) for kind in ("irq", "interrupt", "softirq", "system"))


@dataclass(frozen=True)
class Shaper:
    """A queueing discipline that holds a rate: its `kind` such as tbf, the `rate` as its program prints it (empty where
    its classes have it), and the packets that it dropped while the test ran."""

    interface: str
    kind: str
    rate: str
    dropped: int


@dataclass(frozen=True)
class CaseDut:
    """`system` is vpp, wirespeed, linux, freebsd, openbsd, danos or empty; `queues` are a port's RX queues, `tx_queues`
    its TX queues, `tx_slots` a TX ring's descriptors. `hz` is the clock that cycles are counted in."""

    name: str = ""
    system: str = ""
    cores: int | None = None
    cpus: tuple[int, ...] = ()
    """CPUs that forward."""
    workers: int | None = None
    queues: int | None = None
    tx_slots: int | None = None
    tx_queues: int | None = None
    hz: float | None = None
    firewall: bool | None = None
    links: tuple[NicLink, ...] = ()
    shapers: tuple[Shaper, ...] = ()
    has_nics: bool = True
    source: str = ""

    @property
    def is_kernel(self) -> bool:
        return self.system in ("linux", "freebsd", "openbsd")


@dataclass(frozen=True)
class CaseStep:
    """A load of the same test: offered and received packets per second; ticks per packet without polling, and packets
    per call; counters of workers or CPUs, if known."""

    offered_pps: float
    received_pps: float
    cycles: float | None = None
    vectors: float | None = None
    workers: tuple[Worker, ...] = ()
    cpus: tuple[CpuShares, ...] = ()

    @property
    def loss_ratio(self) -> float:
        return min(1.0, max(0.0, 1 - self.received_pps / self.offered_pps)) if self.offered_pps > 0 else 0.0


@dataclass(frozen=True)
class FigureDrift:
    """Change of a figure from the first tenth of a long test to the last: `what` is its name, with its `unit`."""

    what: str
    first: float
    last: float
    unit: str = ""
    source: str = ""

    @property
    def percent(self) -> float:
        return (self.last - self.first) / self.first * 100 if self.first else 0.0


@dataclass(frozen=True)
class Case:
    """A test to be explained. `others` are tests of the same DUT, `steps` loads of the same test, rising. `drops` and
    `events` are counts under load, by the reasons that the DUT names; `foreign` are received frames of other types.
    `tells_drops`: the DUT was queried, so no drops means that there were none. `in_packets` and `out_packets` are the
    DUT's own counts over all interfaces."""

    load: CaseLoad
    dut: CaseDut = field(default_factory=CaseDut)
    others: tuple[CaseLoad, ...] = ()
    workers: tuple[Worker, ...] = ()
    drops: Mapping[str, int] = field(default_factory=dict)
    events: Mapping[str, int] = field(default_factory=dict)
    foreign: Mapping[str, int] = field(default_factory=dict)
    cpus: tuple[CpuShares, ...] = ()
    steps: tuple[CaseStep, ...] = ()
    interval_s: float | None = None
    lost_packets: float | None = None
    in_packets: int | None = None
    out_packets: int | None = None
    tells_drops: bool = False
    remarks: tuple[str, ...] = ()
    machine: MachineFacts = MachineFacts()  # noqa: RUF009 - frozen
    drifts: tuple[FigureDrift, ...] = ()
    states: StateFacts | None = None
    """Present in a test that makes states in the device."""
    directions: tuple[Case, ...] = ()
    """The test with one direction at a time, if it had several; telemetry of the DUT covers all of them."""

    @property
    def busy(self) -> tuple[Worker, ...]:
        """Workers that had packets."""
        return tuple(worker for worker in self.workers if worker.packets)

    @property
    def work_cycles(self) -> float | None:
        """Ticks of work per packet (`busy_cycles`); None if the workers' nodes are not known, or if the load did not
        arrive."""
        if not self.busy or not self.busy[0].clocks or (self.arrived_share or 1.0) < NOT_ARRIVED:
            return None
        return busy_cycles(self.busy)

    @property
    def is_short(self) -> bool:
        """True if something limited the test: packets were lost, or the received rate is below what line and tester
        allow."""
        if self.load.loss_ratio is not None:
            return self.load.loss_ratio > 0.001
        share = self.load.line_share
        most = (self.load.tester_percent or 100.0) / 100
        return share is not None and share < 0.98 * most

    @property
    def may_be_short(self) -> bool:
        """True if something limited the test, or if the offered load is unknown, as with a `show runtime` alone."""
        load = self.load
        return self.is_short or (load.loss_ratio is None and load.line_share is None)

    @property
    def counted_s(self) -> float:
        """Minimum duration of the counters in seconds: as stated, by the workers' tables, or by the packets of a NIC at
        the rate of the test. 1 if unknown, since no test is shorter."""
        if self.interval_s:
            return self.interval_s
        if tables := [worker.interval_s for worker in self.workers if worker.interval_s > 0]:
            return max(tables)
        counted = sum(nic.rx_packets for nic in self.machine.nics)
        return counted / self.load.received_pps if counted and self.load.received_pps else 1.0

    @property
    def cores_used(self) -> float | None:
        """Cores that the test's own cycles per packet come to at its rate; None where a `show runtime` tells it, and
        without cycles or a clock."""
        if self.workers or not self.load.cycles or not self.dut.hz or self.dut.is_kernel:
            return None
        return self.load.received_pps * self.load.cycles / self.dut.hz

    @property
    def cycles_sum(self) -> str:
        """The product in words, for a case with `cores_used`."""
        cycles, hz = self.load.cycles or 0.0, self.dut.hz or 0.0
        product = cycles * self.load.received_pps
        return (
            f"{cycles:.4g} cycles × {rate_text(self.load.received_pps)} = {product / 1e6:,.0f} of {hz / 1e6:,.0f} MHz"
        )

    @property
    def lost_inside(self) -> float | None:
        """Share of the lost packets that the device received and did not send, 0 to 1; None if unknown."""
        if self.in_packets is None or self.out_packets is None or not self.lost_packets:
            return None
        return min(1.0, max(0, self.in_packets - self.out_packets) / self.lost_packets)

    @property
    def arrived_share(self) -> float | None:
        """Share of the offered packets that the device counted as received; None if either is unknown."""
        if not self.load.offered_pps:
            return None
        if self.workers:
            return sum(worker.pps for worker in self.workers) / self.load.offered_pps
        if self.in_packets is None or not self.interval_s:
            return None
        return self.in_packets / self.interval_s / self.load.offered_pps

    @property
    def extraneous_share(self) -> float:
        """Extraneous packets as a share of those received or sent: the device sent, or the tester received, more than
        there were. The device's counts cover a part of the test only, so up to a third may be packets that were in
        flight before."""
        made = self.out_packets / self.in_packets - 1 if self.in_packets and self.out_packets else 0.0
        return max(self.load.extraneous_share, made if made > 1 / 3 else 0.0)

    def dropped(self, *words: str) -> int:
        """Packets dropped for reasons with one of `words` in them; of counters that are known, in their meaning."""
        return sum(count for reason, count in self.drops.items() if any(word in said(reason) for word in words))

    def other(self, **wanted: object) -> CaseLoad | None:
        """Another test that differs in nothing but `wanted`; frame sizes are the same if they differ by 2 %."""
        return next((load for load in self.others if self._differs_in(load, wanted)), None)

    def _differs_in(self, load: CaseLoad, wanted: Mapping[str, object]) -> bool:
        for name in ("directions", "flows", "hashed", "frame_bytes"):
            mine, theirs = getattr(self.load, name), getattr(load, name)
            expected = wanted.get(name, mine)
            if name == "frame_bytes" and isinstance(expected, float | int) and isinstance(theirs, float | int):
                if abs(theirs - expected) > 0.02 * expected:
                    return False
            elif theirs != expected:
                return False
        return True
