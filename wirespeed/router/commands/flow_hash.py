"""set ip flow-hash seed, show ip flow-hash: which of several paths a flow takes."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_FIELDS = {
    "ip4": "src dst proto sport dport",
    "ip6": "src dst proto sport dport flowlabel",
    "mpls": "labels, and src dst of IP behind the last one",
}


@command("set ip flow-hash seed (random|<number:seed>)")
def set_seed(console: Console, words: Match) -> None:
    """Have flows choose among equal paths by this number besides: routers in a row need different ones."""
    console.core.set_flow_hash_seed(secrets.randbits(32) if "random" in words else words["seed"])


@command("show ip flow-hash")
def show_flow_hash(console: Console, words: Match) -> Iterator[str]:
    """The seed, and what of a packet is hashed."""
    yield f"seed {console.core.flow_hash_seed()}"
    yield from (f"{family:<5} {fields}" for family, fields in _FIELDS.items())
