"""Flow hash: the path that a flow takes among several.

- If consecutive routers hash alike, all flows that the first one sends to the second take the same path there. So each
  router draws a seed at its start, which also applies to IPv6 and labels. `set ip flow-hash seed`, `--flow-hash-seed N`
  and `ip { flow-hash-seed N }` set a repeatable one. Flows move when it changes. VPP's API sets it by
  `set_ip_flow_hash_router_id`.
- Fields are `src`, `dst`, `sport`, `dport`, `proto`, and for IPv6 `flowlabel`. `reverse` exchanges source and
  destination, as the router at the other end would. `symmetric` hashes both directions alike. Labels always hash by the
  labels and the addresses behind them.
- The fields are those of the table of the receiving interface. VPP uses the table of the route, which differs for
  routes into another table.
- While every table has the default fields, the nodes that read them are not in the graph. VPP's API sets them by
  `set_ip_flow_hash`, `_v2` and `_v3` (`gtpv1teid` is refused).
"""

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
    """Keywords of the fields, in VPP's order."""
    return " ".join(word for word, field in _WORDS.items() if field in fields)


@command("set ip flow-hash seed (random|<number:seed>)")
def set_seed(console: Console, words: Match) -> None:
    """Set the seed of the flow hash; consecutive routers need different ones."""
    console.core.tables.set_flow_hash_seed(secrets.randbits(32) if "random" in words else words["seed"])


@command(f"set ip flow-hash table <number:table> ({_FIELDS})...")
def set_ip_fields(console: Console, words: Match) -> None:
    """Set the fields that choose the path, for packets of the table's interfaces."""
    _set_fields(console, 4, words)


@command(f"set ip6 flow-hash table <number:table> ({_FIELDS}|flowlabel)...")
def set_ip6_fields(console: Console, words: Match) -> None:
    """Set the fields that choose the path, for packets of the table's interfaces."""
    _set_fields(console, 6, words)


def _set_fields(console: Console, version: int, words: Match) -> None:
    fields = FlowField(0)
    for word, field in _WORDS.items():
        if word in words:
            fields |= field
    if not fields & ~(FlowField.REVERSE | FlowField.SYMMETRIC):
        raise UsageError(
            "reverse and symmetric alone do not distinguish flows; give src, dst, sport, dport or proto too"
        )
    console.core.tables.set_flow_hash(version, words["table"], fields)


@command("show ip flow-hash")
def show_flow_hash(console: Console, words: Match) -> Iterator[str]:
    """The seed, and the hashed fields of each table."""
    yield f"seed {console.core.tables.flow_hash_seed()}"
    for version in (4, 6):
        for table in console.core.tables.of(version):
            name = f"ip{version}" if not table.id else f"ip{version} table {table.id}"
            yield f"{name:<5} {flow_words(table.flow_hash)}"
    yield f"{'mpls':<5} {_MPLS}"
