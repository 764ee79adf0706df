"""Paths of routes, as VPP's API has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.addresses import Address
from wirespeed.seam.routes import LabelPipe, Path, PathKind
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE
from wirespeed.vpp_api.values import address_of, union_of

_ENDS = {
    TABLE.values["FIB_API_PATH_TYPE_LOCAL"]: PathKind.LOCAL,
    TABLE.values["FIB_API_PATH_TYPE_DROP"]: PathKind.DROP,
    TABLE.values["FIB_API_PATH_TYPE_ICMP_UNREACH"]: PathKind.UNREACHABLE,
    TABLE.values["FIB_API_PATH_TYPE_ICMP_PROHIBIT"]: PathKind.PROHIBIT,
}
_TYPES = {kind: number for number, kind in _ENDS.items()}
_NORMAL = TABLE.values["FIB_API_PATH_TYPE_NORMAL"]
_PROTOCOLS = {
    TABLE.values["FIB_API_PATH_NH_PROTO_IP4"]: TABLE.values["ADDRESS_IP4"],
    TABLE.values["FIB_API_PATH_NH_PROTO_IP6"]: TABLE.values["ADDRESS_IP6"],
}
_PROTOCOL_OF = {4: TABLE.values["FIB_API_PATH_NH_PROTO_IP4"], 6: TABLE.values["FIB_API_PATH_NH_PROTO_IP6"]}
_MOST_LABELS = 16
_MOST_TTL = 255


def paths_of(client: Client, given: Sequence[Values], *, is_swap: bool = False) -> tuple[Path, ...]:
    """The paths of a request; `is_swap`: of a label, whose place the last label of a path takes."""
    return tuple(_path(client, one, is_swap) for one in given)


def _path(client: Client, raw: Values, is_swap: bool) -> Path:
    if raw.type in _ENDS:
        return Path(_ENDS[raw.type])
    if raw.type != _NORMAL or raw.proto not in _PROTOCOLS:
        raise Refusal(Retval.UNIMPLEMENTED)
    interface = None if raw.sw_if_index == ALL else client.index(raw.sw_if_index)
    next_hop: Address | None = address_of(_PROTOCOLS[raw.proto], raw.nh.address)
    if not int(next_hop or 0):
        next_hop = None
    if raw.n_labels > _MOST_LABELS:
        raise Refusal(Retval.INVALID_VALUE)
    stack = raw.label_stack[: raw.n_labels]
    pipes = tuple(_pipe(label, is_swap and label is stack[-1]) for label in stack)
    weight, labels = raw.weight or 1, tuple(label.label for label in stack)
    if not any(pipes):
        pipes = ()
    if next_hop is not None:
        return Path(PathKind.NEXT_HOP, next_hop, interface, weight, raw.table_id, labels, pipes)
    if interface is not None:
        return Path(PathKind.ATTACHED, None, interface, weight, 0, labels, pipes)
    return Path(PathKind.LOOKUP, weight=weight, table=raw.table_id, labels=labels, pipes=pipes)


def _pipe(label: Values, is_swapped: bool) -> LabelPipe | None:
    """A label that says nothing of its TTL and class has them of its own, unless it takes another's place."""
    if label.is_uniform or (is_swapped and not (label.ttl or label.exp)):
        return None
    return LabelPipe(label.ttl or _MOST_TTL, label.exp)


def details_of(paths: Sequence[Path], version: int) -> list[dict[str, Any]]:
    """Each as a `fib_path`; `version` is the IP version of the packets, if a path does not define it."""
    return [_details(path, version) for path in paths]


def _details(path: Path, version: int) -> dict[str, Any]:
    pipes = path.pipes or (None,) * len(path.labels)
    labels = [
        {"is_uniform": 1, "label": label, "ttl": 0, "exp": 0}
        if pipe is None
        else {"is_uniform": 0, "label": label, "ttl": pipe.ttl, "exp": pipe.traffic_class}
        for label, pipe in zip(path.labels, pipes, strict=True)
    ]
    return {
        "sw_if_index": ALL if path.interface is None else shown_index(path.interface),
        "table_id": path.table,
        "rpf_id": ALL,
        "weight": path.weight,
        "type": _TYPES.get(path.kind, _NORMAL),
        "proto": _PROTOCOL_OF[path.next_hop.version if path.next_hop is not None else version],
        "nh": {"address": union_of(path.next_hop), "via_label": ALL, "obj_id": ALL},
        "n_labels": len(labels),
        "label_stack": labels,
    }
