"""Field programs: instructions in the order they run, in T-Rex's older style (a list) and its current one."""

from __future__ import annotations

from typing import Any

from wirespeed.profiles.instructions import (
    Instruction,
    Json,
    Layout,
    Offset,
    STLError,
    STLVmFixChecksumHw,
    STLVmFixIcmpv6,
    STLVmFixIpv4,
    STLVmFlowVar,
    STLVmFlowVarRepeatableRandom,
    STLVmTrimPktSize,
    STLVmTupleGen,
    STLVmWrFlowVar,
    STLVmWrMaskFlowVar,
)


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
                raise STLError(f"flow variable {name!r} is defined twice; give each its own name")
            defined.add(name)
        for command in self.commands:
            if command.uses is not None and command.uses not in defined:
                known = ", ".join(sorted(defined)) or "none"
                raise STLError(f"flow variable {command.uses!r} is not defined; there is {known}")


CTRexScRaw = STLScVmRaw
"""Its name in old files."""


def STLIPRange(  # noqa: N802 - T-Rex's name
    src: dict[str, Any] | None = None, dst: dict[str, Any] | None = None, fix_chksum: bool = True
) -> list[Instruction]:
    """Instructions that count up IPv4 addresses; `src` and `dst` say `start`, `end` and `step`."""
    commands: list[Instruction] = []
    for name, span in (("src", src), ("dst", dst)):
        if span:
            low, high, step = span["start"], span["end"], span["step"]
            commands.append(STLVmFlowVar(name, min_value=low, max_value=high, size=4, op="inc", step=step))
            commands.append(STLVmWrFlowVar(name, f"IP.{name}"))
    if fix_chksum:
        commands.append(STLVmFixIpv4("IP"))
    return commands


def _in_order(variables: list[Json]) -> list[Json]:
    """Variables that another one advances move behind it and are never divided among cores themselves."""
    by_name = {variable["name"]: variable for variable in variables}
    followers = {variable["next_var"] for variable in variables} - {None}
    if missing := followers - by_name.keys():
        raise STLError(f"next_var {min(missing)!r} is not a flow variable; there is {', '.join(by_name)}")
    ordered: list[Json] = []
    for variable in variables:
        if variable["name"] in followers:
            continue
        link: Json | None = variable
        while link is not None:
            if link in ordered:
                raise STLError(f"flow variable {link['name']!r} is next_var of two variables; leave one of them out")
            ordered.append(link)
            link = by_name.get(link["next_var"])
            if link is not None:
                link["split_to_cores"] = False
    if len(ordered) < len(variables):
        raise STLError("next_var forms a loop; leave it out of the last variable of the chain")
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
