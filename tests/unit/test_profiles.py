"""Built-in profiles: their packets, and refusals."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from wirespeed.errors import UsageError
from wirespeed.profiles import load_profile

RECORDED = Path(__file__).parent / "data" / "trex_client_streams.json"


def packet_of(loaded: dict[str, Any]) -> bytes:
    return base64.b64decode(loaded["stream"]["packet"]["binary"])


def instructions(loaded: dict[str, Any]) -> list[dict[str, Any]]:
    return loaded["stream"]["vm"]["instructions"]


@pytest.mark.parametrize("recorded", json.loads(RECORDED.read_text())["bench"], ids=lambda row: row["label"])
def test_bench_sends_what_trex_client_sends(recorded: dict[str, Any]) -> None:
    loaded = load_profile(recorded["profile"], recorded["tunables"], recorded["port_id"], recorded["direction"])
    assert loaded == recorded["streams"]


@pytest.mark.parametrize("name", ["bench", "bench.py", "stl/bench.py", "stl/bench"])
def test_builtin_goes_by_its_usual_names(name: str) -> None:
    assert load_profile(name, {}, 0, 0) == load_profile("bench", {"size": "64", "vm": "none"}, 0, 0)


def test_file_on_disk_wins_over_builtin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bench.py").write_text(
        "from trex.stl.api import *\n"
        "class P:\n"
        "    def get_streams(self, **kwargs):\n"
        "        return [STLStream(packet=STLPktBuilder(Ether()/IP(src='9.9.9.9')/UDP()))]\n"
        "def register(): return P()\n"
    )
    monkeypatch.chdir(tmp_path)
    assert Ether(packet_of(load_profile("bench.py", {}, 0, 0)[0]))[IP].src == "9.9.9.9"
    assert Ether(packet_of(load_profile("bench", {}, 0, 0)[0]))[IP].src == "16.0.0.4"


def test_bench_without_vm_is_one_flow() -> None:
    (loaded,) = load_profile("bench", {}, 0, 0)
    packet = Ether(packet_of(loaded))
    assert len(packet) == 60
    assert (packet[IP].src, packet[IP].dst) == ("16.0.0.4", "48.0.0.4")
    assert (packet[UDP].sport, packet[UDP].dport, packet[UDP].chksum) == (1025, 12, 0)
    assert instructions(loaded) == []


def test_direction_one_is_the_reverse() -> None:
    for name in ("bench", "imix", "udp_1pkt_simple", "mpls"):
        forth, back = (Ether(packet_of(load_profile(name, {}, port, port)[0]))[IP] for port in (0, 1))
        assert (forth.src, forth.dst) == (back.dst, back.src)


def test_bench_imix_has_three_sizes_at_their_ratio() -> None:
    loaded = load_profile("bench", {"size": "imix", "vm": "var2"}, 0, 0)
    assert [len(packet_of(one)) + 4 for one in loaded] == [68, 590, 1514]
    assert [one["stream"]["mode"]["rate"]["value"] for one in loaded] == [28, 16, 4]
    assert [one["stream"]["isg"] for one in loaded] == [0, 0.1, 0.2]
    assert [one["stream_id"] for one in loaded] == [1, 2, 3]


@pytest.mark.parametrize(("direction", "label"), [(0, 16), (1, 17)])
def test_mpls_labels_one_flow_by_direction(direction: int, label: int) -> None:
    (loaded,) = load_profile("mpls", {"size": "128"}, direction, direction)
    frame = packet_of(loaded)
    assert len(frame) == 124
    assert frame[12:14] == b"\x88\x47"
    assert int.from_bytes(frame[14:18], "big") == label << 12 | 1 << 8 | 64  # bottom of the stack, TTL 64
    assert frame[18] == 0x45
    assert not instructions(loaded)


@pytest.mark.parametrize(
    ("labels", "most"), [("1", 0xFFFFE), ("2", 0xFFFFC), ("32768", 0xF0000)], ids=["one", "two", "many"]
)
def test_mpls_has_no_room_for_a_label_that_does_not_exist(labels: str, most: int) -> None:
    assert load_profile("mpls", {"label": str(most), "labels": labels}, 1, 1)
    with pytest.raises(UsageError, match=f"label is a number from 16 to {most}$"):
        load_profile("mpls", {"label": str(most + 1), "labels": labels}, 1, 1)


@pytest.mark.parametrize(("direction", "low", "high"), [(0, 20, 23), (1, 24, 27)])
def test_mpls_labels_are_those_of_a_direction_in_turn(direction: int, low: int, high: int) -> None:
    (loaded,) = load_profile("mpls", {"label": "20", "labels": "4"}, direction, direction)
    counter, write = instructions(loaded)[0], instructions(loaded)[-1]
    assert (counter["min_value"], counter["max_value"], counter["init_value"]) == (low, high, low)
    # The upper 20 bits of the entry behind the frame's Ethernet header.
    assert (write["pkt_offset"], write["pkt_cast_size"], write["mask"], write["shift"]) == (14, 4, 0xFFFFF000, 12)
    assert int.from_bytes(packet_of(loaded)[14:18], "big") == low << 12 | 1 << 8 | 64


@pytest.mark.parametrize("vm", ["var1", "var2", "random", "tuple", "cached"])
def test_mpls_varies_addresses_as_bench_does_four_bytes_further(vm: str) -> None:
    (plain,) = load_profile("bench", {"vm": vm}, 0, 0)
    (labelled,) = load_profile("mpls", {"vm": vm}, 0, 0)
    moved = [
        step | {"pkt_offset": step["pkt_offset"] + 4} if "pkt_offset" in step else step for step in instructions(plain)
    ]
    assert instructions(labelled) == moved
    assert labelled["stream"]["vm"].get("cache") == plain["stream"]["vm"].get("cache")


def test_stl_imix_has_three_sizes_at_their_ratio() -> None:
    loaded = load_profile("stl/imix.py", {}, 0, 0)
    assert [len(packet_of(one)) for one in loaded] == [60, 590, 1514]
    assert [one["stream"]["mode"]["rate"]["value"] for one in loaded] == [28, 16, 4]
    low_high = {(step["min_value"], step["max_value"]) for one in loaded for step in instructions(one)[:2]}
    assert low_high == {(0x10000001, 0x100000FE), (0x30000001, 0x300000FE)}


def test_udp_1pkt_simple() -> None:
    (loaded,) = load_profile("stl/udp_1pkt_simple.py", {}, 0, 0)
    packet = Ether(packet_of(loaded))
    assert (packet[IP].src, packet[IP].dst, packet[UDP].sport, packet[UDP].dport) == ("16.0.0.1", "48.0.0.1", 1025, 12)
    assert bytes(packet[UDP].payload) == b"x" * 10
    assert packet.dst == "00:00:00:01:00:00"
    assert packet.src == "00:00:00:02:00:00"


def test_vm_size_trims_the_longest_frame_and_corrects_both_lengths() -> None:
    (loaded,) = load_profile("bench", {"vm": "size"}, 0, 0)
    assert len(packet_of(loaded)) == 9216 - 4
    variable, trim, ip_length, udp_length, checksum = instructions(loaded)
    assert (variable["min_value"], variable["max_value"], variable["op"]) == (60, 9212, "random")
    assert trim == {"type": "trim_pkt_size", "name": variable["name"]}
    assert (ip_length["pkt_offset"], ip_length["add_value"]) == (16, -14)
    assert (udp_length["pkt_offset"], udp_length["add_value"]) == (38, -34)
    assert checksum == {"type": "fix_checksum_ipv4", "pkt_offset": 14}


def test_vm_tuple_varies_source_address_and_port() -> None:
    (loaded,) = load_profile("bench", {"vm": "tuple"}, 1, 1)
    assert instructions(loaded)[0] == {
        "type": "tuple_flow_var",
        "name": "tuple",
        "ip_min": 0x30000004,
        "ip_max": 0x300000FE,
        "port_min": 1234,
        "port_max": 65500,
        "limit_flows": 0,
        "flags": 0,
    }
    assert [(step["name"], step["pkt_offset"]) for step in instructions(loaded)[1:3]] == [
        ("tuple.ip", 26),
        ("tuple.port", 34),
    ]


def test_vm_cached_is_var1_computed_ahead() -> None:
    (cached,) = load_profile("bench", {"vm": "cached"}, 0, 0)
    (var1,) = load_profile("bench", {"vm": "var1"}, 0, 0)
    assert cached["stream"]["vm"] == var1["stream"]["vm"] | {"cache": 255}


@given(offset=st.integers(0, 0xFFFF), direction=st.sampled_from([0, 1]))
@settings(max_examples=30, deadline=None)
def test_offset_moves_both_ranges_by_whole_networks(offset: int, direction: int) -> None:
    (plain,) = load_profile("bench", {"vm": "var2"}, 0, direction)
    (moved,) = load_profile("bench", {"vm": "var2", "offset": str(offset)}, 0, direction)
    for before, after in zip(instructions(plain)[:2], instructions(moved)[:2], strict=True):
        assert after["min_value"] - before["min_value"] == offset * 256
        assert after["max_value"] - before["max_value"] == offset * 256
        assert after["min_value"] >> 24 in (16, 48)


def test_offset_moves_the_single_flow() -> None:
    packet = Ether(packet_of(load_profile("bench", {"offset": "10"}, 0, 0)[0]))
    assert (packet[IP].src, packet[IP].dst) == ("16.0.10.4", "48.0.10.4")


def test_flow_statistics_number_the_ports() -> None:
    loaded = [load_profile("bench", {"flow": "fsl", "pg_id": "20"}, port, port)[0] for port in (0, 1)]
    assert [one["stream"]["flow_stats"]["stream_id"] for one in loaded] == [20, 21]
    assert {one["stream"]["flow_stats"]["rule_type"] for one in loaded} == {"latency"}


@pytest.mark.parametrize(
    ("profile", "tunables", "said"),
    [
        ("nope", {}, "built in are bench, imix, udp_1pkt_simple, mpls"),
        ("dir/bench.py", {}, "is not a file"),
        ("bench", {"colour": "red"}, "it takes size, vm, flow, pg_id, offset"),
        ("bench", {"size": "63"}, "size is a number from 64 to 9216 or imix"),
        ("bench", {"size": "9217"}, "size is a number from 64 to 9216 or imix"),
        ("bench", {"size": "²"}, "size is a number from 64 to 9216 or imix"),
        ("bench", {"size": "-64"}, "size is a number from 64 to 9216 or imix"),
        ("bench", {"vm": "var3"}, "none, var1, var2, random, tuple, size, cached"),
        ("mpls", {"vm": "size"}, "vm is one of none, var1, var2, random, tuple, cached"),
        ("mpls", {"labels": "0"}, "labels is a number from 1 to 32768"),
        ("bench", {"flow": "yes"}, "no-fs, fs, fsl"),
        ("bench", {"pg_id": "x"}, "pg_id is a number"),
        ("bench", {"offset": "65536"}, "offset is a number from 0 to 65535"),
        ("bench", {"size": "imix", "flow": "fsl"}, "give a number as size"),
        ("bench", {"size": "imix", "vm": "size"}, "drop size=imix"),
        ("udp_1pkt_simple", {"size": "64"}, "it takes offset"),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_can(profile: str, tunables: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_profile(profile, tunables, 0, 0)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
