"""Packet tests of the public OTG suites, with all flows running at the same time: frames, fields,
sizes and counters.
"""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass
from typing import Any

import pytest
import snappi
from otg_api import port_metrics, stopped, transmit, two_ports
from otg_cases import CASES
from scapy.all import RawPcapReader

RESIDUE = 0x2144_DF1C
"""CRC-32 of any data that ends with its own CRC-32."""

MESH = 8
"""Further flows of ten packets that each port sends."""


@dataclass(frozen=True)
class Run:
    frames: dict[bytes, list[bytes]]
    """Captured frames by the first five bytes of the source address."""
    flows: dict[str, Any]
    ports: dict[str, Any]
    warnings: list[str]


def add_flows(config: Any) -> None:
    for number, (name, case) in enumerate(CASES.items()):
        flow = config.flows.flow(name=name)[-1]
        flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = ("p2", ["p1"]) if case.back else ("p1", ["p2"])
        for kind, fields in case.stack(number):
            header = getattr(flow.packet, kind)()[-1]
            for field, pattern in fields.items():
                getattr(header, field).deserialize(pattern.given)
        flow.size.deserialize(case.size.given)
        flow.rate.deserialize(case.rate)
        flow.duration.fixed_packets.packets = case.packets
        flow.metrics.enable = flow.metrics.loss = True
    for number in range(2 * MESH):
        flow = config.flows.flow(name=f"mesh {number}")[-1]
        flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = ("p1", ["p2"]) if number % 2 else ("p2", ["p1"])
        flow.packet.ethernet().ipv4().udp()
        flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 128, 100, 10
        flow.metrics.enable = flow.metrics.loss = True


def control(api: Any, state: str) -> list[str]:
    asked = api.control_state()
    asked.port.capture.state = state
    return list(api.set_control_state(asked).warnings)


@pytest.fixture(scope="module")
def ran(served: tuple[str, str]) -> Run:
    api = snappi.api(location=served[1])
    config = two_ports(api)
    config.layer1.layer1(name="l", port_names=["p1", "p2"])[-1].speed = "speed_10_gbps"
    config.captures.capture(name="c", port_names=["p1", "p2"])
    config.options.port_options.location_preemption = True
    add_flows(config)
    warnings = list(api.set_config(config).warnings) + control(api, "start")
    transmit(api, "start")
    flows = stopped(api)
    warnings += control(api, "stop")
    frames: dict[bytes, list[bytes]] = {}
    for port in ("p1", "p2"):
        request = api.capture_request()
        request.port_name = port
        for frame, _ in RawPcapReader(io.BytesIO(api.get_capture(request).read())):
            frames.setdefault(frame[6:11], []).append(frame)
    return Run(frames, flows, port_metrics(api), warnings)


def frames_of(ran: Run, name: str) -> list[bytes]:
    return ran.frames[bytes((0, 0, 1, 1, list(CASES).index(name)))]


@pytest.mark.parametrize("name", CASES)
def test_frames_have_what_the_flow_says(ran: Run, name: str) -> None:
    case, frames = CASES[name], frames_of(ran, name)
    assert len(frames) == case.packets
    assert case.size.holds([len(frame) for frame in frames])
    assert {zlib.crc32(frame) for frame in frames} == {RESIDUE}
    for field, at, size, holds in case.judged(list(CASES).index(name)):
        came = [int.from_bytes(frame[at : at + size], "big") for frame in frames]
        assert holds(came), (field, came)
    for field, at, start in case.lengths():
        told = [int.from_bytes(frame[at : at + 2], "big") for frame in frames]
        assert told == [len(frame) - 4 - start for frame in frames], field


@pytest.mark.parametrize("name", CASES)
def test_a_flow_counts_its_frames_and_their_bytes(ran: Run, name: str) -> None:
    case, told = CASES[name], ran.flows[name]
    sent = sum(map(len, frames_of(ran, name)))
    assert (told.transmit, told.frames_tx, told.frames_rx, told.loss) == ("stopped", case.packets, case.packets, 0)
    assert (told.bytes_tx, told.bytes_rx) == (sent, sent)
    assert (told.port_tx, told.port_rx) == (("p2", "p1") if case.back else ("p1", "p2"))


def test_ports_count_what_all_flows_sent(ran: Run) -> None:
    assert not ran.warnings
    assert len(ran.flows) == len(CASES) + 2 * MESH
    for sender, receiver in (("p1", "p2"), ("p2", "p1")):
        flows = [one for one in ran.flows.values() if one.port_tx == sender]
        sums = sum(one.frames_rx for one in flows), sum(one.bytes_rx for one in flows)
        assert sums[0] >= 10 * MESH
        assert (ran.ports[sender].frames_tx, ran.ports[sender].bytes_tx) == sums
        assert (ran.ports[receiver].frames_rx, ran.ports[receiver].bytes_rx) == sums
        assert (ran.ports[sender].link, ran.ports[sender].capture, ran.ports[sender].transmit) == (
            "up",
            "stopped",
            "stopped",
        )
