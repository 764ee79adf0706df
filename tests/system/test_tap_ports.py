"""TAP ports: Linux hosts in namespaces of their own on both sides of the router."""

import os
import re
import time
from pathlib import Path

import pytest
from harness.cpus import ALL_CPUS
from harness.programs import wirespeed
from harness.waiting import wait_for
from sandbox import IP4, PORTS, needs, router

pytestmark = needs("iperf3", "traceroute")


def thread(pid: int, name: str) -> Path:
    """Facts of Linux about the thread of that name."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return next(task for task in tasks if (task / "comm").read_text().strip() == name)


def thread_ticks(pid: int, name: str) -> int:
    """CPU time of the thread of that name, in clock ticks."""
    fields = (thread(pid, name) / "stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def counter(shown: str, interface: str, name: str) -> int:
    part = shown[shown.index(f"{interface} ") :]
    found = re.search(rf"{re.escape(name)} +(\d+)", part)
    return int(found.group(1)) if found else 0


@pytest.mark.parametrize("rx_mode", ["polling", "interrupt"])
def test_hosts_reach_each_other_through_the_router(box, rx_mode):
    with router(box, PORTS, IP4, rx_mode=rx_mode) as running:
        box.hosts()
        box.wait_ping("h1", "10.2.0.2")
        # Fragments from the sender pass like other packets, and so does the longest frame of the link.
        assert box.ping("h1", "10.2.0.2", "-M", "do", "-s", "1472")
        assert box.hops("h1", "10.2.0.2") == ["10.1.0.1", "10.2.0.2"]
        end = box.transfer("h1", "h2", "10.2.0.2", "-n", "8M")
        # iperf3 does not count packets in flight at the end of the sender.
        assert end["sum_sent"]["bytes"] >= 8_000_000
        assert end["sum_received"]["bytes"] >= 2_000_000
        shown = running.ask("show interface")
        assert counter(shown, "e1", "tx bytes") > 2_000_000
        assert counter(shown, "e0", "rx packets") > 1_400


@pytest.mark.alone
def test_the_thread_sleeps_while_nothing_moves(box):
    with router(box, PORTS, IP4, rx_mode="polling") as running:
        box.hosts()
        box.wait_ping("h1", "10.2.0.2")
        before = thread_ticks(running.process.pid, "ws_tap")
        time.sleep(1.0)
        assert thread_ticks(running.process.pid, "ws_tap") - before <= 5


@pytest.mark.skipif(len(ALL_CPUS) < 2, reason="one CPU: the worker's is the only one")
def test_the_thread_keeps_off_the_worker_cpu(box):
    with router(box, PORTS, IP4) as running:
        pid = running.process.pid
        worker, tap = (os.sched_getaffinity(int(thread(pid, name).name)) for name in ("ws_wk_0", "ws_tap"))
        assert tap == os.sched_getaffinity(0) - worker


def sleeps(running) -> int:
    return int(running.ask("show threads").splitlines()[1].split()[5])


def input_state(running) -> str:
    return re.search(r"(?m)^dpdk-input +(\w+(?: \w+)?) +\d", running.ask("show runtime"))[1]


@pytest.mark.alone
@pytest.mark.parametrize("mode", ["adaptive", "interrupt"])
def test_a_frame_wakes_the_worker(box, mode):
    """A worker with only TAPs sleeps without limit, so only a packet can wake it."""
    with router(box, PORTS, IP4, rx_mode=mode) as running:
        box.hosts()
        box.wait_ping("h1", "10.2.0.2")
        wait_for(lambda: input_state(running) == "interrupt wa", "sleep")
        before, slept = thread_ticks(running.process.pid, "ws_wk_0"), sleeps(running)
        time.sleep(1.0)
        assert thread_ticks(running.process.pid, "ws_wk_0") - before <= 5
        assert sleeps(running) - slept <= 100
        slept = sleeps(running)

        def every_ping_wakes_it() -> bool:
            assert box.ping("h1", "10.2.0.2", "-W", "20")
            return sleeps(running) - slept >= 20

        wait_for(every_ping_wakes_it, "20 sleeps between pings")
        # Its own packets wake it too, and so do changes for which it must stop.
        assert " 0% packet loss" in running.ask("ping 10.2.0.2 repeat 3 interval 0.2")
        running.ask("set interface rx-mode e0 polling")
        wait_for(lambda: input_state(running) == "polling", "a worker that polls")
        assert "e1 queue 0 (" + mode + "), kept polling by other queues" in running.ask("show interface rx-placement")


def test_an_interface_deleted_behind_our_back(box):
    """Its link is then down, the others continue, and no thread spins."""
    with router(box, PORTS, IP4, rx_mode="polling") as running:
        box.hosts()
        box.wait_ping("h1", "10.2.0.2")
        box.run("ip", "link", "del", "h2", netns="h2")
        wait_for(lambda: "down" in running.ask("show hardware-interfaces e1"), "the news of the link")
        assert box.ping("h1", "10.1.0.1")
        box.ping("h1", "10.2.0.2")
        before = thread_ticks(running.process.pid, "ws_tap")
        time.sleep(1.0)
        assert thread_ticks(running.process.pid, "ws_tap") - before <= 5
        assert box.ping("h1", "10.1.0.1")


@pytest.mark.parametrize(
    ("port", "told"),
    [
        ("e0=tap:lo,netns=h1", "interface lo cannot be made in network namespace h1: the name is taken"),
        ("e0=tap:x0,netns=nowhere", "there is no network namespace nowhere"),
        ("e0=tap:x0,netns=h1,host-mac=blue", "takes netns=, host-mac=, host-mtu= of 68 or more and state="),
    ],
)
def test_what_cannot_be_made_is_one_line(box, port, told):
    code, said = box.try_run(*router_words(box, port))
    assert code in (2, 3)
    assert told in said
    assert "Traceback" not in said
    assert box.run("ip", "-br", "link", netns="h1").split()[0] == "lo"


def router_words(box, port: str) -> list[str]:
    return wirespeed("router", "--socket", box.directory / "r.sock", "--interface", port)


def test_its_rings_have_the_slots_that_were_asked_for(box):
    """Power of two or not, and fewer than the packets of a burst."""
    with router(box, PORTS, IP4) as running:
        for rx, tx, slots in (
            (100, 1000, "rx-ring-size 100 tx-ring-size 1000"),
            (8, 8, "rx-ring-size 8 tx-ring-size 8"),
            (1, 7, "rx-ring-size 1 tx-ring-size 7"),
        ):
            assert running.ask(f"create tap id 5 host-ns h1 rx-ring-size {rx} tx-ring-size {tx}") == "tap5\n"
            assert slots in running.ask("show tap tap5")
            running.ask("set interface ip address tap5 10.5.0.1/24")
            running.ask("set interface state tap5 up")
            box.run("ip", "address", "add", "10.5.0.2/24", "dev", "tap5", netns="h1")
            box.wait_ping("h1", "10.5.0.1")
            running.ask("delete tap tap5")
