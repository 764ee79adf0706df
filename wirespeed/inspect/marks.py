"""Problems of a machine's hardware, each a sentence with its arithmetic. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.inspect.budget import FRAMES, carried_gbps, ceiling_pps, need
from wirespeed.inspect.facts import Facts, NicCard
from wirespeed.inspect.nic import LinuxInterface
from wirespeed.inspect.pci import LinkSpeed
from wirespeed.units import format_si, line_rate_pps


@dataclass(frozen=True)
class InspectionMark:
    """`subject` is the card, interface or part that it is of."""

    subject: str
    text: str


def marks_of(facts: Facts, workers: Sequence[int] = ()) -> tuple[InspectionMark, ...]:
    """All problems; `workers` are the CPUs that will poll the ports, empty if not given."""
    found = [mark for card in facts.cards for mark in _of_card(card, facts, workers)]
    found += [mark for one in facts.interfaces for mark in _of_module(one)]
    return (*found, *_of_machine(facts, workers))


def _of_card(card: NicCard, facts: Facts, workers: Sequence[int]) -> Iterator[InspectionMark]:
    if card.has_budget:
        yield from _of_link(card)
        yield from _of_budget(card)
    device = card.functions[0]
    if device.aspm and "Disabled" not in device.aspm:
        yield InspectionMark(
            card.address, f"ASPM is on ({device.aspm}): a link that sleeps at half load has cost throughput"
        )
    far = _far(card, facts, workers)
    if far:
        cpus = ", ".join(str(cpu) for cpu in far)
        yield InspectionMark(
            card.address,
            f"it hangs on NUMA node {card.node}, CPU{'s' if len(far) > 1 else ''} {cpus} of the workers do not: every "
            "packet crosses between sockets",
        )
    for interface in card.interfaces:
        yield from _of_module(interface)


def _of_link(card: NicCard) -> Iterator[InspectionMark]:
    """Why the link is narrower than the card."""
    now, most = card.now, card.most
    if now is None or most is None or carried_gbps(now) >= carried_gbps(most):
        return
    above = card.path[1].most if len(card.path) > 1 else None
    possible = most if above is None else LinkSpeed(min(most.speed_gts, above.speed_gts), min(most.lanes, above.lanes))
    limited = card.said.now if card.said is not None else None
    if card.said is not None and limited is not None:
        where = f" at {card.said.at}" if card.said.at else ""
        yield InspectionMark(card.address, f"the slot{where} gives {limited} to a card of {most}")
    elif possible != most and carried_gbps(now) >= carried_gbps(possible):
        yield InspectionMark(card.address, f"the slot at {card.path[1].address} gives {now} to a card of {most}")
    else:
        yield InspectionMark(
            card.address,
            f"its link runs at {now} and could at {possible}: power saving at idle (read it under load), a bad seat or "
            "a riser",
        )


def _of_budget(card: NicCard) -> Iterator[InspectionMark]:
    """Frame sizes at which the narrowest link cannot carry what the ports can."""
    hop = card.narrowest
    if hop is None or not card.ports_bps:
        return
    device = card.functions[0]
    carries = carried_gbps(hop.link, device.payload_bytes)
    short = []
    for frame in FRAMES:
        wanted = need(card.ports_bps, frame, device.payload_bytes, device.read_bytes)
        if wanted.gbps > carries:
            low, high = ceiling_pps(hop.link, frame, device.payload_bytes, device.read_bytes)
            line = sum(line_rate_pps(frame, speed) for speed in card.ports_bps)
            short.append(
                f"at {frame}b {'needs' if len(card.ports_bps) == 1 else 'need'} {wanted.gbps:.0f} "
                f"(range {format_si(low, 'pps', 2)} to {format_si(high, 'pps', 2)} forwarded of "
                f"{format_si(line, 'pps', 1)})"
            )
    if short:
        at = f" at {hop.at}" if hop.at != device.address else ""
        yield InspectionMark(
            card.address,
            f"{hop.link}{at} carries about {carries:.0f} Gb/s of TLPs: {ports_text(card.ports_bps)} {', '.join(short)}",
        )


def ports_text(ports_bps: Sequence[float]) -> str:
    """`two 10G ports`, `one 1G port and two 2.5G ports`."""
    numbers = {1: "one", 2: "two", 3: "three", 4: "four"}
    parts = [
        f"{numbers.get(count, count)} {format_speed(speed)} port{'s' if count > 1 else ''}"
        for speed, count in Counter(ports_bps).items()
    ]
    return " and ".join(parts)


def format_speed(bps: float) -> str:
    """`2.5G`, `100M`."""
    return f"{bps / 1e9:g}G" if bps >= 1e9 else f"{bps / 1e6:g}M"


def _far(card: NicCard, facts: Facts, workers: Sequence[int]) -> list[int]:
    """Workers that are not on the card's node."""
    if card.node is None or len(facts.cpu.nodes) < 2:
        return []
    nodes = {place.cpu: place.node for place in facts.cpu.places}
    return [cpu for cpu in workers if nodes.get(cpu, card.node) != card.node]


def _of_module(interface: LinuxInterface) -> Iterator[InspectionMark]:
    if interface.module_fault:
        yield InspectionMark(interface.name, f"its module cannot be read: {interface.module_fault}")
    module = interface.module
    if module is None:
        return
    for remark in module.remarks:
        yield InspectionMark(interface.name, f"module {module.vendor} {module.part}: {remark}")
    if module.diagnostics is not None:
        said = (*module.diagnostics.flags, *module.diagnostics.states)
        if said:
            yield InspectionMark(interface.name, f"module {module.vendor} {module.part} says {', '.join(said)}")


def _of_machine(facts: Facts, workers: Sequence[int]) -> Iterator[InspectionMark]:
    cpu, board = facts.cpu, facts.board
    if cpu.hypervisor:
        by = "" if cpu.hypervisor == "yes" else f" of {cpu.hypervisor}"
        yield InspectionMark(
            "cpu", f"this is a virtual machine{by}: links, frequencies and sensors are what the host shows"
        )
    siblings = {
        (place.package, place.core): [one.cpu for one in cpu.places if one.cpu in place.siblings and one.cpu in workers]
        for place in cpu.places
    }
    for shared in siblings.values():
        if len(shared) > 1:
            listed = " and ".join(str(one) for one in shared)
            yield InspectionMark("cpu", f"workers {listed} are threads of one core and slow each other down")
    unknown = [one for one in workers if cpu.places and one not in {place.cpu for place in cpu.places}]
    if unknown:
        yield InspectionMark("cpu", f"there is no CPU {', '.join(map(str, unknown))} for a worker")
    if cpu.governor and cpu.governor != "performance":
        yield InspectionMark(
            "cpu", f"governor {cpu.governor}: the clock follows the load, and a polling worker may start slow"
        )
    if board.channels is not None and len(board.dimms) > 1 and board.channels == 1:
        yield InspectionMark(
            "memory", f"all {len(board.dimms)} modules are on one channel: half the bandwidth and more latency"
        )
    slow = [one for one in board.dimms if one.rated_mts and one.speed_mts and one.speed_mts < one.rated_mts]
    for dimm in slow[:1]:
        yield InspectionMark("memory", f"{dimm.place} runs at {dimm.speed_mts} MT/s and could at {dimm.rated_mts}")
