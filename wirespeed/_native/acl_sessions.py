"""The native router's part of `wirespeed.seam.acl_session.AclSessionCore`."""

from __future__ import annotations

from typing import Any

from wirespeed._native.addresses import read_address
from wirespeed._native.runtime import check, from_struct
from wirespeed.seam.acl_session import AclSession, AclSessionCounters, AclSessionSettings

_AT_ONCE = 1024


class NativeAclSessions:
    """Mixed into the router, whose handle and library it uses."""

    _ffi: Any
    _lib: Any
    _router: Any

    def set_acl_sessions(self, settings: AclSessionSettings) -> None:
        timeouts = (settings.udp_idle_s, settings.tcp_idle_s, settings.tcp_transient_s)
        struct = self._ffi.new("struct ws_acl_session_settings *", (settings.most, timeouts))
        check(self._lib.ws_router_acl_session_set(self._router, struct))

    def acl_session_settings(self) -> AclSessionSettings:
        struct = self._ffi.new("struct ws_acl_session_settings *")
        self._lib.ws_router_acl_session_settings(self._router, struct)
        return AclSessionSettings(struct.most, *struct.timeouts_s)

    def acl_session_counters(self) -> AclSessionCounters:
        struct = self._ffi.new("struct ws_acl_session_counters *")
        self._lib.ws_router_acl_session_counters(self._router, struct)
        return from_struct(AclSessionCounters, struct)

    def acl_interface_sessions(self, index: int) -> tuple[int, int]:
        struct = self._ffi.new("struct ws_acl_interface_sessions *")
        self._lib.ws_router_acl_interface_sessions(self._router, index, struct)
        return struct.created, struct.gone

    def acl_sessions(self) -> list[AclSession]:
        found = []
        structs, cursor = self._ffi.new("struct ws_acl_session[]", _AT_ONCE), self._ffi.new("uint32_t *")
        while count := self._lib.ws_router_acl_sessions(self._router, cursor, structs, _AT_ONCE):
            found += [_session(structs[number]) for number in range(count)]
        return found

    def clear_acl_sessions(self) -> None:
        self._lib.ws_router_acl_sessions_clear(self._router)


def _session(struct: Any) -> AclSession:
    return AclSession(
        read_address(struct.source),
        read_address(struct.destination),
        struct.source_port,
        struct.destination_port,
        struct.interface,
        struct.is_output,
        struct.protocol,
        struct.source_tcp_flags,
        struct.destination_tcp_flags,
        struct.idle_s,
        struct.timeout_s,
    )
