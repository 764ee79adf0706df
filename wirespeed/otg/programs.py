"""From a flow's varying fields and sizes to the instructions of a T-Rex field program. Pure."""

from __future__ import annotations

from wirespeed.otg.faults import ModelFault
from wirespeed.otg.icmp_sums import checksums as icmp_checksums
from wirespeed.otg.packets import Layer, PacketField
from wirespeed.otg.patterns import Json, Pattern

_L4 = {"udp": 11, "tcp": 13}
_CHECKSUMS = ("checksum", "header_checksum")


def program(layers: list[Layer], size: Pattern, packet: bytes, zeros: bool, marked: bool) -> list[Json]:
    """`size` is the packet length without FCS; if it varies, packets are the beginning of `packet`. `zeros`: only zeros
    follow the headers. `marked`: the core inserts bytes that checksums would have to cover."""
    variables: list[Json] = []
    others: list[Json] = []
    if size.varies:
        variables.append(_variable("size", 2, size, "size"))
        others += _lengths(layers)
        others.append({"type": "trim_pkt_size", "name": "size"})
    for layer in layers:
        for field in layer.own.values():
            if field.pattern.varies:
                _vary(field, variables, others, f"v{len(variables)}")
        if layer.kind == "icmp" and not _own_checksum(layer):
            _vary_icmp(layer, packet, size.varies and not zeros, variables, others)
    if variables or marked:
        others += _checksums(layers, size.varies, marked)
    return variables + others


def _vary_icmp(layer: Layer, packet: bytes, shortened: bool, variables: list[Json], others: list[Json]) -> None:
    """Fields whose omission leaves the checksum unchanged, since they are zeros."""
    if shortened:
        raise ModelFault(layer.path, "icmp packets of several sizes need a payload of zeros")
    if _varies(layer):
        at = 8 * layer.offset + 16
        _vary(PacketField(layer.path, at, 16, icmp_checksums(layer, packet)), variables, others, f"v{len(variables)}")


def _variable(name: str, size: int, pattern: Pattern, path: str) -> Json:
    flow_var: Json = {"type": "flow_var", "name": name, "size": size, "op": "inc", "step": 1}
    if pattern.choice == "values":
        return flow_var | {"value_list": list(pattern.values)}
    if pattern.choice == "random":
        bounds = {"min_value": pattern.low, "max_value": pattern.high, "limit": pattern.count, "seed": pattern.seed}
        return {"type": "flow_var_rand_limit", "name": name, "size": size, **bounds}
    if pattern.low == 0 and pattern.high == (1 << 64) - 1:
        raise ModelFault(path, "takes every value of 8 bytes; give a smaller count")
    op = "inc" if pattern.choice == "increment" else "dec"
    bounds = {"min_value": pattern.low, "max_value": pattern.high, "init_value": pattern.first}
    return flow_var | {"op": op, "step": pattern.step, **bounds}


def _vary(field: PacketField, variables: list[Json], others: list[Json], name: str) -> None:
    """Whole bytes are written, parts of them by a mask."""
    if field.bits > 32:
        field = _changing_part(field)
    low, bits, pattern = field.bit, field.bits, field.pattern
    if low % 8 == 0 and bits in (8, 16, 32, 64):
        variables.append(_variable(name, bits // 8, pattern, field.path))
        write = {"type": "write_flow_var", "name": name, "pkt_offset": low // 8, "add_value": 0, "is_big_endian": True}
        others.append(write)
        return
    width = next(size for size in (1, 2, 4) if low % 8 + bits <= 8 * size)
    shift = 8 * width - low % 8 - bits
    variables.append(_variable(name, 1 if bits <= 8 else 2 if bits <= 16 else 4, pattern, field.path))
    others.append(
        {
            "type": "write_mask_flow_var",
            "name": name,
            "pkt_offset": low // 8,
            "pkt_cast_size": width,
            "mask": ((1 << bits) - 1) << shift,
            "shift": shift,
            "add_value": 0,
            "is_big_endian": True,
        }
    )


def _changing_part(field: PacketField) -> PacketField:
    """The bytes of a long address that can vary, up to the last one that changes: 8 of an IPv6 address, 4 of a MAC
    address."""
    pattern, bits = field.pattern, 64 if field.bits == 128 else 32
    changing = pattern.changing
    lowest = max((changing & -changing).bit_length() - 1, 0)
    shift = min(lowest & ~7, field.bits - bits)
    if changing >> (shift + bits):
        text = f"changes in more than {bits} bits of its {field.bits}; give a smaller count, or values that are closer"
        raise ModelFault(field.path, text)
    return PacketField(field.path, field.bit + field.bits - shift - bits, bits, pattern.part(shift, bits))


def _lengths(layers: list[Layer]) -> list[Json]:
    """Length fields that follow the packet's."""
    return [
        {
            "type": "write_flow_var",
            "name": "size",
            "pkt_offset": layer.offset + layer.header.length // 8,
            "add_value": -(layer.offset + layer.header.length_from),
            "is_big_endian": True,
        }
        for layer in layers
        if layer.header is not None and layer.header.length is not None and not _has_length(layer)
    ]


def _has_length(layer: Layer) -> bool:
    return any(name in layer.own for name in ("total_length", "payload_length", "length"))


def _checksums(layers: list[Layer], resized: bool, marked: bool) -> list[Json]:
    """Checksums of the headers that a change affects, the innermost first: outer ones sum over them."""
    fixes: list[Json] = []
    for place in reversed(range(len(layers))):
        layer = layers[place]
        below = layers[place - 1] if place else None
        inside = resized or marked or any(_varies(one) for one in layers[max(place - 1, 0) :])
        if layer.kind == "ipv4" and "header_checksum" not in layer.own and (resized or _varies(layer)):
            fixes.append({"type": "fix_checksum_ipv4", "pkt_offset": layer.offset})
        if not inside or _own_checksum(layer):
            continue
        over_ip = below is not None and below.kind in ("ipv4", "ipv6")
        if layer.kind in _L4 and below is not None and over_ip:
            fixes.append(
                {
                    "type": "fix_checksum_hw",
                    "l2_len": below.offset,
                    "l3_len": below.size_bytes,
                    "l4_type": _L4[layer.kind],
                }
            )
        elif layer.kind == "icmpv6" and below is not None and below.kind == "ipv6":
            fixes.append({"type": "fix_checksum_icmpv6", "l2_len": below.offset, "l3_len": below.size_bytes})
    return fixes


def _own_checksum(layer: Layer) -> bool:
    return any(name in layer.own for name in _CHECKSUMS)


def _varies(layer: Layer) -> bool:
    return any(field.pattern.varies for field in layer.own.values())
