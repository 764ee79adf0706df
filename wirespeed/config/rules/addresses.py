"""Addresses: each in its shortest form, and each network on one interface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_interface

from wirespeed.config.lookup import Lookup
from wirespeed.config.state import InterfaceType
from wirespeed.findings import FileFinding, Path


@dataclass(frozen=True, slots=True)
class _Given:
    version: int
    first: int
    length: int
    last: int
    address: str
    interface: str
    path: Path


def _given(lookup: Lookup) -> Iterator[_Given]:
    for face in lookup.faces.values():
        for place, address in enumerate(face.addresses):
            parsed = ip_interface(address)
            first = int(parsed.network.network_address)
            last = first | int(parsed.network.hostmask)
            path = (*face.path, "addresses", place)
            yield _Given(parsed.version, first, parsed.network.prefixlen, last, address, face.name, path)


def address_is_canonical(lookup: Lookup) -> Iterator[FileFinding]:
    for face in lookup.faces.values():
        for place, address in enumerate(face.addresses):
            if (canonical := str(ip_interface(address))) != address:
                path = (*face.path, "addresses", place)
                yield FileFinding(path, f"{address} is not written in its canonical form", f"write {canonical}")


def address_is_on_one_interface(lookup: Lookup) -> Iterator[FileFinding]:
    """Networks that contain one another follow each other in order, the larger first."""
    within: list[_Given] = []
    order = sorted(_given(lookup), key=lambda address: (address.version, address.first, address.length))
    for here in order:
        while within and (within[-1].version != here.version or within[-1].last < here.first):
            within.pop()
        other = next((other for other in reversed(within) if _clash(here, other)), None)
        if other is not None:
            where = "this interface" if other.interface == here.interface else other.interface
            message = f"the network of {here.address} overlaps that of {other.address} on {where}"
            yield FileFinding(here.path, message, "give each interface a network of its own")
        # One of a kind is enough, so that thousands of the same are not compared with each other.
        if not within or (within[-1].length, within[-1].interface) != (here.length, here.interface):
            within.append(here)


def _clash(one: _Given, other: _Given) -> bool:
    return one.interface != other.interface or one.length != other.length


def address_is_given_once(lookup: Lookup) -> Iterator[FileFinding]:
    for face in lookup.faces.values():
        for place, address in enumerate(face.addresses):
            if address in face.addresses[:place]:
                yield FileFinding(
                    (*face.path, "addresses", place), f"{address} stands here twice", "keep one of the two"
                )


def tap_has_no_address(lookup: Lookup) -> Iterator[FileFinding]:
    for face in lookup.faces.values():
        if face.kind is InterfaceType.TAP and face.addresses:
            message = f"{face.name} is a TAP with address {face.addresses[0]}"
            yield FileFinding((*face.path, "addresses"), message, "give Linux's end the address, or use a BVI")


RULES = (address_is_canonical, address_is_on_one_interface, address_is_given_once, tap_has_no_address)
