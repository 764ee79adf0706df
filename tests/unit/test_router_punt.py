"""Punt policers on the command line, with a stand-in for the data plane."""

from __future__ import annotations

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.router.features.punt.core import PuntPolicer, PuntReason


def run(core: FakeRouterCore, line: str) -> list[str]:
    return list(Console(core).run(line))


def test_a_policer_is_of_a_reason_and_an_interface_or_of_all(core: FakeRouterCore) -> None:
    run(core, "set punt policer ip4 rate 1000")
    run(core, "set punt policer arp rate 50 burst 7 e1")
    assert core.punt.policers == {
        (None, PuntReason.IP4): PuntPolicer(1000, 100),
        (1, PuntReason.ARP): PuntPolicer(50, 7),
    }
    core.punt.policers[1, PuntReason.ARP] = PuntPolicer(50, 7, 12, 34)
    head, *lines = run(core, "show punt policer")
    assert head.split() == ["Reason", "Rate", "Burst", "Passed", "Dropped", "Interface"]
    assert [line.split() for line in lines] == [
        ["ip4", "1000", "100", "0", "0", "all"],
        ["arp", "50", "7", "12", "34", "e1"],
    ]
    assert len(run(core, "show punt policer e0")) == 1
    run(core, "set punt policer arp off e1")
    run(core, "set punt policer ip4 off")
    assert core.punt.policers == {}


def test_all_reasons_have_one_each(core: FakeRouterCore) -> None:
    run(core, "set punt policer all rate 10 e0")
    assert core.punt.policers == {(0, reason): PuntPolicer(10, 32) for reason in PuntReason}
    run(core, "set punt policer all off e0")
    assert core.punt.policers == {}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("set punt policer bgp rate 5", "bgp"),
        ("set punt policer arp rate 0", "rate is 1 to"),
        ("set punt policer arp rate 4294967296", "4294967296"),
        ("set punt policer arp rate 5 burst 0", "burst is 1 to"),
        ("set punt policer arp rate 5 burst 1000001", "burst is 1 to"),
        ("set punt policer arp rate 5 e9", "e9"),
    ],
)
def test_what_is_none_is_named(core: FakeRouterCore, line: str, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        run(core, line)
    assert core.punt.policers == {}
