"""Several workers of a port: rates, bursts, chains and statistics equal those of one worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from harness.cpus import ALL_CPUS
from harness.waiting import wait_for
from scapy.all import IP, UDP, Dot1Q, Ether, Raw

from wirespeed._native.flow_records import FlowKind, Tagged, TagVlans
from wirespeed._native.generator import PortTraffic
from wirespeed._native.stream_records import Op, OpKind, Stream, StreamMode

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild, Refused
from test_generator_core import assert_asked

CPUS = sorted(ALL_CPUS)[:2]
pytestmark = pytest.mark.skipif(len(CPUS) < 2, reason="two workers need two CPUs")

UNICAST = "00:00:00:02:00:00"
VALUE_AT = 46
VALUES = 1000


def packet() -> bytes:
    return bytes(Ether(dst=UNICAST) / IP(src="16.0.0.1") / UDP() / Raw(bytes(58)))


def tagged_packet(vlan: int, to: str = UNICAST) -> bytes:
    return bytes(Ether(dst=to) / Dot1Q(vlan=vlan) / IP() / UDP() / Raw(bytes(58)))


def value_of(frame: bytes) -> int:
    return int.from_bytes(frame[VALUE_AT : VALUE_AT + 4], "big")


def counting(values: int, offset: int = VALUE_AT) -> tuple[Op, ...]:
    return (
        Op(OpKind.VAR, size=4, max=values - 1, step=1),
        Op(OpKind.WRITE, size=4, big_endian=True, offset=offset),
    )


@dataclass
class Wire:
    """A memif between two processes with two queues per direction; two workers send, and two receive."""

    sender: GeneratorChild
    receiver: GeneratorChild

    def settled(self) -> tuple[PortTraffic, PortTraffic]:
        """Sent and received packets, once nothing sends and nothing is in flight."""
        sent = self.sender.finish()[0]
        wait_for(lambda: self.receiver.snapshot().ports[0].rx_packets >= sent.tx_packets, "all that was sent")
        return sent, self.receiver.finish()[0]

    def wait_until_all_send(self, stream: Stream) -> None:
        """Wait until each worker of the sender has sent its part of a stream."""
        self.sender.start(0, stream)
        wait_for(lambda: all(load.busy_clocks for load in self.sender.snapshot().workers), "packets of each worker")
        self.sender.change("stop", 0)


@contextmanager
def wired(folder: Path, sending: Sequence[int], workers: int = 2) -> Iterator[Wire]:
    spec = f"memif:{folder}/wire.sock,rxq={workers},txq={workers},rxd=4096"
    cpus = CPUS * (workers // 2)
    with (
        GeneratorChild(f"{spec},role=server", cpus=cpus, port_workers=[range(workers)]) as receiver,
        GeneratorChild(f"{spec},role=client", cpus=cpus, port_workers=[sending]) as sender,
    ):
        wait_for(lambda: all(end.port_info(0)["link_up"] for end in (sender, receiver)), "the link")
        yield Wire(sender, receiver)


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    with wired(tmp_path, [0, 1]) as ends:
        yield ends


def test_a_stream_is_shared_in_exact_parts(wire: Wire) -> None:
    """5 kpps for 0.4 s are 2 000 packets: each worker sends half of them in its own TX queue, and all values equal
    those of one worker.
    """
    capture = wire.receiver.start_capture([], [0], 4096)
    stream = Stream(1, packet(), rate_pps=5e3, ops=counting(VALUES), flow_kind=FlowKind.STATS, flow_id=3)
    wire.sender.start(0, stream, duration_s=0.4)
    sent, received = wire.settled()
    assert sent.intended_packets == sent.tx_packets + sent.late_packets + sent.refused_packets == 2000
    assert received.rx_packets == sent.tx_packets
    assert wire.sender.flow(FlowKind.STATS, 3)[0].tx_packets == sent.tx_packets
    if not sent.late_packets + sent.refused_packets:
        captured = wire.receiver.read_capture(capture)
        assert Counter(value_of(one.data) for one in captured) == dict.fromkeys(range(VALUES), 2)
        times = [one.at_s for one in captured]
        assert times == sorted(times)
    wire.wait_until_all_send(stream)


@pytest.mark.long("eleven seconds, in which sixteen threads poll")
def test_more_workers_than_cpus_send_the_same(tmp_path: Path) -> None:
    """Eight workers share two CPUs: each value is sent three times, a burst whole and in order, and all packets are
    counted.
    """
    with wired(tmp_path, range(8), workers=8) as wire:
        capture = wire.receiver.start_capture([], [0], 8192)
        spread = Stream(1, packet(), rate_pps=6e3, ops=counting(VALUES), flow_kind=FlowKind.STATS, flow_id=1)
        whole = Stream(2, packet(), mode=StreamMode.SINGLE_BURST, rate_pps=1e4, packets=900, ops=counting(VALUES))
        wire.sender.start(0, spread, duration_s=0.5)
        sent, received = wire.settled()
        assert sent.intended_packets == sent.tx_packets + sent.late_packets == 3000
        assert received.rx_packets == wire.sender.flow(FlowKind.STATS, 1)[0].tx_packets == sent.tx_packets
        values = Counter(value_of(one.data) for one in wire.receiver.read_capture(capture))
        assert sum(values.values()) == sent.tx_packets
        assert set(values) <= set(range(VALUES)) and max(values.values()) <= 3
        wire.sender.start(0, replace(whole, pinned=8))
        assert wire.settled()[1].rx_packets == sent.tx_packets + 900
        assert [value_of(one.data) for one in wire.receiver.read_capture(capture)] == list(range(900))
        assert len(wire.sender.snapshot().workers) == 8
        wire.wait_until_all_send(spread)


def test_each_worker_tells_where_it_sends(wire: Wire) -> None:
    wire.sender.start(0, Stream(1, packet(), rate_pps=1e3), profile=1, cores=2)
    assert [load.sending for load in wire.sender.snapshot().workers] == [0, 1]
    wire.sender.start(0, Stream(1, packet(), rate_pps=1e3, pinned=1), profile=2)
    assert [load.sending for load in wire.sender.snapshot().workers] == [1, 1]
    wire.sender.change("stop", 0, [1])
    assert [load.sending for load in wire.sender.snapshot().workers] == [1, 0]


def test_a_worker_without_a_queue_is_refused(tmp_path: Path) -> None:
    said = r"port p0 has 2 workers and queues for 1 of them \(1 RX, 1 TX\); give it fewer CPUs"
    with pytest.raises(Refused, match=said):
        GeneratorChild("ring:loop", cpus=CPUS, port_workers=[[0, 1]])
    with pytest.raises(Refused, match="port p0 on workers 0x4; there are workers 0 to 1"):
        GeneratorChild("ring:loop", cpus=CPUS, port_workers=[[2]])


def test_cores_are_chosen_among(wire: Wire) -> None:
    """A start on the second core only, and a stream pinned to the first one."""
    with pytest.raises(Refused, match="core_id 2; the port has cores 0 to 1"):
        wire.sender.start(0, Stream(1, packet(), pinned=3))
    with pytest.raises(Refused, match="pinned to core 0, which core_mask leaves out"):
        wire.sender.start(0, Stream(1, packet(), pinned=1), cores=2)
    with pytest.raises(Refused, match="core mask 0x4 has none of its cores"):
        wire.sender.start(0, Stream(1, packet()), cores=4)
    wire.sender.start(0, Stream(1, packet(), rate_pps=1e4), duration_s=0.1, cores=2)
    sent, received = wire.settled()
    assert sent.intended_packets == 1000
    assert received.rx_packets == sent.tx_packets


def test_bursts_and_chains_are_whole(wire: Wire) -> None:
    """Bursts of 3 777 and of 4 x 250 packets, and a chain of two with five rounds, in order."""
    capture = wire.receiver.start_capture([], [0], 4096)
    first, second = (bytes(Ether() / IP(src=f"10.0.0.{number}") / UDP() / Raw(bytes(58))) for number in (1, 2))
    chain = {"mode": StreamMode.SINGLE_BURST, "rate_pps": 1e4, "packets": 10}
    wire.sender.start(
        0, Stream(1, first, next_id=2, **chain), Stream(2, second, self_start=False, next_id=1, loops=5, **chain)
    )
    assert wire.settled()[0].tx_packets == 100
    order = [one.data[29] for one in wire.receiver.read_capture(capture)]
    assert order == ([1] * 10 + [2] * 10) * 5
    wire.sender.start(
        0,
        Stream(1, packet(), mode=StreamMode.SINGLE_BURST, rate_pps=1e6, packets=3777),
        Stream(2, packet(), mode=StreamMode.MULTI_BURST, rate_pps=1e6, packets=250, bursts=4, burst_gap_us=100),
    )
    sent, received = wire.settled()
    assert sent.tx_packets == received.rx_packets == 100 + 3777 + 1000


def test_what_sends_can_be_changed(wire: Wire) -> None:
    """Pause, resume, rates and changes of single streams reach all workers of a port."""
    wire.sender.start(0, Stream(1, packet(), rate_pps=1e4), profile=4)
    assert wire.sender.change("pause", 0, True, [4]) == 1
    assert wire.sender.profiles(0) == {4: True}
    before = wire.sender.snapshot().ports[0]
    assert before.active and before.paused
    wire.sender.wait_turns(1000)
    assert wire.sender.snapshot().ports[0].intended_packets == before.intended_packets
    assert wire.sender.change("pause", 0, False, [4]) == 1
    assert wire.sender.change("set_factors", 0, [(4, 2.0)]) == 1
    assert_asked(wire.sender.samples(30, 0.02), 2e4)
    wire.sender.change("pause_stream", 0, 1, True, profile=4)
    before = wire.sender.snapshot().ports[0]
    wire.sender.push(0, [packet()] * 3)
    after = wire.sender.snapshot().ports[0]
    assert after.intended_packets - before.intended_packets == after.pushed_packets - before.pushed_packets == 3
    wire.sender.change("stop", 0)
    sent, received = wire.settled()
    assert received.rx_packets == sent.tx_packets


def test_tagged_groups_are_merged_over_workers(wire: Wire) -> None:
    """A group is sent by one core, then by the other: each worker of the receiver gets a part of its numbers."""
    sender, receiver = wire.sender, wire.receiver
    size = len(tagged_packet(7)) + 4
    sender.tag(0, 2, [(7, 0), (8, 0)], receives=False)
    receiver.tag(0, 2, [(7, 0), (8, 0)])

    def send(group: int, vlan: int, to: str = UNICAST) -> None:
        for core, packets in ((1, 300), (2, 200)):
            burst = {"mode": StreamMode.SINGLE_BURST, "rate_pps": 1e5, "packets": packets, "pinned": core}
            sender.start(0, Stream(1, tagged_packet(vlan, to), flow_kind=FlowKind.TAGGED, flow_id=group, **burst))
            wire.settled()

    send(1, 7)
    assert receiver.tagged(0, 1, 0, 4) == [Tagged(500, 500 * size), Tagged(), Tagged(), Tagged()]
    assert receiver.tagged(0, 0, 0, 4) == [Tagged()] * 4
    assert sender.change("tagged_sent", 0, 1) == [500, 500 * size]
    send(1, 9)
    assert receiver.tagged(0, 1, 2, 1) == [Tagged(500, 500 * size)]
    assert set(receiver.unknown_tags(0, forget=True)) == {(1, TagVlans(9))}
    assert not receiver.unknown_tags(0)
    receiver.retag(0, [(7, 0), (9, 0)])
    send(1, 9)
    # The first expected number of a tag is 0, as in T-Rex: packets with other tags before count as lost.
    late = receiver.tagged(0, 1, 1, 1)[0]
    assert (late.packets, late.lost, late.duplicate) == (500, 1000, 0)
    receiver.change("clear_tagged", 0, 1, 0, 4)
    assert receiver.tagged(0, 1, 0, 4) == [Tagged()] * 4
    # A receiver of a group address begins at the current number.
    send(1, 7, "01:00:5e:00:00:01")
    assert receiver.tagged(0, 1, 0, 1) == [Tagged(500, 500 * size)]
    assert sender.change("tagged_sent", 0, 1) == [2000, 2000 * size]


@pytest.mark.alone
def test_latency_is_merged_over_receiving_workers(tmp_path: Path) -> None:
    """One worker distributes a latency stream's flows over two queues of a ring, and two workers meter them."""
    sources = (*counting(250, 26), Op(OpKind.FIX_IP4, offset=14))
    stream = Stream(1, packet(), rate_pps=5e3, ops=sources, flow_kind=FlowKind.LATENCY, flow_id=9, fixed_rate=True)
    with wired(tmp_path, [0]) as wire:
        # The receiver inspects packets once it has started a flow with that number itself.
        wire.receiver.start(0, replace(stream, rate_pps=1e-3, start_delay_us=1e9))
        wire.sender.start(0, stream, duration_s=0.2)
        sent = wire.sender.finish()[0]
        wait_for(lambda: wire.receiver.latency(9).packets >= sent.tx_packets, "all that was sent")
        seen = wire.receiver.latency(9)
        assert seen.packets == sent.tx_packets
        assert (seen.dropped, seen.duplicate) == (0, 0)
        assert all(load.busy_clocks for load in wire.receiver.snapshot().workers)
