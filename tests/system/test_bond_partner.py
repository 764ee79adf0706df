"""LACP with a partner that is not ours: scapy's frames on TAPs in a namespace. A port falls silent, and comes back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sandbox import Process, needs, router, wait_for

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
        # One falls silent, with its link up: it alone leaves, and comes back.
        (box.directory / "quiet").write_text("m1")
        wait_for(lambda: active(running) == 1, "the silent member to leave")
        assert "number of active members: 1\n    e2\n" in running.ask("show bond details")
        assert "RX-state: CURRENT" in running.ask("show lacp")
        (box.directory / "quiet").write_text("")
        wait_for(lambda: active(running) == 2, "the member to come back")
        # One that is down leaves at once.
        running.ask("set interface state e2 down")
        assert active(running) == 1
        running.ask("set interface state e2 up")
        wait_for(lambda: active(running) == 2, "the member that is up again")
        partner.kill()
        wait_for(lambda: active(running) == 0, "the end of it all")
        assert "lacp-input" in running.ask("show errors")
