"""Terms of an access list, as people write them, made into rules of one source and one destination each."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from ipaddress import ip_interface, ip_network

from wirespeed.config.schema import AclTerm, PrefixList
from wirespeed.config.state import AclRuleState
from wirespeed.findings import shown

_PROTOCOLS = {
    "icmp": 1, "igmp": 2, "ipip": 4, "tcp": 6, "udp": 17, "gre": 47, "esp": 50, "ah": 51, "ipv6-icmp": 58, "icmp6": 58,
    "ospf": 89, "vrrp": 112, "sctp": 132,
}  # fmt: skip
"""Known without /etc/protocols, which a small system does not have."""
_SERVICES = {
    "ftp": 21, "ssh": 22, "telnet": 23, "smtp": 25, "domain": 53, "tftp": 69, "http": 80, "ntp": 123, "snmp": 161,
    "bgp": 179, "ldap": 389, "https": 443, "ldp": 646, "bfd-control": 3784,
}  # fmt: skip
_ANY = {4: "0.0.0.0/0", 6: "::/0"}
_RANGE = re.compile(r"(\d*)-(\d*)")


class Unusable(Exception):
    """A value of a term that means nothing; `mend` says what would."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


def protocol_number(term: AclTerm) -> int:
    """0: any."""
    protocol = term.protocol
    if protocol is None or protocol == "any":
        return 0
    if isinstance(protocol, int) or protocol.isdecimal():
        if 1 <= int(protocol) <= 255:
            return int(protocol)
        raise Unusable(f"protocol {protocol} is not between 1 and 255", "give its number, or its name")
    if protocol.lower() in _PROTOCOLS:
        return _PROTOCOLS[protocol.lower()]
    try:
        return socket.getprotobyname(protocol)
    except OSError:
        fix = f"give its number, or one of {', '.join(sorted(_PROTOCOLS))}"
        raise Unusable(f"protocol {shown(protocol)} is not known", fix) from None


def port_range(port: int | str | None) -> tuple[int, int]:
    """First and last port of a number, a service's name or `N-M`, either end of which may be missing."""
    if isinstance(port, str) and not _RANGE.fullmatch(port) and port != "any" and not port.isdecimal():
        return _service(port), _service(port)
    return _range(port, "port", 65535)


def value_range(given: int | str | None, what: str) -> tuple[int, int]:
    """First and last ICMP type or code."""
    return _range(given, what, 255)


def _range(given: int | str | None, what: str, most: int) -> tuple[int, int]:
    if given is None or given == "any":
        return 0, most
    text = str(given)
    match = _RANGE.fullmatch(text)
    fix = f"give a number from 0 to {most}, a range N-M, or any"
    if (match is None and not text.isdecimal()) or text == "-":
        raise Unusable(f"{what} {shown(text)} is neither a number nor a range", fix)
    first, last = (text, text) if match is None else (match[1] or "0", match[2] or str(most))
    if int(first) > most or int(last) > most:
        raise Unusable(f"{what} {shown(text)} is above {most}", fix)
    if int(first) > int(last):
        raise Unusable(f"{what} {shown(text)} goes from high to low", f"write {last}-{first}")
    return int(first), int(last)


def _service(name: str) -> int:
    if name.lower() in _SERVICES:
        return _SERVICES[name.lower()]
    try:
        return socket.getservbyname(name)
    except OSError:
        fix = "give a number from 0 to 65535, a service, a range N-M, or any"
        raise Unusable(f"port {shown(name)} is not a number, service or range", fix) from None


def _prefixes(asked: str | None, key: str, lists: Mapping[str, PrefixList]) -> dict[int, list[str]]:
    """By family: those of a prefix, an address, a prefix list, or any."""
    if asked is None or asked == "any":
        return {family: [prefix] for family, prefix in _ANY.items()}
    members = lists[asked].members if asked in lists else [asked]
    by_family: dict[int, list[str]] = {4: [], 6: []}
    for member in members:
        try:
            network = ip_interface(member).network
        except ValueError:
            fix = "give an address, a prefix, any, or add it to prefixlists"
            raise Unusable(f"{key} {shown(asked)} is neither an address nor the name of a prefix list", fix) from None
        by_family[network.version].append(str(ip_network(network)))
    return by_family


def rules_of(term: AclTerm, lists: Mapping[str, PrefixList], only_addresses: bool = False) -> tuple[AclRuleState, ...]:
    """Every pair of a source and a destination of the same family; Unusable without one. `only_addresses`: only the
    first pair, without protocol and ports."""
    sources, destinations = _prefixes(term.source, "source", lists), _prefixes(term.destination, "destination", lists)
    families = {"ipv4": (4,), "ipv6": (6,), "any": (4, 6)}[term.family]
    for key, given, found in (("source", term.source, sources), ("destination", term.destination, destinations)):
        if not any(found[family] for family in families):
            of = f"of family {term.family}" if term.family != "any" else "at all"
            raise Unusable(f"{key} {shown(given)} has no address {of}", "change the family, or the addresses")
    used = [family for family in families if sources[family] and destinations[family]]
    if not used:
        message = f"source {shown(term.source)} and destination {shown(term.destination)} have no family in common"
        raise Unusable(message, "give both addresses of one family")
    if only_addresses:
        return (AclRuleState(term.action, sources[used[0]][0], destinations[used[0]][0]),)
    protocol = protocol_number(term)
    if protocol in (1, 58):
        first, second = value_range(term.icmp_type, "icmp-type"), value_range(term.icmp_code, "icmp-code")
    else:
        first, second = port_range(term.source_port), port_range(term.destination_port)
    return tuple(
        AclRuleState(term.action, source, destination, protocol, first, second)
        for family in used
        for source in sources[family]
        for destination in destinations[family]
    )
