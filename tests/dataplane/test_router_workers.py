"""Several workers: shared TX queues, moved queues, sleeping workers, hand-off; on two CPUs if available."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from generator_child import GeneratorChild
from harness.cpus import ALL_CPUS
from harness.waiting import wait_for
from router_run import RouterProcess, read_pcap, received, router, wait_received, write_pcap
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from shared_router import shared
from test_generator_core import burst

from wirespeed._native.stream_records import Op, OpKind
from wirespeed.dut.runtime import parse_runtime
from wirespeed.errors import UsageError
from wirespeed.statseg.segment import StatsSegment

CPUS = sorted(ALL_CPUS)
TWO = ("--cpu", f"{CPUS[0]},{CPUS[-1]}")
needs_two_cpus = pytest.mark.skipif(len(CPUS) < 2, reason="two workers need two CPUs")

CONFIG = """\
set interface mac address e0 02:fe:00:00:00:00
set interface mac address e1 02:fe:00:00:00:01
set interface state e0 up
set interface state e1 up
set interface state e2 up
set interface ip address e0 100.64.0.1/30
set interface ip address e1 100.64.1.1/30
set interface ip address e2 100.64.2.1/30
ip route add 48.0.0.0/8 via 100.64.2.2
ip neighbor e2 100.64.2.2 02:ee:00:00:00:02
"""


def flows(interface: int, count: int) -> list[bytes]:
    """One packet of each of that many flows, which differ in their source addresses."""
    head = Ether(src="02:ee:00:00:00:00", dst=f"02:fe:00:00:00:0{interface}")
    frame = bytearray(bytes(head / IP(src="0.0.0.0", dst="48.0.0.1", chksum=0) / UDP(sport=1, dport=2) / bytes(30)))
    made = []
    for number in range(count):
        frame[26:30] = bytes([16, interface, number >> 8, number & 0xFF])
        frame[24:26] = bytes(2)
        frame[24:26] = checksum(frame[14:34])
        made.append(bytes(frame))
    return made


def checksum(header: bytes) -> bytes:
    total = sum(int.from_bytes(header[i : i + 2], "big") for i in range(0, len(header), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return (~total & 0xFFFF).to_bytes(2, "big")


def ports(directory: Path, *sent: Sequence[bytes]) -> list[str]:
    for index, frames in enumerate(sent):
        write_pcap(directory / f"{index}-in.pcap", frames)
    return [f"e{i}=pcap:{directory}/{i}-in.pcap,{directory}/{i}-out.pcap" for i in range(len(sent))]


def sources(frames: Sequence[bytes]) -> Counter[bytes]:
    return Counter(frame[26:30] for frame in frames)


def worker_rx(directory: Path) -> list[int]:
    return of_workers(directory, "/nodes/ip4-input/vectors")


def pps(running: RouterProcess) -> list[float]:
    return [float(rate) for rate in re.findall(r"vector rates in (\S+),", running.ask("show runtime"))]


# ---- RX queues


@pytest.mark.alone
@needs_two_cpus
def test_flows_that_a_generator_spreads_reach_all_workers(tmp_path: Path) -> None:
    """One worker of the generator fills two rings and empties two; each flow uses one of them, in both directions."""
    count, each_flow = 256, 10
    ops = (
        Op(OpKind.VAR, size=4, min=0x10000000, max=0x10000000 + count - 1, init=0x10000000),
        Op(OpKind.WRITE, size=4, offset=26),
        Op(OpKind.FIX_IP4, offset=14),
    )
    crossed = "".join(
        f"set interface state e{i} up\nset interface l2 xconnect e{i} e{1 - i}\n"
        f"set interface rx-placement e{i} queue 0 worker 0\nset interface rx-placement e{i} queue 1 worker 1\n"
        for i in (0, 1)
    )
    # The rings have room for all packets, and the load lasts less than 20 ms: preemption costs no packet.
    queues = "rxq=2,txq=2,rxd=4096,txd=4096"
    served = [f"e{i}=memif:{tmp_path}/w{i}.sock,role=server,{queues}" for i in (0, 1)]
    wires = [f"memif:{tmp_path}/w{i}.sock,{queues},zero-copy=yes" for i in (0, 1)]
    with router(tmp_path, served, crossed, *TWO) as running, GeneratorChild(*wires) as child:
        wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") == 2, "both links")
        child.start(0, replace(burst(1, 2e5, each_flow * count), ops=ops))
        wait_for(lambda: child.snapshot().ports[1].rx_packets >= each_flow * count, "all packets")
        assert child.snapshot().ports[0].tx_packets == child.snapshot().ports[1].rx_packets == each_flow * count
        each = of_workers(tmp_path, "/sys/rx")
    assert sum(each) == each_flow * count
    assert all(packets % each_flow == 0 and packets > each_flow * count / 10 for packets in each)


# ---- TX queues


@needs_two_cpus
def test_two_workers_share_a_port_with_one_tx_queue(tmp_path: Path) -> None:
    first, second = flows(0, 4000), flows(1, 4000)
    with router(tmp_path, ports(tmp_path, first, second, []), CONFIG, *TWO) as running:
        wait_received(running, 8000)
        wait_for(lambda: sum(worker_rx(tmp_path)) == 8000, "both workers' packets")
        assert worker_rx(tmp_path) == [4000, 4000]
        assert re.search(r"0 +yes +1,2", running.ask("show hardware-interfaces e2"))
    assert sources(read_pcap(tmp_path / "2-out.pcap")) == sources([*first, *second])


@needs_two_cpus
def test_two_memif_queues_feed_two_workers(tmp_path: Path) -> None:
    """Each worker of one router fills a TX queue of the memif, and each worker of the other one empties a queue; four
    on two CPUs.
    """
    near, far = tmp_path / "near", tmp_path / "far"
    near.mkdir()
    far.mkdir()
    memif = f"memif:{tmp_path}/wire.sock,rxq=2,txq=2"
    give = "".join(f"set interface state e{i} up\nset interface rx-placement e{i} worker {i % 2}\n" for i in range(3))
    give += "set interface l2 xconnect e0 e2\nset interface l2 xconnect e1 e2\n"
    take = "set interface state e0 up\nset interface rx-mode e0 adaptive\n"
    with router(far, [f"e0={memif},role=server"], take, *TWO) as receiver:
        with router(near, ["e0=null", "e1=null", f"e2={memif},role=client"], give, *TWO):
            wait_for(lambda: min(entered(far)) > 50_000, "packets in both queues")
            seen = received(receiver)
        # After the sender has ended, all its packets have been received by some worker, and counted.
        wait_for(lambda: quiet(receiver, far), "silence")
        each = entered(far)
        assert each == of_workers(far, "/sys/drops") == of_workers(far, "/sys/rx")
        # The driver restarts its counters at 0 when its peer disconnects; the interface does not.
        assert received(receiver) >= seen > 50_000
        threads = parse_runtime(receiver.ask("show runtime"))
        for name in ("ethernet-input", "error-drop"):
            assert [node.vectors for thread in threads for node in thread.nodes if node.name == name] == each
        totals = [int(row.split()[0]) for row in receiver.ask("show errors").splitlines() if "mac mismatch" in row]
        assert totals == [sum(each)]


def entered(directory: Path) -> list[int]:
    return of_workers(directory, "/nodes/ethernet-input/vectors")


def of_workers(directory: Path, name: str) -> list[int]:
    with StatsSegment(directory / "router.stats") as stats:
        return [value[0] for value in stats.read([f"^{name}$"])[name].values[1:]]


def quiet(running: RouterProcess, directory: Path) -> bool:
    before = entered(directory)
    rounds(running, 20)
    return entered(directory) == before


# ---- Placement


@needs_two_cpus
def test_queues_move_under_traffic_without_loss(tmp_path: Path) -> None:
    sent = flows(0, 20000)
    with router(tmp_path, ports(tmp_path, sent, [], []), CONFIG, *TWO) as running:
        for worker in (1, 0) * 10:
            running.ask(f"set interface rx-placement e0 queue 0 worker {worker}")
        wait_received(running, 20000)
        wait_for(lambda: sum(worker_rx(tmp_path)) == 20000, "the packets' way")
        with pytest.raises(UsageError, match="there is no worker 2; there are 0 to 1"):
            running.ask("set interface rx-placement e0 worker 2")
    assert sources(read_pcap(tmp_path / "2-out.pcap")) == sources(sent)


# ---- Sleeping


@pytest.mark.alone
@pytest.mark.parametrize("mode", ["adaptive", "interrupt"])
def test_a_worker_sleeps_when_idle_and_wakes_for_packets(tmp_path: Path, mode: str) -> None:
    modes = "".join(f"set interface rx-mode e{i} {mode}\n" for i in range(3))
    sent = flows(0, 3000)
    with router(tmp_path, ports(tmp_path, sent, [], []), CONFIG + modes) as running:
        wait_received(running, 3000)
        before = sleeps(running)
        wait_for(lambda: sleeps(running) > before + 10, "sleep")
        assert f"e0 queue 0 ({mode})" in running.ask("show interface rx-placement")
        # Changes reach a worker that sleeps.
        running.ask("ip route add 9.0.0.0/8 via 100.64.2.2")
        running.ask("set interface rx-mode e1 polling")
        awake = sleeps(running)
        rounds(running, 1000)
        assert sleeps(running) == awake
        running.ask(f"set interface rx-mode e1 queue 0 {mode}")
        wait_for(lambda: sleeps(running) > awake, "sleep again")
    assert sources(read_pcap(tmp_path / "2-out.pcap")) == sources(sent)


@pytest.mark.alone
def test_an_idle_worker_costs_little(tmp_path: Path) -> None:
    config = "set interface rx-mode e0 adaptive\nset interface rx-mode e1 adaptive\n"
    with router(tmp_path, ["e0=ring:a", "e1=ring:a"], config) as running:
        wait_for(lambda: sleeps(running) > 5, "sleep")
        before, slept = worker_cpu_s(running), sleeps(running)
        wait_for(lambda: sleeps(running) > slept + 1500, "1500 naps")
        # Naps of a millisecond: a worker that polls uses the CPU for all of it, one that naps for a small part.
        assert worker_cpu_s(running) - before < 1500 * 1e-3 / 4


def worker_cpu_s(running: RouterProcess) -> float:
    thread = running.ask("show threads").splitlines()[1].split()[2]
    fields = Path(f"/proc/{running.process.pid}/task/{thread}/schedstat").read_text().split()
    return int(fields[0]) / 1e9


def sleeps(running: RouterProcess) -> int:
    return int(running.ask("show threads").splitlines()[1].split()[5])


def rounds(running: RouterProcess, count: int) -> None:
    def loops() -> int:
        return int(running.ask("show threads").splitlines()[1].split()[4])

    before = loops()
    wait_for(lambda: loops() > before + count, f"{count} rounds")


def ping(count: str) -> int:
    """Number of lost pings out of `count`."""
    words = ["ping", "-c", count, "-i", "0.02", "-W", "5", "10.99.77.1"]
    shown = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    match = re.search(r"(\d+) packets transmitted, (\d+) received", shown)
    assert match is not None, shown
    return int(match[1]) - int(match[2])


@pytest.mark.alone
def test_an_interrupt_wakes_a_worker(tmp_path: Path) -> None:
    """net_tap's descriptor signals packets: ping through it while the worker waits for it."""
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        pytest.skip("a tap needs root and /dev/net/tun")
    (tmp_path / "startup.conf").write_text("dpdk { vdev net_tap0,iface=wsrest0 { name e0 } }")
    config = (
        "set interface state e0 up\nset interface ip address e0 10.99.77.1/24\nset interface rx-mode e0 interrupt\n"
    )
    with router(tmp_path, [], config, "-c", str(tmp_path / "startup.conf")) as running:
        subprocess.run(["ip", "address", "add", "10.99.77.2/24", "dev", "wsrest0"], check=True)
        subprocess.run(["ip", "link", "set", "wsrest0", "up"], check=True)
        # Until both know each other.
        wait_for(lambda: ping("1") == 0, "an answer")
        before = sleeps(running)
        assert ping("20") == 0
        assert sleeps(running) > before


# ---- Hand-off


def numbered(frames: Sequence[bytes], copies: int) -> list[bytes]:
    """Each frame several times, with increasing IP identification."""
    made = []
    for number in range(copies):
        for frame in frames:
            header = bytearray(frame[14:34])
            header[4:6], header[10:12] = number.to_bytes(2, "big"), bytes(2)
            header[10:12] = checksum(bytes(header))
            made.append(frame[:14] + bytes(header) + frame[34:])
    return made


@pytest.mark.alone
@needs_two_cpus
@pytest.mark.parametrize("how", ["", " symmetrical"])
def test_hand_off_spreads_flows_and_keeps_their_order(tmp_path: Path, how: str) -> None:
    sent = numbered(flows(0, 400), 20)
    config = CONFIG + f"set interface handoff e0 workers 0,1{how}\n"
    with router(tmp_path, ports(tmp_path, sent, [], []), config, *TWO) as running:
        assert running.ask("show interface handoff") == "e0 workers 0,1\n"
        wait_received(running, 8000)
        wait_for(lambda: sum(worker_rx(tmp_path)) + congestion(tmp_path) == 8000, "both workers' packets")
        first, second = worker_rx(tmp_path)
        # By a hash of 400 flows: about half of them each.
        assert first > 2000 and second + congestion(tmp_path) > 2000
        assert "handoff-dispatch" in running.ask("show runtime")
        assert pps(running)[1] == 0  # polled by the first worker alone
        dropped = congestion(tmp_path)
    seen: dict[bytes, int] = {}
    forwarded = read_pcap(tmp_path / "2-out.pcap")
    assert len(forwarded) == 8000 - dropped
    for frame in forwarded:
        flow, number = frame[26:30], int.from_bytes(frame[18:20], "big")
        assert number > seen.get(flow, -1), "a flow's packets overtook each other"
        seen[flow] = number


def congestion(directory: Path) -> int:
    with StatsSegment(directory / "router.stats") as stats:
        return stats.read(["congestion"])["/err/worker-handoff/congestion drop"].total[0]


@pytest.mark.alone
@needs_two_cpus
def test_hand_off_wakes_a_worker_that_naps(tmp_path: Path) -> None:
    # The second worker has no queue of its own; all its packets are handed to it.
    modes = "".join(
        f"set interface rx-placement e{i} worker 0\nset interface rx-mode e{i} adaptive\n" for i in range(3)
    )
    sent = flows(0, 300)
    config = CONFIG + modes + "set interface handoff e0 workers 1\n"
    with router(tmp_path, ports(tmp_path, sent, [], []), config, *TWO) as running:
        wait_for(lambda: worker_rx(tmp_path) == [0, 300], "the second worker's packets")
        running.ask("set interface handoff e0 disable")
        assert running.ask("show interface handoff") == ""
    assert sources(read_pcap(tmp_path / "2-out.pcap")) == sources(sent)


@needs_two_cpus
def test_packets_that_hand_off_has_no_room_for_are_counted(tmp_path: Path) -> None:
    # The ring is not emptied while its worker is busy with endless packets of its own.
    config = "set interface state e0 up\nset interface state e1 up\nset interface rx-placement e1 worker 1\n"
    config += "set interface handoff e0 workers 1\n"
    with router(tmp_path, ["e0=null", "e1=null"], config, *TWO) as running:
        wait_for(lambda: congestion(tmp_path) > 10000, "drops")
        running.ask("set interface state e0 down")
        assert "congestion drop" in running.ask("show errors")


def test_hand_off_names_what_is_wrong(tmp_path: Path) -> None:
    with shared(tmp_path, ["e0=ring:a"]) as running:
        for line, message in [
            ("set interface handoff e0 workers 1", "there is no worker 1; there are 0 to 0"),
            ("set interface handoff e0 workers 0,0", "has a number twice"),
            ("set interface handoff e0 workers zero", "is not a list of numbers"),
            ("set interface handoff e7 workers 0", "there is no interface"),
        ]:
            with pytest.raises(UsageError, match=message):
                running.ask(line)


@needs_two_cpus
def test_captures_and_traces_see_what_is_handed_off_once(tmp_path: Path) -> None:
    sent = flows(0, 200)
    config = CONFIG + "set interface handoff e0 workers 0,1\ntrace add handoff-dispatch 1000\n"
    config += f"pcap trace rx max 1000 file {tmp_path}/got.pcap\n"
    with router(tmp_path, ports(tmp_path, sent, [], []), config, *TWO) as running:
        wait_for(lambda: sum(worker_rx(tmp_path)) == 200, "both workers' packets")
        assert running.ask("pcap trace off").startswith("captured 200 packets")
        shown = running.ask("show trace max 1000").partition("Start of thread 2")[2]
        assert shown.count("Packet ") == worker_rx(tmp_path)[1]
        assert shown.count(": handoff-dispatch") == shown.count(": ip4-rewrite") == worker_rx(tmp_path)[1]
    assert sources(read_pcap(tmp_path / "got.pcap")) == sources(sent)
