"""VXLAN: a profile's program changes the inner packet and the VXLAN header, and corrects checksums there."""

from __future__ import annotations

from pathlib import Path

import pytest
from scapy.all import IP, UDP, Ether
from scapy.layers.vxlan import VXLAN

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_run import start_generator
from harness.waiting import wait_for
from pcap_file import frames

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.profiles import load_profile
from wirespeed.units import Rate

PROFILE = """
from trex.stl.api import *
from scapy.layers.vxlan import VXLAN

class Inside:
    def get_streams(self, direction=0, **kwargs):
        outer = Ether(dst="02:00:00:00:00:02") / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(dport=4789, chksum=0)
        inner = Ether(dst="02:00:00:00:00:03") / IP(src="16.0.0.1", dst="48.0.0.1") / UDP(sport=7, dport=9) / ("x" * 22)
        vm = STLVM()
        vm.var(name="host", min_value="16.0.0.250", max_value="16.0.1.5", size=4, op="inc")
        vm.var(name="port", min_value=1025, max_value=1031, size=2, op="inc")
        vm.var(name="vni", min_value=40, max_value=44, size=4, op="inc")
        vm.write(fv_name="host", pkt_offset="IP:1.src")
        vm.write(fv_name="port", pkt_offset="UDP:1.sport")
        vm.write_mask(fv_name="vni", pkt_offset="VXLAN.vni", pkt_cast_size=4, mask=0xFFFFFF00, shift=8)
        vm.write(fv_name="port", pkt_offset="UDP.sport")
        vm.fix_chksum_hw(l3_offset="IP:1", l4_offset="UDP:1", l4_type=CTRexVmInsFixHwCs.L4_TYPE_UDP)
        vm.fix_chksum(offset="IP")
        packet = STLPktBuilder(pkt=outer / VXLAN(vni=7) / inner, vm=vm)
        return [STLStream(packet=packet, mode=STLTXSingleBurst(total_pkts=40, pps=1000))]

def register():
    return Inside()
"""


def expected(number: int) -> bytes:
    """Computed by hand, with checksums by scapy."""
    port = 1025 + number % 7
    host = (16 << 24) + 250 + number % 12
    outer = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
    outer /= IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=port, dport=4789, chksum=0)
    inner = Ether(dst="02:00:00:00:00:03", src="00:00:00:02:00:00")
    inner /= IP(src=".".join(map(str, host.to_bytes(4, "big"))), dst="48.0.0.1") / UDP(sport=port, dport=9)
    return bytes(outer / VXLAN(vni=40 + number % 5) / inner / (b"x" * 22))


def without_addresses(frame: bytes) -> bytes:
    """Without the addresses of the outer Ethernet header, which the port fills in."""
    return frame[12:]


def test_fields_and_checksums_inside_vxlan(tmp_path: Path) -> None:
    profile, out = tmp_path / "inside.py", tmp_path / "out.pcap"
    profile.write_text(PROFILE)
    run = start_generator("--port", f"pcap:,{out}")
    assert run.serves, run.lines
    try:
        with GeneratorClient(run.address) as client:
            client.connect()
            client.acquire([0])
            client.add_streams(0, load_profile(str(profile), {}, 0, 0))
            client.start([0], Rate(1.0, "pps"), force=True)
            wait_for(lambda: client.call("get_port_stats", port_id=0)["opackets"] >= 40, "40 packets")
    finally:
        run.process.terminate()
        assert run.process.communicate(timeout=60)[1] == ""
    sent = [without_addresses(frame) for frame in frames(out)]
    assert sent == [without_addresses(expected(number)) for number in range(40)]
