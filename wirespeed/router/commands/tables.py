"""Tables of routes: additional ones, for interfaces and routes.

- Set the table of an interface before it has addresses. Tables other than the default ones hold 65 536 routes each.
"""

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
    """Create a table of routes."""
    console.core.tables.add(version_of(words), words["id"], words.get("name", ""))


@command("(ip|ip6) table del <number:id>")
def delete_table(console: Console, words: Match) -> None:
    """Delete an unused table."""
    console.core.tables.delete(version_of(words), words["id"])


@command("set interface (ip|ip6) table <interface> <number:id>")
def set_table(console: Console, words: Match) -> None:
    """Set the table for packets received by an interface."""
    console.core.tables.set_interface(words["interface"], version_of(words), words["id"])


@command("show (ip|ip6) table")
def show_tables(console: Console, words: Match) -> Iterator[str]:
    """Tables of routes."""
    for index, table in enumerate(console.core.tables.of(version_of(words))):
        yield f"[{index}] table_id:{table.id} {table.name}"
