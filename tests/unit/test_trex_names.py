"""What `from trex_stl_lib.api import *` gives a profile, beside what it gives with T-Rex's own client."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from trex_library import need_trex_library

from wirespeed.profiles import trex_functions as trex
from wirespeed.profiles.instructions import STLError
from wirespeed.profiles.script import run_profile_file

CLIENTS_OWN = ("trex.astf", "trex.common", "trex.stl.api", "trex.stl.trex_stl_client")
"""Modules that work on a connection, or on T-Rex's other mode."""

COMPILED = {
    "CTRexScapyPktUtl", "CTRexVmDescBase", "CTRexVmEngine", "CTRexVmInsBase", "CTRexVmInsFixIcmpv6",
    "CTRexVmInsFixIpv4", "CTRexVmInsFlowVar", "CTRexVmInsFlowVarRandLimit", "CTRexVmInsTrimPktSize",
    "CTRexVmInsTupleGen", "CTRexVmInsWrFlowVar", "CTRexVmInsWrMaskFlowVar", "CTrexPktBuilderInterface", "Graph",
    "PCAPReader", "Profiler_Context", "STLFlowStatsInterface", "STLTaggedPktGroupTagConf", "check_for_int",
    "convert_val", "convert_val_list", "default_STLStream", "format_num", "get_max_by_size",
    "set_window_always_on_top", "valid_fv_cycle", "valid_fv_init", "valid_fv_min_max", "valid_fv_ops",
    "valid_fv_size", "valid_fv_var_sizes",
}  # fmt: skip
"""What T-Rex's packet builder makes of streams and instructions, and its own tools for that."""

LEFT_OVER = {"absolute_import", "print_function", "viewitems", "imp", "plt"}
"""Of Python 2, or gone from Python 3.12; or there where matplotlib is."""

PROFILE = """
from trex_stl_lib.api import *
import json
with open("names.json", "w") as file:
    json.dump([name for name in globals() if not name.startswith("__")], file)
assert binascii.hexlify(b"a") == b"61" and base64.b64encode(b"") == b"" and yaml.safe_load("1") == 1
assert increase_ipv6(int2ipv6(1, 2)) == "::1:0:0:0:3" and str2ip(bytes([1, 2, 3, 4])) == "1.2.3.4"
class Traffic:
    def get_streams(self, **more):
        CTRexScIpv4SimpleRange("ip", "inc", "16.0.0.1", "16.0.0.9")
        return [STLStream(packet=STLPktBuilder(pkt=Ether() / IP() / UDP()))]
def register():
    return Traffic()
"""


def test_the_star_import_gives_trexs_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_trex_library()
    child = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("trex_star_names.py"))],
        capture_output=True,
        check=True,
        text=True,
    )
    theirs: dict[str, str] = json.loads(child.stdout)
    (tmp_path / "names.py").write_text(PROFILE)
    monkeypatch.chdir(tmp_path)
    (stream,) = run_profile_file(tmp_path / "names.py", {}, 0, 0)
    assert stream.to_json()["packet"]["binary"]
    ours = set(json.loads((tmp_path / "names.json").read_text()))
    missing = {name: module for name, module in theirs.items() if name not in ours}
    unexplained = [
        name
        for name, module in missing.items()
        if module and not module.startswith(("scapy", *CLIENTS_OWN)) and name not in COMPILED | LEFT_OVER
    ]
    assert unexplained == []


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (trex.int2ipv6(1, 2), "::1:0:0:0:2"),
        (trex.generate_ipv6("aa:bb:cc:dd:ee:ff"), "fe80::a8bb:ccff:fedd:eeff"),
        (trex.increase_ipv6("2001:db8::ffff"), "2001:db8::1:0"),
        (trex.increase_ipv6("0:0:0:1:ffff:ffff:ffff:ffff"), "0:0:0:1::"),
        (trex.compress_ipv6("0001:0001:0000:0000:0000:1111:0000:0000"), "1:1::1111:0:0"),
        (trex.ipv62int("1::2"), (281474976710656, 2)),
        (trex.is_valid_ipv6_ret("::1"), bytes(15) + b"\1"),
        (trex.generate_ipv6_solicited_node("2001:db8::1:2"), "ff02::1:ff01:2"),
        (trex.multicast_mac_from_ipv6("2001:db8::1:2"), "33:33:00:01:00:02"),
        (trex.calc_bps_L1(1000, 2), 1320),
        (trex.bitfield_to_list(5), [0, 2]),
        (trex.bitfield_to_str(5), "0, 2"),
        (trex.round_float(1.23456), 1.23),
        (trex.sec_split_usec(1.5), (1, 500000)),
        (trex.try_int("a"), "a"),
        (trex.get_number("5"), 5),
        (trex.list_xor([1, 2], [2, 3]), [1, 3]),
        (trex.list_difference([1, 2], [2]), [1]),
        (trex.is_sub_list([1], [1, 2]), True),
        (trex.has_dup([1, 1]), True),
        (trex.natural_sorted_key("a10"), ["a", 10, ""]),
        (trex.parse_ports_from_profiles(["0.a", "0.b", "1.a"]), [0, 1]),
    ],
)
def test_functions_give_what_trexs_give(got: object, expected: object) -> None:
    assert got == expected


def test_addresses_that_are_none_are_refused() -> None:
    with pytest.raises(STLError, match="is not an IPv6 address"):
        trex.is_valid_ipv6_ret("1.2.3.4")
    with pytest.raises(STLError, match="above max IP"):
        trex.CTRexScIpv4SimpleRange("ip", "inc", "16.0.0.9", "16.0.0.1")
