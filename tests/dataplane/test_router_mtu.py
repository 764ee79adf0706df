"""Limits of an interface: packets fragmented to its MTU (RFC 791), borrowed addresses, lost links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from router_run import (
    HOST0,
    HOST1,
    INTERFACES,
    ROUTER0,
    Outcome,
    RouterProcess,
    assert_conserved,
    route,
    router,
)
from scapy.layers.inet import ICMP, IP, UDP, IPOption_NOP, IPOption_Router_Alert, IPOption_Timestamp, defragment
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

from wirespeed.errors import UsageError

CONFIG = f"""\
{INTERFACES}set interface ip address e0 100.64.1.1/24
set interface ip address e1 100.64.2.1/24
ip neighbor e0 100.64.1.2 {HOST0}
ip neighbor e1 100.64.2.2 {HOST1}
"""


def packet(size: int, **fields: object) -> bytes:
    """An IPv4 packet of `size` bytes behind its Ethernet header."""
    header = IP(src="100.64.1.2", dst="100.64.2.2", id=77, ttl=9, **fields) / UDP(sport=5, dport=6)
    payload = bytes(n % 251 for n in range(size - len(header)))
    return bytes(Ether(src=HOST0, dst=ROUTER0) / header / Raw(payload))


def conserved(outcome: Outcome) -> None:
    fragments = outcome.counters.get("ip4-frag: fragments sent", 0)
    made = fragments - outcome.counters.get("ip4-frag: packets fragmented", 0)
    assert_conserved(outcome, made)


def assert_fragments(sent: bytes, frames: list[bytes], mtu: int) -> list[IP]:
    """The fragments fit, cover the whole packet, and can be reassembled; the TTL is one lower."""
    parts = [Ether(frame)[IP] for frame in frames]
    assert all(len(bytes(part)) == part.len <= mtu for part in parts)
    assert all(part.ttl == 8 and part.id == 77 for part in parts)
    for part in parts:
        fresh = part.copy()
        del fresh.chksum
        assert IP(bytes(fresh)).chksum == part.chksum
    whole = defragment([part.copy() for part in parts])
    assert len(whole) == 1
    original = Ether(sent)[IP]
    assert bytes(whole[0].payload) == bytes(original.payload)
    return sorted(parts, key=lambda part: int(part.frag))


@pytest.mark.parametrize(("size", "mtu", "count"), [(1500, 1499, 2), (1500, 576, 3), (600, 68, 13), (577, 576, 2)])
def test_packets_longer_than_the_mtu_are_cut(tmp_path: Path, size: int, mtu: int, count: int) -> None:
    sent = packet(size)
    outcome = route(tmp_path, CONFIG + f"set interface mtu packet {mtu} e1\n", [sent], [])
    parts = assert_fragments(sent, outcome.frames[1], mtu)
    assert len(parts) == count
    # All but the last one have the maximum length that is a multiple of eight (RFC 791 section 3.2).
    assert {len(bytes(part.payload)) for part in parts[:-1]} == {(mtu - 20) // 8 * 8}
    assert [bool(part.flags.MF) for part in parts] == [True] * (count - 1) + [False]
    conserved(outcome)


def test_packets_of_the_mtu_are_not_cut(tmp_path: Path) -> None:
    outcome = route(tmp_path, CONFIG + "set interface mtu packet 576 e1\n", [packet(576)], [])
    assert [len(frame) for frame in outcome.frames[1]] == [590]
    assert "ip4-frag: packets fragmented" not in outcome.counters


def test_the_longest_packets_are_routed(tmp_path: Path) -> None:
    """9216 bytes, the largest MTU in VPP configurations, and one byte more, which is fragmented."""
    config = CONFIG + "set interface mtu 9216 e0\nset interface mtu 9216 e1\n"
    sent = [packet(9216), packet(9217)]
    outcome = route(tmp_path, config, sent, [])
    whole, *parts = outcome.frames[1]
    assert len(whole) == 9216 + 14
    assert_fragments(sent[1], parts, 9216)
    conserved(outcome)


def test_options_that_say_so_are_in_all_fragments(tmp_path: Path) -> None:
    options = [IPOption_NOP(), IPOption_Router_Alert(), IPOption_Timestamp(), IPOption_NOP()]
    sent = packet(1000, options=options)
    outcome = route(tmp_path, CONFIG + "set interface mtu ip4 400 e1\n", [sent], [])
    parts = assert_fragments(sent, outcome.frames[1], 400)
    alert = bytes(IPOption_Router_Alert())
    assert all(alert in bytes(part)[20 : part.ihl * 4] for part in parts)
    assert parts[0].ihl == Ether(sent)[IP].ihl
    assert {part.ihl for part in parts[1:]} == {6}


def test_a_fragment_is_cut_further(tmp_path: Path) -> None:
    sent = [packet(804, flags="MF", frag=10), packet(804, frag=108)]
    outcome = route(tmp_path, CONFIG + "set interface mtu packet 400 e1\n", sent, [])
    parts = sorted((Ether(frame)[IP] for frame in outcome.frames[1]), key=lambda part: int(part.frag))
    assert [(int(part.frag), bool(part.flags.MF)) for part in parts] == [
        (10, True),
        (57, True),
        (104, True),
        (108, True),
        (155, True),
        (202, False),
    ]
    conserved(outcome)


def test_df_is_answered_with_the_mtu_of_the_protocol(tmp_path: Path) -> None:
    config = CONFIG + "set interface mtu packet 1400 e1\nset interface mtu ip4 1300 e1\n"
    outcome = route(tmp_path, config, [packet(1400, flags="DF")], [], ask=["show interface e1"])
    answer = Ether(outcome.frames[0][0])
    assert (answer[ICMP].type, answer[ICMP].code, answer[ICMP].nexthopmtu) == (3, 4, 1300)
    assert "1400/1300/0/0" in outcome.answers[0]
    conserved(outcome)


def test_fragments_leave_a_subinterface_with_its_tag(tmp_path: Path) -> None:
    config = CONFIG + "create sub-interfaces e1 9\nset interface state e1.9 up\nset interface mtu packet 500 e1.9\n"
    config += f"set interface ip address e1.9 100.64.9.1/24\nip neighbor e1.9 100.64.9.2 {HOST1}\n"
    config += "ip route add 20.0.0.0/8 via 100.64.9.2\n"
    header = IP(src="100.64.1.2", dst="20.0.0.1", id=77, ttl=9) / UDP() / Raw(b"x" * 900)
    outcome = route(tmp_path, config, [bytes(Ether(src=HOST0, dst=ROUTER0) / header)], [])
    assert len(outcome.frames[1]) == 2
    assert {Ether(frame)[Dot1Q].vlan for frame in outcome.frames[1]} == {9}


def test_a_burst_that_is_cut_small_is_sent_or_counted(tmp_path: Path) -> None:
    outcome = route(tmp_path, CONFIG + "set interface mtu packet 68 e1\n", [packet(1500)] * 300, [])
    cut, lost = (
        outcome.counters.get(f"ip4-frag: {what}", 0) for what in ("packets fragmented", "no room for fragments")
    )
    assert cut + lost == 300
    assert len(outcome.frames[1]) == cut * 31
    conserved(outcome)


# ---- Addresses of another interface


def test_an_unnumbered_interface_answers_and_asks_by_the_addresses_it_uses(tmp_path: Path) -> None:
    config = CONFIG.replace("set interface ip address e1 100.64.2.1/24\n", "").replace(
        f"ip neighbor e1 100.64.2.2 {HOST1}\n", ""
    )
    config += "create loopback interface\nset interface state loop0 up\nset interface ip address loop0 10.7.0.1/32\n"
    config += "set interface unnumbered e1 use loop0\nip route add 10.9.0.0/24 via 10.9.9.9 e1\n"
    question = Ether(src=HOST1, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=HOST1, psrc="172.16.0.5", pdst="10.7.0.1")
    to_peer = Ether(src=HOST0, dst=ROUTER0) / IP(src="100.64.1.2", dst="10.9.0.1") / UDP() / Raw(b"x" * 20)
    outcome = route(
        tmp_path, config, [bytes(to_peer)], [bytes(question / Raw(b"\0" * 18))], ask=["show interface address e1"]
    )
    answers = [Ether(frame)[ARP] for frame in outcome.frames[1]]
    assert sorted((arp.op, arp.psrc, arp.pdst) for arp in answers) == [
        (1, "10.7.0.1", "10.9.9.9"),
        (2, "10.7.0.1", "172.16.0.5"),
    ]
    assert "unnumbered, use loop0\n  L3 10.7.0.1/32" in outcome.answers[0]


# ---- Links


@pytest.mark.parametrize(("states", "used"), [((), {1, 2}), (("down",), {1}), (("down", "up"), {1, 2})])
def test_a_path_that_is_down_is_left_out_of_many(tmp_path: Path, states: tuple[str, ...], used: set[int]) -> None:
    config = CONFIG + "set interface state e2 up\nset interface ip address e2 100.64.3.1/24\n"
    config += f"ip neighbor e2 100.64.3.2 {HOST1}\nip route add 20.0.0.0/8 via 100.64.2.2 via 100.64.3.2\n"
    config += "".join(f"set interface state e2 {state}\n" for state in states)
    assert used_ports(tmp_path, config, [[], []]) == used


def test_a_path_without_a_link_is_left_out_of_many(tmp_path: Path) -> None:
    # Two paths, one over a memif without a peer: all flows use the other one.
    config = CONFIG + f"create memif socket id 1 filename {tmp_path}/m.sock\n"
    config += "create interface memif id 0 socket-id 1 master\nset interface state memif1/0 up\n"
    config += f"set interface ip address memif1/0 100.64.3.1/24\nip neighbor memif1/0 100.64.3.2 {HOST1}\n"
    config += "ip route add 20.0.0.0/8 via 100.64.2.2 via 100.64.3.2\n"
    assert used_ports(tmp_path, config, [[]]) == {1}


def used_ports(directory: Path, config: str, others: list[list[bytes]]) -> set[int]:
    """Ports through which 64 flows to 20.0.0.0/8 leave; none of them may be lost."""
    flows = [
        bytes(Ether(src=HOST0, dst=ROUTER0) / IP(src="100.64.1.2", dst=f"20.0.0.{n}") / UDP(sport=n) / Raw(b"x" * 20))
        for n in range(1, 65)
    ]
    outcome = route(directory, config, flows, *others)
    assert sum(map(len, outcome.frames)) == len(flows)
    return {port for port, frames in enumerate(outcome.frames) if frames}


# ---- What is wrong


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RouterProcess]:
    config = CONFIG + "create sub-interfaces e1 9\ncreate loopback interface\ncreate loopback interface\n"
    config += "set interface unnumbered e1.9 use e0\nset interface ip address loop0 10.0.0.1/32\n"
    config += "ip route add 20.0.0.0/8 via 100.64.2.2\n"
    with router(tmp_path_factory.mktemp("mtu"), ["e0=ring:a", "e1=ring:b"], config) as made:
        yield made


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("set interface mtu 67 e0", "mtu 67 is not between 68"),
        (
            "set interface mtu packet 1600 e1.9",
            "interface e1.9 takes an MTU of 68 to 1500, not 1600; set interface mtu",
        ),
        ("set interface mtu ip4 1501 e1.9", "interface e1.9 takes an MTU of 68 to 1500"),
        ("set interface mtu packet 0 e0", "mtu 0 is not between 68"),
        ("set interface mtu 9300 e0", "mtu 9300 is not between"),
        ("set interface unnumbered e0 use e0", "interface e0 cannot lend addresses to itself; name another"),
        ("set interface unnumbered loop1 use e1.9", "interface e1.9 has no addresses of its own; add one, or"),
        ("set interface unnumbered loop0 use e1", "interface loop0 has addresses of its own"),
        ("set interface unnumbered e0 use loop1", "interface e0 has addresses of its own"),
        ("set interface ip address e1.9 10.3.3.3/24", "interface e1.9 uses the addresses of e0; end that first"),
    ],
)
def test_what_is_wrong_is_one_line_and_changes_nothing(running: RouterProcess, line: str, message: str) -> None:
    questions = ("show interface", "show interface address", "show ip fib")
    before = [running.ask(question) for question in questions]
    with pytest.raises(UsageError, match=message):
        running.ask(line)
    assert before == [running.ask(question) for question in questions]


def test_a_lower_mtu_of_the_port_lowers_those_on_it(running: RouterProcess) -> None:
    running.ask("set interface mtu 1200 e1")
    shown = running.ask("show interface e1 e1.9")
    assert shown.count("1200/0/0/0") == 2
    running.ask("set interface mtu 1500 e1")
    assert "1200/0/0/0" in running.ask("show interface e1.9")
