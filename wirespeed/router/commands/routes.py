"""Routes: prefixes and their next hops.

- The paths of a route share its flows by weight. A flow keeps its path. It is defined by addresses, protocol and ports,
  or by labels and the addresses behind them.
- A recursive path (its next hop is in no connected subnet) is resolved again when its underlying route changes, in one
  place for all routes that use it.
- If several sources have a route for the same prefix, the order is: the router's own address, the user, Linux, a
  neighbour's entry. The others take over when it is removed.
- `ip route add` of an existing prefix adds paths to it, as in VPP. With `count N` each prefix gets exactly the given
  paths, and if they do not all fit none is added.
- Routes to `blackhole` drop; `unreachable` and `prohibit` are answered by ICMP. These words are additions to VPP's
  `drop`, `null-send-unreach` and `null-send-prohibit`. A lookup in another table must be the only path of a route.
- Table memory grows with the routes. Most IPv4 lookups take one memory access. `show ip fib` has packet counts only
  after `route counters enable`.
- A file of plain `ip route add PREFIX via ADDRESS [INTERFACE]` or `ip route del …` lines is read by the core itself:
  1.2 million lines in 2.2 s. Errors are reported as usual.
- Not supported: `preference`, `udp-encap`, multicast paths, `ip mroute`, `show load-balance`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.columns import centre
from wirespeed.router.commands.flow_hash import flow_words
from wirespeed.router.commands.path_words import END, PATHS, merge_paths, read_paths, same_path
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.forwarding_words import Forwarding
from wirespeed.router.grammar import Match
from wirespeed.seam.routes import PathKind, Route, RouteSource
from wirespeed.seam.tables import FLOW_HASH

if TYPE_CHECKING:
    from wirespeed.router.console import Console
    from wirespeed.router.native import NativeRouter

_ROUTE = "[table <number:vrf>] <prefix> [table <number:vrf>] [count <number:count>]"
_MOST_AT_ONCE = 1 << 24
"""Limit of `count`, above the size of any table: each prefix is looked up, and other commands wait."""
_COUNTED = "count <number:count> <prefix>"


@command(f"ip route add {_ROUTE} ({PATHS}|{END})", f"ip route add {_COUNTED} ({PATHS}|{END})")
def add_route(console: Console, words: Match) -> None:
    """Add a route, or further paths of a route."""
    prefix, count, table = words["prefix"].network, _count(words), words.get("vrf", 0)
    route = Route(prefix, tuple(read_paths(words, table)), table=table)
    if count == 1:
        add_paths(console.core, route)
    else:
        console.core.add_routes(route, count)


def add_paths(core: NativeRouter, route: Route) -> None:
    """Give a prefix these paths besides those that its static route has."""
    present = core.route(route.prefix, route.table)
    if present is not None and present.is_static:
        route = replace(route, paths=merge_paths(present.paths, route.paths))
    core.add_routes(route, 1)


@command(f"ip route del {_ROUTE} [{PATHS}|{END}]", f"ip route del {_COUNTED}")
def delete_route(console: Console, words: Match) -> Lines:
    """Delete a route, or the given paths."""
    prefix, count, table = words["prefix"].network, _count(words), words.get("vrf", 0)
    paths = read_paths(words, table)
    if count == 1:
        delete_paths(console.core, Route(prefix, tuple(paths), table=table))
        return None
    deleted = console.core.delete_routes(prefix, count, table)
    return [f"{deleted} of {count} routes were there and are deleted"] if deleted != count else None


def delete_paths(core: NativeRouter, route: Route) -> None:
    """Take these paths from a prefix; without any, or with the last of them, its route goes."""
    present = core.route(route.prefix, route.table) if route.paths else None
    kept = [p for p in present.paths if not any(same_path(p, q) for q in route.paths)] if present else []
    if present is not None and len(kept) == len(present.paths):
        family = "ip6" if ":" in str(route.prefix) else "ip"
        raise UsageError(f"route {route.prefix} has no such path; show {family} fib {route.prefix} lists its paths")
    if kept:
        core.add_routes(replace(route, paths=tuple(kept)), 1)
    else:
        core.delete_routes(route.prefix, 1, route.table)


def _count(words: Match) -> int:
    prefix, count = words["prefix"].network, int(words.get("count", 1))
    room = (2**prefix.max_prefixlen - int(prefix.network_address)) // prefix.num_addresses
    if count > _MOST_AT_ONCE:
        raise UsageError(f"count {count} is above {_MOST_AT_ONCE}, the most routes of one command")
    if not 1 <= count <= room:
        raise UsageError(f"count {count} does not fit: from {prefix} on there are {room} prefixes of that length")
    return count


_LOCKS = {4: "adjacency:1, default-route:1, ", 6: "default-route:1, "}


def _head(core: NativeRouter, version: int, table: int) -> str:
    fields = next((found.flow_hash for found in core.tables.of(version) if found.id == table), FLOW_HASH[version])
    return (
        f"ipv{version}-VRF:{table}, fib_index:{table}, flow hash:[{flow_words(fields)} ] epoch:0 flags:none "
        f"locks:[{_LOCKS[version]}]"
    )


def _version(words: Match) -> int:
    return 6 if "ip6" in words else 4


@command("show (ip|ip4|ip6) fib [table <number:vrf>]")
def show_fib(console: Console, words: Match) -> Iterator[str]:
    """All routes with their paths."""
    version, table = _version(words), words.get("vrf", 0)
    yield _head(console.core, version, table)
    yield from Forwarding(console).table_lines(version, console.core.route_texts(version, table))


@command("show (ip|ip4|ip6) fib [table <number:vrf>] summary")
def show_fib_summary(console: Console, words: Match) -> Iterator[str]:
    """Number of routes by prefix length."""
    version, table = _version(words), words.get("vrf", 0)
    yield _head(console.core, version, table)
    yield f"{centre('Prefix length', 20)}{centre('Count', 16)}"
    # VPP tells those of IPv6 from the longest on.
    lengths = sorted(console.core.prefix_lengths(version, table).items(), reverse=version == 6)
    yield from (f"{length:>20}{count:>16}" for length, count in lengths)


@command("show (ip|ip4|ip6) fib [table <number:vrf>] <address>")
def show_fib_lookup(console: Console, words: Match) -> Iterable[str]:
    """Route of an address: its longest match."""
    route = console.core.lookup(words["address"], words.get("vrf", 0))
    if route is None:
        return [f"no route covers {words['address']}"]
    return _detail(console, route)


@command("show (ip|ip4|ip6) fib [table <number:vrf>] <prefix>")
def show_fib_prefix(console: Console, words: Match) -> Iterable[str]:
    """Route of exactly this prefix."""
    route = console.core.route(words["prefix"].network, words.get("vrf", 0))
    if route is None:
        return [f"there is no route {words['prefix'].network}"]
    return _detail(console, route)


def _detail(console: Console, route: Route) -> Iterator[str]:
    yield _head(console.core, route.prefix.version, route.table)
    yield f"{route.prefix} fib:{route.table}"
    yield f"  {_source(route)} src-flags:added,contributing,active,"
    yield f"    path-list: len:{len(route.paths)}"
    for path in route.paths:
        kind = {PathKind.NEXT_HOP: "attached-nexthop", PathKind.LOCAL: "receive", PathKind.DROP: "drop"}
        yield f"      path: ip{route.prefix.version} weight={path.weight} pref=0 {kind.get(path.kind, 'attached')}:"
    yield ""
    yield " forwarding:"
    yield from Forwarding(console).lines(route)


def _source(route: Route) -> str:
    names = {RouteSource.STATIC: "CLI", RouteSource.LINUX: "lcp-rt", RouteSource.CONNECTED: "interface"}
    return names.get(route.source, "adjacency")
