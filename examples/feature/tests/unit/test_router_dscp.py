"""DSCP counts on the command line, with a stand-in for the data plane."""

from __future__ import annotations

from fake_router import FakeRouterCore

from wirespeed.router.console import Console


def test_interfaces_that_count_and_packets_by_dscp(core: FakeRouterCore) -> None:
    console = Console(core)
    list(console.run("set dscp counting on e1"))
    core.dscp.packets[46] = 7
    assert list(console.run("show dscp")) == ["e1 counts", "  46                7"]
    list(console.run("set dscp counting off e1"))
    assert list(console.run("show dscp")) == ["  46                7"]
