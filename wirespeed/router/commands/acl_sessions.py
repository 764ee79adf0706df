"""set acl-plugin session, show acl-plugin sessions, clear acl-plugin sessions: what permit+reflect lets through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.acl_session import AclSession

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 58: "icmp6", 132: "sctp"}
_TCP = 6
_FLAGS = ((1, "F"), (2, "S"), (4, "R"), (16, "A"))


@command(
    "set acl-plugin session timeout udp idle <number:seconds>",
    "set acl-plugin session timeout tcp (idle|transient) <number:seconds>",
)
def set_timeout(console: Console, words: Match) -> None:
    """How long a session may be idle; of TCP `transient` before the connection stands and after its end, and `udp` of
    all but TCP."""
    field = "udp_idle_s" if "udp" in words else "tcp_idle_s" if "idle" in words else "tcp_transient_s"
    settings = console.core.acl_session_settings()
    console.core.set_acl_sessions(replace(settings, **{field: words["seconds"]}))


@command("set acl-plugin session table max-entries <number:sessions>")
def set_most(console: Console, words: Match) -> None:
    """How many sessions there may be at a time; before the first permit+reflect."""
    console.core.set_acl_sessions(replace(console.core.acl_session_settings(), most=words["sessions"]))


@command("clear acl-plugin sessions")
def clear(console: Console, words: Match) -> None:
    """Delete all sessions."""
    console.core.clear_acl_sessions()


@command("show acl-plugin sessions [verbose]")
def show(console: Console, words: Match) -> Iterator[str]:
    """What became of sessions, by interface; verbose: each that lives."""
    core = console.core
    settings, counters = core.acl_session_settings(), core.acl_session_counters()
    gone = counters.expired + counters.deleted
    yield f"Sessions total: add {counters.created} - del {gone} = {counters.active}"
    yield f"Sessions active: add {counters.created} - deact {gone} = {counters.active}"
    yield f"Sessions gone: expired {counters.expired} deleted {counters.deleted}"
    yield f"Packets: of sessions {counters.hits} refused for lack of room {counters.refused}"
    yield f"now: {core.tsc()} clocks per second: {core.tsc_hz()}"
    yield "  connection add/del stats:"
    for face in console.interfaces(()):
        created, left = core.acl_interface_sessions(face)
        if created:
            yield f"    sw_if_index {shown_index(face)}: add {created} - del {left} = {created - left}"
    yield f"  max-entries {settings.most}"
    yield f"  timeout udp idle {settings.udp_idle_s}"
    yield f"  timeout tcp idle {settings.tcp_idle_s}"
    yield f"  timeout tcp transient {settings.tcp_transient_s}"
    if "verbose" in words:
        for session in core.acl_sessions():
            yield f"  {_text(session)}"


def _text(session: AclSession) -> str:
    direction = "output" if session.is_output else "input"
    protocol = _PROTOCOLS.get(session.protocol, str(session.protocol))
    flags = ""
    if session.protocol == _TCP:
        flags = f" flags {_flags(session.source_tcp_flags)}/{_flags(session.destination_tcp_flags)}"
    return (
        f"sw_if_index {shown_index(session.interface)} {direction} {protocol} {session.source} {session.source_port}"
        f" -> {session.destination} {session.destination_port}{flags} idle {session.idle_s} of {session.timeout_s}"
    )


def _flags(seen: int) -> str:
    return "".join(letter for bit, letter in _FLAGS if seen & bit) or "-"
