"""The R86S article's configuration, pasted unchanged into `wirespeed ctl`; hosts replace its load tester."""

import sys

import pytest
from harness.programs import wirespeed
from harness.waiting import wait_for
from sandbox import needs, router

pytestmark = needs()

# With the load tester's MAC addresses at the other ends of e0 and e1.
PORTS = (
    "e0=tap:h1,netns=h1,host-mac=50:7c:6f:20:30:70",
    "e1=tap:h2,netns=h2,host-mac=50:7c:6f:20:30:71",
)
BLOCKS = """\
set int state e0 up
set int state e1 up
set int ip address e0 100.64.1.1/30
set int ip address e1 100.64.2.1/30
ip route add 16.0.0.0/24 via 100.64.1.2
ip route add 48.0.0.0/24 via 100.64.2.2
ip neighbor e0 100.64.1.2 50:7c:6f:20:30:70
ip neighbor e1 100.64.2.2 50:7c:6f:20:30:71 

mpls table add 0
set interface mpls e0 enable
set interface mpls e1 enable
mpls local-label add 16 eos via 100.64.2.2 e1
mpls local-label add 17 eos via 100.64.1.2 e0        
"""
LABELLED = """
import sys
from scapy.all import IP, UDP, Ether, sendp
from scapy.contrib.mpls import MPLS
name, mac, label, source, destination = sys.argv[1:]
inner = IP(src=source, dst=destination) / UDP(sport=4000, dport=4000) / f"label {label}"
sendp(Ether(dst=mac) / MPLS(label=int(label), s=1, ttl=64) / inner, iface=name, verbose=False)
"""
LISTEN = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
    listener.bind(("", 4000))
    print("listening", flush=True)
    print("got", listener.recv(100).decode(), flush=True)
"""


@pytest.fixture
def running(box):
    with router(box, PORTS, "") as made:
        for number, network in ((1, "16.0.0.1/24"), (2, "48.0.0.1/24")):
            name = f"h{number}"
            box.host(name, name, f"100.64.{number}.2/30", f"100.64.{number}.1")
            box.run("ip", "addr", "add", network, "dev", "lo", netns=name)
        said = box.run(*wirespeed("ctl", "--socket", made.socket), text=BLOCKS)
        assert said == ""
        yield made


def test_its_ipv4_block_forwards_between_the_networks(box, running):
    # Linux would send the gateway's ARP request from the network's address, which is in no subnet there.
    box.wait_ping("h1", "100.64.1.1")
    box.wait_ping("h2", "100.64.2.1")
    box.wait_ping("h1", "48.0.0.1", "-I", "16.0.0.1")
    box.wait_ping("h2", "16.0.0.1", "-I", "48.0.0.1")
    assert "50:7c:6f:20:30:70 e0" in running.ask("show ip neighbors")
    # The article's point: no ARP request for the load tester's MAC addresses was necessary.
    assert "ARP requests sent" not in running.ask("show errors")


@pytest.mark.parametrize(
    ("label", "first", "second"),
    [
        (16, "h1", "h2"),
        pytest.param(17, "h2", "h1", marks=pytest.mark.long("as the other direction")),
    ],
)
def test_its_mpls_block_forwards_by_label(box, running, label, first, second):
    listener = box.spawn(sys.executable, "-c", LISTEN, netns=second)
    wait_for(lambda: "listening" in listener.said(), "the listener")
    ends = {"h1": ("02:fe:00:00:00:00", "100.64.1.2"), "h2": ("02:fe:00:00:00:01", "100.64.2.2")}
    mac, source = ends[first]
    box.run(sys.executable, "-c", LABELLED, first, mac, str(label), source, ends[second][1], netns=first)
    wait_for(lambda: f"got label {label}" in listener.said(), "the packet behind the label")
