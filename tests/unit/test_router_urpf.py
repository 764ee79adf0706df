"""Unicast RPF on the command line, with a stand-in for the data plane."""

from __future__ import annotations

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.router.features.urpf.core import Urpf, UrpfMode

_E1 = ["  ip6 rx strict", "  ip6 tx strict table 7"]


def run(core: FakeRouterCore, line: str) -> list[str]:
    return list(Console(core).run(line))


def test_modes_are_of_an_interface_and_a_family(core: FakeRouterCore) -> None:
    run(core, "set urpf ip4 rx strict e0")
    run(core, "set urpf ip6 rx loose e0")
    run(core, "set urpf ip6 rx strict e1")
    run(core, "set urpf ip6 tx strict e1 table 7")
    assert core.urpf.settings == {
        (0, 4, False): Urpf(UrpfMode.STRICT),
        (0, 6, False): Urpf(UrpfMode.LOOSE),
        (1, 6, False): Urpf(UrpfMode.STRICT),
        (1, 6, True): Urpf(UrpfMode.STRICT, 7),
    }
    assert run(core, "show urpf") == ["e0", "  ip4 rx strict", "  ip6 rx loose", "e1", *_E1]
    assert run(core, "show urpf e1") == ["e1", *_E1]
    run(core, "set urpf ip6 rx off e1")
    run(core, "set urpf ip6 tx off e1")
    assert run(core, "show urpf e1") == []


def test_accepted_sources_are_of_a_table(core: FakeRouterCore) -> None:
    run(core, "set urpf-accept table 7 add 10.0.0.0/8")
    run(core, "set urpf-accept 2001:db8::/32 add")
    run(core, "set urpf-accept 11.0.0.0/8")
    assert run(core, "show urpf-accept") == ["table 0 11.0.0.0/8", "table 7 10.0.0.0/8", "table 0 2001:db8::/32"]
    run(core, "set urpf-accept table 7 10.0.0.0/8 del")
    assert run(core, "show urpf-accept") == ["table 0 11.0.0.0/8", "table 0 2001:db8::/32"]
    with pytest.raises(UsageError, match="not accepted"):
        run(core, "set urpf-accept del 10.0.0.0/8")


@pytest.mark.parametrize("line", ["set urpf ip4 up strict e0", "set urpf ip4 rx tight e0", "set urpf ip4 rx strict e9"])
def test_a_word_that_is_none_is_named(core: FakeRouterCore, line: str) -> None:
    with pytest.raises(UsageError, match="up|tight|e9"):
        run(core, line)
