"""Ports as hosts: their replies, and resolution of their gateway. Frames are built and parsed by scapy."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import pytest
from fake_generator import FakeGenerator
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import ICMP, IP
from scapy.layers.inet6 import (
    ICMPv6EchoReply,
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptDstLLAddr,
    IPv6,
)
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw
from test_rpc_methods import Session

from wirespeed.generator.neighbor_packets import Host, answer, arp_request, gateway_mac
from wirespeed.generator.rpc import RpcError
from wirespeed.model import link_local

MAC, PEER = "02:00:00:00:00:01", "02:00:00:00:00:99"
HOST = Host(
    bytes.fromhex(MAC.replace(":", "")),
    ip4=IPv4Address("1.1.1.1"),
    gateway=IPv4Address("1.1.1.2"),
    ip6=(IPv6Address("2001:db8::1"), IPv6Address("fe80::ff:fe00:1")),
)
PING = Ether(src=PEER, dst=MAC) / IP(src="9.9.9.9", dst="1.1.1.1", tos=4) / ICMP(id=7, seq=3) / (b"data" * 9)
WHO_HAS = Ether(src=PEER, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=PEER, psrc="1.1.1.2", pdst="1.1.1.1")


def reply(packet: Packet, host: Host = HOST) -> Packet | None:
    sent = answer(host, bytes(packet))
    if sent is None:
        return None
    assert len(sent) >= 60
    return Ether(sent)


def rebuilt(packet: Packet) -> bytes:
    """The packet with scapy's checksums."""
    copy = packet.copy()
    for layer in (IP, ICMP, ICMPv6EchoReply, ICMPv6ND_NA):
        if layer in copy:
            del copy[layer].fields["chksum" if layer in (IP, ICMP) else "cksum"]
    return bytes(copy)


def test_arp_is_answered() -> None:
    seen = reply(WHO_HAS)
    assert seen is not None
    assert (seen.dst, seen.src, seen[ARP].op) == (PEER, MAC, 2)
    assert (seen[ARP].hwsrc, seen[ARP].psrc, seen[ARP].hwdst, seen[ARP].pdst) == (MAC, "1.1.1.1", PEER, "1.1.1.2")


def test_ping_is_answered() -> None:
    seen = reply(PING)
    assert seen is not None
    assert (seen.dst, seen[IP].src, seen[IP].dst, seen[ICMP].type) == (PEER, "1.1.1.1", "9.9.9.9", 0)
    assert (seen[ICMP].id, seen[ICMP].seq, seen[Raw].load) == (7, 3, b"data" * 9)
    assert rebuilt(seen) == bytes(seen)


def test_ping6_is_answered() -> None:
    ping = IPv6(src="2001:db8::9", dst="2001:db8::1") / ICMPv6EchoRequest(id=7, seq=3, data=b"odd")
    seen = reply(Ether(src=PEER, dst=MAC) / ping)
    assert seen is not None
    assert (seen[IPv6].src, seen[IPv6].dst, seen[ICMPv6EchoReply].data) == ("2001:db8::1", "2001:db8::9", b"odd")
    assert rebuilt(seen) == bytes(seen)


def test_all_nodes_ping6_is_answered_by_name() -> None:
    ping = Ether(src=PEER, dst="33:33:00:00:00:01") / IPv6(src="fe80::9", dst="ff02::1") / ICMPv6EchoRequest()
    seen = reply(ping)
    assert seen is not None
    assert seen[IPv6].src == "2001:db8::1"


@pytest.mark.parametrize(("asker", "told"), [("fe80::9", "fe80::9"), ("::", "ff02::1")])
def test_neighbor_solicitation_is_answered(asker: str, told: str) -> None:
    ask = IPv6(src=asker, dst="ff02::1:ff00:1") / ICMPv6ND_NS(tgt="2001:db8::1")
    seen = reply(Ether(src=PEER, dst="33:33:ff:00:00:01") / ask)
    assert seen is not None
    assert (seen[IPv6].dst, seen[IPv6].hlim, seen[ICMPv6ND_NA].tgt) == (told, 255, "2001:db8::1")
    assert (seen[ICMPv6ND_NA].S, seen[ICMPv6NDOptDstLLAddr].lladdr) == (told != "ff02::1", MAC)
    assert rebuilt(seen) == bytes(seen)


@pytest.mark.parametrize(
    "packet",
    [
        Ether(src=PEER, dst=MAC) / IP(dst="1.1.1.3") / ICMP(),
        Ether(src=PEER, dst=MAC) / IP(dst="1.1.1.1", flags="MF") / ICMP(),
        Ether(src=PEER, dst=MAC) / IP(dst="1.1.1.1") / ICMP(type=0),
        Ether(src=PEER, dst="02:00:00:00:00:55") / IP(dst="1.1.1.1") / ICMP(),
        Ether(src=MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(pdst="1.1.1.1"),
        Ether(src=PEER, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=PEER, psrc="1.1.1.2", pdst="1.1.1.9"),
        Ether(src=PEER, dst="ff:ff:ff:ff:ff:ff") / Dot1Q(vlan=9) / ARP(pdst="1.1.1.1"),
        Ether(src=PEER, dst="33:33:ff:00:00:01") / IPv6() / ICMPv6ND_NS(tgt="2001:db8::77"),
    ],
)
def test_what_is_not_for_us_stays_unanswered(packet: Packet) -> None:
    assert reply(packet) is None


@pytest.mark.parametrize(
    ("vlan", "tags"), [((5,), Dot1Q(vlan=5)), ((5, 6), Dot1AD(vlan=5) / Dot1Q(vlan=6)), ((), Dot1Q(vlan=0, prio=3))]
)
def test_answers_carry_the_vlan(vlan: tuple[int, ...], tags: Packet) -> None:
    host = Host(HOST.mac, vlan, HOST.ip4, HOST.gateway)
    seen = reply(
        Ether(src=PEER, dst="ff:ff:ff:ff:ff:ff") / tags / ARP(hwsrc=PEER, psrc="1.1.1.2", pdst="1.1.1.1"), host
    )
    assert seen is not None
    assert tuple(layer.vlan for layer in seen.iterpayloads() if isinstance(layer, Dot1Q)) == vlan
    assert Ether(arp_request(host))[ARP].pdst == "1.1.1.2"


def test_the_gateway_is_learned_from_its_own_arp_only() -> None:
    told = Ether(src=PEER, dst=MAC) / ARP(op=2, hwsrc=PEER, psrc="1.1.1.2", hwdst=MAC, pdst="1.1.1.1")
    assert gateway_mac(HOST, bytes(told)) == bytes.fromhex(PEER.replace(":", ""))
    other = Ether(src=PEER, dst=MAC) / ARP(op=2, hwsrc=PEER, psrc="1.1.1.3", hwdst=MAC, pdst="1.1.1.1")
    assert gateway_mac(HOST, bytes(other)) is None


def test_link_local_address() -> None:
    assert link_local(bytes.fromhex("02aabbccddee")) == IPv6Address("fe80::aa:bbff:fecc:ddee")


@given(st.binary(max_size=120))
def test_garbage_is_no_question(packet: bytes) -> None:
    assert answer(HOST, packet) is None or len(packet) >= 42


@given(st.integers(0, len(bytes(PING))), st.sampled_from([PING, WHO_HAS]))
def test_packets_cut_short_are_no_question(length: int, whole: Packet) -> None:
    cut = bytes(whole)[:length]
    assert answer(HOST, cut) is None or length >= len(bytes(whole))


# ---- over RPC


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(FakeGenerator())
    session.acquire(0, 1)
    yield session


def address(session: Session, port: int = 0) -> dict[str, Any]:
    layers: dict[str, Any] = session.call("get_port_status", port_id=port)["attr"]["layer_cfg"]
    return layers


def set_l3(session: Session, port: int, src: str, dst: str, **more: Any) -> None:
    session.owned("set_l3", port, src_addr=src, dst_addr=dst, **{"block": False} | more)


def test_two_ports_find_each_other(session: Session) -> None:
    set_l3(session, 1, "1.1.1.2", "1.1.1.1", resolved_mac="02:00:00:00:00:01")
    set_l3(session, 0, "1.1.1.1", "1.1.1.2")
    assert address(session)["ipv4"] == {"src": "1.1.1.1", "dst": "1.1.1.2", "state": "unresolved"}
    assert address(session)["ether"]["state"] == "unconfigured"
    session.events()
    for _ in range(3):  # the question arrives, the answer arrives, the answer is read
        session.server.tick()
    assert address(session)["ipv4"]["state"] == "resolved"
    assert address(session)["ether"] == {"src": MAC, "dst": "02:00:00:00:00:02", "state": "configured"}
    ((kind, told),) = session.events()
    assert (kind, told["attr"]["layer_cfg"]["ipv4"]["state"]) == (8, "resolved")


def test_a_silent_gateway_is_asked_three_times(session: Session) -> None:
    set_l3(session, 0, "1.1.1.1", "1.1.1.9")
    for _ in range(8):
        session.core.advance(0.6)
        session.server.tick()
    assert len([call for call in session.core.calls if call[0] == "push"]) == 3
    session.load()
    mul = {"type": "pps", "op": "abs", "value": 1}
    said = session.refused("start_traffic", mul=mul, duration=-1, force=False)
    assert "has not found the MAC address of 1.1.1.9" in said
    session.owned("start_traffic", mul=mul, duration=-1, force=True)


def outcome(session: Session, ticket: int) -> int:
    """The error code of a ticket, 0 when it is done."""
    try:
        session.call("get_async_results", ticket_id=ticket)
    except RpcError as error:
        return error.code
    return 0


def blocked(session: Session, port: int, src: str, dst: str) -> int:
    with pytest.raises(RpcError) as caught:
        set_l3(session, port, src, dst, block=True)
    assert caught.value.code == -32002
    return int(str(caught.value.specific))


def test_tickets_tell_how_a_search_went(session: Session) -> None:
    set_l3(session, 1, "1.1.1.2", "1.1.1.1", resolved_mac="02:00:00:00:00:01", block=True)
    ticket = blocked(session, 0, "1.1.1.1", "1.1.1.2")
    assert outcome(session, ticket) == -32002
    for _ in range(3):
        session.server.tick()
    assert outcome(session, ticket) == 0
    assert outcome(session, ticket) == -32003  # told once
    ticket = blocked(session, 0, "1.1.1.1", "1.1.1.77")
    for _ in range(5):
        session.core.advance(1)
        session.server.tick()
    with pytest.raises(RpcError, match="no answer to ARP for 1.1.1.77"):
        session.call("get_async_results", ticket_id=ticket)
    ticket = blocked(session, 0, "1.1.1.1", "1.1.1.78")
    session.call("cancel_async_task", ticket_id=ticket)
    with pytest.raises(RpcError, match="cancelled"):
        session.call("get_async_results", ticket_id=ticket)


def test_layer_2_again_ends_it(session: Session) -> None:
    idle_s = session.server.watch_s
    set_l3(session, 0, "1.1.1.1", "1.1.1.2")
    assert session.server.watch_s < idle_s
    session.owned("set_l2", dst_mac="02:00:00:00:00:77")
    assert session.server.watch_s == idle_s
    assert address(session)["ipv4"] == {"state": "none"}
    session.core.wire(0, bytes(WHO_HAS))
    session.server.tick()
    assert [call for call in session.core.calls if call[0] == "push"][1:] == []


def test_a_flood_of_questions_is_not_answered_without_end(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    set_l3(session, 0, "1.1.1.1", "1.1.1.2", resolved_mac=PEER)
    monkeypatch.setattr(session.core, "push_left", lambda port: 1)
    for _ in range(1000):
        session.core.wire(0, bytes(PING))
    session.server.tick()
    session.server.tick()
    assert session.server.ports[0].state.value == "IDLE"
    monkeypatch.undo()
    for _ in range(1000):
        session.server.tick()
    assert len([call for call in session.core.calls if call[0] == "push"]) == 256


def test_ip6_and_vlan_are_shown(session: Session) -> None:
    session.owned("conf_ipv6", enabled=True, src_ipv6="")
    assert address(session)["ipv6"] == {"enabled": True, "src": ""}
    session.owned("conf_ipv6", enabled=True, src_ipv6="2001:db8::5")
    assert address(session)["ipv6"] == {"enabled": True, "src": "2001:db8::5"}
    session.owned("conf_ipv6", enabled=False, src_ipv6="")
    assert address(session)["ipv6"] == {"enabled": False}
    session.owned("set_vlan", vlan=[10, 20])
    assert session.call("get_port_status", port_id=0)["attr"]["vlan"] == {"tags": [10, 20]}


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("set_l3", {"src_addr": "1.1.1", "dst_addr": "1.1.1.2"}, "invalid source IPv4 address: '1.1.1'"),
        ("set_l3", {"src_addr": "1.1.1.1", "dst_addr": "::1"}, "invalid destination IPv4 address: '::1'"),
        ("set_l3", {"src_addr": "1.1.1.1", "dst_addr": "1.1.1.2", "resolved_mac": "x"}, "invalid MAC address"),
        ("set_l2", {"dst_mac": "1:2"}, "invalid MAC address"),
        ("conf_ipv6", {"enabled": True, "src_ipv6": "1.2.3.4"}, "invalid source IPv6 address"),
        ("set_vlan", {"vlan": [0]}, "invalid VLAN tag: '0'"),
        ("set_vlan", {"vlan": [1, 2, 3]}, "Maximal number of stacked VLANs is 2, got: 3"),
        ("set_vlan", {"vlan": ["1"]}, "not an array of 'uint16'"),
    ],
)
def test_addresses_that_are_none(session: Session, method: str, params: dict[str, Any], said: str) -> None:
    before = address(session)
    with pytest.raises(RpcError, match=said):
        session.owned(method, **params)
    assert address(session) == before
