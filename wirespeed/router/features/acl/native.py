"""Access lists of the native router and their sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirespeed._native.addresses import network_of, prefix_struct, read_address
from wirespeed._native.runtime import RouterPart, check, from_struct
from wirespeed.router.features.acl.core import (
    Acl,
    AclAction,
    AclCount,
    AclRule,
    AclSession,
    AclSessionCounters,
    AclSessionSettings,
)

_AT_ONCE = 1024


class AclCore(RouterPart):
    def set(self, index: int | None, tag: str, rules: Sequence[AclRule]) -> int:
        """Make an ACL (None), or give one other rules, all at once; return its index."""
        structs = self._ffi.new("struct ws_acl_rule[]", len(rules))
        for struct, rule in zip(structs, rules, strict=True):
            struct.action, struct.protocol = rule.action, rule.protocol
            struct.tcp_flags_mask, struct.tcp_flags_value = rule.tcp_flags_mask, rule.tcp_flags_value
            struct.source_first, struct.source_last = rule.source_ports
            struct.destination_first, struct.destination_last = rule.destination_ports
            for place, network in (("source", rule.source), ("destination", rule.destination)):
                setattr(struct, place, prefix_struct(self._ffi, network.network_address, network.prefixlen))
        number = -1 if index is None else index
        return check(self._lib.ws_router_acl_set(self._router, number, tag.encode(), structs, len(rules)))

    def delete(self, index: int) -> None:
        """UsageError while an interface has it."""
        check(self._lib.ws_router_acl_del(self._router, index))

    def all(self) -> list[Acl]:
        acls = []
        index = self._lib.ws_router_acl_next(self._router, 0)
        while index >= 0:
            acls.append(self.of(index))
            index = self._lib.ws_router_acl_next(self._router, index + 1)
        return acls

    def of(self, index: int) -> Acl:
        """UsageError when there is none."""
        tag = self._ffi.new("char[]", self._lib.WS_ACL_TAG_LEN)
        rules, counts, count = self._ffi.NULL, self._ffi.NULL, 0
        while (there := check(self._lib.ws_router_acl(self._router, index, tag, rules, counts, count))) > count:
            count = there
            rules = self._ffi.new("struct ws_acl_rule[]", count)
            counts = self._ffi.new("struct ws_acl_count[]", count)
        return Acl(
            index,
            self._ffi.string(tag).decode(),
            tuple(_rule(rule) for rule in rules),
            tuple(AclCount(one.packets, one.bytes) for one in counts),
        )

    def set_interface(self, index: int, is_output: bool, acls: Sequence[int]) -> None:
        """The ACLs that packets meet, in that order; all packets pass without any ACL, and none that no rule fits."""
        check(self._lib.ws_router_acl_interface_set(self._router, index, is_output, list(acls), len(acls)))

    def of_interface(self, index: int, is_output: bool) -> list[int]:
        acls = self._ffi.new("uint32_t[]", self._lib.WS_MAX_INTERFACE_ACLS)
        return list(acls[0 : check(self._lib.ws_router_acl_interface(self._router, index, is_output, acls))])

    def set_sessions(self, settings: AclSessionSettings) -> None:
        """UsageError for another bound once a rule reflects, since the table then has its size."""
        timeouts = (settings.udp_idle_s, settings.tcp_idle_s, settings.tcp_transient_s)
        struct = self._ffi.new("struct ws_acl_session_settings *", (settings.most, timeouts))
        check(self._lib.ws_router_acl_session_set(self._router, struct))

    def session_settings(self) -> AclSessionSettings:
        struct = self._ffi.new("struct ws_acl_session_settings *")
        self._lib.ws_router_acl_session_settings(self._router, struct)
        return AclSessionSettings(struct.most, *struct.timeouts_s)

    def session_counters(self) -> AclSessionCounters:
        struct = self._ffi.new("struct ws_acl_session_counters *")
        self._lib.ws_router_acl_session_counters(self._router, struct)
        return from_struct(AclSessionCounters, struct)

    def interface_sessions(self, index: int) -> tuple[int, int]:
        """Numbers of the interface's sessions that were created and that have ended."""
        struct = self._ffi.new("struct ws_acl_interface_sessions *")
        self._lib.ws_router_acl_interface_sessions(self._router, index, struct)
        return struct.created, struct.gone

    def sessions(self) -> list[AclSession]:
        every = []
        structs, cursor = self._ffi.new("struct ws_acl_session[]", _AT_ONCE), self._ffi.new("uint32_t *")
        while count := self._lib.ws_router_acl_sessions(self._router, cursor, structs, _AT_ONCE):
            every += [_session(structs[number]) for number in range(count)]
        return every

    def clear_sessions(self) -> None:
        self._lib.ws_router_acl_sessions_clear(self._router)


def _rule(struct: Any) -> AclRule:
    return AclRule(
        AclAction(struct.action),
        network_of(struct.source),
        network_of(struct.destination),
        struct.protocol,
        (struct.source_first, struct.source_last),
        (struct.destination_first, struct.destination_last),
        struct.tcp_flags_value,
        struct.tcp_flags_mask,
    )


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


CORE = AclCore
