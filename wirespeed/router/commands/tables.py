"""ip table, set interface ip table, show ip table: tables of routes besides the default ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console


def version_of(words: Match) -> int:
    return 6 if "ip6" in words else 4


@command("(ip|ip6) table [add] <number:id> [name <word:name>]")
def add_table(console: Console, words: Match) -> None:
    """Make a table of routes, for interfaces or routes to name."""
    console.core.tables.add(version_of(words), words["id"], words.get("name", ""))


@command("(ip|ip6) table del <number:id>")
def delete_table(console: Console, words: Match) -> None:
    """Delete a table that nothing needs any more."""
    console.core.tables.delete(version_of(words), words["id"])


@command("set interface (ip|ip6) table <interface> <number:id>")
def set_table(console: Console, words: Match) -> None:
    """Look packets that come in by an interface up in this table."""
    console.core.tables.set_interface(words["interface"], version_of(words), words["id"])


@command("show (ip|ip6) table")
def show_tables(console: Console, words: Match) -> Iterator[str]:
    """The tables of routes."""
    for index, table in enumerate(console.core.tables.of(version_of(words))):
        yield f"[{index}] table_id:{table.id} {table.name}"
