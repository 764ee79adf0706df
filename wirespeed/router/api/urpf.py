"""urpf_update and its second version, urpf_interface_dump: packets whose source is not where they came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirespeed.router.api.client import Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.commands.show_interfaces import shown_index
from wirespeed.router.urpf_core import UrpfMode
from wirespeed.vpp_api.codec import Values

_VERSIONS = (4, 6)  # by VPP's address family
_OWN_TABLE = 0xFFFFFFFF


@change("urpf_update")
def update(client: Client, request: Values) -> Answer:
    _set(client, request)
    return None


@change("urpf_update_v2")
def update_v2(client: Client, request: Values) -> Answer:
    if request.table_id != _OWN_TABLE:
        raise Refusal(Retval.UNIMPLEMENTED)
    _set(client, request)
    return None


def _set(client: Client, request: Values) -> None:
    index = client.index(request.sw_if_index)
    if request.mode not in tuple(UrpfMode) or request.af >= len(_VERSIONS):
        raise Refusal(Retval.INVALID_VALUE)
    # Of what goes out no source is looked at, so that to switch it off is nothing.
    if request.is_input:
        client.core.set_urpf(index, _VERSIONS[request.af], UrpfMode(request.mode))
    elif request.mode != UrpfMode.OFF:
        raise Refusal(Retval.UNIMPLEMENTED)


@handler("urpf_interface_dump")
def dump(client: Client, request: Values) -> Answer:
    return _modes(client, request.sw_if_index)


def _modes(client: Client, chosen: int) -> Iterator[dict[str, Any]]:
    for index, interface in client.chosen(chosen):
        for family, version in enumerate(_VERSIONS):
            mode = client.core.urpf(index, version)
            if mode is not UrpfMode.OFF:
                table = interface.ip4_table if version == 4 else interface.ip6_table
                yield {
                    "sw_if_index": shown_index(index),
                    "is_input": True,
                    "mode": mode,
                    "af": family,
                    "table_id": table,
                }
