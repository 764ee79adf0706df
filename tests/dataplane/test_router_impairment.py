"""Deliberate impairments of a port, frame by frame, and as counted by the generator."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from harness.waiting import wait_for
from router_run import INTERFACES, RouterProcess, read_pcap, route, router, write_pcap
from scapy.all import IP, UDP, Ether, Raw
from shared_router import shared

from wirespeed.errors import UsageError

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild, Refused

from wirespeed._native.flow_records import FlowKind, LatencyCounters, Tagged
from wirespeed._native.stream_records import Op, OpKind, Stream, StreamMode, VarKind
from wirespeed.dut.errors import parse_errors
from wirespeed.units import FCS_BYTES

CROSSED = INTERFACES + "set interface l2 xconnect e0 e1\nset interface l2 xconnect e1 e0\n"
TEMPLATE = bytes(
    Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
    / IP(src="16.0.0.1", dst="48.0.0.1")
    / UDP(sport=1025, dport=12)
    / Raw(b"x" * 18)
)
FRAMES = [TEMPLATE + number.to_bytes(4, "big") for number in range(3000)]
ALL = 2**64
LOSS, DUPLICATE = 0, 1
"""Numbers of the random sequences, as in native/router/impairment/impairment.h."""


class Row:
    """SplitMix64, as published (Steele, Lea, Flood 2014): the random numbers of one kind of fault on the
    first worker.
    """

    def __init__(self, seed: int, fault: int) -> None:
        self.state = seed ^ fault << 48
        self.state = self.draw()

    def draw(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % ALL
        mixed = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 % ALL
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % ALL
        return mixed ^ mixed >> 31


def counts(answer: str) -> dict[str, int]:
    return {name: int(count) for name, count in re.findall(r"^  (\S.*?) +(\d+)$", answer, re.MULTILINE)}


def impaired(directory: Path, settings: str, frames: Sequence[bytes] = FRAMES) -> tuple[list[bytes], dict[str, int]]:
    """The frames that e1 sent, and the counters of `show impairment`."""
    config = f"{CROSSED}set interface impairment e1 {settings}\n"
    outcome = route(directory, config, frames, [], ask=["show impairment"])
    counted = counts(outcome.answers[0])
    assert counted["packets"] == len(frames)
    assert outcome.received + counted["duplicated"] == len(outcome.frames[1]) + outcome.dropped
    return outcome.frames[1], counted


def test_the_seed_says_which_packets_are_lost(tmp_path: Path) -> None:
    sent, counted = impaired(tmp_path, "loss 2% seed 7")
    row = Row(7, LOSS)
    expected = [frame for frame in FRAMES if row.draw() >= int(0.02 * ALL)]
    assert sent == expected
    assert counted["lost"] == len(FRAMES) - len(expected) > 0


def test_losses_come_in_bursts_as_gilbert_has_them(tmp_path: Path) -> None:
    sent, counted = impaired(tmp_path, "loss 0.05 burst 4 seed 3")
    row, losing, expected = Row(3, LOSS), False, []
    for frame in FRAMES:
        losing = row.draw() >= ALL // 4 if losing else row.draw() < int(0.05 / (4 * 0.95) * ALL)
        expected += [] if losing else [frame]
    assert sent == expected
    assert counted["lost"] == len(FRAMES) - len(expected) > 0


def test_duplicates_are_whole_frames_and_those_that_the_seed_says(tmp_path: Path) -> None:
    sent, counted = impaired(tmp_path, "duplicate 1% seed 5")
    row = Row(5, DUPLICATE)
    expected = Counter({frame: 1 + (row.draw() < int(0.01 * ALL)) for frame in FRAMES})
    assert Counter(sent) == expected
    assert counted["duplicated"] == len(sent) - len(FRAMES) > 0


def test_a_reordered_packet_is_overtaken_by_one(tmp_path: Path) -> None:
    sent, counted = impaired(tmp_path, "reorder 0.03")
    assert sorted(sent) == FRAMES
    late = sum(later < earlier for earlier, later in zip(sent, sent[1:], strict=False))
    assert counted["reordered"] == late > 0


def test_delayed_packets_all_leave_in_order(tmp_path: Path) -> None:
    config = f"{CROSSED}set interface impairment e1 delay 2ms jitter 1ms duplicate 1%\n"
    ports = [f"e0=pcap:{tmp_path}/in.pcap,{tmp_path}/x.pcap", f"e1=pcap:{tmp_path}/y.pcap,{tmp_path}/out.pcap"]
    write_pcap(tmp_path / "in.pcap", FRAMES)
    write_pcap(tmp_path / "y.pcap", [])
    with shared(tmp_path, ports, config) as running:
        wait_for(lambda: counts(running.ask("show impairment"))["packets"] == len(FRAMES), "all packets")
        wait_for(lambda: counts(running.ask("show impairment"))["waiting"] == 0, "the end of the delay")
        counted = counts(running.ask("show impairment"))
    sent = read_pcap(tmp_path / "out.pcap")
    assert counted["delayed"] == len(FRAMES) - counted["dropped for lack of room"]
    assert len(sent) == counted["delayed"] + counted["duplicated"]
    assert sent == sorted(sent)


def test_off_leaves_no_node_behind_and_mistakes_are_explained(tmp_path: Path) -> None:
    ports = [f"e{index}=ring:a" for index in range(2)]
    with shared(tmp_path, ports, CROSSED) as running:
        before = nodes(running)
        running.ask("set interface impairment e1 loss 1e-6")
        assert nodes(running) - before == {"e1-impairment", "impairment-release"}
        assert running.ask("show impairment").splitlines()[0] == "e1 loss 1e-06 seed 1"
        running.ask("set interface impairment e1 off")
        assert nodes(running) == before
        assert running.ask("show impairment") == ""
        for line, why in (
            ("set interface impairment e1 off", "interface e1 has no impairment; show impairment lists them"),
            ("set interface impairment e1 loss 2", "'2' is above 100%"),
            ("set interface impairment e1 delay 11s", "delay and jitter are too long; give at most 10000 ms"),
            ("set interface impairment e1 loss 1 burst 2", "a loss burst with a loss of 1 or more; give a loss"),
            ("set interface impairment e1 loss 1 loss 1", "loss is given twice"),
        ):
            with pytest.raises(UsageError, match=re.escape(why)):
                running.ask(line)


def nodes(running: RouterProcess) -> set[str]:
    return set(re.findall(r"^(\S+) ", running.ask("show vlib graph"), re.MULTILINE))


# ---- Counted by the generator


class Spoilt(Exception):
    """On a busy machine a ring overflowed, which is not a loss by the impairment."""


def measure(directory: Path, settings: str, packets: int, rate_pps: float) -> tuple[LatencyCounters, dict[str, int]]:
    """One latency flow through a router whose e1 is impaired: the generator's and the router's counters. Repeated if
    the machine was too busy for one of them.
    """
    for attempt in range(4):
        place = directory / str(attempt)
        place.mkdir()
        try:
            return measure_once(place, settings, packets, rate_pps)
        except Spoilt:
            continue
    pytest.skip("the machine is too busy: rings ran over in each of 4 attempts")


def measure_once(
    directory: Path, settings: str, packets: int, rate_pps: float
) -> tuple[LatencyCounters, dict[str, int]]:
    wires = [f"memif:{directory}/w{index}.sock,rxd=4096,txd=4096" for index in range(2)]
    stream = Stream(
        1,
        TEMPLATE + b"x" * 20,
        mode=StreamMode.SINGLE_BURST,
        rate_pps=rate_pps,
        packets=packets,
        flow_kind=FlowKind.LATENCY,
        flow_id=0,
    )
    ports = [f"e{index}={wire},role=server" for index, wire in enumerate(wires)]
    with (
        router(directory, ports, f"{CROSSED}set interface impairment e1 {settings}\n") as running,
        GeneratorChild(*(f"{wire},role=client" for wire in wires)) as child,
    ):
        wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") == 2, "the memifs' links")
        child.start(0, stream)
        sent = child.finish()[0].tx_packets
        if sent < packets:
            raise Spoilt
        wait_for(lambda: counts(running.ask("show impairment"))["packets"] >= sent, "all packets at e1")
        counted = counts(running.ask("show impairment"))
        arrive = sent - counted["lost"] + counted["duplicated"]
        if any(row.reason.startswith("Tx packet drops") for row in parse_errors(running.ask("show errors"))):
            raise Spoilt
        wait_for(lambda: child.latency(0).packets >= arrive, "all packets at the generator")
        assert counted["packets"] == sent
        return child.latency(0), counted


@pytest.mark.alone
@pytest.mark.parametrize(
    ("packets", "seed"),
    [(100_000, 16), pytest.param(600_000, 2, marks=pytest.mark.long("600 000 packets, in Python too"))],
)
def test_a_loss_of_one_in_a_million_is_counted_to_the_packet(tmp_path: Path, packets: int, seed: int) -> None:
    row = Row(seed, LOSS)
    expected = sum(row.draw() < int(1e-6 * ALL) for _ in range(packets))
    found, counted = measure(tmp_path, f"loss 1e-6 seed {seed}", packets, 2e5)
    assert expected > 0, "choose another seed"
    assert found.dropped == counted["lost"] == expected
    assert (found.duplicate, found.out_of_order) == (0, 0)
    assert found.packets == packets - expected


@pytest.mark.alone
def test_losses_duplicates_and_reorders_are_told_apart_to_the_packet(tmp_path: Path) -> None:
    found, counted = measure(tmp_path, "loss 0.1% duplicate 0.1% reorder 0.1%", 100_000, 1e5)
    assert found.dropped == counted["lost"] > 0
    assert found.duplicate == counted["duplicated"] > 0
    assert found.out_of_order == counted["reordered"] > 0


# ---- Tagged packet groups


def as_trex_places(numbers: Sequence[int]) -> Tagged:
    """T-Rex's rule: a number below the next one is a duplicate of the last packet, or late."""
    reached = lost = too_high = too_low = late = again = 0
    for number in numbers:
        if number >= reached:
            lost += number - reached
            too_high += number > reached
            reached = number + 1
            continue
        too_low += 1
        if number == reached - 1:
            again += 1
        else:
            late += 1
            lost -= lost > 0
    return Tagged(len(numbers), 0, lost, too_high, too_low, late, again)


def test_tagged_packets_of_many_lengths(tmp_path: Path) -> None:
    """A program varies the length of the packets, which have two tags; a router drops, duplicates and reorders them."""
    tagged = TEMPLATE[:12] + bytes.fromhex("8100 0007 8100 0009") + TEMPLATE[12:] + b"x" * 200
    ops = (
        Op(OpKind.VAR, var=0, size=2, var_kind=VarKind.INC, min=90, max=len(tagged), init=90),
        Op(OpKind.TRIM, var=0),
    )
    group = Stream(1, tagged, mode=StreamMode.SINGLE_BURST, rate_pps=2e5, packets=len(FRAMES), ops=ops)
    group = replace(group, flow_kind=FlowKind.TAGGED, flow_id=2)
    with GeneratorChild("ring:loop") as child:
        child.tag(0, 3, [(7, 0), (7, 9)])
        capture = child.start_capture([], [0], len(FRAMES))
        child.start(0, group)
        child.finish()
        frames = [one.data for one in child.read_capture(capture)]
        size = sum(len(frame) + FCS_BYTES for frame in frames)
        assert {len(frame) for frame in frames} == set(range(90, len(tagged) + 1))
        assert child.tagged(0, 2, 0, 4) == [Tagged(), Tagged(len(FRAMES), size), Tagged(), Tagged()]
        assert child.change("tagged_sent", 0, 2) == [len(FRAMES), size]

        for name, settings in (
            ("a", "loss 1% reorder 1%"),
            ("b", "duplicate 1%"),
            ("c", "loss 1% duplicate 1% reorder 1%"),
        ):
            place = tmp_path / name
            place.mkdir()
            arrived, counted = impaired(place, f"{settings} seed 4", frames)
            child.change("clear_tagged", 0, 2, 1, 1)
            child.push(0, arrived)
            child.finish()
            numbers = [int.from_bytes(frame[-8:-4], "little") for frame in arrived]
            expected = replace(as_trex_places(numbers), bytes=sum(len(frame) + FCS_BYTES for frame in arrived))
            assert child.tagged(0, 2, 1, 1) == [expected]
            assert expected.too_low == counted["duplicated"] + counted["reordered"] > 0
            # By T-Rex's rule a duplicate that does not directly follow its original hides an earlier loss.
            if not (counted["lost"] and counted["duplicated"]):
                assert expected.lost == counted["lost"]
        assert child.unknown_tags(0) == []

        child.start(0, group)  # continues after the last number that it sent
        child.finish()
        assert child.tagged(0, 2, 1, 1)[0].lost == expected.lost + len(FRAMES) - max(numbers) - 1
        with pytest.raises(Refused, match="has no tagged packet group 3"):
            child.start(0, replace(group, flow_id=3))
        child.change("end_tagging", 0)
        with pytest.raises(Refused, match="port 0 has no tagged packet groups"):
            child.tagged(0, 2, 0, 1)
        with pytest.raises(Refused, match="0 tagged packet groups"):
            child.tag(0, 0, [])
