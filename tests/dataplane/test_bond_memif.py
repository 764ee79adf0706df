"""Two wirespeed routers with a bond between them over memif: members come and go under traffic, and a
router restarts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from generator_child import GeneratorChild
from harness.cpus import ALL_CPUS
from harness.waiting import wait_for
from router_run import RouterProcess, router, worker_cpu
from scapy.all import IP, UDP, Ether, Raw

from wirespeed._native.flow_records import FlowCounters, FlowKind, LatencyCounters
from wirespeed._native.stream_records import Stream
from wirespeed.statseg.segment import StatsSegment

FLOWS, RATE_PPS = 16, 500.0
CPUS = sorted(ALL_CPUS)
needs_two_cpus = pytest.mark.skipif(len(CPUS) < 2, reason="two workers need two CPUs")


def ports(directory: Path, side: str, workers: int) -> list[str]:
    role, queues = "server" if side == "a" else "client", f"rxq={workers},txq={workers}"
    wires = [f"b{n}=memif:{directory}/b{n}.sock,role={role},{queues}" for n in (0, 1)]
    return [f"e0=memif:{directory}/{side}.sock,role=server,{queues}", *wires]


def config(mode: str, side: str, workers: int) -> str:
    """Each worker has a queue of each port, and sleeps while no packets come."""
    names = "e0", "b0", "b1"
    places = [(port, worker) for port in names for worker in range(workers)]
    return (
        "".join(f"set interface rx-placement {port} queue {n} worker {n}\n" for port, n in places)
        + "".join(f"set interface rx-mode {port} interrupt\n" for port in names)
        + "set interface state e0 up\nset interface state b0 up\nset interface state b1 up\n"
        f"create bond mode {mode} hw-addr 02:fe:00:00:00:0{side}\n"
        "bond add BondEthernet0 b0\nbond add BondEthernet0 b1\nset interface state BondEthernet0 up\n"
        "set interface l2 xconnect e0 BondEthernet0\nset interface l2 xconnect BondEthernet0 e0\n"
    )


@contextmanager
def side(directory: Path, name: str, mode: str, workers: int = 1) -> Iterator[RouterProcess]:
    own = directory / name
    own.mkdir(exist_ok=True)
    cpus = str(worker_cpu()) if workers == 1 else ",".join(map(str, CPUS[-workers:]))
    with router(own, ports(directory, name, workers), config(mode, name, workers), "--cpu", cpus) as running:
        yield running


def flow(ident: int) -> Stream:
    headers = Ether(dst="00:00:00:02:00:00", src="00:00:00:01:00:00") / IP(src="16.0.0.1", dst="48.0.0.1")
    packet = bytes(headers / UDP(sport=1025 + ident, dport=12) / Raw(b"x" * 40))
    return Stream(ident, packet, rate_pps=RATE_PPS, flow_kind=FlowKind.LATENCY, flow_id=ident)


def of_one_instant(child: GeneratorChild) -> tuple[list[LatencyCounters], list[tuple[FlowCounters, ...]]] | None:
    """Latency and counters of each flow; None if packets arrived between the two readings."""
    seen = [child.latency(ident) for ident in range(FLOWS)]
    counts = [child.flow(FlowKind.LATENCY, ident) for ident in range(FLOWS)]
    return (
        (seen, counts) if all(row[1].rx_packets == had.packets for row, had in zip(counts, seen, strict=True)) else None
    )


def active(running: RouterProcess) -> int:
    return int(running.ask("show bond").splitlines()[1].split()[4])


def wait_open(*routers: RouterProcess) -> None:
    wait_for(lambda: all(active(one) == 2 for one in routers), "two active members on both sides")


def wait_traffic(child: GeneratorChild, packets: int = 2000) -> None:
    before = child.snapshot().ports[1].rx_packets
    wait_for(lambda: child.snapshot().ports[1].rx_packets > before + packets, "traffic through the bond")


def sent_by_members(running: RouterProcess) -> list[int]:
    shown = running.ask("show interface b0 b1")
    return [int(line.split()[-1]) for line in shown.splitlines() if "tx packets" in line]


def carried(directory: Path) -> list[int]:
    """Number of packets of each worker."""
    with StatsSegment(directory / "router.stats") as stats:
        return [value[0] for value in stats.read(["^/sys/rx$"])["/sys/rx"].values[1:]]


def marker_answers(running: RouterProcess) -> int:
    rows = running.ask("show errors").splitlines()
    return sum(int(row.split()[0]) for row in rows if "answers to our markers" in row)


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param(1, marks=pytest.mark.long("LACP takes seconds to open; two workers are the harder case")),
        pytest.param(2, marks=needs_two_cpus),
    ],
)
@pytest.mark.parametrize(
    "members", [("b0",), pytest.param(("b0", "b1", "b0"), marks=pytest.mark.long("each member goes, one twice"))]
)
def test_members_go_and_come_back_and_no_flow_gets_out_of_order(tmp_path, workers, members):
    mode = "lacp load-balance l34"
    with side(tmp_path, "a", mode, workers) as one, side(tmp_path, "b", mode, workers) as other:
        wait_open(one, other)
        gates = [f"memif:{tmp_path}/{name}.sock,role=client,rxq={workers},txq={workers}" for name in ("a", "b")]
        with GeneratorChild(*gates) as child:
            child.start(0, *map(flow, range(FLOWS)))
            wait_traffic(child)
            assert all(sent_by_members(one))
            for member in members:
                one.ask(f"set interface state {member} down")
                assert active(one) == 1
                wait_for(lambda: active(other) == 1, "the other side to notice")
                wait_traffic(child)
                one.ask(f"set interface state {member} up")
                wait_open(one, other)
                wait_traffic(child)
            child.change("stop", 0)
            child.finish()
            seen, counts = wait_for(lambda: of_one_instant(child), "the counters of the last packet")
        # Each worker had flows of its own and sent markers itself; the other end replied to each.
        assert all(packets > 1000 for packets in carried(tmp_path / "a") + carried(tmp_path / "b"))
        asked = [marker_answers(running) for running in (one, other)]
        assert asked[0] >= len(members) * workers, asked
        assert [(one.out_of_order, one.duplicate) for one in seen] == [(0, 0)] * FLOWS
        for row, had in zip(counts, seen, strict=True):
            # Packets missing at the end of a flow are not gaps.
            assert row[1].rx_packets == had.packets <= row[0].tx_packets - had.dropped


@pytest.mark.long("LACP takes 3 s to open, twice; the test above has members that go and come back")
def test_a_router_that_restarts_is_a_partner_again(tmp_path):
    mode = "lacp load-balance l34"
    with side(tmp_path, "a", mode) as one:
        for _ in range(2):
            assert active(one) == 0
            with side(tmp_path, "b", mode) as other:
                wait_open(one, other)
                told = [
                    running.ask("show lacp").count("MUX-state: COLLECTING_DISTRIBUTING") for running in (one, other)
                ]
                assert told == [2, 2]
            wait_for(lambda: active(one) == 0, "the loss of both members")


@pytest.mark.long("LACP gives a partner up after 6 s; test_lacp.c has the states without waiting")
def test_one_side_without_lacp_leaves_the_other_closed(tmp_path):
    with side(tmp_path, "a", "lacp") as one, side(tmp_path, "b", "xor") as other:
        wait_for(lambda: active(other) == 2, "the side without LACP")
        wait_for(lambda: one.ask("show lacp").count("RX-state: DEFAULTED") == 2, "the side that waits in vain")
        assert active(one) == 0
