"""A flow's header stack: the packet that it begins with, and the fields that change from packet to packet. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from wirespeed.otg.faults import ModelFault
from wirespeed.otg.headers import HEADERS, SUPPORTED, HeaderField, PacketHeader
from wirespeed.otg.patterns import Json, Pattern, read_pattern
from wirespeed.scapy_layers import Packet, Raw

NOBODY = "00:00:00:00:00:00"


@dataclass(frozen=True)
class PacketField:
    """A field that was given; `bit` counts from the packet's begin."""

    path: str
    bit: int
    bits: int
    pattern: Pattern


@dataclass(frozen=True)
class Layer:
    """One header of the stack at `offset` bytes; `kind` is its name in the model. `own` are the fields that the model
    gave values, by name."""

    kind: str
    path: str
    offset: int
    size_bytes: int
    header: PacketHeader | None
    own: dict[str, PacketField]
    built: Packet

    def with_own(self, own: dict[str, PacketField]) -> Layer:
        """The header with other patterns in its fields."""
        if self.header is None:
            return self
        built = _build(self.header, own)
        if self.kind == "mpls" and "bottom_of_stack" not in own:
            built.s = self.built.s
        return replace(self, own=own, built=built)


def read_layers(path: str, packet: Sequence[Any]) -> list[Layer]:
    """The headers in order; ModelFault names the field that is wrong or not supported."""
    layers: list[Layer] = []
    offset = 0
    for number, given in enumerate(packet):
        layer = _read_layer(f"{path}.packet[{number}]", given, offset)
        layers.append(layer)
        offset += layer.size_bytes
    if not layers or layers[0].kind != "ethernet":
        raise ModelFault(f"{path}.packet[0]", "the first header must be ethernet")
    for upper, lower in zip(layers, layers[1:], strict=False):
        if upper.kind == "mpls" and "bottom_of_stack" not in upper.own:
            upper.built.s = int(lower.kind != "mpls")
    return layers


def _read_layer(path: str, document: Any, offset: int) -> Layer:
    if not isinstance(document, dict):
        raise ModelFault(path, "must be an object with a choice")
    kind = document.get("choice", "ethernet")
    if kind not in SUPPORTED:
        raise ModelFault(
            f"{path}.choice", f"header {str(kind)[:40]!r} is not supported; there is {', '.join(SUPPORTED)}"
        )
    body, path = document.get(kind) or {}, f"{path}.{kind}"
    if not isinstance(body, dict):
        raise ModelFault(path, "must be an object")
    if kind == "custom":
        raw = _custom(f"{path}.bytes", body.get("bytes"))
        return Layer(kind, path, offset, len(raw), None, {}, Raw(raw))
    header = HEADERS[kind]
    if header.within:
        if body.get("choice", header.within) != header.within:
            raise ModelFault(f"{path}.choice", f"{body['choice']!r} is not supported; there is {header.within}")
        body, path = body.get(header.within) or {}, f"{path}.{header.within}"
        if not isinstance(body, dict):
            raise ModelFault(path, "must be an object")
    own = {
        name: PacketField(where, 8 * offset + spec.bit, spec.bits, pattern)
        for name, (where, spec, pattern) in _read_fields(path, body, header).items()
    }
    return Layer(kind, path, offset, header.size_bytes, header, own, _build(header, own))


def _custom(path: str, text: Any) -> bytes:
    try:
        return bytes.fromhex(str(text or ""))
    except ValueError:
        raise ModelFault(path, f"{str(text)[:40]!r} is not a string of hex bytes") from None


def _read_fields(path: str, body: Json, header: PacketHeader) -> dict[str, tuple[str, HeaderField, Pattern]]:
    fields = {}
    for name, raw in _leaves(body, header, ""):
        spec = header.fields.get(name)
        if spec is None:
            raise ModelFault(f"{path}.{name}", f"is not supported; there is {', '.join(header.fields)}")
        pattern = read_pattern(f"{path}.{name}", raw, spec.kind, spec.bits)
        if pattern is not None:
            fields[name] = (f"{path}.{name}", spec, pattern)
    return fields


def _leaves(body: Json, header: PacketHeader, prefix: str) -> list[tuple[str, Any]]:
    """Fields by their path; some stand in an object of their own, chosen or not."""
    leaves: list[tuple[str, Any]] = []
    for name, raw in body.items():
        full = prefix + name
        deeper = any(known.startswith(full + ".") for known in header.fields)
        if deeper and isinstance(raw, dict):
            leaves += _leaves(raw, header, full + ".")
        elif name != "choice":
            leaves.append((full, raw))
    return leaves


def _build(header: PacketHeader, own: dict[str, PacketField]) -> Packet:
    keywords: dict[str, Any] = {}
    for name, spec in header.fields.items():
        value = own[name].pattern.first if name in own else spec.default
        if value is None:
            continue
        if spec.kind == "number":
            keywords[spec.name] = keywords.get(spec.name, 0) | value << spec.shift
        else:
            keywords[spec.name] = _address(spec, value)
    return header.layer(**keywords)


def _address(spec: HeaderField, value: int) -> str:
    if spec.kind == "mac":
        return value.to_bytes(6, "big").hex(":")
    return str(IPv4Address(value) if spec.kind == "ipv4" else IPv6Address(value))


@dataclass(frozen=True)
class Ends:
    """Default addresses of a packet if the flow gives none. Without devices, `src_mac` and `dst_mac` are placeholders
    for the port's own MAC addresses, which are inserted at the start."""

    src_mac: str = NOBODY
    dst_mac: str = NOBODY
    src: IPv4Address | IPv6Address | None = None
    dst: IPv4Address | IPv6Address | None = None


def packet_bytes(layers: list[Layer], payload: bytes, ends: Ends) -> bytes:
    """The packet without FCS, with all automatic values computed."""
    stack = layers[0].built.copy()
    if "dst" not in layers[0].own:
        stack.dst = ends.dst_mac
    if "src" not in layers[0].own:
        stack.src = ends.src_mac
    outer = next((layer for layer in layers if layer.kind in ("ipv4", "ipv6")), None)
    for layer in layers[1:]:
        built = layer.built.copy()
        if layer is outer:
            _address_ip(layer, built, ends)
        stack = stack / built
    return bytes(stack / Raw(payload)) if payload else bytes(stack)


def _address_ip(layer: Layer, built: Packet, ends: Ends) -> None:
    """Addresses of the outer IP header that the flow does not give, if the ends have some of its kind."""
    version = 4 if layer.kind == "ipv4" else 6
    for name, address in (("src", ends.src), ("dst", ends.dst)):
        if name not in layer.own and address is not None and address.version == version:
            setattr(built, name, str(address))
