"""Flow statistics and latency on the real data plane: marked on the wire like T-Rex's, and counted exactly."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path
from struct import pack

import pytest
from scapy.all import IP, TCP, UDP, Dot1AD, Dot1Q, Ether, IPv6, Raw

from wirespeed._native.flow_records import CapturedPacket, FlowCounters, FlowKind
from wirespeed._native.stream_records import Op, OpKind, Stream, StreamMode, VarKind

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild, Refused
from harness.waiting import wait_for
from pcap_file import frames

TAIL_BYTES, FCS = 16, 4

# Frames that a T-Rex v3.08 sent for these templates: hardware ids 1 and 0 for statistics, 0 for latency; its latency
# packet lacks the last 8 bytes, the time.
TEMPLATE = bytes(
    Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
    / IP(src="16.0.0.1", dst="48.0.0.1", id=0x1234)
    / UDP(sport=1025, dport=12)
    / Raw(b"x" * 82)
)
TEMPLATE_6 = bytes(
    Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
    / IPv6(src="2001:db8::1", dst="2001:db8::2")
    / UDP(sport=1025, dport=12)
    / Raw(b"x" * 62)
)
_ETHER = "020000000002020000000001"
_UDP = "10000001300000010401000c005a6fe0"
TREX_STATS_1 = bytes.fromhex(f"{_ETHER}08004501006efc01000040113e7b{_UDP}{'78' * 82}")
TREX_STATS_6 = bytes.fromhex(
    f"{_ETHER}86dd6010fc000046114020010db800000000000000000000000120010db8000000000000000000000002"
    f"0401000c0046094a{'78' * 62}"
)
TREX_LATENCY = bytes.fromhex(f"{_ETHER}08004501006effff000040113a7d{_UDP}{'78' * 66}ab050000feffffff")


def burst(ident: int, packets: int, kind: FlowKind, flow_id: int, template: bytes = TEMPLATE) -> Stream:
    return Stream(
        ident,
        template,
        mode=StreamMode.SINGLE_BURST,
        rate_pps=5e3,
        packets=packets,
        flow_kind=kind,
        flow_id=flow_id,
    )


def latency(packets: int, flow_id: int = 0) -> Stream:
    return burst(1, packets, FlowKind.LATENCY, flow_id)


def changed_source(template: bytes, last: int) -> bytes:
    packet = Ether(template)
    packet[IP].src = f"16.0.0.{last}"
    del packet[IP].chksum
    return bytes(packet)


def test_wire_format_is_t_rexs(tmp_path: Path) -> None:
    capture = tmp_path / "out.pcap"
    with GeneratorChild(f"pcap:,{capture}") as child:
        for stream in (
            burst(1, 1, FlowKind.STATS, 1),
            burst(1, 1, FlowKind.STATS, 0, TEMPLATE_6),
            burst(1, 3, FlowKind.LATENCY, 0),
            burst(1, 1, FlowKind.NONE, 0),
        ):
            child.start(0, stream)
            child.finish()
        child.start(0, burst(1, 1, FlowKind.LATENCY, 0))
        child.finish()
    ip4, ip6, first, second, third, plain, again = frames(capture)
    assert ip4 == TREX_STATS_1
    assert ip6 == TREX_STATS_6
    assert plain == TEMPLATE
    start = slice(-15, -14)
    assert first[:-15] + TREX_LATENCY[-7:-6] + first[-14:-8] == TREX_LATENCY
    assert [one[-12:-8].hex() for one in (first, second, third)] == ["feffffff", "ffffffff", "00000000"]
    assert first[start] == second[start] == third[start] != again[start]
    times = [int.from_bytes(one[-8:], "little") for one in (first, second, third, again)]
    assert times == sorted(times)


@pytest.mark.parametrize(
    "packet",
    [
        Ether() / Dot1Q(vlan=5) / IP() / UDP(),
        Ether() / Dot1AD(vlan=5) / Dot1Q(vlan=6) / IPv6() / UDP(),
        Ether() / IP() / TCP(),
    ],
)
def test_flows_are_counted_on_both_sides(packet: Ether) -> None:
    template = bytes(packet / Raw(b"x" * 50))
    size = len(template) + FCS
    with GeneratorChild("ring:a", "ring:a") as child:
        streams = [burst(i, 100 * i, FlowKind.STATS, i % 2, template) for i in (1, 2, 3)]
        plain = burst(9, 50, FlowKind.NONE, 0, template)
        child.start(0, *streams, plain, replace(burst(4, 70, FlowKind.STATS, 1022, template), flow_signature=True))
        child.start(1, burst(1, 30, FlowKind.LATENCY, 127, template))
        child.finish()
        expected = {0: 200, 1: 400, 1022: 70, 5: 0}
        for number, packets in expected.items():
            sent, seen = FlowCounters(0, 0, packets, packets * size), FlowCounters(packets, packets * size, 0, 0)
            assert child.flow(FlowKind.STATS, number) == (sent, seen)
        assert child.flow(FlowKind.LATENCY, 127) == (
            FlowCounters(30, 30 * size, 0, 0),
            FlowCounters(0, 0, 30, 30 * size),
        )

        child.change("stop", 0)
        assert child.flow(FlowKind.STATS, 1)[1].rx_packets == 400  # after the end, until it is reset
        child.start(0, streams[0])
        child.finish()
        assert child.flow(FlowKind.STATS, 1)[1].rx_packets == 500
        child.change("reset_flows", FlowKind.STATS, [1])
        assert child.flow(FlowKind.STATS, 1) == (FlowCounters(), FlowCounters())
        assert child.flow(FlowKind.STATS, 0)[1].rx_packets == 200


def test_nothing_is_looked_at_without_flows() -> None:
    """A packet with a mark that no stream uses, before any flow was started, and after."""
    with GeneratorChild("ring:a", "ring:a") as child:
        child.push(0, [TREX_STATS_1])
        child.finish()
        assert child.flow(FlowKind.STATS, 1)[1].rx_packets == 0
        child.start(0, burst(1, 10, FlowKind.STATS, 0))
        child.finish()
        child.push(0, [TREX_STATS_1] * 3)
        child.finish()
        assert child.flow(FlowKind.STATS, 1)[1].rx_packets == 3
        child.start(0, burst(1, 10, FlowKind.NONE, 0))
        child.finish()
        child.push(0, [TREX_STATS_1])
        child.finish()
        assert child.flow(FlowKind.STATS, 1)[1].rx_packets == 3


def test_program_and_mark_go_together(tmp_path: Path) -> None:
    """Addresses vary, the mark is constant, the checksum is right; a trimmed packet's signature is at its end."""
    capture = tmp_path / "out.pcap"
    ops = (
        Op(OpKind.VAR, size=1, min=1, max=5, init=1),
        Op(OpKind.WRITE, size=1, offset=29),
        Op(OpKind.FIX_IP4, offset=14),
    )
    trim = (Op(OpKind.VAR, size=2, min=80, max=120, step=10, init=80), Op(OpKind.TRIM))
    with GeneratorChild(f"pcap:,{capture}") as child:
        child.start(0, replace(burst(1, 5, FlowKind.STATS, 1), ops=ops))
        child.finish()
        child.start(0, replace(burst(1, 5, FlowKind.STATS, 1), ops=trim, flow_signature=True))
        child.finish()
        child.start(0, replace(latency(5), ops=(*ops[:2], replace(trim[0], var=1), replace(trim[1], var=1), ops[2])))
        child.finish()
    seen = list(frames(capture))
    assert seen[:5] == [changed_source(TREX_STATS_1, last) for last in range(1, 6)]
    assert [len(one) for one in seen[5:]] == [80, 90, 100, 110, 120] * 2
    numbers = range(0xFFFFFFFE, 0x100000003)
    mark = b"\xac" + seen[5][-15:-14] + b"\x01\0"
    assert [one[-16:] for one in seen[5:10]] == [
        mark + pack("<IIHH", number & 0xFFFFFFFF, ~number & 0xFFFFFFFF, 0, 0x6A09) for number in numbers
    ]
    assert {one[:-16] for one in seen[5:10]} == {TEMPLATE[: len(one) - 16] for one in seen[5:10]}
    assert [one[-12:-8].hex() for one in seen[10:13]] == ["feffffff", "ffffffff", "00000000"]


class FaultInjector:
    """A DUT between port 0, which has no peer, and port 2: what port 0 sends is forwarded to port 2 through port 1,
    with the given faults.
    """

    def __init__(self, child: GeneratorChild) -> None:
        self._child = child
        self._capture = child.start_capture([0], [], 4096)

    def sent(self, packets: int, flow_id: int = 0) -> list[bytes]:
        self._child.start(0, latency(packets, flow_id))
        self._child.finish()
        seen: list[CapturedPacket] = self._child.read_capture(self._capture)
        assert len(seen) == packets
        return [one.data for one in seen]

    def deliver(self, packets: list[bytes]) -> None:
        self._child.push(1, packets)
        self._child.finish()


def test_loss_duplication_and_reordering_are_counted_exactly(tmp_path: Path) -> None:
    with GeneratorChild(f"pcap:,{tmp_path}/out.pcap", "ring:a", "ring:a") as child:
        dut = FaultInjector(child)
        all_sent = dut.sent(1000)
        chance = random.Random(7)
        lost = set(chance.sample(range(10, 900), 100))
        kept = [i for i in range(1000) if i not in lost]
        twice = set(chance.sample([i for i in kept if i > 900], 20))
        late = chance.sample([i for i in kept if 100 < i < 800], 15)
        order = []
        for i in kept:
            order += [i] * (2 if i in twice else 1)
        for i in late:  # sent after the third of those that followed it
            order.remove(i)
            at = next(at for at, other in enumerate(order) if other > i)
            order.insert(at + 3, i)
        dut.deliver([all_sent[i] for i in order])

        seen = child.latency(0)
        assert seen.packets == 900 + 20
        assert (seen.dropped, seen.duplicate, seen.out_of_order) == (100, 20, 15)
        assert seen.seq_too_low == 20 + 15
        assert child.flow(FlowKind.LATENCY, 0)[2].rx_packets == 920
        assert sum(seen.histogram) == sum(count for _, count in seen.hdr) == 920
        assert 0 < seen.min_ns <= seen.sum_ns / 920 <= seen.max_ns

        late_run = all_sent[0]
        fresh = dut.sent(10)
        dut.deliver([late_run, *fresh[:5], b"\xff" + fresh[5][1:-16] + b"\xab" + bytes(15), *fresh[6:]])
        faults = child.faults()
        assert (faults.old_flow, faults.bad_header) == (1, 1)
        after = child.latency(0)
        assert (after.packets, after.dropped) == (920 + 9, 100 + 1)
        child.change("reset_flows", FlowKind.LATENCY, [0])
        assert child.latency(0) == replace(child.latency(1), packets=0)


def test_numbers_are_placed_exactly_over_starts(tmp_path: Path) -> None:
    """Duplicates and late packets of a signature; a later start continues the numbers, and resets start at 0."""
    with GeneratorChild(f"pcap:,{tmp_path}/out.pcap", "ring:a", "ring:a") as child:
        capture = child.start_capture([0], [], 4096)

        def sent(packets: int) -> list[bytes]:
            child.start(0, replace(burst(1, packets, FlowKind.STATS, 3), flow_signature=True))
            child.finish()
            return [one.data for one in child.read_capture(capture)]

        def deliver(packets: list[bytes]) -> FlowCounters:
            child.push(1, packets)
            child.finish()
            return child.flow(FlowKind.STATS, 3)[2]

        first = sent(100)
        late = [*first[:10], *first[11:40], first[10], *first[40:], *first[90:], *first[:5]]
        seen = deliver(late)
        assert (seen.rx_packets, seen.rx_duplicates, seen.rx_reordered, seen.rx_unplaced) == (115, 15, 1, 0)
        second = sent(100)
        child.change("reset_flows", FlowKind.STATS, [3])
        seen = deliver([*second[1:], *second[:1], *first[:1]])
        assert (seen.rx_packets, seen.rx_duplicates, seen.rx_reordered, seen.rx_unplaced) == (101, 1, 1, 0)


def test_each_packet_has_a_number_of_its_own(tmp_path: Path) -> None:
    """Packets in a ring of shared memory keep their numbers until the other side has read them: of one kind, of a few
    kinds in turn, of a long program, and of varying lengths.
    """
    address = (Op(OpKind.VAR, size=4, min=1, max=1 << 20, init=1), Op(OpKind.WRITE, size=4, offset=26))
    few = (replace(address[0], max=5), address[1])
    trim = (Op(OpKind.VAR, size=2, min=80, max=120, step=10, init=80), Op(OpKind.TRIM))
    packets = 2_000
    streams = [
        replace(burst(i, packets, FlowKind.STATS, i), ops=ops, rate_pps=2e5, flow_signature=True)
        for i, ops in enumerate(((), few, address, trim), start=1)
    ]
    wire = f"memif:{tmp_path}/wire.sock,rxd=64,txd=64"
    receiver = GeneratorChild(f"{wire},role=client", "ring:own")
    with receiver, GeneratorChild(f"{wire},role=server") as sender:
        wait_for(lambda: receiver.port_info(0)["link_up"], "the link")
        receiver.start(1, *(replace(one, packets=1) for one in streams))
        receiver.finish()
        sender.start(0, *streams)
        sender.finish()
        wait_for(lambda: receiver.snapshot().ports[0].rx_packets >= 4 * packets, "the packets")
        for i in range(1, 5):
            seen = receiver.flow(FlowKind.STATS, i)[0]
            assert (seen.rx_packets, seen.rx_duplicates, seen.rx_reordered, seen.rx_unplaced) == (packets, 0, 0, 0)


def test_signature_survives_a_rewriting_dut(tmp_path: Path) -> None:
    with GeneratorChild(f"pcap:,{tmp_path}/out.pcap", "ring:a", "ring:a") as child:
        capture = child.start_capture([0], [], 100)
        child.start(0, replace(burst(1, 20, FlowKind.STATS, 3), flow_signature=True), burst(2, 20, FlowKind.STATS, 4))
        child.finish()
        rewritten = [
            one.data[:14] + b"\x45\x00" + one.data[16:18] + b"\x00\x01" + one.data[20:]
            for one in child.read_capture(capture)
        ]
        child.push(1, rewritten)
        child.finish()
        assert child.flow(FlowKind.STATS, 3)[2].rx_packets == 20
        assert child.flow(FlowKind.STATS, 4)[2].rx_packets == 0


def test_latency_streams_keep_time_beside_others() -> None:
    """A refused or delayed packet takes no sequence number, so there are no gaps at the receiver."""
    with GeneratorChild("ring:a", "ring:a") as child:
        child.start(
            0,
            Stream(1, TEMPLATE, rate_pps=2e5),
            replace(latency(1), id=2, mode=StreamMode.CONTINUOUS, rate_pps=1e3, fixed_rate=True),
            duration_s=0.5,
        )
        ports = child.finish()
        seen, flow = child.latency(0), child.flow(FlowKind.LATENCY, 0)
        assert flow[0].tx_packets == flow[1].rx_packets == seen.packets
        assert ports[0].tx_packets == ports[1].rx_packets
        assert (seen.dropped, seen.duplicate, seen.out_of_order) == (0, 0, 0)
        assert 0 < seen.min_ns < 1e9


def test_two_workers_count_one_flow(tmp_path: Path) -> None:
    with GeneratorChild("ring:a", "ring:a", cpus=(0, 1)) as child:
        child.start(0, latency(200, 3))
        child.start(1, burst(1, 200, FlowKind.STATS, 3))
        child.finish()
        assert child.flow(FlowKind.LATENCY, 3)[1].rx_packets == child.latency(3).packets
        assert child.flow(FlowKind.STATS, 3)[0].rx_packets == child.flow(FlowKind.STATS, 3)[1].tx_packets == 200


def test_what_cannot_be_counted_is_told() -> None:
    arp = bytes(Ether(type=0x0806) / Raw(bytes(46)))
    tcp = bytes(Ether() / IP() / TCP() / Raw(b"x" * 12))
    with GeneratorChild("ring:a") as child:
        for stream, words in (
            (burst(7, 1, FlowKind.STATS, 1023), "stream 7: a flow id of 1023; 0 to 1022 is possible"),
            (burst(7, 1, FlowKind.LATENCY, 128), "stream 7: a flow id of 128; 0 to 127 is possible"),
            (burst(7, 1, FlowKind.STATS, 0, arp), "stream 7: flow statistics need an IPv4 or IPv6 packet"),
            (burst(7, 1, FlowKind.LATENCY, 0, tcp), "stream 7: its packet has 12 bytes of payload; latency takes 16"),
        ):
            with pytest.raises(Refused, match=words):
                child.start(0, stream)
        with pytest.raises(Refused, match="there is no flow 1023"):
            child.flow(FlowKind.STATS, 1023)
        with pytest.raises(Refused, match="there is no flow 128"):
            child.latency(128)


def test_null_streams_take_time_and_send_nothing(tmp_path: Path) -> None:
    capture = tmp_path / "out.pcap"
    wait = Stream(2, b"", is_null=True, mode=StreamMode.SINGLE_BURST, rate_pps=100.0, packets=20, next_id=3)
    with GeneratorChild(f"pcap:,{capture}") as child:
        before = replace(burst(1, 10, FlowKind.NONE, 0), next_id=2)
        child.start(
            0, before, replace(wait, self_start=False), replace(burst(3, 10, FlowKind.NONE, 0), self_start=False)
        )
        began = time.monotonic()
        port = child.finish()[0]
        assert time.monotonic() - began > 0.19  # twenty intervals of 10 ms, less one
    assert (port.intended_packets, port.tx_packets + port.late_packets) == (20, 20)


def test_chained_variables_count_like_digits(tmp_path: Path) -> None:
    """Like T-Rex's next_var: the last one advances when the previous one wraps, and holds the value before its first
    one until then; in either order of declaration.
    """
    capture = tmp_path / "out.pcap"
    units = Op(OpKind.VAR, var=0, size=1, min=1, max=3, init=2, has_next=True, next_var=1)
    tens = Op(OpKind.VAR, var=1, size=1, var_kind=VarKind.DEC, min=5, max=6, init=6, has_next=True, next_var=2)
    names = Op(OpKind.VAR, var=2, size=1, var_kind=VarKind.LIST, list=(9, 7, 8))
    writes = tuple(Op(OpKind.WRITE, var=i, size=1, offset=50 + i) for i in range(3))
    with GeneratorChild(f"pcap:,{capture}") as child:
        for ops in ((units, tens, names, *writes), (names, writes[2], tens, writes[1], units, writes[0])):
            child.start(0, replace(burst(1, 40, FlowKind.NONE, 0), ops=ops))
            child.finish()
    expected = []
    unit, ten, name = 2, 5, 2
    for _ in range(40):
        expected.append((unit, ten, (9, 7, 8)[name]))
        unit += 1
        if unit > 3:
            unit, ten = 1, ten - 1
            if ten < 5:
                ten, name = 6, (name + 1) % 3
    assert [tuple(one[50:53]) for one in frames(capture)] == expected * 2


def test_wrong_chains_are_told() -> None:
    first = Op(OpKind.VAR, var=0, size=1, max=3, has_next=True, next_var=1)
    second = Op(OpKind.VAR, var=1, size=1, max=3)
    with GeneratorChild("ring:a") as child:
        for ops, words in (
            ((first,), "instruction 0: its next variable 1 has no instruction of its own"),
            ((first, replace(second, has_next=True, next_var=0)), "is, by way of others, its own next one"),
            ((first, replace(first, var=2), second), "instruction 1: variable 1 is the next of two variables"),
        ):
            with pytest.raises(Refused, match=words):
                child.start(0, replace(burst(1, 1, FlowKind.NONE, 0), ops=ops))
