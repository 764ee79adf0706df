"""Samples of packets, byte for byte, as a collector of sFlow datagrams receives them, and counters by netlink."""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.waiting import wait_for
from router_run import CROSSED, HOST0, INTERFACES, ROUTER0, RouterProcess, assert_conserved, route, router, write_pcap
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from shared_router import interfaces, shared

from wirespeed.errors import UsageError

_FLOW, _COUNTERS = 1, 2
FRAME = bytes(Ether(src=HOST0, dst=ROUTER0) / IP(src="10.0.0.2", dst="10.0.0.9") / UDP() / Raw(bytes(range(200))))


@dataclass(frozen=True)
class Flow:
    """The data of one packet in a datagram."""

    source: int
    sequence: int
    rate: int
    input: int
    output: int
    frame_bytes: int
    stripped: int
    header: bytes


def records(datagram: bytes) -> Iterator[tuple[int, bytes]]:
    """sFlow version 5: the kind and the body of each sample; the agent is 127.0.0.1."""
    version, kind, agent, _, _, _, count = struct.unpack_from("!7I", datagram)
    assert (version, kind, agent) == (5, 1, 0x7F000001)
    rest = datagram[28:]
    for _ in range(count):
        sample, length = struct.unpack_from("!2I", rest)
        yield sample, rest[8 : 8 + length]
        rest = rest[8 + length :]
    assert not rest


def flow(body: bytes) -> Flow:
    sequence, source, rate, _, _, came, goes, count, kind, length = struct.unpack_from("!10I", body)
    protocol, frame_bytes, stripped, header_bytes = struct.unpack_from("!4I", body, 40)
    assert (count, kind, protocol, length) == (1, 1, 1, len(body) - 40)
    return Flow(source, sequence, rate, came, goes, frame_bytes, stripped, body[56 : 56 + header_bytes])


@dataclass
class Reader:
    """A collector at `port` of this host."""

    socket: socket.socket

    @property
    def port(self) -> int:
        return int(self.socket.getsockname()[1])

    def datagrams(self) -> list[bytes]:
        """The datagrams received."""
        found = []
        while True:
            try:
                found.append(self.socket.recv(65536))
            except BlockingIOError:
                return found


@pytest.fixture
def reader() -> Iterator[Reader]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.bind(("127.0.0.1", 0))
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        made.setblocking(False)
        yield Reader(made)


@dataclass(frozen=True)
class Told:
    """The datagrams at the collector, and the output of `show sflow` then."""

    datagrams: list[bytes]
    shown: str

    def bodies(self, wanted: int) -> list[bytes]:
        return [body for one in self.datagrams for kind, body in records(one) if kind == wanted]

    @property
    def flows(self) -> list[Flow]:
        return [flow(body) for body in self.bodies(_FLOW)]


def sampled(directory: Path, reader: Reader, config: str, frames: list[bytes], wanted: int) -> Told:
    """Send frames into e0 of a router that samples every packet, until `wanted` samples and the first
    counters arrive.
    """
    write_pcap(directory / "in.pcap", frames)
    write_pcap(directory / "none.pcap", [])
    ports = [f"e0=pcap:{directory}/in.pcap,{directory}/e0.pcap", f"e1=pcap:{directory}/none.pcap,{directory}/e1.pcap"]
    start = f"{CROSSED}sflow collector 127.0.0.1 port {reader.port}\nsflow sampling-rate 1\n{config}"
    told = Told([], "")
    with router(directory, ports, start) as running:

        def are_all_sent() -> bool:
            told.datagrams.extend(reader.datagrams())
            return len(told.flows) >= wanted and len(told.bodies(_COUNTERS)) >= config.count("sflow enable")

        wait_for(are_all_sent, "the samples and counters")
        return Told(told.datagrams, running.ask("show sflow"))


def test_every_packet_is_told_of_with_its_start(tmp_path, reader):
    config = "sflow header-bytes 61\nsflow enable e0\n"
    frames = [FRAME[:-2] + number.to_bytes(2, "big") for number in range(50)] + [FRAME[:14], FRAME[:60]]
    told = sampled(tmp_path, reader, config, frames, len(frames))
    flows = told.flows
    assert [one.header for one in flows] == [frame[:61] for frame in frames]
    assert [one.frame_bytes - one.stripped for one in flows] == [len(frame) for frame in frames]
    assert [one.sequence for one in flows] == list(range(1, len(frames) + 1))
    assert {(one.source, one.rate, one.input, one.output, one.stripped) for one in flows} == {(1, 1, 1, 0, 4)}
    # The counters of e0: its number, Ethernet, and up.
    (body,) = told.bodies(_COUNTERS)
    assert struct.unpack_from("!7I", body) == (1, 1, 1, 1, 88, 1, 6)
    assert struct.unpack_from("!2I", body, 36) == (1, 3)
    assert f"  packet samples sent: {len(frames)}\n" in told.shown and "  packet samples dropped: 0\n" in told.shown
    assert "sflow sampling-rate 1\nsflow direction rx\nsflow polling-interval 20\nsflow header-bytes 61\n" in told.shown


def test_what_is_sent_is_sampled_too(tmp_path, reader):
    config = "sflow direction both\nsflow enable e0\nsflow enable e1\n"
    flows = sampled(tmp_path, reader, config, [FRAME] * 20, 40).flows
    assert [one.header for one in flows] == [FRAME[:128]] * 40
    assert sorted((one.source, one.input, one.output) for one in flows) == [(1, 1, 0)] * 20 + [(2, 1, 2)] * 20


def test_tcpdump_reads_the_datagrams(tmp_path, reader):
    """tcpdump is an independent decoder."""
    told = sampled(tmp_path, reader, "sflow enable e0\n", [FRAME] * 3, 3)
    packet = Ether(src=HOST0, dst=ROUTER0) / IP(src="127.0.0.1", dst="127.0.0.1") / UDP(sport=6343, dport=6343)
    write_pcap(tmp_path / "sflow.pcap", [bytes(packet / Raw(datagram)) for datagram in told.datagrams])
    words = ["tcpdump", "-nvvv", "-r", str(tmp_path / "sflow.pcap")]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert said.count("sFlowv5, IPv4 agent 127.0.0.1, agent-id 0") == len(told.datagrams)
    assert said.count("flow sample (1)") == 3 and said.count("Generic counter (1)") == 1
    assert said.count(f"length {len(FRAME) + 4}, stripped bytes 4, header_size 128") == 3


def test_packets_that_are_sampled_go_their_way(tmp_path):
    config = CROSSED + "sflow direction both\nsflow sampling-rate 2\nsflow enable e0\nsflow enable e1\n"
    config += "trace add dpdk-input 1\n"
    outcome = route(tmp_path, config, [FRAME] * 300, [], ask=["show sflow", "show trace"])
    assert_conserved(outcome)
    assert outcome.frames[1] == [FRAME] * 300
    assert outcome.counters["sflow: sflow packets processed"] == 300
    sampled_packets = outcome.counters["sflow: sflow packets sampled"]
    assert 90 < sampled_packets < 210
    assert "  interfaces enabled: 2\n" in outcome.answers[0]
    # On their way in and out.
    assert re.search(r": sflow\n  rx e0 length 242\n", outcome.answers[1]), outcome.answers[1]
    assert ": e1-sflow-egress\n  rx e0 tx e1 length 242\n" in outcome.answers[1]


def test_the_rate_is_right_over_ten_million_packets(tmp_path):
    """Through the router's own graph, by both ports: e1's packets come back to it. One in 25: one percent is six
    standard deviations.
    """
    rate, wanted = 25, 10_000_000
    config = CROSSED + f"sflow sampling-rate {rate}\nsflow enable e0\nsflow enable e1\n"
    with router(tmp_path, ["e0=null", "e1=ring:far"], config) as running:
        wait_for(lambda: counted(running)["processed"] >= wanted, "ten million packets")
        seen = counted(running)
    chosen = seen["sampled"] + seen["dropped"]
    assert abs(chosen * rate / seen["processed"] - 1) < 0.01, seen


def counted(running: RouterProcess) -> dict[str, int]:
    """The counters at one time."""
    rows = running.ask("show errors").splitlines()
    kinds = ("processed", "sampled", "dropped")
    return {kind: sum(int(row.split()[0]) for row in rows if f"sflow packets {kind}" in row) for kind in kinds}


def test_what_a_member_of_a_bond_brings_is_sampled_as_its_own(tmp_path, reader):
    config = (
        "set interface l3 e0\nset interface l3 e1\ncreate bond mode xor\nbond add BondEthernet0 e0\n"
        "set interface state BondEthernet0 up\nset interface l2 xconnect BondEthernet0 e1\nsflow enable e0\n"
    )
    flows = sampled(tmp_path, reader, config, [FRAME] * 20, 20).flows
    assert {(one.source, one.input) for one in flows} == {(1, 1)} and len(flows) == 20


def test_samples_of_a_port_that_goes_are_dropped(tmp_path):
    """An endless file: there are always samples that were not read yet."""
    write_pcap(tmp_path / "in.pcap", [FRAME] * 100)
    made = [f"create pcap name e0 input {tmp_path}/in.pcap loop", "create ring a name e1"]
    config = CROSSED + "sflow sampling-rate 1\nsflow polling-interval 1\nsflow enable e0\nsflow enable e1\n"
    with interfaces(tmp_path, made, config) as running:

        def counters_sent() -> int:
            found = re.search(r"counter samples sent: (\d+)", running.ask("show sflow"))
            assert found
            return int(found[1])

        wait_for(lambda: counted(running)["processed"] > 1000, "samples")
        running.ask("set interface l3 e0")
        running.ask("set interface l3 e1")
        running.ask("delete interface e0")
        before = counters_sent()
        wait_for(lambda: counters_sent() > before, "the next look at samples")


def test_a_router_that_samples_nothing_has_no_node_for_it(tmp_path):
    config = CROSSED + "sflow sampling-rate 2\nsflow enable e0\nsflow enable-disable e0 disable\n"
    outcome = route(tmp_path, config, [FRAME] * 10, [], ask=["show runtime"])
    assert "sflow" not in outcome.answers[0]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("sflow sampling-rate 0", "a sampling rate is one packet of 1 to 1000000000, not of 0"),
        ("sflow sampling-rate 1000000001", "a sampling rate is one packet of 1 to 1000000000, not of 1000000001"),
        ("sflow sampling-rate -1", "'-1' is not a whole number from 0 to 4294967295"),
        ("sflow header-bytes 0", "a sample has 1 to 256 bytes of a packet, not 0"),
        ("sflow header-bytes 257", "a sample has 1 to 256 bytes of a packet, not 257"),
        ("sflow polling-interval 0", "a polling interval is 1 to 86400 seconds, not 0"),
        ("sflow polling-interval 86401", "a polling interval is 1 to 86400 seconds, not 86401"),
        ("sflow direction up", "expected one of both, rx, tx"),
        ("sflow enable e7", "there is no interface 'e7'"),
        ("sflow enable BondEthernet0", "BondEthernet0 is not a port; sflow samples ports alone"),
        ("sflow enable e0.7", "e0.7 is not a port; sflow samples ports alone"),
        ("sflow enable loop0", "loop0 is not a port; sflow samples ports alone"),
        ("sflow enable e0", "e0 is sampled already"),
        ("sflow enable-disable e1 disable", "e1 is not sampled already"),
        ("sflow collector 127.0.0.1 port 65536", "port 65536 is not between 1 and 65535"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(tmp_path, line, why):
    config = INTERFACES + "create loopback interface instance 0\ncreate bond mode xor\nsflow enable e0\n"
    config += "create sub-interfaces e0 7\n"
    with shared(tmp_path, ["e0=ring:a", "e1=ring:a"], config) as running:
        before = running.ask("show sflow").split("Status")[0]
        with pytest.raises(UsageError, match=why):
            running.ask(line)
        assert running.ask("show sflow").split("Status")[0] == before


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may listen to a multicast group of netlink")
def test_counters_go_to_netlink_where_host_sflow_listens(tmp_path):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2) as listener:
        listener.bind((0, 1 << 28))
        listener.settimeout(20)
        config = CROSSED + "sflow polling-interval 1\nsflow enable e1\n"
        with router(tmp_path, ["e0=ring:a", "e1=ring:a"], config) as running:
            told: dict[int, dict[int, bytes]] = {}
            while told.keys() != {1, 2}:
                data, (sender, _) = listener.recvfrom(65536)
                if sender != running.process.pid:  # other routers in this network namespace send to the group as well
                    continue
                length, kind = struct.unpack_from("=IH", data)
                assert length == len(data)
                told[kind] = attributes(data[16:])
    counters = told[2]
    assert counters[0] == b"e1" and counters[19] == bytes.fromhex("02fe00000001")
    assert [int.from_bytes(counters[kind], "little") for kind in (1, 2, 5, 6)] == [2, 6, 1, 1]
    assert len(counters[7]) == 8 and len(told[1][22]) == 4


def attributes(data: bytes) -> dict[int, bytes]:
    found = {}
    while data:
        length, kind = struct.unpack_from("=HH", data)
        found[kind] = data[4:length]
        data = data[(length + 3) & ~3 :]
    return found
