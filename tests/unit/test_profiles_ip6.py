"""The bench profile over IPv6: sent frames, and refused options."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from scapy.layers.inet import UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from wirespeed.errors import UsageError
from wirespeed.profiles import load_profile
from wirespeed.trial.load import load_of, payload_at


def stream(direction: int = 0, **tunables: str) -> dict[str, Any]:
    (item,) = load_profile("bench", {"ip": "6", **tunables}, direction, direction)
    found: dict[str, Any] = item["stream"]
    return found


def frame(direction: int = 0, **tunables: str) -> Any:
    return Ether(base64.b64decode(stream(direction, **tunables)["packet"]["binary"]))


def test_frames_are_of_the_benchmarks_range_and_of_their_size() -> None:
    there, back = frame(0, size="128"), frame(1, size="128")
    assert (there[IPv6].src, there[IPv6].dst) == ("2001:2::4", "2001:2:0:8000::4")
    assert (back[IPv6].src, back[IPv6].dst) == (there[IPv6].dst, there[IPv6].src)
    assert len(there) == 124  # and 4 of FCS
    assert there[IPv6].plen == 128 - 4 - 14 - 40
    assert (there[UDP].sport, there[UDP].dport) == (1025, 12)


def test_the_checksum_that_ipv6_demands_is_right() -> None:
    sent = frame(size="82")
    again = Ether(bytes(sent))
    del again[UDP].chksum
    assert Ether(bytes(again))[UDP].chksum == sent[UDP].chksum != 0


def test_offsets_move_both_networks() -> None:
    moved = frame(size="82", offset="10")
    assert (moved[IPv6].src, moved[IPv6].dst) == ("2001:2:0:a::4", "2001:2:0:800a::4")
    with pytest.raises(UsageError, match="offset=32768 cannot be used; offset is a number from 0 to 32767"):
        frame(size="82", offset="32768")


def test_programs_vary_the_hosts_and_mend_the_checksum() -> None:
    program = stream(size="82", vm="var2")["vm"]["instructions"]
    writes = [one["pkt_offset"] for one in program if one["type"] == "write_flow_var"]
    assert writes == [14 + 8 + 14, 14 + 24 + 14]  # the last two bytes of source and destination
    assert program[-1]["type"] == "fix_checksum_hw"
    assert not stream(size="82")["vm"]["instructions"]


def test_the_smallest_frame_that_holds_a_time_stamp() -> None:
    (item,) = load_profile("bench", {"ip": "6", "size": "82"}, 0, 0)
    load = load_of({0: [item]}, latency_pps=1000.0)
    latency = load.ports[0].latency
    assert latency is not None and latency.frame_bytes == 82
    assert payload_at(base64.b64decode(item["stream"]["packet"]["binary"])) == 62


@pytest.mark.parametrize(
    ("tunables", "message"),
    [
        ({"size": "64"}, "size=64 is too short for IPv6 and UDP; give 66 or more"),
        ({"size": "128", "vm": "tuple"}, "vm=tuple is for IPv4; with ip=6, vm is one of none, var1, var2, random"),
        ({"ip": "5"}, "tunable ip=5 is not known; ip is one of 4, 6"),
    ],
)
def test_what_it_does_not_take(tunables: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        stream(**tunables)
