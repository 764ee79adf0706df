"""Facts from an inspection of the DUT: links and their position, queues and rings, CPUs, modules.

The facts of an inspection have the names of the program version that made it. Other names are ignored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, ValidationError

from wirespeed.cases.facts import Case, NicLink
from wirespeed.cases.machine_facts import Crossing, MachineFacts, NicFacts, Optic
from wirespeed.results.inspection import Inspection


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Link(_Read):
    speed_gts: float
    lanes: int


class _Hop(_Read):
    link: _Link
    at: str = ""


class _Lane(_Read):
    rx_mw: float | None = None


class _Diagnostics(_Read):
    lanes: tuple[_Lane, ...] = ()
    flags: tuple[str, ...] = ()
    states: tuple[str, ...] = ()


class _Module(_Read):
    diagnostics: _Diagnostics | None = None
    remarks: tuple[str, ...] = ()


class _Interface(_Read):
    name: str
    driver: str = ""
    queues: int | None = None
    most_queues: int | None = None
    rx_ring: int | None = None
    tx_ring: int | None = None
    module: _Module | None = None


class _Device(_Read):
    node: int | None = None


class _Card(_Read):
    address: str
    name: str = ""
    functions: tuple[_Device, ...] = ()
    interfaces: tuple[_Interface, ...] = ()
    ports_bps: tuple[float, ...] = ()
    narrowest: _Hop | None = None
    has_budget: bool = False


class _Place(_Read):
    cpu: int
    node: int = 0


class _Cpu(_Read):
    places: tuple[_Place, ...] = ()
    base_mhz: float | None = None
    now_mhz: tuple[float, ...] = ()
    governor: str = ""
    hypervisor: str = ""


class _Facts(_Read):
    cpu: _Cpu = _Cpu()
    cards: tuple[_Card, ...] = ()
    interfaces: tuple[_Interface, ...] = ()


def with_inspection(case: Case, inspection: Inspection) -> Case:
    """The case with what the inspection knows and the case does not."""
    source = f"inspection of {inspection.machine}, {inspection.taken}"
    try:
        facts = _Facts.model_validate(inspection.facts)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        return replace(case, remarks=(*case.remarks, f"{source} cannot be used: its {where} is not as known"))
    used = _cards(facts, case)
    dut = replace(
        case.dut,
        cores=case.dut.cores or len(facts.cpu.places) or None,
        queues=case.dut.queues or _most(one.queues for card in used for one in card.interfaces),
        tx_slots=case.dut.tx_slots or _most(one.tx_ring for card in used for one in card.interfaces),
        links=case.dut.links or tuple(_links(used, source)),
    )
    return replace(case, dut=dut, machine=_machine(case, facts, used, source))


def _cards(facts: _Facts, case: Case) -> list[_Card]:
    """Cards with ports of the test's line rate, if that is known; a management port has another speed."""
    fitting = [card for card in facts.cards if case.load.line_bps in card.ports_bps]
    return fitting or list(facts.cards)


def _links(cards: Sequence[_Card], source: str) -> Iterator[NicLink]:
    """Both ports of a test are on one card where it has two, else one is on each."""
    for card in cards:
        if card.has_budget and card.narrowest is not None:
            hop = card.narrowest
            ports = min(2, len(card.ports_bps)) or 1
            at = f" at {hop.at}" if hop.at and hop.at != card.address else ""
            yield NicLink(hop.link.speed_gts, hop.link.lanes, ports, card.name or card.address, f"{source}{at}")


def _machine(case: Case, facts: _Facts, cards: Sequence[_Card], source: str) -> MachineFacts:
    known = case.machine
    # A kernel's packets are where their interrupts are, which is not known by its CPUs.
    workers = case.dut.cpus if case.workers else ()
    nodes = {place.cpu: place.node for place in facts.cpu.places}
    rated_hz = facts.cpu.base_mhz * 1e6 if facts.cpu.base_mhz else None
    clocks = tuple(replace(clock, rated_hz=clock.rated_hz or rated_hz) for clock in known.clocks)
    return replace(
        known,
        clocks=clocks,
        crossings=(*known.crossings, *_crossings(cards, nodes, workers, source)),
        nics=_nics(known, facts, source),
        optics=(*known.optics, *_optics(facts, source)),
        governor=known.governor or facts.cpu.governor,
        hypervisor=known.hypervisor or facts.cpu.hypervisor,
        source=known.source if known.temperatures_c else source,
    )


def _crossings(
    cards: Sequence[_Card], nodes: dict[int, int], workers: Sequence[int], source: str
) -> Iterator[Crossing]:
    if len(set(nodes.values())) < 2:
        return
    for card in cards:
        node = next((device.node for device in card.functions if device.node is not None), None)
        for cpu in workers:
            if node is not None and nodes.get(cpu, node) != node:
                name = card.interfaces[0].name if card.interfaces else card.address
                yield Crossing(name, node, cpu, nodes[cpu], source)


def _nics(known: MachineFacts, facts: _Facts, source: str) -> tuple[NicFacts, ...]:
    """NICs with counters and their settings, then the other NICs."""
    nics = {nic.name: nic for nic in known.nics}
    for interface in (*(one for card in facts.cards for one in card.interfaces), *facts.interfaces):
        nic = nics.get(interface.name, NicFacts(interface.name, source=source))
        nics[interface.name] = replace(
            nic,
            driver=interface.driver,
            queues=interface.queues,
            most_queues=interface.most_queues,
            tx_slots=interface.tx_ring,
        )
    return tuple(nics.values())


def _optics(facts: _Facts, source: str) -> Iterator[Optic]:
    for interface in (*(one for card in facts.cards for one in card.interfaces), *facts.interfaces):
        if interface.module is None:
            continue
        told = interface.module.diagnostics
        faults = (*(told.flags if told else ()), *(told.states if told else ()))
        powers = [lane.rx_mw for lane in (told.lanes if told else ()) if lane.rx_mw is not None]
        yield Optic(interface.name, faults, min(powers, default=None), source)


def _most(values: Iterator[int | None]) -> int | None:
    return max((value for value in values if value), default=None)
