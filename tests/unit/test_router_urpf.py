"""Unicast RPF on the command line, with a stand-in for the data plane."""

from __future__ import annotations

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.router.urpf_core import UrpfMode


def run(core: FakeRouterCore, line: str) -> list[str]:
    return list(Console(core).run(line))


def test_modes_are_of_an_interface_and_a_family(core: FakeRouterCore) -> None:
    run(core, "set urpf ip4 rx strict e0")
    run(core, "set urpf ip6 rx loose e0")
    run(core, "set urpf ip6 rx strict e1")
    assert core.urpf_modes == {(0, 4): UrpfMode.STRICT, (0, 6): UrpfMode.LOOSE, (1, 6): UrpfMode.STRICT}
    assert run(core, "show urpf") == ["e0", "  ip4 rx strict", "  ip6 rx loose", "e1", "  ip6 rx strict"]
    assert run(core, "show urpf e1") == ["e1", "  ip6 rx strict"]
    run(core, "set urpf ip6 rx off e1")
    assert run(core, "show urpf e1") == []


@pytest.mark.parametrize("line", ["set urpf ip4 tx strict e0", "set urpf ip4 rx tight e0", "set urpf ip4 rx strict e9"])
def test_a_word_that_is_none_is_named(core: FakeRouterCore, line: str) -> None:
    with pytest.raises(UsageError, match="tx|tight|e9"):
        run(core, line)
