"""Destinations drawn from a full table, for a router that has it (`wirespeed dut prepare --routes`).

Prefix number i of the table, counted from 0, lies behind side i mod 2, as `dut prepare` deals them: what side 0 sends
goes to odd ones, what side 1 sends to even ones. The draw is the same at each call.
"""

from __future__ import annotations

import ipaddress
import random
from functools import lru_cache

from wirespeed.errors import UsageError
from wirespeed.profiles.field_program import STLVM
from wirespeed.profiles.instructions import CTRexVmInsFixHwCs, STLVmFlowVar

MOST = 65536
"""The most values of one variable in T-Rex's protocol."""


@lru_cache(maxsize=4)
def destinations(table: str, version: int, direction: int, count: int) -> tuple[int, ...]:
    """Up to `count` addresses, each in another prefix of the table (a file, or `internet`) behind the other side; of
    IPv6 the upper 64 bits. UsageError when there is none, FileFault when the table cannot be read."""
    of_other_side = _prefixes(table)[1 - direction :: 2]
    family = [prefix for prefix in of_other_side if (":" in prefix) == (version == 6)]
    if not family:
        raise UsageError(f"prefixes={table} has no IPv{version} prefix for this direction; give a longer table")
    pick = random.Random(version * 2 + direction)
    bits = 32 if version == 4 else 64
    return tuple(_host(prefix, bits, pick) for prefix in pick.sample(family, min(count, len(family))))


def table_program(source: tuple[str, str] | None, values: tuple[int, ...]) -> STLVM:
    """IPv4 packets to each of `values` in turn; `source` is the range of sources, None for the packet's own."""
    program = STLVM()
    if source is not None:
        program.var("src", *source, size=4, op="inc")
        program.write("src", "IP.src")
    program.add_cmd(STLVmFlowVar("dst", size=4, value_list=list(values)))
    program.write("dst", "IP.dst")
    program.fix_chksum()
    return program


def table_program6(program: STLVM, values: tuple[int, ...]) -> STLVM:
    """`program` with the upper halves of IPv6 destinations in turn, checksums mended last."""
    program.add_cmd(STLVmFlowVar("net", size=8, value_list=list(values)))
    program.write("net", "IPv6.dst")
    program.fix_chksum_hw("IPv6", "UDP", CTRexVmInsFixHwCs.L4_TYPE_UDP)
    return program


@lru_cache(maxsize=2)
def _prefixes(table: str) -> tuple[str, ...]:
    from wirespeed.dut.tables import prefixes_of  # noqa: PLC0415 - few profiles have a table

    return prefixes_of(table)


def _host(prefix: str, bits: int, pick: random.Random) -> int:
    """A host of the prefix by its first `bits` bits; not the network's own address where there are others."""
    network = ipaddress.ip_network(prefix)
    first = int(network.network_address) >> (network.max_prefixlen - bits)
    free = max(0, bits - network.prefixlen)
    return first + pick.randrange(1, 1 << free) if free else first
