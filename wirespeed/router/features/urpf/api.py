"""urpf_update and its second version, urpf_interface_dump: packets whose source is not where they came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirespeed.router.api.client import Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.features.urpf.core import Urpf, UrpfMode
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import Values

_VERSIONS = (4, 6)  # by VPP's address family
_OWN_TABLE = 0xFFFFFFFF


@change("urpf_update")
def update(client: Client, request: Values) -> Answer:
    _set(client, request, None)
    return None


@change("urpf_update_v2")
def update_v2(client: Client, request: Values) -> Answer:
    _set(client, request, None if request.table_id == _OWN_TABLE else request.table_id)
    return None


def _set(client: Client, request: Values, table: int | None) -> None:
    index = client.index(request.sw_if_index)
    if request.mode not in tuple(UrpfMode) or request.af >= len(_VERSIONS):
        raise Refusal(Retval.INVALID_VALUE)
    version = _VERSIONS[request.af]
    if table is not None and all(found.id != table for found in client.core.tables.of(version)):
        raise Refusal(Retval.NO_SUCH_FIB)
    client.core.urpf.set(index, version, Urpf(UrpfMode(request.mode), table), not request.is_input)


@handler("urpf_interface_dump")
def dump(client: Client, request: Values) -> Answer:
    return _modes(client, request.sw_if_index)


def _modes(client: Client, chosen: int) -> Iterator[dict[str, Any]]:
    for index, interface in client.chosen(chosen):
        for family, version in enumerate(_VERSIONS):
            own_table = interface.ip4_table if version == 4 else interface.ip6_table
            for is_input in (True, False):
                urpf = client.core.urpf.of(index, version, not is_input)
                if urpf.mode is not UrpfMode.OFF:
                    yield {
                        "sw_if_index": shown_index(index),
                        "is_input": is_input,
                        "mode": urpf.mode,
                        "af": family,
                        "table_id": own_table if urpf.table is None else urpf.table,
                    }
