"""Rules of ACLs as VPP's command line writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network

from wirespeed.errors import UsageError
from wirespeed.router.features.acl.core import AclAction, AclRule

_ACTIONS = {action.word: action for action in AclAction}
_VALUES = ("src", "dst", "proto", "sport", "dport", "tcpflags", "mask")
_MOST = {"proto": 255, "tcpflags": 255, "mask": 255, "index": 2**31 - 1}
_MOST_PORT = 65535
_PROTOCOLS = {"icmp": 1, "tcp": 6, "udp": 17, "icmp6": 58, "sctp": 132}
_ALL: dict[int, IPv4Network | IPv6Network] = {4: IPv4Network("0.0.0.0/0"), 6: IPv6Network("::/0")}


@dataclass(frozen=True)
class AclLine:
    """`index` None: a new one."""

    rules: tuple[AclRule, ...]
    index: int | None
    tag: str


def read_acl(line: str) -> AclLine:
    """The words after `set acl-plugin acl`: rules separated by commas, and `index` and `tag` anywhere. UsageError names
    the rule and the wrong word."""
    settings: dict[str, str] = {}
    rules = []
    for number, text in enumerate(line.split(",")):
        words = dict(_pairs(number, text.split(), settings))
        if not words:
            raise UsageError(f"rule {number} is empty; it begins with one of {', '.join(_ACTIONS)}")
        rules.append(_rule(number, words))
    index = _number(0, "index", settings["index"]) if "index" in settings else None
    return AclLine(tuple(rules), index, settings.get("tag", ""))


def _pairs(number: int, words: list[str], settings: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The words of the rule, each with its value; settings of the whole ACL go into `settings`."""
    seen: set[str] = set()
    rest = iter(words)
    for word in rest:
        name = "action" if word in _ACTIONS else word
        if name not in ("action", "index", "tag", *_VALUES):
            allowed = (*_ACTIONS, *_VALUES, "index", "tag")
            raise UsageError(f"rule {number}: unknown word {word!r}; give one of {', '.join(allowed)}")
        value = word if name == "action" else next(rest, "")
        if not value:
            raise UsageError(f"rule {number}: {word} needs a value")
        if name in seen or name in settings:
            raise UsageError(f"rule {number}: {name} is given twice; give it once")
        if name in ("index", "tag"):
            settings[name] = value
            continue
        seen.add(name)
        yield name, value


def _rule(number: int, words: dict[str, str]) -> AclRule:
    if "action" not in words:
        raise UsageError(f"rule {number} has no action; it begins with one of {', '.join(_ACTIONS)}")
    if ("tcpflags" in words) != ("mask" in words):
        raise UsageError(f"rule {number}: tcpflags and mask need each other; give both")
    source, destination = _prefixes(number, words)
    return AclRule(
        _ACTIONS[words["action"]],
        source,
        destination,
        _PROTOCOLS.get(words.get("proto", "0")) or _number(number, "proto", words.get("proto", "0")),
        _ports(number, words.get("sport")),
        _ports(number, words.get("dport")),
        _number(number, "tcpflags", words.get("tcpflags", "0")),
        _number(number, "mask", words.get("mask", "0")),
    )


def _prefixes(number: int, words: dict[str, str]) -> tuple[IPv4Network | IPv6Network, IPv4Network | IPv6Network]:
    """Without one of the two, all of the other's family; without both, of IPv4."""
    prefixes: dict[str, IPv4Network | IPv6Network] = {}
    for name in ("src", "dst"):
        if name in words:
            try:
                prefixes[name] = ip_network(words[name], strict=False)
            except ValueError:
                raise UsageError(f"rule {number}: {words[name]!r} is not a prefix such as 192.0.2.0/24") from None
    family = next((network.version for network in prefixes.values()), 4)
    source, destination = (prefixes.get(name, _ALL[family]) for name in ("src", "dst"))
    if source.version != destination.version:
        raise UsageError(f"rule {number} has prefixes of two families; give two of one")
    return source, destination


def _ports(number: int, words: str | None) -> tuple[int, int]:
    if words is None:
        return 0, _MOST_PORT
    first, _, last = words.partition("-")
    values = (first, last or first)
    if not all(value.isascii() and value.isdecimal() and int(value) <= _MOST_PORT for value in values):
        raise UsageError(f"rule {number}: {words!r} is not a port or range such as 80 or 1024-65535")
    return int(values[0]), int(values[1])


def _number(number: int, name: str, word: str) -> int:
    try:
        value = int(word, 0)
    except ValueError:
        value = -1
    if not 0 <= value <= _MOST[name]:
        raise UsageError(f"rule {number}: {name} {word!r} is not a number from 0 to {_MOST[name]}")
    return value


def rule_text(rule: AclRule) -> str:
    """The rule as VPP shows it; the text can be typed as a command."""
    text = f"{rule.action.word} src {rule.source} dst {rule.destination} proto {rule.protocol}"
    for word, (first, last) in (("sport", rule.source_ports), ("dport", rule.destination_ports)):
        text += f" {word} {first}" if first == last else f" {word} {first}-{last}"
    if rule.tcp_flags_mask or rule.tcp_flags_value:
        text += f" tcpflags {rule.tcp_flags_value} mask {rule.tcp_flags_mask}"
    return text
