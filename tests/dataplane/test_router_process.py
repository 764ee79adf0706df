"""`wirespeed router` for a user: starts, refusals, ends, and displays of real traffic."""

from __future__ import annotations

import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from harness.cpus import ALL_CPUS
from harness.programs import wirespeed
from harness.waiting import wait_for
from router_run import command, loops, received, router, wait_received, worker_cpu, write_pcap
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from shared_router import shared

from wirespeed.errors import UsageError

RINGS = ["e0=ring:a", "e1=ring:a"]
CONFIG = """\
set interface mac address e0 02:fe:00:00:00:00
set interface mac address e1 02:fe:00:00:00:01
set int state e0 up
set int state e1 up
set int ip address e0 100.64.1.1/30
set int ip address e1 100.64.2.1/30
ip route add 48.0.0.0/8 via 100.64.2.2
ip neighbor e1 100.64.2.2 02:ee:00:00:00:01
"""
FRAME = bytes(
    Ether(src="02:ee:00:00:00:00", dst="02:fe:00:00:00:00")
    / IP(src="16.0.0.1", dst="48.0.0.1", ttl=64, id=0)
    / UDP(sport=1025, dport=12, chksum=0)
    / Raw(bytes(22))
)


def refusal(directory: Path, interfaces: Sequence[str], *options: str, status: int) -> str:
    """The single error line of a router that cannot start."""
    words = command(directory / "router.sock", interfaces, *options)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert not (directory / "router.sock").exists()
    return done.stderr.splitlines()[-1]


# ---- Starting


def test_it_says_what_it_runs_on_and_is_ready(tmp_path: Path) -> None:
    with router(tmp_path, RINGS, CONFIG) as running:
        lines = running.said.splitlines()
        assert lines[0].startswith("e0: ring, 02:fe:00:00:00:00, 10 Gbps, up, 100.64.1.1/30")
        assert lines[-1] == f"ready: workers on CPU {worker_cpu()}, control socket {running.socket}"
        assert running.socket.stat().st_mode & 0o777 == 0o600
    assert not running.socket.exists()


def test_the_binary_api_is_beside_it_or_elsewhere_or_nowhere(tmp_path: Path) -> None:
    with router(tmp_path, RINGS, CONFIG, "--no-api"):
        assert not (tmp_path / "api.sock").exists()
    (tmp_path / "vpp").mkdir()
    with router(tmp_path, RINGS, CONFIG, "--api-socket", str(tmp_path / "vpp/api.sock")):
        assert (tmp_path / "vpp/api.sock").is_socket()
        assert not (tmp_path / "api.sock").exists()
    assert not (tmp_path / "vpp/api.sock").exists()


@pytest.mark.parametrize(
    ("interfaces", "message"),
    [
        (["e0=memfi:/tmp/e0.sock"], "'memfi' is not a port type"),
        (["e0=memif:/nowhere/at/all/e0.sock"], "directory /nowhere/at/all does not exist"),
        (["e0"], "is not NAME=SPEC"),
        (["e 0=ring:a"], "is not NAME=SPEC"),
        (["e0=ring:a", "e0=ring:a"], "interface name e0 is given twice"),
        (["e0=ring:a,rxq=0"], "rxq is a number from 1"),
        ([f"e0=pcap:/{'x' * 300}"], "its device and options have 319 bytes, of at most 255"),
    ],
)
def test_a_wrong_interface_is_named(tmp_path: Path, interfaces: list[str], message: str) -> None:
    assert message in refusal(tmp_path, interfaces, status=2)


@pytest.mark.parametrize(
    ("cpus", "status", "message"),
    [
        ("4095", 3, "CPU 4095 does not exist"),
        ("99999", 3, "CPU 99999 does not exist"),
        ("one", 2, "give CPU numbers such as"),
        ("0,0", 2, "names a CPU twice"),
        ("0-80", 2, "1 to 64 workers are possible"),
    ],
)
def test_a_wrong_cpu_is_named(tmp_path: Path, cpus: str, status: int, message: str) -> None:
    assert message in refusal(tmp_path, RINGS, "--cpu", cpus, status=status)


def test_a_start_up_file_that_is_wrong_ends_it_before_traffic(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [FRAME] * 10)
    config = tmp_path / "start.conf"
    config.write_text(CONFIG + "# further\nset int stat e1 upp\n")
    ports = [f"e0=pcap:{tmp_path}/in.pcap", f"e1=pcap:,{tmp_path}/out.pcap"]
    line = refusal(tmp_path, ports, "--exec", str(config), status=2)
    assert f"{config}, line 10: word 5, 'upp', is not known here: did you mean 'up'? expected one of down, up" in line
    # The file has only pcap's header of 24 bytes.
    assert (tmp_path / "out.pcap").stat().st_size <= 24


def test_a_start_up_file_that_is_missing_is_named(tmp_path: Path) -> None:
    line = refusal(tmp_path, RINGS, "--exec", str(tmp_path / "nope.conf"), status=6)
    assert "nope.conf cannot be read: No such file" in line


def test_hugepages_that_are_not_there_are_named_with_the_remedy(tmp_path: Path) -> None:
    free_kb = sum(
        int((pool / "free_hugepages").read_text()) * int(pool.name.removeprefix("hugepages-").removesuffix("kB"))
        for pool in Path("/sys/kernel/mm/hugepages").glob("hugepages-*")
    )
    # More packet buffers than fit, each larger than 2 KB.
    startup = tmp_path / "startup.conf"
    startup.write_text(f"buffers {{ buffers-per-numa {max(16_384, free_kb)} }}\n")
    line = refusal(tmp_path, RINGS, "-c", str(startup), "--hugepages", "require", status=3)
    assert re.search(r"\d+ MB of hugepages are needed and \d+ MB are free; as root: f=/sys/.+ \+ \d+\)\) > \$f", line)


def test_a_kind_of_polling_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    assert "Invalid value for '--poll': 'lazy' is not one of 'paced', 'eager'; see wirespeed router" in refusal(
        tmp_path, RINGS, "--poll", "lazy", status=2
    )


def test_a_table_too_large_for_memory_is_refused(tmp_path: Path) -> None:
    assert "--max-routes 99999999 is not between" in refusal(tmp_path, RINGS, "--max-routes", "99999999", status=2)


def test_a_memif_in_use_is_refused_and_a_stale_one_taken_over(tmp_path: Path) -> None:
    wire = tmp_path / "e0.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as other:
        other.bind(str(wire))
        other.listen(1)
        assert "is in use by another process" in refusal(tmp_path, [f"e0=memif:{wire},role=server"], status=3)
    assert wire.exists()
    with router(tmp_path, [f"e0=memif:{wire},role=server"]) as running:
        assert "e0" in running.ask("show interface")


def test_a_second_router_needs_a_socket_of_its_own(tmp_path: Path) -> None:
    with router(tmp_path, RINGS) as running:
        again = subprocess.run(command(running.socket, RINGS), capture_output=True, text=True, check=False)
        assert again.returncode == 3
        assert "give this one a --socket of its own" in again.stderr
        assert running.ask("show mode")
        (tmp_path / "second").mkdir()
        with router(tmp_path / "second", RINGS) as second:
            assert second.ask("show mode")


# ---- Ending


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with router(tmp_path, RINGS) as running:
        running.process.send_signal(number)
        assert running.process.wait() == 0
        assert not running.socket.exists()


def test_after_a_kill_the_next_one_starts(tmp_path: Path) -> None:
    with pytest.raises(AssertionError), router(tmp_path, RINGS) as running:
        running.process.kill()
        running.process.wait()
    assert running.socket.exists()
    with router(tmp_path, RINGS) as running:
        assert running.ask("show mode")


def test_its_main_thread_sleeps(tmp_path: Path) -> None:
    """It shares its CPU with a worker: only its timer may wake it, once per second."""

    def wakes(pid: int) -> int:
        status = Path(f"/proc/{pid}/status").read_text()
        found = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.MULTILINE)
        assert found
        return int(found[1])

    with router(tmp_path, RINGS) as running:
        wait_for(lambda: loops(running) > 0, "the worker's first loop")
        before, begun = wakes(running.process.pid), time.monotonic()
        subprocess.run(["sleep", "1"], check=True)
        after, elapsed = wakes(running.process.pid), time.monotonic() - begun
    # The last request may cause a few wake-ups itself.
    assert after - before < 2 * elapsed + 10


# ---- Display of real traffic


def test_the_awk_line_of_the_netgate_article_runs_on_ctl(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [FRAME] * 64)
    with router(tmp_path, [f"e0=pcap:{tmp_path}/in.pcap,loop", "e1=null"], CONFIG) as running:
        wait_for(lambda: received(running) > 200_000, "traffic")
        ctl = shlex.join(wirespeed("ctl", "--socket", running.socket))
        script = (
            f"{ctl} clear run && sleep 1 && {ctl} show run | "
            """awk '$2 ~ /active|polling/ && $4 > 25000 {
      print $0;
      if ($1=="ethernet-input") { packets = $4};
      if ($1=="dpdk-input") { dpdk_time = $6};
      total_time += $6
    } END {
      print packets/30, "packets/sec, at",total_time,"cycles/packet,",
            total_time-dpdk_time,"cycles/packet not counting DPDK"
    }'"""
        )
        printed = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    *rows, last = printed.splitlines()
    forwarding = ["dpdk-input", "e1-output", "e1-tx", "ethernet-input", "ip4-input", "ip4-lookup", "ip4-rewrite"]
    assert [row.split()[0] for row in rows if row.split()[0] in forwarding] == forwarding
    assert [row.split()[1] for row in rows] == ["polling"] + ["active"] * (len(rows) - 1)
    numbers = re.fullmatch(r"(\S+) packets/sec, at (\S+) cycles/packet, (\S+) cycles/packet not counting DPDK", last)
    assert numbers is not None
    packets, cycles, inner = (float(number) for number in numbers.groups())
    assert packets > 25000 / 30 and cycles > inner > 0


def test_rates_counters_and_buffers_of_real_traffic_agree(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [FRAME] * 1000)
    ports = [f"e0=pcap:{tmp_path}/in.pcap,{tmp_path}/none.pcap", f"e1=pcap:,{tmp_path}/out.pcap"]
    with router(tmp_path, ports, CONFIG) as running:
        wait_received(running, 1000)
        rows = {row.split()[0]: row.split() for row in running.ask("show runtime").splitlines()}
        for node in ("dpdk-input", "ethernet-input", "ip4-input", "ip4-lookup", "ip4-rewrite", "e1-output", "e1-tx"):
            assert rows[node][3] == "1000", node
        interface = running.ask("show interface")
        assert re.search(r"rx packets +1000\n +rx bytes +64000\n +ip4 +1000\n", interface)
        assert re.search(r"tx packets +1000\n +tx bytes +64000\n", interface)
        assert "1000" in running.ask("show hardware-interfaces e0 detail")
        running.ask("clear interfaces")
        running.ask("clear runtime")
        assert received(running) == 0
        assert "ip4-lookup" not in running.ask("show runtime")
        assert running.ask("show buffers").splitlines()[1].split()[0] == "default-numa-0"


def test_a_traced_packet_shows_its_nodes_and_its_rewrite(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [FRAME] * 3)
    ports = [f"e0=pcap:{tmp_path}/in.pcap,{tmp_path}/none.pcap", f"e1=pcap:,{tmp_path}/out.pcap"]
    with shared(tmp_path, ports, CONFIG + "trace add dpdk-input 2\n") as running:
        wait_received(running, 3)
        text = running.ask("show trace")
        running.ask("clear trace")
        assert "No packets in trace buffer" in running.ask("show trace")
    assert re.findall(r"^Packet (\d+)$", text, re.MULTILINE) == ["1", "2"]
    first = text.split("Packet 2")[0]
    nodes = re.findall(r"^\d\d:\d\d:\d\d:\d{6}: (\S+)$", first, re.MULTILINE)
    assert nodes == ["dpdk-input", "ethernet-input", "ip4-input", "ip4-lookup", "ip4-rewrite", "e1-output", "e1-tx"]
    before, after = first.split("e1-output\n")
    assert "  IP4: 02:ee:00:00:00:00 -> 02:fe:00:00:00:00\n" in before
    assert "ttl 64, length 50, checksum 0x3aba" in before
    assert "  IP4: 02:fe:00:00:00:01 -> 02:ee:00:00:00:01\n" in after
    assert "ttl 63, length 50, checksum 0x3bba" in after


def test_what_cannot_be_done_to_a_running_router_is_said_in_one_line(tmp_path: Path) -> None:
    with shared(tmp_path, RINGS, CONFIG) as running:
        for line, message in [
            ("set interface ip address e1 100.64.1.2/24", "overlaps"),
            ("set interface ip address e0 100.64.1.1/30", "has 100.64.1.1/30 already"),
            ("set interface ip address e0 10.0.0.0/8", "no"),
            ("ip route add 10.0.0.0/8 via 9.9.9.9", "on no connected network"),
            ("ip route add 100.64.1.0/30 via 100.64.2.2", "connected route"),
            ("ip neighbor e0 224.0.0.5 02:00:00:00:00:01", "224.0.0.5"),
            ("ip neighbor del e0 100.64.1.2", "neighbo"),
            ("trace add no-such-node 5", "there is no node"),
            ("set interface mtu packet 9217 e0", "mtu 9217 is not between 68"),
        ]:
            with pytest.raises(UsageError, match=message):
                running.ask(line)


def test_placement_moves_while_traffic_runs(tmp_path: Path) -> None:
    cpus = sorted(ALL_CPUS)
    if len(cpus) < 2:
        pytest.skip("two workers need two CPUs")
    # A null port produces endless empty frames.
    with router(tmp_path, ["e0=null", "e1=null"], CONFIG, "--cpu", f"{cpus[0]},{cpus[-1]}") as running:
        assert "Thread 1 (ws_wk_0):\n node dpdk-input:\n    e0 queue 0" in running.ask("show interface rx-placement")
        running.ask("set interface rx-placement e0 worker 1")
        assert "Thread 2 (ws_wk_1):\n node dpdk-input:\n    e0 queue 0" in running.ask("show interface rx-placement")
        before = received(running)
        wait_for(lambda: received(running) > before, "traffic after the move")


def test_the_picture_of_the_graph_is_that_of_the_graph() -> None:
    script = str(Path(__file__).parents[2] / "tools" / "graph-picture.py")
    drawn = subprocess.run([sys.executable, script, "--check"], check=False, capture_output=True, text=True)
    assert drawn.returncode == 0, drawn.stderr
