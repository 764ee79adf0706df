"""Traced packets as text, and the machine-readable commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import pytest
from fake_router import TSC_HZ, FakeRouterCore
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

from wirespeed.errors import UsageError
from wirespeed.router.commands.machine import cpu_lines, pci_lines
from wirespeed.router.console import Console
from wirespeed.router.features.acl.core import AclAction, AclOutcome, AclTrace
from wirespeed.router.features.acl.trace import text
from wirespeed.router.packet_text import ethernet_line, payload_lines
from wirespeed.seam.graph import CaptureConfig, CaptureStatus, TraceStep

ETHER = Ether(src="02:ee:00:00:00:00", dst="02:fe:00:00:00:00")
UDP_HEADER = UDP(sport=1025, dport=12, chksum=0)
UDP_FRAME = bytes(ETHER / IP(src="16.0.0.1", dst="48.0.0.1", ttl=64, id=0) / UDP_HEADER / Raw(b"x" * 22))


def words(packet: Packet) -> list[str]:
    return list(payload_lines(bytes(packet)))


def test_udp_reads_as_in_vpps_trace() -> None:
    assert ethernet_line(UDP_FRAME) == "IP4: 02:ee:00:00:00:00 -> 02:fe:00:00:00:00"
    assert list(payload_lines(UDP_FRAME)) == [
        "UDP: 16.0.0.1 -> 48.0.0.1",
        "  tos 0x00, ttl 64, length 50, checksum 0x3aba dscp CS0 ecn NON_ECN",
        "  fragment id 0x0000",
        "UDP: 1025 -> 12",
        "  length 30, checksum 0x0000",
    ]


def test_tcp_names_its_flags() -> None:
    lines = words(ETHER / IP(src="1.0.0.1", dst="2.0.0.2", tos=0xB9) / TCP(sport=80, dport=1024, flags="SA", seq=7))
    assert lines[1].endswith("dscp EF ecn ECT_1")
    assert lines[3:5] == ["TCP: 80 -> 1024", "  seq. 7 ack 0"]
    assert "flags 0x12 SYN ACK, window 8192" in lines[5]


def test_icmp_names_its_type() -> None:
    assert words(ETHER / IP() / ICMP(type=11, code=0))[3].startswith("ICMP time_exceeded code 0 checksum 0x")


def test_arp_says_who_asks_whom() -> None:
    packet = ETHER / ARP(
        op=1, hwsrc="02:ee:00:00:00:00", psrc="100.64.1.2", hwdst="00:00:00:00:00:00", pdst="100.64.1.1"
    )
    assert words(packet) == [
        "request, type ethernet/IP4, address size 6/4",
        "02:ee:00:00:00:00/100.64.1.2 -> 00:00:00:00:00:00/100.64.1.1",
    ]


def test_a_later_fragment_has_no_ports() -> None:
    lines = words(ETHER / IP(flags="MF", frag=3, id=0xABCD, proto=17) / Raw(b"y" * 32))
    assert lines[2] == "  fragment id 0xabcd offset 24, flags MORE_FRAGMENTS"
    assert len(lines) == 3


@pytest.mark.parametrize("length", range(len(UDP_FRAME)))
def test_a_frame_may_be_cut_anywhere(length: int) -> None:
    whole = list(payload_lines(UDP_FRAME))
    assert list(payload_lines(UDP_FRAME[:length])) == whole[: len(list(payload_lines(UDP_FRAME[:length])))]
    assert (ethernet_line(UDP_FRAME[:length]) is None) == (length < 14)


def step(packet: int, node: str, microseconds: int, tx: int | None = None, data: bytes = UDP_FRAME) -> TraceStep:
    return TraceStep(packet, microseconds * TSC_HZ // 1_000_000, node, 0, tx, 5, len(UDP_FRAME), data)


def test_show_trace_tells_what_acls_made_of_a_packet() -> None:
    core = FakeRouterCore()
    node = "acl-plugin-in-ip4-fa"
    outcomes = [
        AclTrace(AclOutcome.NEW_SESSION, AclAction.REFLECT, 3, 7, 0, 0),
        AclTrace(AclOutcome.SESSION, AclAction.PERMIT, -1, 12, 0, 0),
        AclTrace(AclOutcome.NO_RULE, AclAction.DENY, -1, -1, 1, 1),
    ]
    core.steps[0] = [step(0, node, 5), *(replace(step(0, node, 5, data=b""), note=text(acl)) for acl in outcomes)]
    assert list(Console(core).run("show trace"))[3:][:-1] == [
        f"00:00:00:000005: {node}",
        "  rx e0 length 64",
        "  IP4: 02:ee:00:00:00:00 -> 02:fe:00:00:00:00",
        *(f"  {line}" for line in payload_lines(UDP_FRAME)),
        "  acl-plugin: sw_if_index 1, next index 0, action: 2, match: acl 3 rule 7 trace_bits 00000000 "
        "(permit+reflect, new session)",
        "  acl-plugin: sw_if_index 1, next index 0, action: 1, match: acl -1 rule 12 trace_bits 80000000 "
        "(permit, existing session)",
        "  acl-plugin: sw_if_index 2, next index 1, action: 0, match: acl -1 rule -1 trace_bits 00000000 "
        "(deny, no rule fits)",
    ]


def test_show_trace_follows_each_packet_through_its_nodes() -> None:
    core = FakeRouterCore()
    console = Console(core)
    assert list(console.run("show trace"))[1] == "No packets in trace buffer"
    # Vectors: both packets pass a node before either passes the next.
    nodes = ("dpdk-input", "ethernet-input", "ip4-lookup")
    core.steps[0] = [step(n, node, 3_723_000_001 + at) for at, node in enumerate(nodes) for n in (0, 1)]
    core.steps[0] += [step(0, "e1-output", 3_723_000_009, tx=1)]
    assert list(console.run("show trace max 1")) == [
        "------------------- Start of thread 1 ws_wk_0 -------------------",
        "Packet 1",
        "",
        "01:02:03:000001: dpdk-input",
        "  rx e0 length 64",
        "  IP4: 02:ee:00:00:00:00 -> 02:fe:00:00:00:00",
        *(f"  {line}" for line in payload_lines(UDP_FRAME)),
        "01:02:03:000002: ethernet-input",
        "  rx e0 length 64",
        "  IP4: 02:ee:00:00:00:00 -> 02:fe:00:00:00:00",
        "01:02:03:000003: ip4-lookup",
        "  rx e0 length 64",
        *(f"  {line}" for line in payload_lines(UDP_FRAME)),
        "01:02:03:000009: e1-output",
        "  rx e0 tx e1 adjacency 5 length 64",
        "  IP4: 02:ee:00:00:00:00 -> 02:fe:00:00:00:00",
        *(f"  {line}" for line in payload_lines(UDP_FRAME)),
        "",
        "Limiting display to 1 packets; show trace max <number> shows more.",
    ]
    assert [line for line in console.run("show trace") if line.startswith("Packet")] == ["Packet 1", "Packet 2"]
    list(console.run("clear trace"))
    assert list(console.run("show trace"))[1] == "No packets in trace buffer"
    core.close()


def test_a_runt_is_shown_as_it_is() -> None:
    core = FakeRouterCore()
    core.steps[0] = [step(0, "dpdk-input", 0, data=b"\x01\x02")]
    assert "  runt of 64 bytes: 0102" in list(Console(core).run("show trace"))
    core.close()


def test_trace_add_asks_the_core() -> None:
    core = FakeRouterCore()
    console = Console(core)
    core.stats[0] = []
    with pytest.raises(UsageError, match="no node"):
        console.run("trace add dpdk-input 10")
    core.close()


FITLET2_CPU = """\
processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 92
model name\t: Intel(R) Atom(TM) Processor E3950 @ 1.60GHz
stepping\t: 9
flags\t\t: fpu pni pclmulqdq ssse3 sse4_1 sse4_2 aes rdrand rdt_a rdseed sha_ni nonstop_tsc

processor\t: 1
model name\t: another
"""


def test_show_cpu_reads_as_in_the_fitlet2_article() -> None:
    assert list(cpu_lines(FITLET2_CPU, 1_590_000_000)) == [
        "Model name:               Intel(R) Atom(TM) Processor E3950 @ 1.60GHz",
        "Microarch model (family): [0x6] ([0x5c]) stepping 9",
        "Flags:                    sse3 pclmulqdq ssse3 sse41 sse42 rdrand pqe rdseed aes sha invariant_tsc ",
        "Base frequency:           1.59 GHz",
    ]


def test_show_pci_reads_as_in_the_fitlet2_article(tmp_path: Path) -> None:
    def device(address: str, kind: str, driver: str = "", speed: str = "2.5 GT/s PCIe", width: str = "1") -> None:
        home = tmp_path / "devices" / address
        home.mkdir(parents=True)
        facts = {"class": kind, "vendor": "0x8086", "device": "0x1539", "numa_node": "-1"}
        facts |= {"current_link_speed": speed, "current_link_width": width}
        for name, value in facts.items():
            (home / name).write_text(f"{value}\n")
        if driver:
            (tmp_path / driver).mkdir(exist_ok=True)
            (home / "driver").symlink_to(tmp_path / driver)

    device("0000:02:00.0", "0x020000", "igb")
    device("0000:01:00.0", "0x020000", "uio_pci_generic")
    device("0000:00:1f.0", "0x060100")
    device("0000:03:00.0", "0x020000", speed="Unknown", width="0")
    head, *rows = pci_lines(tmp_path / "devices", every=False)
    assert head.startswith("Address      Sock VID:PID     Link Speed    Driver          Product Name")
    assert [row.rstrip() for row in rows] == [
        "0000:01:00.0   0  8086:1539   2.5 GT/s x1   uio_pci_generic",
        "0000:02:00.0   0  8086:1539   2.5 GT/s x1   igb",
        "0000:03:00.0   0  8086:1539   unknown",
    ]
    assert len(list(pci_lines(tmp_path / "devices", every=True))) == 5


# ---- Captures and filters


@pytest.fixture
def capturing(tmp_path: Path) -> Iterator[Console]:
    core = FakeRouterCore()
    console = Console(core, tmp_path)
    yield console
    core.close()


def ask(console: Console, line: str) -> list[str]:
    return list(console.run(line))


@pytest.mark.parametrize(
    ("line", "config"),
    [
        ("pcap trace rx", (True, False, False, None, 1000, 9216)),
        ("pcap trace rx tx drop max 35 intfc e1", (True, True, True, 1, 35, 9216)),
        ("pcap trace max 35 intfc any drop max-bytes-per-pkt 64", (False, False, True, None, 35, 64)),
    ],
)
def test_a_capture_takes_its_words_in_any_order(
    capturing: Console, line: str, config: tuple[bool, bool, bool, int | None, int, int]
) -> None:
    answers = ask(capturing, f"{line} file ./x.pcap".replace("./", f"{capturing.directory}/"))
    assert answers == [f"capturing {config[4]} packets into {capturing.directory}/x.pcap"]
    assert capturing.core.capture == CaptureConfig(*config, None)  # type: ignore[attr-defined]
    assert ask(capturing, "pcap trace status") == [f"full: captured 3 packets in {capturing.directory}/x.pcap"]
    with pytest.raises(UsageError, match="a capture is there already"):
        ask(capturing, "pcap trace tx")
    assert ask(capturing, "pcap trace rx tx off") == [f"captured 3 packets in {capturing.directory}/x.pcap"]
    assert ask(capturing, "pcap trace status") == ["no capture"]


def test_a_capture_says_what_it_lost(capturing: Console) -> None:
    ask(capturing, f"pcap trace rx file {capturing.directory}/x")
    capturing.core.capture_result = CaptureStatus(True, False, 3, 5, 28)  # type: ignore[attr-defined]
    assert ask(capturing, "pcap trace off") == [
        f"captured 3 packets in {capturing.directory}/x, 5 more found no room, then the file could not be written: "
        "No space left on device"
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("pcap trace", "is not complete"),
        ("pcap trace max 5", "is not complete"),
        ("pcap trace rx max 0", "max 0 is not between 1 and 10000000"),
        ("pcap trace rx max-bytes-per-pkt 9", "max-bytes-per-pkt 9 is not between 32 and 9216"),
        ("pcap trace rx intfc e7", "there is no interface 'e7'"),
        ("pcap trace rx filter", "there is no filter"),
        ("pcap trace off", "no capture is on"),
        ("trace filter include nowhere 5", "there is no node 'nowhere'"),
    ],
)
def test_a_wrong_capture_is_refused(capturing: Console, line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask(capturing, line)


def test_trace_filters_are_kept_and_shown(capturing: Console) -> None:
    assert ask(capturing, "show trace filter") == ["trace filter none"]
    ask(capturing, "trace filter prefix 48.0.0.1/8")
    ask(capturing, f"pcap trace rx filter file {capturing.directory}/x")
    core = capturing.core
    assert isinstance(core, FakeRouterCore) and core.capture is not None
    assert core.trace_prefix == core.capture.prefix == ip_network("48.0.0.0/8")
    assert ask(capturing, "show trace filter") == ["trace filter prefix 48.0.0.0/8"]
    ask(capturing, "trace filter none")
    assert core.trace_prefix is None
    assert ask(capturing, "show trace filter") == ["trace filter none"]
