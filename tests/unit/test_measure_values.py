"""Pure parts of a measurement: sent loads, servers' answers, owners of ports."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st
from scapy.contrib.lldp import LLDPDU  # noqa: F401 - binds the ether type
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6DestUnreach, ICMPv6EchoRequest, ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet

from wirespeed.client.readings import PortStats, PortStatus
from wirespeed.errors import UsageError
from wirespeed.generator import hdr
from wirespeed.profiles import load_profile
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutTelemetry, WorkerCost
from wirespeed.trial.directions import check_directions, pair_directions, parse_directions, parse_ports
from wirespeed.trial.frame_kinds import frame_kind, kinds_sent
from wirespeed.trial.guard import links_lost, why_begun_anew, why_not_ours
from wirespeed.trial.latency import LatencyReading, latency_between, latency_reading
from wirespeed.trial.load import load_of, payload_at
from wirespeed.trial.machine import is_local, is_virtual, machine_reading, preemption_between
from wirespeed.trial.reading import TrialReading
from wirespeed.units import Rate

# ---- wires


def test_pairs_and_wires() -> None:
    assert pair_directions() == (Channel(0, 1), Channel(1, 0))
    assert pair_directions(parse_ports("2,3")) == (Channel(2, 3), Channel(3, 2))
    assert pair_directions(parse_ports("0,1,4,5")) == (Channel(0, 1), Channel(4, 5), Channel(1, 0), Channel(5, 4))
    assert pair_directions((2, 3), "3-2") == (Channel(3, 2),)
    assert parse_directions("0>1,1>2, 2>0") == (Channel(0, 1), Channel(1, 2), Channel(2, 0))


def test_a_ring_of_three_ports_is_fine_and_two_into_one_need_their_marks() -> None:
    check_directions(parse_directions("0>1,1>2,2>0"), has_signature=False)
    check_directions(parse_directions("0>2,1>2"), has_signature=True)
    with pytest.raises(UsageError, match="--signature"):
        check_directions(parse_directions("0>2,1>2"), has_signature=False)
    with pytest.raises(UsageError, match="port 0 is to send to port 1 and to port 2"):
        check_directions(parse_directions("0>1,0>2"), has_signature=True)


# ---- frames

ETHER = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
KINDS: list[tuple[Packet, str | None]] = [
    (ETHER / IP() / UDP() / (b"x" * 30), None),
    (ETHER / IP() / ICMP(), None),
    (ETHER / IP() / ICMP(type=3), "icmp_error"),
    (ETHER / Dot1Q(vlan=5) / Dot1Q(vlan=6) / IP() / ICMP(type=11), "icmp_error"),
    (ETHER / IPv6() / ICMPv6EchoRequest(), None),
    (ETHER / IPv6() / ICMPv6DestUnreach(), "icmp6_error"),
    (ETHER / IPv6() / ICMPv6ND_NS(), "nd"),
    (ETHER / ARP(), "arp"),
    (Ether(dst="01:80:c2:00:00:0e", type=0x88CC) / b"\x02\x07", "lldp"),
    (Ether(dst="01:80:c2:00:00:00", type=0x0026) / b"BB\x03", "control"),
]


@pytest.mark.parametrize(("frame", "kind"), KINDS)
def test_frames_that_no_load_consists_of_are_known_by_kind(frame: Packet, kind: str | None) -> None:
    assert frame_kind(bytes(frame)) == kind


@given(st.binary(max_size=80))
def test_any_frame_has_a_kind_or_none(frame: bytes) -> None:
    assert frame_kind(frame) in (None, "icmp_error", "icmp6_error", "nd", "arp", "lldp", "control")


def test_payloads_are_found_behind_the_headers() -> None:
    assert payload_at(bytes(ETHER / IP() / UDP())) == 42
    assert payload_at(bytes(ETHER / Dot1Q() / IP() / TCP(options=[("MSS", 1460)]))) == 18 + 20 + 24
    assert payload_at(bytes(ETHER / IPv6() / UDP())) == 62
    assert payload_at(bytes(ETHER / ARP())) is None


# ---- loads

BENCH = load_profile("bench", {"size": "64", "vm": "var2"}, 0, 0)


def stream_of(packet: bytes, **changes: Any) -> dict[str, Any]:
    stream = {**BENCH[0]["stream"], "vm": {"instructions": []}, **changes}
    return {"stream_id": 1, "stream": stream | {"packet": {"binary": base64.b64encode(packet).decode(), "meta": ""}}}


def test_a_load_is_what_the_profile_sends_unless_told() -> None:
    load = load_of({0: BENCH})
    assert load.ports[0].streams == tuple(BENCH)
    assert (load.ports[0].latency, load.has_signature, load.kinds) == (None, False, frozenset())
    assert load.ports[0].intended(Rate(5, "pps"), 10e9) == Rate(5, "pps")


def test_a_latency_stream_is_of_one_flow_and_has_a_group_and_a_number_of_its_own() -> None:
    load = load_of({0: BENCH, 1: load_profile("bench", {"size": "64"}, 1, 1)}, latency_pps=500)
    groups = []
    for port in (0, 1):
        *profile, probe = load.ports[port].streams
        flow = probe["stream"]["flow_stats"]
        assert (flow["rule_type"], flow["enabled"]) == ("latency", True)
        assert probe["stream"]["vm"] == {"instructions": []}
        assert probe["stream"]["mode"] == {"type": "continuous", "rate": {"type": "pps", "value": 500}}
        assert probe["stream_id"] not in [one["stream_id"] for one in profile]
        groups.append(flow["stream_id"])
    assert len(set(groups)) == 2
    assert load.ports[0].mix.mean_frame_bytes == 64


def test_a_latency_stream_comes_on_top_as_far_as_the_line_has_room() -> None:
    load = load_of({0: BENCH}, latency_pps=1000).ports[0]
    assert load.intended(Rate(1000, "pps"), 10e9) == Rate(2000, "pps")
    assert load.intended(Rate(1000, "pps"), None) == Rate(2000, "pps")
    assert load.intended(Rate(50, "percentage"), 10e9).value == pytest.approx(50 + 672e3 / 10e9 * 100)
    assert load.intended(Rate(1e9, "bpsl1"), 10e9) == Rate(1e9 + 672e3, "bpsl1")
    assert load.intended(Rate(1e9, "bps"), 10e9) == Rate(1e9 + 512e3, "bps")
    assert load.intended(Rate(100, "percentage"), 10e9) == Rate(10e9, "bpsl1")


def test_marks_are_in_the_payload_where_it_has_room_and_else_in_the_header() -> None:
    roomy, tight = bytes(ETHER / IP() / UDP() / (b"x" * 18)), bytes(ETHER / IP() / TCP())
    for packet, signed in ((roomy, True), (tight, False)):
        port = load_of({0: [stream_of(packet)]}, signature=True).ports[0]
        flow = port.streams[0]["stream"]["flow_stats"]
        assert (flow["rule_type"], flow.get("payload_signature", False)) == ("stats", signed)
        assert port.groups == (flow["stream_id"],)
        assert port.numbered == signed
    assert "payload_signature" not in stream_of(roomy)["stream"]["flow_stats"], "the profile's own were changed"


def test_groups_of_the_profile_are_left_alone_and_all_of_a_port_are_its_own() -> None:
    latency = {"enabled": True, "stream_id": 0x5000, "rule_type": "latency"}
    items = [BENCH[0], {"stream_id": 2, "stream": {**BENCH[0]["stream"], "flow_stats": latency}}]
    port = load_of({0: items}, latency_pps=100, signature=True).ports[0]
    groups = [item["stream"]["flow_stats"]["stream_id"] for item in port.streams]
    assert groups[1] == 0x5000
    assert len(set(groups)) == 3
    assert set(port.groups) == set(groups)


def test_what_cannot_be_marked_or_timed_is_refused_with_a_reason() -> None:
    arp = {0: [stream_of(bytes(ETHER / ARP()))]}
    with pytest.raises(UsageError, match="--signature cannot tell stream 1"):
        load_of(arp, signature=True)
    with pytest.raises(UsageError, match="--latency needs 16 bytes"):
        load_of(arp, latency_pps=1)
    assert load_of(arp).kinds == kinds_sent(arp[0]) == {"arp"}


# ---- latency


def told_by_us(values_ns: list[int], **more: Any) -> dict[str, Any]:
    """As reported by wirespeed's generator: nanoseconds, in its own encoding."""
    counts: dict[int, int] = {}
    for value in values_ns:
        index = hdr.index_of(value, 7)
        counts[index] = counts.get(index, 0) + 1
    text = hdr.encode(tuple(sorted(counts.items())), 1, 10_000_000_000, 2).decode()
    times = {"total_min": min(values_ns) / 1000, "total_max": max(values_ns) / 1000, "jit": 0.5, "hdrh_ns": text}
    return {"lat": times, **more}


@given(
    st.lists(st.integers(100, 10**8), min_size=1, max_size=50),
    st.lists(st.integers(100, 10**8), min_size=1, max_size=50),
)
def test_latency_of_an_interval_is_that_of_its_own_packets(first: list[int], second: list[int]) -> None:
    before = latency_reading(told_by_us(first, er={"drp": 2}))
    after = latency_reading(told_by_us(first + second, er={"drp": 5, "dup": 1}))
    found = latency_between(before, after)
    assert found is not None
    assert (found.packets, found.lost, found.duplicates) == (len(second), 3, 1)
    assert found.min_us <= found.average_us <= found.max_us
    assert found.min_us == pytest.approx(min(second) / 1000, rel=0.02)
    assert found.max_us == pytest.approx(max(second) / 1000, rel=0.02)
    assert found.average_us == pytest.approx(sum(second) / len(second) / 1000, rel=0.02)
    assert found.percentiles["50"] == pytest.approx(sorted(second)[(len(second) - 1) // 2] / 1000, rel=0.02)
    assert list(found.percentiles) == ["50", "90", "99", "99.9", "99.99"]
    assert HdrHistogram.decode(found.hdr).get_total_count() == len(second)


def test_an_interval_without_packets_has_no_latency_and_a_new_count_begins_anew() -> None:
    reading = latency_reading(told_by_us([1000, 2000]))
    assert latency_between(reading, reading) is None
    assert latency_between(reading, None) is None
    fresh = latency_between(reading, latency_reading(told_by_us([5000])))
    assert fresh is not None
    assert (fresh.packets, fresh.min_us) == (1, 5.0)


def test_a_trex_tells_microseconds_or_a_coarse_histogram() -> None:
    histogram = HdrHistogram(1, 10_000_000, 2)
    histogram.record_value(50, 3)
    fine = latency_reading({"lat": {"hdrh": histogram.encode().decode(), "total_min": 50, "total_max": 50, "jit": 0}})
    assert dict(fine.counts) == {50_000: 3}
    coarse = latency_reading({"lat": {"histogram": {"0": 5, "10": 2}, "total_min": 1, "total_max": 12, "jit": 0}})
    found = latency_between(LatencyReading(), coarse)
    assert found is not None
    assert (found.packets, found.min_us, found.max_us) == (7, 1, 12)


# ---- machine


def worker(absent_s: float, absences: int, longest_s: float) -> dict[str, Any]:
    """A worker in a reply of an older generator."""
    return {"cpu": 0, "absent_s": absent_s, "absences": absences, "longest_absent_s": longest_s}


def test_steal_and_absence_are_deltas_of_the_worst_worker() -> None:
    before = machine_reading(
        {"ts": 1, "steal_s": 5.0, "cpus": 2, "workers": [worker(1.0, 3, 0.5), worker(2.0, 1, 2.0)]}
    )
    after = machine_reading({"ts": 2, "steal_s": 5.5, "cpus": 2, "workers": [worker(1.9, 5, 0.8), worker(2.1, 2, 2.0)]})
    dut = DutTelemetry(1.0, (WorkerCost("w", 1, 1.0, 1, 1, 1, (), 0.25, 0.125),))
    found = preemption_between(before, after, dut)
    assert found is not None
    assert (found.steal_s, found.cpus) == (0.5, 2)
    assert found.tester_preempted_s == pytest.approx(0.9)
    assert found.tester_longest_preemption_s == 0.8
    assert (found.dut_preempted_s, found.dut_longest_preemption_s) == (0.25, 0.125)


def test_an_absence_that_is_no_record_is_at_most_all_that_was_lost() -> None:
    before, after = (machine_reading({"workers": [worker(absent, n, 2.0)]}) for absent, n in ((2.0, 1), (2.1, 2)))
    found = preemption_between(before, after)
    assert found is not None
    assert found.tester_longest_preemption_s == pytest.approx(0.1)


def test_where_nobody_tells_there_is_no_moment() -> None:
    assert preemption_between(machine_reading(None), machine_reading(None), DutTelemetry()) is None


def test_servers_of_this_machine_are_known_by_their_address() -> None:
    assert is_local("127.0.0.1:4501") and is_local("[::1]:4501") and not is_local("10.0.0.1:4501")


def test_virtual_machines_are_known_by_the_cpus_flag_or_the_names_of_the_board() -> None:
    assert is_virtual("processor : 0\nflags : fpu sse2 hypervisor lahf_lm\n")
    assert is_virtual("flags : fpu sse2\n", "QEMU", "Standard PC")
    assert is_virtual("", "Amazon EC2", "m5.metal") and is_virtual("", "Microsoft Corporation", "Virtual Machine")
    assert not is_virtual("flags : fpu sse2\n", "Supermicro", "Super Server")
    assert not is_virtual("")


# ---- owners of ports


def status(owner: str = "us", state: str = "TX", up: bool = True, losses: int | None = None) -> PortStatus:
    return PortStatus(3, owner, state, up, 10e9, link_losses=losses)


@pytest.mark.parametrize(
    ("seen", "refused", "sends", "words"),
    [
        (status(), None, True, None),
        (status(state="STREAMS"), None, False, None),
        (status(state="DOWN", up=False), None, True, None),
        (status(owner="thief"), "port is not owned by you", True, "port 3 was lost during the test: 'thief' took it"),
        (status(), "port is not owned by you", True, "port 3 was lost during the test: port is not owned by you"),
        (status(owner=""), "please acquire", True, "port 3 was lost during the test: it was released"),
        (status(state="STREAMS"), "wrong state", True, "port 3 stopped sending during the test: its state is STREAMS"),
        (status(state="PAUSE"), None, True, "port 3 stopped sending"),
    ],
)
def test_whether_a_port_is_still_ours(seen: PortStatus, refused: str | None, sends: bool, words: str | None) -> None:
    why = why_not_ours(seen, refused, user="us", sends=sends)
    assert (why is None) if words is None else (why is not None and why.startswith(words))


def test_counters_that_shrink_and_links_that_went() -> None:
    stats = PortStats(5, 5, 5, 5, 0, 0)
    before, after = TrialReading(0, {0: stats}), TrialReading(1, {0: PortStats(6, 4, 6, 6, 0, 0)})
    assert why_begun_anew(before, before) is None
    assert "counters of port 0 began again at 0" in (why_begun_anew(before, after) or "")
    assert links_lost({}, {3: status(up=False), 4: status()}, {3, 4}) == (3,)


def test_a_link_that_was_lost_between_two_looks_is_noticed_where_it_is_counted() -> None:
    before = {3: status(losses=1), 4: status(losses=1), 5: status()}
    now = {3: status(losses=1), 4: status(losses=2), 5: status(), 6: status(losses=7)}
    assert links_lost(before, now, {3, 4, 5, 6}) == (4,)
    assert links_lost(before, now, {3}) == ()
