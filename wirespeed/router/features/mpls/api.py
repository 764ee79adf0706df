"""mpls_table_add_del, mpls_route_add_del and what dumps labels, and the interfaces that take them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any

from wirespeed.router.api.client import ALL, Client, refused_as
from wirespeed.router.api.fib_paths import details_of, paths_of
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.features.mpls.commands import add_paths, check_table, delete_paths, set_route
from wirespeed.router.features.mpls.core import MplsRoute
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_PAYLOADS = {TABLE.values["FIB_API_PATH_NH_PROTO_IP4"]: 4, TABLE.values["FIB_API_PATH_NH_PROTO_IP6"]: 6}
_PROTOCOLS = {payload: number for number, payload in _PAYLOADS.items()}
_NOT_BOTTOM = TABLE.values["FIB_API_PATH_NH_PROTO_MPLS"]
_TURN = 128


@handler("mpls_interface_dump")
def dump_interfaces(client: Client, request: Values) -> Answer:
    return ({"sw_if_index": shown_index(index)} for index, face in client.chosen(request.sw_if_index) if face.mpls)


@change("sw_interface_set_mpls_enable")
def enable(client: Client, request: Values) -> Answer:
    with refused_as(Retval.NO_SUCH_FIB, errno.ENOENT):
        client.core.mpls.enable(client.index(request.sw_if_index), request.enable)
    return None


@change("mpls_table_add_del")
def set_mpls_table(client: Client, request: Values) -> Answer:
    check_table(request.mt_table.mt_table_id)
    if not request.mt_is_add:
        with refused_as(Retval.NO_SUCH_FIB, errno.ENOENT):
            client.core.mpls.delete_table()
    elif not client.core.mpls.has_table():
        client.core.mpls.add_table()
    return None


@handler("mpls_table_dump")
def dump_tables(client: Client, request: Values) -> Answer:
    tables = (0,) if client.core.mpls.has_table() else ()
    return ({"mt_table": {"mt_table_id": table, "mt_name": f"MPLS-VRF:{table}"}} for table in tables)


@change("mpls_route_add_del")
def set_mpls_route(client: Client, request: Values) -> Answer:
    raw = request.mr_route
    if raw.mr_table_id or not client.core.mpls.has_table():
        raise Refusal(Retval.NO_SUCH_FIB)
    if raw.mr_is_multicast:
        raise Refusal(Retval.UNIMPLEMENTED)
    if raw.mr_eos and raw.mr_eos_proto not in _PAYLOADS:
        raise Refusal(Retval.INVALID_VALUE)
    label, is_bottom = raw.mr_label, bool(raw.mr_eos)
    paths = paths_of(client, raw.mr_paths, is_swap=True)
    route = MplsRoute(label, is_bottom, _PAYLOADS[raw.mr_eos_proto] if is_bottom else 0, paths)
    if request.mr_is_add and not paths:
        raise Refusal(Retval.INVALID_VALUE)
    if not request.mr_is_add:
        delete_paths(client.core, label, is_bottom, paths if request.mr_is_multipath else ())
    elif request.mr_is_multipath:
        add_paths(client.core, route)
    else:
        set_route(client.core, route)
    return {"stats_index": ALL}


@handler("mpls_route_dump")
def dump_routes(client: Client, request: Values) -> Answer:
    return _routes(client, request.table.mt_table_id)


def _routes(client: Client, table: int) -> Iterator[dict[str, Any] | None]:
    if table or not client.core.mpls.has_table():
        return
    for number, route in enumerate(client.core.mpls.routes(), 1):
        if number % _TURN == 0:
            yield None
        details = {
            "mr_table_id": table,
            "mr_label": route.label,
            "mr_eos": int(route.bottom),
            "mr_eos_proto": _PROTOCOLS.get(route.payload, _NOT_BOTTOM),
            "mr_paths": details_of(route.paths, route.payload or 4),
        }
        yield {"mr_route": details}
