"""LACP with an independent partner: scapy's frames on TAPs in a namespace. A port stops sending, and comes back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from harness.waiting import wait_for
from sandbox import Process, needs, router

pytestmark = needs()

SYSTEM = "02:00:00:00:00:99"
PORTS = ("e0=tap:h1,netns=h1", "e1=tap:m1,netns=h2", "e2=tap:m2,netns=h2")
CONFIG = (
    "set interface state e0 up\nset interface state e1 up\nset interface state e2 up\n"
    "create bond mode lacp load-balance l34 id 4 hw-addr 02:fe:00:00:00:b4\n"
    "bond add BondEthernet4 e1\nbond add BondEthernet4 e2\n"
    "set interface state BondEthernet4 up\nset interface ip address BondEthernet4 10.2.0.1/24\n"
)
PARTNER = Path(__file__).with_name("bond_partner.py")
OPEN = 0x3D | 2
"""Active, short timeout, aggregates, in sync, collects, distributes."""


def thinks(partner: Process) -> dict[str, dict[str, object]]:
    return {told["port"]: told for told in map(json.loads, partner.said().splitlines())}


def active(running) -> int:
    return int(running.ask("show bond").splitlines()[1].split()[4])


@pytest.mark.long("LACP's own timers; native/tests/test_lacp.c has the states")
def test_scapy_is_a_partner(box):
    with router(box, PORTS, CONFIG) as running:
        for name in ("m1", "m2"):
            box.run("ip", "link", "set", name, "up", netns="h2")
        assert active(running) == 0
        words = ("sh", "-c", f'cd "{box.directory}" && exec "$@"', "-", sys.executable, str(PARTNER))
        partner = box.spawn(*words, "1000", SYSTEM, "m1", "m2", netns="h2")
        wait_for(lambda: active(running) == 2, "two active members")
        told = running.ask("show lacp")
        assert told.count("MUX-state: COLLECTING_DISTRIBUTING, PTX-state: FAST_PERIODIC") == 2
        assert told.count("RX-state: CURRENT") == 2
        assert "(ffff,02-fe-00-00-00-b4,0005,00ff,0001), (8000,02-00-00-00-00-99,0009,00ff,0001)" in told
        wait_for(lambda: {one["other"]["state"] for one in thinks(partner).values()} == {OPEN}, "an open bond there")
        assert {one["other"]["system"] for one in thinks(partner).values()} == {"02:fe:00:00:00:b4"}
        # One stops sending, with its link up: only that one leaves, and comes back.
        (box.directory / "quiet").write_text("m1")
        wait_for(lambda: active(running) == 1, "the silent member to leave")
        assert "number of active members: 1\n    e2\n" in running.ask("show bond details")
        assert "RX-state: CURRENT" in running.ask("show lacp")
        (box.directory / "quiet").write_text("")
        wait_for(lambda: active(running) == 2, "the member to come back")
        # A member whose link is down leaves at once.
        running.ask("set interface state e2 down")
        assert active(running) == 1
        running.ask("set interface state e2 up")
        wait_for(lambda: active(running) == 2, "the member that is up again")
        assert "lacp-input" in running.ask("show errors")


@pytest.mark.parametrize("paired", [False, True], ids=["router", "linux"])
def test_ping_over_a_bond_whose_members_take_turns(box, paired):
    """The router replies, or Linux through its side of a pair; through the bond, and after the active
    member has left.
    """
    config = (
        "set interface state e1 up\nset interface state e2 up\nlcp default netns dataplane\nlcp lcp-sync on\n"
        "create bond mode active-backup\nbond add BondEthernet0 e1\nbond add BondEthernet0 e2\n"
        + ("lcp create BondEthernet0 host-if be0\n" if paired else "")
        + "set interface state BondEthernet0 up\nset interface mtu 4000 BondEthernet0\n"
        "set interface mtu 4000 e1\nset interface mtu 4000 e2\nset interface ip address BondEthernet0 10.2.0.1/24\n"
    )
    with router(box, PORTS, config) as running:
        box.run("ip", "link", "add", "br0", "type", "bridge", netns="h2")
        for name in ("m1", "m2"):
            box.run("ip", "link", "set", name, "mtu", "4000", "master", "br0", "up", netns="h2")
        box.run("ip", "addr", "add", "10.2.0.2/24", "dev", "br0", netns="h2")
        box.run("ip", "link", "set", "br0", "up", netns="h2")
        box.wait_ping("h2", "10.2.0.1")
        assert box.ping("h2", "10.2.0.1", "-M", "do", "-s", "3972")
        if paired:
            assert "be0" in box.run("ip", "-br", "addr", netns="dataplane")
            assert "linux-cp-punt" in running.ask("show errors")
        assert running.ask("show bond details").count("number of active members: 1\n    e1\n") == 1
        running.ask("set interface state e1 down")
        assert "number of active members: 1\n    e2\n" in running.ask("show bond details")
        box.wait_ping("h2", "10.2.0.1")
