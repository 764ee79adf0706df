"""Interfaces as such: what defines them, MAC addresses, device types."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.config.lookup import Lookup, instance_of, kind_of
from wirespeed.config.rules._instances import instances_above
from wirespeed.config.state import InterfaceType
from wirespeed.findings import FileFinding, Path

_MOST_LOOPBACK = 4095
_DEFINES = {
    InterfaceType.BOND: "bond",
    InterfaceType.TAP: "TAP",
    InterfaceType.VXLAN: "tunnel",
    InterfaceType.LOOPBACK: "loopback",
}


def interface_is_defined(lookup: Lookup) -> Iterator[FileFinding]:
    """A name such as tap0 belongs to something that its own section makes."""
    for name in lookup.config.interfaces:
        kind, section = kind_of(name)
        if kind is InterfaceType.LOOPBACK:
            message = f"{name} is a loopback's name, and those are not members of this section"
            yield FileFinding(("interfaces", name), message, f"move it to loopbacks.{name}")
        elif kind is not InterfaceType.PORT and name not in getattr(lookup.config, section):
            message = f"there is no {_DEFINES[kind]} {name} in {section}"
            yield FileFinding(("interfaces", name), message, f"add {section}.{name}, or take this out")


def interface_name_is_plain(lookup: Lookup) -> Iterator[FileFinding]:
    """It becomes a word of a command line, and the name of a sub-interface goes on after a dot."""
    for name in lookup.config.interfaces:
        if not name.isprintable() or any(letter.isspace() for letter in name) or len(name) > 63:
            message = f"{name!r} is not an interface's name"
            yield FileFinding(("interfaces", name), message, "names have at most 63 letters and no spaces")
        elif name.partition(".")[0] in lookup.config.interfaces and "." in name:
            message = f"{name} is the name of a sub-interface of {name.partition('.')[0]}"
            yield FileFinding(("interfaces", name), message, "move it to that one's sub-interfaces")


def mac_is_unicast(lookup: Lookup) -> Iterator[FileFinding]:
    macs: list[tuple[Path, str | None]] = [((*face.path, "mac"), face.mac) for face in lookup.faces.values()]
    macs += [(("bondethernets", name, "mac"), bond.mac) for name, bond in lookup.config.bondethernets.items()]
    macs += [(("taps", name, "host", "mac"), tap.host.mac) for name, tap in lookup.config.taps.items()]
    for path, mac in macs:
        if mac is not None and int(mac[:2], 16) & 1:
            yield FileFinding(path, f"{mac} is a group's address", "give one whose first byte is even, such as 02:…")


def bond_mac_is_in_its_section(lookup: Lookup) -> Iterator[FileFinding]:
    for face in lookup.faces.values():
        if face.kind is InterfaceType.BOND and face.mac is not None:
            yield FileFinding(
                (*face.path, "mac"), f"{face.name} is a bond", f"move it to bondethernets.{face.name}.mac"
            )


def device_type_is_of_a_port(lookup: Lookup) -> Iterator[FileFinding]:
    for face in lookup.faces.values():
        if face.device_type is not None and face.kind is not InterfaceType.PORT:
            message = f"{face.name} is a {face.kind}, and device-type is for ports"
            yield FileFinding((*face.path, "device-type"), message, "leave it out")


def sflow_is_of_a_port(lookup: Lookup) -> Iterator[FileFinding]:
    """The plugin samples hardware only; a bond's packets are those of its members."""
    for face in lookup.faces.values():
        if face.sflow and face.kind is not InterfaceType.PORT:
            message = f"{face.name} is a {face.kind}, and sflow samples ports"
            yield FileFinding((*face.path, "sflow"), message, "set it on the ports below")


def loopback_instance(lookup: Lookup) -> Iterator[FileFinding]:
    return instances_above(_MOST_LOOPBACK, "loopbacks", lookup.config.loopbacks)


def name_has_one_form(lookup: Lookup) -> Iterator[FileFinding]:
    """loop01 and loop1 would be one interface."""
    for section in ("bondethernets", "loopbacks", "bridgedomains", "vxlan_tunnels", "taps"):
        for name in getattr(lookup.config, section):
            stem = name.rstrip("0123456789")
            if name != f"{stem}{instance_of(name)}":
                yield FileFinding((section, name), f"{name} has zeros in front", f"write {stem}{instance_of(name)}")


RULES = (
    interface_is_defined,
    interface_name_is_plain,
    mac_is_unicast,
    bond_mac_is_in_its_section,
    device_type_is_of_a_port,
    sflow_is_of_a_port,
    loopback_instance,
    name_has_one_form,
)
