"""Unicast reverse path forwarding of the native router."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed._native.addresses import network_of, prefix_struct
from wirespeed._native.runtime import RouterPart, check
from wirespeed.router.features.urpf.core import Urpf, UrpfAccepted, UrpfMode

_MOST_ACCEPTED = 256


class UrpfCore(RouterPart):
    """`version` is 4 or 6; `tx` is of what goes out."""

    def set(self, index: int, version: int, urpf: Urpf, tx: bool = False) -> None:
        table = -1 if urpf.table is None else urpf.table
        check(self._lib.ws_router_set_urpf(self._router, index, version, tx, urpf.mode, table))

    def of(self, index: int, version: int, tx: bool = False) -> Urpf:
        table = self._ffi.new("int64_t *")
        mode = UrpfMode(check(self._lib.ws_router_urpf(self._router, index, version, tx, table)))
        return Urpf(mode, None if table[0] < 0 else table[0])

    def accept(self, accepted: UrpfAccepted, on: bool) -> None:
        """UsageError when it is there already, or is not."""
        struct = self._ffi.new("struct ws_urpf_accepted *")
        struct.table = accepted.table
        struct.prefix = prefix_struct(self._ffi, accepted.prefix.network_address, accepted.prefix.prefixlen)
        check(self._lib.ws_router_set_urpf_accept(self._router, struct, on))

    def accepted(self) -> Sequence[UrpfAccepted]:
        structs = self._ffi.new("struct ws_urpf_accepted[]", _MOST_ACCEPTED)
        found = check(self._lib.ws_router_urpf_accepted(self._router, structs, _MOST_ACCEPTED))
        return [UrpfAccepted(network_of(struct.prefix), struct.table) for struct in structs[0:found]]


CORE = UrpfCore
