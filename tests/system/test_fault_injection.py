"""A DUT that loses, doubles and holds back packets: what it did is counted to the packet, and told over the RPC.

The generator has two taps; between them a relay of packet sockets does to chosen packets what it is told.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.waiting import PATIENCE_S, wait_for
from shared_labs import connected

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.machine.child import Child
from wirespeed.machine.ports import free_rpc_port
from wirespeed.profiles import load_profile

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/dev/net/tun").exists(), reason="taps need root and /dev/net/tun"
)

PACKETS = 600
EVERY_PACKET = 3
PG_ID = 8

LOST = set(range(20, 560, 9))
DOUBLED = set(range(24, 560, 27))
HELD_BACK = set(range(34, 540, 45))  # each goes after the third that follows it
assert not (LOST & DOUBLED or LOST & HELD_BACK or DOUBLED & HELD_BACK)


class FaultInjector(threading.Thread):
    """Forwards test packets from one interface to another; others, such as the kernel's own, are dropped."""

    def __init__(self, from_name: str, to_name: str) -> None:
        super().__init__(daemon=True)
        self.seen = self.sent = 0
        self._from, self._to = _packet_socket(from_name), _packet_socket(to_name)
        self._held: list[tuple[int, bytes]] = []

    def run(self) -> None:
        while self.seen < PACKETS:
            packet, where = self._from.recvfrom(4096)
            # Addresses of the bench profile; packets sent to a tap from here appear as outgoing.
            if where[2] != socket.PACKET_OUTGOING and packet[26:30] == bytes((16, 0, 0, 4)):
                self._forward(self.seen, packet)
                self.seen += 1

    def _forward(self, number: int, packet: bytes) -> None:
        if number in HELD_BACK:
            self._held.append((number, packet))
        elif number not in LOST:
            for _ in range(2 if number in DOUBLED else 1):
                self._send(packet)
        while self._held and self._held[0][0] + EVERY_PACKET <= number:
            self._send(self._held.pop(0)[1])

    def _send(self, packet: bytes) -> None:
        self._to.send(packet)
        self.sent += 1

    def close(self) -> None:
        self._from.close()
        self._to.close()


def _packet_socket(name: str) -> socket.socket:
    ours = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    ours.bind((name, 0))
    return ours


@pytest.fixture
def client(tmp_path: Path) -> Iterator[GeneratorClient]:
    address = f"127.0.0.1:{free_rpc_port()}"
    ports = [word for side in "ab" for word in ("--port", f"tap:{tap(side)}")]
    child = Child("generator", ["generator", *ports, "--hugepages", "never", "--rpc", address], tmp_path / "log")
    with child.start(), connected(address) as one:
        one.acquire([0, 1])
        yield one
        one.release([0, 1])


def tap(side: str) -> str:
    return f"wsf{os.getpid()}{side}"


def group(client: GeneratorClient) -> dict[str, Any]:
    answer: dict[str, Any] = client.call("get_pgid_stats", pgids=[PG_ID])
    return answer


def received(client: GeneratorClient) -> int:
    return int(group(client)["flow_stats"][str(PG_ID)]["rp"]["1"])


def test_what_the_injector_did_is_counted(client: GeneratorClient) -> None:
    (loaded,) = load_profile("bench", {"size": "128", "flow": "fsl", "pg_id": str(PG_ID)}, 0, 0)
    burst = {"type": "single_burst", "rate": {"type": "pps", "value": 1000}, "total_pkts": PACKETS}
    client.add_streams(0, [{"stream_id": 1, "stream": loaded["stream"] | {"mode": burst}}])
    injector = FaultInjector(tap("a"), tap("b"))
    injector.start()
    with contextlib.closing(injector):
        client.batch([client._owned("start_traffic", 0, mul=_ONCE, duration=-1, force=True)])
        expected = PACKETS - len(LOST) + len(DOUBLED)
        injector.join(timeout=PATIENCE_S)
        wait_for(lambda: received(client) >= injector.sent, "the last packet")
    assert injector.seen == PACKETS
    told = group(client)
    flow, errors = told["flow_stats"][str(PG_ID)], told["latency"][str(PG_ID)]["er"]
    assert (flow["tp"]["0"], flow["rp"]["1"]) == (PACKETS, expected)
    assert errors == {
        "drp": len(LOST),
        "dup": len(DOUBLED),
        "ooo": len(HELD_BACK),
        "stl": len(DOUBLED) + len(HELD_BACK),
        "sth": len(LOST) + len(HELD_BACK),
    }


_ONCE = {"type": "raw", "op": "abs", "value": 1.0}
