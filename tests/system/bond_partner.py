"""A partner of LACP that shares nothing with the router's: scapy's LACPDUs, on interfaces of Linux.

    python bond_partner.py MILLISECONDS SYSTEM INTERFACE...

It says what it thinks of each interface, one JSON object a line, whenever that changes. It answers what it hears as
IEEE 802.1AX clause 5.4 has a partner with coupled control do it: in sync as soon as it is known by the other end. An
interface whose name stands in the file `quiet` of the working directory is neither heard nor spoken on.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import sys
import time
from pathlib import Path

from scapy.contrib.lacp import LACP, SlowProtocol
from scapy.layers.l2 import Ether

SLOW, GROUP = 0x8809, "01:80:c2:00:00:02"
ACTIVE, SHORT, AGGREGATES, IN_SYNC, COLLECTS, DISTRIBUTES, DEFAULTED = 1, 2, 4, 8, 16, 32, 64
FIELDS = ("system_priority", "system", "key", "port_priority", "port_number", "state")


class Port:
    def __init__(self, name: str, number: int, system: str) -> None:
        self.name, self.number, self.system = name, number, system
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(SLOW))
        self.socket.bind((name, SLOW))
        self.socket.setblocking(False)
        # The group of slow protocols: PACKET_ADD_MEMBERSHIP for a multicast address.
        index = socket.if_nametoindex(name)
        request = index.to_bytes(4, sys.byteorder) + b"\0\0\6\0" + bytes.fromhex(GROUP.replace(":", "")) + b"\0\0"
        self.socket.setsockopt(263, 1, request)
        self.other: dict[str, object] = {}
        self.heard_at = 0.0
        self.knows_us = False

    @property
    def state(self) -> int:
        own = ACTIVE | SHORT | AGGREGATES
        if not self.other:
            return own | DEFAULTED
        own |= IN_SYNC
        return own | COLLECTS | DISTRIBUTES if self.knows_us and int(str(self.other["state"])) & IN_SYNC else own

    def say(self) -> None:
        own = {"actor_system_priority": 0x8000, "actor_system": self.system, "actor_key": 9, "actor_port_priority": 255}
        own |= {"actor_port_number": self.number, "actor_state": self.state}
        other = {f"partner_{name}": value for name, value in self.other.items()}
        pdu = Ether(dst=GROUP, src=f"02:00:00:00:01:{self.number:02x}", type=SLOW)
        frame = bytes(pdu / SlowProtocol(subtype=1) / LACP(**own, **other))
        with contextlib.suppress(OSError):  # while the link is down
            self.socket.send(frame)

    def hear(self, *, is_deaf: bool) -> None:
        frame = Ether(self.socket.recv(2048))
        if LACP not in frame or is_deaf:
            return
        pdu = frame[LACP]
        self.other = {name: getattr(pdu, f"actor_{name}") for name in FIELDS}
        self.knows_us = (pdu.partner_system, pdu.partner_key, pdu.partner_port_number) == (self.system, 9, self.number)
        self.heard_at = time.monotonic()

    def forget(self) -> None:
        if self.other and time.monotonic() > self.heard_at + 3:
            self.other, self.knows_us = {}, False


def main() -> None:
    period_s, system = int(sys.argv[1]) / 1000, sys.argv[2]
    ports = [Port(name, number, system) for number, name in enumerate(sys.argv[3:], 1)]
    said: dict[str, object] = {}
    due = 0.0
    while True:
        quiet = Path("quiet").read_text().split() if Path("quiet").exists() else []
        ready, _, _ = select.select([port.socket for port in ports], [], [], 0.05)
        for port in ports:
            before = port.state
            if port.socket in ready:
                with contextlib.suppress(OSError):
                    port.hear(is_deaf=port.name in quiet)
            port.forget()
            if port.name not in quiet and (port.state != before or time.monotonic() >= due):
                port.say()
            told = {"state": port.state, "other": port.other}
            if said.get(port.name) != told:
                said[port.name] = told
                print(json.dumps({"port": port.name, **told}), flush=True)
        if time.monotonic() >= due:
            due = time.monotonic() + period_s


if __name__ == "__main__":
    main()
