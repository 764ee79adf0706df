"""set interface l2 and l3, show mode: interfaces that are cross-connected, bridged or route, and their VLAN tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.commands.subinterfaces import checked_vlan
from wirespeed.router.core import RouterCore
from wirespeed.router.grammar import Match
from wirespeed.seam.interfaces import Interface, Mode, TagRewrite

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_MOST_GROUP = 255
_MOST_DOMAIN = (1 << 24) - 1
_REWRITES = {
    "disable": (0, 0),
    "push": (0, None),
    "translate-1-1": (1, 1),
    "translate-1-2": (1, 2),
    "translate-2-1": (2, 1),
    "translate-2-2": (2, 2),
}


@command("set interface l2 xconnect <interface> <interface:to>")
def set_xconnect(console: Console, words: Match) -> None:
    """Send all that an interface receives out of another, unchanged; one direction."""
    connect(console.core, words["interface"], words["to"])


def connect(core: RouterCore, interface: int, to: int) -> None:
    """Cross-connect one direction."""
    if interface == to:
        raise UsageError("an interface cannot be cross-connected to itself")
    core.set_xconnect(interface, to)


@command("set interface l2 bridge <interface> <number:domain> [bvi] [<number:shg>]")
def set_bridge(console: Console, words: Match) -> None:
    """Put an interface into a bridge domain, with a split-horizon group; bvi: a loopback, as the router's own."""
    group = words.get("shg", 0)
    if group > _MOST_GROUP:
        raise UsageError(f"split-horizon group {group} is not between 0 and {_MOST_GROUP}")
    console.core.set_bridge(words["interface"], checked_domain(words["domain"]), "bvi" in words, group)


def checked_domain(ident: int) -> int:
    """A bridge domain's number; UsageError when it is none."""
    if not 1 <= ident <= _MOST_DOMAIN:
        raise UsageError(f"bridge domain {ident} is not between 1 and {_MOST_DOMAIN}")
    return ident


@command("set interface l3 <interface>")
def set_l3(console: Console, words: Match) -> None:
    """Let an interface route, instead of being cross-connected or bridged."""
    console.core.set_l3(words["interface"])


@command(
    "set interface l2 tag-rewrite <interface> (disable|pop <number:pop>|push (dot1q|dot1ad) <number:tag> [<number:tag>]"
    "|(translate-1-1|translate-2-1) (dot1q|dot1ad) <number:tag>"
    "|(translate-1-2|translate-2-2) (dot1q|dot1ad) <number:tag> <number:tag>)"
)
def set_tag_rewrite(console: Console, words: Match) -> None:
    """Take VLAN tags off frames that come in, or put them on; what goes out is rewritten the other way round."""
    tags = tuple(checked_vlan(tag) for tag in words.all("tag"))
    pop = words.get("pop")
    if pop is not None and pop not in (1, 2):
        raise UsageError(f"1 or 2 tags can be taken off, not {pop}")
    if pop is None:
        pop = next(count for word, (count, _) in _REWRITES.items() if word in words)
    console.core.set_tag_rewrite(words["interface"], TagRewrite(pop, tags, "dot1ad" in words))


def tag_rewrite_text(face: Interface) -> str:
    """As it was typed: `pop 1`, `push dot1q 100`, `translate-1-2 dot1ad 5 6`; `none` when tags stay."""
    rewrite = face.tag_rewrite
    kind = "dot1ad" if rewrite.dot1ad else "dot1q"
    tags = " ".join(str(tag) for tag in rewrite.tags)
    if not rewrite.tags:
        return f"pop {rewrite.pop}" if rewrite.pop else "none"
    if not rewrite.pop:
        return f"push {kind} {tags}"
    return f"translate-{rewrite.pop}-{len(rewrite.tags)} {kind} {tags}"


@command("show mode [<interface>...]", "show l2 xconnect")
def show_mode(console: Console, words: Match) -> Iterator[str]:
    """Whether interfaces route, are cross-connected or bridged."""
    for index in console.interfaces(words.all("interface")):
        face = console.core.interface(index)
        if face.mode is Mode.XCONNECT:
            yield f"l2 xconnect {face.name} {console.core.interface(face.xconnect_to).name}{_rewrite(face)}"
        elif "xconnect" in words:
            continue
        elif face.bridge_domain:
            bvi = " bvi" if face.is_bvi else ""
            group = face.split_horizon_group
            yield f"l2 bridge {face.name} bd_id {face.bridge_domain}{bvi} shg {group}{_rewrite(face)}"
        else:
            yield f"l3 {face.name}"


def _rewrite(face: Interface) -> str:
    text = tag_rewrite_text(face)
    return "" if text == "none" else f" tag-rewrite {text}"
