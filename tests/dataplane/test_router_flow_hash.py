"""Routers in a row: what the first sends one way, the second spreads anew, unless both have one seed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from router_run import HOST0, INTERFACES, ROUTER0, route, router
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from wirespeed.errors import UsageError

HOPS = 4
FLOWS = 4000
# Next hop n of the second router's network is told by the last byte of its MAC address.
HOSTS = "".join(
    f"ip neighbor e1 {address} 02:aa:00:00:00:{n:02x}\n"
    for n in range(HOPS)
    for address in (f"100.64.2.{n + 2}", f"2001:db8:2::{n + 2}")
)
CONFIG = f"""\
{INTERFACES}set interface ip address e0 100.64.1.1/24
set interface ip address e1 100.64.2.1/24
set interface ip address e0 2001:db8:1::1/64
set interface ip address e1 2001:db8:2::1/64
{HOSTS}mpls table add 0
set interface mpls e0 enable
"""
ROUTES = "".join(
    f"ip route add 20.0.0.0/8 via 100.64.2.{n + 2}\nip route add 2001:db8:20::/48 via 2001:db8:2::{n + 2}\n"
    f"mpls local-label add 100 eos via 100.64.2.{n + 2} e1 out-labels 100\n"
    for n in range(HOPS)
)


def ip4(n: int) -> bytes:
    header = IP(src=f"16.0.{n % 250}.1", dst="20.0.0.1", ttl=9) / UDP(sport=1024 + n // 250, dport=80)
    return bytes(Ether(src=HOST0, dst=ROUTER0) / header)


def ip6(n: int) -> bytes:
    header = IPv6(src=f"2001:db8:1::{n % 250 + 2:x}", dst="2001:db8:20::1", hlim=9)
    return bytes(Ether(src=HOST0, dst=ROUTER0) / header / UDP(sport=1024 + n // 250, dport=80))


def labelled(n: int) -> bytes:
    header = IP(src=f"16.{n // 250}.{n % 250}.1", dst="20.0.0.1", ttl=9) / UDP(sport=1, dport=80)
    return bytes(Ether(src=HOST0, dst=ROUTER0, type=0x8847) / MPLS(label=100, s=1, ttl=9) / header)


FAMILIES = pytest.mark.parametrize("flow", [ip4, ip6, labelled])


def shares(directory: Path, frames: list[bytes], *options: str) -> tuple[list[list[bytes]], Counter[int]]:
    """What goes to each next hop, and how much that is."""
    directory.mkdir()
    sent = route(directory, CONFIG + ROUTES, frames, [], options=options).frames[1]
    assert len(sent) == len(frames)
    ways = [[frame for frame in sent if frame[5] == hop] for hop in range(HOPS)]
    return ways, Counter({hop: len(way) for hop, way in enumerate(ways)})


def to_second(frames: list[bytes]) -> list[bytes]:
    """As they come to the next router, whose address the first one's next hop was."""
    return [bytes(Ether(dst=ROUTER0, src=HOST0))[:12] + frame[12:] for frame in frames]


@FAMILIES
def test_two_routers_in_a_row_spread(tmp_path: Path, flow: Callable[[int], bytes]) -> None:
    ways, first = shares(tmp_path / "first", [flow(n) for n in range(FLOWS)], "--flow-hash-seed", "1")
    # A fair hash gives 1000 ± 27 (one standard deviation) each; five of them allowed.
    assert all(860 < first[hop] < 1140 for hop in range(HOPS)), first
    _, second = shares(tmp_path / "second", to_second(ways[2]), "--flow-hash-seed", "2")
    fair = len(ways[2]) / HOPS
    assert all(abs(second[hop] - fair) < 5 * fair**0.5 for hop in range(HOPS)), second
    _, same = shares(tmp_path / "same", to_second(ways[2]), "--flow-hash-seed", "1")
    assert same == {0: 0, 1: 0, 2: len(ways[2]), 3: 0}


def test_routers_begin_with_seeds_of_their_own_and_take_others(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with (
        router(tmp_path / "one", ["e0=ring:a"]) as one,
        router(tmp_path / "two", ["e0=ring:a"], "set ip flow-hash seed 9") as two,
    ):
        before, _, _, _ = one.ask("show ip flow-hash").splitlines()
        one.ask("set ip flow-hash seed random")
        after = one.ask("show ip flow-hash").splitlines()[0]
        assert re.fullmatch(r"seed \d+", before)
        assert len({before, after, "seed 9"}) == 3
        assert two.ask("show ip flow-hash").splitlines()[0] == "seed 9"
        with pytest.raises(UsageError, match="is no whole number from 0 to 4294967295; or random"):
            two.ask("set ip flow-hash seed 4294967296")
        assert two.ask("show ip flow-hash").splitlines()[0] == "seed 9"
