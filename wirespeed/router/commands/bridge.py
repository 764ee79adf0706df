"""create and show bridge-domain, l2fib: Ethernet stations and which interface each is behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.columns import centre
from wirespeed.router.commands.l2 import checked_domain, tag_rewrite_text
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.grammar import Match
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import BridgeDomain, L2FibEntry

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_MOST_AGE = 255
MOST_TAG = 63
"""Characters of a bridge domain's tag."""
_FLAGS = {"learn": "learn", "forward": "forward", "flood": "flood", "uu-flood": "uu_flood"}


@command(
    "create bridge-domain <number:id> ([learn <number:learn>]|[forward <number:forward>]|[uu-flood <number:uu-flood>]"
    "|[flood <number:flood>]|[mac-age <number:age>]|[bd-tag <word:tag>])..."
)
def create_bridge_domain(console: Console, words: Match) -> Lines:
    """Make a bridge domain, or change its flags: 1 or 0 for each; mac-age is in minutes, 0 never."""
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
    console.core.set_bridge_domain(replace(domain, age_min=age))
    if tag:
        console.domain_tags[ident] = tag
    return [f"bridge-domain {ident}"]


@command("create bridge-domain <number:id> del", "delete bridge-domain <number:id>")
def delete_bridge_domain(console: Console, words: Match) -> None:
    """Take a bridge domain away that has no interface any more."""
    delete_domain(console, checked_domain(words["id"]))


def delete_domain(console: Console, ident: int) -> None:
    """The domain and its tag."""
    console.core.delete_bridge_domain(ident)
    console.domain_tags.pop(ident, None)


def _set_flag(name: str, console: Console, words: Match) -> None:
    console.core.set_bridge_domain(replace(domain_of(console, words["id"]), **{name: "disable" not in words}))


@command("set bridge-domain learn <number:id> [disable]")
def set_learn(console: Console, words: Match) -> None:
    """Whether a bridge domain learns where stations are."""
    _set_flag("learn", console, words)


@command("set bridge-domain forward <number:id> [disable]")
def set_forward(console: Console, words: Match) -> None:
    """Whether a bridge domain forwards frames for one station."""
    _set_flag("forward", console, words)


@command("set bridge-domain flood <number:id> [disable]")
def set_flood(console: Console, words: Match) -> None:
    """Whether a bridge domain floods frames for all, or for a group."""
    _set_flag("flood", console, words)


@command("set bridge-domain uu-flood <number:id> [disable]")
def set_uu_flood(console: Console, words: Match) -> None:
    """Whether a bridge domain floods frames for stations that it does not know."""
    _set_flag("uu_flood", console, words)


@command("set bridge-domain mac-age <number:id> <number:age>")
def set_mac_age(console: Console, words: Match) -> None:
    """Minutes after which a station that was not heard of is forgotten; 0: never."""
    domain = domain_of(console, words["id"])
    if words["age"] > _MOST_AGE:
        raise UsageError(f"mac-age {words['age']} is not between 0 and {_MOST_AGE} minutes")
    console.core.set_bridge_domain(replace(domain, age_min=words["age"]))


def domain_of(console: Console, ident: int) -> BridgeDomain:
    """The bridge domain of that number; UsageError when there is none."""
    for domain in console.core.bridge_domains():
        if domain.id == ident:
            return domain
    raise UsageError(f"there is no bridge domain {ident}")


@command("show bridge-domain [<number:id>] [detail|int]")
def show_bridge_domain(console: Console, words: Match) -> Iterator[str]:
    """Bridge domains and what they do; detail: with their interfaces."""
    ident = words.get("id")
    domains = console.core.bridge_domains() if ident is None else [domain_of(console, ident)]
    if not domains:
        yield "no bridge-domains in use"
        return
    yield (
        f"{centre('BD-ID', 8)}{centre('Index', 8)}{centre('Age(min)', 10)}{centre('Learning', 10)}"
        f"{centre('U-Forwrd', 10)}{centre('UU-Flood', 10)}{centre('Flooding', 10)}{centre('BVI-Intf', 16)}"
    )
    for index, domain in enumerate(domains, 1):
        yield _summary(console, domain, index)
        if "detail" in words and domain.id in console.domain_tags:
            yield f"  BD-Tag: {console.domain_tags[domain.id]}"
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
    """Say where a station of a bridge domain is, or that frames to it are dropped."""
    console.core.add_l2fib(L2FibEntry(checked_domain(words["id"]), words["mac"], words.get("interface")))


@command("l2fib del <mac> <number:id>")
def delete_l2fib(console: Console, words: Match) -> None:
    """Forget a station of a bridge domain."""
    console.core.delete_l2fib(checked_domain(words["id"]), words["mac"])


@command("clear l2fib", "l2fib flush-mac all")
def clear_l2fib(console: Console, words: Match) -> None:
    """Forget all stations that were learnt."""
    console.core.flush_l2fib()


@command("show l2fib [verbose|all|bd_id <number:id>|learn|add]")
def show_l2fib(console: Console, words: Match) -> Iterator[str]:
    """Stations of bridge domains; verbose or a choice: each of them, else how many."""
    entries = sorted(console.core.l2fib(), key=lambda entry: (entry.domain, entry.mac))
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
