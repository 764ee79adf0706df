"""Pure parts of the OTG API: files of captures, fields of long addresses, flows between several ports."""

from __future__ import annotations

import base64
import io
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest
from scapy.all import Ether, PcapNgReader, PcapReader

from wirespeed._native.pcap import read_packets
from wirespeed.otg.faults import ModelFault
from wirespeed.otg.flow_model import OtgFlow
from wirespeed.otg.flows import flow_streams
from wirespeed.otg.model import OtgConfig
from wirespeed.otg.patterns import Json, read_pattern
from wirespeed.otg.pcap_bytes import pcap, pcapng, seen
from wirespeed.otg.schema import read
from wirespeed.otg.setup import OtgSetup, check

CHECK_VALUE = 0xCBF4_3926
"""CRC-32 of the nine digits, which its catalogues print."""
PACKET = bytes.fromhex("001122334466 001122334455 0800") + bytes(46)


def test_a_frame_ends_with_the_checksum_of_its_packet() -> None:
    assert seen(0, b"123456789", 9).data == b"123456789" + CHECK_VALUE.to_bytes(4, "little")


@pytest.mark.parametrize(
    ("packet", "most_bytes", "kept"), [(b"12345678", None, 8), (b"123456789", 11, 11), (b"123456789", 9, 9)]
)
def test_a_frame_that_is_cut_has_no_whole_checksum(packet: bytes, most_bytes: int | None, kept: int) -> None:
    frame = seen(0, packet, 9, most_bytes)
    assert (len(frame.data), frame.length) == (kept, 13)
    assert (b"123456789" + CHECK_VALUE.to_bytes(4, "little")).startswith(frame.data)


@pytest.mark.parametrize("kind", ["pcap", "pcapng"])
def test_files_are_read_by_others(tmp_path: Path, kind: str) -> None:
    write, scapy_reader = (pcap, PcapReader) if kind == "pcap" else (pcapng, PcapNgReader)
    file = write([seen(1_500_000_000_123_456_789 + number, PACKET, len(PACKET)) for number in range(3)])
    packets = list(scapy_reader(io.BytesIO(file)))
    frame = PACKET + zlib.crc32(PACKET).to_bytes(4, "little")
    assert [(type(one), bytes(one)) for one in packets] == [(Ether, frame)] * 3
    path = tmp_path / f"file.{kind}"
    path.write_bytes(file)
    assert [data for _, data in read_packets(path)] == [frame] * 3
    if shutil.which("tcpdump"):
        told = subprocess.run(["tcpdump", "-ennr", path], capture_output=True, text=True, check=True).stdout
        assert told.count("length 64: ") == 3


def counted(choice: str, start: str, step: str, count: int) -> Json:
    return {"choice": choice, choice: {"start": start, "step": step, "count": count}}


LONG_ADDRESSES = {
    "the end of a MAC address": ("mac", counted("increment", "00:10:00:00:00:fe", "00:00:00:00:00:01", 5)),
    "the begin of a MAC address": ("mac", counted("increment", "00:10:00:00:00:fe", "00:10:00:00:00:00", 8)),
    "the middle of a MAC address": ("mac", counted("decrement", "00:10:00:30:00:fe", "00:00:00:10:00:00", 4)),
    "MAC addresses of two vendors": ("mac", {"choice": "values", "values": ["00:10:20:00:00:01", "00:11:20:00:00:01"]}),
    "networks of IPv6": ("ipv6", counted("increment", "abcd::1a", "1::", 10)),
    "subnets of IPv6": ("ipv6", counted("decrement", "2001:db8:0:9::1", "0:0:0:1::", 9)),
    "hosts of IPv6": ("ipv6", counted("increment", "2001:db8::fffe", "::1", 4)),
    "IPv6 addresses of one host part": ("ipv6", {"choice": "values", "values": ["2001:db8:1::5", "2001:db9::5"]}),
    "an address said twice": ("ipv6", {"choice": "values", "values": ["2001:db8::1", "2001:db8::1"]}),
}


def with_field(kind: str, given: Json) -> OtgFlow:
    fields = {"dst": given} if kind == "mac" else {}
    packet = [{"choice": "ethernet", "ethernet": fields}]
    if kind == "ipv6":
        packet.append({"choice": "ipv6", "ipv6": {"dst": given}})
    return read(OtgFlow, flow("f", "p0", "p1") | {"packet": packet})


def written(kind: str, stream: Json, number: int) -> int:
    """The address in packet `number` of a stream that goes through a range or a list once."""
    packet = bytearray(base64.b64decode(stream["packet"]["binary"]))
    values: dict[str, tuple[int, int]] = {}
    for one in stream["vm"]["instructions"]:
        if one["type"] == "flow_var":
            sign = 1 if one["op"] == "inc" else -1
            ranged = "value_list" not in one
            value = one["init_value"] + sign * one["step"] * number if ranged else one["value_list"][number]
            values[one["name"]] = value, one["size"]
            assert not ranged or one["min_value"] <= value <= one["max_value"]
        elif one["type"] == "write_flow_var":
            value, size = values[one["name"]]
            packet[one["pkt_offset"] : one["pkt_offset"] + size] = value.to_bytes(size, "big")
    return int.from_bytes(packet[:6] if kind == "mac" else packet[38:54], "big")


@pytest.mark.parametrize("name", LONG_ADDRESSES)
def test_long_addresses_change_where_they_are_told(name: str) -> None:
    kind, given = LONG_ADDRESSES[name]
    expected = read_pattern("", given, "mac" if kind == "mac" else "ipv6", 48 if kind == "mac" else 128)
    assert expected is not None
    (stream,) = flow_streams("flows[0]", with_field(kind, given), 10e9).streams
    for number in range(expected.count):
        assert written(kind, stream.json, number) == expected.value(number)


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("mac", counted("increment", "00:10:00:00:00:00", "00:10:00:00:00:01", 3), "more than 32 bits of its 48"),
        ("ipv6", counted("increment", "2001::1", "1::1", 3), "more than 64 bits of its 128"),
        ("ipv6", {"choice": "values", "values": ["2001::1", "2002::2"]}, "more than 64 bits of its 128"),
    ],
)
def test_an_address_that_changes_all_over_is_refused(kind: str, given: Json, said: str) -> None:
    with pytest.raises(ModelFault, match=rf"\.dst.*{said}"):
        flow_streams("flows[0]", with_field(kind, given), 10e9)


def six_ports(flows: list[Json]) -> OtgSetup:
    given = {"ports": [{"name": f"p{number}", "location": str(number)} for number in range(6)], "flows": flows}
    return check(read(OtgConfig, given), given, [10e9] * 6)


def flow(name: str, tx: str, rx: str) -> Json:
    ends = {"choice": "port", "port": {"tx_name": tx, "rx_names": [rx]}}
    packet = [{"choice": "ethernet", "ethernet": {}}, {"choice": "ipv4", "ipv4": {}}]
    return {"name": name, "tx_rx": ends, "packet": packet, "metrics": {"enable": True}}


def test_flows_go_between_three_pairs_of_ports() -> None:
    setup = six_ports([flow(f"f{number}", f"p{number}", f"p{number + 3}") for number in range(3)])
    assert [(one.target.port, one.rx) for one in setup.flows.values()] == [
        (0, {"p3": 3}),
        (1, {"p4": 4}),
        (2, {"p5": 5}),
    ]


def test_more_flows_than_there_are_counters_are_refused() -> None:
    with pytest.raises(ModelFault, match="all flows together have 1023"):
        six_ports([flow(f"f{number}", "p0", "p1") for number in range(1024)])
