"""Facts and marks as tables, and as text for a terminal. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from wirespeed.inspect.board import Board, Disk, dimms_text
from wirespeed.inspect.budget import FRAMES, carried_gbps, ceiling_pps, coded_gbps, need
from wirespeed.inspect.cpu import UNKNOWN, Cache, CpuFacts
from wirespeed.inspect.facts import Facts, Hop, NicCard
from wirespeed.inspect.marks import InspectionMark, format_speed, ports_text
from wirespeed.inspect.module import Lane, OpticalModule, power_text
from wirespeed.inspect.nic import LinuxInterface
from wirespeed.inspect.transcript import Transcript
from wirespeed.pages.words import harmless
from wirespeed.results.inspection import CommandOutput, Inspection, InspectionTable, Remarked
from wirespeed.tables import ARow, Columns, aligned, grid, in_columns
from wirespeed.units import format_si
from wirespeed.validation.proved import caution

_SUBJECTS = {"PCIe budgets": "PCIe and NIC facts", "Modules": "SFP modules"}
"""Parts of an inspection by what of docs/validation.md stands behind them."""

NOTHING = "–"


def inspection_of(facts: Facts, marks: Sequence[InspectionMark], transcript: Transcript, taken: str) -> Inspection:
    """All of it as it is kept."""
    parts = (machine_part(facts), *card_parts(facts), module_part(_interfaces(facts)))
    return Inspection(
        machine=facts.name,
        taken=taken,
        parts=tuple(part for part in parts if part.rows),
        marks=tuple(Remarked(mark.subject, mark.text) for mark in marks),
        missing=facts.missing,
        facts=dataclasses.asdict(facts),
        texts={name: CommandOutput(found.text, found.code) for name, found in transcript.items()},
    )


def _interfaces(facts: Facts) -> tuple[LinuxInterface, ...]:
    return (*(one for card in facts.cards for one in card.interfaces), *facts.interfaces)


def machine_part(facts: Facts) -> InspectionTable:
    """Table of the machine, a line per property; unknown ones are omitted."""
    cpu, board = facts.cpu, facts.board
    memory = f"{board.memory_bytes / (1 << 30):.1f} GiB" if board.memory_bytes else ""
    rows = [
        ("board", _joined(f"{board.maker} {board.product}".strip(), board.board.replace(board.product or "\n", ""))),
        ("firmware", " of ".join(filter(None, (board.firmware, board.firmware_date)))),
        ("kernel", facts.kernel),
        ("cpu", cpu.model if cpu.model != UNKNOWN else ""),
        ("cores", _cores(cpu) if cpu.places else ""),
        ("caches", _joined(*map(_cache, cpu.caches))),
        ("frequency", _frequency(cpu)),
        ("governor", cpu.governor),
        ("microcode", cpu.microcode),
        ("virtual", "yes" if cpu.hypervisor == "yes" else cpu.hypervisor and f"yes, {cpu.hypervisor}"),
        ("flags", " ".join(cpu.flags)),
        ("memory", _joined(memory, dimms_text(board.dimms), *_channels(board))),
        *(("disk", _disk(disk)) for disk in facts.disks),
        *(("accelerator", f"{one.address} {one.name or one.ids}") for one in facts.accelerators),
    ]
    return InspectionTable("Machine", ("What", "Is"), tuple(row for row in rows if row[1]))


def _joined(*texts: str) -> str:
    return ", ".join(filter(None, texts))


def _cores(cpu: CpuFacts) -> str:
    counts = ((cpu.sockets, "socket"), (cpu.cores, "core"), (len(cpu.nodes), "NUMA node"))
    told = [f"{count} {noun}{'s' if count > 1 else ''}" for count, noun in counts]
    return _joined(*told, f"{cpu.online} threads" if cpu.smt else "no SMT")


def _cache(one: Cache) -> str:
    size = f"{one.size_kib / 1024:g} MiB" if one.size_kib >= 1024 else f"{one.size_kib} KiB"
    return f"{one.name} {size} x {one.count}" + (f" ({one.threads} threads each)" if one.threads > 1 else "")


def _disk(disk: Disk) -> str:
    kind = ", rotating" if disk.rotates else ""
    return f"{disk.name} {disk.model or 'without a name'}, {disk.size_bytes / 1e9:.0f} GB{kind}"


def _frequency(cpu: CpuFacts) -> str:
    known = (("base", cpu.base_mhz), ("least", cpu.min_mhz), ("most", cpu.max_mhz))
    words = [f"{name} {value:.0f}" for name, value in known if value is not None]
    if cpu.now_mhz:
        low, high = min(cpu.now_mhz), max(cpu.now_mhz)
        words.append(f"now {low:.0f}" if round(low) == round(high) else f"now {low:.0f} to {high:.0f}")
    if cpu.boost is not None:
        words.append(f"boost {'on' if cpu.boost else 'off'}")
    return f"{_joined(*words)} (MHz)" if words else ""


def _channels(board: Board) -> Iterator[str]:
    if board.slots:
        yield f"{len(board.dimms)} of {board.slots} slots"
    if board.channels is not None:
        yield f"{board.channels} channel{'s' if board.channels > 1 else ''}"


def card_parts(facts: Facts) -> tuple[InspectionTable, ...]:
    """The cards with their links, what their ports need of them, and their interfaces."""
    hops = ((card, card.narrowest) for card in facts.cards if card.has_budget and card.ports_bps)
    budgets = _part("PCIe budgets", _BUDGETS, ((card, hop) for card, hop in hops if hop is not None))
    interfaces = _part("Interfaces", _INTERFACES, _interfaces(facts))
    known = tuple(row for row in interfaces.rows if set(row[1:]) != {NOTHING})
    return _part("Network cards", _CARDS, facts.cards), budgets, dataclasses.replace(interfaces, rows=known)


def _part(title: str, columns: Columns[ARow], rows: Iterable[ARow]) -> InspectionTable:
    table = grid(title, columns, rows)
    return InspectionTable(title, table.headings, table.rows)


_CARDS: Columns[NicCard] = {
    "Card": lambda card: card.address,
    "Name": lambda card: card.name,
    "Driver": lambda card: ", ".join(card.drivers),
    "Ports": lambda card: ports_text(card.ports_bps) or NOTHING,
    "Link now": lambda card: str(card.now or NOTHING),
    "Own link": lambda card: str(card.most or NOTHING),
    "Narrowest hop": lambda card: f"{card.narrowest.link} at {card.narrowest.at}" if card.narrowest else NOTHING,
    "NUMA": lambda card: NOTHING if card.node is None else str(card.node),
}


def _need(frame_bytes: int, line: tuple[NicCard, Hop]) -> str:
    card, device = line[0], line[0].functions[0]
    return f"{need(card.ports_bps, frame_bytes, device.payload_bytes, device.read_bytes).gbps:.1f} Gb/s"


def _most(frame_bytes: int, line: tuple[NicCard, Hop]) -> str:
    device = line[0].functions[0]
    low, high = ceiling_pps(line[1].link, frame_bytes, device.payload_bytes, device.read_bytes)
    return f"{format_si(low, 'pps')} to {format_si(high, 'pps')}"


_BUDGETS: Columns[tuple[NicCard, Hop]] = {
    "Card": lambda line: line[0].address,
    "Narrowest": lambda line: str(line[1].link),
    "Coded": lambda line: f"{coded_gbps(line[1].link):.1f} Gb/s",
    "TLPs": lambda line: f"{carried_gbps(line[1].link, line[0].functions[0].payload_bytes):.1f} Gb/s",
    **{f"Need {frame}b": partial(_need, frame) for frame in FRAMES},
    **{f"Most {frame}b": partial(_most, frame) for frame in FRAMES},
}


def _link(interface: LinuxInterface) -> str:
    speed = format_speed(interface.speed_bps) if interface.speed_bps else "unknown speed"
    return {True: speed, False: "no link", None: NOTHING}[interface.has_link]


def _of(now: int | None, most: int | None) -> str:
    return NOTHING if now is None else f"{now} of {most}" if most else str(now)


_INTERFACES: Columns[LinuxInterface] = {
    "Interface": lambda one: one.name,
    "Card": lambda one: one.address or NOTHING,
    "Driver": lambda one: one.driver or NOTHING,
    "Firmware": lambda one: one.firmware if one.firmware not in ("", "N/A") else NOTHING,
    "Link": _link,
    "Queues": lambda one: _of(one.queues, one.most_queues),
    "RX ring": lambda one: _of(one.rx_ring, one.most_rx_ring),
    "TX ring": lambda one: _of(one.tx_ring, one.most_tx_ring),
    "Offloads": lambda one: ", ".join(one.offloads) or NOTHING,
}


def _lanes(show: Callable[[Lane], str]) -> Callable[[OpticalModule], str]:
    """The lanes of a module side by side."""
    return lambda module: "; ".join(map(show, module.diagnostics.lanes if module.diagnostics else ())) or NOTHING


MODULE: Columns[OpticalModule] = {
    "Vendor": lambda module: module.vendor,
    "Part": lambda module: " ".join(filter(None, (module.part, module.revision))),
    "Serial": lambda module: module.serial,
    "Type": lambda module: " ".join((module.kind, *module.compliance, module.connector)),
    "Wavelength": lambda module: NOTHING if module.wavelength_nm is None else f"{module.wavelength_nm:g} nm",
    "Reach": lambda module: ", ".join(f"{far} m {medium}" for medium, far in module.reaches.items()) or NOTHING,
    "Temp": lambda module: f"{module.diagnostics.temperature_c:.1f} C" if module.diagnostics else NOTHING,
    "Vcc": lambda module: f"{module.diagnostics.voltage_v:.3f} V" if module.diagnostics else NOTHING,
    "Bias": _lanes(lambda lane: NOTHING if lane.bias_ma is None else f"{lane.bias_ma:.2f} mA"),
    "TX": _lanes(lambda lane: power_text(lane.tx_mw)),
    "RX": _lanes(lambda lane: power_text(lane.rx_mw)),
}


def module_part(interfaces: Sequence[LinuxInterface]) -> InspectionTable:
    """The modules with what they measure, a row a module."""
    rows = tuple((one.name, *module_cells(one.module)) for one in interfaces if one.module is not None)
    return InspectionTable("Modules", ("Interface", *MODULE), rows)


def module_cells(module: OpticalModule) -> tuple[str, ...]:
    return tuple(text(module) for text in MODULE.values())


def as_text(inspection: Inspection) -> Iterator[str]:
    """The lines for a terminal: marks come first, since they are what one looks for."""
    yield f"{inspection.machine}, {inspection.taken}"
    if inspection.marks:
        yield ""
        yield "Problems found"
        yield from (f"  {harmless(f'{mark.subject}: {mark.text}')}" for mark in inspection.marks)
    if inspection.missing:
        yield ""
        yield "What could not be read"
        yield from (f"  {line}" for line in inspection.missing)
    for part in inspection.parts:
        yield ""
        yield part.title
        yield from columns(part)
    for line in _cautions(inspection):
        yield ""
        yield line


def _cautions(found: Inspection) -> Iterator[str]:
    """Parts of it that were tested on recorded texts only."""
    for part in found.parts:
        if said := caution(_SUBJECTS.get(part.title, "")):
            yield f"Note: {said}."


def columns(part: InspectionTable) -> Iterator[str]:
    """A table for a terminal, its columns as wide as what they hold; one of two columns has no headings."""
    lines = ([] if len(part.headings) == 2 else [part.headings]) + list(part.rows)
    yield from (f"  {line}" for line in in_columns([harmless(cell) for cell in line] for line in lines))


def as_markdown(inspection: Inspection) -> Iterator[str]:
    """The tables as Markdown."""
    yield f"# {inspection.machine}, {inspection.taken}"
    for heading, lines in (
        ("Problems found", [f"{mark.subject}: {mark.text}" for mark in inspection.marks]),
        ("What could not be read", list(inspection.missing)),
    ):
        if lines:
            yield from ("", f"## {heading}", "", *(f"- {line}" for line in lines))
    for part in inspection.parts:
        yield from ("", f"## {part.title}", "", markdown_of(part).rstrip("\n"))
    yield from (line for caution_line in _cautions(inspection) for line in ("", caution_line))


def markdown_of(part: InspectionTable) -> str:
    return aligned([part.headings, *part.rows], ())
