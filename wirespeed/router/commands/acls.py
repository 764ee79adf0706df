"""set acl-plugin, delete acl-plugin, show acl-plugin: access lists and the interfaces that have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.acl_words import read_acl, rule_text
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.acl import Acl

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("set acl-plugin acl <text:rules>")
def set_acl(console: Console, words: Match) -> Iterator[str]:
    """Make an ACL, or replace that of an index: deny|permit|permit+reflect src PREFIX dst PREFIX [proto N] [sport
    N[-N]] [dport N[-N]] [tcpflags N mask N], … [index N] [tag NAME]."""
    line = read_acl(words["rules"])
    yield f"ACL index:{console.core.set_acl(line.index, line.tag, line.rules)}"


@command("delete acl-plugin acl index <number:index>")
def delete_acl(console: Console, words: Match) -> None:
    """Delete an ACL that no interface has."""
    console.core.delete_acl(words["index"])


@command("set acl-plugin interface <interface> (input|output) acl <number:index> [del]")
def set_interface(console: Console, words: Match) -> None:
    """Give an interface one more ACL, behind those that it has, or take one from it."""
    face, acl, is_output = words["interface"], words["index"], "output" in words
    present = list(console.core.interface_acls(face, is_output))
    if "del" in words:
        if acl not in present:
            raise UsageError(f"the interface has no ACL {acl} in that direction")
        present.remove(acl)
    else:
        present.append(acl)
    console.core.set_interface_acls(face, is_output, present)


@command("show acl-plugin acl [index <number:index>] [verbose]")
def show_acl(console: Console, words: Match) -> Iterator[str]:
    """The ACLs and where they are; verbose: with what each rule has decided on."""
    index = words.get("index")
    for acl in console.core.acls() if index is None else [console.core.acl(index)]:
        yield f"acl-index {acl.index} count {len(acl.rules)} tag {{{acl.tag}}}"
        for number, rule in enumerate(acl.rules):
            count = acl.counts[number]
            counted = f" packets {count.packets} bytes {count.bytes}" if "verbose" in words else ""
            yield f"  {number:>9}: ipv{rule.source.version} {rule_text(rule)}{counted}"
        yield from _uses(console, acl)


def _uses(console: Console, acl: Acl) -> Iterator[str]:
    for is_output, word in ((False, "inbound"), (True, "outbound")):
        faces = [
            str(shown_index(face))
            for face in console.interfaces(())
            if acl.index in console.core.interface_acls(face, is_output)
        ]
        if faces:
            yield f"  applied {word} on sw_if_index: {' '.join(faces)}"


@command("show acl-plugin interface [<interface>...]")
def show_interface(console: Console, words: Match) -> Iterator[str]:
    """The ACLs of each interface that has any, in the order that packets meet them in."""
    for face in console.interfaces(words.all("interface")):
        found = [(word, console.core.interface_acls(face, word == "output")) for word in ("input", "output")]
        if any(acls for _, acls in found):
            yield f"sw_if_index {shown_index(face)}:"
        for word, acls in found:
            if acls:
                yield f"  {word} acl(s): {', '.join(map(str, acls))}"
