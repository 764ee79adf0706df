"""Names that `from trex_stl_lib.api import *` gives a profile, compared with those of T-Rex's own client."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from trex_library import need_trex_library

from wirespeed.profiles.script import run_profile_file

CLIENTS_OWN = ("trex.astf", "trex.common", "trex.stl.api", "trex.stl.trex_stl_client")
"""Modules that require a connection, or T-Rex's other mode."""

COMPILED = {
    "CTRexScapyPktUtl", "CTRexVmDescBase", "CTRexVmEngine", "CTRexVmInsBase", "CTRexVmInsFixIcmpv6",
    "CTRexVmInsFixIpv4", "CTRexVmInsFlowVar", "CTRexVmInsFlowVarRandLimit", "CTRexVmInsTrimPktSize",
    "CTRexVmInsTupleGen", "CTRexVmInsWrFlowVar", "CTRexVmInsWrMaskFlowVar", "CTrexPktBuilderInterface", "Graph",
    "PCAPReader", "Profiler_Context", "STLFlowStatsInterface", "STLTaggedPktGroupTagConf", "check_for_int",
    "convert_val", "convert_val_list", "default_STLStream", "format_num", "get_max_by_size",
    "set_window_always_on_top", "valid_fv_cycle", "valid_fv_init", "valid_fv_min_max", "valid_fv_ops",
    "valid_fv_size", "valid_fv_var_sizes",
}  # fmt: skip
"""Results of T-Rex's packet builder for streams and instructions, and its own tools for that."""

LEFT_OVER = {"absolute_import", "print_function", "viewitems", "imp", "plt"}
"""Names from Python 2, or removed in Python 3.12; or only with matplotlib."""

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
