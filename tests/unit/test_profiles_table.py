"""The bench profile's destinations from a table: of the right side, within its prefixes, each in another one."""

from __future__ import annotations

import base64
import ipaddress

import pytest
from scapy.layers.inet import IP
from scapy.layers.l2 import Ether

from wirespeed.errors import FileFault, UsageError
from wirespeed.profiles.loading import load_profile

FOUR = [f"{20 + number}.0.0.0/{8 + number}" for number in range(16)]
SIX = [f"2400:{number:x}::/{32 + number}" for number in range(16)]


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "table"
    file.write_text("# made up\n" + "\n".join([*FOUR, *SIX, "1.2.3.4/32"]) + "\n")
    return file


def stream(table, direction: int, **tunables: str):
    [item] = load_profile("bench", {"prefixes": str(table), **tunables}, direction, direction)
    return item["stream"]


def values(one) -> list[int]:
    [variable] = [part for part in one["vm"]["instructions"] if part.get("value_list")]
    return variable["value_list"]


@pytest.mark.parametrize("direction", [0, 1])
def test_each_destination_is_in_another_prefix_behind_the_other_side(table, direction):
    drawn = [ipaddress.ip_address(value) for value in values(stream(table, direction))]
    networks = [ipaddress.ip_network(prefix) for prefix in [*FOUR, "1.2.3.4/32"]]
    behind = [[network for network in networks if host in network] for host in drawn]
    assert all(len(found) == 1 for found in behind)
    assert {str(found[0]) for found in behind} == set(FOUR[1 - direction :: 2]) | (
        {"1.2.3.4/32"} if direction == 1 else set()
    )
    assert len(drawn) == len({found[0] for found in behind})


def test_ip6_destinations_by_their_upper_half(table):
    one = stream(table, 0, ip="6", vm="var1", size="66")
    drawn = [ipaddress.IPv6Address(value << 64) for value in values(one)]
    odd = [ipaddress.ip_network(prefix) for prefix in SIX[1::2]]
    assert sorted(sum(host in network for host in drawn) for network in odd) == [1] * len(odd)
    assert one["vm"]["instructions"][-1]["type"] == "fix_checksum_hw"


def test_count_and_repetition(table):
    assert len(values(stream(table, 0, destinations="3"))) == 3
    assert values(stream(table, 0)) == values(stream(table, 0))


def test_sources_vary_where_they_are_asked_to(table):
    names = [part["name"] for part in stream(table, 0, vm="var1")["vm"]["instructions"] if part["type"] == "flow_var"]
    assert names == ["src", "dst"]
    packet = Ether(base64.b64decode(stream(table, 0)["packet"]["binary"]))
    assert packet[IP].src == "16.0.0.4"


@pytest.mark.parametrize(
    ("tunables", "fault", "words"),
    [
        ({"vm": "tuple"}, UsageError, "vm=tuple has destinations of its own"),
        ({"destinations": "0"}, UsageError, "destinations=0"),
        ({"prefixes": "/nowhere/table"}, FileFault, "table /nowhere/table cannot be read"),
        ({"prefixes": "", "destinations": "3"}, UsageError, "give prefixes=FILE"),
    ],
)
def test_what_cannot_be_drawn(table, tunables, fault, words):
    with pytest.raises(fault, match=words):
        stream(table, 0, **tunables)


def test_table_without_the_family(tmp_path):
    file = tmp_path / "four"
    file.write_text("20.0.0.0/8\n21.0.0.0/8\n")
    with pytest.raises(UsageError, match="no IPv6 prefix for this direction"):
        stream(file, 0, ip="6", size="66")
