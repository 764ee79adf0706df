"""A configuration by its names: the type of each interface, its parent, and the references to it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.config.schema import BridgeDomainSection, Config, SubInterfaceSection
from wirespeed.config.state import Encapsulation, InterfaceType
from wirespeed.findings import Path

_KINDS = (
    (re.compile(r"BondEthernet\d+"), InterfaceType.BOND, "bondethernets"),
    (re.compile(r"loop\d+"), InterfaceType.LOOPBACK, "loopbacks"),
    (re.compile(r"tap\d+"), InterfaceType.TAP, "taps"),
    (re.compile(r"vxlan_tunnel\d+"), InterfaceType.VXLAN, "vxlan_tunnels"),
)


def kind_of(name: str) -> tuple[InterfaceType, str]:
    """Type of an interface by its name, and the section that defines it; any other name is a port."""
    return next(
        ((kind, section) for form, kind, section in _KINDS if form.fullmatch(name)), (InterfaceType.PORT, "interfaces")
    )


def instance_of(name: str) -> int:
    """The number that a name of `loopN` and its like ends with."""
    found = re.search(r"\d+$", name)
    return int(found[0]) if found else 0


@dataclass(frozen=True, slots=True)
class Face:
    """An interface, sub-interface or loopback of the configuration, with its defaults filled in; `path` is where it
    stands."""

    name: str
    path: Path
    kind: InterfaceType
    mtu: int
    mac: str | None = None
    addresses: tuple[str, ...] = ()
    unnumbered: str | None = None
    lcp: str | None = None
    l2xc: str | None = None
    up: bool = True
    mpls: bool = False
    sflow: bool = False
    device_type: str | None = None
    parent: str | None = None
    sub_id: int = 0
    encapsulation: Encapsulation | None = None
    sub: SubInterfaceSection | None = None
    subs: tuple[str, ...] = ()


class Lookup:
    """All faces by name, in the order of the file; references by the name that they refer to."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.faces: dict[str, Face] = {}
        self._single_tags: dict[tuple[str, int, bool], Face] = {}
        self._add_faces()
        self.bridges_of: dict[str, list[str]] = defaultdict(list)
        self.bvi_of: dict[str, list[str]] = defaultdict(list)
        self.bonds_of: dict[str, list[str]] = defaultdict(list)
        self.xconnects_to: dict[str, list[str]] = defaultdict(list)
        self._add_references()

    def _add_faces(self) -> None:
        for name, section in self.config.interfaces.items():
            face = Face(
                name,
                ("interfaces", name),
                kind_of(name)[0],
                section.mtu,
                section.mac,
                tuple(section.addresses),
                section.unnumbered,
                section.lcp,
                section.l2xc,
                section.state == "up",
                section.mpls,
                section.sflow,
                section.device_type,
                subs=tuple(f"{name}.{ident}" for ident in section.sub_interfaces),
            )
            self.faces[name] = face
            for ident, sub in section.sub_interfaces.items():
                self._add_sub(face, ident, SubInterfaceSection() if sub is None else sub)
        for name, loop in self.config.loopbacks.items():
            path = ("loopbacks", name)
            self.faces[name] = Face(
                name,
                path,
                InterfaceType.LOOPBACK,
                loop.mtu,
                loop.mac,
                tuple(loop.addresses),
                loop.unnumbered,
                loop.lcp,
                mpls=loop.mpls,
            )

    def _add_sub(self, parent: Face, ident: int, sub: SubInterfaceSection) -> None:
        own = encapsulation_of(ident, sub)
        face = Face(
            f"{parent.name}.{ident}",
            (*parent.path, "sub-interfaces", ident),
            InterfaceType.SUB,
            parent.mtu if sub.mtu is None else sub.mtu,
            None,
            tuple(sub.addresses),
            sub.unnumbered,
            sub.lcp,
            sub.l2xc,
            sub.state == "up",
            sub.mpls,
            parent=parent.name,
            sub_id=ident,
            encapsulation=own,
            sub=sub,
        )
        self.faces[face.name] = face
        key = (parent.name, own.outer, own.dot1ad)
        if not own.inner and (own.exact or key not in self._single_tags):
            self._single_tags[key] = face

    def _add_references(self) -> None:
        for name, domain in self.config.bridgedomains.items():
            for member in domain.interfaces:
                self.bridges_of[member].append(name)
            if domain.bvi is not None:
                self.bvi_of[domain.bvi].append(name)
        for name, bond in self.config.bondethernets.items():
            for member in bond.interfaces:
                self.bonds_of[member].append(name)
        for face in self.faces.values():
            if face.l2xc is not None:
                self.xconnects_to[face.l2xc].append(face.name)

    def is_known(self, name: str) -> bool:
        """True if there will be an interface of this name: taps and tunnels need no entry among the interfaces."""
        return name in self.faces or name in self.config.taps or name in self.config.vxlan_tunnels

    def mtu(self, name: str) -> int:
        """The value of a known interface; the default for a tap or tunnel without an entry."""
        if name in self.faces:
            return self.faces[name].mtu
        tap = self.config.taps.get(name)
        return tap.host.mtu or 1500 if tap else 1500

    def bridges(self) -> Iterator[tuple[str, BridgeDomainSection]]:
        return iter(self.config.bridgedomains.items())

    def intermediate(self, face: Face) -> Face | None:
        """The sub-interface of the outer tag alone, for a sub-interface with two tags; if there are two, the one with
        exact match. None without one."""
        own = face.encapsulation
        if own is None or not own.inner or face.parent is None:
            return None
        return self._single_tags.get((face.parent, own.outer, own.dot1ad))

    def mode(self, name: str) -> str:
        """Layer 2 role of an interface, in words; "" if it routes. A BVI routes."""
        if name in self.bridges_of:
            return f"in bridge domain {self.bridges_of[name][0]}"
        if name in self.faces and self.faces[name].l2xc is not None:
            return f"cross-connected to {self.faces[name].l2xc}"
        return f"the target of l2xc of {self.xconnects_to[name][0]}" if name in self.xconnects_to else ""


def encapsulation_of(ident: int, sub: SubInterfaceSection) -> Encapsulation:
    """Frames that a sub-interface takes: without the block, those with exactly one tag, its id."""
    encapsulation = sub.encapsulation
    if encapsulation is None:
        return Encapsulation(ident)
    outer = encapsulation.dot1q or encapsulation.dot1ad or 0
    return Encapsulation(
        outer, encapsulation.inner_dot1q or 0, encapsulation.dot1ad is not None, encapsulation.exact_match
    )
