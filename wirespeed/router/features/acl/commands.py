"""Access lists: rules that permit or deny packets of interfaces, and sessions of `permit+reflect`.

- The first matching rule over all ACLs of the interface in that direction decides. A packet that matches none is
  denied.
- `src` and `dst` are of one family, by default everything. `proto` is a number, `tcp`, `udp`, `icmp`, `icmp6` or
  `sctp`, by default any. For ICMP `sport` is the type and `dport` the code.
- Later fragments match by addresses and protocol only. A packet that ends before its ports matches no rule with ports.
- Input ACLs apply to routed packets (`acl-plugin-in-ip4-fa`, `acl-plugin-in-ip6-fa`, after the checks of `ip4-input`
  and `ip6-input`). They also apply to bridged or cross-connected frames (`acl-plugin-in-l2`), tagged or not.
- Output ACLs apply to all packets that leave by a port or sub-interface (`e0-acl-plugin-out`) or a bond
  (`bond-acl-plugin-out`). For a VXLAN tunnel they apply to the inner packet (`vxlan4-acl-plugin-out`,
  `vxlan6-acl-plugin-out`).
- Non-IP frames pass. Neighbour discovery to groups passes on input, and the router's own on output of routed
  interfaces. Labelled packets are not examined.
- Rules are compiled for DPDK's `rte_acl`, and a vector of packets is classified at once. An ACL's rules are replaced
  atomically. The counters of its rules (`verbose`; bytes as the node sees them) then restart. If memory is
  insufficient, the change is refused and nothing changes.
- Limits: 1 024 ACLs of 16 384 rules each, 128 ACLs per direction of an interface, 524 288 rules with counters
  (`/acl/N/matches` of the statistics). Without an ACL on an interface the graph has no ACL node.
- A trace has a line per ACL node like VPP's, without lookup contexts: `acl-plugin: sw_if_index 1, next index 0, action:
  2, match: acl 0 rule 1 trace_bits 00000000 (permit+reflect, new session)`. `next index` is 0 if the packet continued
  and 1 if it was dropped. For an existing session `rule` is its number. During a trace each packet passes these nodes
  by itself.
- MAC ACLs are not supported.
- **Sessions.** A rule `permit+reflect` permits and starts a session. From then on packets with the same addresses and
  ports pass the interface in that direction, and packets with exchanged ones in the other, without matching rules. This
  needs an ACL in the other direction that denies the answers.
- ICMP echo is identified by its identifier, protocols without ports by addresses. Later fragments, ICMP errors and
  other ICMP belong to no session and match the rules; a matching reflecting rule permits them like `permit`. All
  workers share one table.
- A session ends when it has been idle for its time. TCP uses `idle` from the moment both ends have sent SYN and ACK
  until one sends FIN or RST, otherwise `transient`. `udp idle` applies to all others. A session also ends by `clear`,
  with its interface, and when the ACLs change so that its first packet would match no reflecting rule. VPP checks the
  latter only with `reclassify sessions`.
- The table has room for 500 000 sessions (64 bytes each, allocated as needed). `acl-plugin { connection count max N }`
  in startup.conf or `set acl-plugin session table` sets another limit, before the first `permit+reflect`. In a full
  table, packets that would start a session are dropped as `too many sessions to add new`; existing sessions are not
  affected.
- Counters (`new sessions added`, `existing session packets`) are in `show errors` and the statistics segment, which
  also has the sessions (`/acl/sessions/…`).
"""

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
    """Create an ACL, or replace the ACL of an index. Rules: deny|permit|permit+reflect src PREFIX dst PREFIX [proto N]
    [sport N[-N]] [dport N[-N]] [tcpflags N mask N], … [index N] [tag NAME]."""
    line = read_acl(words["rules"])
    yield f"ACL index:{console.core.acl.set(line.index, line.tag, line.rules)}"


@command("delete acl-plugin acl index <number:index>")
def delete_acl(console: Console, words: Match) -> None:
    """Delete an ACL that no interface uses."""
    console.core.acl.delete(words["index"])


@command("set acl-plugin interface <interface> (input|output) acl <number:index> [del]")
def set_interface(console: Console, words: Match) -> None:
    """Add an ACL to an interface, behind its present ones; del: remove it."""
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
    """ACLs and their interfaces; verbose: with the counters of each rule."""
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
    """ACLs of the interfaces, in the order of evaluation."""
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
    """Set the idle time of sessions: TCP while established (idle) or not (transient), or all others (udp)."""
    field = "udp_idle_s" if "udp" in words else "tcp_idle_s" if "idle" in words else "tcp_transient_s"
    settings = console.core.acl.session_settings()
    console.core.acl.set_sessions(replace(settings, **{field: words["seconds"]}))


@command("set acl-plugin session table max-entries <number:sessions>")
def set_most(console: Console, words: Match) -> None:
    """Limit the number of sessions; before the first permit+reflect."""
    console.core.acl.set_sessions(replace(console.core.acl.session_settings(), most=words["sessions"]))


@command("clear acl-plugin sessions")
def clear_sessions(console: Console, words: Match) -> None:
    """Delete all sessions."""
    console.core.acl.clear_sessions()


@command("show acl-plugin sessions [verbose]")
def show_sessions(console: Console, words: Match) -> Iterator[str]:
    """Counters of sessions by interface; verbose: each session."""
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
