"""Bonds by command line and by VPP's messages, on a core that forwards nothing; output in VPP's columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.api.client import Client
from wirespeed.router.api.exchange import replies
from wirespeed.router.console import Console
from wirespeed.router.features.bond.core import BondBalance, BondMode
from wirespeed.vpp_api.codec import Values, coder
from wirespeed.vpp_api.table import TABLE

MADE = ("create bond id 3 mode lacp load-balance l34 hw-addr 02:00:00:00:00:03", "bond add BondEthernet3 e0 passive")


@pytest.fixture
def console() -> Iterator[Console]:
    made = Console(FakeRouterCore())
    yield made
    made.close()


def run(console: Console, line: str) -> str:
    return "\n".join(console.run(line))


def ask(console: Console, name: str, /, **fields: Any) -> list[Values]:
    client = Client(console, 1, "test", is_greeted=True)
    answers = (data for data in replies(client, coder(name).pack(fields)) if isinstance(data, bytes))
    return [coder(TABLE.by_number[int.from_bytes(data[:2])].name).unpack(data) for data in answers]


def test_bonds_are_shown_in_vpps_columns(console: Console) -> None:
    for line in (*MADE, "create bond mode active-backup"):
        run(console, line)
    assert run(console, "show bond").splitlines() == [
        "interface name   sw_if_index   mode          load balance  active members members",
        "BondEthernet3    33            lacp          l34           1              1",
        "BondEthernet0    34            active-backup active-backup 0              0",
    ]
    assert run(console, "show lacp").splitlines() == [
        "                                                        actor state                      partner state",
        "interface name            sw_if_index  bond interface   exp/def/dis/col/syn/agg/tim/act"
        "  exp/def/dis/col/syn/agg/tim/act",
        "e0                        1            BondEthernet3     0   0   1   1   1   1   1   1"
        "    0   0   1   1   1   1   0   1",
        "  LAG ID: [(ffff,02-00-00-00-00-03,0004,00ff,0001), (8000,02-00-00-00-00-99,0009,00ff,0001)]",
        "  RX-state: CURRENT, TX-state: TRANSMIT, MUX-state: COLLECTING_DISTRIBUTING, PTX-state: FAST_PERIODIC",
        "  LACPDUs: 7 received, 8 sent",
    ]


def test_words_of_a_bond(console: Console) -> None:
    run(console, "create bond mode xor")
    run(console, "create bond load-balance l23 mode lacp")
    core = console.core
    assert [(core.bond.of(index).mode, core.bond.of(index).balance) for index in (32, 33)] == [
        (BondMode.XOR, BondBalance.L2),
        (BondMode.LACP, BondBalance.L23),
    ]
    for line in ("create bond", "create bond mode round-robin load-balance l2", "bond del e0", "delete bond e0"):
        with pytest.raises(UsageError):
            run(console, line)


def test_messages_make_tell_and_delete_bonds(console: Console) -> None:
    given = {"mode": 5, "lb": 1, "use_custom_mac": True, "mac_address": "02:00:00:00:00:03", "id": 3}
    (made,) = ask(console, "bond_create2", **given)
    assert (made.retval, made.sw_if_index) == (0, 33)
    (added,) = ask(console, "bond_add_member", sw_if_index=2, bond_sw_if_index=33, is_long_timeout=True)
    assert added.retval == 0
    (told,) = ask(console, "sw_bond_interface_dump", sw_if_index=0xFFFFFFFF)
    assert (told.sw_if_index, told.id, told.mode, told.lb, told.members, told.interface_name) == (
        *(33, 3, 5, 1, 1),
        "BondEthernet3",
    )
    (member,) = ask(console, "sw_member_interface_dump", sw_if_index=33)
    assert (member.sw_if_index, member.interface_name, member.is_passive, member.is_long_timeout) == (
        2,
        "e1",
        False,
        True,
    )
    assert ask(console, "bond_detach_member", sw_if_index=2)[0].retval == 0
    assert ask(console, "bond_delete", sw_if_index=2)[0].retval == -2
    assert ask(console, "bond_create2", mode=9)[0].retval == -73
    assert ask(console, "bond_create2", mode=3, lb=0, numa_only=True)[0].retval == -9
    assert ask(console, "bond_delete", sw_if_index=33)[0].retval == 0
    assert ask(console, "sw_bond_interface_dump", sw_if_index=0xFFFFFFFF) == []
