"""Emulated devices of the OTG model: they reply, they resolve their gateways, and flows run between them."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from harness.waiting import wait_for
from otg_api import captured, flow_metrics, refused, stopped, stopped_ports, transmit, two_ports
from scapy.all import ARP, IP, Dot1Q, Ether

from wirespeed.client.stateless_client import Pushed, StatelessClient

MACS = {"p1": "02:11:00:00:01:01", "p2": "02:11:00:00:02:01"}


def add_device(config: Any, port: str, own: int, other: int, number: int = 1, vlan: int = 0) -> Any:
    """A device `d-PORT-NUMBER` with an address of each kind; its gateway is another device."""
    device = config.devices.device(name=f"d-{port}-{number}")[-1]
    ethernet = device.ethernets.ethernet(name=f"e-{port}-{number}")[-1]
    ethernet.connection.port_name = port
    ethernet.mac = f"{MACS[port][:-1]}{number}"
    if vlan:
        ethernet.vlans.vlan(name=f"v-{port}-{number}", id=vlan, priority=3)
    ethernet.ipv4_addresses.ipv4(name=f"i4-{port}-{number}", address=f"10.0.0.{own}", gateway=f"10.0.0.{other}")
    ethernet.ipv6_addresses.ipv6(name=f"i6-{port}-{number}", address=f"2001:db8::{own}", gateway=f"2001:db8::{other}")
    return ethernet


def neighbors(api: Any, version: int, *ethernets: str) -> dict[str, str | None]:
    request = api.states_request()
    getattr(request, f"ipv{version}_neighbors").ethernet_names = list(ethernets)
    told = getattr(api.get_states(request), f"ipv{version}_neighbors")
    return {one.ethernet_name: one.link_layer_address for one in told}


def found(api: Any, version: int) -> dict[str, str | None]:
    """The neighbors of all devices, once each has replied."""

    def all_answered() -> dict[str, str | None]:
        told = neighbors(api, version)
        return told if all(told.values()) else {}

    told: dict[str, str | None] = wait_for(all_answered, "gateways do not answer")
    return told


def device_flow(config: Any, name: str, tx: list[str], rx: list[str], mode: str = "mesh") -> Any:
    flow = config.flows.flow(name=name)[-1]
    flow.tx_rx.device.tx_names, flow.tx_rx.device.rx_names, flow.tx_rx.device.mode = tx, rx, mode
    flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 128, 1000, 40
    flow.metrics.enable = True
    return flow


def protocols(api: Any, state: str) -> None:
    control = api.control_state()
    control.protocol.all.state = state
    api.set_control_state(control)


@pytest.mark.parametrize("vlan", [0, 7])
def test_devices_find_each_other(api: Any, vlan: int) -> None:
    config = two_ports(api)
    add_device(config, "p1", 1, 2, vlan=vlan)
    add_device(config, "p2", 2, 1, vlan=vlan)
    api.set_config(config)
    for version in (4, 6):
        assert found(api, version) == {"e-p1-1": "02:11:00:00:02:01", "e-p2-1": "02:11:00:00:01:01"}
        assert list(neighbors(api, version, "e-p2-1")) == ["e-p2-1"]


def test_a_device_answers_who_asks(api: Any, served: tuple[str, str]) -> None:
    config = two_ports(api)
    add_device(config, "p2", 2, 1, vlan=9)
    api.set_config(config)
    ask = Ether(src=MACS["p1"], dst="ff:ff:ff:ff:ff:ff") / Dot1Q(vlan=9) / ARP(psrc="10.0.0.77", pdst="10.0.0.2")
    ask[ARP].hwsrc = MACS["p1"]
    with StatelessClient(served[0]) as client:
        client.connect()
        number = client.capture("start", tx=[], rx=[0], limit=10, filter="vlan and arp[6:2] = 2")["capture_id"]
        client.push_packets(0, [Pushed(bytes(ask))])
        told = wait_for(lambda: client.capture("fetch", capture_id=number, pkt_limit=10)["pkts"], "no answer")
        client.capture("remove", capture_id=number)
    reply = Ether(base64.b64decode(told[0]["binary"]))
    assert (reply.src, reply.dst, reply[Dot1Q].vlan, reply[Dot1Q].prio) == (MACS["p2"], MACS["p1"], 9, 3)
    assert (reply[ARP].psrc, reply[ARP].hwsrc) == ("10.0.0.2", MACS["p2"])


def test_flows_between_devices_bear_their_addresses(api: Any, served: tuple[str, str]) -> None:
    config = two_ports(api)
    for number, own in ((1, 1), (2, 3)):
        add_device(config, "p1", own, own + 1, number)
        add_device(config, "p2", own + 1, own, number)
    four = device_flow(config, "four", ["i4-p1-1", "i4-p1-2"], ["i4-p2-1", "i4-p2-2"])
    four.packet.ethernet().ipv4().udp()
    api.set_config(config)
    transmit(api, "start")
    assert stopped(api)["four"].frames_rx == 40
    for config_mode, pairs in (("mesh", 4), ("one_to_one", 2)):
        four.tx_rx.device.mode = config_mode
        four.metrics.enable = False
        api.set_config(config)
        with StatelessClient(served[0]) as client:
            client.connect()
            packets = captured(client, lambda: transmit(api, "start"), 40, "udp")
        stopped_ports(api)
        ways = {(Ether(one).src, Ether(one).dst, Ether(one)[IP].src, Ether(one)[IP].dst) for one in packets}
        gateway = {"10.0.0.1": "02:11:00:00:02:01", "10.0.0.3": "02:11:00:00:02:02"}
        assert len(ways) == pairs
        assert all(dst == gateway[src_ip] for _, dst, src_ip, _ in ways)


def test_ipv6_flows_go_by_the_ethernets_name(api: Any) -> None:
    config = two_ports(api)
    add_device(config, "p1", 1, 2)
    add_device(config, "p2", 2, 1)
    flow = device_flow(config, "six", ["e-p1-1"], ["e-p2-1"])
    flow.packet.ethernet().ipv6().udp()
    back = device_flow(config, "back", ["e-p2-1"], ["e-p1-1"])
    back.packet.ethernet().ipv6().udp()
    api.set_config(config)
    transmit(api, "start")
    metrics = stopped(api)
    assert (metrics["six"].frames_rx, metrics["six"].port_tx, metrics["six"].port_rx) == (40, "p1", "p2")
    assert (metrics["back"].frames_rx, metrics["back"].port_tx, metrics["back"].port_rx) == (40, "p2", "p1")


def test_a_gateway_that_is_silent_is_named(api: Any) -> None:
    config = two_ports(api)
    add_device(config, "p1", 1, 9)
    add_device(config, "p2", 2, 1)
    flow = device_flow(config, "f1", ["i4-p1-1"], ["i4-p2-1"])
    ethernet, _, _ = flow.packet.ethernet().ipv4().udp()
    api.set_config(config)
    assert neighbors(api, 4, "e-p1-1") == {"e-p1-1": None}
    with refused("flows[0].packet[0].ethernet.dst: 10.0.0.9, the gateway of 'i4-p1-1', does not answer"):
        transmit(api, "start")
    assert flow_metrics(api)["f1"].transmit == "stopped"
    ethernet.dst.value = MACS["p2"]  # a flow with a given destination needs no resolution
    api.set_config(config)
    transmit(api, "start")
    assert stopped(api)["f1"].frames_rx == 40


def test_devices_are_silent_while_protocols_are_stopped(api: Any) -> None:
    config = two_ports(api)
    add_device(config, "p1", 1, 2)
    add_device(config, "p2", 2, 1)
    config.options.protocol_options.auto_start_all = False
    api.set_config(config)
    assert neighbors(api, 4) == {}
    protocols(api, "start")
    assert len(found(api, 4)) == 2
    protocols(api, "stop")
    assert neighbors(api, 4) == {}


def wrong_port(config: Any) -> None:
    add_device(config, "p1", 1, 2).connection.port_name = "p9"


def no_mac(config: Any) -> None:
    ethernet = config.devices.device(name="d")[-1].ethernets.ethernet(name="e")[-1]
    ethernet.connection.port_name = "p1"


def group_mac(config: Any) -> None:
    add_device(config, "p1", 1, 2).mac = "01:00:00:00:00:01"


def same_address(config: Any) -> None:
    add_device(config, "p1", 1, 2)
    add_device(config, "p1", 1, 2, number=2)


def same_name(config: Any) -> None:
    add_device(config, "p1", 1, 2).name = "p1"


def unknown_end(config: Any) -> None:
    add_device(config, "p1", 1, 2)
    device_flow(config, "f1", ["i4-p1-1"], ["nobody"])


def two_tx_ports(config: Any) -> None:
    add_device(config, "p1", 1, 2)
    add_device(config, "p2", 2, 1)
    device_flow(config, "f1", ["i4-p1-1", "i4-p2-1"], ["i4-p1-1"])


def uneven(config: Any) -> None:
    add_device(config, "p1", 1, 2)
    add_device(config, "p2", 2, 1)
    device_flow(config, "f1", ["i4-p1-1"], ["i4-p2-1", "i6-p2-1"], "one_to_one")


def own_receiver(config: Any) -> None:
    add_device(config, "p1", 1, 2)
    device_flow(config, "f1", ["i4-p1-1"], ["i4-p1-1"])


def wrong_kind(config: Any) -> None:
    add_device(config, "p1", 1, 2)
    device_flow(config, "f1", ["i6-p1-1"], ["i4-p1-1"]).packet.ethernet().ipv4()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (wrong_port, "devices[0].ethernets[0].connection.port_name: there is no 'p9'; there is p1, p2"),
        (no_mac, "devices[0].ethernets[0].mac: is missing"),
        (group_mac, "devices[0].ethernets[0].mac: '01:00:00:00:00:01' is a multicast address"),
        (same_address, "devices[1].ethernets[0].ipv4_addresses[0].address: 10.0.0.1 is already the address of"),
        (same_name, "devices[0].ethernets[0].name: 'p1' is the name of another object"),
        (unknown_end, "flows[0].tx_rx.device.rx_names: there is no 'nobody'"),
        (two_tx_ports, "flows[0].tx_rx.device.tx_names: are on several ports"),
        (uneven, "flows[0].tx_rx.device.mode: has 1 tx_names and 2 rx_names"),
        (own_receiver, "flows[0].tx_rx.device.rx_names: contains the sender"),
        (wrong_kind, "flows[0].tx_rx.device.tx_names: 'i6-p1-1' has no IPv4 address"),
    ],
)
def test_devices_that_are_wrong_are_named(api: Any, change: Any, said: str) -> None:
    kept = two_ports(api)
    add_device(kept, "p1", 1, 2)
    add_device(kept, "p2", 2, 1)
    api.set_config(kept)
    config = two_ports(api)
    change(config)
    with refused(said):
        api.set_config(config)
    assert len(api.get_config().devices) == 2
    assert len(found(api, 6)) == 2


def test_states_of_what_is_not_there(api: Any) -> None:
    api.set_config(two_ports(api))
    with refused("ipv4_neighbors.ethernet_names: there is no 'e9'; there is none"):
        neighbors(api, 4, "e9")
    request = api.states_request()
    request.bgp_prefixes.bgp_peer_names = []
    with refused("choice: "):
        api.get_states(request)
