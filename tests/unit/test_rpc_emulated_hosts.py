"""Additional hosts emulated by a port, over RPC. Frames are built and parsed by scapy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fake_generator import FakeGenerator
from scapy.layers.inet6 import ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Dot1AD, Ether
from test_rpc_methods import Session

from wirespeed.generator.emulated_hosts import MAX_HOSTS
from wirespeed.generator.rpc import RpcError

ONE = {"mac": "02:11:00:00:00:01", "address": "10.0.0.1", "gateway": "10.0.0.2"}
TWO = {"mac": "02:11:00:00:00:02", "address": "10.0.0.2", "gateway": "10.0.0.1"}
ONE6 = {"mac": "02:11:00:00:00:01", "address": "2001:db8::1", "gateway": "2001:db8::2"}
TWO6 = {"mac": "02:11:00:00:00:02", "address": "2001:db8::2", "gateway": "2001:db8::1"}


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(FakeGenerator())
    session.acquire(0, 1)
    yield session


def place(session: Session, port: int, *hosts: dict[str, Any]) -> None:
    session.owned("set_emulated_hosts", port, hosts=list(hosts))


def pass_packets(session: Session) -> None:
    for _ in range(4):  # the question arrives, the answer arrives, the answer is read; two wait for the core
        session.server.tick()


def gateways(session: Session, port: int) -> dict[str, str]:
    return {one["address"]: one["gateway_mac"] for one in session.call("get_emulated_hosts", port_id=port)}


@pytest.mark.parametrize("vlan", [[], [{"id": 7, "priority": 5}], [{"id": 7, "type": 0x88A8}, {"id": 8}]])
def test_hosts_find_each_other_by_arp_and_by_neighbor_discovery(session: Session, vlan: list[Any]) -> None:
    place(session, 1, *({**host, "vlan": vlan} for host in (TWO, TWO6)))
    place(session, 0, *({**host, "vlan": vlan} for host in (ONE, ONE6)))
    for _ in range(3):
        session.core.advance(1.1)
        pass_packets(session)
    assert gateways(session, 0) == {"10.0.0.1": TWO["mac"], "2001:db8::1": TWO["mac"]}
    assert gateways(session, 1) == {"10.0.0.2": ONE["mac"], "2001:db8::2": ONE["mac"]}


def pushed(session: Session) -> list[Ether]:
    return [Ether(packet) for name, *rest in session.core.calls if name == "push" for packet in rest[1]]


def test_questions_are_those_of_the_protocols(session: Session) -> None:
    place(session, 0, {**ONE, "vlan": [{"id": 7, "type": 0x88A8, "priority": 3}, {"id": 8}]}, ONE6)
    arp, solicitation = pushed(session)
    assert (arp[Dot1AD].vlan, arp[Dot1AD].prio, arp[Dot1AD].payload.vlan) == (7, 3, 8)
    assert (arp.dst, arp[ARP].psrc, arp[ARP].pdst, arp[ARP].op) == ("ff:ff:ff:ff:ff:ff", "10.0.0.1", "10.0.0.2", 1)
    assert (solicitation.dst, solicitation[IPv6].dst, solicitation[IPv6].hlim) == (
        "33:33:ff:00:00:02",
        "ff02::1:ff00:2",
        255,
    )
    assert solicitation[ICMPv6ND_NS].tgt == "2001:db8::2"
    rebuilt = solicitation.copy()
    del rebuilt[ICMPv6ND_NS].cksum
    assert bytes(rebuilt) == bytes(solicitation)


def test_a_silent_gateway_is_asked_again_until_hosts_go(session: Session) -> None:
    place(session, 0, ONE)
    for _ in range(5):
        session.core.advance(1.1)
        session.server.tick()
    assert len(pushed(session)) == 6
    assert gateways(session, 0) == {"10.0.0.1": ""}
    place(session, 0)
    session.core.advance(5)
    session.server.tick()
    assert len(pushed(session)) == 6
    assert not session.server.hosts.active


def test_a_gateway_that_is_told_is_not_asked_for(session: Session) -> None:
    place(session, 0, {**ONE, "gateway_mac": "02:00:00:00:00:77"})
    assert not pushed(session)
    assert gateways(session, 0) == {"10.0.0.1": "02:00:00:00:00:77"}


def test_hosts_leave_with_the_owner_of_their_port(session: Session) -> None:
    place(session, 0, ONE)
    session.acquire(0, user="another", session_id=2, force=True)
    assert gateways(session, 0) == {}
    place(session, 0, ONE)
    session.owned("release", 0)
    assert gateways(session, 0) == {}


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        ([7], "not an array of objects"),
        ([{"mac": "no", "address": "10.0.0.1"}], "invalid MAC address"),
        ([{**ONE, "address": "10.0.0"}], "invalid address"),
        ([{**ONE, "gateway": "2001:db8::1"}], "give one of the same family"),
        ([{**ONE6, "gateway": "10.0.0.1"}], "give one of the same family"),
        ([{**ONE, "vlan": [{"id": 0}]}], "invalid VLAN tag"),
        ([{**ONE, "vlan": [{"id": 1, "priority": 8}]}], "invalid VLAN priority 8; give 0 to 7"),
        ([{**ONE, "vlan": [{"id": 1, "type": 1}]}], "invalid VLAN type 0x1; give one of"),
        ([{**ONE, "vlan": [{"id": 1}] * 3}], "Maximal number of stacked VLANs is 2"),
        ([ONE] * (MAX_HOSTS + 1), "a port emulates 1024 at most"),
    ],
)
def test_hosts_that_are_none_leave_those_that_are_there(session: Session, hosts: list[Any], said: str) -> None:
    place(session, 0, ONE)
    with pytest.raises(RpcError, match=said):
        place(session, 0, *hosts)
    assert list(gateways(session, 0)) == ["10.0.0.1"]
