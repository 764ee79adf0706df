"""Captures of ports by snappi: the result is a packet file that other programs can read."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any

import pytest
from otg_api import add_flow, port_metrics, refused, stopped, transmit, two_ports
from scapy.all import IP, UDP, Ether, IPv6, PcapNgReader, PcapReader, RawPcapReader

from wirespeed._native.pcap import read_packets


def capture(api: Any, state: str, *ports: str) -> Any:
    control = api.control_state()
    control.port.capture.state = state
    control.port.capture.port_names = list(ports)
    return api.set_control_state(control)


def fetched(api: Any, port: str = "p2") -> bytes:
    request = api.capture_request()
    request.port_name = port
    return bytes(api.get_capture(request).read())


def one_capture(config: Any, **settings: Any) -> Any:
    return config.captures.capture(name="c1", port_names=["p1", "p2"], **settings)[-1]


def run(api: Any, config: Any) -> bytes:
    """The file of p2 once all flows have ended."""
    api.set_config(config)
    capture(api, "start")
    transmit(api, "start")
    stopped(api)
    capture(api, "stop")
    return fetched(api)


@pytest.mark.parametrize("kind", ["pcap", "pcapng"])
def test_a_capture_is_a_file_of_what_came(api: Any, tmp_path: Path, kind: str) -> None:
    config = two_ports(api)
    one_capture(config, format=kind)
    add_flow(config, packets=30)
    began_s = time.time()
    file = run(api, config)
    read = PcapNgReader if kind == "pcapng" else PcapReader
    packets = list(read(io.BytesIO(file)))
    assert len(packets) == 30
    assert [bytes(one)[:14] for one in packets] == [bytes.fromhex("00112233446600112233445508 00")] * 30
    assert [one[IP].src for one in packets[:6]] == [f"16.0.0.{last}" for last in (1, 2, 3, 4, 5, 1)]
    assert began_s - 1 < float(packets[0].time) <= float(packets[-1].time) < time.time() + 1
    path = tmp_path / f"file.{kind}"
    path.write_bytes(file)
    assert [packet for _, packet in read_packets(path)] == [bytes(one) for one in packets]
    assert fetched(api) == file  # it can be read again
    assert not list(PcapReader(io.BytesIO(fetched(api, "p1")))) if kind == "pcap" else True


def test_a_capture_that_runs_is_told_and_begins_anew(api: Any) -> None:
    config = two_ports(api)
    one_capture(config)
    add_flow(config, packets=10)
    api.set_config(config)
    for _ in range(2):
        capture(api, "start", "p2")
        told = port_metrics(api)
        assert (told["p1"].capture, told["p2"].capture) == ("stopped", "started")
        transmit(api, "start")
        stopped(api)
        assert len(list(PcapReader(io.BytesIO(fetched(api))))) == 10  # while it runs
    capture(api, "stop", "p2")
    assert port_metrics(api)["p2"].capture == "stopped"


@pytest.mark.parametrize("most_bytes", [42, 124, 126, 128, 4000])
def test_frames_are_cut_to_what_was_asked(api: Any, most_bytes: int) -> None:
    config = two_ports(api)
    one_capture(config, packet_size=most_bytes)
    add_flow(config, packets=3)
    seen = list(RawPcapReader(io.BytesIO(run(api, config))))
    assert [(len(data), told.wirelen) for data, told in seen] == [(min(most_bytes, 128), 128)] * 3


def test_a_part_of_a_capture_can_be_had(api: Any) -> None:
    config = two_ports(api)
    one_capture(config)
    add_flow(config, packets=10)
    whole = list(PcapReader(io.BytesIO(run(api, config))))
    request = api.capture_request()
    request.port_name = "p2"
    request.packets.slice.initial.start, request.packets.slice.initial.count = 3, 4
    part = list(PcapReader(io.BytesIO(api.get_capture(request).read())))
    assert part == whole[2:6]


def filtered(api: Any, fill: Any) -> list[Ether]:
    """Packets of IPv4 with and without a tag, and of IPv6, that a capture with these filters keeps."""
    config = two_ports(api)
    fill(one_capture(config))
    add_flow(config, "plain", packets=10)
    for name in ("tagged", "six"):
        flow = config.flows.flow(name=name)[-1]
        flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
        if name == "tagged":
            _, vlan, ip, _ = flow.packet.ethernet().vlan().ipv4().udp()
            vlan.id.value, ip.dst.value = 7, "48.0.0.1"
        else:
            _, ip6, _ = flow.packet.ethernet().ipv6().udp()
            ip6.dst.value = "2001:db8::9"
        flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 128, 1000, 10
        flow.metrics.enable = True
    return list(PcapReader(io.BytesIO(run(api, config))))


def by_ip4_dst(one: Any) -> None:
    one.filters.ipv4()[-1].dst.value = "30000009"


def by_tag(one: Any) -> None:
    one.filters.vlan().ipv4()
    one.filters[0].id.value = "007"


def by_ip6(one: Any) -> None:
    one.filters.ipv6()[-1].dst.value = "20010db8000000000000000000000009"


def by_negation(one: Any) -> None:
    field = one.filters.ethernet()[-1].ether_type
    field.value, field.negate = "0800", True


def by_masked_bits(one: Any) -> None:
    field = one.filters.custom()[-1]
    field.offset, field.bit_length, field.value, field.mask = 96, 16, "8000", "0fff"


@pytest.mark.parametrize(
    ("fill", "kept"),
    [
        (by_ip4_dst, lambda one: one[IP].dst == "48.0.0.9"),
        (by_tag, lambda one: one.vlan == 7 and IP in one),
        (by_ip6, lambda one: one[IPv6].dst == "2001:db8::9"),
        (by_negation, lambda one: one.type != 0x0800),
        (by_masked_bits, lambda one: one.type & 0xF000 == 0x8000),
    ],
)
def test_filters_keep_what_they_say(api: Any, fill: Any, kept: Any) -> None:
    packets = filtered(api, fill)
    expected = {by_ip4_dst: 3, by_tag: 10, by_ip6: 10, by_negation: 20, by_masked_bits: 20}
    assert len(packets) == expected[fill]
    assert all(kept(one) and UDP in one for one in packets)


def test_what_cannot_be_captured_is_named(api: Any) -> None:
    config = two_ports(api)
    config.captures.capture(name="c1", port_names=["p2"])
    api.set_config(config)
    with refused("port_name: port 'p2' was not captured"):
        fetched(api)
    with refused("port_name: there is no 'p9'"):
        fetched(api, "p9")
    with refused("port.capture.port_names: port 'p1' is in no capture"):
        capture(api, "start", "p1")
    with refused("port.capture.port_names: there is no 'p9'"):
        capture(api, "start", "p9")
    config.captures.capture(name="c2", port_names=["p2"])
    with refused("captures[1].port_names: port 'p2' is in another capture already"):
        api.set_config(config)
    config.captures[1].port_names = ["p1"]
    config.captures[1].filters.ipv4()[-1].dst.value = "1234567890"
    with refused("captures[1].filters[0].ipv4.dst.value: '1234567890' must be a hex number up to ffffffff"):
        api.set_config(config)
