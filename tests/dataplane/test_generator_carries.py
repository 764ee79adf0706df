"""Reported and actual limits of ports: the MTU, and the longest frames in both directions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from harness.waiting import wait_for
from scapy.all import IP, Ether, Raw, wrpcap

from wirespeed._native.stream_records import Stream, StreamMode

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild, Refused

NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
VETH = """
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add v1 type veth peer name v2
ip link set v1 up
ip link set v2 up
"""


def carried(child: GeneratorChild, port: int) -> tuple[int, int, int]:
    info = child.port_info(port)
    return info["mtu"], info["longest_tx"], info["longest_rx"]


def frames(length: int) -> Stream:
    packet = bytes(Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01") / IP() / Raw(b"x" * (length - 34)))
    return Stream(1, packet, mode=StreamMode.SINGLE_BURST, rate_pps=1e3, packets=10)


def send(child: GeneratorChild, length: int) -> None:
    """Ten frames of that length go from port 0 to port 1, unchanged."""
    before = child.snapshot().ports[1]
    child.start(0, frames(length))
    wait_for(lambda: child.snapshot().ports[1].rx_packets >= before.rx_packets + 10, f"frames of {length} bytes")
    now = child.snapshot().ports[1]
    assert now.rx_bytes - before.rx_bytes == 10 * (length + 4)
    child.change("stop", 0)


def test_memif_ring_file_and_nothing(tmp_path: Path) -> None:
    wrpcap(str(tmp_path / "in.pcap"), [Ether() / IP() / Raw(b"x" * 9000)])
    """A memif receives more than its configured length: two memifs on one socket differ."""
    wire = f"memif:{tmp_path}/wire.sock,id=0"
    ports = ("ring:a", "ring:a", f"{wire},role=server", f"pcap:{tmp_path}/in.pcap", "null:,size=128")
    longer = GeneratorChild(f"{wire},role=client", "ring:b", mtu=9216, memory_mb=256)
    with longer, GeneratorChild(*ports, mtu=9000, memory_mb=384) as child:
        said = [carried(child, port) for port in range(5)]
        assert [child.change("link_losses", port) for port in range(5)] == [None] * 5  # nothing counts it
        assert [longest for _, _, longest in said] == [9022, 9022, 16384, 65535, 128]
        assert {(mtu, longest) for mtu, longest, _ in said} == {(9000, 9022)}
        assert carried(longer, 0) == (9216, 9238, 16384)
        send(child, 9022)
        wait_for(lambda: longer.port_info(0)["link_up"], "the link")
        longer.start(0, frames(9238))
        wait_for(lambda: child.snapshot().ports[2].rx_packets >= 10, "frames from the longer memif")
        assert child.snapshot().ports[2].rx_bytes == 10 * (9238 + 4)


def test_a_file_has_longer_packets_than_the_mtu(tmp_path: Path) -> None:
    wrpcap(str(tmp_path / "in.pcap"), [Ether() / IP() / Raw(b"x" * 9000)])
    with GeneratorChild(f"pcap:{tmp_path}/in.pcap") as child:
        assert carried(child, 0) == (1500, 1522, 65535)
        wait_for(lambda: child.snapshot().ports[0].rx_packets, "the packet of the file")
        assert child.snapshot().ports[0].rx_bytes == 9034 + 4


@NEEDS_ROOT
@pytest.mark.parametrize(("mtu", "longest"), [(1500, 1518), (9000, 9018)])
def test_af_packet(mtu: int, longest: int) -> None:
    with GeneratorChild("af_packet:v1", "af_packet:v2", mtu=mtu, memory_mb=256, netns=VETH) as child:
        assert carried(child, 0) == carried(child, 1) == (mtu, longest, longest)
        send(child, mtu + 14)
        lost = child.change("link_losses", 0)
        for state in ("down", "up"):
            subprocess.run(["nsenter", "-t", str(child.pid), "-n", "ip", "link", "set", "v2", state], check=True)
        assert child.change("link_losses", 0) == lost + 1  # a later reader finds it up
        wait_for(lambda: child.port_info(0)["link_up"], "the link")


@NEEDS_ROOT
def test_tap() -> None:
    with GeneratorChild("tap:t1", mtu=9000, memory_mb=256, netns="true") as child:
        assert carried(child, 0) == (9000, 9022, 9022)
        shown = Path(f"/proc/{child.pid}/root/proc/{child.pid}/net/dev").read_text()
        assert "t1:" in shown


@NEEDS_ROOT
def test_af_xdp_takes_what_its_driver_takes() -> None:
    """Its frames are in buffers of one page: a longer frame is refused with that reason."""
    with GeneratorChild("af_xdp:v1", "af_xdp:v2", memory_mb=256, netns=VETH) as child:
        mtu, longest_tx, longest_rx = carried(child, 0)
        assert (mtu, longest_tx, longest_rx) == (1500, 1518, 1518)
        send(child, 1518)
    with GeneratorChild("af_xdp:v1", "af_xdp:v2", memory_mb=256, mtu=3400, netns=VETH) as child:
        assert carried(child, 0) == (3400, 3418, 3418)
        send(child, 3418)
    with pytest.raises(Refused, match="port p0: its driver takes no MTU of 9000: buffers for it .* a page of 4096"):
        GeneratorChild("af_xdp:v1", "af_xdp:v2", memory_mb=256, mtu=9000, netns=VETH)
