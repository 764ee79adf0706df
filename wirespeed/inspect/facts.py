"""All known facts about a machine's hardware as values, made from the machine's answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wirespeed.errors import UsageError
from wirespeed.inspect.board import Board, Disk, board_of, disks_of, dmi_is_hidden
from wirespeed.inspect.budget import carried_gbps
from wirespeed.inspect.cpu import CpuFacts, cpu_of
from wirespeed.inspect.known_nics import KNOWN, VIRTUAL_VENDORS
from wirespeed.inspect.nic import LinuxInterface, interface_of
from wirespeed.inspect.pci import (
    ACCELERATORS,
    LimitSaid,
    LinkSpeed,
    PciDevice,
    merged,
    parse_dmesg,
    parse_lspci,
    parse_sysfs,
    path_to_root,
)
from wirespeed.inspect.transcript import Transcript, section, text

_OF_DRIVERS = {"igb": 1e9, "e1000e": 1e9, "igc": 2.5e9, "ixgbe": 10e9}
"""A port's speed where only its driver is known."""


@dataclass(frozen=True)
class Hop:
    """The narrowest link on the way to the root, and the device that said so."""

    link: LinkSpeed
    at: str


@dataclass(frozen=True)
class NicCard:
    """Functions that share one link: `ports_bps` are the line rates of all ports behind it, `has_budget` says whether
    a link limits them at all, which it does not of virtual devices and those within a processor."""

    address: str
    name: str
    functions: tuple[PciDevice, ...]
    interfaces: tuple[LinuxInterface, ...]
    ports_bps: tuple[float, ...]
    path: tuple[PciDevice, ...]
    narrowest: Hop | None
    has_budget: bool
    said: LimitSaid | None = None

    @property
    def now(self) -> LinkSpeed | None:
        return self.functions[0].now

    @property
    def most(self) -> LinkSpeed | None:
        return self.functions[0].most

    @property
    def node(self) -> int | None:
        return self.functions[0].node

    @property
    def drivers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.driver or "none" for one in self.functions))


@dataclass(frozen=True)
class Facts:
    """A machine. `missing` says what could not be asked, why, and what to do."""

    name: str
    cpu: CpuFacts
    board: Board
    disks: tuple[Disk, ...]
    cards: tuple[NicCard, ...]
    accelerators: tuple[PciDevice, ...]
    missing: tuple[str, ...] = ()
    kernel: str = ""
    interfaces: tuple[LinuxInterface, ...] = field(default_factory=tuple)


def facts_of(name: str, transcript: Transcript, ports: Mapping[str, Sequence[float]] | None = None) -> Facts:
    """Facts from the answers. `ports` are line rates of a card's ports by its address, given by the user."""
    devices = merged(parse_sysfs(text(transcript, "pci")), parse_lspci(text(transcript, "lspci")))
    said = parse_dmesg(section(transcript, "dmesg").text)
    for address, limit in said.items():
        devices.setdefault(address, _of_limit(limit, section(transcript, "dmesg").text))
    names = dict.fromkeys(key.rpartition(" ")[2] for key in transcript if key.startswith("ethtool "))
    interfaces = {one: interface_of(one, transcript) for one in names}
    grouped: dict[str, list[PciDevice]] = defaultdict(list)
    for device in devices.values():
        if device.is_ethernet:
            grouped[device.card].append(device)
    cards = tuple(_card(key, found, devices, interfaces, said, ports or {}) for key, found in sorted(grouped.items()))
    on_cards = {one.name for card in cards for one in card.interfaces}
    return Facts(
        name=name,
        cpu=cpu_of(transcript),
        board=board_of(transcript),
        disks=disks_of(transcript),
        cards=cards,
        accelerators=tuple(device for device in devices.values() if device.class_code in ACCELERATORS),
        missing=tuple(_missing(transcript, devices)),
        kernel=text(transcript, "uname").strip(),
        interfaces=tuple(one for one in interfaces.values() if one.name not in on_cards),
    )


def check_cards(facts: Facts, ports: Mapping[str, Sequence[float]]) -> None:
    """UsageError if `ports` names a card that the machine does not have."""
    for given in ports:
        if not any(given in (card.address, card.address.partition(":")[2]) for card in facts.cards):
            there = ", ".join(card.address for card in facts.cards) or "none"
            raise UsageError(f"--ports {given}: there is no such card; there are {there}")


def _of_limit(limit: LimitSaid, dmesg: str) -> PciDevice:
    """A network device known only from a message of its driver."""
    at = dmesg.find(f" {limit.address}")
    driver = dmesg[:at].rpartition("\n")[2].rpartition(" ")[2]
    return PciDevice(limit.address, class_code="0200", driver=driver, now=limit.now, most=limit.most)


def _card(
    address: str,
    functions: Sequence[PciDevice],
    devices: Mapping[str, PciDevice],
    interfaces: Mapping[str, LinuxInterface],
    said: Mapping[str, LimitSaid],
    ports: Mapping[str, Sequence[float]],
) -> NicCard:
    first = functions[0]
    own = tuple(
        one
        for device in functions
        for one in interfaces.values()
        if one.name in device.interfaces or one.address == device.address
    )
    path = path_to_root(devices, first.address)
    known = KNOWN.get(first.ids)
    is_virtual = first.ids.partition(":")[0] in VIRTUAL_VENDORS
    speeds = ports.get(address) or ports.get(address.partition(":")[2])
    return NicCard(
        address=address,
        name=known.name if known else first.name or first.ids or first.driver,
        functions=tuple(functions),
        interfaces=own,
        ports_bps=tuple(speeds) if speeds else tuple(_ports(functions, own)),
        path=path,
        narrowest=_narrowest(path, said.get(first.address)),
        has_budget=not is_virtual and not (known is not None and known.on_die),
        said=said.get(first.address),
    )


def _ports(functions: Sequence[PciDevice], interfaces: Sequence[LinuxInterface]) -> Iterator[float]:
    """Line rates of the ports: what the interface can, else what the chip is known for."""
    for device in functions:
        own = [one for one in interfaces if one.name in device.interfaces or one.address == device.address]
        speeds = [speed for one in own if (speed := one.most_bps or one.speed_bps)]
        known = KNOWN.get(device.ids)
        if known is not None:
            yield from (speeds if len(speeds) == known.ports else [known.speed_bps] * known.ports)
        elif speeds:
            yield from speeds
        elif device.driver in _OF_DRIVERS:
            yield _OF_DRIVERS[device.driver]


def _narrowest(path: Sequence[PciDevice], said: LimitSaid | None) -> Hop | None:
    hops = [Hop(device.now, device.address) for device in path if device.now is not None]
    if said is not None and said.now is not None:
        hops.insert(0, Hop(said.now, said.at or said.address))
    return min(hops, key=lambda hop: carried_gbps(hop.link), default=None)


def _missing(transcript: Transcript, devices: Mapping[str, PciDevice]) -> Iterator[str]:
    for program, package, of in (
        ("lspci", "pciutils", "names of devices, payload sizes and ASPM"),
        ("dmidecode", "dmidecode", "memory modules and their speed"),
    ):
        if section(transcript, program).is_missing:
            yield f"{of} are not known: {program} is not installed; apt-get install {package}"
    if dmi_is_hidden(transcript):
        yield "memory modules and their speed are not known: dmidecode needs root; run this with sudo"
    denied = [device.address for device in devices.values() if device.denied]
    if denied:
        yield (
            f"links and payload sizes of {len(denied)} PCI devices are hidden by lspci, which shows capabilities to "
            "root only; run this (or lspci -vv) with sudo"
        )
    asked = [found for key, found in transcript.items() if key.startswith("ethtool")]
    if asked and all(found.is_missing for found in asked):
        yield "drivers, queues, rings and modules are not known: ethtool is not installed; apt-get install ethtool"
    if any("Operation not permitted" in found.text for found in asked):
        yield "modules cannot be read: ethtool -m needs root; run this with sudo"
    if "Operation not permitted" in section(transcript, "dmesg").text:
        yield "what drivers said of their links is not known: dmesg needs root; run this with sudo"
