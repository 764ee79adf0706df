"""Routers in a row: flows that the first one sends one way are distributed again by the second, unless both have the
same seed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path

import pytest
from router_run import HOST0, INTERFACES, ROUTER0, route, router
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from shared_router import shared
from test_router_floods import checksum

from wirespeed.errors import UsageError, WirespeedError

HOPS = 4
FLOWS = 4000
# The last byte of the MAC address is the number of the second router's next hop.
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


def patched(template: bytes, *fields: tuple[int, int, int], ip_at: int = 14) -> bytes:
    """The template with other fields, given as offset, length and value; an IPv4 header's checksum is right."""
    frame = bytearray(template)
    for at, size, value in fields:
        frame[at : at + size] = value.to_bytes(size, "big")
    if frame[ip_at] >> 4 == 4:
        frame[ip_at + 10 : ip_at + 12] = bytes(2)
        frame[ip_at + 10 : ip_at + 12] = checksum(bytes(frame[ip_at : ip_at + 20]))
    return bytes(frame)


ETHER = Ether(src=HOST0, dst=ROUTER0)
IP4 = bytes(ETHER / IP(src="16.0.0.1", dst="20.0.0.1", ttl=9) / UDP(sport=1024, dport=80))
IP6 = bytes(ETHER / IPv6(src="2001:db8:1::9", dst="2001:db8:20::1", hlim=9) / UDP(sport=1024, dport=80))
LABELLED = IP4[:12] + b"\x88\x47" + bytes(MPLS(label=100, s=1, ttl=9)) + IP4[14:]


def ip4(n: int) -> bytes:
    return patched(IP4, (28, 1, n % 250), (34, 2, 1024 + n // 250))


def ip6(n: int) -> bytes:
    return patched(IP6, (37, 1, n % 250 + 2), (54, 2, 1024 + n // 250))


def labelled(n: int) -> bytes:
    return patched(LABELLED, (31, 1, n // 250), (32, 1, n % 250), ip_at=18)


FAMILIES = pytest.mark.parametrize("flow", [ip4, ip6, labelled])


def shares(directory: Path, frames: list[bytes], seed: int) -> tuple[list[list[bytes]], Counter[int]]:
    """Packets to each next hop, and their number."""
    directory.mkdir()
    sent = route(directory, f"{CONFIG}{ROUTES}set ip flow-hash seed {seed}\n", frames, []).frames[1]
    assert len(sent) == len(frames)
    ways = [[frame for frame in sent if frame[5] == hop] for hop in range(HOPS)]
    return ways, Counter({hop: len(way) for hop, way in enumerate(ways)})


def to_second(frames: list[bytes]) -> list[bytes]:
    """The frames as the next router receives them; its address was the first one's next hop."""
    return [bytes(Ether(dst=ROUTER0, src=HOST0))[:12] + frame[12:] for frame in frames]


@FAMILIES
def test_two_routers_in_a_row_spread(tmp_path: Path, flow: Callable[[int], bytes]) -> None:
    ways, first = shares(tmp_path / "first", [flow(n) for n in range(FLOWS)], seed=1)
    # A fair hash gives 1000 ± 27 (one standard deviation) each; five of them are allowed.
    assert all(860 < first[hop] < 1140 for hop in range(HOPS)), first
    _, second = shares(tmp_path / "second", to_second(ways[2]), seed=2)
    fair = len(ways[2]) / HOPS
    assert all(abs(second[hop] - fair) < 5 * fair**0.5 for hop in range(HOPS)), second
    _, same = shares(tmp_path / "same", to_second(ways[2]), seed=1)
    assert same == {0: 0, 1: 0, 2: len(ways[2]), 3: 0}


def test_routers_begin_with_seeds_of_their_own_and_take_others(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with (
        router(tmp_path / "one", ["e0=ring:a"]) as one,
        router(tmp_path / "two", ["e0=ring:a"], "set ip flow-hash seed 9") as two,
    ):
        before = one.ask("show ip flow-hash").splitlines()[0]
        one.ask("set ip flow-hash seed random")
        after = one.ask("show ip flow-hash").splitlines()[0]
        assert re.fullmatch(r"seed \d+", before)
        assert len({before, after, "seed 9"}) == 3
        assert two.ask("show ip flow-hash").splitlines()[0] == "seed 9"
        with pytest.raises(UsageError, match="is not a whole number from 0 to 4294967295; or random"):
            two.ask("set ip flow-hash seed 4294967296")
        assert two.ask("show ip flow-hash").splitlines()[0] == "seed 9"


# ---- Fields


VARIED = {
    4: {word: [patched(IP4, (at, 2, 1024 + n)) for n in range(FLOWS)]
        for word, at in (("src", 27), ("dst", 31), ("sport", 34), ("dport", 36))},
    6: {word: [patched(IP6, (at, 2, 1024 + n)) for n in range(FLOWS)]
        for word, at in (("src", 36), ("dst", 52), ("sport", 54), ("dport", 56), ("flowlabel", 16))},
}  # fmt: skip


def ways(directory: Path, frames: list[bytes], commands: str) -> list[int]:
    """The next hop of each frame."""
    directory.mkdir()
    sent = route(directory, CONFIG + ROUTES + commands, frames, []).frames[1]
    assert len(sent) == len(frames)
    return [frame[5] for frame in sent]


@pytest.mark.parametrize(("version", "chosen"), [(version, word) for version in VARIED for word in VARIED[version]])
def test_chosen_fields_alone_decide(tmp_path: Path, version: int, chosen: str) -> None:
    """Flows that each differ in one field: only those that differ in the selected field are distributed."""
    words = "ip" if version == 4 else "ip6"
    frames = [frame for varied in VARIED[version].values() for frame in varied]
    hops = ways(tmp_path / "chosen", frames, f"set {words} flow-hash table 0 {chosen}\n")
    for number, word in enumerate(VARIED[version]):
        counts = Counter(hops[number * FLOWS : (number + 1) * FLOWS])
        if word == chosen:
            assert all(860 < counts[hop] < 1140 for hop in range(HOPS)), counts
        else:
            assert len(counts) == 1, (word, counts)


def test_all_but_the_chosen_fields_decide(tmp_path: Path) -> None:
    frames = [frame for varied in VARIED[4].values() for frame in varied]
    hops = ways(tmp_path / "rest", frames, "set ip flow-hash table 0 dst dport sport proto\n")
    for number, word in enumerate(VARIED[4]):
        counts = Counter(hops[number * FLOWS : (number + 1) * FLOWS])
        assert len(counts) == (1 if word == "src" else HOPS), (word, counts)


def test_protocols_are_told_apart_when_chosen(tmp_path: Path) -> None:
    tcp = bytes(ETHER / IP(src="16.0.0.1", dst="20.0.0.1", ttl=9) / TCP(sport=1024, dport=80))
    frames = [patched(layer, (28, 2, n)) for n in range(500) for layer in (IP4, tcp)]
    alike = ways(tmp_path / "alike", frames, "set ip flow-hash table 0 src\n")
    assert alike[::2] == alike[1::2]
    apart = ways(tmp_path / "apart", frames, "set ip flow-hash table 0 src proto\n")
    assert 300 < sum(udp != tcp for udp, tcp in zip(apart[::2], apart[1::2], strict=True)) < 450


def test_answers_go_the_flows_way_when_symmetric_or_reversed(tmp_path: Path) -> None:
    near, far = (int(ip_address(address)) for address in ("20.1.0.0", "20.0.0.1"))
    there = [patched(IP4, (26, 4, near + n), (30, 4, far), (34, 2, 1024 + n), (36, 2, 80)) for n in range(1000)]
    back = [patched(IP4, (26, 4, far), (30, 4, near + n), (34, 2, 80), (36, 2, 1024 + n)) for n in range(1000)]
    fields = "src dst sport dport proto"
    plain = ways(tmp_path / "plain", there + back, "set ip flow-hash table 0 src dst sport dport\n")
    assert plain[:1000] != plain[1000:]
    symmetric = ways(tmp_path / "symmetric", there + back, f"set ip flow-hash table 0 {fields} symmetric\n")
    assert symmetric[:1000] == symmetric[1000:]
    assert set(symmetric) == set(range(HOPS))
    reverse = ways(tmp_path / "reverse", back, "set ip flow-hash table 0 src dst sport dport reverse\n")
    assert reverse == plain[:1000]


def test_usual_fields_choose_as_before(tmp_path: Path) -> None:
    """Also while another table has other fields; resetting these leaves nothing behind."""
    frames = [ip4(n) for n in range(FLOWS)] + [ip6(n) for n in range(FLOWS)]
    usual = ways(tmp_path / "usual", frames, "")
    other = (
        "ip table add 7\nset ip flow-hash table 7 src\nset ip6 flow-hash table 0 src dst sport dport proto flowlabel\n"
    )
    assert ways(tmp_path / "other", frames, other) == usual
    back = "set ip flow-hash table 0 src\nset ip flow-hash table 0 src dst sport dport proto\n"
    assert ways(tmp_path / "back", frames, back) == usual


def test_fields_are_told_and_refused(tmp_path: Path) -> None:
    with shared(tmp_path, ["e0=ring:a"], "ip table add 7\nset ip flow-hash table 7 src sport symmetric\n") as running:
        assert "ip4 table 7 src sport symmetric" in running.ask("show ip flow-hash").splitlines()
        assert "flow hash:[src sport symmetric ]" in running.ask("show ip fib table 7")
        for line in ("set ip flow-hash table 8 src", "set ip flow-hash table 7 reverse"):
            with pytest.raises(WirespeedError, match="no IPv4 table 8|do not distinguish flows"):
                running.ask(line)
        assert "ip4 table 7 src sport symmetric" in running.ask("show ip flow-hash").splitlines()
