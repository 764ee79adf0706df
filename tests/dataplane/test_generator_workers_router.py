"""Several workers of a generator's ports, through a wirespeed router: no packet is lost or counted twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from harness.cpus import ALL_CPUS
from scapy.all import IP, UDP, Ether, Raw

from wirespeed._native.flow_records import FlowKind
from wirespeed._native.stream_records import Op, OpKind, Stream, StreamMode
from wirespeed.statseg.segment import StatsSegment

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild
from harness.waiting import wait_for
from router_run import router

CPUS = sorted(ALL_CPUS)[:2]
pytestmark = pytest.mark.skipif(len(CPUS) < 2, reason="two workers need two CPUs")

ROUTED = "".join(
    f"set interface mac address e{port} 02:fe:00:00:00:0{port}\n"
    f"set interface state e{port} up\n"
    f"set interface ip address e{port} 100.64.{port}.1/30\n"
    f"ip route add {net}.0.0.0/8 via 100.64.{port}.2\n"
    f"ip neighbor e{port} 100.64.{port}.2 02:ee:00:00:00:0{port}\n"
    for port, net in ((0, 16), (1, 48))
)
FLOWS = 250
ENDLESS, BURSTS = 2000 + 500, 500 + 4 * 100 + 5 * 2 * 10
"""Numbers of packets of `streams`, those of endless ones in half a second."""


def streams(port: int) -> tuple[tuple[Stream, ...], tuple[Stream, ...]]:
    """To the other port's network: many counted flows and a latency stream; a counted burst, bursts, and a chain of
    two.
    """
    mine, other = ((16, 48), (48, 16))[port]
    frame = bytes(
        Ether(src=f"02:ee:00:00:00:0{port}", dst=f"02:fe:00:00:00:0{port}")
        / IP(src=f"{mine}.0.0.1", dst=f"{other}.0.0.1")
        / UDP(sport=1025, dport=12)
        / Raw(bytes(58))
    )
    first = mine << 24
    sources = (
        Op(OpKind.VAR, size=4, min=first, max=first + FLOWS - 1, init=first, step=1),
        Op(OpKind.WRITE, size=4, big_endian=True, offset=26),
        Op(OpKind.FIX_IP4, offset=14),
    )
    endless = Stream(1, frame, rate_pps=4e3, ops=sources, flow_kind=FlowKind.STATS, flow_id=port)
    burst = {"mode": StreamMode.SINGLE_BURST, "rate_pps": 2e4}
    return (endless, replace(endless, id=6, rate_pps=1e3, ops=(), flow_kind=FlowKind.LATENCY, flow_id=port)), (
        Stream(2, frame, packets=500, flow_kind=FlowKind.STATS, flow_id=10 + port, ops=sources, **burst),
        Stream(3, frame, mode=StreamMode.MULTI_BURST, rate_pps=2e4, packets=100, bursts=4, burst_gap_us=1000),
        Stream(4, frame, packets=10, next_id=5, **burst),
        Stream(5, frame, packets=10, next_id=4, self_start=False, loops=5, **burst),
    )


def counted(directory: Path, what: str) -> list[int]:
    """Counters of e0 and e1, over all workers of the router."""
    with StatsSegment(directory / "router.stats") as stats:
        names = [f"/interfaces/e{port}/{what}" for port in (0, 1)]
        read = stats.read([f"^{name}$" for name in names])
    return [read[name].total[0] for name in names]


@pytest.mark.parametrize(
    ("workers", "queues"),
    [
        pytest.param(2, 2, id="a queue for each"),
        pytest.param(
            2, 1, id="two workers share the router's one ring", marks=pytest.mark.long("the other two have more queues")
        ),
        pytest.param(
            4, 4, id="four workers on two CPUs", marks=pytest.mark.long("twelve seconds, in which six threads poll")
        ),
    ],
)
def test_all_that_is_sent_comes_back(tmp_path: Path, workers: int, queues: int) -> None:
    served = [f"e{i}=memif:{tmp_path}/w{i}.sock,role=server,rxq={queues},txq={queues},rxd=4096" for i in (0, 1)]
    wires = [f"memif:{tmp_path}/w{i}.sock,rxq={workers},txq={workers},rxd=4096,zero-copy=yes" for i in (0, 1)]
    both = list(range(workers))
    with (
        router(tmp_path, served, ROUTED, "--cpu", f"{CPUS[0]},{CPUS[1]}") as running,
        GeneratorChild(*wires, cpus=CPUS * (workers // 2), memory_mb=512, port_workers=[both, both]) as child,
    ):
        wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") == 2, "both links")
        for port in (0, 1):
            endless, bursts = streams(port)
            child.start(port, *endless, duration_s=0.5, profile=1)
            child.start(port, *bursts, profile=2)
        ends = child.finish()
        sent = [end.tx_packets for end in ends]
        wait_for(lambda: counted(tmp_path, "rx") == sent, "all packets at the router")
        wait_for(lambda: counted(tmp_path, "tx") == [end.rx_packets for end in child.finish()], "all packets back")
        # The router also announces its addresses.
        back = [end.rx_packets - end.rx_kinds.arp - end.rx_kinds.nd for end in child.finish()]
        assert [end.intended_packets for end in ends] == [ENDLESS + BURSTS] * 2
        assert [end.tx_packets + end.late_packets for end in ends] == [ENDLESS + BURSTS] * 2
        assert back == sent[::-1]
        for port in (0, 1):
            flow, whole = (child.flow(FlowKind.STATS, number) for number in (port, 10 + port))
            assert whole[port].tx_packets == whole[port ^ 1].rx_packets == 500
            assert flow[port].tx_packets == flow[port ^ 1].rx_packets
            assert flow[port].tx_bytes == flow[port ^ 1].rx_bytes
            seen, probes = child.latency(port), child.flow(FlowKind.LATENCY, port)
            assert seen.packets == probes[port].tx_packets == probes[port ^ 1].rx_packets
            assert (seen.dropped, seen.out_of_order, seen.duplicate) == (0, 0, 0)
            # Only the chain, the bursts and counted packets were sent.
            assert sent[port] == flow[port].tx_packets + probes[port].tx_packets + BURSTS
        assert all(load.busy_clocks for load in child.snapshot().workers)
