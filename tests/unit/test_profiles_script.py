"""T-Rex profile files, run without T-Rex."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from scapy.utils import wrpcap

from wirespeed.errors import UsageError
from wirespeed.profiles import load_profile

RECORDED = json.loads((Path(__file__).parent / "data" / "trex_client_streams.json").read_text())["api"]

EVERY_INSTRUCTION = """
from trex.stl.api import *


def packet(size, commands, **more):
    base = Ether() / IP(src="16.0.0.1", dst="48.0.0.1") / UDP(dport=12, sport=1025)
    return STLPktBuilder(pkt=base / ((size - len(base)) * "x"), vm=STLScVmRaw(commands, **more))


def cont(commands, pps=10, size=124, **more):
    cache = {"cache_size": more.pop("cache_size")} if "cache_size" in more else {}
    return STLStream(packet=packet(size, commands, **cache), mode=STLTXCont(pps=pps), **more)


class Everything:
    def get_streams(self, direction, tunables, **kwargs):
        return [
            STLStream("S0", packet(60, []), STLTXSingleBurst(pps=1000, total_pkts=100), isg=1000.0, next="S1"),
            STLStream(
                "S1",
                packet(124, []),
                STLTXMultiBurst(pps=1000, pkts_per_burst=10, ibg=50000.0, count=5),
                self_start=False,
                next="S0",
                action_count=3,
            ),
            STLStream(packet=packet(60, []), mode=STLTXCont(pps=1000)),
            STLStream(packet=packet(60, []), mode=STLTXCont(bps_L1=1000000.0)),
            STLStream(packet=packet(60, []), mode=STLTXCont(bps_L2=1000000.0)),
            STLStream(packet=packet(60, []), mode=STLTXCont(percentage=0.1)),
            cont([
                STLVmFlowVar("a", min_value="16.0.0.1", max_value="16.0.0.254", size=4, op="inc"),
                STLVmWrFlowVar("a", pkt_offset="IP.src"),
                STLVmFixIpv4(offset="IP"),
            ]),
            cont([
                STLVmFlowVar("a", min_value=1025, max_value=2000, size=2, step=3, op="dec"),
                STLVmWrFlowVar("a", pkt_offset="UDP.sport", add_val=1),
                STLVmFixChecksumHw(l3_offset="IP", l4_offset="UDP", l4_type=CTRexVmInsFixHwCs.L4_TYPE_UDP),
            ]),
            cont([
                STLVmFlowVar("a", value_list=[1, 5, 9], size=1, op="random"),
                STLVmWrFlowVar("a", pkt_offset="IP.tos"),
                STLVmFixIpv4(offset="IP"),
            ], random_seed=1234),
            cont([
                STLVmFlowVar("a", min_value=60, max_value=124, size=2, op="random"),
                STLVmTrimPktSize("a"),
                STLVmWrFlowVar("a", pkt_offset="IP.len", add_val=-14),
                STLVmFixIpv4(offset="IP"),
            ]),
            cont([
                STLVmTupleGen("t", ip_min="16.0.0.1", ip_max="16.0.0.9", port_min=1025, port_max=2048, limit_flows=100),
                STLVmWrFlowVar("t.ip", pkt_offset="IP.src"),
                STLVmWrFlowVar("t.port", pkt_offset="UDP.sport"),
                STLVmFixIpv4(offset="IP"),
            ]),
            cont([
                STLVmFlowVarRepeatableRandom("r", size=2, limit=50, seed=7, min_value=0, max_value=1000),
                STLVmWrFlowVar("r", pkt_offset="UDP.dport"),
            ]),
            cont([
                STLVmFlowVar("m", min_value=0, max_value=255, size=2, op="inc"),
                STLVmWrMaskFlowVar("m", pkt_offset="UDP.dport", pkt_cast_size=2, mask=0xFF0, shift=4),
            ]),
            cont([
                STLVmFlowVar("a", min_value=1, max_value=10, size=4, op="inc"),
                STLVmWrFlowVar("a", pkt_offset=26),
                STLVmFixIpv4(offset=14),
            ], cache_size=255),
            cont([], pps=1000, name="fs", flow_stats=STLFlowStats(pg_id=7)),
            cont([], pps=1000, name="lat", flow_stats=STLFlowLatencyStats(pg_id=8)),
        ]


def register():
    return Everything()
"""


def profile(tmp_path: Path, body: str) -> str:
    """A profile file whose get_streams holds `body`; its last line returns the streams."""
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    text = (
        "from trex.stl.api import *\n"
        "import argparse\n"
        "class P:\n"
        f"    def get_streams(self, port_id, direction, tunables, **kwargs):\n{lines}\n"
        "def register(): return P()\n"
    )
    path = tmp_path / "p.py"
    path.write_text(text)
    return str(path)


def one_stream(path: str, **tunables: str) -> dict[str, Any]:
    (loaded,) = load_profile(path, tunables, 0, 0)
    return loaded["stream"]


def instructions(path: str) -> list[dict[str, Any]]:
    return one_stream(path)["vm"]["instructions"]


def refused(path: str, **tunables: str) -> str:
    with pytest.raises(UsageError) as caught:
        load_profile(path, tunables, 0, 0)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_every_instruction_mode_and_rate_is_as_trex_client_sends_it(tmp_path: Path) -> None:
    path = tmp_path / "everything.py"
    path.write_text(EVERY_INSTRUCTION)
    loaded = [one["stream"] for one in load_profile(str(path), {}, 0, 0)]
    assert [loaded[0].pop("next_stream_id"), loaded[1].pop("next_stream_id")] == [2, 1]
    recorded = [dict(stream) for stream in RECORDED]
    for stream in recorded[:2]:
        del stream["next_stream_id"]  # stream ids continue from earlier streams of the client
    assert loaded == recorded


def test_current_style_of_field_program(tmp_path: Path) -> None:
    path = profile(
        tmp_path,
        """
vm = STLVM()
vm.var(name="a", min_value=1, max_value=4, size=2, op="inc", init_value=2)
vm.write(fv_name="a", pkt_offset="UDP.dport")
vm.fix_chksum()
vm.set_cached(255)
vm.repeatable_random_var("q", 2, 10, seed=1)
vm.tuple_var("t", 1, 2, 3, 4)
vm.var("w", None, None, 2, "inc", value_list=["0.0.0.3", 4])
vm.write_mask("a", "IP.id", 2, 0xff, shift=-2, offset_fixup=1, add_val=3, byte_order="little")
vm.trim("a")
vm.fix_chksum_hw("IP", "UDP", CTRexVmInsFixHwCs.L4_TYPE_UDP)
vm.fix_chksum_icmpv6("IP", "UDP")
return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP(), vm=vm))
""",
    )
    program = one_stream(path)["vm"]
    assert program["cache"] == 255
    assert [step["type"] for step in program["instructions"]] == [
        "flow_var",
        "flow_var_rand_limit",
        "flow_var",
        "write_flow_var",
        "fix_checksum_ipv4",
        "tuple_flow_var",
        "write_mask_flow_var",
        "trim_pkt_size",
        "fix_checksum_hw",
        "fix_checksum_icmpv6",
    ]
    variable, random, listed, _, _, _, mask, _, hardware, icmp6 = program["instructions"]
    assert variable["init_value"] == 2
    assert (random["min_value"], random["max_value"], random["seed"]) == (0, 65535, 1)
    assert listed["value_list"] == [3, 4]
    assert (mask["pkt_offset"], mask["shift"], mask["add_value"], mask["is_big_endian"]) == (19, -2, 3, False)
    assert hardware == {"type": "fix_checksum_hw", "l2_len": 14, "l3_len": 20, "l4_type": 11}
    assert icmp6 == {"type": "fix_checksum_icmpv6", "l2_len": 14, "l3_len": 20}


def test_variables_stand_before_the_one_they_advance(tmp_path: Path) -> None:
    path = profile(
        tmp_path,
        """
commands = [
    STLVmFlowVar("b", size=1),
    STLVmFlowVar("a", size=1, next_var="b"),
    STLVmWrFlowVar("b", 15),
    STLVmFlowVar("c", size=1),
]
return [STLStream(packet=STLPktBuilder(pkt=Ether()/IP(), vm=commands))]
""",
    )
    steps = instructions(path)
    assert [(step["name"], step.get("split_to_cores")) for step in steps] == [
        ("a", True),
        ("b", False),
        ("c", True),
        ("b", None),
    ]


@pytest.mark.parametrize(
    ("packet", "name", "offset"),
    [
        ("Ether()/IP()/UDP()", "Ether.dst", 0),
        ("Ether()/IP()/UDP()", "Ethernet.src", 6),
        ("Ether()/IP()/UDP()", "Ether.type", 12),
        ("Ether()/IP()/UDP()", "IP.tos", 15),
        ("Ether()/IP()/UDP()", "IP.flags", 20),
        ("Ether()/IP()/UDP()", "IP.ttl", 22),
        ("Ether()/IP()/UDP()", "IP.dst", 30),
        ("Ether()/IP(options=IPOption(b'\\x83\\x03\\x10'))/UDP()", "UDP.dport", 40),
        ("Ether()/Dot1Q(vlan=7)/IP()/UDP()", "802|1Q.vlan", 14),
        ("Ether()/Dot1Q(vlan=7)/Dot1Q(vlan=8)/IP()", "Dot1Q:1.type", 20),
        ("Ether()/IP()/UDP()/IP(src='1.1.1.1')", "IP:1.src", 54),
        ("Ether()/IPv6()/TCP()", "IPv6.dst", 38),
        ("Ether()/IPv6()/TCP()", "TCP.seq", 58),
        ("Ether()/IP()/GRE(chksum_present=1)", "GRE.chksum", 38),
    ],
)
def test_offsets_by_name(tmp_path: Path, packet: str, name: str, offset: int) -> None:
    path = profile(
        tmp_path,
        f"""
from scapy.layers.l2 import GRE
commands = [STLVmFlowVar("a", size=2), STLVmWrFlowVar("a", {name!r})]
return STLStream(packet=STLPktBuilder(pkt={packet}, vm=commands))
""",
    )
    assert instructions(path)[1]["pkt_offset"] == offset


@pytest.mark.parametrize(
    ("packet", "flags"),
    [
        ("Ether()/IP()", 0),
        ("Ether(src='00:11:22:33:44:55')/IP()", 1),
        ("Ether(src='00:00:00:02:00:00')/IP()", 1),
        ("Ether(dst='00:11:22:33:44:55')/IP()", 2),
        ("Ether(src='00:11:22:33:44:55',dst='00:11:22:33:44:56')/IP()", 3),
    ],
)
def test_mac_addresses_of_the_packet_are_kept_when_given(tmp_path: Path, packet: str, flags: int) -> None:
    by_layers = profile(tmp_path, f"return STLStream(packet=STLPktBuilder(pkt={packet}))")
    assert one_stream(by_layers)["flags"] == flags


def test_mac_flags_can_be_forced(tmp_path: Path) -> None:
    path = profile(
        tmp_path,
        """
packet = STLPktBuilder(pkt=Ether(src="00:11:22:33:44:55")/IP())
return STLStream(packet=packet, mac_src_override_by_pkt=0, mac_dst_override_mode=STLStreamDstMAC_ARP, dummy_stream=True)
""",
    )
    assert one_stream(path)["flags"] == 4 + 8


def test_bytes_as_packet_get_the_addresses_of_the_port(tmp_path: Path) -> None:
    path = profile(
        tmp_path,
        """
packet = STLPktBuilder(pkt_buffer=bytes(Ether(src="00:11:22:33:44:55")/IP()/UDP()))
return [STLStream(packet=packet), STLStream(packet=packet, mac_src_override_by_pkt=True)]
""",
    )
    assert [one["stream"]["flags"] for one in load_profile(path, {}, 0, 0)] == [0, 1]


def test_addresses_left_out_are_trex_defaults_and_scapy_is_left_as_it_was(tmp_path: Path) -> None:
    path = profile(tmp_path, "return STLStream(packet=STLPktBuilder(pkt=Ether()/IPv6()/UDP()))")
    assert one_stream(path)["packet"]["binary"] == base64.b64encode(
        bytes.fromhex(
            "00000001000000000002000086dd60000000000811400000000000000000000000000000000200000000000000000000000000000001"
            "003500350008ff71"
        )
    ).decode("ascii")
    assert Packet.class_default_fields[Ether]["dst"] is None


def test_first_packet_of_a_capture_next_to_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src="1.2.3.4", dst="5.6.7.8") / UDP()
    wrpcap(str(tmp_path / "one.pcap"), [frame])
    monkeypatch.chdir("/")
    path = profile(tmp_path, 'return STLStream(packet=STLPktBuilder(pkt="one.pcap", path_relative_to_profile=True))')
    assert base64.b64decode(one_stream(path)["packet"]["binary"]) == bytes(frame)
    assert one_stream(path)["flags"] == 0


def test_argument_parser_gets_tunables(tmp_path: Path) -> None:
    path = profile(
        tmp_path,
        """
parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=64)
parser.add_argument("--vm", choices=["none", "var1"])
args = parser.parse_args(tunables)
return [STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/(b"x" * (args.size - 34))))]
""",
    )
    assert len(base64.b64decode(one_stream(path, size="100")["packet"]["binary"])) == 100
    assert "choose from" in refused(path, vm="var7")
    message = refused(path, colour="red")
    assert "--colour" in message
    assert message.endswith("its tunables are size, vm")


OLD_STYLE = """
from trex_stl_lib.api import *
class P(object):
    def get_streams(self, direction=0, fsize=64, rate=1.5, name="x", **kwargs):
        assert kwargs["port_id"] == 1
        packet = STLPktBuilder(pkt=Ether()/IP()/Raw(b"x" * (fsize - 34)))
        return STLProfile([STLStream(name=name, packet=packet, mode=STLTXCont(pps=rate))])
def register():
    return P()
"""


def test_old_style_gets_keywords_as_numbers_where_they_read_as_numbers(tmp_path: Path) -> None:
    path = tmp_path / "old.py"
    path.write_text(OLD_STYLE)
    (loaded,) = load_profile(str(path), {"fsize": "0x50", "rate": "2.5", "name": "y"}, 1, 0)
    assert len(base64.b64decode(loaded["stream"]["packet"]["binary"])) == 80
    assert loaded["stream"]["mode"]["rate"]["value"] == 2.5
    assert loaded["stream"]["name"] == "y"
    with pytest.raises(UsageError, match="no tunable 'colour'; it takes fsize, rate, name"):
        load_profile(str(path), {"colour": "red"}, 1, 0)


def test_oldest_style_takes_only_what_it_names(tmp_path: Path) -> None:
    path = tmp_path / "oldest.py"
    path.write_text(
        "from trex_stl_lib.api import *\n"
        "class P:\n"
        "    def get_streams(self, direction = 0):\n"
        "        vm = CTRexScRaw([STLVmFlowVar('a', size=1), STLVmWrFlowVar('a', 15)], split_by_field='a')\n"
        "        return [STLStream(name=str(direction), packet=STLPktBuilder(Ether()/IP(), vm=vm))]\n"
        "def register(): return P()\n"
    )
    (loaded,) = load_profile(str(path), {}, 1, 1)
    assert loaded["stream"]["name"] == "1"
    with pytest.raises(UsageError, match="it takes none"):
        load_profile(str(path), {"size": "64"}, 0, 0)


def test_modules_are_there_only_while_the_file_runs(tmp_path: Path) -> None:
    path = profile(
        tmp_path,
        "import sys\nassert 'trex.stl.api' in sys.modules\nimport trex.stl.api as again\n"
        "return STLStream(name=again.STLStream.__name__)",
    )
    assert one_stream(path)["name"] == "STLStream"
    assert not [name for name in sys.modules if name.split(".")[0] in ("trex", "trex_stl_lib")]
    assert str(tmp_path) not in sys.path


def test_real_trex_is_left_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class RealStream:
        def get_name(self) -> None:
            return None

        def get_next(self) -> None:
            return None

        def to_json(self) -> dict[str, Any]:
            return {"packet": {"binary": b"\0", "meta": ""}}

    for name in ("trex", "trex.stl", "trex.stl.api"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    real = sys.modules["trex.stl.api"]
    vars(real)["STLStream"] = RealStream
    path = profile(tmp_path, "return [STLStream()]")
    assert one_stream(path) == {"packet": {"binary": "AA==", "meta": ""}, "next_stream_id": -1}
    assert sys.modules["trex.stl.api"] is real


def test_output_of_the_file_does_not_reach_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = profile(tmp_path, "return STLStream()")
    Path(path).write_text("print('loaded')\n" + Path(path).read_text())
    load_profile(path, {}, 0, 0)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 / 0", "line 5: ZeroDivisionError"),
        ("return [7]", "returned int, not an STLStream"),
        ("return []", "returned no stream"),
        ("return STLStream(mode=STLTXCont(pps=1), next='x')", "never ends"),
        ("return STLStream(mode=STLTXSingleBurst(), next='x')", "names no stream"),
        ("return [STLStream(name='a'), STLStream(name='a')]", "two streams are named 'a'"),
        ("return STLStream(mode=STLTXCont(pps=1, percentage=3))", "one rate"),
        ("return STLStream(mode=STLTXCont(kpps=1))", "pps, bps_L1, bps_L2, percentage"),
        ("return STLStream(mode=STLTXCont(pps=-1))", "not above zero"),
        ("return STLStream(packet=STLPktBuilder())", "has no packet"),
        ("return STLStream(packet=STLPktBuilder(pkt=3))", "scapy layers"),
        ("return STLStream(packet=STLPktBuilder(pkt='missing.pcap'))", "cannot be read"),
        ("return STLStream(packet=STLPktBuilder(pkt=__file__))", "unknown file format"),
        ("return STLStream(packet=STLPktBuilder(Ether()/IP(), vm=[STLVmWrFlowVar('b', 3)]))", "'b' is not defined"),
        (
            "return STLStream(packet=STLPktBuilder(Ether()/IP(), vm=[STLVmFlowVar('a'), STLVmFlowVar('a')]))",
            "defined twice",
        ),
        (
            "return STLStream(packet=STLPktBuilder(Ether()/IP(), vm=[STLVmFlowVar('a', next_var='b')]))",
            "next_var 'b' is not a flow variable",
        ),
        (
            "return STLStream(packet=STLPktBuilder(Ether()/IP(), vm=[STLVmFlowVar('a', next_var='a')]))",
            "forms a loop",
        ),
        (
            "v = [STLVmFlowVar('a', next_var='c'), STLVmFlowVar('b', next_var='c'), STLVmFlowVar('c')]\n"
            "return STLStream(packet=STLPktBuilder(Ether()/IP(), vm=v))",
            "next_var of two",
        ),
        ("STLVmFlowVar('a', min_value=9, max_value=1)", "above max_value"),
        ("STLVmFlowVar('a', min_value='no.ip')", "neither a number nor an IPv4 address"),
        ("STLVmFlowVar('a', size=3)", "1, 2, 4, 8"),
        ("STLVmFlowVar('a', op='up')", "inc, dec, random"),
    ],
)
def test_faults_of_the_file_are_one_line(tmp_path: Path, body: str, said: str) -> None:
    message = refused(profile(tmp_path, body))
    assert said in message
    assert "p.py" in message


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("IP.foo", "it has version, ihl, tos"),
        ("TCP.seq", "its headers are Ether/IP"),
        ("IP", "no field"),
        ("..", "cannot be read"),
    ],
)
def test_offset_names_that_mean_nothing(tmp_path: Path, name: str, said: str) -> None:
    path = profile(
        tmp_path,
        f"""
commands = [STLVmFlowVar("a"), STLVmWrFlowVar("a", {name!r})]
return STLStream(packet=STLPktBuilder(Ether()/IP(), vm=commands))
""",
    )
    assert said in refused(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "defines no register()"),
        ("def register(): return 5", "no object with a get_streams()"),
        ("def register(:", "line 1: invalid syntax"),
        ("import no_such_module_here", "ModuleNotFoundError"),
        ("import sys; sys.exit(3)", "ended the program (3)"),
        ("#" * 5000 + "\0", "null bytes"),
    ],
)
def test_files_that_are_no_profile(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "p.py"
    path.write_text(text)
    assert said in refused(str(path))
