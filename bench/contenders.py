"""Routers and senders that bench/memif.py measures, each with its counterpart."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.lab.embedded import GENERATOR_MACS, INTERFACES_UP, IP4_INTERFACES, MPLS_SWAPS
from wirespeed.profiles import load_profile
from wirespeed.units import Rate

PROFILES = Path(__file__).parent / "profiles"
OWN_PEER = Path(__file__).parent.parent / "build" / "native" / "bench" / "memif_peer"
"""Built by `tools/setup.sh bench`. A program with the same command line, except -b, can replace it."""
ROUTES = 1_000_000

TEN_ROUTES = IP4_INTERFACES + "".join(f"ip route add {48 + i}.0.0.0/8 via 100.64.2.2\n" for i in range(10))
# Routes to the destinations of random_hosts.py: 16, and a million.
WIDE_ROUTES = IP4_INTERFACES + "ip route add 64.0.0.0/8 count 16 via 100.64.2.2\n"
MILLION_ROUTES = IP4_INTERFACES + f"ip route add 64.0.0.0/24 count {ROUTES} via 100.64.2.2\n"
# Routes to the destinations of a peer's load.
PEER_ROUTES = 900_000
ROUTES_OF_PEERS = IP4_INTERFACES + f"ip route add 48.0.0.0/24 count {PEER_ROUTES} via 100.64.2.2\n"
CROSSED = f"""\
{INTERFACES_UP}\
set interface l2 xconnect e0 e1
set interface l2 xconnect e1 e0
"""
IP6_ROUTES = f"""\
{INTERFACES_UP}\
set interface ip address e0 2001:db8:1::1/64
set interface ip address e1 2001:db8:2::1/64
ip neighbor e1 2001:db8:2::2 {GENERATOR_MACS[1]}
""" + "".join(f"ip route add 2001:db8:f{i}00::/40 via 2001:db8:2::2\n" for i in range(10))
SWAPS = IP4_INTERFACES + MPLS_SWAPS


@dataclass(frozen=True)
class Load:
    """A profile at a rate that neither one CPU can send nor memif can carry."""

    profile: str = "bench"
    tunables: dict[str, str] = field(default_factory=dict)
    pps: float = 64e6


@dataclass(frozen=True)
class PeerLoad:
    """Bursts from a program that uses DPDK's net_memif, to `destinations` addresses from 48.0.0.1 on."""

    burst: int
    destinations: int = 1
    program: Path = OWN_PEER

    @property
    def arguments(self) -> list[str]:
        words = ["-b", str(self.burst)] if self.program == OWN_PEER else []
        return [*words, "-S", str(self.destinations), "-N", "16384"] if self.destinations > 1 else words


@dataclass(frozen=True)
class Device:
    """A DUT: wirespeed's router with `commands` (over DPDK's memif driver if `by_dpdk`), testpmd in a mode, a command
    template, or a router that runs already."""

    name: str
    compared_to: str | None
    load: Load | PeerLoad
    commands: str | None = None
    max_routes: int = 1000
    by_dpdk: bool = False
    testpmd: str = ""
    template: str = ""
    sockets: tuple[str, str] | None = None
    """The sockets of a router that runs already."""


@dataclass(frozen=True)
class Sender:
    """A sender: wirespeed's generator with `load`, testpmd in a mode, or a command template."""

    name: str
    compared_to: str | None
    load: Load | None = None
    testpmd: str = ""
    template: str = ""
    copies: bool = False
    """Whether packets are copied into the ring's buffers, as a memif server does."""


Contender = Device | Sender

ONE_FLOW = Load()
MANY_FLOWS = Load(tunables={"vm": "var2"})
RANDOM = Load(str(PROFILES / "random_hosts.py"))
ONE_IP6_FLOW = Load(str(PROFILES / "ip6.py"))
LABELLED = Load("mpls")
MACSWAP = "testpmd macswap"
TESTPMD_IO = "testpmd io"
TXONLY = "testpmd txonly"

ROUTERS = [
    Device(MACSWAP, MACSWAP, ONE_FLOW, testpmd="macswap"),
    Device(TESTPMD_IO, MACSWAP, ONE_FLOW, testpmd="io"),
    Device("router l2xc", MACSWAP, ONE_FLOW, CROSSED),
    Device("router ip4, one flow", MACSWAP, ONE_FLOW, TEN_ROUTES),
    Device("router l2xc, net_memif", "router l2xc", ONE_FLOW, CROSSED, by_dpdk=True),
    Device("router ip4, net_memif", "router ip4, one flow", ONE_FLOW, TEN_ROUTES, by_dpdk=True),
    Device("router ip4, 64 k flows", "router ip4, one flow", MANY_FLOWS, TEN_ROUTES),
    Device("router ip4, 16 routes", MACSWAP, RANDOM, WIDE_ROUTES),
    Device("router ip4, 1 M routes", "router ip4, 16 routes", RANDOM, MILLION_ROUTES, ROUTES + 1000),
    Device("router ip6, one flow", MACSWAP, ONE_IP6_FLOW, IP6_ROUTES),
    Device("router mpls swap", MACSWAP, LABELLED, SWAPS),
]


def under_peer(burst: int, program: Path = OWN_PEER) -> list[Device]:
    """DUTs under the load of a peer, compared to testpmd under the same load."""
    peer = f"burst {burst}" if program == OWN_PEER else f"by {program.name}"
    one, many = PeerLoad(burst, 1, program), PeerLoad(burst, PEER_ROUTES << 8, program)
    floor = f"macswap, {peer}"
    return [
        Device(floor, floor, one, testpmd="macswap"),
        Device(f"l2xc, {peer}", floor, one, CROSSED),
        Device(f"ip4, {peer}", floor, one, TEN_ROUTES),
        Device(f"900 k routes, {peer}", floor, many, ROUTES_OF_PEERS, PEER_ROUTES + 1000),
    ]


GENERATOR = "generator, one flow"
GENERATOR_IMIX = "generator imix, one flow"
SENDERS = [
    Sender(TXONLY, TXONLY, testpmd="txonly"),
    Sender(GENERATOR, TXONLY, ONE_FLOW),
    Sender("generator, copying", GENERATOR, ONE_FLOW, copies=True),
    Sender("generator var2", GENERATOR, MANY_FLOWS),
    Sender("generator tuple", GENERATOR, Load(tunables={"vm": "tuple"})),
    Sender("generator random", GENERATOR, RANDOM),
    Sender(GENERATOR_IMIX, TXONLY, Load(tunables={"size": "imix"})),
    Sender("generator imix, copying", GENERATOR_IMIX, Load(tunables={"size": "imix"}), copies=True),
    *(
        Sender(f"generator imix, {program}", GENERATOR_IMIX, Load(tunables={"size": "imix", "vm": program}))
        for program in ("var2", "tuple", "random")
    ),
]
NOTES = {
    TESTPMD_IO: "the least a DUT can do, so what the generator sends and gets back on one CPU",
    "router ip4, 16 routes": "routes of /8, destinations at random; beside it a million routes of /24",
    "router ip6, one flow": "66 bytes, the shortest UDP packet",
}


def send(client: GeneratorClient, load: Load) -> None:
    client.acquire([0], force=True)
    client.reset([0])
    client.add_streams(0, load_profile(load.profile, load.tunables, 0, 0))
    client.start([0], Rate(load.pps, "pps"))
