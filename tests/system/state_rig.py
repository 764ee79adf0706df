"""Flows through a Linux router with a filter, from one socket on each of its links: opened, then answered."""

from __future__ import annotations

import errno
import ipaddress
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
_IP4, _IP6, _EVERY_TYPE = b"\x08\x00", b"\x86\xdd", 3
_UDP_BYTES, _BUFFER_BYTES = 26, 1 << 29
_IGNORE_OUTGOING, _SOL_PACKET = 23, 263
_SEND_BUFFER, _RECEIVE_BUFFER = 32, 33  # SO_SNDBUFFORCE, SO_RCVBUFFORCE
Flow = tuple[int, int]
"""Source and destination port."""


def flows_of(count: int, endpoints: int = 20, first: int = 1024) -> list[Flow]:
    """That many flows to that many ports of one destination."""
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
        """Steer packets to these CPUs, or back to the sender's."""
        for index in (0, 1):
            inside(self.lab, "sh", "-c", f"echo {cpu_mask(cpus)} > /sys/class/net/e{index}/queues/rx-0/rps_cpus")

    def trial(
        self, flows: Sequence[Flow], rest_s: float = 0.0, source: str = SOURCE, destination: str = DESTINATION
    ) -> StateFacts:
        """Open each flow once; `rest_s` later answer each that arrived once."""
        self.states.empty()
        before = self.states.read()
        began_s = time.monotonic()
        opened = self.open(flows, source, destination)
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
        """The frames that arrived at the responder, one per flow."""
        head = _ethernet(0, source) + _ip(source, destination, 17, bytes(_UDP_BYTES))[:-_UDP_BYTES]
        pseudo = _packed(source) + _packed(destination) + struct.pack("!HH", 17, _UDP_BYTES)
        for port, other in flows:
            udp = struct.pack("!HHHH18x", port, other, _UDP_BYTES, 0)
            try:
                self.sockets[0].send(head + udp[:6] + _checksum(pseudo + udp) + udp[8:])
            except OSError as error:  # the queue of the CPU that forwards is full, and has dropped it
                if error.errno != errno.ENOBUFS:
                    raise
        return list({_tuple(frame): frame for frame in _received(self.sockets[1], 17)}.values())

    def knock(self, port: int, times: int) -> int:
        """Connections from the initiator to the router itself; returns how many it refuses by RST."""
        near, router = "100.64.1.2", "100.64.1.1"
        for source in range(20_000, 20_000 + times):
            tcp = struct.pack("!HHIIHHHH", source, port, 1, 0, 0x5002, 8192, 0, 0)
            pseudo = _packed(near) + _packed(router) + struct.pack("!HH", 6, len(tcp))
            tcp = tcp[:16] + _checksum(pseudo + tcp) + tcp[18:]
            self.sockets[0].send(_ethernet(0, near) + _ip(near, router, 6, tcp))
        return sum(1 for _ in _received(self.sockets[0], 6))

    def answer(self, opened: Iterable[bytes]) -> int:
        """Answers to these frames that arrived at the initiator."""
        for frame in opened:
            length, at = (4, 26) if frame[12:14] == _IP4 else (16, 22)
            middle, ports = at + length, at + 2 * length
            addresses = frame[middle:ports] + frame[at:middle]
            turned = frame[ports + 2 : ports + 4] + frame[ports : ports + 2] + frame[ports + 4 :]
            self.sockets[1].send(_macs(1) + frame[12:at] + addresses + turned)
        return len({_tuple(frame) for frame in _received(self.sockets[0], 17)})


def _macs(side: int) -> bytes:
    return b"".join(bytes.fromhex(mac.replace(":", "")) for mac in (ROUTER_MACS[side], GENERATOR_MACS[side]))


def _ethernet(side: int, address: str) -> bytes:
    return _macs(side) + (_IP6 if ":" in address else _IP4)


def _packed(address: str) -> bytes:
    return ipaddress.ip_address(address).packed


def _tuple(frame: bytes) -> bytes:
    """Addresses and ports."""
    return frame[26:38] if frame[12:14] == _IP4 else frame[22:58]


def addresses_of(frame: bytes) -> tuple[str, str]:
    length, at = (4, 26) if frame[12:14] == _IP4 else (16, 22)
    source, destination = (ipaddress.ip_address(frame[begin : begin + length]) for begin in (at, at + length))
    return str(source), str(destination)


def _ip(source: str, destination: str, protocol: int, payload: bytes) -> bytes:
    """A packet of the addresses' family."""
    addresses = _packed(source) + _packed(destination)
    if ":" in source:
        return struct.pack("!IHBB", 6 << 28, len(payload), protocol, 64) + addresses + payload
    head = struct.pack("!6H", 0x4500, 20 + len(payload), 0, 0, (64 << 8) | protocol, 0) + addresses
    return head[:10] + _checksum(head) + head[12:] + payload


def _checksum(data: bytes) -> bytes:
    """RFC 1071."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return (0xFFFF - ((total & 0xFFFF) + (total >> 16))).to_bytes(2, "big")


def _received(end: socket.socket, protocol: int) -> Iterator[bytes]:
    """Frames of a protocol that are there or arrive within a moment: they are forwarded on the sender's CPU."""
    end.settimeout(0.1)
    while True:
        try:
            frame = end.recv(2048)
        except TimeoutError:
            return
        kind = frame[12:14]
        if (kind == _IP4 and frame[23] == protocol) or (kind == _IP6 and frame[20] == protocol):
            yield frame


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
            made.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
        made.setsockopt(_SOL_PACKET, _IGNORE_OUTGOING, 1)
        made.bind((lab.port(side), _EVERY_TYPE))
        yield made
