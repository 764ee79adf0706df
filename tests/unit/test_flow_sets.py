"""Flow sets as clients specify them: their frames and streams, and invalid ones."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from scapy.all import IP, TCP, UDP, Ether, IPv6

from wirespeed._native.flow_records import FlowKind, FlowOrder
from wirespeed.client.flow_sets import WINDOW_BYTES, FlowAddresses, FlowCounts, FlowPorts, FlowSet
from wirespeed.errors import UsageError
from wirespeed.generator import hdr
from wirespeed.measurement.stateful.counts import exchanged
from wirespeed.profiles.stream_json import StreamJson
from wirespeed.results.sample import DelayVariation
from wirespeed.trial.flow_session import Establishment, FlowSession, Others, Sending, delay_variation


def flow_set(version: int = 4, **given: Any) -> FlowSet:
    source, destination = {4: ("10.0.0.2", "198.19.0.2"), 6: ("2001:2::2", "2001:2:0:8000::2")}[version]
    fields: dict[str, Any] = {
        "sources": FlowAddresses(source, 2),
        "destinations": FlowAddresses(destination, 3),
        "source_ports": FlowPorts(1024, 50_000),
        "destination_ports": FlowPorts(1, 10),
        "flows": 1000,
    }
    return FlowSet(**(fields | given))


@pytest.mark.parametrize(("version", "smallest"), [(4, 64), (6, 82)])
def test_frames_are_whole_datagrams(version: int, smallest: int) -> None:
    one = flow_set(version)
    assert one.smallest_frame_bytes == smallest
    for size in (smallest, smallest + 1, 1514):
        packet = Ether(one.frame(size))
        assert len(packet) + 4 == size
        network = packet[IPv6 if version == 6 else IP]
        assert len(network) == (network.plen + 40 if version == 6 else network.len) == size - 18
        assert network[UDP].len == len(network[UDP])
        assert (network[UDP].sport, network[UDP].dport) == (1024, 1)
    with pytest.raises(UsageError, match=f"a frame of {smallest - 1} bytes has no room .* give {smallest} or more"):
        one.frame(smallest - 1)


@pytest.mark.parametrize(("version", "smallest", "most"), [(4, 74, 1460), (6, 94, 1440)])
def test_frames_over_tcp_are_whole_segments(version: int, smallest: int, most: int) -> None:
    one = flow_set(version, protocol="tcp")
    assert one.smallest_frame_bytes == smallest
    assert one.to_json()["protocol"] == "tcp"
    for size in (smallest, 1514, 9018):
        frames = {"PA": one.frame(size)}
        frames |= {flags: one.handshake(step, size) for step, flags in (("syn", "S"), ("syn-ack", "SA"), ("ack", "A"))}  # type: ignore[arg-type]
        for flags, frame in frames.items():
            packet = Ether(frame)
            network = packet[IPv6 if version == 6 else IP]
            assert len(network) == (network.plen + 40 if version == 6 else network.len) == len(frame) - 14
            segment = network[TCP]
            assert (segment.flags, segment.sport, segment.dport) == (flags, 1024, 1)
            assert segment.window << 14 == WINDOW_BYTES
            data = size - 4 - 14 - (40 if version == 6 else 20) - 20
            assert len(bytes(segment.payload)) == (data if flags == "PA" else 0)
            options = [("MSS", max(most, data)), ("NOP", None), ("WScale", 14)]
            assert segment.options == (options if "S" in flags else [])
    with pytest.raises(UsageError, match=f"give {smallest} or more"):
        one.frame(smallest - 1)


def test_streams_are_read_by_the_generator() -> None:
    burst = StreamJson.model_validate(flow_set().stream("each", 64, 5000, packets=1000))
    endless = StreamJson.model_validate(flow_set().stream("random", 128, 1))
    assert (burst.flow_kind, burst.flow_order, burst.pg_id) == (FlowKind.SET, FlowOrder.EACH, None)
    answers = flow_set(protocol="tcp").stream("answer", 128, 1, packets=5, step="ack")
    assert StreamJson.model_validate(answers).flow_order == FlowOrder.ANSWER
    assert (endless.flow_order, endless.mode.type) == (FlowOrder.RANDOM, "continuous")
    assert len(endless.packet.binary) == 124
    assert base64.b64decode(flow_set().stream("each", 64, 1)["packet"]["binary"]) == burst.packet.binary


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"flows": 0}, "0 flows of 3000000 tuples"),
        ({"flows": 3_000_001}, "3000001 flows of 3000000 tuples"),
        ({"source_ports": FlowPorts(60_000, 6000)}, "6000 source ports from 60000 on"),
        ({"destination_ports": FlowPorts(0, 5)}, "5 destination ports from 0 on"),
        ({"sources": FlowAddresses("2001:db8::1")}, "different families"),
    ],
)
def test_ranges_that_cannot_be(given: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        flow_set(**given)


def test_an_establishment_is_whole_if_each_flow_has_a_tuple_of_its_own() -> None:
    def opened(missing: int = 0, merged: int = 0, remapped: int = 0) -> Establishment:
        sending = Sending(1e6, 10, 10, 1e-5)
        return Establishment(sending, 10 - missing, missing, 0, merged, remapped, 0, 0, Others(0, 0, 0, 0))

    assert opened().is_whole
    assert not any(opened(**{name: 1}).is_whole for name in ("missing", "merged", "remapped"))


def test_counts_of_a_newer_generator_are_read() -> None:
    assert FlowCounts.from_json({"sent": 3, "sending_s": 0.5, "more": 1}) == FlowCounts(sent=3, sending_s=0.5)


class EndedPhase:
    """A generator whose phase 2 ends with these counts."""

    def __init__(self, initiator: dict[str, int], responder: dict[str, int]) -> None:
        self.told = {"initiator": initiator, "responder": responder, "learnt": {}}

    def ask_as_owner(self, method: str, *_: object, **__: object) -> Any:
        return self.told if method == "end_flow_phase" else None

    def port_status(self, _: object) -> dict[int, Any]:
        return {}


def test_frames_of_no_flow_belong_to_a_direction_of_phase_2() -> None:
    """The DUT sends ICMP errors to the sender that they are for."""
    client: Any = EndedPhase(
        {"sent": 90, "icmp_errors": 4, "late": 1}, {"sent": 5, "received": 80, "unknown": 2, "bad": 3}
    )
    used = FlowSession(client, flow_set()).exchange(0.0, initiator_fps=1e3, responder_fps=1e3, drain_s=0.0)
    assert used.to_responder is not None and used.to_initiator is not None
    assert used.to_responder.others == Others(late=0, bad=3, unknown=2, icmp_errors=4)
    assert used.to_initiator.others == Others(late=1, bad=0, unknown=0, icmp_errors=0)
    there = exchanged(used.to_responder, 1000)
    assert (there.unknown, there.icmp_errors, there.missing) == (5, 4, 10)


def test_a_side_that_was_to_send_and_did_not_is_a_direction() -> None:
    client: Any = EndedPhase({"sent": 90}, {"received": 90})
    both = FlowSession(client, flow_set()).exchange(0.0, initiator_fps=1e3, responder_fps=1e3, drain_s=0.0)
    assert both.to_initiator is not None and both.to_initiator.sending.sent == 0
    one = FlowSession(client, flow_set()).exchange(0.0, initiator_fps=1e3, drain_s=0.0)
    assert one.to_initiator is None


def test_delay_variation_has_a_sign() -> None:
    def text(*values_ns: int) -> str:
        counts = sorted((hdr.index_of(ns, 7), values_ns.count(ns)) for ns in set(values_ns))
        return hdr.encode(tuple(counts), 1, 10_000_000_000, 2).decode()

    assert delay_variation(FlowCounts()) is None
    both = FlowCounts(more_max_ns=12_300, less_max_ns=100, more_hdrh_ns=text(2, 2, 12_300), less_hdrh_ns=text(50, 100))
    assert delay_variation(both) == DelayVariation(5, -0.1, 0.002, 12.3)
    falls = FlowCounts(less_max_ns=100, less_hdrh_ns=text(50, 60, 100))
    assert delay_variation(falls) == DelayVariation(3, -0.1, -0.06, -0.05)
