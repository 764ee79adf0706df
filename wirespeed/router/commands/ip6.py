"""IPv6: interfaces, router advertisements, announcements, duplicate address detection.

- An interface accepts IPv6 once it has an IPv6 address, or after `enable ip6 interface`. It then has a link-local
  address made from its MAC address, and listens to all nodes, all routers and the solicited groups of its addresses.
  `set interface ip address IF fe80::…/64` also sets the link-local address.
- The path is `ip6-input ip6-lookup ip6-load-balance ip6-rewrite`. Extension headers are forwarded unchanged; of packets
  to the router itself at most eight are examined. ICMPv6 errors share the rate limit of ICMP errors (1 000 per second
  and worker).
- `ip6-input` drops and counts addresses of link-local scope, loopback, embedded IPv4 addresses, and groups other than
  the interface's. An answer to a link-local address goes to the station that asked.
- **Router advertisements** are off until `ip6 nd IF no ra-suppress`. They announce the prefixes of the interface's
  addresses and those of `ip6 nd IF prefix`.
- **MLD.** Queries of both versions are answered by a version 2 report for all routers and the solicited groups, at most
  once per second and interface. On a paired interface Linux answers them.
- **Announcements.** `set ip neighbor-config … announce on` (default: off) announces an interface's addresses twice when
  they change and when it comes up. IPv4 uses gratuitous ARP (RFC 5227), IPv6 unsolicited advertisements, with listener
  reports one second apart (RFC 3810). At most 64 interfaces are announced at once; others follow. Put these lines
  before those that bring interfaces up. `neighbors { announce ip4|ip6|all }` in startup.conf does the same.
- **Duplicate address detection** (RFC 4862) is off by default, as in VPP, which uses addresses at once. With 1 to 10
  transmits it checks each IPv6 address before use, including the link-local one. `neighbors { dad-transmits N }` in
  startup.conf sets it for all interfaces, `all` also for later ones.
- While it is checked, the address is `tentative` in `show interface address` and `show ip6 interface`: for that many
  solicitations, one second apart, and one second after the last. Until then it has no routes, does not answer and is
  not a source. While the link-local address is in doubt, nothing is sent from it (listener reports use `::`) and no
  router is advertised. An interface that is down does not ask; it asks for all addresses whenever it comes up.
- An address that another station advertises or checks at the same time becomes a `duplicate`. Standard error gets a
  line with that station's MAC address. The address is unused until it is added again or the interface comes up again.
- On paired interfaces Linux checks addresses. A loopback that is not a BVI has no link. IPv4 addresses are not checked.
- Not supported: `ip6 nd` with `ra-initial`, `ra-cease`, `ra-send-unicast`, `ra-suppress-link-layer`, `proxy`, and the
  prefix options `default` and `no-advertise`; `ip6 nd address autoconfig`; segment routing; reassembly of fragments to
  the router.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv6Address, IPv6Network
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.router.limits import MOST_TRANSMITS
from wirespeed.seam.ip6 import AdvertisedPrefix, DadState

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_FOR_EVER = 2**32 - 1


@command("enable ip6 interface <interface>")
def enable(console: Console, words: Match) -> None:
    """Enable IPv6, with a link-local address."""
    console.core.ip6.enable(words["interface"], True)


@command("disable ip6 interface <interface>")
def disable(console: Console, words: Match) -> None:
    """Disable IPv6, unless the interface has an IPv6 address."""
    console.core.ip6.enable(words["interface"], False)


@command("set ip6 link-local address <interface> <address>")
def set_link_local(console: Console, words: Match) -> None:
    """Set the link-local address in place of the one made from the MAC address."""
    address = words["address"]
    if address.version != 6 or not address.is_link_local:
        raise UsageError(f"{address} is not a link-local address; give one in fe80::/10")
    console.core.ip6.set_link_local(words["interface"], address)


@command("ip6 nd <interface> [no] (ra-suppress|suppress)")
def suppress(console: Console, words: Match) -> None:
    """Suppress router advertisements (default); no: send them."""
    _change(console, words, is_on="no" in words)


@command("ip6 nd <interface> [no] (ra-managed-config-flag|ra-other-config-flag)")
def set_flag(console: Console, words: Match) -> None:
    """Announce DHCPv6 for addresses, or for other settings."""
    flag = "managed" if "ra-managed-config-flag" in words else "other"
    _change(console, words, **{flag: "no" not in words})


@command("ip6 nd <interface> (ra-interval|interval) <number:most> [<number:least>]")
def set_interval(console: Console, words: Match) -> None:
    """Set the longest and shortest interval of router advertisements, in seconds."""
    most = words["most"]
    least = words.get("least", max(3, most * 3 // 4))
    if not 4 <= most <= 1800 or not 3 <= least <= most:
        raise UsageError(
            f"ra-interval {most} {least}: give a maximum of 4 to 1800 s, and a minimum of 3 s to the maximum"
        )
    _change(console, words, max_interval_s=most, min_interval_s=least)


@command("ip6 nd <interface> ra-lifetime <number>")
def set_lifetime(console: Console, words: Match) -> None:
    """Set the lifetime of the router in advertisements, in seconds."""
    if words["number"] > 9000:
        raise UsageError(f"ra-lifetime {words['number']} is above 9000 s")
    _change(console, words, lifetime_s=words["number"])


@command(
    "ip6 nd <interface> prefix <prefix> [infinite|<number:valid> <number:preferred>] [off-link] [no-autoconfig]",
)
def add_prefix(console: Console, words: Match) -> None:
    """Advertise a prefix; for a prefix of the interface, change its default parameters."""
    prefix = _six(words)
    for_ever = "infinite" in words
    advertised = AdvertisedPrefix(
        prefix,
        _FOR_EVER if for_ever else words.get("valid", 2_592_000),
        _FOR_EVER if for_ever else words.get("preferred", 604_800),
        "off-link" not in words,
        "no-autoconfig" not in words,
    )
    others = [other for other in console.core.ip6.of(words["interface"]).advertising.prefixes if other.prefix != prefix]
    _change(console, words, prefixes=(*others, advertised))


@command("ip6 nd <interface> no prefix <prefix>")
def delete_prefix(console: Console, words: Match) -> None:
    """Stop advertising a prefix; for a prefix of the interface, restore its defaults."""
    prefix, present = _six(words), console.core.ip6.of(words["interface"]).advertising.prefixes
    kept = tuple(other for other in present if other.prefix != prefix)
    if len(kept) == len(present):
        raise UsageError(f"prefix {prefix} is not advertised by the interface; show ip6 interface lists its prefixes")
    _change(console, words, prefixes=kept)


def _six(words: Match) -> IPv6Network:
    network = words["prefix"].network
    if not isinstance(network, IPv6Network):
        raise UsageError(f"{network} is not an IPv6 prefix; give one such as 2001:db8::/64")
    return network


def _change(console: Console, words: Match, **changes: object) -> None:
    index = words["interface"]
    advertising = console.core.ip6.of(index).advertising
    console.core.ip6.set_advertising(index, replace(advertising, **changes))  # type: ignore[arg-type]


@command("set ip neighbor-config (ip4|ip6) age <number>")
def set_age(console: Console, words: Match) -> None:
    """Set the seconds of silence after which a neighbour is queried; 0: never."""
    console.core.ip6.set_reachable_time(6 if "ip6" in words else 4, words["number"])


@command("set ip neighbor-config (ip4|ip6) announce (on|off)")
def set_announcing(console: Console, words: Match) -> None:
    """Announce addresses when they are added and when their interface comes up."""
    console.core.ip6.set_announcing(6 if "ip6" in words else 4, "on" in words)


@command("set ip6 dad (all) transmits <number>", "set ip6 dad <interface> transmits <number>")
def set_dad(console: Console, words: Match) -> None:
    """Set the number of solicitations before an address is used; 0 (default): no check."""
    if words["number"] > MOST_TRANSMITS:
        raise UsageError(f"transmits {words['number']} is above {MOST_TRANSMITS}")
    console.core.ip6.set_dad(None if "all" in words else words["interface"], words["number"])


def dad_word(console: Console, index: int, address: object) -> str:
    """Word for an address that is not in use: `` tentative`` or `` duplicate``; empty for others."""
    state = console.core.ip6.dad_state(index, address) if isinstance(address, IPv6Address) else DadState.USED
    return f" {state.name.lower()}" if state else ""


@command("show ip6 interface [<interface>...]")
def show_interface(console: Console, words: Match) -> Iterator[str]:
    """IPv6 of the interfaces: addresses, groups, router advertisements."""
    for index in console.interfaces(words.all("interface")):
        face, ip6 = console.core.interface(index), console.core.ip6.of(index)
        state = "up" if face.admin_up else "down"
        if ip6.link_local is None:
            if words.all("interface"):
                yield f"{face.name} is admin {state}, IPv6 disabled"
            continue
        yield f"{face.name} is admin {state}"
        yield "  Link-local address(es):"
        yield f"    {ip6.link_local}{dad_word(console, index, ip6.link_local)}"
        own = [address for address in face.addresses if address.version == 6]
        if own:
            yield "  Global unicast address(es):"
            for address in own:
                yield f"    {address.ip}, subnet is {address.network}{dad_word(console, index, address.ip)}"
        yield "  Joined group address(es):"
        yield "    ff02::1"
        yield "    ff02::2"
        solicited = {int(address) & 0xFFFFFF for address in (ip6.link_local, *(a.ip for a in own))}
        yield from (f"    ff02::1:ff{bits >> 16:02x}:{bits & 0xFFFF:x}" for bits in sorted(solicited))
        yield f"  MTU is {face.mtu}"
        transmits = console.core.ip6.dad(index)
        yield f"  ND DAD is enabled, {transmits} probes" if transmits else "  ND DAD is disabled"
        advertising = ip6.advertising
        if advertising.is_on:
            least, most = advertising.min_interval_s, advertising.max_interval_s
            yield f"  ND router advertisements are sent every {least} to {most} seconds"
            yield f"  ND router advertisements live for {advertising.lifetime_s} seconds"
            for given in advertising.prefixes:
                yield f"    prefix {given.prefix} valid {given.valid_s} preferred {given.preferred_s}"
        else:
            yield "  ND router advertisements are suppressed"
