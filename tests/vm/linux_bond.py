"""Part of `make vm`: LACP with Linux's own bonding driver, 802.3ad in a guest.

A guest has two virtio NICs bonded by Linux; the router is at the other end of both, over vhost-user. Numbered flows go
from a generator through the router and its bond to the guest, which forwards them back through a VLAN of the same bond
and the router: the hashes of both ends distribute them, and each packet returns with its number. Members lose their
link, or stop sending, and come back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from generator_child import GeneratorChild
from harness.waiting import wait_for
from router_run import RouterProcess, router
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from ssh_guest import PATIENCE_S, debian_guest, run_once_up

from wirespeed._native.flow_records import FlowKind
from wirespeed._native.stream_records import Stream
from wirespeed.dut.reach.ssh import SshReach
from wirespeed.vm.machine import VirtualMachine
from wirespeed.vm.monitor import execute_at

pytestmark = pytest.mark.timeout(1800)

NIC_MACS = ("02:fe:00:00:04:00", "02:fe:00:00:04:01")
GATE_MACS = ("02:fe:00:00:05:00", "02:fe:00:00:05:01")
HOST_MAC = "02:ee:00:00:05:00"
FLOWS, RATE_PPS = 16, 50.0
SETTLED_S = 3.0

# They come back through a VLAN in another table of the router, so that they are not routed to the guest again.
ROUTER = f"""\
set interface mac address e0 {GATE_MACS[0]}
set interface mac address e1 {GATE_MACS[1]}
create bond mode lacp load-balance l34 id 0
bond add BondEthernet0 m0
bond add BondEthernet0 m1
create sub-interfaces BondEthernet0 100
ip table add 1
set interface ip table BondEthernet0.100 1
set interface ip table e1 1
set interface ip address e0 10.0.0.1/24
set interface ip address e1 10.0.1.1/24
set interface ip address BondEthernet0 192.0.2.1/24
set interface ip address BondEthernet0.100 198.51.100.1/24
ip neighbor e1 10.0.1.2 {HOST_MAC}
ip route add 48.0.0.0/8 via 192.0.2.2
ip route add 48.0.0.0/8 table 1 via 10.0.1.2 e1
set interface state e0 up
set interface state e1 up
set interface state m0 up
set interface state m1 up
set interface state BondEthernet0 up
set interface state BondEthernet0.100 up
"""

GUEST = f"""\
set -e
modprobe bonding max_bonds=0
modprobe 8021q
for nic in /sys/class/net/*/address; do
	case $(cat $nic) in
		{NIC_MACS[0]}) name=m0 ;;
		{NIC_MACS[1]}) name=m1 ;;
		*) continue ;;
	esac
	nic=$(basename $(dirname $nic))
	ip link set $nic down
	ip link set $nic name $name
	# Linux' LACP takes no port whose speed is not known.
	ethtool -s $name speed 1000 duplex full
done
ip link add bond0 type bond mode 802.3ad lacp_rate fast xmit_hash_policy layer3+4 miimon 100
ip link set m0 master bond0
ip link set m1 master bond0
ip link set bond0 up
ip address add 192.0.2.2/24 dev bond0
ip link add link bond0 name bond0.100 type vlan id 100
ip link set bond0.100 up
ip address add 198.51.100.2/24 dev bond0.100
echo 1 >/proc/sys/net/ipv4/ip_forward
ip route add 48.0.0.0/8 via 198.51.100.1
"""
# Packets received by a member are dropped, including LACPDUs.
DEAF = """\
nft add table netdev deaf
nft 'add chain netdev deaf in { type filter hook ingress device "m1" priority -500; policy drop; }'
"""
HEARING = "nft delete table netdev deaf"


@dataclass
class Rig:
    router: RouterProcess
    machine: VirtualMachine
    guest: SshReach
    generator: GeneratorChild

    def run(self, script: str) -> str:
        """Boot the guest and wait until it is up."""
        ran = run_once_up(self.machine, self.guest, script)
        assert ran.code == 0, ran
        return ran.out

    def active(self) -> int:
        return int(self.router.ask("show bond").splitlines()[1].split()[4])

    def linux_ports(self) -> int:
        """Ports in the aggregator that Linux uses."""
        lines = self.run("cat /proc/net/bonding/bond0").splitlines()
        return next((int(line.split(":")[1]) for line in lines if "Number of ports:" in line), 0)

    def received(self) -> int:
        return self.generator.snapshot().ports[1].rx_packets

    def wait_for(self, active: int) -> None:
        """Wait until both ends use that many members."""
        wait(lambda: self.active() == active, f"{active} active members of ours")
        wait(lambda: self.linux_ports() == active, f"{active} active members of Linux'")

    def after(self, what: str, act: Callable[[], object], active: int) -> None:
        """Run `act` under traffic and print the number of lost packets; no packet may overtake one of its flow."""
        before, began = self.missing(), time.monotonic()
        act()
        self.wait_for(active)
        took_s = time.monotonic() - began
        had = self.received()
        wait(lambda: self.received() > had + FLOWS * RATE_PPS * SETTLED_S, "traffic thereafter")
        lost = [now - then for now, then in zip(self.missing(), before, strict=True)]
        print(
            f"{what}: both ends agree after {took_s:.1f} s; {sum(map(bool, lost))} of {FLOWS} flows missed"
            f" {sum(lost)} packets, of one at most {max(lost) / RATE_PPS:.2f} s"
        )

    def missing(self) -> list[int]:
        """Lost packets by flow, so far; a reordered flow fails the test at once."""
        seen = [self.generator.latency(ident) for ident in range(FLOWS)]
        assert [(one.out_of_order, one.duplicate) for one in seen] == [(0, 0)] * FLOWS
        return [one.dropped for one in seen]

    def by_members(self, what: str) -> list[int]:
        shown = self.router.ask("show interface m0 m1")
        return [int(line.split()[-1]) for line in shown.splitlines() if f"{what} packets" in line]

    def set_link(self, member: int, up: bool) -> None:
        answer = execute_at(self.machine.monitor, "set_link", name=f"net{member}", up=up)
        assert "return" in answer, answer


def wait(condition: Callable[[], bool], what: str) -> None:
    wait_for(condition, what, PATIENCE_S)


def flow(ident: int) -> Stream:
    headers = Ether(dst=GATE_MACS[0], src=HOST_MAC) / IP(src="16.0.0.1", dst="48.0.0.1")
    packet = bytes(headers / UDP(sport=1025 + ident * 7, dport=12) / Raw(b"x" * 40))
    return Stream(ident, packet, rate_pps=RATE_PPS, flow_kind=FlowKind.LATENCY, flow_id=ident)


@contextmanager
def rig(directory: Path) -> Iterator[Rig]:
    machine, disk, sockets = debian_guest(directory, NIC_MACS)
    gates = [f"{directory}/e{n}.sock" for n in (0, 1)]
    ports = [f"e{n}=memif:{gate},role=server" for n, gate in enumerate(gates)]
    ports += [f"m{n}=vhost:{socket}" for n, socket in enumerate(sockets)]
    guest = SshReach("127.0.0.1", "root", machine.ssh_port, key=str(disk.key), is_ours=True)
    machine.start()
    try:
        with router(directory, ports, ROUTER) as running:
            with GeneratorChild(*(f"memif:{gate},role=client" for gate in gates)) as generator:
                yield Rig(running, machine, guest, generator)
            guest.close()
    finally:
        machine.stop()


def test_linux_bonds_with_us_and_no_flow_gets_out_of_order(tmp_path: Path) -> None:
    with rig(tmp_path) as made:
        made.run(GUEST)
        made.wait_for(2)
        print(made.router.ask("show lacp"))
        made.generator.start(0, *map(flow, range(FLOWS)))
        wait(lambda: made.received() > 2000, "traffic by the guest")
        for member, name in enumerate(("m0", "m1")):
            made.after(f"{name} loses its link", lambda at=member: made.set_link(at, up=False), 1)  # type: ignore[misc]
            made.after(f"{name} has it again", lambda at=member: made.set_link(at, up=True), 2)  # type: ignore[misc]
        made.after("the guest hears nothing by m1", lambda: made.run(DEAF), 1)
        made.after("it hears m1 again", lambda: made.run(HEARING), 2)
        made.generator.change("stop", 0)
        made.generator.finish()
        missed = made.missing()
        print(f"members sent {made.by_members('tx')} and received {made.by_members('rx')}; missed {sum(missed)}")
        assert all(made.by_members("tx") + made.by_members("rx"))
        answers = [row for row in made.router.ask("show errors").splitlines() if "answers to our markers" in row]
        print("".join(answers))
        assert answers
