"""ip_table_add_del, ip_route_add_del and what dumps them."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from ipaddress import ip_interface
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.router.api.client import ALL, Client, refused_as
from wirespeed.router.api.fib_paths import details_of, paths_of
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.commands.routes import add_paths, delete_paths
from wirespeed.seam.counting import Counting
from wirespeed.seam.routes import Path, Route, RouteSource
from wirespeed.seam.tables import FLOW_HASH, FlowField
from wirespeed.vpp_api.codec import Values

_TURN = 128
_API, _CLI = 8, 9
_SOURCES = {RouteSource.STATIC: _API, RouteSource.LINUX: 22, RouteSource.CONNECTED: 4, RouteSource.NEIGHBOR: 15}
"""VPP's numbers of who made a route: the user (by command, too), Linux, an interface, an adjacency. Linux has the first
number that VPP gives to plugins."""


@change("ip_table_add_del")
@change("ip_table_add_del_v2")
def set_ip_table(client: Client, request: Values) -> Answer:
    table = request.table
    version = 6 if table.is_ip6 else 4
    if request.is_add:
        client.core.tables.add(version, table.table_id, table.name)
    else:
        with refused_as(Retval.NO_SUCH_FIB, errno.ENOENT):
            client.core.tables.delete(version, table.table_id)
    return None


@change("ip_table_allocate")
def allocate_ip_table(client: Client, request: Values) -> Answer:
    """The first number that no table has, unless the request names one."""
    table = request.table
    version = 6 if table.is_ip6 else 4
    present = {one.id for one in client.core.tables.of(version)}
    if table.table_id == ALL:
        table = Values(table, table_id=next(number for number in range(1, len(present) + 2) if number not in present))
    if table.table_id not in present:
        client.core.tables.add(version, table.table_id, table.name)
    return {"table": table}


@handler("ip_table_dump")
def dump_tables(client: Client, request: Values) -> Answer:
    return (
        {"table": {"table_id": table.id, "is_ip6": version == 6, "name": table.name or f"ipv{version}-VRF:{table.id}"}}
        for version in (4, 6)
        for table in client.core.tables.of(version)
    )


@change("set_ip_flow_hash_router_id")
def set_flow_hash_router_id(client: Client, request: Values) -> Answer:
    client.core.tables.set_flow_hash_seed(request.router_id)
    return None


@change("set_ip_flow_hash")
def set_flow_hash(client: Client, request: Values) -> Answer:
    """Each field a word of its own; those that this message has not are off."""
    words = ("src", "dst", "sport", "dport", "proto", "reverse", "symmetric")
    fields = FlowField(0)
    for word in words:
        if getattr(request, word):
            fields |= FlowField[word.upper()]
    return _set_flow_hash(client, request.vrf_id, request.is_ipv6, fields)


@change("set_ip_flow_hash_v2")
def set_flow_hash_v2(client: Client, request: Values) -> Answer:
    return _set_flow_hash(client, request.table_id, request.af == 1, request.flow_hash_config)


@change("set_ip_flow_hash_v3")
def set_flow_hash_v3(client: Client, request: Values) -> Answer:
    return _set_flow_hash(client, request.table_id, request.af == 1, request.flow_hash_config)


def _set_flow_hash(client: Client, table: int, is_ip6: bool, fields: int) -> Answer:
    version = 6 if is_ip6 else 4
    _check_table(client, version, table)
    if fields & ~sum(FlowField):
        raise Refusal(Retval.UNIMPLEMENTED)
    if not FlowField(fields) & FLOW_HASH[version]:
        raise Refusal(Retval.INVALID_VALUE)
    client.core.tables.set_flow_hash(version, table, FlowField(fields))
    return None


@change("ip_route_add_del")
@change("ip_route_add_del_v2")
def set_ip_route(client: Client, request: Values) -> Answer:
    """`is_multipath`: the paths come to those that are there, or go from them; else they are all, or all go."""
    raw = request.route
    if raw.get("src", 0) not in (0, _API, _CLI):
        raise Refusal(Retval.UNIMPLEMENTED)
    prefix = raw.prefix.network
    _check_table(client, prefix.version, raw.table_id)
    route = Route(prefix, paths_of(client, raw.paths), table=raw.table_id)
    if request.is_add and not route.paths:
        raise Refusal(Retval.INVALID_VALUE)
    if not request.is_add:
        delete_paths(client.core, route if request.is_multipath else Route(prefix, (), table=raw.table_id))
    elif request.is_multipath:
        add_paths(client.core, route)
    else:
        client.core.add_routes(route, 1)
    made = client.core.route(prefix, raw.table_id) if request.is_add else None
    return {"stats_index": ALL if made is None else _stats_index(client, made.index)}


def _check_table(client: Client, version: int, ident: int) -> None:
    if ident and all(table.id != ident for table in client.core.tables.of(version)):
        raise Refusal(Retval.NO_SUCH_FIB)


@handler("ip_route_dump")
@handler("ip_route_v2_dump")
def dump_routes(client: Client, request: Values) -> Answer:
    return _routes(client, 6 if request.table.is_ip6 else 4, request.table.table_id, request.get("src", 0))


def _routes(client: Client, version: int, table: int, only: int) -> Iterator[dict[str, Any] | None]:
    """Routes of the source `only`, 0 for all sources."""
    wanted = _API if only == _CLI else only
    # By the object, which is there as long as we hold it: a million routes have few lists of paths.
    known: dict[int, tuple[tuple[Path, ...], list[dict[str, Any]]]] = {}
    with contextlib.suppress(UsageError):  # there is no such table
        for number, (prefix, paths, index, source) in enumerate(client.core.route_texts(version, table), 1):
            if number % _TURN == 0:
                yield None
            if wanted not in (0, _SOURCES[source]):
                continue
            if id(paths) not in known:
                known[id(paths)] = paths, details_of(paths, version)
            stats_index, made_by = _stats_index(client, index), only or _SOURCES[source]
            yield {"route": _route(table, ip_interface(prefix), known[id(paths)][1], stats_index, made_by)}


def _stats_index(client: Client, index: int) -> int:
    """Its place in /net/route/, while routes count."""
    return index if Counting.ROUTES in client.core.counting.on() else ALL


def _route(table: int, prefix: Any, paths: list[dict[str, Any]], stats_index: int, source: int) -> dict[str, Any]:
    return {"table_id": table, "stats_index": stats_index, "prefix": prefix, "paths": paths, "src": source}


@handler("ip_route_lookup")
@handler("ip_route_lookup_v2")
def look_up(client: Client, request: Values) -> Answer:
    prefix, table = request.prefix, request.table_id
    _check_table(client, prefix.version, table)
    match = client.core.route(prefix.network, table) if request.exact else client.core.lookup(prefix.ip, table)
    if match is None:
        raise Refusal(Retval.NO_SUCH_ENTRY)
    details = details_of(match.paths, match.prefix.version)
    return {"route": _route(table, match.prefix, details, _stats_index(client, match.index), _SOURCES[match.source])}
