"""Error messages for ports that DPDK's drivers refuse: they quote the driver, since its code says nothing."""

from __future__ import annotations

import os

import pytest
from generator_child import GeneratorChild, Refused

VETH = """
ip link add v1 type veth peer name v2
ip link set v1 up
ip link set v2 up
"""

HELD_GROUP = """
import os, socket, struct, sys, time
owner = int(sys.argv[1])
group = (owner ^ socket.if_nametoindex("v1")) & 0xFFFF
holder = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x0300)
holder.bind(("v2", 3))
SOL_PACKET, PACKET_FANOUT, DEFRAGMENT = 263, 18, 0x8000
holder.setsockopt(SOL_PACKET, PACKET_FANOUT, struct.pack("I", group | DEFRAGMENT << 16))
if os.fork():
    os._exit(0)
for number in range(3):
    os.close(number)
while os.path.exists(f"/proc/{owner}"):
    time.sleep(0.05)
"""
"""Another process has the socket group whose number DPDK derives from the opener's process number and
interface index.
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_the_drivers_reason_is_told() -> None:
    holder = f"python3 -c '{HELD_GROUP}' $$"
    with pytest.raises(Refused, match=r"DPDK cannot open net_af_packet0,.*PACKET_FANOUT.*Invalid argument"):
        GeneratorChild("af_packet:v1", "null", netns=VETH + holder)
