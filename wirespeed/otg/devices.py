"""Emulated devices: the hosts that ports stand for, and the ends of flows between them. Pure.

A host is one address; an ethernet with several is several hosts of one MAC address.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from wirespeed.errors import UsageError
from wirespeed.model import parse_mac
from wirespeed.otg.faults import ModelFault
from wirespeed.otg.flow_model import TxRxDevice
from wirespeed.otg.model import Ethernet, GatewayMac, Ipv4, Ipv6, OtgDevice
from wirespeed.otg.packets import Ends
from wirespeed.otg.patterns import Json

_TAG_TYPES = {"x8100": 0x8100, "x88A8": 0x88A8}


@dataclass(frozen=True)
class EmulatedHost:
    """`names` are those that flows refer to: of its address and of its ethernet. `gateway_mac` is empty if it is
    resolved. `vlan` has id, priority and type of each tag, outermost first."""

    names: tuple[str, str]
    port: int
    mac: str
    address: IPv4Address | IPv6Address
    gateway: IPv4Address | IPv6Address
    gateway_mac: str
    vlan: tuple[tuple[int, int, int], ...]

    @property
    def ethernet(self) -> str:
        return self.names[1]

    @property
    def version(self) -> int:
        return self.address.version

    def to_json(self) -> Json:
        """The host in the format of `set_emulated_hosts`."""
        tags = [dict(zip(("id", "priority", "type"), tag, strict=True)) for tag in self.vlan]
        texts = {"mac": self.mac, "address": str(self.address), "gateway": str(self.gateway)}
        return texts | {"gateway_mac": self.gateway_mac, "vlan": tags}


def read_hosts(devices: Sequence[OtgDevice], ports: dict[str, int]) -> Iterator[EmulatedHost]:
    """ModelFault for an invalid device. `ports` are those of the configuration, by name."""
    seen: dict[tuple[object, ...], str] = {}
    for number, device in enumerate(devices):
        for place, ethernet in enumerate(device.ethernets):
            path = f"devices[{number}].ethernets[{place}]"
            for host, where in _ethernet_hosts(path, ethernet, ports):
                key = (host.port, host.vlan, host.address)
                if key in seen:
                    raise ModelFault(f"{where}.address", f"{host.address} is already the address of {seen[key]}")
                seen[key] = where
                yield host


def _ethernet_hosts(path: str, ethernet: Ethernet, ports: dict[str, int]) -> Iterator[tuple[EmulatedHost, str]]:
    name = ethernet.connection.port_name
    if name not in ports:
        raise ModelFault(f"{path}.connection.port_name", f"there is no {name[:60]!r}; there is {', '.join(ports)}")
    if ethernet.mac is None:
        raise ModelFault(f"{path}.mac", "is missing; give six hex bytes such as 02:00:00:00:00:01")
    mac = _mac(f"{path}.mac", ethernet.mac)
    vlan = tuple((tag.id, tag.priority, _TAG_TYPES[tag.tpid]) for tag in ethernet.vlans)
    kinds: tuple[tuple[str, tuple[Ipv4 | Ipv6, ...]], ...] = (
        ("ipv4", ethernet.ipv4_addresses),
        ("ipv6", ethernet.ipv6_addresses),
    )
    for kind, addresses in kinds:
        for place, address in enumerate(addresses):
            where = f"{path}.{kind}_addresses[{place}]"
            found = _gateway_mac(where, address.gateway_mac)
            names = (address.name, ethernet.name)
            yield EmulatedHost(names, ports[name], mac, address.address, address.gateway, found, vlan), where


def _gateway_mac(path: str, given: GatewayMac) -> str:
    return "" if given.choice == "auto" else _mac(f"{path}.gateway_mac.value", given.value)


def _mac(path: str, text: str) -> str:
    try:
        return parse_mac(text)
    except UsageError as error:
        raise ModelFault(path, str(error)) from None


@dataclass(frozen=True)
class Between:
    """The hosts of one way that packets of a flow take."""

    tx: EmulatedHost
    rx: EmulatedHost

    def ends(self, gateway_mac: str) -> Ends:
        return Ends(self.tx.mac, gateway_mac, self.tx.address, self.rx.address)


def read_ends(path: str, device: TxRxDevice, hosts: list[EmulatedHost], version: int | None) -> list[Between]:
    """The ways of a flow, in the order in which they are taken; `version` is that of its packets' IP header. ModelFault
    where names mean nothing, or the flow would begin at several ports."""
    senders = [_host(f"{path}.tx_names", name, hosts, version) for name in device.tx_names]
    receivers = [_host(f"{path}.rx_names", name, hosts, version) for name in device.rx_names]
    if len({host.port for host in senders}) > 1:
        raise ModelFault(f"{path}.tx_names", "are on several ports; give each port a flow of its own")
    if device.mode == "one_to_one" and len(senders) != len(receivers):
        text = f"has {len(senders)} tx_names and {len(receivers)} rx_names; one_to_one takes as many of both"
        raise ModelFault(f"{path}.mode", text)
    pairs = itertools.product(senders, receivers) if device.mode == "mesh" else zip(senders, receivers, strict=True)
    ways = [Between(tx, rx) for tx, rx in pairs]
    if any(way.tx is way.rx for way in ways):
        raise ModelFault(f"{path}.rx_names", "contains the sender; leave it out of the receivers")
    return ways


def _host(path: str, name: str, hosts: list[EmulatedHost], version: int | None) -> EmulatedHost:
    """The interface of the name; for an ethernet the first address of the packets' kind."""
    named = [host for host in hosts if name in host.names]
    match = next((host for host in named if version in (None, host.version)), None)
    if match is None:
        known = ", ".join(dict.fromkeys(one for host in hosts for one in host.names)) or "none"
        text = f"{name[:60]!r} has no IPv{version} address" if named else f"there is no {name[:60]!r}; there is {known}"
        raise ModelFault(path, text)
    return match
