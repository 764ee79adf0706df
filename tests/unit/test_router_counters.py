"""Counters of routes and adjacencies on the command line, with a stand-in for the data plane."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address, ip_network

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.seam.counting import Adjacency, Counting, Counts, RouteCounts


def run(core: FakeRouterCore, line: str) -> list[str]:
    return list(Console(core).run(line))


@pytest.fixture
def routed(core: FakeRouterCore) -> FakeRouterCore:
    run(core, "ip route add 48.0.0.0/8 via 100.64.2.2 e1")
    prefix = ip_network("48.0.0.0/8")
    core.static[prefix] = replace(core.static[prefix], index=19)
    core.counting.routes[19] = RouteCounts(Counts(3, 150))
    return core


def balance(core: FakeRouterCore) -> str:
    return next(line.strip() for line in run(core, "show ip fib 48.0.0.0/8") if "dpo-load-balance" in line)


def test_routes_show_what_they_count_while_they_do(routed: FakeRouterCore) -> None:
    plain = "[@0]: dpo-load-balance: [proto:ip4 index:0 buckets:1]"
    assert balance(routed) == plain
    run(routed, "route counters enable")
    assert balance(routed) == "[@0]: dpo-load-balance: [proto:ip4 index:19 buckets:1 to:[3:150]]"
    routed.counting.routes[19] = RouteCounts(Counts(3, 150), Counts(2, 80))
    assert balance(routed) == "[@0]: dpo-load-balance: [proto:ip4 index:19 buckets:1 to:[3:150] via:[2:80]]"
    assert f"  {balance(routed)}" in run(routed, "show ip fib")
    run(routed, "route counters disable")
    assert balance(routed) == plain


def test_adjacencies_show_header_and_counts(core: FakeRouterCore) -> None:
    header = bytes.fromhex("02ee0000000102fe000000010800")
    known = Adjacency(20, 1, "ip4", ip_address("100.64.2.2"), 9000, header, Counts(5, 500))
    core.counting.adjacency_table = [known, Adjacency(21, 0, "ip6", ip_address("2001:db8::2"), 1500)]
    first = "[@20]  ipv4 via 100.64.2.2 e1: mtu:9000 flags:[] 02ee0000000102fe000000010800"
    assert run(core, "show adj") == [first, "[@21]  arp-ipv6: via 2001:db8::2 e0"]
    assert run(core, "show adj nbr e1") == [first]
    run(core, "adjacency counters enable")
    assert core.counting.on() == Counting.ADJACENCIES
    assert run(core, "show adj e1") == [f"{first} counts:[5:500]"]
    assert run(core, "show adj 20") == [first, "   counts:[5:500]"]
    assert run(core, "show adj summary") == ["Number of adjacencies: 2", "Per-adjacency counters: enabled"]
    with pytest.raises(UsageError, match="no adjacency 22"):
        run(core, "show adj 22")
    run(core, "adjacency counters disable")
    assert not core.counting.on()
