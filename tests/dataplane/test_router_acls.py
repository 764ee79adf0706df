"""ACLs in the real router: passed frames, and counters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from router_run import (
    CROSSED,
    HOST0,
    HOST1,
    INTERFACES,
    ROUTER0,
    RouterProcess,
    assert_conserved,
    route,
    write_pcap,
)
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from shared_router import shared

from wirespeed.errors import WirespeedError

ROUTED = f"""\
{INTERFACES}set interface ip address e0 100.64.1.1/30
set interface ip address e1 100.64.2.1/30
set interface ip address e0 2001:db8:1::1/64
set interface ip address e1 2001:db8:2::1/64
ip neighbor e1 100.64.2.2 {HOST1}
ip neighbor e1 2001:db8:2::2 {HOST1}
ip route add 48.0.0.0/8 via 100.64.2.2
ip route add 2001:db8:48::/48 via 2001:db8:2::2
"""
RULES = (
    "set acl-plugin acl deny src 16.0.0.66/32 dst 0.0.0.0/0 proto 0, "
    "permit src 16.0.0.0/8 dst 48.0.0.0/8 proto 17 sport 0-65535 dport 53, "
    "permit src 16.0.0.0/8 dst 48.0.0.0/8 proto 6 sport 1024-65535 dport 80-443 tcpflags 2 mask 18, "
    "permit src 0.0.0.0/0 dst 0.0.0.0/0 proto 1 sport 8-8 dport 0-255, "
    "permit src 2001:db8:16::/48 dst ::/0 proto 58 sport 128-129 dport 0-255 tag edge\n"
)


def frame(*layers: object) -> bytes:
    built = Ether(src=HOST0, dst=ROUTER0)
    for layer in layers:
        built = built / layer
    return bytes(built)


def ip4(upper: object, source: str = "16.0.0.1", **fields: int) -> bytes:
    return frame(IP(src=source, dst="48.0.0.1", id=1, **fields), upper)


DNS = ip4(UDP(sport=5, dport=53) / b"query")
FRAGMENT = ip4(b"x" * 24, proto=17, frag=100)
SYN = ip4(TCP(sport=1024, dport=443, flags="S"))
PING = ip4(ICMP(type=8), source="17.0.0.1")
PING6 = frame(IPv6(src="2001:db8:16::1", dst="2001:db8:48::1"), ICMPv6EchoRequest())
PERMITTED = [DNS, FRAGMENT, SYN, PING, PING6]
DENIED_BY_RULE = [ip4(UDP(sport=5, dport=53), source="16.0.0.66")]
FITTING_NONE = [
    ip4(UDP(sport=5, dport=54)),
    ip4(TCP(sport=1024, dport=443, flags="SA")),
    ip4(TCP(sport=1023, dport=443, flags="S")),
    ip4(ICMP(type=13)),
    ip4(b"", proto=17),  # ends before its ports
    frame(IPv6(src="2001:db8:17::1", dst="2001:db8:48::1"), ICMPv6EchoRequest()),
]
FRAMES = [frame for pair in zip(PERMITTED, DENIED_BY_RULE * 5, FITTING_NONE, strict=False) for frame in pair]
FRAMES.append(FITTING_NONE[-1])


def behind_ethernet(frames: Sequence[bytes]) -> list[bytes]:
    """Addresses of the IP header and everything after it, which routing does not change."""
    return sorted(one[14 + 12 :] if one[12:14] == b"\x08\x00" else one[14 + 8 :] for one in frames)


@pytest.mark.parametrize(("where", "config"), [("e0 input", ROUTED), ("e0 input", CROSSED), ("e1 output", CROSSED)])
def test_the_first_rule_that_fits_decides(tmp_path: Path, where: str, config: str) -> None:
    settings = f"{config}{RULES}set acl-plugin interface {where} acl 0\n"
    outcome = route(tmp_path, settings, FRAMES, [], ask=["show acl-plugin acl verbose", "show acl-plugin interface"])
    assert_conserved(outcome)
    # A cross-connect passes frames unchanged and in order; routing keeps the order within each family.
    assert behind_ethernet(outcome.frames[1]) == behind_ethernet(PERMITTED)
    shown, applied = outcome.answers
    lines = shown.splitlines()
    assert lines[0] == "acl-index 0 count 5 tag {edge}"
    assert lines[1].startswith(
        "          0: ipv4 deny src 16.0.0.66/32 dst 0.0.0.0/0 proto 0 sport 0-65535 dport 0-65535"
    )
    assert [int(line.split(" packets ")[1].split()[0]) for line in lines[1:6]] == [5, 2, 1, 1, 1]
    assert lines[2].endswith(f" bytes {sum(map(len, (DNS, FRAGMENT))) - 28 * (config is ROUTED)}")
    direction = where.split()[1]
    number = 1 if where.startswith("e0") else 2
    assert lines[6] == f"  applied {'inbound' if direction == 'input' else 'outbound'} on sw_if_index: {number}"
    assert applied == f"sw_if_index {number}:\n  {direction} acl(s): 0\n"
    sums = dict.fromkeys(("ACL deny packets", "ACL deny packets: no rule fits"), 0)
    for name, count in outcome.counters.items():
        node, _, reason = name.partition(": ")
        if "acl-plugin" in node and reason in sums:
            sums[reason] += count
    assert list(sums.values()) == [5, 6]


def test_output_acls_of_a_routed_port(tmp_path: Path) -> None:
    settings = f"{ROUTED}{RULES}set acl-plugin interface e1 output acl 0\n"
    outcome = route(tmp_path, settings, FRAMES, [])
    assert_conserved(outcome)
    assert behind_ethernet(outcome.frames[1]) == behind_ethernet(PERMITTED)


def test_what_is_not_ip_passes_and_tags_hide_nothing(tmp_path: Path) -> None:
    arp = bytes(Ether(src=HOST0, dst="ff:ff:ff:ff:ff:ff") / ARP(psrc="10.0.0.1", pdst="10.0.0.2"))
    tagged = [
        bytes(Ether(src=HOST0, dst=HOST1) / Dot1Q(vlan=7) / IP(src="16.0.0.1", dst=to) / UDP(dport=9))
        for to in ("1.1.1.1", "1.1.1.2")
    ]
    rules = "set acl-plugin acl deny dst 1.1.1.1/32 proto udp, permit\nset acl-plugin interface e0 input acl 0\n"
    outcome = route(tmp_path, CROSSED + rules, [arp, *tagged], [])
    assert outcome.frames[1] == [arp, tagged[1]]


def test_several_acls_are_asked_in_order_and_neighbors_are_found(tmp_path: Path) -> None:
    """Output ACLs without an IPv6 rule do not apply to the router's own neighbor discovery."""
    config = (
        ROUTED.replace(f"ip neighbor e1 2001:db8:2::2 {HOST1}\n", "")
        + "set acl-plugin acl permit dst 48.0.0.1/32\nset acl-plugin acl deny\n"
        + "set acl-plugin interface e1 output acl 0\nset acl-plugin interface e1 output acl 1\n"
    )
    outcome = route(tmp_path, config, [DNS, PING6], [], ask=["show acl-plugin interface e1"])
    assert outcome.answers == ["sw_if_index 2:\n  output acl(s): 0, 1\n"]
    kinds = {bytes(one[12:14]) for one in outcome.frames[1]}
    assert kinds == {b"\x08\x00", b"\x86\xdd"}


MISTAKES = [
    ("set acl-plugin acl allow", "unknown word 'allow'; give one of deny, permit, permit+reflect"),
    ("set acl-plugin acl permit src 300.0.0.0/8", "'300.0.0.0/8' is not a prefix"),
    ("set acl-plugin acl permit src 1.0.0.0/8 dst ::/0", "rule 0 has prefixes of two families"),
    ("set acl-plugin acl permit, deny sport 80", "rule 1 has ports, or ICMP types, but protocol 0"),
    ("set acl-plugin acl permit proto 6 dport 80-79", "its port range goes from high to low; give the lower port"),
    ("set acl-plugin acl permit proto 17 tcpflags 2 mask 2", "rule 0 has TCP flags, but protocol 17"),
    ("set acl-plugin session timeout udp idle 0", "an idle timeout of 0 s cannot be set; give 1 to 16777216 s"),
    ("set acl-plugin session table max-entries 0", "0 sessions cannot be set; give 1 to 16777216"),
    ("set acl-plugin acl permit index 7", "there is no ACL 7"),
    ("set acl-plugin acl permit,", "rule 1 is empty"),
    ("set acl-plugin acl permit src 1.0.0.0/33", "'1.0.0.0/33' is not a prefix"),
    ("set acl-plugin acl permit dst 2001:db8::/129", "'2001:db8::/129' is not a prefix"),
    ("set acl-plugin acl permit proto 6 dport 65536", "'65536' is not a port or range"),
    ("set acl-plugin acl permit proto 47 sport 1", "rule 0 has ports, or ICMP types, but protocol 47"),
    ("set acl-plugin acl permit proto 256", "proto '256' is not a number from 0 to 255"),
    ("set acl-plugin acl permit proto 6 tcpflags 2", "tcpflags and mask need each other"),
    (f"set acl-plugin acl permit tag {'t' * 64}", "the tag is too long; give at most 63 bytes"),
    ("set acl-plugin acl permit index 1024", "there is no ACL 1024"),
    ("set acl-plugin interface loop0 output acl 0", "loop0 sends nothing by itself; give its ports the output ACLs"),
    ("set acl-plugin interface e9 input acl 0", "'e9'"),
    ("set acl-plugin interface e0 both acl 0", "'both'"),
    ("set acl-plugin session table max-entries 5", "the table of sessions has its size, 500000"),
    ("show acl-plugin acl index 9", "there is no ACL 9"),
    ("delete acl-plugin acl index 9", "there is no ACL 9"),
    ("set acl-plugin interface e0 input acl 3", "there is no ACL 3"),
    ("set acl-plugin interface e0 input acl 0", "ACL 0 is named twice"),
    ("set acl-plugin interface e1 input acl 0 del", "no ACL 0 in that direction"),
    ("delete acl-plugin acl index 0", "ACL 0 is in use on e0; take it from there first"),
]


def told(running: RouterProcess, line: str) -> str:
    """Without the times."""
    return re.sub("now: .*", "", running.ask(line))


def test_bounds_are_kept_and_what_is_there_stays(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [])
    ports = [f"{name}=pcap:{tmp_path}/in.pcap,{tmp_path}/{name}.pcap" for name in ("e0", "e1")]
    lines = "".join(f"set acl-plugin acl permit src 10.{i // 256}.{i % 256}.0/24\n" for i in range(1024))
    with shared(tmp_path, ports, CROSSED + lines) as running:
        with pytest.raises(WirespeedError, match="there are 1024 ACLs, which is the most; delete one"):
            running.ask("set acl-plugin acl permit")
        for acl in range(128):
            running.ask(f"set acl-plugin interface e0 output acl {acl}")
        with pytest.raises(WirespeedError, match="129 ACLs; an interface takes at most 128 in a direction"):
            running.ask("set acl-plugin interface e0 output acl 128")
        assert running.ask("show acl-plugin interface e0").endswith(", 126, 127\n")
        assert running.ask("show acl-plugin acl").count("acl-index") == 1024


def test_replacing_deleting_and_mistakes(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [])
    ports = [f"{name}=pcap:{tmp_path}/in.pcap,{tmp_path}/{name}.pcap" for name in ("e0", "e1")]
    with shared(tmp_path, ports, CROSSED) as running:
        assert running.ask("set acl-plugin acl permit+reflect tag a") == "ACL index:0\n"
        running.ask("set acl-plugin interface e0 input acl 0")
        running.ask("create loopback interface")
        asked = (
            "show acl-plugin acl",
            "show acl-plugin interface",
            "show features",
            "show acl-plugin sessions",
        )
        before = [told(running, line) for line in asked]
        for line, why in MISTAKES:
            with pytest.raises(WirespeedError) as error:
                running.ask(line)
            assert why in str(error.value), line
            assert "\n" not in str(error.value), line
            assert [told(running, one) for one in asked] == before, line
        assert running.ask("set acl-plugin acl deny src ::/0 dst ::/0 index 0 tag b") == "ACL index:0\n"
        assert running.ask("show acl-plugin acl").splitlines() == [
            "acl-index 0 count 1 tag {b}",
            "          0: ipv6 deny src ::/0 dst ::/0 proto 0 sport 0-65535 dport 0-65535",
            "  applied inbound on sw_if_index: 1",
        ]
        assert "acl-plugin-in-l2" in running.ask("show vlib graph acl-plugin-in-l2")
        running.ask("set acl-plugin interface e0 input acl 0 del")
        running.ask("delete acl-plugin acl index 0")
        assert running.ask("show acl-plugin acl") == running.ask("show acl-plugin interface") == ""
