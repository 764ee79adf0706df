"""Bonds: ports combined to one interface.

- **Interface.** A bond has what a port has: addresses, MTU (68 to 9216, default 9000), MAC address, sub-interfaces,
  bridge domains, cross-connects, pairs with Linux, statistics. Its link is up while at least one member can send.
- **Members** are ports without addresses, sub-interfaces or a layer 2 mode. While a port is a member, it cannot get any
  of these, nor IPv6 or its own MAC address, and it cannot be deleted. It has the bond's MAC address until it leaves. A
  bond without `hw-addr` uses the address of its first member. A member that is down or has no link does not send. Its
  own output ACLs do not apply.
- A member may be paired with Linux (`lcp create`), as in VPP: Linux sees its link and state, and packets from Linux
  leave by it. Received packets belong to the bond.
- The bond's MTU is independent of its members'; the ports need one at least as large (`config check` verifies this).
- **Modes: sending.** `round-robin`: each member in turn, packet by packet; order within a flow is lost.
  `active-backup`: one member as long as it can, then the first that can. The new one announces the bond's addresses by
  ARP (IPv4) and unsolicited neighbor advertisements (IPv6). `xor`: one member per flow. `broadcast`: all, with copies.
  `lacp`: one per flow, of those agreed with the other end.
- **Modes: receiving.** All members receive, with two exceptions: group addresses on a backup of `active-backup`, and
  members of `lacp` that are not in state collecting. With `broadcast` the other end may receive each packet more than
  once.
- **`load-balance`** (modes xor and lacp) selects the fields that define a flow. `l2`: Ethernet addresses (default, as
  in VPP). `l23`: also IP addresses. `l34`: IP addresses, protocol, and ports of TCP, UDP and SCTP (fragments without
  ports). Frames other than IP always use Ethernet addresses.
- **Flows that change members.** Flows are distributed over 256 buckets. When a member leaves, its buckets are
  distributed among the others, and all other flows stay. When a member joins, it takes only its share.
- With LACP no flow is reordered. When a bucket leaves a member that can still send, its packets are dropped for a
  moment (`flow moves to another member`). The old member sends a marker (IEEE 802.1AX clause 5.3), and the new one is
  used after the answer, or after 100 ms. Each worker with its own queue in the member sends a marker after its last
  packet, and all answers are awaited. Without LACP nobody answers markers, so the wait is 200 microseconds. That is
  longer than a link needs, but an end that reads late may need more.
- **LACP** (IEEE 802.1AX-2008 clause 5.4). Activity: active, or `passive`. Requested LACPDUs: one per second, with
  `long-timeout` one per 30 seconds. Time-out: 3 seconds of silence, with `long-timeout` 90. A member that loses its
  link leaves at once. System: priority ffff, the bond's MAC address. Key: the bond's id plus 1. Port priority: 00ff.
- Collecting and distributing are controlled independently: a member sends when the other end collects. A member without
  a partner does not send. If members have different partners, the partner that already aggregates is used, otherwise
  the one with the most members. The main thread handles LACPDUs, once per second and on arrival. If it is busy for
  three seconds, the other end times out.
- `show trace` has VPP's line at `bond-input` (`src 02:ee:00:00:00:01, dst 02:fe:00:00:00:b0, e1 -> BondEthernet0`) and
  at `bond-tx` (`BondEthernet0 -> e2`). The statistics segment has both ends' LACP states of each member,
  `/if/lacp/257/1/state` and `partner-state`, as VPP's. `show lacp` also counts LACPDUs.
- Not supported: `numa-only`, `gso`, `weight`. startup.conf has no options for bonds, as in VPP.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.commands.subinterfaces import delete, free_number
from wirespeed.router.features.bond.core import (
    BALANCED,
    Bond,
    BondBalance,
    BondMode,
    LacpMux,
    LacpParty,
    LacpPeriodic,
    LacpPort,
)
from wirespeed.router.grammar import Match
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import InterfaceKind

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_NAME = "BondEthernet"
_MOST_ID = (1 << 32) - 2
# Bits of the LACP states in VPP's order, the last one first.
_BITS = ("exp", "def", "dis", "col", "syn", "agg", "tim", "act")


@command(
    "create bond ([mode (round-robin|active-backup|xor|broadcast|lacp)]|[load-balance (l2|l23|l34)]|[id <number:id>]"
    "|[hw-addr <mac>])..."
)
def create_bond(console: Console, words: Match) -> Lines:
    """Create a bond."""
    modes = [mode for mode in BondMode if mode_word(mode) in words]
    if not modes:
        raise UsageError(f"a bond needs a mode: create bond mode {'|'.join(map(mode_word, BondMode))}")
    balances = [one for one in BondBalance if one.name.lower() in words]
    if len(modes) > 1 or len(balances) > 1:
        given = [*map(mode_word, modes)] if len(modes) > 1 else [one.name.lower() for one in balances]
        raise UsageError(f"a bond has one mode and one load balance, not {' and '.join(given)}; give one")
    mode, balance = modes[0], next(iter(balances), None)
    return [console.core.interface(add_bond(console, mode, balance, words.get("id"), words.get("mac"))).name]


def mode_word(mode: BondMode) -> str:
    """The mode's keyword on the command line."""
    return mode.name.lower().replace("_", "-")


def balance_word(bond: Bond) -> str:
    """The load balance as VPP shows it; for modes without a choice, the mode itself."""
    return bond.balance.name.lower() if bond.mode in BALANCED else mode_word(bond.mode)


def add_bond(console: Console, mode: BondMode, balance: BondBalance | None, ident: int | None, mac: str | None) -> int:
    """Make a bond, the first free one unless `ident` says which; returns its number."""
    if balance is not None and mode not in BALANCED:
        raise UsageError(f"load-balance is for the modes xor and lacp; {mode_word(mode)} needs none")
    number = free_number(console, _NAME) if ident is None else ident
    if number > _MOST_ID:
        raise UsageError(f"id {number} is not between 0 and {_MOST_ID}")
    return console.core.bond.add(Bond(number, mode, balance or BondBalance.L2, mac))


def bonds(console: Console) -> Iterator[tuple[int, Bond]]:
    """All of them, by the numbers of their interfaces."""
    for name, index in console.interface_names().items():
        if name.startswith(_NAME) and console.core.interface(index).kind is InterfaceKind.BOND:
            yield index, console.core.bond.of(index)


@command("delete bond <interface>")
def delete_bond(console: Console, words: Match) -> None:
    """Delete a bond; its members are independent ports again."""
    delete_one(console, words["interface"])


def delete_one(console: Console, index: int) -> None:
    """UsageError for what is not a bond."""
    delete(console, index, InterfaceKind.BOND, "a bond")


@command("bond add <interface> <interface> ([passive]|[long-timeout])...")
def bond_add(console: Console, words: Match) -> None:
    """Add a port (second) to a bond (first)."""
    bond, port = words.all("interface")
    console.core.bond.add_member(bond, port, passive="passive" in words, long_timeout="long-timeout" in words)


@command("bond del <interface>")
def bond_del(console: Console, words: Match) -> None:
    """Remove a port from its bond."""
    console.core.bond.remove_member(words["interface"])


@command("show bond [details]")
def show_bond(console: Console, words: Match) -> Iterator[str]:
    """Bonds, and the number of sending members."""
    if "details" in words:
        for index, bond in bonds(console):
            yield from _details(console, index, bond)
        return
    yield f"{'interface name':<16} {'sw_if_index':<12}  {'mode':<13} {'load balance':<13} active members members"
    for index, bond in bonds(console):
        name, active = console.core.interface(index).name, len(bond.active)
        yield (
            f"{name:<16} {shown_index(index):<12}  {mode_word(bond.mode):<13} {balance_word(bond):<13}"
            f" {active:<14} {len(bond.members)}"
        )


def _details(console: Console, index: int, bond: Bond) -> Iterator[str]:
    yield console.core.interface(index).name
    yield f"  mode: {mode_word(bond.mode)}"
    yield f"  load balance: {balance_word(bond)}"
    for title, members in (("number of active members", bond.active), ("number of members", bond.members)):
        yield f"  {title}: {len(members)}"
        yield from (f"    {console.core.interface(port).name}" for port in members)
    yield f"  device instance: {bond.id}"
    yield f"  interface id: {bond.id}"
    yield f"  sw_if_index: {shown_index(index)}"
    yield f"  hw_if_index: {shown_index(index)}"


@command("show lacp")
def show_lacp(console: Console, words: Match) -> Iterator[str]:
    """LACP state of both ends of each member."""
    yield f"{'':<55} {'actor state':<33}partner state"
    states = "/".join(_BITS)
    yield f"{'interface name':<26}{'sw_if_index':<13}{'bond interface':<17}{states}  {states}"
    for index, bond in bonds(console):
        for port in bond.members:
            lacp = console.core.bond.member(port).lacp
            if lacp is not None:
                yield from _lacp(console, index, port, lacp)


def _lacp(console: Console, bond: int, port: int, lacp: LacpPort) -> Iterator[str]:
    names = f"{console.core.interface(port).name:<26}{shown_index(port):<13}{console.core.interface(bond).name:<15}"
    yield f"{names}{_state(lacp.actor)} {_state(lacp.partner)}"
    yield f"  LAG ID: [{_identity(lacp.actor)}, {_identity(lacp.partner)}]"
    mux = "COLLECTING_DISTRIBUTING" if lacp.mux is LacpMux.DISTRIBUTING else lacp.mux.name
    periodic = "NO_PERIODIC" if lacp.periodic is LacpPeriodic.NONE else f"{lacp.periodic.name}_PERIODIC"
    yield f"  RX-state: {lacp.receive.name}, TX-state: TRANSMIT, MUX-state: {mux}, PTX-state: {periodic}"
    yield f"  LACPDUs: {lacp.received} received, {lacp.sent} sent"


def _state(party: LacpParty) -> str:
    return "".join(f"{party.state >> bit & 1:>4}" for bit in range(len(_BITS) - 1, -1, -1))


def _identity(party: LacpParty) -> str:
    system = party.system.replace(":", "-")
    return f"({party.system_priority:04x},{system},{party.key:04x},{party.port_priority:04x},{party.port:04x})"
