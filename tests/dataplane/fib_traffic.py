"""A router between a generator's ports: streams cross it all the time, and pings show the next hop of each destination.

p0 sends to e0. e1 and e2 have four next hops each, with the same numbers for both families, and lead back to p1 and p2.
The last byte of a next hop's MAC address is its number.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

from generator_child import GeneratorChild
from harness.waiting import wait_for
from router_run import HOST0, ROUTER0, RouterProcess, router
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import Ether
from test_router_floods import bound_for

from wirespeed._native.flow_records import CaptureWhat, FlowCounters, FlowKind
from wirespeed._native.generator import PortTraffic
from wirespeed._native.stream_records import Op, OpKind, Stream
from wirespeed.seam.addresses import Address, Network

HOPS = 8
OUTPUTS = (1, 2)
KEPT = (ip_network("20.0.5.0/24"), ip_network("2001:db8:20:5::/64"))
"""Prefixes whose routes do not change."""
REPLACED = (ip_network("20.128.2.0/23"), ip_network("2001:db8:20:8006::/63"))
"""Each of the two halves always has a route, but a changing one."""
KEPT_HOPS = (0, HOPS - 1)

_RATE_PPS = 4000.0
_RINGS = "rxd=4096,txd=4096"
_SEQUENCE_AT = {4: 40, 6: 60}
_ECHO_AT = {4: (23, 1, 34, 8), 6: (20, 58, 54, 128)}
"""For echo requests: offset of the protocol, its number, offset of the type, its number."""


def output_of(hop: int) -> int:
    return OUTPUTS[hop * len(OUTPUTS) // HOPS]


def address_of(version: int, hop: int) -> str:
    interface = output_of(hop)
    return f"100.64.{interface}.{hop + 2}" if version == 4 else f"fd00:{interface}::{hop + 2}"


def _config() -> str:
    lines = [f"set interface mac address e0 {ROUTER0}"]
    for index in range(3):
        lines += [f"set interface state e{index} up", f"set interface ip address e{index} 100.64.{index}.1/24"]
        lines += [f"set interface ip address e{index} fd00:{index}::1/64"]
    lines += [f"ip neighbor e0 100.64.0.2 {HOST0}", f"ip neighbor e0 fd00:0::2 {HOST0}"]
    for hop in range(HOPS):
        for version in (4, 6):
            lines.append(f"ip neighbor e{output_of(hop)} {address_of(version, hop)} 02:aa:00:00:00:{hop:02x}")
    for kept, replaced, hop in zip(KEPT, REPLACED, KEPT_HOPS, strict=True):
        lines.append(f"ip route add {kept} via {address_of(kept.version, hop)}")
        lines.append(f"ip route add {halves(replaced)} via {address_of(replaced.version, hop)}")
    return "\n".join(lines) + "\n"


def halves(prefix: Network) -> str:
    """The two halves, as arguments of `ip route`, which replaces an existing route."""
    return f"{next(iter(prefix.subnets()))} count 2"


def _template(version: int, payload: IP) -> bytes:
    source = {4: IP(src="100.64.0.2"), 6: IPv6(src="fd00:0::2")}[version]
    return bytes(Ether(src=HOST0, dst=ROUTER0) / source / payload)


_PINGS = {4: _template(4, ICMP(id=7)), 6: _template(6, ICMPv6EchoRequest(id=7))}


def _ping(destination: Address, sequence: int) -> bytes:
    at = _SEQUENCE_AT[destination.version]
    frame = bound_for(str(destination), _PINGS[destination.version])
    return frame[:at] + sequence.to_bytes(2, "big") + frame[at + 2 :]


def _stream(number: int, prefix: Network) -> Stream:
    """Datagrams to all of the prefix: two bytes of the destination count from its first to its last address."""
    template = bound_for(str(prefix[0]), _template(prefix.version, UDP(sport=1, dport=2) / bytes(30)))
    offset, shift = (32, 0) if prefix.version == 4 else (44, 64)
    first, last = (int(address) >> shift & 0xFFFF for address in (prefix[0], prefix[-1]))
    ops = [Op(OpKind.VAR, size=2, min=first, max=last, init=first), Op(OpKind.WRITE, offset=offset, size=2)]
    if prefix.version == 4:
        ops.append(Op(OpKind.FIX_IP4, offset=14))
    return Stream(number, template, rate_pps=_RATE_PPS, ops=tuple(ops), flow_kind=FlowKind.STATS, flow_id=number)


STREAMS = tuple(_stream(number, prefix) for number, prefix in enumerate((*KEPT, *REPLACED)))


@dataclass(frozen=True)
class Arrival:
    """A ping as the router sent it."""

    port: int
    hop: int


class Traffic:
    """The traffic through the router, and its outcome."""

    def __init__(self, directory: Path, running: RouterProcess, generator: GeneratorChild) -> None:
        self._directory = directory
        self.running = running
        self._generator = generator
        self._capture = generator.start_capture([], OUTPUTS, 1 << 14, what=CaptureWhat.CONTROL)
        self._arrived: dict[int, list[Arrival]] = {}

    def start(self) -> list[PortTraffic]:
        """Start streams into e0; all counters of the router are 0 then, those of the generator are returned."""
        self.running.ask("clear interfaces")
        self.running.ask("clear errors")
        self._generator.change("reset_flows", FlowKind.STATS, [stream.id for stream in STREAMS])
        before = self._generator.snapshot().ports
        self._generator.start(0, *STREAMS)
        return list(before)

    def stop(self) -> list[PortTraffic]:
        """Returns the generator's counters once all sent packets are through."""
        self._generator.change("stop", 0)
        self._markers()
        return list(self._generator.finish())

    def execute(self, lines: Sequence[str]) -> None:
        """Run commands of the router from a file, one after the other."""
        file = self._directory / "lines.conf"
        file.write_text("".join(f"{line}\n" for line in lines))
        self.running.ask(f"exec {file}")

    def flow(self, number: int) -> tuple[FlowCounters, ...]:
        return self._generator.flow(FlowKind.STATS, number)

    def pings(self, destinations: Sequence[Address]) -> list[list[Arrival]]:
        """Outputs of a ping to each destination: none, one, or (a fault) several."""
        self._arrived = {}
        self._generator.push(0, [_ping(address, number) for number, address in enumerate(destinations)])
        # Packets of one walk through the graph leave it in any order, but those of the next walk come later.
        self._markers()
        self._markers()
        return [self._arrived.get(number, []) for number in range(len(destinations))]

    def _markers(self) -> None:
        """Send one more ping over each constant route, and wait for them."""
        first = 0xFFFF - len(KEPT)
        for number, prefix in enumerate(KEPT, first):
            self._arrived.pop(number, None)
            self._generator.push(0, [_ping(prefix[1], number)])
        wait_for(lambda: self._read() >= set(range(first, 0xFFFF)), "pings by the routes that stay")

    def _read(self) -> set[int]:
        for captured in self._generator.read_capture(self._capture):
            version = captured.data[14] >> 4
            protocol_at, protocol, type_at, echo = _ECHO_AT[version]
            if (captured.data[protocol_at], captured.data[type_at]) != (protocol, echo):
                continue
            at = _SEQUENCE_AT[version]
            sequence = int.from_bytes(captured.data[at : at + 2], "big")
            self._arrived.setdefault(sequence, []).append(Arrival(captured.port, captured.data[5]))
        return set(self._arrived)


@contextmanager
def traffic(directory: Path) -> Iterator[Traffic]:
    wires = [f"memif:{directory}/e{index}.sock,{_RINGS}" for index in range(3)]
    interfaces = [f"e{index}={wire},role=server" for index, wire in enumerate(wires)]
    # Use another CPU than the router's, if there is one.
    cpus = sorted(os.sched_getaffinity(0))[:1]
    with (
        router(directory, interfaces, _config()) as running,
        GeneratorChild(*(f"{wire},role=client" for wire in wires), cpus=cpus, memory_mb=512) as generator,
    ):
        wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") == 3, "the memifs' links")
        yield Traffic(directory, running, generator)
