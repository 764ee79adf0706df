"""Sub-interfaces and loopbacks: interfaces that are not ports.

- Sub-interfaces take frames with their tags from a port, a bond or a VXLAN tunnel. With `exact-match`, or a bare id,
  they take frames with no further tags, and can route. Without it more tags may follow, and the sub-interface is for
  layer 2. `any` is an inner or outer tag without `exact-match`. One id is created at a time.
- If several match, the most specific wins: first by the outer tag, then by the inner one, `any` after a number,
  `default` last. `untagged` takes frames without tags, and can route in the parent's place; `default` takes no untagged
  frames. With `any`, only known tags can be rewritten.
- A frame that no sub-interface takes belongs to the port itself if that is in a layer 2 mode. It is dropped as `unknown
  vlan` if the port routes. VLAN 0 is a priority, not a VLAN.
- Headers and tags must be in a packet's first buffer, which every port fills (1 900 bytes and more) before it takes a
  second. A tunnelled frame whose inner tags are in a later buffer is dropped as `frame shorter than its header`.
- A deletion is refused while another object needs the interface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.grammar import Match
from wirespeed.seam.interfaces import ANY_VLAN, InterfaceKind, SubInterface

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_MOST_VLAN = 4094


@command(
    "create sub-interfaces <interface> <number:id>"
    " [(dot1q|dot1ad) <vlan:outer> [inner-dot1q <vlan:inner>]] [exact-match]",
    "create sub-interfaces <interface> <number:id> (default|untagged)",
)
def create_subinterface(console: Console, words: Match) -> Lines:
    """Create a sub-interface for frames with certain VLAN tags, or without tags; it can route if the match is exact."""
    ident, outer = words["id"], words.get("outer")
    if "default" in words or "untagged" in words:
        sub = SubInterface(ident, 0, exact="untagged" in words)
        return [_name(console, add_subinterface(console, words["interface"], sub))]
    if outer is None and ident > _MOST_VLAN:
        raise UsageError(f"id {ident} is not a VLAN id (1 to {_MOST_VLAN}); give the VLAN id: dot1q <number>")
    tags = (_vlan(ident if outer is None else outer), _vlan(words["inner"]) if "inner-dot1q" in words else 0)
    # A bare id is that tag and no other, as in VPP.
    exact = outer is None or "exact-match" in words
    sub = SubInterface(ident, *tags, dot1ad="dot1ad" in words, exact=exact)
    return [_name(console, add_subinterface(console, words["interface"], sub))]


def add_subinterface(console: Console, parent: int, sub: SubInterface) -> int:
    """Make a sub-interface, whose number is returned; UsageError when its tags are none."""
    if not sub.id:
        raise UsageError(f"sub-interface id 0 is not between 1 and {2**32 - 1}")
    if sub.exact and ANY_VLAN in (sub.outer, sub.inner):
        raise UsageError("exact-match needs VLAN ids, not any, for the frames that the sub-interface sends")
    return console.core.add_subinterface(parent, sub)


def _vlan(given: int) -> int:
    """The number of a tag that is typed, -1 for any."""
    return ANY_VLAN if given == -1 else checked_vlan(given)


def checked_vlan(number: int) -> int:
    """A tag's number; UsageError when it is none."""
    if not 1 <= number <= _MOST_VLAN:
        raise UsageError(f"VLAN id {number} is not between 1 and {_MOST_VLAN}")
    return number


@command("delete sub-interface <interface>")
def delete_subinterface(console: Console, words: Match) -> None:
    """Delete a sub-interface, with its addresses."""
    delete(console, words["interface"], InterfaceKind.SUB, "a sub-interface")


@command("create loopback interface ([mac <mac>]|[instance <number>])...")
def create_loopback(console: Console, words: Match) -> Lines:
    """Create a loopback, for addresses of the router or as a BVI."""
    return [_name(console, add_loopback(console, words.get("number"), words.get("mac")))]


def add_loopback(console: Console, instance: int | None, mac: str | None) -> int:
    """Make a loopback, the first free one unless `instance` says which; returns its number."""
    return console.core.add_loopback(free_number(console, "loop") if instance is None else instance, mac)


def free_number(console: Console, prefix: str) -> int:
    """The first number that no interface of that kind has in its name."""
    names = console.interface_names()
    return next(number for number in range(len(names) + 1) if f"{prefix}{number}" not in names)


@command("delete loopback interface [intfc] <interface>", "loopback delete-interface intfc <interface>")
def delete_loopback(console: Console, words: Match) -> None:
    """Delete a loopback, with its addresses."""
    delete(console, words["interface"], InterfaceKind.LOOPBACK, "a loopback")


def delete(console: Console, index: int, kind: InterfaceKind, what: str) -> None:
    """Delete the interface, which must be of `kind`. Interfaces that were cross-connected to it route again."""
    face = console.core.interface(index)
    if face.kind is not kind:
        raise UsageError(f"{face.name} is not {what}")
    console.core.delete_interface(index)
    console.statistics.forget_interface(index)
    console.tags.pop(index, None)


def _name(console: Console, index: int) -> str:
    return console.core.interface(index).name
