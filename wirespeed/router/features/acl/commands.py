"""Access lists: ACLs, the interfaces that they are applied to, and the sessions of permit+reflect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.features.acl.core import Acl, AclSession
from wirespeed.router.features.acl.words import read_acl, rule_text
from wirespeed.router.grammar import Match
from wirespeed.router.interface_numbers import shown_index

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 58: "icmp6", 132: "sctp"}
_TCP = 6
_FLAGS = ((1, "F"), (2, "S"), (4, "R"), (16, "A"))


@command("set acl-plugin acl <text:rules>")
def set_acl(console: Console, words: Match) -> Iterator[str]:
    """Make an ACL, or replace that of an index: deny|permit|permit+reflect src PREFIX dst PREFIX [proto N] [sport
    N[-N]] [dport N[-N]] [tcpflags N mask N], … [index N] [tag NAME]."""
    line = read_acl(words["rules"])
    yield f"ACL index:{console.core.acl.set(line.index, line.tag, line.rules)}"


@command("delete acl-plugin acl index <number:index>")
def delete_acl(console: Console, words: Match) -> None:
    """Delete an ACL that no interface has."""
    console.core.acl.delete(words["index"])


@command("set acl-plugin interface <interface> (input|output) acl <number:index> [del]")
def set_interface(console: Console, words: Match) -> None:
    """Give an interface one more ACL, behind those that it has, or take one from it."""
    face, acl, is_output = words["interface"], words["index"], "output" in words
    present = list(console.core.acl.of_interface(face, is_output))
    if "del" in words:
        if acl not in present:
            raise UsageError(f"the interface has no ACL {acl} in that direction")
        present.remove(acl)
    else:
        present.append(acl)
    console.core.acl.set_interface(face, is_output, present)


@command("show acl-plugin acl [index <number:index>] [verbose]")
def show_acl(console: Console, words: Match) -> Iterator[str]:
    """The ACLs and where they are; verbose: with what each rule has decided on."""
    index = words.get("index")
    for acl in console.core.acl.all() if index is None else [console.core.acl.of(index)]:
        yield f"acl-index {acl.index} count {len(acl.rules)} tag {{{acl.tag}}}"
        for number, rule in enumerate(acl.rules):
            count = acl.counts[number]
            counted = f" packets {count.packets} bytes {count.bytes}" if "verbose" in words else ""
            yield f"  {number:>9}: ipv{rule.source.version} {rule_text(rule)}{counted}"
        yield from _uses(console, acl)


def _uses(console: Console, acl: Acl) -> Iterator[str]:
    for is_output, word in ((False, "inbound"), (True, "outbound")):
        faces = [
            str(shown_index(face))
            for face in console.interfaces(())
            if acl.index in console.core.acl.of_interface(face, is_output)
        ]
        if faces:
            yield f"  applied {word} on sw_if_index: {' '.join(faces)}"


@command("show acl-plugin interface [<interface>...]")
def show_interface(console: Console, words: Match) -> Iterator[str]:
    """The ACLs of each interface that has any, in the order that packets meet them in."""
    for face in console.interfaces(words.all("interface")):
        found = [(word, console.core.acl.of_interface(face, word == "output")) for word in ("input", "output")]
        if any(acls for _, acls in found):
            yield f"sw_if_index {shown_index(face)}:"
        for word, acls in found:
            if acls:
                yield f"  {word} acl(s): {', '.join(map(str, acls))}"


@command(
    "set acl-plugin session timeout udp idle <number:seconds>",
    "set acl-plugin session timeout tcp (idle|transient) <number:seconds>",
)
def set_timeout(console: Console, words: Match) -> None:
    """How long a session may be idle; of TCP `transient` before the connection stands and after its end, and `udp` of
    all but TCP."""
    field = "udp_idle_s" if "udp" in words else "tcp_idle_s" if "idle" in words else "tcp_transient_s"
    settings = console.core.acl.session_settings()
    console.core.acl.set_sessions(replace(settings, **{field: words["seconds"]}))


@command("set acl-plugin session table max-entries <number:sessions>")
def set_most(console: Console, words: Match) -> None:
    """How many sessions there may be at a time; before the first permit+reflect."""
    console.core.acl.set_sessions(replace(console.core.acl.session_settings(), most=words["sessions"]))


@command("clear acl-plugin sessions")
def clear_sessions(console: Console, words: Match) -> None:
    """Delete all sessions."""
    console.core.acl.clear_sessions()


@command("show acl-plugin sessions [verbose]")
def show_sessions(console: Console, words: Match) -> Iterator[str]:
    """What became of sessions, by interface; verbose: each that lives."""
    core = console.core
    settings, counters = core.acl.session_settings(), core.acl.session_counters()
    gone = counters.expired + counters.deleted
    yield f"Sessions total: add {counters.created} - del {gone} = {counters.active}"
    yield f"Sessions active: add {counters.created} - deact {gone} = {counters.active}"
    yield f"Sessions gone: expired {counters.expired} deleted {counters.deleted}"
    yield f"Packets: of sessions {counters.hits} refused for lack of room {counters.refused}"
    yield f"now: {core.tsc()} clocks per second: {core.tsc_hz()}"
    yield "  connection add/del stats:"
    for face in console.interfaces(()):
        created, left = core.acl.interface_sessions(face)
        if created:
            yield f"    sw_if_index {shown_index(face)}: add {created} - del {left} = {created - left}"
    yield f"  max-entries {settings.most}"
    yield f"  timeout udp idle {settings.udp_idle_s}"
    yield f"  timeout tcp idle {settings.tcp_idle_s}"
    yield f"  timeout tcp transient {settings.tcp_transient_s}"
    if "verbose" in words:
        for session in core.acl.sessions():
            yield f"  {_session(session)}"


def _session(session: AclSession) -> str:
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
