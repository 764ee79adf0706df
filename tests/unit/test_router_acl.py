"""The commands of access lists and their sessions, on a core that forwards nothing."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import pytest
from fake_router import TSC_HZ, FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.router.features.acl.core import (
    AclAction,
    AclCount,
    AclRule,
    AclSession,
    AclSessionCounters,
    AclSessionSettings,
)

ALL4, ALL6 = IPv4Network("0.0.0.0/0"), IPv6Network("::/0")
OFFICE = IPv4Network("16.0.0.0/8")
TWO_RULES = "permit+reflect src 16.0.0.0/8 proto udp dport 53, deny src ::/0 tag edge"


@pytest.fixture
def console(core: FakeRouterCore) -> Console:
    return Console(core)


def say(console: Console, line: str) -> list[str]:
    return list(console.run(line))


def test_an_acl_is_made_replaced_shown_and_deleted(console: Console, core: FakeRouterCore) -> None:
    assert say(console, f"set acl-plugin acl {TWO_RULES}") == ["ACL index:0"]
    rules = (
        AclRule(AclAction.REFLECT, OFFICE, ALL4, 17, destination_ports=(53, 53)),
        AclRule(AclAction.DENY, ALL6, ALL6),
    )
    assert (core.acl.of(0).tag, core.acl.of(0).rules) == ("edge", rules)
    core.acl.table[0] = replace(core.acl.table[0], counts=(AclCount(3, 180), AclCount()))
    head, first = (
        "acl-index 0 count 2 tag {edge}",
        "          0: ipv4 permit+reflect src 16.0.0.0/8 dst 0.0.0.0/0 proto 17 sport 0-65535 dport 53",
    )
    assert say(console, "show acl-plugin acl index 0")[:2] == [head, first]
    assert say(console, "show acl-plugin acl verbose")[1] == f"{first} packets 3 bytes 180"
    tcp = "set acl-plugin acl permit proto tcp tcpflags 2 mask 0x12 index 0 tag other"
    assert say(console, tcp) == ["ACL index:0"]
    assert core.acl.of(0).tag == "other"
    assert core.acl.of(0).rules == (AclRule(AclAction.PERMIT, ALL4, ALL4, 6, tcp_flags_value=2, tcp_flags_mask=18),)
    say(console, "delete acl-plugin acl index 0")
    assert say(console, "show acl-plugin acl") == []


def test_interfaces_have_acls_in_order(console: Console, core: FakeRouterCore) -> None:
    for _ in range(3):
        say(console, "set acl-plugin acl permit")
    for acl in (2, 0):
        say(console, f"set acl-plugin interface e0 input acl {acl}")
    say(console, "set acl-plugin interface e1 output acl 1")
    assert (core.acl.of_interface(0, False), core.acl.of_interface(1, True)) == ((2, 0), (1,))
    assert say(console, "show acl-plugin interface") == [
        "sw_if_index 1:",
        "  input acl(s): 2, 0",
        "sw_if_index 2:",
        "  output acl(s): 1",
    ]
    assert say(console, "show acl-plugin acl index 1")[-1] == "  applied outbound on sw_if_index: 2"
    say(console, "set acl-plugin interface e0 input acl 2 del")
    assert core.acl.of_interface(0, False) == (0,)
    with pytest.raises(UsageError, match="no ACL 2 in that direction"):
        say(console, "set acl-plugin interface e0 input acl 2 del")
    assert core.acl.of_interface(0, False) == (0,)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("permit src 16.0.0.0/33", "'16.0.0.0/33' is not a prefix"),
        ("permit src ::/129", "'::/129' is not a prefix"),
        ("permit sport 65536", "'65536' is not a port or range"),
        ("permit sport -1", "'-1' is not a port or range"),
        ("permit dport 1-65536", "'1-65536' is not a port or range"),
        ("permit proto 256", "proto '256' is not a number from 0 to 255"),
        ("permit proto gre", "proto 'gre' is not a number"),
        ("permit proto tcp tcpflags 2", "tcpflags and mask need each other"),
        ("permit proto tcp tcpflags 256 mask 2", "tcpflags '256' is not a number"),
        ("permit src", "src needs a value"),
        ("permit src 1.0.0.0/8 src 2.0.0.0/8", "src is given twice"),
        ("permit deny", "action is given twice"),
        ("src 1.0.0.0/8", "rule 0 has no action"),
        ("permit, deny index x", "index 'x' is not a number"),
        ("permit index 4294967295", "index '4294967295' is not a number"),
        ("permit tag a, deny tag b", "tag is given twice"),
        ("permit index 4", "there is no ACL 4"),
    ],
)
def test_what_is_no_rule_is_refused_whole(console: Console, core: FakeRouterCore, line: str, why: str) -> None:
    with pytest.raises(UsageError) as error:
        say(console, f"set acl-plugin acl {line}")
    assert why in str(error.value)
    assert "\n" not in str(error.value)
    assert core.acl.all() == []


def test_settings_of_sessions(console: Console, core: FakeRouterCore) -> None:
    say(console, "set acl-plugin session timeout udp idle 7")
    say(console, "set acl-plugin session timeout tcp idle 8")
    say(console, "set acl-plugin session timeout tcp transient 9")
    say(console, "set acl-plugin session table max-entries 10")
    assert core.acl.kept_settings == AclSessionSettings(10, 7, 8, 9)


def test_sessions_are_shown_and_cleared(console: Console, core: FakeRouterCore) -> None:
    source, target = IPv4Address("16.0.0.1"), IPv4Address("48.0.0.1")
    core.acl.counters = AclSessionCounters(created=9, active=3, expired=4, deleted=2, refused=1, hits=77)
    core.acl.live = [
        AclSession(source, target, 1024, 80, 0, False, 6, 0x12, 0x13, 5, 86400),
        AclSession(IPv6Address("2001:db8::1"), IPv6Address("2001:db8::2"), 9, 0, 1, True, 58, 0, 0, 0, 600),
        AclSession(source, target, 0, 0, 1, False, 47, 0, 0, 1, 600),
    ]
    lines = say(console, "show acl-plugin sessions")
    assert lines == [
        "Sessions total: add 9 - del 6 = 3",
        "Sessions active: add 9 - deact 6 = 3",
        "Sessions gone: expired 4 deleted 2",
        "Packets: of sessions 77 refused for lack of room 1",
        f"now: {core.tsc()} clocks per second: {TSC_HZ}",
        "  connection add/del stats:",
        "    sw_if_index 1: add 1 - del 0 = 1",
        "    sw_if_index 2: add 2 - del 0 = 2",
        "  max-entries 500000",
        "  timeout udp idle 600",
        "  timeout tcp idle 86400",
        "  timeout tcp transient 120",
    ]
    assert say(console, "show acl-plugin sessions verbose")[len(lines) :] == [
        "  sw_if_index 1 input tcp 16.0.0.1 1024 -> 48.0.0.1 80 flags SA/FSA idle 5 of 86400",
        "  sw_if_index 2 output icmp6 2001:db8::1 9 -> 2001:db8::2 0 idle 0 of 600",
        "  sw_if_index 2 input 47 16.0.0.1 0 -> 48.0.0.1 0 idle 1 of 600",
    ]
    say(console, "clear acl-plugin sessions")
    assert core.acl.live == []
