"""Flows through a Linux router with a filter, from one socket on each of its wires: opened, then answered."""

from __future__ import annotations

import errno
import itertools
import socket
import struct
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from shared_labs import inside

from wirespeed.cases.state_facts import StateFacts
from wirespeed.cpus import cpu_mask
from wirespeed.dut.setup import FilterOptions
from wirespeed.dut.states import DutStates
from wirespeed.lab.linux import GENERATOR_MACS, ROUTER_MACS, LinuxLab
from wirespeed.machine.placement import choose_cpus
from wirespeed.results.states import StateTable

SOURCE, DESTINATION = "16.0.0.1", "48.0.0.1"
_IP4, _ALL_BYTES = 0x0800, 1 << 29
_IGNORE_OUTGOING, _SOL_PACKET = 23, 263
_SEND_BUFFER, _RECEIVE_BUFFER = 32, 33  # SO_SNDBUFFORCE, SO_RCVBUFFORCE
Flow = tuple[int, int]
"""Source and destination port."""


def flows_of(count: int, endpoints: int = 20, first: int = 1024) -> list[Flow]:
    """So many flows to that many ports of one destination."""
    ports = range(first, 65536)
    return list(itertools.islice(((source, 1 + port) for source in ports for port in range(endpoints)), count))


@dataclass
class StateRig:
    """The router of `lab`, which has no generator."""

    lab: LinuxLab
    sockets: tuple[socket.socket, socket.socket]

    @property
    def states(self) -> DutStates:
        return self.lab.dut.states()

    def run(self, *commands: str) -> None:
        for command in commands:
            inside(self.lab, *command.split())

    def steer(self, *cpus: int) -> None:
        """Packets to these CPUs, or to the sender's."""
        for index in (0, 1):
            inside(self.lab, "sh", "-c", f"echo {cpu_mask(cpus)} > /sys/class/net/e{index}/queues/rx-0/rps_cpus")

    def trial(self, flows: Sequence[Flow], rest_s: float = 0.0, source: str = SOURCE) -> StateFacts:
        """Each flow opened once, then each that arrived answered once, `rest_s` later."""
        self.states.empty()
        before = self.states.read()
        began_s = time.monotonic()
        opened = self.open(flows, source)
        time.sleep(rest_s)
        answered = self.answer(opened)
        lasted_s = time.monotonic() - began_s
        return self.facts(flows, len(opened), answered, before, lasted_s)

    def facts(
        self, flows: Sequence[Flow], opened: int, answered: int | None, before: StateTable, lasted_s: float
    ) -> StateFacts:
        return StateFacts(
            flows=len(flows),
            opened=opened,
            answered=answered,
            table=self.states.read().since(before),
            used_before=before.used,
            lasted_s=lasted_s,
            endpoints=len({port for _, port in flows}),
            source="trial",
        )

    def open(self, flows: Iterable[Flow], source: str = SOURCE, destination: str = DESTINATION) -> list[bytes]:
        """The frames that arrived at the responder, one for each flow."""
        head = _ethernet(0) + _ip4(source, destination)
        for port, other in flows:
            try:
                self.sockets[0].send(head + struct.pack("!HHHH18x", port, other, 26, 0))
            except OSError as error:  # the queue of the CPU that forwards is full, and has dropped it
                if error.errno != errno.ENOBUFS:
                    raise
        return list({frame[26:38]: frame for frame in _received(self.sockets[1])}.values())

    def answer(self, opened: Iterable[bytes]) -> int:
        """Answers to these frames that arrived at the initiator."""
        head = _ethernet(1)
        for frame in opened:
            addresses = frame[30:34] + frame[26:30]
            ports = frame[36:38] + frame[34:36]
            self.sockets[1].send(head + frame[14:26] + addresses + ports + frame[38:60])
        return len({frame[26:38] for frame in _received(self.sockets[0])})


def _ethernet(side: int) -> bytes:
    macs = ROUTER_MACS[side], GENERATOR_MACS[side]
    return b"".join(bytes.fromhex(mac.replace(":", "")) for mac in macs) + _IP4.to_bytes(2, "big")


def _ip4(source: str, destination: str) -> bytes:
    """A header of a UDP packet of 46 bytes. The UDP checksum is 0: without."""
    fields = [0x4500, 46, 0, 0, (64 << 8) | 17, 0]
    head = struct.pack("!6H", *fields) + socket.inet_aton(source) + socket.inet_aton(destination)
    total = sum(struct.unpack("!10H", head))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = 0xFFFF - ((total & 0xFFFF) + (total >> 16))
    return head[:10] + checksum.to_bytes(2, "big") + head[12:]


def _received(end: socket.socket) -> Iterator[bytes]:
    """All frames that are there, and that come within a moment: the sender's CPU has forwarded them."""
    end.settimeout(0.1)
    while True:
        try:
            yield end.recv(2048)
        except TimeoutError:
            return


@contextmanager
def state_rig(options: FilterOptions) -> Iterator[StateRig]:
    """A Linux lab with that filter and without a generator; each packet is forwarded before `send` returns."""
    lab = LinuxLab(choose_cpus(), port="af_packet", filter=options)
    try:
        lab.start_dut()
        with _socket(lab, 0) as initiator, _socket(lab, 1) as responder:
            rig = StateRig(lab, (initiator, responder))
            rig.steer()
            yield rig
    finally:
        lab.stop()


@contextmanager
def _socket(lab: LinuxLab, side: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as made:
        for option in (_SEND_BUFFER, _RECEIVE_BUFFER):
            made.setsockopt(socket.SOL_SOCKET, option, _ALL_BYTES)
        made.setsockopt(_SOL_PACKET, _IGNORE_OUTGOING, 1)
        made.bind((lab.port(side), _IP4))
        yield made
