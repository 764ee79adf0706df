"""Instructions of field programs as T-Rex's profiles write them, and the JSON they become on the wire.

Names, parameters and defaults are those of T-Rex's API, so that its profile files run here. Offsets may be
numbers from the start of the frame, or names that the packet resolves: "IP.src", "UDP:1.sport", "802|1Q.vlan"
for a field, "IP" for a header.
"""

from __future__ import annotations

import ipaddress
import random
from typing import Any, Protocol

from wirespeed.errors import UsageError

Json = dict[str, Any]
Offset = int | str


class STLError(UsageError):
    """Error of a profile; profiles may catch it under this name."""


TRexError = STLTypeError = TRexArgumentError = TRexTypeError = TRexTimeoutError = CTRexPacketBuildException = STLError
"""Its other names in T-Rex's API."""


class Layout(Protocol):
    """Offsets in a packet."""

    def field_offset(self, name: str) -> int: ...

    def header_offset(self, name: str) -> int: ...


class Instruction:
    """One step of a field program; `encode` gives its JSON once the packet's layout is known."""

    defines: tuple[str, ...] = ()
    """Variables that this step gives."""
    uses: str | None = None
    """The variable that this step needs."""
    goes_first = False
    """Flow variables stand before everything else, wherever the profile has them."""

    def encode(self, layout: Layout) -> Json:
        raise NotImplementedError


_VARIABLE_SIZES = (1, 2, 4, 8)
_OPERATIONS = ("inc", "dec", "random")


def _number(value: int | float | str, what: str) -> int:
    """Numbers as they are, IPv4 addresses as 32 bits."""
    if isinstance(value, str):
        try:
            return int(ipaddress.IPv4Address(value))
        except ValueError:
            raise STLError(
                f"flow variable {what!r}: {value!r} is neither a number nor an IPv4 address; give one of them"
            ) from None
    return int(value)


def _field(layout: Layout, offset: Offset, fixup: int) -> int:
    return (layout.field_offset(offset) if isinstance(offset, str) else offset) + fixup


def _header(layout: Layout, offset: Offset) -> int:
    return layout.header_offset(offset) if isinstance(offset, str) else offset


class STLVmFlowVar(Instruction):
    goes_first = True

    def __init__(
        self,
        name: str,
        init_value: int | str | None = None,
        min_value: int | str = 0,
        max_value: int | str = 255,
        size: int = 4,
        step: int = 1,
        op: str = "inc",
        value_list: list[int | str] | None = None,
        split_to_cores: bool = True,
        next_var: str | None = None,
    ) -> None:
        if size not in _VARIABLE_SIZES:
            raise STLError(f"flow variable {name!r}: size {size} is not one of 1, 2, 4, 8")
        if op not in _OPERATIONS:
            raise STLError(f"flow variable {name!r}: op {op!r} is not one of {', '.join(_OPERATIONS)}")
        self.defines = (name,)
        self._json: Json = {
            "type": "flow_var",
            "name": name,
            "size": size,
            "op": op,
            "step": step,
            "split_to_cores": split_to_cores,
            "next_var": next_var,
        }
        if value_list is not None:
            self._json["value_list"] = [_number(value, name) for value in value_list]
            return
        low, high = _number(min_value, name), _number(max_value, name)
        self.name, self.op, self.step, self.min_value, self.max_value = name, op, step, low, high
        if low > high:
            raise STLError(f"flow variable {name!r}: min_value {low} is above max_value {high}; exchange them")
        default = high if op == "dec" else low
        first = default if init_value is None else _number(init_value, name)
        self._json |= {"min_value": low, "max_value": high, "init_value": first}

    def encode(self, layout: Layout) -> Json:
        return dict(self._json)


class STLVmFlowVarRepeatableRandom(Instruction):
    goes_first = True

    def __init__(
        self,
        name: str,
        size: int = 4,
        limit: int = 100,
        seed: int | None = None,
        min_value: int | str = 0,
        max_value: int | str | None = None,
        split_to_cores: bool = True,
        next_var: str | None = None,
    ) -> None:
        if size not in _VARIABLE_SIZES:
            raise STLError(f"flow variable {name!r}: size {size} is not one of 1, 2, 4, 8")
        self.defines = (name,)
        self._json: Json = {
            "type": "flow_var_rand_limit",
            "name": name,
            "size": size,
            "limit": limit,
            "seed": random.randint(0, 32000) if seed is None else seed,
            "min_value": _number(0 if min_value is None else min_value, name),
            "max_value": (1 << (8 * size)) - 1 if max_value is None else _number(max_value, name),
            "split_to_cores": split_to_cores,
            "next_var": next_var,
        }

    def encode(self, layout: Layout) -> Json:
        return dict(self._json)


class STLVmTupleGen(Instruction):
    def __init__(
        self,
        name: str,
        ip_min: int | str = "0.0.0.1",
        ip_max: int | str = "0.0.0.10",
        port_min: int = 1025,
        port_max: int = 65535,
        limit_flows: int = 100000,
        flags: int = 0,
    ) -> None:
        self.defines = (f"{name}.ip", f"{name}.port")
        self._json: Json = {
            "type": "tuple_flow_var",
            "name": name,
            "ip_min": _number(ip_min, name),
            "ip_max": _number(ip_max, name),
            "port_min": port_min,
            "port_max": port_max,
            "limit_flows": limit_flows,
            "flags": flags,
        }

    def encode(self, layout: Layout) -> Json:
        return dict(self._json)


class STLVmWrFlowVar(Instruction):
    def __init__(
        self, fv_name: str, pkt_offset: Offset, offset_fixup: int = 0, add_val: int = 0, is_big: bool = True
    ) -> None:
        self.uses = fv_name
        self._where, self._fixup = pkt_offset, offset_fixup
        self._json: Json = {
            "type": "write_flow_var",
            "name": fv_name,
            "add_value": add_val,
            "is_big_endian": is_big,
        }

    def encode(self, layout: Layout) -> Json:
        return self._json | {"pkt_offset": _field(layout, self._where, self._fixup)}


class STLVmWrMaskFlowVar(Instruction):
    def __init__(
        self,
        fv_name: str,
        pkt_offset: Offset,
        pkt_cast_size: int = 1,
        mask: int = 0xFF,
        shift: int = 0,
        add_value: int = 0,
        offset_fixup: int = 0,
        is_big: bool = True,
    ) -> None:
        if pkt_cast_size not in (1, 2, 4):
            raise STLError(f"write_mask of {fv_name!r}: pkt_cast_size {pkt_cast_size} is not one of 1, 2, 4")
        self.uses = fv_name
        self._where, self._fixup = pkt_offset, offset_fixup
        self._json: Json = {
            "type": "write_mask_flow_var",
            "name": fv_name,
            "pkt_cast_size": pkt_cast_size,
            "mask": mask,
            "shift": shift,
            "add_value": add_value,
            "is_big_endian": is_big,
        }

    def encode(self, layout: Layout) -> Json:
        return self._json | {"pkt_offset": _field(layout, self._where, self._fixup)}


class STLVmTrimPktSize(Instruction):
    def __init__(self, fv_name: str) -> None:
        self.uses = fv_name

    def encode(self, layout: Layout) -> Json:
        return {"type": "trim_pkt_size", "name": self.uses}


class STLVmFixIpv4(Instruction):
    def __init__(self, offset: Offset) -> None:
        self._offset = offset

    def encode(self, layout: Layout) -> Json:
        return {"type": "fix_checksum_ipv4", "pkt_offset": _header(layout, self._offset)}


class CTRexVmInsFixHwCs:
    """Layer 4 kinds of `fix_chksum_hw`."""

    L4_TYPE_UDP = 11
    L4_TYPE_TCP = 13
    L4_TYPE_IP = 17


class STLVmFixChecksumHw(Instruction):
    def __init__(self, l3_offset: Offset, l4_offset: Offset, l4_type: int) -> None:
        self._l3, self._l4, self._kind = l3_offset, l4_offset, l4_type

    def encode(self, layout: Layout) -> Json:
        l3, l4 = _header(layout, self._l3), _header(layout, self._l4)
        return {"type": "fix_checksum_hw", "l2_len": l3, "l3_len": l4 - l3, "l4_type": self._kind}


class STLVmFixIcmpv6(Instruction):
    def __init__(self, l3_offset: Offset, l4_offset: Offset) -> None:
        self._l3, self._l4 = l3_offset, l4_offset

    def encode(self, layout: Layout) -> Json:
        l3, l4 = _header(layout, self._l3), _header(layout, self._l4)
        return {"type": "fix_checksum_icmpv6", "l2_len": l3, "l3_len": l4 - l3}
