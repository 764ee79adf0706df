"""Fields of flows on the command line, with a stand-in for the data plane."""

from __future__ import annotations

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.seam.tables import FlowField


def run(core: FakeRouterCore, line: str) -> list[str]:
    return list(Console(core).run(line))


def test_fields_are_of_a_table(core: FakeRouterCore) -> None:
    run(core, "ip table add 7")
    run(core, "set ip flow-hash table 7 dport src symmetric")
    run(core, "set ip6 flow-hash table 0 src flowlabel")
    assert core.tables.flow_hashes == {
        (4, 7): FlowField.SRC | FlowField.DPORT | FlowField.SYMMETRIC,
        (6, 0): FlowField.SRC | FlowField.FLOWLABEL,
    }
    assert run(core, "show ip flow-hash") == [
        "seed 7",
        "ip4   src dst sport dport proto",
        "ip4 table 7 src dport symmetric",
        "ip6   src flowlabel",
        "mpls  labels, and src dst of IP behind the last one",
    ]
    assert "flow hash:[src dport symmetric ]" in run(core, "show ip fib table 7")[0]
    assert "flow hash:[src flowlabel ]" in run(core, "show ip6 fib")[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("set ip flow-hash table 0 flowlabel", "flowlabel"),
        ("set ip flow-hash table 0", "src"),
        ("set ip flow-hash table 0 reverse symmetric", "do not distinguish flows"),
        ("set ip flow-hash table 9 src", "there is no IPv4 table 9"),
    ],
)
def test_what_tells_no_flows_apart_is_refused(core: FakeRouterCore, line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(core, line)
    assert core.tables.flow_hashes == {}
