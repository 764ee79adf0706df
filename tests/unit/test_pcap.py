"""libpcap's files and filters: reading, refusals in one line, and freed memory."""

from __future__ import annotations

import gc
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgWriter, wrpcap

from wirespeed._native.pcap import PacketFilter, read_packets
from wirespeed.errors import FileFault, UsageError

FRAME = bytes(Ether(src="02:00:00:00:00:0a", dst="02:00:00:00:00:0b", type=0x88B5)) + bytes(range(60))
MICROSECONDS, NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D


def pcap(
    *records: tuple[int, int, int, bytes], magic: int = MICROSECONDS, snap: int = 65_535, order: str = "<"
) -> bytes:
    """A file of records: seconds, fraction, length on the wire, bytes that were kept."""
    header = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snap, 1)
    return header + b"".join(
        struct.pack(order + "IIII", seconds, fraction, len(kept), whole) + kept
        for seconds, fraction, whole, kept in records
    )


def whole(seconds: int = 0, fraction: int = 0) -> tuple[int, int, int, bytes]:
    return seconds, fraction, len(FRAME), FRAME


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "packets"


# ---- files


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("magic", "fraction"), [(MICROSECONDS, 250_000), (NANOSECONDS, 250_000_000)])
def test_times_are_seconds_in_every_kind_of_file(path: Path, order: str, magic: int, fraction: int) -> None:
    path.write_bytes(pcap(whole(7, fraction), whole(8, 0), magic=magic, order=order))
    assert list(read_packets(path)) == [(7.25, FRAME), (8.0, FRAME)]


def test_pcapng_and_a_file_without_packets(path: Path) -> None:
    with PcapNgWriter(str(path)) as writer:
        writer.write(Ether(FRAME))
    assert [frame for _, frame in read_packets(path)] == [FRAME]
    path.write_bytes(pcap())
    assert list(read_packets(path)) == []


def test_a_frame_outlives_its_file(path: Path) -> None:
    """libpcap keeps one packet and overwrites it with the next."""
    others = [(0, 0, len(FRAME), bytes([number]) * len(FRAME)) for number in range(100)]
    path.write_bytes(pcap(*others))
    frames = [frame for _, frame in read_packets(path)]
    gc.collect()
    assert frames == [kept for *_, kept in others]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "truncated"),
        (pcap()[:20], "truncated"),
        (b"PK\x03\x04 this is not a packet file at all", "unknown file format"),
        (pcap(whole())[:30], "truncated"),
        (pcap(whole())[:-1], "truncated"),
        (pcap(whole(), whole())[:-1], "truncated"),
        (pcap((0, 0, 1500, FRAME)), "cut short"),
        (pcap()[:20] + struct.pack("<I", 101) + pcap(whole())[24:], "does not hold Ethernet"),
        (pcap(whole(), snap=20), "cut short"),
        # A record that claims 4 GB.
        (pcap() + struct.pack("<IIII", 0, 0, 0xFFFF_FFFF, 0xFFFF_FFFF) + FRAME, "cannot be read"),
        (pcap(snap=0xFFFF_FFFF) + struct.pack("<IIII", 0, 0, 0x7FFF_FFFF, 0x7FFF_FFFF) + FRAME, "cannot be read"),
        # pcapng: a section header block that claims 4 GB, and a truncated one.
        (struct.pack("<III", 0x0A0D0D0A, 0xFFFF_FFFC, 0x1A2B3C4D) + bytes(16), "cannot be read"),
        (struct.pack("<III", 0x0A0D0D0A, 28, 0x1A2B3C4D), "cannot be read"),
    ],
)
def test_files_that_cannot_be_read(path: Path, content: bytes, said: str) -> None:
    path.write_bytes(content)
    with pytest.raises(FileFault, match=said) as caught:
        list(read_packets(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_huge_snap_length_takes_no_memory_by_itself(path: Path) -> None:
    path.write_bytes(pcap(whole(), snap=0x7FFF_FFFF))
    assert [frame for _, frame in read_packets(path)] == [FRAME]


def test_packets_before_the_damage_are_given(path: Path) -> None:
    path.write_bytes(pcap(whole(1), whole(2)) + b"\0" * 7)
    packets = read_packets(path)
    assert [next(packets)[0], next(packets)[0]] == [1.0, 2.0]
    with pytest.raises(FileFault, match="truncated"):
        next(packets)


def test_what_is_not_a_file_is_never_opened(path: Path, tmp_path: Path) -> None:
    os.mkfifo(path)
    faults = {path: "it is not a regular file", tmp_path: "is a directory", Path("/dev/zero"): "it is not a regular"}
    for one, fault in faults.items():
        with pytest.raises(FileFault, match=fault):
            list(read_packets(one))
    for one in (tmp_path / "missing", tmp_path / "a\0b"):
        with pytest.raises(FileFault, match="No such file"):
            list(read_packets(one))


def test_a_file_called_minus_is_not_standard_input(path: Path) -> None:
    path.with_name("-").write_bytes(pcap(whole()))
    code = "from pathlib import Path; from wirespeed._native.pcap import *; print(len(list(read_packets(Path('-')))))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=path.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_a_reader_that_stops_early_closes_its_file(path: Path) -> None:
    wrpcap(str(path), [Ether(FRAME)] * 3)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(50):
        next(read_packets(path))
    gc.collect()
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


def test_reading_a_file_loads_no_dpdk() -> None:
    code = (
        "import wirespeed._native.pcap as it; it.PacketFilter('arp'); print('librte' in open('/proc/self/maps').read())"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"


# ---- filters


@pytest.mark.parametrize(
    "text",
    ["(" * 4000, "not " * 1000, "portrange 1-", "ether[" * 500, "arp\ud800", "\x7f", "host nowhere."],
)
def test_filters_that_libpcap_refuses_say_so_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match="packet filter") as caught:
        PacketFilter(text)
    assert "\n" not in str(caught.value)


def test_a_filter_never_looks_past_the_packet() -> None:
    filter_ = PacketFilter("ether[1000] = 7 or ether[5000:4] = 7")
    assert not any(filter_.matches(FRAME[:kept], 65_535) for kept in range(len(FRAME)))


def test_filters_give_back_their_memory() -> None:
    """In a separate process, where nothing else allocates or frees memory. One program of these takes 14 kB."""
    code = """
from pathlib import Path
from wirespeed._native.pcap import PacketFilter
text = " or ".join(f"port {number}" for number in range(1, 30))
def pages(count):
    for _ in range(count):
        PacketFilter(text)
    return int(Path("/proc/self/statm").read_text().split()[1])
before = pages(20)
print(pages(300) - before)
"""
    assert int(subprocess.check_output([sys.executable, "-c", code], text=True)) < 128


def test_a_long_filter_keeps_nobody_waiting_for_minutes() -> None:
    """libpcap's optimizer took longer for 200 ports than a test may."""
    text = " or ".join(f"port {number}" for number in range(1, 250))
    assert not PacketFilter(text).matches(FRAME)
