"""acl_add_replace, acl_del, acl_interface_set_acl_list and what dumps ACLs and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirespeed.errors import WirespeedError
from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.features.acl.core import Acl, AclAction, AclRule
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import Values

_VERSION = {"major": 1, "minor": 4}
"""Version of VPP's plugin with these messages."""


@handler("acl_plugin_get_version")
def get_version(client: Client, request: Values) -> Answer:
    return _VERSION


@change("acl_add_replace")
def set_acl(client: Client, request: Values) -> Answer:
    index = None if request.acl_index == ALL else request.acl_index
    if index is not None:
        _check(client, index)
    return {"acl_index": client.core.acl.set(index, request.tag, [_rule(rule) for rule in request.r])}


def _check(client: Client, index: int) -> None:
    try:
        client.core.acl.of(index)
    except WirespeedError:
        raise Refusal(Retval.NO_SUCH_ENTRY) from None


def _rule(raw: Values) -> AclRule:
    if raw.is_permit not in list(AclAction):
        raise Refusal(Retval.UNIMPLEMENTED)
    return AclRule(
        AclAction(raw.is_permit),
        raw.src_prefix.network,
        raw.dst_prefix.network,
        raw.proto,
        (raw.srcport_or_icmptype_first, raw.srcport_or_icmptype_last),
        (raw.dstport_or_icmpcode_first, raw.dstport_or_icmpcode_last),
        raw.tcp_flags_value,
        raw.tcp_flags_mask,
    )


@change("acl_del")
def delete_acl(client: Client, request: Values) -> Answer:
    _check(client, request.acl_index)
    for is_output, retval in ((False, Retval.ACL_IN_USE_INBOUND), (True, Retval.ACL_IN_USE_OUTBOUND)):
        if any(request.acl_index in client.core.acl.of_interface(face, is_output) for face, _ in client.chosen(ALL)):
            raise Refusal(retval)
    client.core.acl.delete(request.acl_index)
    return None


@change("acl_interface_set_acl_list")
def set_interface_acls(client: Client, request: Values) -> Answer:
    """Both directions, or neither."""
    index = client.index(request.sw_if_index)
    if request.n_input > len(request.acls):
        raise Refusal(Retval.INVALID_VALUE)
    for acl in request.acls:
        _check(client, acl)
    before = client.core.acl.of_interface(index, False)
    client.core.acl.set_interface(index, False, request.acls[: request.n_input])
    try:
        client.core.acl.set_interface(index, True, request.acls[request.n_input :])
    except WirespeedError:
        client.core.acl.set_interface(index, False, before)
        raise
    return None


@handler("acl_dump")
def dump_acls(client: Client, request: Values) -> Answer:
    return (_details(acl) for acl in client.core.acl.all() if request.acl_index in (ALL, acl.index))


def _details(acl: Acl) -> dict[str, Any]:
    rules = [
        {
            "is_permit": rule.action,
            "src_prefix": rule.source,
            "dst_prefix": rule.destination,
            "proto": rule.protocol,
            "srcport_or_icmptype_first": rule.source_ports[0],
            "srcport_or_icmptype_last": rule.source_ports[1],
            "dstport_or_icmpcode_first": rule.destination_ports[0],
            "dstport_or_icmpcode_last": rule.destination_ports[1],
            "tcp_flags_mask": rule.tcp_flags_mask,
            "tcp_flags_value": rule.tcp_flags_value,
        }
        for rule in acl.rules
    ]
    return {"acl_index": acl.index, "tag": acl.tag, "r": rules}


@handler("acl_interface_list_dump")
def dump_interfaces(client: Client, request: Values) -> Answer:
    return _interfaces(client, request.sw_if_index)


def _interfaces(client: Client, chosen: int) -> Iterator[dict[str, Any]]:
    """All interfaces have a row, those without ACLs too, as in VPP; local0 has none ever."""
    if chosen == ALL:
        yield {"sw_if_index": 0, "n_input": 0, "acls": []}
    for index, _ in client.chosen(chosen):
        incoming, outgoing = (client.core.acl.of_interface(index, is_output) for is_output in (False, True))
        yield {"sw_if_index": shown_index(index), "n_input": len(incoming), "acls": [*incoming, *outgoing]}
