"""ip route add|del, show ip fib: the table that packets are forwarded by."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.columns import centre
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.core import Neighbor, NeighborState, Path, PathKind, Route
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_PATHS = "(via (<address:next_hop> [<interface>]|<interface>|drop) [weight <number:weight>])..."
_MAX_WEIGHT = 255


@command(
    f"ip route add <prefix> [count <number:count>] ({_PATHS}|drop)",
    f"ip route add count <number:count> <prefix> ({_PATHS}|drop)",
)
def add_route(console: Console, words: Match) -> None:
    """Route a prefix to one or more next hops; a prefix that has a route gets them as further equal paths."""
    prefix, count, paths = words["prefix"].network, _count(words), _paths(words)
    if count == 1:
        present = console.core.route(prefix)
        if present is not None and present.is_static:
            kept = [path for path in present.paths if not any(_same(path, path_given) for path_given in paths)]
            paths = kept + paths if _forwards(kept + paths) else paths
    console.core.add_routes(Route(prefix, tuple(paths)), count)


@command(f"ip route del <prefix> [count <number:count>] [{_PATHS}|drop]", "ip route del count <number:count> <prefix>")
def delete_route(console: Console, words: Match) -> Lines:
    """Remove a route, or the paths of it that are named."""
    prefix, count, paths = words["prefix"].network, _count(words), _paths(words)
    if count == 1 and paths:
        present = console.core.route(prefix)
        kept = [p for p in present.paths if not any(_same(p, q) for q in paths)] if present else []
        if present is not None and len(kept) == len(present.paths):
            raise UsageError(f"route {prefix} has no such path")
        if kept:
            console.core.add_routes(Route(prefix, tuple(kept)), 1)
            return None
    deleted = console.core.delete_routes(prefix, count)
    return [f"{deleted} of {count} routes were there and are deleted"] if deleted != count else None


def _count(words: Match) -> int:
    prefix, count = words["prefix"].network, int(words.get("count", 1))
    room = (2**32 - int(prefix.network_address)) // prefix.num_addresses
    if not 1 <= count <= room:
        raise UsageError(f"count {count} does not fit: from {prefix} on there are {room} prefixes of that length")
    return count


def _paths(words: Match) -> list[Path]:
    """The paths in the order they stand; each begins with `via`, but for the drop that needs none."""
    paths: list[Path] = []
    for name, value in words.values:
        match name, value:
            case _, "via":
                paths.append(Path(PathKind.DROP))
            case _, "drop" if not paths:
                paths.append(Path(PathKind.DROP))
            case "next_hop", _:
                paths[-1] = Path(PathKind.NEXT_HOP, value)
            case "interface", _:
                kind = PathKind.ATTACHED if paths[-1].next_hop is None else PathKind.NEXT_HOP
                paths[-1] = replace(paths[-1], kind=kind, interface=value)
            case "weight", _:
                if not 1 <= value <= _MAX_WEIGHT:
                    raise UsageError(f"weight {value} is not between 1 and {_MAX_WEIGHT}")
                paths[-1] = replace(paths[-1], weight=value)
    return paths


def _same(present: Path, given: Path) -> bool:
    return (
        present.kind is given.kind
        and present.next_hop == given.next_hop
        and (given.interface is None or present.interface in (given.interface, None))
    )


def _forwards(paths: Sequence[Path]) -> bool:
    """Paths may share a route unless one of them drops."""
    return all(path.kind is not PathKind.DROP for path in paths)


_HEAD = (
    "ipv4-VRF:0, fib_index:0, flow hash:[src dst sport dport proto ] epoch:0 flags:none "
    "locks:[adjacency:1, default-route:1, ]"
)


@command("show ip fib")
def show_fib(console: Console, words: Match) -> Iterator[str]:
    """All routes and where each sends its packets."""
    yield _HEAD
    forwarding = _Forwarding(console)
    for index, route in enumerate(console.core.routes()):
        yield str(route.prefix)
        yield from forwarding.lines(route, index)


@command("show ip fib summary")
def show_fib_summary(console: Console, words: Match) -> Iterator[str]:
    """How many routes there are of each prefix length."""
    yield _HEAD
    yield f"{centre('Prefix length', 20)}{centre('Count', 16)}"
    lengths = sorted(console.core.prefix_lengths().items())
    yield from (f"{length:>20}{count:>16}" for length, count in lengths)


@command("show ip fib <address>")
def show_fib_lookup(console: Console, words: Match) -> Iterable[str]:
    """The route that an address takes: its longest match."""
    route = console.core.lookup(words["address"])
    if route is None:
        return [f"no route covers {words['address']}"]
    return _detail(console, route)


@command("show ip fib <prefix>")
def show_fib_prefix(console: Console, words: Match) -> Iterable[str]:
    """The route of exactly this prefix."""
    route = console.core.route(words["prefix"].network)
    if route is None:
        return [f"there is no route {words['prefix'].network}"]
    return _detail(console, route)


def _detail(console: Console, route: Route) -> Iterator[str]:
    yield _HEAD
    yield f"{route.prefix} fib:0"
    yield f"  {_source(route)} src-flags:added,contributing,active,"
    yield f"    path-list: len:{len(route.paths)}"
    for path in route.paths:
        kind = {PathKind.NEXT_HOP: "attached-nexthop", PathKind.LOCAL: "receive", PathKind.DROP: "drop"}
        yield f"      path: ip4 weight={path.weight} pref=0 {kind.get(path.kind, 'attached')}:"
    yield ""
    yield " forwarding:"
    yield from _Forwarding(console).lines(route, 0)


def _source(route: Route) -> str:
    if route.is_static:
        return "CLI"
    return "adjacency" if route.paths[0].kind is PathKind.NEXT_HOP else "interface"


class _Forwarding:
    """Words for what happens to the packets of a route; reads interfaces and neighbors once."""

    def __init__(self, console: Console) -> None:
        self._faces = [console.core.interface(index) for index in range(console.core.interface_count())]
        self._neighbors: dict[tuple[int, IPv4Address], Neighbor] = {
            (neighbor.interface, neighbor.address): neighbor for neighbor in console.core.neighbors()
        }
        self._buckets: dict[tuple[Path, ...], list[str]] = {}

    def lines(self, route: Route, index: int) -> Iterator[str]:
        buckets = self._buckets.get(route.paths)
        if buckets is None:
            buckets = self._describe(route)
            # What is attached or ours is told with its prefix; the rest reads alike for every route.
            if all(path.kind in (PathKind.NEXT_HOP, PathKind.DROP) for path in route.paths):
                self._buckets[route.paths] = buckets
        yield "  unicast-ip4-chain"
        yield f"  [@0]: dpo-load-balance: [proto:ip4 index:{index} buckets:{len(buckets)}]"
        yield from buckets

    def _describe(self, route: Route) -> list[str]:
        divisor = reduce(math.gcd, (path.weight for path in route.paths), 0) or 1
        paths = [path for path in route.paths for _ in range(path.weight // divisor)]
        return [f"    [{n}] {self._path(path, route.prefix)}" for n, path in enumerate(paths)]

    def _path(self, path: Path, prefix: IPv4Network) -> str:
        if path.kind is PathKind.DROP:
            return "[@0]: dpo-drop ip4"
        if path.kind is PathKind.LOCAL:
            owner = self._connected(prefix.network_address)
            return f"[@11]: dpo-receive: {prefix.network_address} on {self._faces[owner or 0].name}"
        index = path.interface if path.interface is not None else self._connected(path.next_hop)
        if index is None:
            return f"[@0]: unresolved via {path.next_hop}: no interface is connected to it"
        face = self._faces[index]
        source = face.mac.replace(":", "")
        if path.kind is PathKind.ATTACHED:
            return f"[@4]: ipv4-glean: [src:{prefix}] {face.name}: mtu:{face.mtu} flags:[] ffffffffffff{source}0806"
        neighbor = self._neighbors.get((index, path.next_hop or IPv4Address(0)))
        if neighbor is None or neighbor.state is NeighborState.INCOMPLETE:
            return f"[@3]: arp-ipv4: via {path.next_hop} {face.name}"
        target = neighbor.mac.replace(":", "")
        return f"[@5]: ipv4 via {path.next_hop} {face.name}: mtu:{face.mtu} flags:[] {target}{source}0800"

    def _connected(self, next_hop: IPv4Address | None) -> int | None:
        for index, face in enumerate(self._faces):
            if any(next_hop in address.network for address in face.addresses):
                return index
        return None
