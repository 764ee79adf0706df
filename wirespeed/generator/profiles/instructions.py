"""Field programs as T-Rex's profiles write them, and the instructions they become on the wire.

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
    """What a profile did wrong; profiles may catch it under this name."""


class Layout(Protocol):
    """Where things stand in a packet."""

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
            raise STLError(f"flow variable {what!r}: {value!r} is neither a number nor an IPv4 address") from None
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
        if low > high:
            raise STLError(f"flow variable {name!r}: min_value {low} is above max_value {high}")
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


class STLScVmRaw:
    """A field program given as a list of instructions."""

    def __init__(
        self,
        list_of_commands: list[Instruction] | None = None,
        cache_size: int | None = None,
        split_by_field: str | None = None,
    ) -> None:
        del split_by_field  # of old files; variables say by themselves whether cores divide them
        self.commands = list(list_of_commands or [])
        self.cache_size = cache_size

    def add_cmd(self, cmd: Instruction) -> None:
        self.commands.append(cmd)

    def encode(self, layout: Layout) -> Json:
        """The program's JSON: flow variables first, each before the one that it advances (`next_var`)."""
        self._check_names()
        variables = _in_order([command.encode(layout) for command in self.commands if command.goes_first])
        others = [command.encode(layout) for command in self.commands if not command.goes_first]
        program: Json = {"instructions": variables + others}
        if self.cache_size:
            program["cache"] = self.cache_size
        return program

    def _check_names(self) -> None:
        defined: set[str] = set()
        for name in (name for command in self.commands for name in command.defines):
            if name in defined:
                raise STLError(f"flow variable {name!r} is defined twice")
            defined.add(name)
        for command in self.commands:
            if command.uses is not None and command.uses not in defined:
                known = ", ".join(sorted(defined)) or "none"
                raise STLError(f"flow variable {command.uses!r} is not defined; there is {known}")


CTRexScRaw = STLScVmRaw
"""Its name in old files."""


def _in_order(variables: list[Json]) -> list[Json]:
    """Variables that another one advances move behind it and are never divided among cores themselves."""
    by_name = {variable["name"]: variable for variable in variables}
    followers = {variable["next_var"] for variable in variables} - {None}
    if missing := followers - by_name.keys():
        raise STLError(f"next_var {min(missing)!r} is no flow variable; there is {', '.join(by_name)}")
    ordered: list[Json] = []
    for variable in variables:
        if variable["name"] in followers:
            continue
        link: Json | None = variable
        while link is not None:
            if link in ordered:
                raise STLError(f"flow variable {link['name']!r} is next_var of two variables")
            ordered.append(link)
            link = by_name.get(link["next_var"])
            if link is not None:
                link["split_to_cores"] = False
    if len(ordered) < len(variables):
        raise STLError("next_var leads round in a circle; one variable of a chain must come first")
    return ordered


class STLVM(STLScVmRaw):
    """A field program written step by step, the current style."""

    def __init__(self) -> None:
        super().__init__()

    def set_cached(self, cache_size: int) -> None:
        self.cache_size = cache_size

    def var(
        self,
        name: str,
        min_value: int | str,
        max_value: int | str,
        size: int,
        op: str,
        step: int = 1,
        split_to_cores: bool = True,
        next_var: str | None = None,
        **more: Any,
    ) -> None:
        self.add_cmd(
            STLVmFlowVar(
                name,
                min_value=min_value,
                max_value=max_value,
                size=size,
                op=op,
                step=step,
                split_to_cores=split_to_cores,
                next_var=next_var,
                **more,
            )
        )

    def repeatable_random_var(
        self,
        fv_name: str,
        size: int,
        limit: int,
        seed: int | None = None,
        min_value: int | str | None = None,
        max_value: int | str | None = None,
        split_to_cores: bool = True,
        next_var: str | None = None,
    ) -> None:
        low = 0 if min_value is None else min_value
        self.add_cmd(STLVmFlowVarRepeatableRandom(fv_name, size, limit, seed, low, max_value, split_to_cores, next_var))

    def tuple_var(
        self,
        name: str,
        ip_min: int | str,
        ip_max: int | str,
        port_min: int,
        port_max: int,
        limit_flows: int = 0,
        **more: Any,
    ) -> None:
        self.add_cmd(STLVmTupleGen(name, ip_min, ip_max, port_min, port_max, limit_flows, **more))

    def write(
        self, fv_name: str, pkt_offset: Offset, offset_fixup: int = 0, add_val: int = 0, byte_order: str = "big"
    ) -> None:
        self.add_cmd(STLVmWrFlowVar(fv_name, pkt_offset, offset_fixup, add_val, byte_order == "big"))

    def write_mask(
        self,
        fv_name: str,
        pkt_offset: Offset,
        pkt_cast_size: int,
        mask: int,
        shift: int = 0,
        offset_fixup: int = 0,
        add_val: int = 0,
        byte_order: str = "big",
    ) -> None:
        big = byte_order == "big"
        self.add_cmd(STLVmWrMaskFlowVar(fv_name, pkt_offset, pkt_cast_size, mask, shift, add_val, offset_fixup, big))

    def trim(self, fv_name: str) -> None:
        self.add_cmd(STLVmTrimPktSize(fv_name))

    def fix_chksum(self, offset: Offset = "IP") -> None:
        self.add_cmd(STLVmFixIpv4(offset))

    def fix_chksum_hw(self, l3_offset: Offset, l4_offset: Offset, l4_type: int) -> None:
        self.add_cmd(STLVmFixChecksumHw(l3_offset, l4_offset, l4_type))

    def fix_chksum_icmpv6(self, l3_offset: Offset, l4_offset: Offset) -> None:
        self.add_cmd(STLVmFixIcmpv6(l3_offset, l4_offset))
