"""IPv6 and ping commands on a core that forwards nothing."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network

import pytest
from fake_router import TSC_HZ, FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.router.pause import Pause
from wirespeed.router.server import requests
from wirespeed.seam.ip6 import AdvertisedPrefix, DadState, EchoReply
from wirespeed.seam.routes import Neighbor, NeighborState


@pytest.fixture
def console(core: FakeRouterCore) -> Console:
    return Console(core)


def run(console: Console, line: str) -> list[str]:
    return list(console.run(line))


def test_routes_of_both_families_are_told_apart(console: Console) -> None:
    run(console, "set interface ip address e0 2001:db8:1::1/64")
    run(console, "set interface ip address e0 100.64.1.1/30")
    run(console, "ip route add 2001:db8:100::/40 via 2001:db8:1::2")
    run(console, "ip route add ::/0 via 2001:db8:1::2")
    run(console, "ip neighbor e0 2001:db8:1::2 02:ee:00:00:00:00")
    text = run(console, "show ip6 fib")
    assert text[0].startswith("ipv6-VRF:0, fib_index:0, flow hash:[src dst sport dport proto flowlabel ]")
    assert "2001:db8:100::/40" in text
    assert "  unicast-ip6-chain" in text
    assert "    [0] [@5]: ipv6 via 2001:db8:1::2 e0: mtu:1500 flags:[] 02ee0000000002fe0000000086dd" in text, text
    assert not any("100.64" in line for line in text)
    assert not any("2001:db8" in line for line in run(console, "show ip fib"))
    summary = run(console, "show ip6 fib summary")
    assert summary[1] == "    Prefix length         Count     "
    lengths = [int(line.split()[0]) for line in summary[2:]]
    assert lengths == sorted(lengths, reverse=True)
    assert f"{40:>20}{1:>16}" in summary
    assert "2001:db8:100::/40 fib:0" in run(console, "show ip6 fib 2001:db8:100::1")


def test_a_count_of_ip6_prefixes_may_not_go_beyond_the_last(console: Console) -> None:
    run(console, "ip route add ffff:ffff:ffff:fffe::/64 count 2 via 2001:db8::1 e0")
    with pytest.raises(UsageError, match="count 3 does not fit"):
        run(console, "ip route add ffff:ffff:ffff:fffe::/64 count 3 via 2001:db8::1 e0")


def test_a_count_beyond_any_table_is_refused_at_once(console: Console) -> None:
    with pytest.raises(UsageError, match="count 4294967295 is above 16777216"):
        run(console, "ip route del :: count 4294967295 prohibit")


def test_neighbors_are_shown_by_family_and_state(core: FakeRouterCore, console: Console) -> None:
    host = IPv6Address("fe80::1")
    for number, state in enumerate(NeighborState):
        address = host + number
        core.neighbor_table[0, address] = Neighbor(0, address, "02:ee:00:00:00:00", state, 1.5)
    flags = [line.split()[2] for line in run(console, "show ip6 neighbors")[1:]]
    assert flags == ["I", "D", "S", "DS", "DP"]
    assert len(run(console, "show ip neighbors")) == 6
    assert len(run(console, "show ip4 neighbors")) == 1


def test_ip6_is_enabled_and_disabled(core: FakeRouterCore, console: Console) -> None:
    assert run(console, "show ip6 interface") == []
    assert run(console, "show ip6 interface e0") == ["e0 is admin down, IPv6 disabled"]
    run(console, "enable ip6 interface e0")
    text = run(console, "show ip6 interface")
    assert text[0] == "e0 is admin down"
    assert "    fe80::fe:ff:fe00:0" in text
    assert "    ff02::1:ff00:0" in text
    assert "  ND router advertisements are suppressed" in text
    run(console, "set ip6 link-local address e0 fe80::5")
    assert core.ip6.of(0).link_local == IPv6Address("fe80::5")
    run(console, "disable ip6 interface e0")
    assert core.ip6.of(0).link_local is None
    with pytest.raises(UsageError, match="2001:db8::1 is not a link-local address"):
        run(console, "set ip6 link-local address e0 2001:db8::1")


def test_router_advertisements_are_configured(core: FakeRouterCore, console: Console) -> None:
    for line in (
        "enable ip6 interface e0",
        "ip6 nd e0 no ra-suppress",
        "ip6 nd e0 ra-interval 30 10",
        "ip6 nd e0 ra-lifetime 90",
        "ip6 nd e0 ra-other-config-flag",
        "ip6 nd e0 prefix 2001:db8:7::/64 3600 1800 no-autoconfig",
        "ip6 nd e0 prefix 2001:db8:8::/64 infinite off-link",
    ):
        assert run(console, line) == []
    advertising = core.ip6.of(0).advertising
    assert advertising.is_on and advertising.other and not advertising.managed
    assert (advertising.min_interval_s, advertising.max_interval_s, advertising.lifetime_s) == (10, 30, 90)
    seven, eight = IPv6Network("2001:db8:7::/64"), IPv6Network("2001:db8:8::/64")
    assert advertising.prefixes == (
        AdvertisedPrefix(seven, 3600, 1800, True, False),
        AdvertisedPrefix(eight, 2**32 - 1, 2**32 - 1, False, True),
    )
    assert "  ND router advertisements are sent every 10 to 30 seconds" in run(console, "show ip6 interface e0")
    run(console, "ip6 nd e0 no prefix 2001:db8:7::/64")
    run(console, "ip6 nd e0 suppress")
    assert [given.prefix for given in core.ip6.of(0).advertising.prefixes] == [eight]
    assert not core.ip6.of(0).advertising.is_on


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("ip6 nd e0 ra-interval 2000", "a maximum of 4 to 1800"),
        ("ip6 nd e0 ra-interval 10 11", "a minimum of 3 s to the maximum"),
        ("ip6 nd e0 ra-lifetime 9001", "ra-lifetime 9001 is above 9000 s"),
        ("ip6 nd e0 prefix 10.0.0.0/8", "10.0.0.0/8 is not an IPv6 prefix"),
        ("ip6 nd e0 prefix 2001:db8::/64 99999999999 5", "not a whole number from 0 to 4294967295"),
        ("ip6 nd e0 no prefix 2001:db8::/64", "is not advertised"),
        ("set ip neighbor-config ip6 age 99999999999", "not a whole number from 0 to 4294967295"),
        ("ping 10.0.0.1 repeat 0", "repeat 0 is not between 1 and"),
        ("ping 10.0.0.1 size 1401", "size 1401 is too large; give at most 1400 bytes"),
        ("ping 10.0.0.1 interval x", "interval x is not between 0.01 and 60 seconds"),
        ("ping 10.0.0.1 interval nan", "interval nan is not between 0.01 and 60 seconds"),
    ],
)
def test_what_cannot_be_is_refused(console: Console, line: str, error: str) -> None:
    with pytest.raises(UsageError, match=error):
        run(console, line)


def test_the_age_of_neighbors_is_set(core: FakeRouterCore, console: Console) -> None:
    run(console, "set ip neighbor-config ip6 age 60")
    run(console, "set ip neighbor-config ip4 age 0")
    assert core.ip6.reachable_s == {6: 60, 4: 0}


def test_addresses_are_announced_by_family(core: FakeRouterCore, console: Console) -> None:
    run(console, "set ip neighbor-config ip6 announce on")
    assert run(console, "show ip6 neighbor-config")[1].endswith("recycle:1, announce:on")
    assert run(console, "show ip4 neighbor-config")[1].endswith("recycle:1")
    run(console, "set ip neighbor-config ip6 announce off")
    assert core.ip6.announcing == set()


def reply(sequence: int) -> EchoReply:
    return EchoReply(IPv6Address("2001:db8::9"), sequence, 64, 63, TSC_HZ // 1000)


def test_pings_tell_of_answers_and_losses(core: FakeRouterCore, console: Console) -> None:
    core.ip6.replies = {1: reply(1), 3: reply(3)}
    lines = [line for line in run(console, "ping 2001:db8::9 repeat 3 size 56 source e1 interval 0.01") if line]
    assert core.ip6.echoes == [(IPv6Address("2001:db8::9"), 1, 56)] * 3
    assert lines == [
        "64 bytes from 2001:db8::9: icmp_seq=1 ttl=63 time=1.0000 ms",
        "64 bytes from 2001:db8::9: icmp_seq=3 ttl=63 time=1.0000 ms",
        "Statistics: 3 sent, 2 received, 33.3333% packet loss",
    ]


def test_answers_to_other_sessions_are_kept(core: FakeRouterCore, console: Console) -> None:
    first, second = (console.run("ping 2001:db8::9 repeat 1") for _ in range(2))
    assert isinstance(next(first), Pause) and isinstance(next(second), Pause)
    core.ip6.replies = {1: reply(1), 2: reply(2)}
    # The first reader gets both.
    assert "icmp_seq=2" in next(second)
    assert "icmp_seq=1" in next(first)


def test_the_server_waits_where_a_command_pauses(core: FakeRouterCore, console: Console) -> None:
    core.ip6.replies = {1: reply(1)}
    messages = list(*requests(console, b'{"command": "ping 2001:db8::9 repeat 1 interval 0.01"}'))
    assert [next(iter(message)) for message in messages] == ["text", "pause", "pause", "text", "end"]
    assert all(message["pause"] > 0 for message in messages if "pause" in message)


def test_duplicate_address_detection_is_set_and_shown(core: FakeRouterCore, console: Console) -> None:
    link_local, own = IPv6Address("fe80::fe:ff:fe00:0"), IPv6Address("2001:db8::1")
    for line in ("set ip6 dad e0 transmits 3", "enable ip6 interface e0", "set interface ip address e0 2001:db8::1/64"):
        assert run(console, line) == []
    core.ip6.dad_states = {(0, link_local): DadState.TENTATIVE, (0, own): DadState.DUPLICATE}
    text = run(console, "show ip6 interface e0")
    assert f"    {link_local} tentative" in text
    assert "    2001:db8::1, subnet is 2001:db8::/64 duplicate" in text
    assert "  ND DAD is enabled, 3 probes" in text
    assert "  L3 2001:db8::1/64 duplicate" in run(console, "show interface address e0")
    run(console, "set ip6 dad all transmits 0")
    assert core.ip6.dad_transmits == {None: 0}
    assert "  ND DAD is disabled" in run(console, "show ip6 interface e0")
    with pytest.raises(UsageError, match="transmits 11 is above 10"):
        run(console, "set ip6 dad e0 transmits 11")
