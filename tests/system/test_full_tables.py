"""Many routes at once, through `exec` and Linux, and a burst of them that is too fast for the router."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from harness.waiting import wait_for
from sandbox import IP4, IP6, PAIRED, PORTS, Router, Sandbox, needs, router

from wirespeed.dut.tables import ip4_table, ip6_table
from wirespeed.errors import WirespeedError

pytestmark = needs()

_FEEDER = Path(__file__).parent / "kernel_routes.py"
_OWN = ("10.", "2001:db8:", "fe80:", "ff00:")


@pytest.fixture
def running(box: Sandbox):
    with router(box, PORTS, PAIRED + IP4 + IP6, "--max-routes", "150100", "--max-ip6-routes", "6100") as made:
        box.hosts()
        yield made


def next_hop(prefix: str) -> str:
    return "2001:db8:2::2" if ":" in prefix else "10.2.0.2"


def routes_of(running: Router) -> set[str]:
    """All routes but those of addresses and neighbors."""
    text = running.ask("show ip fib") + running.ask("show ip6 fib")
    return {prefix for prefix in re.findall(r"^([0-9a-f]\S*/\d+)$", text, re.MULTILINE) if not prefix.startswith(_OWN)}


def routes_of_kernel(box: Sandbox) -> set[str]:
    text = "".join(
        box.run("ip", family, "route", "show", "proto", "static", netns="dataplane") for family in ("-4", "-6")
    )
    return {line.split()[0] for line in text.splitlines()}


def feed(box: Sandbox, what: str, prefixes: Sequence[str]) -> None:
    file = box.directory / "routes"
    file.write_text("".join(f"{prefix} {next_hop(prefix)}\n" for prefix in prefixes))
    box.run(sys.executable, str(_FEEDER), what, str(file), "e1", netns="dataplane")


@pytest.mark.long("full tables")
def test_tables_of_both_families_by_exec(running: Router) -> None:
    prefixes = ip4_table(20_000) + ip6_table(6_000)
    for what, there in (("add", set(prefixes)), ("del", set())):
        file = running.sandbox.directory / f"{what}.conf"
        file.write_text("".join(f"ip route {what} {prefix} via {next_hop(prefix)}\n" for prefix in prefixes))
        assert running.ask(f"exec {file}") == ""
        assert routes_of(running) == there


def test_a_full_table_says_which_option_gives_more_room(running: Router) -> None:
    """And the lines before the first that fails stay in effect, as in any file."""
    prefixes = ip6_table(7_000)
    file = running.sandbox.directory / "many.conf"
    file.write_text("".join(f"ip route add {prefix} via {next_hop(prefix)}\n" for prefix in prefixes))
    with pytest.raises(
        WirespeedError, match=r"many\.conf, line \d+: IPv6 table 0 is full at 6100 routes; .*"
    ) as caught:
        running.ask(f"exec {file}")
    assert str(caught.value).endswith("start the router with a larger --max-ip6-routes")
    line = int(re.search(r"line (\d+)", str(caught.value))[1])
    assert routes_of(running) == set(prefixes[: line - 1])


@pytest.mark.long("full tables")
def test_what_an_overflow_of_netlink_hid_is_read_again(box: Sandbox, running: Router) -> None:
    """More events than Linux queues, while the router does not read."""
    prefixes = ip4_table(150_000)[:149_000] + ip6_table(5_000)
    gone, stay = prefixes[::2], prefixes[1::2]
    os.kill(running.process.pid, signal.SIGSTOP)
    try:
        feed(box, "add", prefixes)
        feed(box, "del", gone)
    finally:
        # nsenter, which started it, was stopped with it.
        for pid in (running.process.pid, running.process.popen.pid):
            os.kill(pid, signal.SIGCONT)
    wait_for(lambda: re.search(r"overflows [1-9]", running.ask("show lcp")) is not None, "an overflow")
    wait_for(lambda: f"routes {len(stay)} " in running.ask("show lcp"), "the routes that are left")
    wait_for(lambda: "syncing" not in running.ask("show lcp"), "the end of the dumps")
    assert routes_of(running) == routes_of_kernel(box) == set(stay)
    assert "rejected 0" in running.ask("show lcp")
    feed(box, "del", stay)
    wait_for(lambda: "routes 0 " in running.ask("show lcp"), "the end of all routes")
    assert not routes_of(running)
    box.wait_ping("h1", "10.2.0.2")
