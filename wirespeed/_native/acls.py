"""The native router's part of `wirespeed.seam.acl.AclCore`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirespeed._native.addresses import network_of, prefix_struct
from wirespeed._native.runtime import check
from wirespeed.seam.acl import Acl, AclAction, AclCount, AclOutcome, AclRule, AclTrace


class NativeAcls:
    """Mixed into the router, whose handle and library it uses."""

    _ffi: Any
    _lib: Any
    _router: Any

    def set_acl(self, index: int | None, tag: str, rules: Sequence[AclRule]) -> int:
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

    def delete_acl(self, index: int) -> None:
        check(self._lib.ws_router_acl_del(self._router, index))

    def acls(self) -> list[Acl]:
        found = []
        index = self._lib.ws_router_acl_next(self._router, 0)
        while index >= 0:
            found.append(self.acl(index))
            index = self._lib.ws_router_acl_next(self._router, index + 1)
        return found

    def acl(self, index: int) -> Acl:
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

    def set_interface_acls(self, index: int, is_output: bool, acls: Sequence[int]) -> None:
        check(self._lib.ws_router_acl_interface_set(self._router, index, is_output, list(acls), len(acls)))

    def interface_acls(self, index: int, is_output: bool) -> list[int]:
        acls = self._ffi.new("uint32_t[]", self._lib.WS_MAX_INTERFACE_ACLS)
        return list(acls[0 : check(self._lib.ws_router_acl_interface(self._router, index, is_output, acls))])


def acl_trace(struct: Any) -> AclTrace | None:
    """Of a step of a trace; None when it tells of no ACL."""
    if not struct.kind:
        return None
    outcome, action = AclOutcome(struct.kind), AclAction(struct.action)
    return AclTrace(outcome, action, struct.acl, struct.rule, struct.interface, struct.next)


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
