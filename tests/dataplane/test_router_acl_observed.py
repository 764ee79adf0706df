"""Replies that pass reflecting rules, frame by frame; and ACLs in traces and statistics."""

from __future__ import annotations

import re
from pathlib import Path

from harness.waiting import wait_for
from router_run import CROSSED, HOST0, HOST1, RouterProcess, assert_conserved, route, router, write_pcap
from scapy.layers.inet import GRE, ICMP, IP, TCP, UDP, IPerror, UDPerror
from scapy.layers.inet6 import ICMPv6DestUnreach, ICMPv6EchoReply, ICMPv6EchoRequest, IPerror6, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from test_router_statistics import total
from vpp_papi.vpp_stats import VPPStats

from wirespeed.statseg.segment import StatsSegment

GUARDED = (
    "set acl-plugin acl deny src 16.0.0.66/32, permit+reflect src 16.0.0.0/8 dst 48.0.0.0/8, "
    "permit+reflect src 2001:db8:16::/48 dst ::/0 tag in\n"
    "set acl-plugin acl permit proto udp dport 7 tag out\n"
    "set acl-plugin interface e0 input acl 0\nset acl-plugin interface e0 output acl 1\n"
)


def inside(upper: Packet, source: str = "16.0.0.1", **fields: int) -> bytes:
    return bytes(Ether(src=HOST0, dst=HOST1) / IP(src=source, dst="48.0.0.1", id=1, **fields) / upper)


def outside(upper: Packet, target: str = "16.0.0.1", **fields: int) -> bytes:
    return bytes(Ether(src=HOST1, dst=HOST0) / IP(src="48.0.0.1", dst=target, id=2, **fields) / upper)


def inside6(upper: Packet) -> bytes:
    return bytes(Ether(src=HOST0, dst=HOST1) / IPv6(src="2001:db8:16::1", dst="2001:db8:48::1") / upper)


def outside6(upper: Packet) -> bytes:
    return bytes(Ether(src=HOST1, dst=HOST0) / IPv6(src="2001:db8:48::1", dst="2001:db8:16::1") / upper)


ASKED = [
    inside(UDP(sport=1024, dport=53) / b"query"),
    inside(TCP(sport=1025, dport=443, flags="S")),
    inside(ICMP(type=8, id=7, seq=1)),
    inside(GRE() / Raw(bytes(20))),
    inside6(UDP(sport=1024, dport=53) / b"query"),
    inside6(ICMPv6EchoRequest(id=7, seq=1)),
]
ANSWERS = [
    outside(UDP(sport=53, dport=1024) / b"answer"),
    outside(TCP(sport=443, dport=1025, flags="SA")),
    outside(ICMP(type=0, id=7, seq=1)),
    outside(GRE() / Raw(bytes(20))),
    outside6(UDP(sport=53, dport=1024) / b"answer"),
    outside6(ICMPv6EchoReply(id=7, seq=1)),
]
PERMITTED = [outside(UDP(sport=9, dport=7) / b"echo")]
UNASKED = [
    outside(UDP(sport=53, dport=1025) / b"another port"),
    outside(TCP(sport=1025, dport=443, flags="SA")),  # ports exchanged
    outside(ICMP(type=0, id=8, seq=1)),
    outside(ICMP(type=8, id=7, seq=1)),  # a new request
    outside(GRE() / Raw(bytes(20)), target="16.0.0.2"),
    outside(Raw(bytes(32)), proto=6, frag=3),  # a later fragment belongs to no session
    outside(ICMP(type=3, code=3) / IPerror(src="16.0.0.1", dst="48.0.0.1") / UDPerror(sport=1024, dport=53)),
    outside6(UDP(sport=54, dport=1024) / b"another port"),
    outside6(ICMPv6EchoReply(id=8, seq=1)),
    outside6(ICMPv6DestUnreach() / IPerror6(src="2001:db8:16::1", dst="2001:db8:48::1")),
]
DENIED = [inside(UDP(sport=1, dport=53) / b"x", source="16.0.0.66")]


def test_what_was_asked_for_comes_back_and_nothing_else(tmp_path: Path) -> None:
    mixed = [frame for pair in zip(UNASKED, ANSWERS + PERMITTED * 4, strict=True) for frame in pair]
    outcome = route(tmp_path, CROSSED + GUARDED, [*ASKED, *DENIED], mixed, ask=["show acl-plugin acl verbose"])
    assert_conserved(outcome)
    assert outcome.frames[1] == ASKED
    assert outcome.frames[0] == ANSWERS + PERMITTED * 4
    counted = [int(count) for count in re.findall(r" packets (\d+) ", outcome.answers[0])]
    assert counted == [1, 4, 2, 4]
    assert outcome.counters["e0-acl-plugin-out: ACL deny packets: no rule fits"] == len(UNASKED)
    assert outcome.counters["acl-plugin-in-l2: ACL deny packets"] == 1


def decisions(shown: str) -> list[tuple[str, str]]:
    """The nodes of ACLs in a trace, each with the line of its decision."""
    found, node = [], ""
    for line in shown.splitlines():
        if entered := re.fullmatch(r"[\d:]+: (\S+)", line):
            node = entered[1]
        elif line.startswith("  acl-plugin: "):
            found.append((node, line.removeprefix("  acl-plugin: ")))
    return found


def test_a_trace_tells_what_became_of_each_packet(tmp_path: Path) -> None:
    bounded = "set acl-plugin session table max-entries 1\n"
    config = CROSSED + bounded + GUARDED + "trace add dpdk-input 100\n"
    runt = ASKED[0][: 14 + 12]
    sent = [DENIED[0], ASKED[0], ASKED[1], ASKED[0], inside(UDP(), source="17.0.0.1"), runt]
    outcome = route(tmp_path, config, sent, [ANSWERS[0], UNASKED[0], PERMITTED[0]], ask=["show trace"], fresh=True)
    assert decisions(outcome.answers[0]) == [
        (node, f"sw_if_index 1, next index {line}")
        for node, line in (
            ("acl-plugin-in-l2", "1, action: 0, match: acl 0 rule 0 trace_bits 00000000 (deny, no session)"),
            ("acl-plugin-in-l2", "0, action: 2, match: acl 0 rule 1 trace_bits 00000000 (permit+reflect, new session)"),
            (
                "acl-plugin-in-l2",
                "1, action: 2, match: acl 0 rule 1 trace_bits 00000000 (permit+reflect, no room for a session)",
            ),
            ("acl-plugin-in-l2", "0, action: 1, match: acl -1 rule 1 trace_bits 80000000 (permit, existing session)"),
            ("acl-plugin-in-l2", "1, action: 0, match: acl -1 rule -1 trace_bits 00000000 (deny, no rule fits)"),
            ("acl-plugin-in-l2", "1, action: 0, match: acl -1 rule -1 trace_bits 00000000 (deny, no whole IP header)"),
            ("e0-acl-plugin-out", "0, action: 1, match: acl -1 rule 1 trace_bits 80000000 (permit, existing session)"),
            ("e0-acl-plugin-out", "1, action: 0, match: acl -1 rule -1 trace_bits 00000000 (deny, no rule fits)"),
            ("e0-acl-plugin-out", "0, action: 1, match: acl 1 rule 0 trace_bits 00000000 (permit, no session)"),
        )
    ]
    assert outcome.frames == [[ANSWERS[0], PERMITTED[0]], [ASKED[0], ASKED[0]]]


def ports(directory: Path, *sent: list[bytes]) -> list[str]:
    for number, frames in enumerate(sent):
        write_pcap(directory / f"in{number}.pcap", frames)
    return [f"e{i}=pcap:{directory}/in{i}.pcap,{directory}/out{i}.pcap" for i in range(len(sent))]


def matches(stats: StatsSegment, acl: int) -> tuple[tuple[int, ...], ...]:
    name = f"/acl/{acl}/matches"
    return stats.read([f"^{name}$"])[name].columns


def sessions(stats: StatsSegment) -> dict[str, int]:
    found = stats.read(["^/acl/sessions/"])
    return {name.rpartition("/")[2]: reading.total[0] for name, reading in found.items()}


def wait_for_sessions(running: RouterProcess, stats: StatsSegment, **wanted: int) -> None:
    """The main thread writes them a few times per second."""
    whole = {"created": 0, "active": 0, "expired": 0, "deleted": 0, "refused": 0, "hits": 0, **wanted}
    wait_for(lambda: bool(running.ask("show version")) and sessions(stats) == whole, f"{whole}")


def test_statistics_count_each_rule_and_sessions(tmp_path: Path) -> None:
    wires = ports(tmp_path, [*ASKED, *DENIED], [*ANSWERS, *UNASKED, *PERMITTED])
    with router(tmp_path, wires, CROSSED + GUARDED) as running, StatsSegment(tmp_path / "router.stats") as stats:
        wait_for(lambda: total(stats, "/sys/rx") == 7 + 17, "all packets")
        wait_for_sessions(running, stats, created=6, active=6, hits=6)
        of_family = [[len(frame) for frame in ASKED if frame[12:14] == kind] for kind in (b"\x08\x00", b"\x86\xdd")]
        assert matches(stats, 0) == ((1, len(DENIED[0])), *((len(sizes), sum(sizes)) for sizes in of_family))
        assert matches(stats, 1) == ((1, len(PERMITTED[0])),)
        reader = VPPStats(str(tmp_path / "stats.sock"))
        reader.connect()
        assert reader["/acl/0/matches"][:, 1].sum_packets() == len(of_family[0])
        reader.disconnect()
        running.ask("clear acl-plugin sessions")
        wait_for_sessions(running, stats, created=6, deleted=6, hits=6)
        # New rules count from 0; names of removed rules disappear.
        running.ask("set acl-plugin acl permit, permit, permit, permit, permit index 0")
        assert matches(stats, 0) == ((0, 0),) * 5
        running.ask("set acl-plugin interface e0 output acl 1 del")
        running.ask("delete acl-plugin acl index 1")
        assert stats.names(["^/acl/[0-9]"]) == ["/acl/0/matches"]
        running.ask("set acl-plugin acl deny, deny")
        assert matches(stats, 1) == ((0, 0),) * 2


def test_statistics_that_may_take_no_more_refuse_the_acl_whole(tmp_path: Path) -> None:
    """`statseg { size }` also limits the memory for rules."""
    (tmp_path / "startup.conf").write_text("statseg { size 8M }\n")
    many = ",".join(["permit"] * 9000)
    with router(tmp_path, ports(tmp_path, [], []), CROSSED, "--config", str(tmp_path / "startup.conf")) as running:
        running.ask("set acl-plugin acl permit")
        try:
            for _ in range(16):
                running.ask(f"set acl-plugin acl {many}")
        except Exception as error:
            assert "statseg { size } allows 8192 kB; allow more" in str(error)
        else:
            raise AssertionError("there was room for all")
        running.ask("set acl-plugin acl permit index 0")
