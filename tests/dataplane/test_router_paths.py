"""Paths of packets: longest prefix, equal-cost paths, and the table under changes."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive_table import NaiveTable
from router_run import HOST0, INTERFACES, ROUTER0, RouterProcess, route, router
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet

from wirespeed.errors import UsageError

BASE = f"""\
{INTERFACES}set interface ip address e0 100.64.1.1/24
set interface ip address e1 100.64.2.1/24
"""
HOPS = 8
# Next hop n is 100.64.2.(n + 2); the last byte of its MAC address is its number.
NEIGHBORS = "".join(f"ip neighbor e1 100.64.2.{n + 2} 02:aa:00:00:00:{n:02x}\n" for n in range(HOPS))


def hop(number: int) -> str:
    return f"100.64.2.{number + 2}"


def packet(destination: str, transport: Packet | None = None, source: str = "16.0.0.1") -> bytes:
    header = IP(src=source, dst=destination, ttl=9)
    return bytes(Ether(src=HOST0, dst=ROUTER0) / header / (transport or UDP(sport=1, dport=2)))


def hops_of(frames: list[bytes]) -> list[int]:
    return [frame[5] for frame in frames]


# ---- Longest prefix


def prefixes(draw: random.Random) -> IPv4Network:
    """Prefixes that nest and touch: few bits vary, and lengths are around those where the table's structure changes."""
    length = draw.choice([0, 1, 7, 8, 9, 15, 16, 17, 22, 23, 24, 25, 26, 29, 30, 31, 32])
    address = (20 << 24) | draw.choice([0, 0x00FF0000, 0x00800000]) | draw.getrandbits(3) << 8 | draw.getrandbits(8)
    return IPv4Network((address >> (32 - length) << (32 - length) if length else 0, length))


@pytest.mark.parametrize("seed", [1, 2])
def test_packets_take_the_longest_match_through_adds_and_deletes(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    table, lines = NaiveTable[IPv4Network](), []
    for _ in range(600):
        prefix, number = prefixes(draw), draw.randrange(HOPS)
        if prefix in table.routes:
            table.delete(prefix)
            lines.append(f"ip route del {prefix}")
        else:
            table.add(prefix, number)
            lines.append(f"ip route add {prefix} via {hop(number)}")
    edges = [prefix[0] for prefix in table.routes] + [prefix[-1] for prefix in table.routes]
    addresses = [
        address + step for address in edges for step in (-1, 0, 1) if 20 << 24 <= int(address) + step < 21 << 24
    ]
    outcome = route(tmp_path, BASE + NEIGHBORS + "\n".join(lines), [packet(str(address)) for address in addresses], [])
    matches = [table.match(address) for address in addresses]
    assert hops_of(outcome.frames[1]) == [next(iter(table.routes[match])) for match in matches if match is not None]
    assert outcome.counters.get("ip4-lookup: no route", 0) == matches.count(None)


def test_count_adds_and_deletes_that_many_prefixes(tmp_path: Path) -> None:
    config = BASE + NEIGHBORS
    config += f"ip route add 20.0.0.0/24 count 3000 via {hop(1)}\nip route add 20.0.1.0/24 count 2 via {hop(2)}\n"
    config += "ip route del 20.0.2.0/24 count 1000\n"
    destinations = ["20.0.0.9", "20.0.1.9", "20.0.2.9", "20.3.233.255", "20.3.234.0", "20.11.183.255", "20.11.184.0"]
    outcome = route(tmp_path, config, [packet(address) for address in destinations], [], ask=["show ip fib summary"])
    assert hops_of(outcome.frames[1]) == [1, 2, 1, 1]
    assert re.search(r"^ +24 +2002$", outcome.answers[0], re.MULTILINE)


def test_a_route_is_replaced_by_one_that_drops(tmp_path: Path) -> None:
    config = BASE + NEIGHBORS + f"ip route add 20.0.0.0/8 via {hop(0)}\nip route add 20.1.0.0/16 drop\n"
    outcome = route(tmp_path, config, [packet("20.1.0.1"), packet("20.2.0.1")], [])
    assert hops_of(outcome.frames[1]) == [0]
    assert outcome.counters["ip4-lookup: route says drop"] == 1


# ---- Equal-cost paths


def flows(count: int) -> list[bytes]:
    return [
        packet("20.0.0.1", UDP(sport=1024 + n, dport=80), source=f"16.0.{n // 200}.{n % 200 + 1}") for n in range(count)
    ]


def test_flows_are_spread_and_each_keeps_its_path(tmp_path: Path) -> None:
    config = BASE + NEIGHBORS + "".join(f"ip route add 20.0.0.0/8 via {hop(n)}\n" for n in range(4))
    many = flows(2000)
    outcome = route(tmp_path, config, many + many, [])
    taken = hops_of(outcome.frames[1])
    assert taken[:2000] == taken[2000:]
    shares = Counter(taken[:2000])
    # A fair hash gives 500 ± 19 (one standard deviation) each; five of them are allowed.
    assert set(shares) == {0, 1, 2, 3}
    assert all(400 < share < 600 for share in shares.values())


def test_weights_are_kept(tmp_path: Path) -> None:
    config = BASE + NEIGHBORS + f"ip route add 20.0.0.0/8 via {hop(0)} weight 3 via {hop(1)}\n"
    shares = Counter(hops_of(route(tmp_path, config, flows(2000), []).frames[1]))
    assert shares.total() == 2000
    assert 1400 < shares[0] < 1600


def test_fragments_of_a_datagram_stay_together(tmp_path: Path) -> None:
    config = BASE + NEIGHBORS + "".join(f"ip route add 20.0.0.0/8 via {hop(n)}\n" for n in range(8))
    ether = Ether(src=HOST0, dst=ROUTER0)
    pieces = [
        bytes(ether / IP(src="16.0.0.1", dst="20.0.0.1", id=7, flags="MF", frag=at, proto=17) / bytes([at] * 24))
        for at in range(20)
    ]
    assert len(set(hops_of(route(tmp_path, config, pieces, []).frames[1]))) == 1


def test_the_transport_is_part_of_the_flow(tmp_path: Path) -> None:
    config = BASE + NEIGHBORS + "".join(f"ip route add 20.0.0.0/8 via {hop(n)}\n" for n in range(8))
    ports = [packet("20.0.0.1", kind(sport=port, dport=80)) for port in range(1, 60) for kind in (UDP, TCP)]
    assert len(set(hops_of(route(tmp_path, config, ports, []).frames[1]))) == 8


# ---- The table under changes, asked through the control socket


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RouterProcess]:
    directory = tmp_path_factory.mktemp("fib")
    with router(directory, ["e0=ring:a", "e1=ring:b"], BASE + NEIGHBORS) as made:
        yield made


Step = tuple[str, IPv4Network, int | None]
PREFIXES = st.randoms(use_true_random=False).map(prefixes)
STEPS = st.one_of(
    st.tuples(st.just("add"), PREFIXES, st.integers(0, HOPS - 1)),
    st.tuples(st.just("del"), PREFIXES, st.none()),
    st.tuples(st.just("del path"), PREFIXES, st.integers(0, HOPS - 1)),
    st.tuples(st.just("look"), PREFIXES, st.none()),
)


def look_up(running: RouterProcess, address: IPv4Address) -> tuple[IPv4Network, set[int]] | None:
    answer = running.ask(f"show ip fib {address}")
    if answer.startswith("no route covers"):
        return None
    prefix = IPv4Network(answer.splitlines()[1].split()[0])
    return prefix, {int(number) - 2 for number in re.findall(r"ipv4 via 100\.64\.2\.(\d+) e1", answer)}


def apply(
    running: RouterProcess, table: NaiveTable[IPv4Network], what: str, prefix: IPv4Network, number: int | None
) -> None:
    match what:
        case "add":
            assert number is not None
            table.add(prefix, number)
            running.ask(f"ip route add {prefix} via {hop(number)}")
        case "del" if table.delete(prefix):
            running.ask(f"ip route del {prefix}")
        case "del path" if number is not None and table.delete_path(prefix, number):
            running.ask(f"ip route del {prefix} via {hop(number)}")
        case "del" | "del path":
            with pytest.raises(UsageError):
                running.ask(f"ip route del {prefix}" + (f" via {hop(number)}" if number is not None else ""))


@pytest.mark.parametrize("examples", [10, pytest.param(40, marks=pytest.mark.long("hypothesis at full depth"))])
def test_lookups_agree_with_the_naive_table(running: RouterProcess, examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow])
    @given(steps=st.lists(STEPS, min_size=5, max_size=40), seed=st.integers(0, 1000))
    def try_one(steps: list[Step], seed: int) -> None:
        look_up_between_changes(running, steps, seed)

    try_one()


def look_up_between_changes(running: RouterProcess, steps: list[Step], seed: int) -> None:
    draw, table = random.Random(seed), NaiveTable[IPv4Network]()
    try:
        for what, prefix, number in steps:
            apply(running, table, what, prefix, number)
            near = draw.choice([int(prefix[0]), int(prefix[-1]), int(prefix[0]) ^ 1, int(prefix[-1]) ^ 256])
            address = IPv4Address(near)
            expected = table.match(address)
            assert look_up(running, address) == ((expected, table.routes[expected]) if expected is not None else None)
        listed = re.findall(r"^(\d\S+/\d+)$", running.ask("show ip fib"), re.MULTILINE)
        assert set(map(IPv4Network, listed)) >= set(table.routes)
        assert listed == [str(prefix) for prefix in sorted(map(IPv4Network, listed))]
    finally:
        for prefix in re.findall(r"^(\d\S+/\d+)$", running.ask("show ip fib"), re.MULTILINE):
            if not prefix.startswith("100.64."):
                running.ask(f"ip route del {prefix}")


def test_a_deleted_default_leaves_nothing(running: RouterProcess) -> None:
    running.ask(f"ip route add 0.0.0.0/0 via {hop(0)}")
    assert look_up(running, IPv4Address("203.0.113.1")) == (IPv4Network("0.0.0.0/0"), {0})
    running.ask("ip route del 0.0.0.0/0")
    assert look_up(running, IPv4Address("203.0.113.1")) is None


def test_a_long_prefix_beside_its_own_next_hop_may_come_and_go(running: RouterProcess) -> None:
    """DPDK's count of shared tables became negative in this case, after which no longer prefix could be added."""
    running.ask(f"ip route add 20.0.0.0/8 via {hop(0)}")
    for number in (0, 1):
        running.ask(f"ip route add 20.0.0.0/25 via {hop(number)}")
        running.ask("ip route del 20.0.0.0/25")
    running.ask("ip route del 20.0.0.0/8")
