"""Access lists and the prefix lists that they name."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.config.acl_terms import Unusable, port_range, protocol_number, rules_of, value_range
from wirespeed.config.lookup import Lookup
from wirespeed.config.schema import AclTerm
from wirespeed.findings import FileFinding, Path

_TCP, _UDP = 6, 17
_ICMP, _ICMP6 = 1, 58


def _terms(lookup: Lookup) -> Iterator[tuple[Path, AclTerm]]:
    for name, acl in lookup.config.acls.items():
        for place, term in enumerate(acl.terms):
            yield ("acls", name, "terms", place), term


def prefixlist_name(lookup: Lookup) -> Iterator[FileFinding]:
    if "any" in lookup.config.prefixlists:
        yield FileFinding(("prefixlists", "any"), "`any` is every address", "name it otherwise")


def acl_protocol(lookup: Lookup) -> Iterator[FileFinding]:
    for path, term in _terms(lookup):
        try:
            protocol_number(term)
        except Unusable as error:
            yield FileFinding((*path, "protocol"), str(error), error.fix)


def acl_ports(lookup: Lookup) -> Iterator[FileFinding]:
    for path, term in _terms(lookup):
        for key, port in (("source-port", term.source_port), ("destination-port", term.destination_port)):
            if port is None:
                continue
            if _protocol(term) not in (_TCP, _UDP):
                message = f"{key} {port} with protocol {term.protocol or 'any'}"
                yield FileFinding((*path, key), message, "ports are of tcp and udp: give one of them as protocol")
                continue
            try:
                port_range(port)
            except Unusable as error:
                yield FileFinding((*path, key), str(error), error.fix)


def acl_icmp(lookup: Lookup) -> Iterator[FileFinding]:
    for path, term in _terms(lookup):
        for key, number in (("icmp-type", term.icmp_type), ("icmp-code", term.icmp_code)):
            if number is None:
                continue
            if _protocol(term) not in (_ICMP, _ICMP6):
                message = f"{key} {number} with protocol {term.protocol or 'any'}"
                yield FileFinding((*path, key), message, "this is of icmp and ipv6-icmp: give one of them as protocol")
                continue
            try:
                value_range(number, key)
            except Unusable as error:
                yield FileFinding((*path, key), str(error), error.fix)


def acl_addresses(lookup: Lookup) -> Iterator[FileFinding]:
    """Each term leaves at least one pair of source and destination of one family."""
    for path, term in _terms(lookup):
        try:
            rules_of(term, lookup.config.prefixlists, only_addresses=True)
        except Unusable as error:
            yield FileFinding(path, str(error), error.fix)


def _protocol(term: AclTerm) -> int | None:
    try:
        return protocol_number(term)
    except Unusable:
        return None


RULES = (prefixlist_name, acl_protocol, acl_ports, acl_icmp, acl_addresses)
