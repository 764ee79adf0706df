"""IPv4 fragments of a counted stream, as made by a device that fragments packets: they are counted wherever they
arrive.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from harness.waiting import wait_for
from scapy.all import IP, UDP, Ether, Raw, wrpcap

from wirespeed._native.flow_records import FlowKind
from wirespeed._native.stream_records import Stream, StreamMode

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild

GROUP = 3
NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
QUIET = "echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6"
VETH = f"{QUIET}; ip link add v1 type veth peer name v2; ip link set v1 up; ip link set v2 up"


def fragment(number: int, flags: str, offset: int, mark: int = 0) -> bytes:
    """`mark` is the IP ID of a counted packet; the core sets it in packets that it sends."""
    ip = IP(src="16.0.0.1", dst="48.0.0.1", id=mark, tos=int(mark > 0), flags=flags, frag=offset, proto=17)
    payload = UDP(sport=1000 + number, dport=12, chksum=1, len=8 + 64) if not offset else Raw(b"")
    return bytes(Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01") / ip / payload / Raw(b"x" * 64))


FRAGMENTS = (fragment(0, "MF", 0), fragment(1, "MF", 9), fragment(2, "", 17))
"""The first fragment, one in the middle, the last one."""


def streams() -> list[Stream]:
    return [
        Stream(
            number,
            packet,
            mode=StreamMode.SINGLE_BURST,
            packets=20,
            bursts=1,
            rate_pps=1000.0,
            flow_kind=FlowKind.STATS,
            flow_id=GROUP,
        )
        for number, packet in enumerate(FRAGMENTS, 1)
    ]


def received(child: GeneratorChild, port: int, wanted: int) -> int:
    """Number of received packets of the group, once it is as expected or no more arrive."""
    wait_for(lambda: child.flow(FlowKind.STATS, GROUP)[port].rx_packets >= wanted, f"{wanted} fragments counted")
    child.finish()
    return child.flow(FlowKind.STATS, GROUP)[port].rx_packets


def test_fragments_are_counted_over_a_ring() -> None:
    with GeneratorChild("ring:a", "ring:a") as child:
        child.start(0, *streams())
        assert received(child, 1, 60) == 60


def test_fragments_are_counted_over_memif(tmp_path: Path) -> None:
    """Between two generators; the receiving one counts, since it has counted streams itself."""
    wire = f"memif:{tmp_path}/wire.sock,id=0"
    with GeneratorChild(f"{wire},role=server") as receiver, GeneratorChild(f"{wire},role=client") as sender:
        wait_for(lambda: receiver.port_info(0)["link_up"] and sender.port_info(0)["link_up"], "both links")
        receiver.start(0, replace(streams()[0], packets=1, flow_id=GROUP + 1))
        sender.start(0, *streams())
        assert received(receiver, 0, 60) == 60


def test_fragments_are_counted_out_of_a_file(tmp_path: Path) -> None:
    """The file is read over and over from the moment that the port is open."""
    marked = [fragment(number, "MF", offset, 0xFC00 + GROUP) for number, offset in ((0, 0), (1, 9))]
    wrpcap(str(tmp_path / "in.pcap"), [Ether(one) for one in marked])
    with GeneratorChild("ring:a", f"pcap:{tmp_path}/in.pcap,loop") as child:
        child.start(0, streams()[0])
        wait_for(lambda: child.flow(FlowKind.STATS, GROUP)[1].rx_packets >= 1000, "fragments out of a file, counted")


@NEEDS_ROOT
def test_fragments_are_counted_over_taps() -> None:
    """With the bridge of the kernel between them."""
    with GeneratorChild("tap:t1", "tap:t2", netns=QUIET) as child:
        bridge = "ip link add br0 type bridge; ip link set t1 master br0; ip link set t2 master br0; ip link set br0 up"
        subprocess.run(["nsenter", f"--net=/proc/{child.pid}/ns/net", "sh", "-ec", bridge], check=True, timeout=60)
        child.start(0, *streams())
        assert received(child, 1, 60) == 60


@NEEDS_ROOT
def test_the_driver_of_af_packet_has_the_kernel_join_fragments() -> None:
    """Three fragments arrive as one packet, and incomplete ones are dropped, as documented."""
    with GeneratorChild("af_packet:v1", "af_packet:v2", netns=VETH) as child:
        child.start(0, *streams())
        child.finish()
        sent, joined = child.flow(FlowKind.STATS, GROUP)
        assert sent.tx_packets == 60
        assert 0 < joined.rx_packets <= 20
        assert joined.rx_bytes == joined.rx_packets * (14 + 20 + 8 + 3 * 64 + 4)
        child.start(0, replace(streams()[1], flow_id=GROUP + 1))
        child.finish()
        assert [one.rx_packets for one in child.flow(FlowKind.STATS, GROUP + 1)] == [0, 0]
        child.start(
            0, Stream(9, fragment(0, "", 0), rate_pps=1e3, flow_kind=FlowKind.STATS, flow_id=9), duration_s=0.02
        )
        assert child.finish()[0].tx_packets > 80
        assert child.flow(FlowKind.STATS, 9)[1].rx_packets > 0
