"""set ip flow-hash, show ip flow-hash: which of several paths a flow takes."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.seam.tables import FlowField

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_MPLS = "labels, and src dst of IP behind the last one"
_FIELDS = "src|dst|sport|dport|proto|reverse|symmetric"
_WORDS = {field.name.lower(): field for field in FlowField if field.name}


def flow_words(fields: FlowField) -> str:
    """As VPP has them: the words of the fields, in their order."""
    return " ".join(word for word, field in _WORDS.items() if field in fields)


@command("set ip flow-hash seed (random|<number:seed>)")
def set_seed(console: Console, words: Match) -> None:
    """Have flows choose among equal paths by this number besides: routers in a row need different ones."""
    console.core.tables.set_flow_hash_seed(secrets.randbits(32) if "random" in words else words["seed"])


@command(f"set ip flow-hash table <number:table> ({_FIELDS})...")
def set_ip_fields(console: Console, words: Match) -> None:
    """Have packets of a table's interfaces choose among equal paths by these fields alone."""
    _set_fields(console, 4, words)


@command(f"set ip6 flow-hash table <number:table> ({_FIELDS}|flowlabel)...")
def set_ip6_fields(console: Console, words: Match) -> None:
    """Have packets of a table's interfaces choose among equal paths by these fields alone."""
    _set_fields(console, 6, words)


def _set_fields(console: Console, version: int, words: Match) -> None:
    fields = FlowField(0)
    for word, field in _WORDS.items():
        if word in words:
            fields |= field
    if not fields & ~(FlowField.REVERSE | FlowField.SYMMETRIC):
        raise UsageError("reverse and symmetric alone tell no flows apart; name src, dst, sport, dport or proto too")
    console.core.tables.set_flow_hash(version, words["table"], fields)


@command("show ip flow-hash")
def show_flow_hash(console: Console, words: Match) -> Iterator[str]:
    """The seed, and what of a packet is hashed: by the table of the interface that it came in by."""
    yield f"seed {console.core.tables.flow_hash_seed()}"
    for version in (4, 6):
        for table in console.core.tables.of(version):
            name = f"ip{version}" if not table.id else f"ip{version} table {table.id}"
            yield f"{name:<5} {flow_words(table.flow_hash)}"
    yield f"{'mpls':<5} {_MPLS}"
