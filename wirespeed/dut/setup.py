"""Desired state of a device under test for a measurement, as a value that `dut prepare` establishes."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from typing import Literal

from wirespeed.errors import UsageError

Mode = Literal["ip4", "ip6", "l2xc", "mpls"]
Rules = Literal["", "off", "nat", "nat66", "stateful", "forward"]
"""Packet filter of a device: as it is; off; source NAT of IPv4 or IPv6, states without translation, port forwards, each
with a filter that lets in what belongs to a state."""
STATEFUL: tuple[Rules, ...] = ("nat", "nat66", "stateful", "forward")

ROUTES = {"ip4": ("16.0.0.0/8", "48.0.0.0/8"), "ip6": ("2001:2::/49", "2001:2:0:8000::/49")}
"""Destinations of the bench profile's packets, by the side that they leave from."""
LABELS = (16, 17)
"""Labels of packets that leave by the second side, and by the first."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}")
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


@dataclass(frozen=True)
class Neighbour:
    """A tester's port on the other end of a wire."""

    address: str
    mac: str


@dataclass(frozen=True)
class DutInterface:
    """An interface of the device on a wire of the tester: its `addresses` with their lengths, and the tester's there.
    `pci` is where VPP finds it."""

    name: str
    addresses: tuple[str, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    pci: str = ""


@dataclass(frozen=True)
class DutRoute:
    """`prefix` by way of the address `via`, which is the tester's on `interface`."""

    prefix: str
    via: str
    interface: str


@dataclass(frozen=True)
class DutLabel:
    """Packets with the MPLS label `label`, the last one, are sent without it to `via` on `interface`."""

    label: int
    via: str
    interface: str


@dataclass(frozen=True)
class FilterOptions:
    """The packet filter and its state table; None leaves a setting as it is. `states` are the entries that the table
    holds at most (VPP: sessions of each worker), in `buckets` hash chains. UDP flows end after `timeout_s`, answered or
    not."""

    rules: Rules = ""
    states: int | None = None
    buckets: int | None = None
    timeout_s: int | None = None


_FILTER_AS_IT_IS = FilterOptions()


@dataclass(frozen=True)
class DutOptions:
    """Further settings of the device; None leaves a setting as it is. `cpus` are those of its interrupts or workers,
    `table_by` is the program that loads a full table, empty for the kind's own method."""

    queues: int | None = None
    rx_descriptors: int | None = None
    tx_descriptors: int | None = None
    workers: int | None = None
    cpus: tuple[int, ...] = ()
    driver: str = ""
    devargs: str = ""
    filter: FilterOptions = _FILTER_AS_IT_IS
    governor: str = ""
    turbo: bool | None = None
    sysctls: dict[str, str] = field(default_factory=dict)
    table_by: Literal["", "bird"] = ""


@dataclass(frozen=True)
class DutSetup:
    """The whole of it. `table` are prefixes of a full table, dealt to the two sides in turn."""

    mode: Mode
    interfaces: tuple[DutInterface, ...]
    routes: tuple[DutRoute, ...] = ()
    labels: tuple[DutLabel, ...] = ()
    options: DutOptions = DutOptions()
    table: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.interfaces)

    def dealt_table(self) -> list[tuple[str, DutRoute]]:
        """Each prefix of the table with a route of its family to take the way of."""
        ways = {
            version: [route for route in self.routes if ipaddress.ip_network(route.prefix).version == version]
            for version in (4, 6)
        }
        dealt = []
        for index, prefix in enumerate(self.table):
            of_family = ways[6 if ":" in prefix else 4]
            if of_family:
                dealt.append((prefix, of_family[index % len(of_family)]))
        return dealt


_AS_IT_IS = DutOptions()


def default_setup(mode: Mode, interfaces: tuple[DutInterface, ...], options: DutOptions = _AS_IT_IS) -> DutSetup:
    """The articles' setup on two interfaces: 100.64.1.0/30 and 100.64.2.0/30 (or 2001:db8:1::/64 and so on), a route to
    each side, labels 16 and 17. An interface with addresses of its own keeps them."""
    check_interfaces(interfaces)
    if mode == "l2xc":
        bare = tuple(DutInterface(one.name, pci=one.pci) for one in interfaces)
        return DutSetup(mode, bare, options=options)
    family = "ip6" if mode == "ip6" else "ip4"
    filled = tuple(_addressed(one, number, family) for number, one in enumerate(interfaces, start=1))
    ways = [(one.name, one.neighbours[0].address) for one in filled]
    routes = tuple(DutRoute(prefix, via, name) for prefix, (name, via) in zip(ROUTES[family], ways, strict=False))
    labels = tuple(DutLabel(label, via, name) for label, (name, via) in zip(LABELS, reversed(ways), strict=False))
    return DutSetup(mode, filled, routes, labels if mode == "mpls" else (), options)


def _addressed(interface: DutInterface, number: int, family: str) -> DutInterface:
    plain = f"2001:db8:{number}::1/64" if family == "ip6" else f"100.64.{number}.1/30"
    addresses = interface.addresses or (plain,)
    network = ipaddress.ip_interface(addresses[0])
    theirs = str(network.ip + 1)
    neighbours = tuple(Neighbour(near.address or theirs, near.mac) for near in interface.neighbours)
    return DutInterface(interface.name, addresses, neighbours or (Neighbour(theirs, ""),), interface.pci)


def check_setup(setup: DutSetup) -> None:
    """UsageError names what cannot be: two wires to one port, an address that is none, a route to nowhere."""
    check_interfaces(setup.interfaces)
    check_filter(setup)
    for interface in setup.interfaces:
        for address in interface.addresses:
            _checked(ipaddress.ip_interface, address, f"address {address} of {interface.name}", "100.64.1.1/30")
        for near in interface.neighbours:
            _checked(ipaddress.ip_address, near.address, f"tester {near.address} of {interface.name}", "100.64.1.2")
            if near.mac and not _MAC.fullmatch(near.mac.lower()):
                raise UsageError(f"{near.mac} is not a MAC address of the tester; give one such as 02:ee:00:00:01:00")
    for route in setup.routes:
        _checked(ipaddress.ip_network, route.prefix, f"route {route.prefix}", "16.0.0.0/8")
    for name in [route.interface for route in setup.routes] + [label.interface for label in setup.labels]:
        if name not in setup.names:
            raise UsageError(f"a route or label leads to interface {name}; give one of {', '.join(setup.names)}")


def check_table_by(setup: DutSetup, way: str) -> None:
    """UsageError for a way to load a table that this type of device does not have."""
    if setup.options.table_by:
        raise UsageError(
            f"this kind of DUT loads a full table by {way}; --routes-by {setup.options.table_by} is for Linux: "
            "leave it out"
        )


def check_filter(setup: DutSetup) -> None:
    """UsageError for a filter that does not go with what the device forwards."""
    rules = setup.options.filter.rules
    if rules in FILTER_MODES and setup.mode not in FILTER_MODES[rules].split(" or "):
        raise UsageError(f"filter {rules} does not go with mode {setup.mode}; give mode {FILTER_MODES[rules]}")


FILTER_MODES: dict[Rules, str] = {"nat": "ip4", "forward": "ip4", "nat66": "ip6", "stateful": "ip4 or ip6"}
"""Traffic that the device has to forward, by filter."""


def check_filter_of(setup: DutSetup, who: str, rules: tuple[Rules, ...] = (), settings: tuple[str, ...] = ()) -> None:
    """UsageError for a filter or a setting of its state table that this kind of device does not have."""
    asked = setup.options.filter
    unknown = [f"filter {asked.rules}"] if asked.rules and asked.rules not in rules else []
    unknown += [
        name.removesuffix("_s")
        for name in ("states", "buckets", "timeout_s")
        if getattr(asked, name) is not None and name not in settings
    ]
    if unknown:
        has = (
            f"it has {', '.join((*rules, *settings))}" if rules or settings else "prepare Linux, FreeBSD or VPP for it"
        )
        raise UsageError(f"{who} has no {unknown[0]} to prepare; {has}")


def check_interfaces(interfaces: tuple[DutInterface, ...]) -> None:
    names = [one.name for one in interfaces]
    if len(names) < 2 or len(names) % 2:
        raise UsageError(f"a DUT forwards between pairs of interfaces; give an even number, not {len(names)}")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two links end at interface {name}; give each its own interface")
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r} is not an interface name; give one such as eth0")


def _checked(make: object, text: str, what: str, example: str) -> None:
    try:
        make(text)  # type: ignore[operator]
    except ValueError as error:
        raise UsageError(f"{what} is not valid: {error}; give one such as {example}") from None
