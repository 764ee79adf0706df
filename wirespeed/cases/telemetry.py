"""Telemetry of a device over some intervals, as facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from wirespeed.cases.facts import CaseDut, CaseStep, CpuShares, Worker, merged_workers
from wirespeed.cases.machine_facts import Clock, Energy, MachineFacts, NicFacts
from wirespeed.cases.nic_counters import TX_FULL, losses, meaning_of, pauses, queue_packets
from wirespeed.cases.shapers import shapers_of
from wirespeed.results.dut import DutFacts, DutTelemetry
from wirespeed.results.dut_cpu import MachineLoad
from wirespeed.results.sample import Preemption

SYSTEMS = {"router": "wirespeed"} | {
    kind: kind for kind in ("wirespeed", "linux", "vpp", "freebsd", "openbsd", "danos")
}
"""System of a device, by its kind; kinds without an entry are unknown."""

_POLLING = ("wirespeed", "vpp", "danos")
"""Systems whose forwarding CPUs are workers that poll."""
_KERNEL_SUMS = {"rx": ("rx drop", "rx errs"), "tx": ("tx drop", "tx errs")}
"""Counters of the kernel per interface that include those of its driver."""
_FLAT = {"vectors_per_call", "cycles_per_packet"}
_PLACED = re.compile(r"(\S+) queue (\d+)")
_NOMINAL = re.compile(r"@ ([\d.]+) ?GHz")


def workers_told(readings: Sequence[DutTelemetry], place: str, pps: float = 0.0) -> tuple[Worker, ...]:
    """Each worker over all those samples; of older files, which tell no more, all of them together as one, of `pps`
    where the file does not say how much came in."""
    if readings and not any(one.workers for one in readings):
        return _together(readings, place, pps)
    return tuple(replace(one, source=place) for one in merged_workers([reading.workers for reading in readings]))


def _together(told: Sequence[DutTelemetry], place: str, pps: float) -> tuple[Worker, ...]:
    """The flat figures turned back into counts of a second each; () where they are not there."""
    known = [one.told for one in told if one.told.keys() >= _FLAT and min(one.told[name] for name in _FLAT) > 0]
    whole = [counted for one in known if (counted := _counted(one, pps))[0] > 0]
    if not whole:
        return ()
    packets, polls, calls, clocks, polling = (round(sum(column)) for column in zip(*whole, strict=True))
    return (Worker("the DUT", float(len(whole)), packets, polls, calls, clocks, polling, place),)


def _counted(costs: Mapping[str, float], pps: float) -> tuple[float, ...]:
    packets, cycles = costs.get("in_pps", pps), costs["cycles_per_packet"]
    calls = packets / costs["vectors_per_call"]
    polls = calls / max(1e-6, 1 - costs.get("idle_polls", 0.0))
    polling = cycles - costs.get("cycles_per_packet_without_input", cycles)
    return packets, polls, calls, cycles * packets, polling * packets


def case_dut(facts: DutFacts, workers: Sequence[Worker], source: str) -> CaseDut:
    return CaseDut(
        name=facts.name,
        system=SYSTEMS.get(facts.kind, ""),
        cores=len(facts.cpus) or None,
        cpus=facts.cpus,
        workers=len(workers) or (len(facts.cpus) or None if SYSTEMS.get(facts.kind) in _POLLING else None),
        queues=_queues(facts),
        hz=workers[0].tsc_hz if workers else None,
        shapers=shapers_of(facts.texts),
        firewall=True if facts.details.get("pf") == "on" or facts.details.get("nftables") else None,
        source=source,
    )


def _queues(facts: DutFacts) -> int | None:
    """The most RX queues of an interface, by a router's `show interface rx-placement`."""
    shown = [text for command, text in facts.texts.items() if command.endswith("show interface rx-placement")]
    placed = facts.details.get("rx_placement") or "; ".join(shown)
    counted: Counter[str] = Counter(name for name, _ in set(_PLACED.findall(placed)))
    return max(counted.values(), default=None)


def cpus_told(readings: Sequence[DutTelemetry]) -> tuple[CpuShares, ...]:
    """Values per CPU if the machine reports them, otherwise of all CPUs together."""
    numbers = dict.fromkeys(cpu.cpu for one in _machines(readings) for cpu in one.cpus)
    found = tuple(cpu for number in numbers if (cpu := _cpu(number, _machines(readings))) is not None)
    if found:
        return found
    shares = [one.cpu_percent for one in readings if one.cpu_percent]
    if not shares:
        return ()
    kinds = dict.fromkeys(kind for share in shares for kind in share)
    return (CpuShares("its CPUs", {kind: sum(s.get(kind, 0.0) for s in shares) / len(shares) for kind in kinds}),)


def _cpu(number: int, machines: Sequence[MachineLoad]) -> CpuShares | None:
    rows = [cpu for machine in machines for cpu in machine.cpus if cpu.cpu == number]
    seconds: Counter[str] = Counter()
    for row in rows:
        seconds.update(row.seconds)
    total = sum(seconds.values())
    if total <= 0:
        return None
    counted = [row.softnet["processed"] for row in rows if "processed" in row.softnet]
    percent = {kind: share / total * 100 for kind, share in seconds.items()}
    return CpuShares(f"cpu{number}", percent, sum(counted) if counted else None)


def machine_told(told: Sequence[DutTelemetry], dut: DutFacts, place: str) -> MachineFacts:
    """Clocks and temperatures at the end of those samples, and what NICs counted over them."""
    machines = _machines(told)
    if not machines:
        return MachineFacts()
    rated_hz = _rated_hz(dut)
    names = dict.fromkeys(name for machine in machines for name in machine.nics)
    return MachineFacts(
        clocks=tuple(
            Clock(f"cpu{cpu}", hz, rated_hz, place) for cpu, hz in machines[-1].frequencies_hz.items() if hz > 0
        ),
        nics=tuple(_nic(name, machines, place) for name in names),
        temperatures_c=dict(machines[-1].temperatures_c),
        source=place,
    )


def with_energy(
    machine: MachineFacts, readings: Sequence[DutTelemetry], idle_w: float | None, place: str
) -> MachineFacts:
    """The facts with the mean power, if a meter was read."""
    watts = [one.watts for one in readings if one.watts is not None]
    return replace(machine, energy=Energy(fmean(watts), idle_w, place)) if watts else machine


def longest_preemption_s(preemptions: Iterable[Preemption | None]) -> float | None:
    """The longest preemption of the tester or the device; None if unknown."""
    known = [one for one in preemptions if one is not None]
    times_s = [s for one in known for s in (one.tester_longest_preemption_s, one.dut_longest_preemption_s)]
    return max((s for s in times_s if s is not None), default=None)


def errors_told(errors: Sequence[str | None], what: str) -> tuple[str, ...]:
    """Why the device told nothing in some of `what`, each reason once."""
    reasons = counts({why: 1} for why in errors if why is not None)
    lost = f"{what} the counters of the DUT are missing"
    return tuple(f"in {count} of {len(errors)} {lost}: {why}" for why, count in reasons.items())


def _nic(name: str, machines: Sequence[MachineLoad], place: str) -> NicFacts:
    grown = counts(machine.nics.get(name, {}) for machine in machines)
    return NicFacts(name, queue_packets=queue_packets(grown), counters=grown, source=f"{place}, ethtool -S {name}")


def _rated_hz(dut: DutFacts) -> float | None:
    """By the processor's name, which makers end with the clock that it is sold with."""
    named = _NOMINAL.search(dut.details.get("cpu", ""))
    return float(named[1]) * 1e9 if named else None


def _machines(told: Sequence[DutTelemetry]) -> list[MachineLoad]:
    return [one.machine for one in told if one.machine is not None]


def drops_told(readings: Sequence[DutTelemetry]) -> dict[str, int]:
    """Packets dropped by reason, those that drivers count among them. A sum of the kernel's that has a driver's counter
    in it is left out."""
    drops = counts(one.drops for one in readings)
    names = dict.fromkeys(name for machine in _machines(readings) for name in machine.nics)
    for name in names:
        lost = losses(name, counts(machine.nics.get(name, {}) for machine in _machines(readings)))
        for way, sums in _KERNEL_SUMS.items():
            if any(_is_of_way(reason, way) for reason in lost):
                drops = {reason: n for reason, n in drops.items() if reason not in {f"{name} {one}" for one in sums}}
        drops |= lost
    return drops


def _is_of_way(reason: str, way: str) -> bool:
    """True if the kernel's sum for that direction includes the driver's counter."""
    sent = meaning_of(reason) == TX_FULL
    return sent == (way == "tx")


def events_told(told: Sequence[DutTelemetry]) -> dict[str, int]:
    events = counts(one.events for one in told)
    names = dict.fromkeys(name for machine in _machines(told) for name in machine.nics)
    frames = {name: pauses(counts(machine.nics.get(name, {}) for machine in _machines(told))) for name in names}
    return events | {f"{name}: pause frames": count for name, count in frames.items() if count}


def tells_drops(told: Sequence[DutTelemetry]) -> bool:
    """True if the device's drop counters were read, so that no drops means none. A power meter alone reports watts
    only."""
    return any(one.drop_packets is not None or one.workers or one.drops for one in told)


def counts(groups: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for group in groups:
        total.update(group)
    return dict(total)


def cycles_of(workers: Sequence[Worker]) -> float | None:
    """Ticks per packet without polling, of all workers together."""
    packets = sum(worker.packets for worker in workers)
    return sum(worker.clocks - worker.polling_clocks for worker in workers) / packets if packets else None


def step_of(offered_pps: float, received_pps: float, told: Sequence[DutTelemetry]) -> CaseStep:
    """A load with what the device told under it."""
    workers = workers_told(told, "", received_pps)
    return CaseStep(offered_pps, received_pps, cycles_of(workers), _vectors_of(workers), workers, cpus_told(told))


def _vectors_of(workers: Sequence[Worker]) -> float | None:
    """Packets per call of the worker that finds most."""
    return max((worker.vectors for worker in workers if worker.packets), default=None)
