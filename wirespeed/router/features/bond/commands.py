"""create, show and delete bond, bond add, bond del, show lacp: ports that are one interface together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.commands.subinterfaces import delete, free_number
from wirespeed.router.features.bond.core import (
    BALANCED,
    Balance,
    Bond,
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
# As VPP shows the states' bits, the last one first.
_BITS = ("exp", "def", "dis", "col", "syn", "agg", "tim", "act")


@command(
    "create bond ([mode (round-robin|active-backup|xor|broadcast|lacp)]|[load-balance (l2|l23|l34)]|[id <number:id>]"
    "|[hw-addr <mac>])..."
)
def create_bond(console: Console, words: Match) -> Lines:
    """An interface whose packets ports carry together: in turn, the first that can, by flow, all, or by LACP."""
    modes = [mode for mode in BondMode if mode_word(mode) in words]
    if not modes:
        raise UsageError(f"a bond needs a mode: create bond mode {'|'.join(map(mode_word, BondMode))}")
    balances = [one for one in Balance if one.name.lower() in words]
    if len(modes) > 1 or len(balances) > 1:
        given = [*map(mode_word, modes)] if len(modes) > 1 else [one.name.lower() for one in balances]
        raise UsageError(f"a bond has one mode and one load balance, not {' and '.join(given)}; leave one")
    mode, balance = modes[0], next(iter(balances), None)
    return [console.core.interface(add_bond(console, mode, balance, words.get("id"), words.get("mac"))).name]


def mode_word(mode: BondMode) -> str:
    """As the command line has it."""
    return mode.name.lower().replace("_", "-")


def balance_word(bond: Bond) -> str:
    """As VPP shows it: of modes without a choice, their own."""
    return bond.balance.name.lower() if bond.mode in BALANCED else mode_word(bond.mode)


def add_bond(console: Console, mode: BondMode, balance: Balance | None, ident: int | None, mac: str | None) -> int:
    """Make a bond, the first free one unless `ident` says which; returns its number."""
    if balance is not None and mode not in BALANCED:
        raise UsageError(f"load-balance is for the modes xor and lacp; {mode_word(mode)} needs none")
    number = free_number(console, _NAME) if ident is None else ident
    if number > _MOST_ID:
        raise UsageError(f"id {number} is not between 0 and {_MOST_ID}")
    return console.core.bond.add(Bond(number, mode, balance or Balance.L2, mac))


def bonds(console: Console) -> Iterator[tuple[int, Bond]]:
    """All of them, by the numbers of their interfaces."""
    for name, index in console.interface_names().items():
        if name.startswith(_NAME) and console.core.interface(index).kind is InterfaceKind.BOND:
            yield index, console.core.bond.of(index)


@command("delete bond <interface>")
def delete_bond(console: Console, words: Match) -> None:
    """Take a bond away; its members are ports of their own again."""
    delete_one(console, words["interface"])


def delete_one(console: Console, index: int) -> None:
    """UsageError for what is not a bond."""
    delete(console, index, InterfaceKind.BOND, "a bond")


@command("bond add <interface> <interface> ([passive]|[long-timeout])...")
def bond_add(console: Console, words: Match) -> None:
    """Make the second one, a port that nothing else uses, a member of the first."""
    bond, port = words.all("interface")
    console.core.bond.add_member(bond, port, passive="passive" in words, long_timeout="long-timeout" in words)


@command("bond del <interface>")
def bond_del(console: Console, words: Match) -> None:
    """Take a port out of its bond."""
    console.core.bond.remove_member(words["interface"])


@command("show bond [details]")
def show_bond(console: Console, words: Match) -> Iterator[str]:
    """Bonds, and how many of their members send."""
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
    """What both ends of each member know of each other."""
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
