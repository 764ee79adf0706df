"""MPLS, tables and kinds of paths on the command line, with a stand-in for the data plane."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.router.features.mpls.core import MplsRoute
from wirespeed.seam.routes import LabelPipe, Path, PathKind

# As the R86S article has them.
ARTICLE = """mpls table add 0
set interface mpls e0 enable
set interface mpls e1 enable
mpls local-label add 16 eos via 100.64.2.2 e1
mpls local-label add 17 eos via 100.64.1.2 e0"""


def run(core: FakeRouterCore, *lines: str) -> list[str]:
    console = Console(core)
    return [out for line in lines for out in console.run(line)]


def refusal(core: FakeRouterCore, *lines: str) -> str:
    with pytest.raises(UsageError) as error:
        run(core, *lines)
    return str(error.value)


def test_the_articles_lines_pop_a_label_for_a_next_hop(core: FakeRouterCore) -> None:
    assert run(core, *ARTICLE.splitlines()) == []
    path = Path(PathKind.NEXT_HOP, IPv4Address("100.64.2.2"), 1)
    assert core.mpls.route(16, True) == MplsRoute(16, True, 4, (path,))
    assert core.mpls.interfaces == {0, 1}
    shown = run(core, "show mpls fib")
    assert "16:eos/21 fib:0 index:0 locks:2" in shown
    assert "    [0] [@3]: arp-ipv4: via 100.64.2.2 e1" in shown


def test_out_labels_take_the_labels_place_and_may_be_named(core: FakeRouterCore) -> None:
    run(
        core, "mpls table add 0", "mpls local-label add non-eos 100 via 2001:db8::1 e0 out-labels 17 ipv6-explicit-null"
    )
    route = core.mpls.route(100, False)
    assert route is not None
    assert route.payload == 0
    assert route.paths == (Path(PathKind.NEXT_HOP, IPv6Address("2001:db8::1"), 0, labels=(17, 2)),)
    run(core, "mpls local-label add 101 eos via ip4-lookup-in-table 7", "mpls local-label del 100 non-eos")
    assert core.mpls.routes() == [MplsRoute(101, True, 4, (Path(PathKind.LOOKUP, table=7),))]


def test_paths_of_a_label_add_up_and_go_one_by_one(core: FakeRouterCore) -> None:
    run(core, "mpls table add 0")
    run(core, "mpls local-label add 30 via 10.0.0.1 e0 weight 3", "mpls local-label add 30 via 10.0.0.2 e1")
    route = core.mpls.route(30, True)
    assert route is not None and [path.weight for path in route.paths] == [3, 1]
    run(core, "mpls local-label del 30 via 10.0.0.1 e0")
    route = core.mpls.route(30, True)
    assert route is not None and [path.next_hop for path in route.paths] == [IPv4Address("10.0.0.2")]
    run(core, "mpls local-label del 30 via 10.0.0.2 e1")
    assert core.mpls.route(30, True) is None


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["mpls local-label add 16 eos via 10.0.0.1 e0"], "there is no MPLS table; mpls table add 0 makes it"),
        (["set interface mpls e0 enable"], "there is no MPLS table"),
        (["mpls table add 3"], "there is no MPLS table 3; the only one is 0"),
        (
            ["mpls table add 0", "mpls local-label add 1048576 via 10.0.0.1 e0"],
            "'1048576' is not a label: 0 to 1048575",
        ),
        (["mpls table add 0", "mpls local-label add 16 via 10.0.0.1 e7"], "there is no interface 'e7'"),
        (["mpls table add 0", "mpls local-label del 16"], "label 16 has no route"),
        (
            [
                "mpls table add 0",
                "mpls local-label add 16 via 10.0.0.1 e0",
                "mpls local-label add 16 via 2001:db8::1 e0",
            ],
            "label 16 carries IPv4 already; delete its route first",
        ),
        (
            ["mpls table add 0", "mpls local-label add 16 via 10.0.0.1 e0 via 2001:db8::1 e0"],
            "the paths of a label lead to IPv4 and IPv6",
        ),
        (["ip route add 192.0.2.0/24 via 10.0.0.1 e0 out-labels 16 ttl 0"], "ttl 0 is not between 1 and 255"),
        (["ip route add 192.0.2.0/24 via 10.0.0.1 e0 out-labels 16 ttl 256"], "ttl 256 is not between 1 and 255"),
        (["ip route add 192.0.2.0/24 via 10.0.0.1 e0 out-labels 16 exp 8"], "exp 8 is not between 0 and 7"),
        (
            ["ip route add 192.0.2.0/24 via 10.0.0.1 e0 out-labels 15 ttl 9 16 uniform ttl 9"],
            "label 16 is uniform: it copies the packet's TTL and class; leave out pipe, ttl and exp",
        ),
        (["ip route add 192.0.2.0/24 via 10.0.0.1 e0 out-labels 16 pipe uniform"], "label 16 is uniform"),
        (
            ["mpls table add 0", "mpls local-label add 16 via 10.0.0.1 e0 out-labels 18 ttl 9 17 exp 3"],
            "label 17 replaces the received label and keeps its TTL and class",
        ),
        (["set interface ip table e0 9"], "there is no IPv4 table 9"),
        (["ip table del 9"], "there is no IPv4 table 9"),
    ],
)
def test_what_cannot_be_is_one_line(core: FakeRouterCore, lines: list[str], message: str) -> None:
    assert message in refusal(core, *lines)


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("via drop", Path(PathKind.DROP)),
        ("blackhole", Path(PathKind.DROP)),
        ("unreachable", Path(PathKind.UNREACHABLE)),
        ("via null-send-prohibit", Path(PathKind.PROHIBIT)),
        ("via local", Path(PathKind.LOCAL)),
        ("via ip4-lookup-in-table 5", Path(PathKind.LOOKUP, table=5)),
        ("via 10.0.0.1 next-hop-table 5", Path(PathKind.NEXT_HOP, IPv4Address("10.0.0.1"), table=5)),
        (
            "via 10.0.0.1 e1 weight 9 out-labels 16 17 18",
            Path(PathKind.NEXT_HOP, IPv4Address("10.0.0.1"), 1, 9, 0, (16, 17, 18)),
        ),
        (
            "via 10.0.0.1 e1 out-labels 16 uniform 17 pipe exp 3 18",
            Path(
                PathKind.NEXT_HOP,
                IPv4Address("10.0.0.1"),
                1,
                labels=(16, 17, 18),
                pipes=(None, LabelPipe(traffic_class=3), None),
            ),
        ),
        (
            "via 10.0.0.1 e1 out-labels 16 uniform",
            Path(PathKind.NEXT_HOP, IPv4Address("10.0.0.1"), 1, labels=(16,)),
        ),
    ],
)
def test_kinds_of_paths(core: FakeRouterCore, words: str, path: Path) -> None:
    run(core, f"ip route add 192.0.2.0/24 {words}")
    route = core.route(IPv4Network("192.0.2.0/24"))
    assert route is not None and route.paths == (path,)
    assert run(core, "show ip fib 192.0.2.0/24")


def test_tables_are_made_named_and_shown(core: FakeRouterCore) -> None:
    run(core, "ip table add 5 name blue", "ip6 table add 5", "set interface ip table e1 5")
    assert run(core, "show ip table") == ["[0] table_id:0 ipv4-VRF:0", "[1] table_id:5 blue"]
    assert core.tables.interfaces == {(1, 4): 5}
    run(core, "ip table del 5")
    assert len(run(core, "show ip table")) == 1
