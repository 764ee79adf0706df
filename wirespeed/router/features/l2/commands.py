"""Layer 2: cross-connects, bridge domains, stations, VLAN tag rewrites.

- A cross-connect has one direction; any port or sub-interface can be its source or target. A BVI is a loopback: the
  router itself as a station of the domain.
- A tag rewrite applies to received frames and is reversed for sent ones, so `pop` needs a sub-interface with known
  tags.
- `show l2 xconnect` is an extension. Not supported: `set interface l2 bridge … uu-fwd`, `l2 efp-filter`, `l2
  pbb-tag-rewrite`, `l2 input/output acl`.
- Workers learn stations in a table of 131 072 entries for all domains. Frames to a station without an entry are
  flooded.
- Flooded copies go into a queue of 2 048 per worker and are sent in its next iteration, before newly received packets.
  A copy without room is a counted drop. `/sys/made` of the statistics counts copies and fragments: received and made
  packets are sent, dropped or punted.
- Ages are whole minutes. The only learn limit is the size of the table.
- Not supported: `arp term`, `arp-ufwd`. `delete bridge-domain N` is an addition to `create bridge-domain N del`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.columns import centre
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.commands.subinterfaces import checked_vlan
from wirespeed.router.features.l2.core import BridgeDomain, L2FibEntry
from wirespeed.router.grammar import Match
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import Mode, RouterInterface, TagRewrite

if TYPE_CHECKING:
    from wirespeed.router.console import Console
    from wirespeed.router.native import NativeRouter

_MOST_GROUP = 255
_MOST_DOMAIN = (1 << 24) - 1
_MOST_AGE = 255
MOST_TAG = 63
"""Characters of a bridge domain's tag."""
_FLAGS = {"learn": "learn", "forward": "forward", "flood": "flood", "uu-flood": "uu_flood"}
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
    """Send all frames received by an interface out of another, unchanged; one direction."""
    connect(console.core, words["interface"], words["to"])


def connect(core: NativeRouter, interface: int, to: int) -> None:
    """Cross-connect one direction."""
    if interface == to:
        raise UsageError("an interface cannot be cross-connected to itself; name another")
    core.l2.set_xconnect(interface, to)


@command("set interface l2 bridge <interface> <number:domain> [bvi] [<number:shg>]")
def set_bridge(console: Console, words: Match) -> None:
    """Add an interface to a bridge domain, with an optional split-horizon group; bvi: a loopback as the router's own
    station."""
    group = words.get("shg", 0)
    if group > _MOST_GROUP:
        raise UsageError(f"split-horizon group {group} is not between 0 and {_MOST_GROUP}")
    console.core.l2.set_bridge(words["interface"], checked_domain(words["domain"]), "bvi" in words, group)


def checked_domain(ident: int) -> int:
    """A bridge domain's number; UsageError when it is none."""
    if not 1 <= ident <= _MOST_DOMAIN:
        raise UsageError(f"bridge domain {ident} is not between 1 and {_MOST_DOMAIN}")
    return ident


@command("set interface l3 <interface>")
def set_l3(console: Console, words: Match) -> None:
    """Return an interface from layer 2 to routing."""
    console.core.l2.set_l3(words["interface"])


@command(
    "set interface l2 tag-rewrite <interface> (disable|pop <number:pop>|push (dot1q|dot1ad) <number:tag> [<number:tag>]"
    "|(translate-1-1|translate-2-1) (dot1q|dot1ad) <number:tag>"
    "|(translate-1-2|translate-2-2) (dot1q|dot1ad) <number:tag> <number:tag>)"
)
def set_tag_rewrite(console: Console, words: Match) -> None:
    """Remove, add or replace VLAN tags of received frames; sent frames are rewritten in reverse."""
    tags = tuple(checked_vlan(tag) for tag in words.all("tag"))
    pop = words.get("pop")
    if pop is not None and pop not in (1, 2):
        raise UsageError(f"pop removes 1 or 2 tags, not {pop}")
    if pop is None:
        pop = next(count for word, (count, _) in _REWRITES.items() if word in words)
    console.core.l2.set_tag_rewrite(words["interface"], TagRewrite(pop, tags, "dot1ad" in words))


def tag_rewrite_text(face: RouterInterface) -> str:
    """The rewrite as a command: `pop 1`, `push dot1q 100`, `translate-1-2 dot1ad 5 6`; `none` if tags stay."""
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
    """Mode of the interfaces: routed, cross-connected or bridged."""
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


def _rewrite(face: RouterInterface) -> str:
    text = tag_rewrite_text(face)
    return "" if text == "none" else f" tag-rewrite {text}"


@command(
    "create bridge-domain <number:id> ([learn <number:learn>]|[forward <number:forward>]|[uu-flood <number:uu-flood>]"
    "|[flood <number:flood>]|[mac-age <number:age>]|[bd-tag <word:tag>])..."
)
def create_bridge_domain(console: Console, words: Match) -> Lines:
    """Create a bridge domain, or change its flags: 1 or 0 for each; mac-age in minutes, 0: never."""
    ident = checked_domain(words["id"])
    domain = BridgeDomain(ident)
    for word, name in _FLAGS.items():
        value = words.get(word, 1)
        if value not in (0, 1):
            raise UsageError(f"{word} is 1 or 0, not {value}")
        domain = replace(domain, **{name: bool(value)})
    age = words.get("age", 0)
    if age > _MOST_AGE:
        raise UsageError(f"mac-age {age} is not between 0 and {_MOST_AGE} minutes")
    tag = words.get("tag", "")
    if len(tag) > MOST_TAG:
        raise UsageError(f"bd-tag {tag} has more than {MOST_TAG} characters")
    console.core.l2.set_domain(replace(domain, age_min=age))
    if tag:
        console.l2.tags[ident] = tag
    return [f"bridge-domain {ident}"]


@command("create bridge-domain <number:id> del", "delete bridge-domain <number:id>")
def delete_bridge_domain(console: Console, words: Match) -> None:
    """Delete a bridge domain without interfaces."""
    delete_domain(console, checked_domain(words["id"]))


def delete_domain(console: Console, ident: int) -> None:
    """The domain and its tag."""
    console.core.l2.delete_domain(ident)
    console.l2.tags.pop(ident, None)


def _set_flag(name: str, console: Console, words: Match) -> None:
    console.core.l2.set_domain(replace(domain_of(console, words["id"]), **{name: "disable" not in words}))


@command("set bridge-domain learn <number:id> [disable]")
def set_learn(console: Console, words: Match) -> None:
    """Switch learning of stations on or off."""
    _set_flag("learn", console, words)


@command("set bridge-domain forward <number:id> [disable]")
def set_forward(console: Console, words: Match) -> None:
    """Switch forwarding of frames for one station on or off."""
    _set_flag("forward", console, words)


@command("set bridge-domain flood <number:id> [disable]")
def set_flood(console: Console, words: Match) -> None:
    """Switch flooding of broadcast and multicast frames on or off."""
    _set_flag("flood", console, words)


@command("set bridge-domain uu-flood <number:id> [disable]")
def set_uu_flood(console: Console, words: Match) -> None:
    """Switch flooding of frames for unknown stations on or off."""
    _set_flag("uu_flood", console, words)


@command("set bridge-domain mac-age <number:id> <number:age>")
def set_mac_age(console: Console, words: Match) -> None:
    """Set the minutes of silence after which a station is deleted; 0: never."""
    domain = domain_of(console, words["id"])
    if words["age"] > _MOST_AGE:
        raise UsageError(f"mac-age {words['age']} is not between 0 and {_MOST_AGE} minutes")
    console.core.l2.set_domain(replace(domain, age_min=words["age"]))


def domain_of(console: Console, ident: int) -> BridgeDomain:
    """The bridge domain of that number; UsageError when there is none."""
    for domain in console.core.l2.domains():
        if domain.id == ident:
            return domain
    raise UsageError(f"there is no bridge domain {ident}; show bridge-domain lists them")


@command("show bridge-domain [<number:id>] [detail|int]")
def show_bridge_domain(console: Console, words: Match) -> Iterator[str]:
    """Bridge domains and their flags; detail: with their interfaces."""
    ident = words.get("id")
    domains = console.core.l2.domains() if ident is None else [domain_of(console, ident)]
    if not domains:
        yield "no bridge-domains in use"
        return
    yield (
        f"{centre('BD-ID', 8)}{centre('Index', 8)}{centre('Age(min)', 10)}{centre('Learning', 10)}"
        f"{centre('U-Forwrd', 10)}{centre('UU-Flood', 10)}{centre('Flooding', 10)}{centre('BVI-Intf', 16)}"
    )
    for index, domain in enumerate(domains, 1):
        yield _summary(console, domain, index)
        if "detail" in words and domain.id in console.l2.tags:
            yield f"  BD-Tag: {console.l2.tags[domain.id]}"
        if "detail" in words or "int" in words:
            yield from _members(console, domain)


def _summary(console: Console, domain: BridgeDomain, index: int) -> str:
    flags = "".join(centre("on" if on else "off", 10) for on in (domain.learn, domain.forward))
    floods = centre("flood" if domain.uu_flood else "drop", 10) + centre("on" if domain.flood else "off", 10)
    bvi = "N/A" if domain.bvi is None else console.core.interface(domain.bvi).name
    age = centre(domain.age_min or "off", 10)
    return f"{centre(domain.id, 8)}{centre(index, 8)}{age}{flags}{floods}{centre(bvi, 16)}"


def _members(console: Console, domain: BridgeDomain) -> Iterator[str]:
    yield ""
    yield (
        f"{centre('Interface', 32)}{centre('If-idx', 8)}{centre('SHG', 5)}{centre('BVI', 5)}"
        f"{centre('VLAN-Tag-Rewrite', 32)}"
    )
    for index in console.interfaces(()):
        face = console.core.interface(index)
        if face.bridge_domain == domain.id:
            yield (
                f"{centre(face.name, 32)}{centre(shown_index(index), 8)}{centre(face.split_horizon_group, 5)}"
                f"{centre('*' if face.is_bvi else '-', 5)}{centre(tag_rewrite_text(face), 32)}"
            )
    yield ""


@command("l2fib add <mac> <number:id> (<interface> [static]|filter)")
def add_l2fib(console: Console, words: Match) -> None:
    """Add a station of a bridge domain; filter: frames to it are dropped."""
    console.core.l2.add_station(L2FibEntry(checked_domain(words["id"]), words["mac"], words.get("interface")))


@command("l2fib del <mac> <number:id>")
def delete_l2fib(console: Console, words: Match) -> None:
    """Delete a station of a bridge domain."""
    console.core.l2.delete_station(checked_domain(words["id"]), words["mac"])


@command("clear l2fib", "l2fib flush-mac all")
def clear_l2fib(console: Console, words: Match) -> None:
    """Delete all learned stations."""
    console.core.l2.flush()


@command("show l2fib [verbose|all|bd_id <number:id>|learn|add]")
def show_l2fib(console: Console, words: Match) -> Iterator[str]:
    """Number of stations; verbose or a selection: each station."""
    entries = sorted(console.core.l2.stations(), key=lambda entry: (entry.domain, entry.mac))
    learnt = sum(not entry.is_static for entry in entries)
    shown = [entry for entry in entries if _is_chosen(entry, words)]
    if len(words.values) > 2:
        yield (
            f"{centre('Mac-Address', 19)}{centre('BD-Idx', 8)}{centre('If-Idx', 8)}{centre('Age(min)', 10)}"
            f"{centre('static', 8)}{centre('filter', 8)}{centre('bvi', 5)}{centre('Interface-Name', 32)}"
        )
        yield from (_station(console, entry) for entry in shown)
    yield f"L2FIB total/learned entries: {len(entries)}/{learnt}"


def _is_chosen(entry: L2FibEntry, words: Match) -> bool:
    if "learn" in words or "add" in words:
        return entry.is_static == ("add" in words)
    return bool(words.get("id", entry.domain) == entry.domain)


def _station(console: Console, entry: L2FibEntry) -> str:
    face = None if entry.interface is None else console.core.interface(entry.interface)
    index = "-" if entry.interface is None else shown_index(entry.interface)
    age = "-" if entry.is_static else entry.age_s // 60
    marks = (
        f"{centre('*' if entry.is_static else '-', 8)}{centre('-' if face else '*', 8)}"
        f"{centre('*' if face and face.is_bvi else '-', 5)}"
    )
    name = face.name if face else "N/A"
    return (
        f"{centre(entry.mac, 19)}{centre(entry.domain, 8)}{centre(index, 8)}{centre(age, 10)}{marks}{centre(name, 32)}"
    )
