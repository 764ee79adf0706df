"""HLT streams of T-Rex's own client through wirespeed's names: packets, programs and rates are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from facade_cases import by_trex, canonical
from trex_library import need_trex_library

from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.profiles import load_profile, trex_client

UDP4 = {"l3_protocol": "ipv4", "l4_protocol": "udp"}
TCP4 = {"l3_protocol": "ipv4", "l4_protocol": "tcp"}
UDP6 = {"l3_protocol": "ipv6", "l4_protocol": "udp", "frame_size": 100}
SRC, DST = {"ip_src_addr": "10.0.0.1"}, {"ip_dst_addr": "10.1.0.1"}


def varied(name: str, mode: str, count: int | str = 5, step: Any = 1) -> dict[str, Any]:
    return {f"{name}_mode": mode, f"{name}_count": count, f"{name}_step": step}


CASES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "ipv4": {"l3_protocol": "ipv4"},
    "ipv6": {"l3_protocol": "ipv6"},
    "udp": UDP4,
    "tcp": TCP4,
    "udp over ipv6": UDP6,
    "tcp over ipv6": UDP6 | {"l4_protocol": "tcp"},
    "rate in pps": UDP4 | {"rate_pps": 1000},
    "rate in bps": UDP4 | {"rate_bps": 1e6},
    "rate in percent, as text": UDP4 | {"rate_percent": "25"},
    "single burst": UDP4 | {"transmit_mode": "single_burst", "pkts_per_burst": 7, "rate_pps": 10},
    "multi burst": UDP4
    | {"transmit_mode": "multi_burst", "pkts_per_burst": 7, "burst_loop_count": 3, "inter_burst_gap": 100.5},
    "frame size": UDP4 | {"frame_size": 512},
    "l3 length": UDP4 | {"l3_length": 100},
    "frame size before l3 length": UDP4 | {"l3_length": 100, "frame_size": 200},
    "auto length": UDP4 | {"length_mode": "auto"},
    "growing": UDP4
    | {"length_mode": "increment", "frame_size_min": 100, "frame_size_max": 3000, "frame_size_step": 10},
    "growing from the default": UDP4 | {"length_mode": "increment", "frame_size_max": 9216},
    "shrinking tcp": TCP4 | {"length_mode": "decrement", "frame_size_max": 9216},
    "random sizes": UDP4 | {"length_mode": "random", "frame_size_min": 64, "frame_size_max": 1518},
    "random l3 lengths": UDP4
    | {"length_mode": "random", "l3_length_min": 60, "l3_length_max": 1500, "l3_length_step": 2},
    "default l3 lengths": UDP4 | {"length_mode": "increment"},
    "growing with a tag": UDP4 | {"length_mode": "increment", "frame_size_max": 200, "vlan_id": 7},
    "sources count up": UDP4 | SRC | varied("ip_src", "increment", 254),
    "sources count down in steps": UDP4 | SRC | varied("ip_src", "decrement", 10, "0.0.1.0"),
    "random sources": UDP4 | varied("ip_src", "random"),
    "both count up together": UDP4 | SRC | DST | varied("ip_src", "increment") | varied("ip_dst", "increment"),
    "both count up apart": UDP4 | SRC | DST | varied("ip_src", "increment", 5) | varied("ip_dst", "increment", 7),
    "count as text": UDP4 | varied("ip_dst", "increment", "9"),
    "one is none": UDP4 | varied("ip_dst", "increment", 1),
    "direction turned round": UDP4
    | SRC
    | DST
    | varied("ip_src", "increment")
    | {"direction": 1, "mac_dst2": "02:00:00:00:00:07"},
    "ipv6 turned round": UDP6 | varied("ipv6_src", "increment", 4) | {"direction": 1},
    "macs count": varied("mac_src", "increment", 3)
    | varied("mac_dst", "decrement", 7, 2)
    | {"mac_dst": "0c:00:00:00:01:00"},
    "mac step as address": varied("mac_src", "increment", 3, "00:00:00:00:01:00"),
    "random macs": varied("mac_src", "random") | varied("mac_dst", "random"),
    "macs of the port": {"ignore_macs": True} | varied("mac_src", "increment", 3),
    "mac in dashes": {"mac_src": "01-23-45-67-89-10"},
    "mac in dots": {"mac_src": "0123.4567.8910"},
    "mac in braces": {"mac_dst": "{01 23 45 67 89 10}"},
    "tag by encapsulation": UDP4 | {"l2_encap": "ethernet_ii_vlan"},
    "tag by argument": UDP4 | {"vlan_id": 100, "vlan_user_priority": 5, "vlan_cfi": 0},
    "four tags": UDP6
    | {"frame_size": 100, "vlan_id": [1, 2, 3, 4], "vlan_protocol_tag_id": "8100 0x9100"}
    | {"vlan_user_priority": "4 3 2"},
    "tag ids in braces": UDP4 | {"vlan_id": "{20 30}", "vlan_protocol_tag_id": [0x88A8, 0x8100]},
    "tag counts up": UDP4 | {"vlan_id": 100} | varied("vlan_id", "increment", 50, 2),
    "tag counts down": UDP4 | {"vlan_id": 100} | varied("vlan_id", "decrement", 50),
    "random tag": UDP4 | {"vlan_id": 100} | varied("vlan_id", "random"),
    "second tag counts": UDP4
    | {"vlan_id": "1 2", "vlan_id_mode": "fixed increment", "vlan_id_count": [1, 5], "vlan_id_step": "1 3"},
    "ports count": UDP4 | varied("udp_src_port", "increment", 100) | varied("udp_dst_port", "decrement", 50, 2),
    "ports count together": UDP4 | varied("udp_src_port", "increment", 9) | varied("udp_dst_port", "increment", 9),
    "random ports again": UDP4 | varied("udp_src_port", "random") | {"consistent_random": True},
    "tcp ports": TCP4
    | varied("tcp_src_port", "increment", 9)
    | varied("tcp_dst_port", "random")
    | {"tcp_dst_port": 443},
    "tcp header": TCP4
    | {"tcp_seq_num": 5, "tcp_ack_num": 6, "tcp_window": 100, "tcp_urgent_ptr": 9}
    | {"tcp_syn_flag": 1, "tcp_checksum": 7},
    **{f"tcp {flag}": TCP4 | {f"tcp_{flag}_flag": 1} for flag in ("fin", "syn", "rst", "psh", "ack", "urg")},
    "udp length": UDP4 | {"udp_length": 30},
    "ipv4 header": UDP4 | {"ip_ttl": 5, "ip_id": 77, "ip_fragment_offset": 8},
    "ipv4 checksum of one's own": UDP4 | {"ip_checksum": 1} | varied("ip_src", "increment"),
    "dscp": UDP4 | {"ip_dscp": 46, "ip_cu": 1},
    "precedence and tos": UDP4 | {"ip_precedence": 5, "ip_tos_field": 3, "ip_mbz": 1},
    "precedence and bits": UDP4 | {"ip_precedence": 5, "ip_delay": 1, "ip_reliability": 1},
    "ipv6 header": UDP6 | {"ipv6_traffic_class": 9, "ipv6_flow_label": 77, "ipv6_hop_limit": 3, "ipv6_next_header": 17},
    "ipv6 counts": UDP6
    | {"ipv6_src_addr": "2001:db8::8888", "frame_size": 168}
    | varied("ipv6_src", "increment", 10, 5)
    | varied("ipv6_dst", "decrement", 6, "::1:0"),
    "random ipv6": UDP6 | varied("ipv6_dst", "random"),
    "flow statistics": UDP4 | {"flow_stats_id": 88},
    "flow statistics switched off": UDP4 | {"flow_stats_id": 88, "disable_flow_stats": True},
    "no flow statistics without ip": {"flow_stats_id": 88},
    "imix": UDP4 | {"length_mode": "imix"},
    "imix in pps": UDP4
    | {"length_mode": "imix", "rate_pps": 2, "l3_imix1_size": 60, "l3_imix2_ratio": 3}
    | {"l3_imix4_size": 2000, "l3_imix4_ratio": 1},
    "imix in bps": UDP4 | {"length_mode": "imix", "rate_bps": 1e9, "l3_imix2_ratio": 0},
    "unknown arguments": UDP4 | {"enable_auto_detect_instrumentation": "1"},
    "for all cores": UDP4 | {"split_by_cores": "duplicate"} | varied("ip_src", "increment"),
}  # fmt: skip


def write(directory: Path, number: int, arguments: dict[str, Any]) -> str:
    path = directory / f"hlt{number}.py"
    path.write_text(
        "from trex.stl.trex_stl_hltapi import STLHltStream\n"
        "class P(object):\n"
        "    def get_streams(self, direction=0, **kwargs):\n"
        f"        return STLHltStream(**{arguments!r})\n"
        "def register(): return P()\n"
    )
    return str(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    directory = tmp_path_factory.mktemp("hlt")
    return {name: write(directory, number, arguments) for number, (name, arguments) in enumerate(CASES.items())}


@pytest.fixture(scope="module")
def theirs(files: dict[str, str]) -> dict[str, Any]:
    return by_trex({name: (path, {}, 0, 0) for name, path in files.items()})


@pytest.mark.parametrize("name", CASES)
def test_stream_is_as_trex_makes_it(name: str, files: dict[str, str], theirs: dict[str, Any]) -> None:
    assert canonical(load_profile(files[name], {}, 0, 0)) == canonical(theirs[name])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rate_pps": 1, "rate_bps": 1}, "More than one rate"),
        ({"rate_percent": 101}, "should not exceed 100%"),
        (UDP4 | varied("ip_src", "sideways"), "sideways"),
        (UDP4 | varied("ip_src", "increment", 0), "at least 1"),
        ({"vlan_id": 1, "vlan_protocol_tag_id": "1234"}, "0x8100"),
        (UDP4 | {"ip_dscp": 99}, "not in range 0-255"),
        (UDP4 | {"length_mode": "random", "frame_size_max": 40}, "at least 44"),
        ({"length_mode": "imix", "l3_imix1_size": 20}, "at least 32"),
    ],
)
def test_what_cannot_be_used_is_one_line(tmp_path: Path, arguments: dict[str, Any], words: str) -> None:
    need_trex_library()
    with pytest.raises(UsageError) as caught:
        load_profile(write(tmp_path, 0, arguments), {}, 0, 0)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("imports", "use", "name"),
    [
        ("from trex.stl.trex_stl_hltapi import STLHltStream", "STLHltStream()", "STLHltStream"),
        ("from trex_stl_lib.api import *", "get_number('5')", "get_number"),
        ("from trex.stl.api import get_number", "get_number('5')", "get_number"),
    ],
)
def test_without_the_client_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, imports: str, use: str, name: str
) -> None:
    (tmp_path / "old.py").write_text(
        f"{imports}\nclass P(object):\n    def get_streams(self, **kwargs):\n        return [{use}]\n"
        "def register(): return P()\n"
    )
    monkeypatch.setattr(trex_client, "find_spec", lambda name: None)
    with pytest.raises(EnvironmentFault) as caught:
        load_profile(str(tmp_path / "old.py"), {}, 0, 0)
    assert f"{name} is in T-Rex's own client" in str(caught.value) and "wirespeed[trex]" in str(caught.value)
