"""Words for where packets go, as `show ip fib` and `show mpls fib` have them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from ipaddress import ip_network
from typing import TYPE_CHECKING

from wirespeed.seam.addresses import Address, Network
from wirespeed.seam.counting import Counting
from wirespeed.seam.routes import LabelPipe, Neighbor, NeighborState, Path, PathKind, Route, RouteSource

if TYPE_CHECKING:
    from wirespeed.router.console import Console
    from wirespeed.router.features.mpls.core import MplsRoute

_ENDS = {PathKind.DROP: "dpo-drop", PathKind.UNREACHABLE: "dpo-unreachable", PathKind.PROHIBIT: "dpo-prohibit"}
_TYPES = {"ip4": "0800", "ip6": "86dd", "mpls": "8847"}


class Forwarding:
    """Words for what happens to the packets of a route; reads interfaces and neighbors once."""

    def __init__(self, console: Console) -> None:
        counting = Counting.ROUTES in console.core.counting.on()
        self._counts = console.core.counting.of_route if counting else None
        self._faces = {index: console.core.interface(index) for index in console.core.interface_names().values()}
        self._neighbors: dict[tuple[int, Address | None], Neighbor] = {
            (neighbor.interface, neighbor.address): neighbor for neighbor in console.core.neighbors()
        }

    def lines(self, route: Route) -> Iterator[str]:
        """Lines of an IP route."""
        buckets = self._buckets(route.prefix, route.paths)
        return self._chain(f"ip{route.prefix.version}", 0, route.index, buckets)

    def table_lines(
        self, version: int, routes: Iterable[tuple[str, tuple[Path, ...], int, RouteSource]]
    ) -> Iterator[str]:
        """Lines of all routes of a table, each after its prefix; `routes` are of `NativeRouter.route_texts`."""
        family = f"ip{version}"
        # By the object, which is there as long as we hold it: a million routes have few lists of paths.
        known: dict[int, tuple[tuple[Path, ...], tuple[str, ...]]] = {}
        for number, (prefix, paths, index, _) in enumerate(routes):
            found = known.get(id(paths))
            buckets = self._buckets(ip_network(prefix), paths) if found is None else found[1]
            # Attached and local routes show their prefix; all other routes read alike.
            if found is None and all(path.kind is PathKind.NEXT_HOP or path.kind in _ENDS for path in paths):
                known[id(paths)] = paths, buckets
            yield prefix
            yield from self._chain(family, number, index, buckets)

    def _chain(self, family: str, number: int, index: int, buckets: Sequence[str]) -> Iterator[str]:
        yield f"  unicast-{family}-chain"
        yield self._balance(family, number, index, buckets)
        yield from buckets

    def _balance(self, family: str, number: int, index: int, buckets: Sequence[str]) -> str:
        """While routes count by the index that their counters have in the statistics, else by a number of its own."""
        head = f"  [@0]: dpo-load-balance: [proto:{family} index:"
        if self._counts is None:
            return f"{head}{number} buckets:{len(buckets)}]"
        counts = self._counts(index)
        via = f" via:[{counts.via.packets}:{counts.via.bytes}]" if counts.via.packets else ""
        return f"{head}{index} buckets:{len(buckets)} to:[{counts.to.packets}:{counts.to.bytes}]{via}]"

    def _buckets(self, prefix: Network, paths: Sequence[Path]) -> tuple[str, ...]:
        return tuple(self._describe(paths, f"ip{prefix.version}", prefix))

    def mpls_lines(self, route: MplsRoute, number: int) -> Iterator[str]:
        """Lines of a label's route."""
        buckets = list(self._describe(route.paths, f"ip{route.payload}" if route.payload else "mpls", None))
        yield self._balance("mpls", number, route.index, buckets)
        yield from buckets

    def _describe(self, paths: Sequence[Path], family: str, prefix: Network | None) -> Iterator[str]:
        divisor = reduce(math.gcd, (path.weight for path in paths), 0) or 1
        spread = [path for path in paths for _ in range(path.weight // divisor)]
        return (f"    [{n}] {self._path(path, family, prefix)}" for n, path in enumerate(spread))

    def _path(self, path: Path, family: str, prefix: Network | None) -> str:
        if path.kind in _ENDS:
            return f"[@0]: {_ENDS[path.kind]} {family}"
        if path.kind is PathKind.LOOKUP:
            return f"[@12]: dst-address,unicast lookup in {family.replace('ip', 'ipv')}-VRF:{path.table}"
        if path.kind is PathKind.LOCAL:
            return f"[@11]: dpo-receive{self._owner(prefix)}"
        interface = path.interface if path.interface is not None else self._connected(path.next_hop)
        if interface is None:
            return f"[@9]: recursive via {path.next_hop} in table {path.table}{_labels(path)}"
        if path.kind is PathKind.ATTACHED:
            return self._glean(interface, family, prefix)
        return self._next_hop(path, interface, family)

    def _owner(self, prefix: Network | None) -> str:
        owner = None if prefix is None else self._connected(prefix.network_address)
        return "" if owner is None or prefix is None else f": {prefix.network_address} on {self._faces[owner].name}"

    def _glean(self, interface: int, family: str, prefix: Network | None) -> str:
        face = self._faces[interface]
        asked = f"ffffffffffff{face.mac.replace(':', '')}{'86dd' if family == 'ip6' else '0806'}"
        name = family.replace("ip", "ipv")
        return f"[@4]: {name}-glean: [src:{prefix}] {face.name}: mtu:{face.mtu} flags:[] {asked}"

    def _next_hop(self, path: Path, interface: int, family: str) -> str:
        face = self._faces[interface]
        neighbor = self._neighbors.get((interface, path.next_hop))
        sent = "mpls" if path.labels else family
        name = sent.replace("ip", "ipv")
        if neighbor is None or neighbor.state is NeighborState.INCOMPLETE:
            return f"[@3]: arp-{name}: via {path.next_hop} {face.name}{_labels(path)}"
        rewrite = f"{neighbor.mac}{face.mac}".replace(":", "") + _TYPES[sent]
        words = f"{name} via {path.next_hop} {face.name}: mtu:{face.mtu} flags:[] {rewrite}"
        return f"[@10]:{_labels(path)} {words}" if path.labels else f"[@5]: {words}"

    def _connected(self, address: Address | None) -> int | None:
        for index, face in self._faces.items():
            if any(address in own.network for own in face.addresses):
                return index
        return None


def _labels(path: Path) -> str:
    pipes = path.pipes or (None,) * len(path.labels)
    words = (_label(label, pipe) for label, pipe in zip(path.labels, pipes, strict=True))
    return f" mpls-label[{' '.join(words)}]" if path.labels else ""


def _label(label: int, pipe: LabelPipe | None) -> str:
    return f"{label}" if pipe is None else f"{label} pipe ttl:{pipe.ttl} exp:{pipe.traffic_class}"
