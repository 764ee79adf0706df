"""Profile files with all features of T-Rex's API: wirespeed's streams equal those of T-Rex's own client."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from facade_cases import Case, by_trex, canonical
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet
from scapy.utils import wrpcap

from wirespeed.errors import UsageError
from wirespeed.profiles import load_profile
from wirespeed.profiles.script import run_profile_file
from wirespeed.profiles.stl_profile import STLProfile

BODIES = {
    "nothing but a stream": "return STLStream()",
    "packet by position": "return STLStream('S', STLPktBuilder(Ether()/IP()/UDP()), STLTXCont(pps=7))",
    "packet set later": "b = STLPktBuilder(); b.set_packet(Ether()/IP()/TCP(flags='S')); return STLStream(packet=b)",
    "program added later": """
b = STLPktBuilder(pkt=Ether()/IP()/UDP())
b.add_command(STLScVmRaw([STLVmFlowVar("a", size=2, max_value=99), STLVmWrFlowVar("a", "UDP.dport")]))
return STLStream(packet=b)""",
    "program as a list": """
return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP(), vm=[
    STLVmFlowVar(name="a", min_value="10.0.0.1", max_value="10.0.0.255", size=4, op="dec", step=2),
    STLVmWrFlowVar(fv_name="a", pkt_offset="IP.dst", add_val=-1),
    STLVmFixIpv4(offset="IP")]))""",
    "an ip range": """
span = {"start": "10.0.0.1", "end": "10.0.0.99", "step": 3}
return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP(), vm=STLIPRange(src=span, dst=span)))""",
    "an ip range of sources without checksum": """
span = {"start": "10.0.0.1", "end": "10.0.0.99", "step": 3}
return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP(), vm=STLIPRange(src=span, fix_chksum=False)))""",
    "rates": """
return [STLStream(mode=STLTXCont(**{unit: 10})) for unit in ("pps", "bps_L1", "bps_L2", "percentage")]""",
    "rate of none": "return STLStream(mode=STLTXSingleBurst(pps=None, percentage=5, total_pkts=3))",
    "bursts": """
return STLProfile([
    STLStream(name="a", mode=STLTXSingleBurst(total_pkts=9, pps=100), next="b", isg=10.5),
    STLStream(name="b", mode=STLTXMultiBurst(pkts_per_burst=4, count=3, ibg=500.0, bps_L2=1e6), self_start=False,
              next="a", action_count=5)]).get_streams()""",
    "names as numbers": """
return [STLStream(name=1, mode=STLTXSingleBurst(), next=2), STLStream(name=2, mode=STLTXSingleBurst(), next=1)]""",
    "flags of a stream": """
return [STLStream(enabled=False), STLStream(self_start=False), STLStream(start_paused=True), STLStream(random_seed=5),
        STLStream(core_id=1), STLStream(dummy_stream=True)]""",
    "addresses by hand": """
packet = STLPktBuilder(pkt=Ether(src="00:00:dd:dd:00:01")/IP()/UDP())
return [STLStream(packet=packet), STLStream(packet=packet, mac_src_override_by_pkt=False),
        STLStream(packet=packet, mac_dst_override_mode=STLStreamDstMAC_PKT),
        STLStream(packet=packet, mac_dst_override_mode=STLStreamDstMAC_ARP),
        STLStream(packet=STLPktBuilder(pkt=Ether(dst="00:00:dd:dd:00:01", src="00:00:00:02:00:00")/IP()))]""",
    "bytes": "return STLStream(packet=STLPktBuilder(pkt_buffer=bytes(Ether(dst='02:00:00:00:00:01')/IP()/UDP())))",
    "bytes with a program": """
return STLStream(packet=STLPktBuilder(pkt_buffer=bytes(Ether()/IP()/UDP()/('x'*20)), build_raw=True, vm=[
    STLVmFlowVar("a", size=1), STLVmWrFlowVar("a", "IP.ttl"), STLVmFixIpv4("IP")]))""",
    "capture beside the profile": """
return STLStream(packet=STLPktBuilder(pkt="talk.pcap", path_relative_to_profile=True))""",
    "flow statistics": """
return [STLStream(flow_stats=STLFlowStats(pg_id=5)), STLStream(flow_stats=STLFlowStats(6, vxlan=True)),
        STLStream(flow_stats=STLFlowLatencyStats(pg_id=7), packet=STLPktBuilder(Ether()/IP()/UDP()/('x'*20))),
        STLStream(flow_stats=STLTaggedPktGroup(tpgid=8), packet=STLPktBuilder(Ether()/IP()/UDP()/('x'*20)))]""",
    "every variable of the current style": """
vm = STLVM()
vm.var("a", 1, 100, 2, "inc", step=3)
vm.var("b", "10.0.0.1", "10.0.0.9", 4, "random", split_to_cores=False)
vm.var("c", 0, 255, 1, "dec")
vm.var("e", 5, 1 << 40, 8, "inc")
vm.tuple_var("t", "16.0.0.1", "16.0.0.9", 1025, 4000)
vm.repeatable_random_var("r", size=2, limit=10, seed=3, min_value=7, max_value=77)
vm.write("a", "UDP.sport")
vm.write("b", "IP.src", add_val=2)
vm.write("c", "IP.ttl")
vm.write("e", 42, byte_order="little")
vm.write("t.ip", "IP.dst")
vm.write("t.port", "UDP.dport", offset_fixup=0)
vm.write("r", "IP.id")
vm.write_mask("a", "IP.tos", 1, mask=0xFC, shift=2, add_val=1)
vm.fix_chksum()
vm.set_cached(64)
return STLStream(packet=STLPktBuilder(Ether()/IP()/UDP()/('x'*40), vm=vm))""",
    "variables that advance each other": """
vm = [STLVmFlowVar("low", size=1, max_value=9, next_var="high"), STLVmFlowVar("high", size=1, max_value=3),
      STLVmWrFlowVar("low", "IP.ttl"), STLVmWrFlowVar("high", "IP.tos")]
return STLStream(packet=STLPktBuilder(Ether()/IP()/UDP(), vm=vm))""",
    "value lists and first values": """
vm = [STLVmFlowVar("l", value_list=["10.0.0.9", "10.0.0.3"], size=4, op="inc"),
      STLVmFlowVar("i", init_value=5, min_value=1, max_value=9, size=2, op="inc"), STLVmWrFlowVar("l", "IP.src"),
      STLVmWrFlowVar("i", "UDP.sport")]
return STLStream(packet=STLPktBuilder(Ether()/IP()/UDP(), vm=vm))""",
    "checksums": """
vm = STLVM()
vm.var("a", 1, 9, 2, "inc")
vm.write("a", "TCP.sport")
vm.fix_chksum_hw("IP", "TCP", CTRexVmInsFixHwCs.L4_TYPE_TCP)
return STLStream(packet=STLPktBuilder(Ether()/IP()/TCP()/('x'*20), vm=vm))""",
    "checksum of icmpv6": """
vm = [STLVmFlowVar("a", size=2), STLVmWrFlowVar("a", "ICMPv6 Echo Request.id"),
      STLVmFixIcmpv6(l3_offset="IPv6", l4_offset="ICMPv6 Echo Request")]
return STLStream(packet=STLPktBuilder(Ether()/IPv6(src="fd00::1", dst="fd00::2")/ICMPv6EchoRequest(), vm=vm))""",
    "trimmed": """
vm = STLVM()
vm.var("n", 60, 500, 2, "random")
vm.trim("n")
vm.write("n", "IP.len", add_val=-14)
vm.write("n", "UDP.len", add_val=-34)
vm.fix_chksum()
return STLStream(packet=STLPktBuilder(Ether()/IP()/UDP()/('x'*458), vm=vm))""",
    "mask to a tag": """
vm = [STLVmFlowVar("v", size=2, min_value=0, max_value=31, op="inc"),
      STLVmWrMaskFlowVar("v", "802|1Q.vlan", pkt_cast_size=2, mask=0xFFF, shift=0, add_value=100)]
return STLStream(packet=STLPktBuilder(Ether()/Dot1Q(vlan=5)/IP()/UDP(), vm=vm))""",
    "second header of a kind": """
vm = STLVM()
vm.var("a", 1, 9, 1, "inc")
vm.write("a", "IP:1.ttl")
vm.write("a", "802|1Q:1.vlan", offset_fixup=1)
vm.fix_chksum("IP:1")
return STLStream(packet=STLPktBuilder(Ether()/Dot1Q()/Dot1Q(vlan=3)/IP()/IP(src="1.2.3.4")/UDP(), vm=vm))""",
    "mac by offset": """
vm = [STLVmFlowVar("m", size=1, max_value=30), STLVmWrFlowVar("m", pkt_offset="Ethernet.src", offset_fixup=5)]
return STLStream(packet=STLPktBuilder(Ether()/IP()/UDP(), vm=vm))""",
    "little endian by hand": """
vm = [STLVmFlowVar("m", size=4), STLVmWrFlowVar("m", 30, is_big=False), STLVmFixIpv4(14)]
return STLStream(packet=STLPktBuilder(Ether()/IP()/UDP(), vm=vm))""",
    "dns": """
return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP(dport=53)/DNS(rd=1, qd=DNSQR(qname="example.org"))))""",
    "dns without a question": "return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP()/DNS()))",
    "fragments": """
whole = Ether()/IP()/UDP()/("x" * 1000)
return [STLStream(packet=STLPktBuilder(pkt=one)) for size in (8, 20, 24, 1480) for one in fragment(whole, size)]""",
    "fragments by scapy": """
from scapy.all import IP as ip, fragment as cut
return [STLStream(packet=STLPktBuilder(pkt=Ether()/one)) for one in cut(ip()/("x" * 100), fragsize=44)]""",
    "frames with their fcs": """
frame = bytes(Ether()/IP()/UDP()/("x" * 10)) + b"fcs!"
named = [STLVmFlowVar("a", size=1, max_value=9), STLVmWrFlowVar("a", "IP.ttl")]
numbered = [STLVmFlowVar("a", size=1, max_value=9), STLVmWrFlowVar("a", 22)]
return [STLStream(packet=STLPktBuilder(pkt_buffer=frame, **more)) for more in (
    {}, {"remove_fcs": False}, {"build_raw": True}, {"build_raw": True, "remove_fcs": False}, {"vm": numbered},
    {"vm": named}, {"vm": named, "remove_fcs": False})] + [
    STLStream(packet=STLPktBuilder(pkt=Ether(frame), vm=named))]""",
    "mpls": """
from scapy.contrib.mpls import MPLS
vm = [STLVmFlowVar("label", size=2, max_value=2000, min_value=10), STLVmWrMaskFlowVar("label", "MPLS:1.label",
      pkt_cast_size=4, mask=0xFFFFF000, shift=12)]
return STLStream(packet=STLPktBuilder(Ether()/MPLS(label=17, s=0)/MPLS(label=12, s=1, ttl=9)/IP()/UDP(), vm=vm))""",
    "vxlan with a field program": """
pkt = Ether()/IP()/UDP(dport=4789)/VXLAN(vni=42)/Ether()/IP(src="16.0.0.1")/UDP()/('x'*20)
vm = STLVM()
vm.var(name="v", min_value=1, max_value=9, size=4, op="inc")
vm.write(fv_name="v", pkt_offset="VXLAN.vni")
vm.write(fv_name="v", pkt_offset="IP:1.src")
vm.fix_chksum(offset="IP:1")
vm.fix_chksum()
return STLStream(packet=STLPktBuilder(pkt=pkt, vm=vm))""",
    "vxlan": """
return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/UDP(sport=1337)/VXLAN(vni=42)/Ether()/IP()/('x'*20)))""",
    "arp": """
return [STLStream(packet=STLPktBuilder(Ether(dst='ff:ff:ff:ff:ff:ff')/arp))
        for arp in (ARP(), ARP(psrc='1.2.3.4', pdst='4.3.2.1'))]""",
    "addresses as numbers": """
return [STLStream(packet=STLPktBuilder(Ether(src=increase_mac("02:00:00:00:00:ff", n))/IP(src=int2ip(
    ip2int("10.0.0.255") + n), dst=increase_ip("1.2.3.4", n)))) for n in range(3)
    if is_valid_ipv4("1.2.3.4") and not is_valid_mac("x") and
    ipv4_str_to_num(is_valid_ipv4_ret("1.2.3.4")) == 16909060]""",
    "what comes with the names": """
return STLStream(isg=float(os.sep == '/') + struct.calcsize('!I'), random_seed=int(re.sub('x', '1', 'xx')))""",
    "what a stream says of itself": """
one = STLStream(name="n", next="n", mode=STLTXMultiBurst(), flow_stats=STLFlowStats(3))
said = [one.get_name(), one.get_next(), one.get_pkt_len(), one.get_pkt_len(count_crc=False), one.get_pg_id(),
        one.has_flow_stats(), one.has_custom_mac_addr(), one.is_explicit_dst_mac(), one.is_dummy(), one.get_mode(),
        one.get_flow_stats_type(), one.get_id(), len(STLProfile([one])), STLProfile([one]).is_pauseable()]
return STLStream(packet=STLPktBuilder(pkt=Ether()/IP()/repr(said)))""",
    "a caught error": """
try:
    STLStream(mode=STLTXCont(), next="x")
except STLError:
    return STLStream(isg=3)""",
    "direction and port": """
return STLStream(packet=STLPktBuilder(Ether()/IP(src="1.1.1.%d" % port_id, dst="2.2.2.%d" % direction)))""",
    "tunables for a parser": """
parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=64)
size = parser.parse_args(tunables).size
return STLStream(packet=STLPktBuilder(Ether()/IP()/('x' * (size - 34))))""",
    "captured talk": "return STLProfile.load_pcap(HERE + '/talk.pcap').get_streams()",
    "captured talk, faster and for ever": """
return STLProfile.load_pcap(HERE + '/talk.pcap', speedup=2.0, loop_count=0, dst_mac_pcap=True).get_streams()""",
    "captured talk, spread": """
return STLProfile.load_pcap(HERE + '/talk.pcap', ipg_usec=10.0, loop_count=3, src_mac_pcap=True).get_streams()""",
    "captured talk, not too fast": """
return STLProfile.load_pcap(HERE + '/talk.pcap', speedup=100, min_ipg_usec=40).get_streams()""",
    "captured talk with a program": """
vm = STLIPRange(src={"start": "10.0.0.1", "end": "10.0.0.254", "step": 1}, dst=None)
return STLProfile.load_pcap(HERE + '/tcp.pcap', ipg_usec=1.0, vm=vm).get_streams()""",
    "captured talk, changed": """
def hook(packet):
    return packet[:-1] + b'!'
return STLProfile.load_pcap(HERE + '/talk.pcap', packet_hook=hook).get_streams()""",
    "one side of a talk": "return STLProfile.load_pcap(HERE + '/talk.pcap', split_mode='MAC')[0].get_streams()",
    "the other side of a talk": "return STLProfile.load_pcap(HERE + '/talk.pcap', split_mode='MAC')[1].get_streams()",
    "sides by address": """
return STLProfile.load_pcap(HERE + '/talk.pcap', split_mode='IP', ipg_usec=5.0, loop_count=2)[
    direction].get_streams()""",
}  # fmt: skip
"""Bodies of get_streams(self, port_id, direction, tunables, **kwargs); talk.pcap is in the same folder."""

TUNABLES = {"tunables for a parser": {"size": "200"}}
WHERE = {"direction and port": (3, 1), "sides by address": (1, 1)}


def talk() -> list[Packet]:
    """A request, answers at uneven times, and an ARP packet between them."""
    a, b = (
        {"src": "02:00:00:00:00:0a", "dst": "02:00:00:00:00:0b"},
        {"src": "02:00:00:00:00:0b", "dst": "02:00:00:00:00:0a"},
    )
    packets = [
        Ether(**a) / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(dport=12) / b"question",
        Ether(**b) / ARP(psrc="10.0.0.2", pdst="10.0.0.1", hwsrc=b["src"]),
        Ether(**b) / IP(src="10.0.0.2", dst="10.0.0.1") / UDP(sport=12) / b"answer",
        Ether(**b) / IP(src="10.0.0.2", dst="10.0.0.1") / UDP(sport=12) / b"and more",
        Ether(**a) / IP(src="10.0.0.1", dst="10.0.0.2") / TCP() / b"thanks",
    ]  # fmt: skip
    for packet, at_ms in zip(packets, (0, 1, 3, 3.5, 10), strict=True):
        packet.time = 1_600_000_000 + at_ms / 1000
    return packets


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    directory = tmp_path_factory.mktemp("facade")
    wrpcap(str(directory / "talk.pcap"), talk())
    wrpcap(str(directory / "tcp.pcap"), [packet for packet in talk() if IP in packet])
    written = {}
    for number, (name, body) in enumerate(BODIES.items()):
        path = directory / f"case{number}.py"
        lines = "".join(f"        {line}\n" for line in body.strip().splitlines())
        path.write_text(
            f"from trex.stl.api import *\nimport argparse\nHERE = {str(directory)!r}\nclass P(object):\n"
            f"    def get_streams(self, port_id, direction, tunables, **kwargs):\n{lines}\n"
            "def register(): return P()\n"
        )
        written[name] = (str(path), TUNABLES.get(name, {}), *WHERE.get(name, (0, 0)))
    return written


@pytest.fixture(scope="module")
def theirs(cases: dict[str, Case]) -> dict[str, Any]:
    return by_trex(cases)


@pytest.mark.parametrize("name", BODIES)
def test_streams_are_those_of_trex(name: str, cases: dict[str, Case], theirs: dict[str, Any]) -> None:
    ours, wanted = canonical(load_profile(*cases[name])), canonical(theirs[name])
    gaps = [[stream["stream"].pop("isg") for stream in streams] for streams in (ours, wanted)]
    assert gaps[0] == pytest.approx(gaps[1], abs=0.5)  # times in the file are fractions of a large decimal number
    assert ours == wanted


@pytest.fixture(scope="module")
def dumped(cases: dict[str, Case]) -> dict[str, Case]:
    """The same profiles written as Python by `dump_to_code`."""
    written = {}
    for name, (path, tunables, port, direction) in cases.items():
        file = path.replace(".py", "_dumped.py")
        STLProfile(run_profile_file(Path(path), tunables, port, direction)).dump_to_code(file)
        written[name] = (file, {}, port, direction)
    return written


@pytest.fixture(scope="module")
def their_dumped(dumped: dict[str, Case]) -> dict[str, Any]:
    return by_trex(dumped)


@pytest.mark.parametrize("name", BODIES)
def test_streams_written_as_code_are_the_same(
    cases: dict[str, Case], dumped: dict[str, Case], their_dumped: dict[str, Any], name: str
) -> None:
    wanted = canonical(load_profile(*cases[name]))
    assert canonical(load_profile(*dumped[name])) == wanted
    assert canonical(their_dumped[name]) == wanted


@pytest.mark.parametrize("name", BODIES)
def test_streams_written_as_yaml_are_the_same(cases: dict[str, Case], tmp_path: Path, name: str) -> None:
    path, *how = cases[name]
    profile = STLProfile(run_profile_file(Path(path), *how))
    profile.dump_to_yaml(str(tmp_path / "dumped.yaml"))
    assert STLProfile.load_yaml(str(tmp_path / "dumped.yaml")).to_json() == profile.to_json()


@pytest.mark.parametrize("module", ["trex", "trex_stl_lib"])
@pytest.mark.parametrize("part", ["api", "trex_stl_hltapi", "trex_stl_streams", "trex_stl_packet_builder_scapy"])
def test_names_of_modules_old_and_new(tmp_path: Path, module: str, part: str) -> None:
    name = f"trex.stl.{part}" if module == "trex" else f"trex_stl_lib.{part}"
    path = tmp_path / "p.py"
    path.write_text(
        f"import {name}\nfrom {name} import STLHltStream, STLStream\nclass P:\n"
        "    def get_streams(self, **kwargs):\n"
        f"        return [{name}.STLStream(), STLHltStream()]\n"
        "def register(): return P()\n"
    )
    assert len(load_profile(str(path), {}, 0, 0)) == 2
    assert name not in sys.modules


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("'talk.pcap', speedup=0", "not above zero"),
        ("'talk.pcap', loop_count=-1", "0 repeats without end"),
        ("'talk.pcap', ipg_usec=0", "less than 0.001 us"),
        ("'talk.pcap', split_mode='PORT'", "MAC or IP"),
        ("'one.pcap', split_mode='MAC'", "one direction only"),
        ("'loop.pcap', split_mode='MAC'", "are on the same side"),
    ],
)
def test_captures_that_cannot_be_sent(tmp_path: Path, call: str, words: str) -> None:
    wrpcap(str(tmp_path / "talk.pcap"), talk())
    wrpcap(str(tmp_path / "one.pcap"), talk()[:1])
    macs = [f"02:00:00:00:00:0{number}" for number in (1, 2, 3, 1)]
    ring = [Ether(src=src, dst=dst) / IP() for src, dst in zip(macs, macs[1:], strict=False)]
    wrpcap(str(tmp_path / "loop.pcap"), ring)
    path = tmp_path / "p.py"
    path.write_text(
        "from trex.stl.api import *\nclass P:\n    def get_streams(self, **kwargs):\n"
        f"        return STLProfile.load_pcap({str(tmp_path)!r} + '/' + {call})\ndef register(): return P()\n"
    )
    with pytest.raises(UsageError, match=words):
        load_profile(str(path), {}, 0, 0)


def test_profiles_by_suffix(tmp_path: Path) -> None:
    wrpcap(str(tmp_path / "talk.pcap"), talk())
    (tmp_path / "inner.py").write_text(
        "from trex.stl.api import *\nclass P:\n    def get_streams(self, size=64, **kwargs):\n"
        "        return STLStream(isg=size)\ndef register(): return P()\n"
    )
    path = tmp_path / "p.py"
    path.write_text(
        "from trex.stl.api import *\nclass P:\n    def get_streams(self, **kwargs):\n"
        f"        found = STLProfile.load({str(tmp_path / 'talk.pcap')!r})\n"
        f"        inner = STLProfile.load({str(tmp_path / 'inner.py')!r}, size=70)\n"
        "        assert found.to_json()[0]['isg'] == 1e6 and not found.has_custom_mac_addr()\n"
        "        assert not inner.has_flow_stats()\n"
        "        return inner\n"
        "def register(): return P()\n"
    )
    assert [one["stream"]["isg"] for one in load_profile(str(path), {}, 0, 0)] == [70]
