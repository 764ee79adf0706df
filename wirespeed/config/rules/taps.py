"""TAPs: interfaces of Linux made for the router."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.config.lookup import Lookup, instance_of
from wirespeed.findings import FileFinding

_MOST_INSTANCE = 1024


def tap_instance(lookup: Lookup) -> Iterator[FileFinding]:
    for name in lookup.config.taps:
        if instance_of(name) > _MOST_INSTANCE:
            yield FileFinding(("taps", name), f"{name} is above tap{_MOST_INSTANCE}", "number it lower")


def tap_host_name_is_unique(lookup: Lookup) -> Iterator[FileFinding]:
    first: dict[str, str] = {}
    for name, tap in lookup.config.taps.items():
        if (other := first.setdefault(tap.host.name, name)) != name:
            message = f"host name {tap.host.name} is that of {other}"
            yield FileFinding(("taps", name, "host", "name"), message, "give it another")


def tap_ring_is_a_power_of_two(lookup: Lookup) -> Iterator[FileFinding]:
    for name, tap in lookup.config.taps.items():
        for key, size in (("rx-ring-size", tap.rx_ring_size), ("tx-ring-size", tap.tx_ring_size)):
            if size & (size - 1):
                near = 1 << size.bit_length() - 1
                fix = f"give {near} or {near << 1}" if near < 32768 else "give 32768"
                yield FileFinding(("taps", name, key), f"{size} is not a power of two", fix)


def tap_creates_what_it_names(lookup: Lookup) -> Iterator[FileFinding]:
    for name, tap in lookup.config.taps.items():
        for create, thing, wanted in (
            ("namespace-create", tap.host.namespace, tap.host.namespace_create),
            ("bridge-create", tap.host.bridge, tap.host.bridge_create),
        ):
            if wanted and thing is None:
                what = create.removesuffix("-create")
                path = ("taps", name, "host", create)
                yield FileFinding(
                    path, f"{create} is set, and no {what} is named", f"give host.{what}, or leave it out"
                )


def tap_mtu(lookup: Lookup) -> Iterator[FileFinding]:
    for name, tap in lookup.config.taps.items():
        face = lookup.faces.get(name)
        if face is not None and tap.host.mtu is not None and tap.host.mtu != face.mtu:
            message = f"{name} has MTU {face.mtu}, its host {tap.host.mtu}"
            yield FileFinding((*face.path, "mtu"), message, "give both the same mtu")


RULES = (tap_instance, tap_host_name_is_unique, tap_ring_is_a_power_of_two, tap_creates_what_it_names, tap_mtu)
