"""The lab whose DUT is the Linux kernel: forwarding in a network namespace, over two veth pairs.

Needs root (CAP_NET_ADMIN and CAP_SYS_ADMIN) and a kernel with veth and network namespaces.
"""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from contextlib import suppress
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

from wirespeed.cpus import cpu_mask
from wirespeed.dut.linux import LinuxDut
from wirespeed.dut.setup import (
    FILTER_MODES,
    DutInterface,
    DutOptions,
    DutSetup,
    FilterOptions,
    Mode,
    Neighbour,
    default_setup,
)
from wirespeed.errors import EnvironmentFault
from wirespeed.lab.filtered import FilteredNamespace, sweep_limits
from wirespeed.lab.generator import LabGenerator, LabWire
from wirespeed.lab.leftovers import NAMESPACES, lab_names, sweep_namespaces
from wirespeed.lab.namespaces import create_namespace, namespace_links
from wirespeed.machine.placement import LabCpus
from wirespeed.model import PLAIN_MTU
from wirespeed.owned import OwnedDirectory, lock, owner
from wirespeed.results.lab import LabFacts
from wirespeed.units import parse_speed

GENERATOR_MACS = ("02:ee:00:00:01:00", "02:ee:00:00:01:01")
ROUTER_MACS = ("02:fe:00:00:01:00", "02:fe:00:00:01:01")
_AF_XDP = 44  # of linux/socket.h
_PERMANENT = 0x80  # NUD_PERMANENT of linux/neighbour.h
_NO_IP6 = {"default/disable_ipv6": "1"}
_IP6 = {
    **{"default/disable_ipv6": "0", "default/accept_ra": "0", "default/addr_gen_mode": "1", "default/accept_dad": "0"},
    "all/forwarding": "1",
}
"""Nothing of the kernel's own, such as router solicitations, goes to the tester."""
NO_FILTER = FilterOptions()


def unavailable() -> str | None:
    """Why this machine cannot have this lab; None when it can."""
    if os.geteuid() != 0:
        return "it needs root, to make a network namespace and veth pairs"
    from pyroute2 import netns  # noqa: PLC0415 - a slow import, needed by this lab alone

    name = f"ws{owner()}-try"
    try:
        try:
            with namespace_links(name) as space:
                space.link("add", ifname="try0", kind="veth", peer={"ifname": "try1"})
        finally:
            netns.remove(name)
    except Exception as error:
        return f"this kernel makes no namespace with a veth pair: {error}"
    return None


def veth_port_kind(mtu: int) -> str:
    """AF_XDP where the kernel has it, which costs tester and kernel least (docs/develop/measurements.md); AF_PACKET for
    frames that are longer than AF_XDP's buffers."""
    return "af_xdp" if mtu == PLAIN_MTU and has_xdp_sockets() else "af_packet"


def lab_setup(mode: Mode, filter: FilterOptions = NO_FILTER) -> DutSetup:
    """The DUT's interfaces e0 and e1, whose addresses, neighbours and routes are those of `dut prepare`."""
    interfaces = tuple(
        DutInterface(f"e{index}", neighbours=(Neighbour("", GENERATOR_MACS[index]),)) for index in (0, 1)
    )
    return default_setup(mode, interfaces, DutOptions(filter=filter))


def has_xdp_sockets() -> bool:
    """True if this kernel has sockets of AF_XDP."""
    try:
        socket.socket(_AF_XDP, socket.SOCK_RAW).close()
    except OSError:
        return False
    return True


class LinuxLab:
    """Generator ↔ sockets on veth ↔ the kernel's IPv4 forwarding in a namespace of its own. `port` is the kind of the
    generator's ports, af_xdp or af_packet; none given: `veth_port_kind`. With a `filter` it has NAT or a firewall
    between e0, where flows begin, and e1."""

    name = "Linux over veth"
    profiles = ("bench",)
    """Profiles that it forwards: not MPLS, which few kernels support."""

    def __init__(
        self,
        cpus: LabCpus,
        speed: str = "10G",
        port: str = "",
        mtu: int = PLAIN_MTU,
        filter: FilterOptions = NO_FILTER,
    ) -> None:
        self._cpus = cpus
        self._mtu = mtu
        self._kind = port or veth_port_kind(mtu)
        self._speed = speed
        self._tag, self._link = lab_names()
        self._owned = OwnedDirectory("lab", Path(tempfile.gettempdir()))
        self.directory = self._owned.path
        ports = [f"{self._kind}:{self.port(index)},speed={speed}" for index in (0, 1)]
        wires = [LabWire(port, dut_mac=mac) for port, mac in zip(ports, ROUTER_MACS, strict=True)]
        self._generator = LabGenerator(
            wires, cpus.generator, cpus.control, self.directory / "generator.log", hugepages="never", mtu=mtu
        )
        self._made = False
        self._lock = -1
        self._filter = None
        self._filter_name = filter.rules
        self._modes: tuple[Mode, ...] = ("ip4",)
        if filter.rules:
            self.name = f"Linux {filter.rules.replace('nat', 'NAT')} over veth"
            modes = FILTER_MODES[filter.rules]
            self._modes = ("ip4", "ip6") if "ip6" in modes else ("ip4",)
            setup = lab_setup("ip4" if "ip4" in modes else "ip6", filter)
            self._filter = FilteredNamespace(self._tag, setup, self.directory)
        self.dut = LinuxDut(self._tag, (cpus.dut,), is_of_lab=bool(filter.rules))

    @property
    def netns(self) -> str:
        """The DUT's namespace."""
        return self._tag

    @property
    def rpc(self) -> str:
        return self._generator.rpc

    @property
    def tester_pid(self) -> int:
        return self._generator.child.pid

    @property
    def facts(self) -> LabFacts:
        return LabFacts(
            kind="linux",
            port_type=f"veth, {self._kind}",
            speed_bps=parse_speed(self._speed),
            cpus=self._cpus.roles,
            topology=self._cpus.topology,
            mtu=self._mtu,
            filter=self._filter_name,
        )

    def start(self) -> None:
        self.start_dut()
        self._generator.start()

    def start_dut(self) -> None:
        """The DUT and its wires, whose other ends are free."""
        sweep_namespaces()
        sweep_limits()
        self._make_namespace()
        if self._filter is not None:
            self._filter.apply()
        self.dut.prepare()

    def _make_namespace(self) -> None:
        from pyroute2 import IPRoute, NetlinkError  # noqa: PLC0415

        try:
            self._made = True  # or half: an end that is asked for meanwhile comes as soon as it is there
            create_namespace(self._tag)
            self._lock = lock(NAMESPACES / self._tag)
            with IPRoute() as host, namespace_links(self._tag) as dut:
                self._set_in_namespace("ipv4/ip_forward", "1")
                for key, value in (_IP6 if "ip6" in self._modes else _NO_IP6).items():
                    self._set_in_namespace(f"ipv6/conf/{key}", value)
                for index in (0, 1):
                    self._make_wire(host, dut, index)
        except (NetlinkError, OSError) as error:
            raise EnvironmentFault(f"the namespace of the Linux lab cannot be made: {error}") from None

    def _make_wire(self, host: Any, dut: Any, index: int) -> None:
        """One veth pair: the generator's end here, the DUT's end with its address, route and neighbour there."""
        mine, theirs = self.port(index), f"{self._link}d{index}"
        # DPDK's af_packet names its kernel-wide group of sockets by process number ^ interface index: two labs whose
        # small numbers meet would refuse each other's ports, so the index is drawn.
        host.link("add", ifname=mine, index=2**16 + secrets.randbelow(2**30), kind="veth", peer={"ifname": theirs})
        for name in (mine, theirs):
            # Nothing but the test's packets: no router solicitation of this side's kernel.
            Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
        # Receive packet steering moves the forwarding from the sender's CPU to the DUT's; it stays with the
        # interface, and only here is it in reach without mounting the namespace's sysfs.
        Path(f"/sys/class/net/{theirs}/queues/rx-0/rps_cpus").write_text(cpu_mask((self._cpus.dut,)))
        host.link("set", index=host.link_lookup(ifname=mine)[0], address=GENERATOR_MACS[index], state="up")
        host.link("set", index=host.link_lookup(ifname=theirs)[0], net_ns_fd=self._tag)
        peer = dut.link_lookup(ifname=theirs)[0]
        dut.link("set", index=peer, ifname=f"e{index}", address=ROUTER_MACS[index], mtu=self._mtu, state="up")
        for mode in self._modes:
            setup = lab_setup(mode)
            address, near = ip_interface(setup.interfaces[index].addresses[0]), setup.interfaces[index].neighbours[0]
            dut.addr("add", index=peer, address=str(address.ip), prefixlen=address.network.prefixlen)
            dut.neigh("add", dst=near.address, lladdr=near.mac, ifindex=peer, state=_PERMANENT)
            dut.route("add", dst=setup.routes[index].prefix, gateway=near.address)

    def _set_in_namespace(self, key: str, value: str) -> None:
        from pyroute2 import netns  # noqa: PLC0415

        netns.pushns(self._tag)
        try:
            Path(f"/proc/sys/net/{key}").write_text(value)
        finally:
            netns.popns()

    def port(self, index: int) -> str:
        """The tester's end of a wire."""
        return f"{self._link}g{index}"

    def stop(self) -> None:
        self._generator.stop()
        if self._filter is not None:
            self._filter.put_back()
        self.dut.close()  # its open files would keep the namespace
        if self._lock >= 0:  # so would this one
            os.close(self._lock)
            self._lock = -1
        if self._made:
            from pyroute2 import IPRoute, netns  # noqa: PLC0415

            with IPRoute() as host:
                for index in (0, 1):
                    for link in host.link_lookup(ifname=self.port(index)):
                        host.link("del", index=link)
            with suppress(FileNotFoundError):
                netns.remove(self._tag)
            self._made = False
        self._owned.remove()
