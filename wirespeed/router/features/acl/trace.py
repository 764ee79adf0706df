"""Access lists in a packet's trace."""

from __future__ import annotations

from typing import Any

from wirespeed.router.features.acl.core import AclAction, AclOutcome, AclTrace
from wirespeed.router.interface_numbers import shown_index

_EXISTING_SESSION = 0x80000000
"""VPP's mark of an existing session in a trace."""
_OUTCOMES = {
    AclOutcome.RULE: "no session",
    AclOutcome.NEW_SESSION: "new session",
    AclOutcome.NO_ROOM: "no room for a session",
    AclOutcome.SESSION: "existing session",
    AclOutcome.NO_RULE: "no rule fits",
    AclOutcome.NO_HEADER: "no whole IP header",
}


def note(struct: Any) -> str:
    """The line of a step in a trace; empty without an ACL."""
    record = struct.acl
    if not record.kind:
        return ""
    outcome, action = AclOutcome(record.kind), AclAction(record.action)
    return text(AclTrace(outcome, action, record.acl, record.rule, record.interface, record.next))


def text(trace: AclTrace) -> str:
    """The beginning of VPP's trace, without its lookup contexts, and the meaning of the numbers."""
    bits = _EXISTING_SESSION if trace.outcome is AclOutcome.SESSION else 0
    meaning = f"{trace.action.word}, {_OUTCOMES[trace.outcome]}"
    return (
        f"acl-plugin: sw_if_index {shown_index(trace.interface)}, next index {trace.next}, "
        f"action: {trace.action.value}, match: acl {trace.acl} rule {trace.rule} trace_bits {bits:08x} ({meaning})"
    )
