"""The generator's core on the real data plane: counts, rates, changes at run time, and refused requests."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest
from harness.cpus import ALL_CPUS
from harness.stopping import stop_process
from harness.waiting import wait_for
from scapy.all import IP, UDP, Ether, Raw

from wirespeed._native.flow_records import FlowKind
from wirespeed._native.generator import GeneratorSnapshot, PortTraffic
from wirespeed._native.stream_records import Op, OpKind, Stream, StreamMode, VarKind

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild, Refused
from pcap_file import frames


def packet(size: int = 64, dport: int = 12) -> bytes:
    """A UDP packet of `size` bytes on the wire, FCS included."""
    headers = Ether(dst="00:00:00:02:00:00", src="00:00:00:01:00:00") / IP(src="16.0.0.1", dst="48.0.0.1")
    return bytes(headers / UDP(sport=1025, dport=dport) / Raw(b"x" * (size - 46)))


def burst(ident: int, rate_pps: float, packets: int, size: int = 64) -> Stream:
    return Stream(ident, packet(size), mode=StreamMode.SINGLE_BURST, rate_pps=rate_pps, packets=packets)


def unsent(port: PortTraffic) -> int:
    return port.refused_packets + port.no_buffer_packets + port.late_packets


def deltas(samples: list[GeneratorSnapshot], port: int = 0) -> list[dict[str, float]]:
    """Differences between consecutive samples: counts, and `s` seconds."""
    names = ("tx_packets", "intended_packets", "refused_packets", "late_packets", "rx_packets")
    return [
        {name: getattr(after.ports[port], name) - getattr(before.ports[port], name) for name in names}
        | {"s": after.at_s - before.at_s}
        for before, after in zip(samples, samples[1:], strict=False)
    ]


def assert_asked(samples: list[GeneratorSnapshot], rate_pps: float, port: int = 0) -> None:
    """The number of packets due follows from the workers' own clocks, on a busy machine too.

    A preempted worker catches up at most 20 ms, and a thousand packets or a millisecond of load may be in progress. If
    a worker is preempted between its last packet and its reading of the clock, its counter lacks the packets due
    meanwhile, so the best of several samples counts. Each worker reads its counters and its clock when it runs; the
    sample has the time of the first worker.
    """
    first, last = samples[0], samples[-1]
    hz = (last.workers[0].total_clocks - first.workers[0].total_clocks) / (last.at_s - first.at_s)
    senders = [index for index, worker in enumerate(last.workers) if worker.sending >> port & 1]
    assert senders, "nobody sends at the end"

    def due(sample: GeneratorSnapshot) -> float:
        return rate_pps * mean(sample.workers[index].total_clocks for index in senders) / hz

    ahead = [sample.ports[port].intended_packets - due(sample) for sample in samples]
    third = len(samples) // 3
    assert max(ahead[-third:]) == pytest.approx(max(ahead[:third]), rel=0, abs=in_hand(rate_pps))


def in_hand(rate_pps: float) -> float:
    return rate_pps * 0.02 + max(1025.0, rate_pps * 1e-3)


def assert_sent_as_asked(samples: list[GeneratorSnapshot], rate_pps: float, port: int = 0) -> None:
    """The requested rate, except for late packets: on a busy machine the worker does not always run."""
    first, last = samples[0].ports[port], samples[-1].ports[port]
    assert_asked(samples, rate_pps, port)
    assert last.refused_packets == 0
    assert last.tx_packets > first.tx_packets


def assert_conserved(*snapshots: GeneratorSnapshot) -> None:
    for snapshot in snapshots:
        for port in snapshot.ports:
            assert port.intended_packets == port.tx_packets + unsent(port)


def test_bursts_have_exactly_their_packets() -> None:
    multi = Stream(2, packet(128), mode=StreamMode.MULTI_BURST, rate_pps=5e3, packets=30, bursts=4, burst_gap_us=500.0)
    with GeneratorChild("ring:loop") as child:
        child.start(0, burst(1, 5e3, 500), multi)
        port = child.finish()[0]
        assert (port.intended_packets, port.tx_packets, port.rx_packets) == (620, 620, 620)
        assert port.tx_bytes == port.rx_bytes == 500 * 64 + 120 * 128
        child.start(0, replace(burst(1, 5e3, 50), packet=b"\x02" * 14))
        port = child.finish()[0]
        assert port.tx_bytes - (500 * 64 + 120 * 128) == 50 * 64  # short frames are padded


def test_an_idle_worker_naps_and_then_sends_as_before() -> None:
    """A nap takes at least 50 us, which limits the number of passes of a napping worker on any machine."""
    nap_s = 50e-6
    with GeneratorChild("ring:loop") as child:

        def naps() -> bool:
            first, second = child.samples(2, 0.02)
            return second.workers[0].loops - first.workers[0].loops <= (second.at_s - first.at_s) / nap_s + 1

        assert not naps()
        wait_for(naps, "naps of the worker")
        child.start(0, burst(1, 5e3, 500))
        assert not naps()
        port = child.finish()[0]
        assert (port.intended_packets, port.tx_packets, port.rx_packets) == (500, 500, 500)
        wait_for(naps, "naps of the worker")
        child.start(0, Stream(1, packet(), rate_pps=5.0))
        assert not any(naps() for _ in range(20)), "it naps between packets that are due"


def test_chain_with_rounds_sends_450_packets() -> None:
    first = replace(burst(10, 5e3, 100), next_id=11)
    second = Stream(
        11,
        packet(128),
        mode=StreamMode.MULTI_BURST,
        rate_pps=5e3,
        packets=10,
        bursts=5,
        self_start=False,
        next_id=10,
        loops=3,
    )
    with GeneratorChild("ring:loop") as child:
        child.start(0, first, second)
        port = child.finish()[0]
    assert (port.tx_packets, port.rx_packets, unsent(port)) == (450, 450, 0)
    assert port.tx_bytes == 38400


@pytest.mark.parametrize(
    "rate_pps",
    [
        pytest.param(0.1e6, marks=pytest.mark.long("a rate of `make test`'s kind")),
        1e6,
        pytest.param(5e6, marks=pytest.mark.long("a rate of `make test`'s kind")),
    ],
)
def test_sent_rate_is_the_asked_rate(rate_pps: float) -> None:
    """Exact over the whole time, and never ahead of the server's own clock. It is behind only by what a preempted
    worker still owes.
    """
    with GeneratorChild("ring:loop") as child:
        before = child.snapshot()
        child.start(0, Stream(1, packet(), rate_pps=rate_pps), duration_s=0.9)
        began = child.snapshot()
        samples = child.samples(30, 0.03)
        port = child.finish()[0]
        workers = child.snapshot().workers
    assert_conserved(*samples)
    for sample in samples:
        assert sample.ports[0].intended_packets <= rate_pps * (sample.at_s - before.at_s) + 1
    running = [sample for sample in samples if sample.ports[0].active] or [began]
    behind = [rate_pps * (one.at_s - began.at_s) - one.ports[0].intended_packets for one in running]
    preempted_s = max(load.longest_preemption_s for load in workers)
    assert min(behind[len(behind) // 2 :]) <= in_hand(rate_pps) + rate_pps * preempted_s
    assert port.intended_packets == pytest.approx(0.9 * rate_pps, rel=0, abs=1)
    assert port.tx_packets > 0 and port.refused_packets == 0
    assert port.rx_packets == port.tx_packets


def test_streams_of_a_port_keep_their_own_rates() -> None:
    """Four rates, each within 0.5 % of the setting; the sum is exact, and so are the shares of sent packets."""
    rates = [2000.0, 4000.0, 6000.0, 14000.0]
    with GeneratorChild("ring:loop") as child:
        streams = [
            Stream(i, packet(), rate_pps=rate, flow_kind=FlowKind.STATS, flow_id=i) for i, rate in enumerate(rates)
        ]
        child.start(0, *streams, duration_s=1.0)
        port = child.finish()[0]
        flows = [child.flow(FlowKind.STATS, i)[0] for i in range(4)]
    assert port.intended_packets == port.tx_packets + port.late_packets == 26_000
    assert sum(flow.tx_packets for flow in flows) == port.tx_packets
    for flow, rate in zip(flows, rates, strict=True):
        assert flow.tx_packets == pytest.approx(port.tx_packets * rate / 26_000, rel=0.005)
        assert flow.rx_packets == flow.tx_packets


@pytest.mark.alone
def test_overload_is_counted_to_the_packet() -> None:
    """A rate that no CPU can send: unsent packets are late, and each snapshot adds up. The worker never rests: beside
    other processes it would be preempted all the time."""
    with GeneratorChild("ring:a", "ring:a", memory_mb=192) as child:
        streams = [Stream(i, packet(), rate_pps=5e7) for i in range(6)]
        child.start(0, *streams)
        child.start(1, *streams)
        samples = child.samples(30, 0.01)
        assert_conserved(*samples)
        for port in (0, 1):
            assert_asked(samples, 3e8, port)
            assert deltas(samples, port)[-1]["late_packets"] > 0
            child.change("stop", port)
        ports = child.finish()
    assert ports[0].rx_packets == ports[1].tx_packets
    assert ports[1].rx_packets == ports[0].tx_packets
    assert ports[0].refused_packets + ports[1].refused_packets == 0


@pytest.mark.alone
def test_port_without_peer_refuses_and_holds_up_nobody(tmp_path: Path) -> None:
    with GeneratorChild(f"memif:{tmp_path}/alone.sock,role=server", "ring:loop") as child:
        child.start(0, Stream(1, packet(), rate_pps=20e6))
        child.start(1, Stream(1, packet(), rate_pps=100e3))
        samples = child.samples(30, 0.02)
        assert_conserved(*samples)
        assert samples[-1].ports[0].tx_packets == 0
        assert_asked(samples, 20e6)
        undisturbed = [d for d in deltas(samples) if not d["late_packets"]]
        assert all(d["refused_packets"] == d["intended_packets"] > 0 for d in undisturbed)
        assert_sent_as_asked(samples, 100e3, port=1)


def test_full_ring_refuses_until_the_peer_wakes_up(tmp_path: Path) -> None:
    socket = f"memif:{tmp_path}/pair.sock,rxd=512,txd=512"
    live = (Op(OpKind.VAR, size=4, var_kind=VarKind.RANDOM, max=0xFFFFFFFF), Op(OpKind.WRITE, size=4, offset=30))
    with GeneratorChild(f"{socket},role=server") as peer, GeneratorChild(f"{socket},role=client") as child:
        while not child.snapshot().ports[0].tx_packets:  # until the two are connected
            child.start(0, burst(1, 1e4, 100))
            child.finish()
        stop_process(peer.pid)
        try:
            child.start(0, Stream(1, packet(), rate_pps=1e5, ops=live), Stream(2, packet(1514), rate_pps=1e5))
            wait_for(lambda: child.snapshot().ports[0].refused_packets >= 1000, "refused packets")
            stuck = child.samples(5, 0.01)
        finally:
            os.kill(peer.pid, signal.SIGCONT)
        assert stuck[0].ports[0].tx_packets == stuck[-1].ports[0].tx_packets
        assert deltas(stuck)[-1]["refused_packets"] > 0
        wait_for(lambda: child.snapshot().ports[0].tx_packets > stuck[-1].ports[0].tx_packets, "packets again")
        child.change("stop", 0)
        sent = child.finish()[0]
        wait_for(lambda: peer.snapshot().ports[0].rx_packets >= sent.tx_packets, "all that was sent")
        received = peer.finish()[0]
        assert_conserved(*stuck, child.snapshot())
        assert received.rx_packets == sent.tx_packets
        assert received.rx_bytes == sent.tx_bytes


@pytest.mark.alone
def test_changes_while_it_sends() -> None:
    """A worker that is preempted for more than 20 ms does not catch up: beside other processes it is."""
    with GeneratorChild("ring:loop") as child:
        child.start(0, Stream(1, packet(), rate_pps=3e4), Stream(2, packet(), rate_pps=3e4, fixed_rate=True), factor=2)
        for factor, rate_pps in ((5.0, 18e4), (0.5, 4.5e4)):
            child.change("set_factors", 0, [(0, factor)])
            assert_asked(child.samples(30, 0.01), rate_pps)
        child.change("set_stream_factor", 0, 2, 4.0)
        assert_asked(child.samples(30, 0.01), 13.5e4)
        child.change("pause_stream", 0, 2, True)
        assert_asked(child.samples(30, 0.01), 1.5e4)

        child.change("pause", 0, True)
        paused = child.samples(5, 0.01)
        assert paused[-1].ports[0].paused and paused[-1].ports[0].active
        assert paused[0].ports[0].intended_packets == paused[-1].ports[0].intended_packets
        child.change("pause", 0, False)
        after = child.samples(30, 0.01)
        assert not after[0].ports[0].paused
        assert after[0].ports[0].intended_packets - paused[0].ports[0].intended_packets < 1500  # no catching up
        assert_asked(after, 1.5e4)


def test_port_is_active_until_all_has_ended() -> None:
    with GeneratorChild("ring:loop") as child:
        child.start(0, burst(1, 1e4, 100), replace(burst(2, 1e4, 100), start_paused=True))
        wait_for(lambda: child.snapshot().ports[0].tx_packets == 100, "the first burst")
        child.wait_turns(1000)
        assert child.snapshot().ports[0].active
        child.change("pause_stream", 0, 2, False)
        assert child.finish()[0].tx_packets == 200
        child.start(0, Stream(1, packet(), rate_pps=1e4), duration_s=0.1)
        assert child.finish()[0].tx_packets == 1200


def test_two_workers_share_the_ports() -> None:
    cpus = sorted(ALL_CPUS)[:2]
    if len(cpus) < 2:
        pytest.skip("two workers need two CPUs")
    with GeneratorChild("ring:a", "ring:a", cpus=cpus) as child:
        for port in (0, 1):
            child.start(port, burst(1, 2e4, 2000, 64 + 100 * port))
        ports = child.finish()
    assert ports[0].rx_packets == ports[1].tx_packets == 2000 - unsent(ports[1])
    assert ports[1].rx_bytes == ports[0].tx_bytes


def test_ten_thousand_streams(tmp_path: Path) -> None:
    capture = tmp_path / "out.pcap"
    template = packet()
    one, head, tail = burst(0, 10.0, 3), template[:36], template[38:]
    with GeneratorChild(f"pcap:,{capture}") as child:
        child.start(0, *(replace(one, id=i, packet=head + i.to_bytes(2, "big") + tail) for i in range(10000)))
        port = child.finish()[0]
    counts = Counter(int.from_bytes(frame[36:38], "big") for frame in frames(capture))
    assert port.intended_packets == 30000
    assert sum(counts.values()) == port.tx_packets
    assert max(counts.values()) == 3
    assert len(counts) >= 10000 - unsent(port)


def test_stopped_traffic_gives_its_memory_back() -> None:
    """Each run takes a large part of the memory: 24 of them only fit one after the other."""
    ops = (Op(OpKind.VAR, size=4, max=4095), Op(OpKind.WRITE, size=4, offset=30))
    with GeneratorChild("ring:loop", memory_mb=64) as child:
        for round_ in range(24):
            child.start(0, Stream(1, packet(1514), rate_pps=1e4, ops=ops), duration_s=-1.0 if round_ % 2 else 0.01)
            if round_ % 2:
                child.change("stop", 0)
            else:
                child.finish()


def test_what_cannot_be_done_is_told() -> None:
    good = Stream(1, packet(), rate_pps=1e3)
    beyond = replace(good, ops=(Op(OpKind.VAR, size=4), Op(OpKind.WRITE, size=4, offset=58)))
    with GeneratorChild("ring:loop") as child:
        for streams, words in (
            ((beyond,), "stream 1, instruction 1: a field of 4 bytes at offset 58 ends beyond the packet of 60 bytes"),
            ((replace(good, packet=b""),), "stream 1 has no packet"),
            ((replace(good, packet=b"x" * 1523),), "stream 1: a packet of 1523 bytes; port p0 with its MTU of 1500"),
            ((good, good), "two streams have the id 1"),
            ((), "no stream is given"),
            ((replace(good, rate_pps=0.0),), "a rate of 0 packets per second"),
        ):
            with pytest.raises(Refused, match=words):
                child.start(0, *streams)
        with pytest.raises(Refused, match="there is no port 1"):
            child.start(1, good)
        with pytest.raises(Refused, match="a factor of 0"):
            child.start(0, good, factor=0)
        assert child.change("set_factors", 0, [(0, 1.0)]) == 0  # nothing runs
        with pytest.raises(Refused, match="port p0 sends nothing; start it first"):
            child.change("pause_stream", 0, 1, True)
        child.change("stop", 0)
        child.start(0, good)
        with pytest.raises(Refused, match="port p0 sends already; stop it first"):
            child.start(0, good)
        with pytest.raises(Refused, match="port p0 has no stream 9"):
            child.change("pause_stream", 0, 9, True)
