"""The arithmetic of a case: cost per packet, the capacity of a core at that cost, and the distance of the DUT from it.
Pure.

Each figure names its inputs and their source. The cost per packet falls as vectors grow, so the capacity of a core is
exact only for a saturated worker, and a lower bound for any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.cases.facts import Case, CaseStep, Worker
from wirespeed.explain.arithmetic import core_pps, cores_for_line, link_use, microjoules
from wirespeed.explain.cpu_budget import cpu_budget
from wirespeed.explain.words import clock_text, cycles_text, seconds_text, share_text
from wirespeed.results.figures import exact_text, rate_text

_MOSTLY_IDLE = 0.95
"""Idle part of a worker."""
_FULL = 0.95
"""Share of the time of a kernel's CPUs."""
_CONTRADICTS = 0.05
_FEW_CYCLES = 0.7
"""Share of a worker's clock; a worker without idle time accounts for more."""
_AWAY = 0.02
"""Share of the time; less is within the precision of cycles."""


@dataclass(frozen=True)
class ComputedFigure:
    """`name` is for programs, `text` for people; `value` is in `unit`."""

    name: str
    value: float
    unit: str
    text: str
    source: str


def figures(case: Case) -> tuple[ComputedFigure, ...]:
    """All figures that the facts of the case allow; empty for a case with rates only."""
    return (*_workers(case), *_typed(case), *_kernel(case), *_perf(case), *_links(case), *_clocks(case), *_energy(case))


def contradictions(case: Case) -> tuple[str, ...]:
    """Contradictions in the facts: workers that did more than their clock allows, or that were saturated by their
    vectors and idle by their cycles."""
    sentences = []
    for worker in case.busy:
        hz = worker.tsc_hz or case.dut.hz
        if not hz or not worker.clocks:
            continue
        spent = worker.work_clocks / worker.packets
        used = f"{cycles_text(spent)} cycles of work × {rate_text(worker.pps)} = {clock_text(spent * worker.pps)}"
        if spent * worker.pps > (1 + _CONTRADICTS) * hz:
            sentences.append(f"{worker.name}: {used}, more than its {clock_text(hz)}: the clock or the rate is another")
        elif worker.is_saturated and worker.effective_hz < _FEW_CYCLES * hz:
            sentences.append(
                f"{worker.name} finds full vectors, and {used}, of {clock_text(hz)}: its nodes do not have it all"
            )
    return tuple(sentences)


# ---- workers that poll


def _workers(case: Case) -> Iterator[ComputedFigure]:
    busy, cycles = case.busy, case.work_cycles
    if cycles is None:
        return
    source = busy[0].source
    packets = sum(worker.packets for worker in busy)
    whole = sum(worker.clocks for worker in busy) / packets
    without = sum(worker.clocks - worker.polling_clocks for worker in busy) / packets
    fullest = max(busy, key=lambda worker: worker.vectors)
    idle = "" if fullest.idle_polls is None else f", {share_text(fullest.idle_polls)} of its polls found nothing"
    idle = idle if fullest.idle_share is None else f", no packets for {share_text(fullest.idle_share)} of the time"
    text = f"{cycles_text(without)} cycles per packet without polling, {cycles_text(whole)} with it{_away(busy)}"
    if without == whole:
        text = f"{cycles_text(whole)} cycles per packet; how many of them are polling is not known"
    yield ComputedFigure("cycles_per_packet_without_polling", without, "cycles", text, source)
    yield ComputedFigure(
        "vectors_per_call",
        fullest.vectors,
        "packets",
        f"{fullest.finds}{idle}",
        source,
    )
    hz = fullest.tsc_hz or case.dut.hz
    # Cycles per packet of an idle worker only show how seldom packets arrived.
    if fullest.pps and (fullest.idle or 0.0) < _MOSTLY_IDLE:
        # A product above the clock is not a share of it; `contradictions` says so.
        of = f" of {clock_text(hz)}" if hz and fullest.effective_hz <= (1 + _CONTRADICTS) * hz else ""
        clock = clock_text(fullest.effective_hz)
        text = f"{cycles_text(fullest.cycles)} cycles × {rate_text(fullest.pps)} = {clock}{of}, by {fullest.name}"
        yield ComputedFigure("effective_hz", fullest.effective_hz, "Hz", text, source)
    yield from _by_class(case, source)
    if hz:
        count = max(len(case.workers), case.dut.workers or 0)
        yield from _core(case, cycles, hz, count, fullest.is_saturated, source)


def _by_class(case: Case, source: str) -> Iterator[ComputedFigure]:
    """Cycles per packet, by the class of the nodes."""
    offered_pps = case.load.offered_pps or case.load.received_pps
    budget = cpu_budget([CaseStep(offered_pps, case.load.received_pps, workers=case.busy)])
    if budget is None:
        return
    parts = [part for part in budget.bars[0].parts if part.ticks is not None and part.is_work]
    work = sum(part.ticks or 0.0 for part in parts)
    text = f"{cycles_text(work)} cycles of work per packet: "
    text += ", ".join(f"{part.name} {cycles_text(part.ticks or 0.0)}" for part in parts)
    yield ComputedFigure("work_cycles_per_packet", work, "cycles", text, source)


def _away(busy: Sequence[Worker]) -> str:
    """The clock continues during preemption, and cannot be attributed to packets."""
    shares = [worker.preempted_s / worker.interval_s for worker in busy if worker.preempted_s and worker.interval_s > 0]
    most = max(shares, default=0.0)
    return f", preempted for {share_text(min(1.0, most))} of the time" if most >= _AWAY else ""


def _core(case: Case, cycles: float, hz: float, cores: int, exact: bool, source: str) -> Iterator[ComputedFigure]:
    """The most that one core can do at `cycles` per packet, and all `cores` of them."""
    most = core_pps(hz, cycles)
    if case.load.received_pps > (1 + _CONTRADICTS) * most * cores:
        return  # `contradictions` says so
    rate = rate_text(most) if exact else f"at least {rate_text(most)}"
    text = f"one core can do {rate}: {clock_text(hz)} by {cycles_text(cycles)} cycles of work per packet"
    yield ComputedFigure("core_pps", most, "pps", text, source)
    share = case.load.received_pps / (most * cores)
    word = "core" if cores == 1 else "cores"
    rate = rate_text(case.load.received_pps)
    text = f"{rate} are {share_text(min(1.0, share))} of what {cores} {word} could do at that cost"
    yield ComputedFigure("core_share", share, "", text, source)
    line = case.load.line_pps
    if line:
        needed = cores_for_line(line, hz, cycles)
        text = (
            f"the line's {exact_text(line)} need {needed:.2g} cores at that cost: one packet per "
            f"{seconds_text(1 / line)} is one per {cycles_text(hz / line)} cycles"
        )
        yield ComputedFigure("cores_for_line", needed, "cores", text, source)


# ---- cycles and workers that were typed, without what the workers did


def _typed(case: Case) -> Iterator[ComputedFigure]:
    load, workers = case.load, case.dut.workers or 1
    if case.workers or case.dut.is_kernel or not load.received_pps:
        return
    if case.cores_used is not None:
        yield ComputedFigure(
            "effective_hz", (load.cycles or 0.0) * load.received_pps, "Hz", case.cycles_sum, load.source
        )
        yield from _core(case, load.cycles or 0.0, case.dut.hz or 0.0, workers, case.cores_used >= _FULL, load.source)
    elif case.dut.workers and load.line_pps and case.is_short and not case.cpus and not load.one_queue_on_one_port:
        more = load.line_pps / load.received_pps
        text = (
            f"the line's {exact_text(load.line_pps)} are {more:.3g} times as much: {workers * more:.2g} workers at the "
            f"same cost, of {workers}, if they are the limit"
        )
        yield ComputedFigure("workers_for_line", workers * more, "workers", text, load.source)


# ---- a kernel, by the time of its CPUs


def _kernel(case: Case) -> Iterator[ComputedFigure]:
    """Upper limit of the cost per packet, by the time of interrupts, softirqs and system calls, which may include other
    work."""
    if case.workers or not case.cpus or not case.load.received_pps:
        return
    count = len(case.cpus) if len(case.cpus) > 1 else max(1, len(case.dut.cpus))
    scale = count / len(case.cpus)
    busy = sum(cpu.kernel_percent / 100 for cpu in case.cpus) * scale
    if busy <= 0:
        return
    seconds = busy / case.load.received_pps
    source = case.load.source
    rate = rate_text(case.load.received_pps)
    said = f"{share_text(busy)} of its CPU" if count == 1 else f"{busy:.3g} of {count} CPUs"
    text = f"{seconds_text(seconds)} of CPU time per packet: the kernel had {said} at {rate}"
    yield ComputedFigure("cpu_seconds_per_packet", seconds, "s", text, source)
    clocks = [clock.now_hz for clock in case.machine.clocks]
    hz = sum(clocks) / len(clocks) if clocks else case.dut.hz
    is_full = busy >= _FULL * count
    if hz:
        yield from _core(case, seconds * hz, hz, count, is_full, source)
    else:
        text = f"one core can do {'' if is_full else 'at least '}{rate_text(1 / seconds)} at that cost"
        yield ComputedFigure("core_pps", 1 / seconds, "pps", text, source)
    yield from _spread(case, source)


def _spread(case: Case, source: str) -> Iterator[ComputedFigure]:
    counted = [(cpu.packets, cpu.name) for cpu in case.cpus if cpu.packets is not None]
    total = sum(packets for packets, _ in counted)
    if len(counted) < 2 or not total:
        return
    most, name = max(counted)
    had = sum(packets > 0 for packets, _ in counted)
    text = f"{name} took up {share_text(most / total)} of the packets; {had} of {len(counted)} CPUs had any"
    yield ComputedFigure("fullest_cpu_share", most / total, "", text, f"{source}, softnet_stat")


# ---- what stands beside


def _perf(case: Case) -> Iterator[ComputedFigure]:
    perf = case.machine.perf
    if perf is None:
        return
    if perf.instructions:
        rate = f", {perf.instructions / perf.cycles:.2g} a cycle" if perf.cycles else ""
        text = f"{cycles_text(perf.instructions)} instructions per packet{rate}"
        yield ComputedFigure("instructions_per_packet", perf.instructions, "instructions", text, perf.source)


def _links(case: Case) -> Iterator[ComputedFigure]:
    for link in case.dut.links:
        use = link_use(link, case.load)
        if use is not None:
            name = f", {link.nic}" if link.nic else ""
            text = (
                f"PCIe {link.gts:g} GT/s x{link.width}{name}: {100 * use.low:.0f} to {100 * use.high:.0f} % of what it "
                "carries towards the host"
            )
            yield ComputedFigure("link_share", use.middle, "", text, link.source)


def _clocks(case: Case) -> Iterator[ComputedFigure]:
    machine = case.machine
    if machine.clocks:
        low, high = (pick(clock.now_hz for clock in machine.clocks) for pick in (min, max))
        rated = next((clock.rated_hz for clock in machine.clocks if clock.rated_hz), None)
        said = clock_text(low) if high - low < 0.01 * high else f"{clock_text(low)} to {clock_text(high)}"
        text = f"CPUs ran at {said}" + (f", rated {clock_text(rated)}" if rated else "")
        yield ComputedFigure("least_clock_hz", low, "Hz", text, machine.clocks[0].source)
    if machine.temperatures_c:
        name, hottest = max(machine.temperatures_c.items(), key=lambda one: one[1])
        yield ComputedFigure("hottest_c", hottest, "°C", f"{hottest:.0f} °C at the hottest, {name}", machine.source)


def _energy(case: Case) -> Iterator[ComputedFigure]:
    energy = case.machine.energy
    if energy is None or not case.load.received_pps:
        return
    cost = microjoules(energy.watts, case.load.received_pps)
    text = f"{cost:.3g} µJ per packet: {energy.watts:.3g} W at {rate_text(case.load.received_pps)}"
    if energy.idle_w is not None:
        above = microjoules(max(0.0, energy.watts - energy.idle_w), case.load.received_pps)
        text += f", {above:.3g} above the {energy.idle_w:.3g} W before the load"
    yield ComputedFigure("packet_uj", cost, "µJ", text, energy.source)
