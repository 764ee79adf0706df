"""The statistics segment of a real router, compared with the router's own output."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from harness.stopping import stop_process
from harness.waiting import wait_for
from router_run import RouterProcess, loops, router, wait_received, write_pcap
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from wirespeed.dut.errors import parse_errors
from wirespeed.dut.runtime import parse_runtime
from wirespeed.errors import ConnectionFault
from wirespeed.statseg.segment import StatsSegment

CONFIG = """\
set interface mac address e0 02:fe:00:00:00:00
set interface state e0 up
set interface state e1 up
set interface ip address e0 100.64.1.1/30
set interface ip address e1 100.64.2.1/30
ip route add 48.0.0.0/8 via 100.64.2.2
ip neighbor e1 100.64.2.2 02:ee:00:00:00:01
"""

AWAY_S = 0.3
FORMER = {
    "preemptions": "absences",
    "preempted-clocks": "absent-clocks",
    "longest-preemption-clocks": "longest-absence-clocks",
}
"""Names known to readers of earlier versions."""


def frame(destination: str, ttl: int = 64) -> bytes:
    return bytes(
        Ether(src="02:ee:00:00:00:00", dst="02:fe:00:00:00:00")
        / IP(src="16.0.0.1", dst=destination, ttl=ttl)
        / UDP(sport=1, dport=2)
        / bytes(40)
    )


def ports(directory: Path) -> list[str]:
    write_pcap(directory / "in.pcap", [frame("48.0.0.1")] * 30 + [frame("9.9.9.9")] * 12)
    write_pcap(directory / "none.pcap", [])
    return [f"e{i}=pcap:{directory}/{name}.pcap,{directory}/{i}.pcap" for i, name in enumerate(("in", "none"))]


def total(stats: StatsSegment, name: str) -> int:
    return stats.read([f"^{name}$"])[name].total[0]


def test_it_says_what_the_router_says(tmp_path: Path) -> None:
    with router(tmp_path, ports(tmp_path), CONFIG) as running, StatsSegment(tmp_path / "router.stats") as stats:
        wait_received(running, 42)
        assert total(stats, "/sys/rx") == 42
        assert total(stats, "/sys/tx") == 30
        assert total(stats, "/sys/drops") == total(stats, "/interfaces/e0/drops") == 12
        assert total(stats, "/interfaces/e0/ip4") == 42
        for row in parse_errors(running.ask("show errors")):
            assert total(stats, f"/err/{row.node}/{row.reason}") == row.count
        (thread,) = parse_runtime(running.ask("show runtime"))
        for node in thread.nodes:
            if node.state == "active":
                assert total(stats, f"/nodes/{node.name}/calls") == node.calls
                assert total(stats, f"/nodes/{node.name}/vectors") == node.vectors


def wait_for_port(running: RouterProcess, stats: StatsSegment) -> tuple[int, ...]:
    """The driver's counters are updated in the main thread's next poll."""
    while not (value := stats.read(["^/interfaces/e0/rx$"])["/interfaces/e0/rx"].total)[0]:
        running.ask("show version")
    return value


def test_drivers_counters_follow_within_an_update(tmp_path: Path) -> None:
    with router(tmp_path, ports(tmp_path), CONFIG) as running, StatsSegment(tmp_path / "router.stats") as stats:
        assert wait_for_port(running, stats) == (42, 42 * len(frame("48.0.0.1")))
        pool = [total(stats, f"/buffer-pools/default-numa-0/{what}") for what in ("cached", "used", "available")]
        assert sum(pool) > 4096


def test_clear_commands_leave_it_alone(tmp_path: Path) -> None:
    with router(tmp_path, ports(tmp_path), CONFIG) as running, StatsSegment(tmp_path / "router.stats") as stats:
        wait_received(running, 42)
        for what in ("runtime", "errors", "interfaces"):
            running.ask(f"clear {what}")
        assert total(stats, "/sys/rx") == 42


def wait_turns(running: RouterProcess, turns: int) -> None:
    before = loops(running)
    wait_for(lambda: loops(running) >= before + turns, f"{turns} turns of the worker")


def test_a_workers_time_is_accounted_for(tmp_path: Path) -> None:
    """Nodes and rest are parts of the time since the start; an update includes its TSC."""
    with router(tmp_path, ports(tmp_path), CONFIG) as running, StatsSegment(tmp_path / "router.stats") as stats:
        wait_received(running, 42)
        wait_turns(running, 1000)
        in_nodes = sum(reading.total[0] for reading in stats.read(["^/nodes/.*/clocks$"]).values())
        clocks, rest = total(stats, "/sys/clocks"), total(stats, "/sys/rest-clocks")
        assert 0 < in_nodes + rest <= total(stats, "/sys/clocks")
        wait_turns(running, 1000)
        assert total(stats, "/sys/clocks") > clocks
        wait_for(lambda: total(stats, "/sys/tsc") > clocks, "an update of the block")


def test_a_worker_that_was_stopped_was_preempted(tmp_path: Path) -> None:
    with router(tmp_path, ports(tmp_path), CONFIG) as running, StatsSegment(tmp_path / "router.stats") as stats:
        wait_received(running, 42)
        # The time is read first: a preemption between the two readings is not part of the later ones.
        began = total(stats, "/sys/clocks")
        before = total(stats, "/sys/preempted-clocks")
        stop_process(running.process.pid)
        time.sleep(AWAY_S)
        os.kill(running.process.pid, signal.SIGCONT)
        wait_turns(running, 2)
        preempted = total(stats, "/sys/preempted-clocks") - before
        passed = total(stats, "/sys/clocks") - began
        assert total(stats, "/sys/preemptions") >= 1
        assert AWAY_S * 0.9 * total(stats, "/sys/tsc-hz") <= preempted <= passed
        assert 0 < total(stats, "/sys/longest-preemption-clocks") <= before + preempted
        for name, former in FORMER.items():
            both = stats.read([f"^/sys/({name}|{former})$"])
            assert both[f"/sys/{name}"].rows == both[f"/sys/{former}"].rows


def test_sleep_that_a_worker_chose_is_not_preemption(tmp_path: Path) -> None:
    """An idle worker naps for longer than a preemption, and for most of its time."""
    modes = "set interface rx-mode e0 adaptive\nset interface rx-mode e1 adaptive\n"
    with router(tmp_path, ports(tmp_path), CONFIG + modes) as running, StatsSegment(tmp_path / "router.stats") as stats:
        wait_received(running, 42)
        wait_for(lambda: total(stats, "/sys/sleeps") > 200, "200 naps")
        rest = total(stats, "/sys/rest-clocks")
        # A nap extended by the machine counts as rest and as a preemption.
        assert 0 < rest <= total(stats, "/sys/clocks")
        assert total(stats, "/sys/preemptions") < total(stats, "/sys/sleeps") / 2


def test_a_restart_is_noticed(tmp_path: Path) -> None:
    with StatsSegment(tmp_path / "router.stats") as stats:
        with router(tmp_path, ports(tmp_path), CONFIG) as running:
            wait_received(running, 42)
            assert total(stats, "/sys/rx") == 42
            first = stats.started_ns
        with pytest.raises(ConnectionFault, match="no router writes"):
            stats.read()
        with router(tmp_path, ["e0=ring:a"], ""):
            assert total(stats, "/sys/rx") == 0
            assert stats.started_ns > first
    assert not (tmp_path / "router.stats").is_symlink()


def test_show_runtime_max_begins_anew_with_clear_runtime(tmp_path: Path) -> None:
    with router(tmp_path, ports(tmp_path), CONFIG) as running:
        wait_received(running, 42)
        assert "ip4-lookup" in running.ask("show runtime max")
        running.ask("clear runtime")
        assert "ip4-lookup" not in running.ask("show runtime max")
        rows = [line.split() for line in running.ask("show runtime max").splitlines() if "dpdk-input" in line]
        # Since then it has only polled an empty port.
        assert rows and rows[0][2] == "0"
