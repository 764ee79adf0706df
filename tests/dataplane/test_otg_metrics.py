"""Metrics of flows by snappi: per tag, of mixed frame sizes, selected ones; and rates that change at run time."""

from __future__ import annotations

from typing import Any

import pytest
from harness.waiting import wait_for
from otg_api import add_flow, captured, flow_metrics, refused, stopped, stopped_ports, transmit, two_ports
from scapy.all import Dot1Q, Ether

from wirespeed.client.stateless_client import StatelessClient


def tagged_flow(config: Any, packets: int) -> Any:
    """VLANs 5, 6, 7 in turn, distinguished by all bits; destinations, by the last 8."""
    flow = config.flows.flow(name="f1")[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    ethernet, vlan, ip, udp = flow.packet.ethernet().vlan().ipv4().udp()
    ethernet.src.value, ethernet.dst.value = "00:11:22:33:44:55", "00:11:22:33:44:66"
    vlan.id.increment.start, vlan.id.increment.step, vlan.id.increment.count = 5, 1, 3
    vlan.id.metric_tags.metrictag(name="vlan")
    ip.src.increment.start, ip.src.increment.step, ip.src.increment.count = "16.0.0.1", "0.0.0.1", 4
    ip.dst.values = ["48.0.0.1", "48.0.1.1"]
    ip.dst.metric_tags.metrictag(name="last", offset=24, length=8)
    udp.dst_port.value = 53
    flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 128, 5000, packets
    flow.metrics.enable = True
    return flow


def by_tags(metric: Any) -> dict[tuple[str, ...], tuple[int, int, float]]:
    return {
        tuple(f"{tag.name}={tag.value.hex}" for tag in one.tags): (one.frames_tx, one.frames_rx, one.loss)
        for one in metric.tagged_metrics
    }


def test_metrics_are_told_apart_by_tagged_fields(api: Any) -> None:
    config = two_ports(api)
    tagged_flow(config, 100)
    api.set_config(config)
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert (metric.frames_tx, metric.frames_rx) == (100, 100)
    assert by_tags(metric) == {
        ("vlan=005", "last=01"): (34, 34, 0),
        ("vlan=006", "last=01"): (33, 33, 0),
        ("vlan=007", "last=01"): (33, 33, 0),
    }
    request = api.metrics_request()
    request.flow.flow_names = ["f1"]
    request.flow.tagged_metrics.metric_names = ["frames_rx"]
    request.flow.tagged_metrics.filters.filter(name="vlan", values=["006"])
    (only,) = api.get_metrics(request).flow_metrics[0].tagged_metrics
    assert (only.tags[0].value.hex, only.frames_rx, only.bytes_rx) == ("006", 33, None)
    request.flow.tagged_metrics.include = False
    assert not api.get_metrics(request).flow_metrics[0].tagged_metrics


def test_tags_leave_the_packets_and_their_order_as_they_are(api: Any, served: tuple[str, str]) -> None:
    packets = {}
    for tagged in (True, False):
        config = two_ports(api)
        flow = tagged_flow(config, 60)
        flow.metrics.enable = False
        if not tagged:
            flow.packet[1].id.metric_tags.clear()
            flow.packet[2].dst.metric_tags.clear()
        api.set_config(config)
        with StatelessClient(served[0]) as client:
            client.connect()
            packets[tagged] = captured(client, lambda: transmit(api, "start"), 60)
        stopped_ports(api)
    assert packets[True] == packets[False]
    assert [Ether(one)[Dot1Q].vlan for one in packets[True][:4]] == [5, 6, 7, 5]
    assert len(set(packets[True])) == 12


def test_tags_that_cannot_be_told_apart_are_named(api: Any) -> None:
    config = two_ports(api)
    flow = tagged_flow(config, 10)
    flow.packet[1].id.increment.count = 300
    with refused("flows[0].packet[2].ipv4.dst.metric_tags: goes with 256 values at most"):
        api.set_config(config)
    flow.packet[1].id.increment.count = 3
    flow.packet[3].src_port.random.count = 9
    with refused("flows[0].packet[3].udp.src_port: random values cannot be combined with metric_tags"):
        api.set_config(config)
    flow.packet[3].src_port.metric_tags.metrictag(name="port")
    with refused("flows[0].packet[3].udp.src_port.metric_tags: is not supported on random values"):
        api.set_config(config)


@pytest.mark.alone
def test_latency_of_a_mix_is_that_of_all_its_sizes(api: Any) -> None:
    config = two_ports(api)
    flow = add_flow(config, packets=120)
    flow.size.weight_pairs.predefined = "imix"
    flow.metrics.latency.enable = True
    api.set_config(config)
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert (metric.frames_rx, metric.bytes_rx) == (120, 70 * 64 + 40 * 570 + 10 * 1518)
    assert 0 < metric.latency.minimum_ns <= metric.latency.average_ns <= metric.latency.maximum_ns


def test_figures_that_are_named_come_alone(api: Any) -> None:
    config = two_ports(api)
    add_flow(config, packets=10)
    api.set_config(config)
    transmit(api, "start")
    stopped(api)
    request = api.metrics_request()
    request.flow.metric_names = ["frames_rx", "transmit"]
    (metric,) = api.get_metrics(request).flow_metrics
    assert (metric.name, metric.frames_rx, metric.transmit, metric.frames_tx) == ("f1", 10, "stopped", None)
    request = api.metrics_request()
    request.port.column_names = ["link", "speed"]
    told = api.get_metrics(request).port_metrics[0]
    assert (told.name, told.link, told.speed, told.frames_tx) == ("p1", "up", 10_000_000_000, None)


def test_loss_of_copies_and_its_time(api: Any) -> None:
    config = two_ports(api)
    flow = add_flow(config, packets=100, pps=1000)
    flow.metrics.rx_tx_ratio.value = 2
    config.options.flow_options.packet_loss_duration = True
    api.set_config(config)
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert (metric.frames_rx, metric.loss, metric.packet_loss_duration.value) == (100, 50, 100)


def rate_update(api: Any, config: Any, *properties: str) -> None:
    update = api.config_update()
    update.flows.property_names = list(properties)
    for flow in config.flows:
        update.flows.flows.append(flow)
    api.update_config(update)


@pytest.mark.alone
def test_rates_change_while_flows_run(api: Any) -> None:
    config = two_ports(api)
    flow = add_flow(config, pps=100)
    flow.duration.continuous.gap = 12
    api.set_config(config)
    transmit(api, "start")
    flow.rate.pps = 50_000
    rate_update(api, config, "rate")
    wait_for(lambda: flow_metrics(api)["f1"].frames_rx > 5000, "the rate does not rise")
    assert flow_metrics(api)["f1"].transmit == "started"
    assert api.get_config().flows[0].rate.pps == 50_000
    flow.size.fixed = 256
    with refused("flows.flows[0].size: flow 'f1' runs; stop it first"):
        rate_update(api, config, "size")
    flow.rate.gbps = 11
    with refused("flows.flows[0].rate: port 0 would send"):
        rate_update(api, config, "rate")
    flow.name = "nobody"
    with refused("flows.flows: there is no 'nobody'"):
        rate_update(api, config, "rate")
    transmit(api, "stop")
    metric = stopped(api)["f1"]
    assert metric.frames_tx == metric.frames_rx


def test_sizes_change_between_starts(api: Any) -> None:
    config = two_ports(api)
    flow = add_flow(config, packets=10)
    api.set_config(config)
    flow.size.fixed = 512
    rate_update(api, config, "size", "rate")
    transmit(api, "start")
    assert stopped(api)["f1"].bytes_rx == 5120


def test_flows_need_no_ip_to_be_counted(api: Any) -> None:
    config = two_ports(api)
    for name, stack in (("labelled", ["mpls", "ipv4"]), ("arp", ["arp"]), ("tagged", ["vlan"] * 3 + ["ipv4"])):
        packet = add_flow(config, name, 10).packet
        packet.clear()
        packet.ethernet()
        for header in stack:
            getattr(packet, header)()
    api.set_config(config)
    transmit(api, "start")
    assert {name: flow.frames_rx for name, flow in stopped(api).items()} == dict.fromkeys(
        ("labelled", "arp", "tagged"), 10
    )


def test_one_of_two_flows_is_stopped(api: Any) -> None:
    config = two_ports(api)
    for name in ("f1", "f2"):
        add_flow(config, name).duration.continuous.gap = 12
    api.set_config(config)
    transmit(api, "start")
    transmit(api, "stop", "f1")
    wait_for(lambda: flow_metrics(api)["f1"].transmit == "stopped", "the flow does not stop")
    before = flow_metrics(api)
    assert before["f2"].transmit == "started"
    wait_for(lambda: flow_metrics(api)["f2"].frames_rx > before["f2"].frames_rx + 100, "the other flow stopped too")
    assert flow_metrics(api)["f1"].frames_tx == before["f1"].frames_tx
    transmit(api, "stop")
    assert all(one.frames_tx == one.frames_rx for one in stopped(api).values())


def test_layer1_that_ports_have_not_is_warned_of(api: Any) -> None:
    config = two_ports(api)
    config.layer1.layer1(name="l1", port_names=["p1", "p2"], speed="speed_1_gbps")
    warnings = api.set_config(config).warnings
    assert len(warnings) == 2
    assert warnings[0] == "layer1[0].speed: port p1 has 10 Gbps and keeps it; speed_1_gbps was asked"
    config.layer1[0].speed = "speed_10_gbps"
    assert not api.set_config(config).warnings


def test_ports_are_promiscuous_unless_told(api: Any, served: tuple[str, str]) -> None:
    config = two_ports(api)
    config.layer1.layer1(name="l1", port_names=["p2"], promiscuous=False)
    api.set_config(config)
    with StatelessClient(served[0]) as client:
        client.connect()
        told = [client.call("get_port_status", port_id=port, block=False)["attr"]["promiscuous"] for port in (0, 1)]
    assert told == [{"enabled": True}, {"enabled": False}]


def test_payloads_are_those_that_were_given(api: Any, served: tuple[str, str]) -> None:
    expected = {
        "increment_byte": bytes(range(82)),
        "decrement_byte": bytes(255 - place for place in range(82)),
        "increment_word": b"".join(word.to_bytes(2) for word in range(41)),
        "decrement_word": b"".join((0xFFFF - word).to_bytes(2) for word in range(41)),
        "fixed": (bytes.fromhex("c0ffee") * 28)[:82],
    }
    for choice, payload in expected.items():
        config = two_ports(api)
        flow = add_flow(config, packets=2)
        flow.metrics.enable = False
        flow.payload.choice = choice
        if choice == "fixed":
            flow.payload.fixed.pattern = "c0ffee"
        api.set_config(config)
        with StatelessClient(served[0]) as client:
            client.connect()
            packets = captured(client, lambda: transmit(api, "start"), 2)
        stopped_ports(api)
        assert [one[42:] for one in packets] == [payload] * 2
