"""The lab whose DUT is the Linux kernel: forwarding in a network namespace, over two veth pairs.

Needs root (CAP_NET_ADMIN and CAP_SYS_ADMIN) and a kernel with veth and network namespaces.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wirespeed.errors import EnvironmentFault
from wirespeed.lab.lab import LabCpus, free_rpc_port
from wirespeed.lab.process import Child

GENERATOR_MACS = ("02:ee:00:00:01:00", "02:ee:00:00:01:01")
ROUTER_MACS = ("02:fe:00:00:01:00", "02:fe:00:00:01:01")
_PERMANENT = 0x80  # NUD_PERMANENT of linux/neighbour.h
ROUTES = ("16.0.0.0/8", "48.0.0.0/8")


def unavailable() -> str | None:
    """Why this machine cannot have this lab; None when it can."""
    if os.geteuid() != 0:
        return "it needs root, to make a network namespace and veth pairs"
    from pyroute2 import NetNS, netns  # noqa: PLC0415 - a slow import, needed by this lab alone

    name = f"wirespeed-try-{os.getpid()}"
    try:
        with NetNS(name) as space:
            space.link("add", ifname="try0", kind="veth", peer={"ifname": "try1"})
        netns.remove(name)
    except Exception as error:
        return f"this kernel makes no namespace with a veth pair: {error}"
    return None


class LinuxLab:
    """Generator ↔ af_packet on veth ↔ the kernel's IPv4 forwarding in a namespace of its own."""

    name = "Linux"
    profiles = ("bench",)
    """What it forwards: no MPLS, which few kernels have in them."""

    def __init__(self, cpus: LabCpus, speed: str = "10G") -> None:
        self._cpus = cpus
        self._speed = speed
        self._tag = f"ws{os.getpid()}"
        self.directory = Path(tempfile.mkdtemp(prefix="wirespeed-"))
        self._generator: Child | None = None
        self._made = False
        self.rpc = ""
        self.probe: Callable[[], dict[str, Any]] | None = None

    def start(self) -> None:
        self._make_namespace()
        self.rpc = f"127.0.0.1:{free_rpc_port()}"
        arguments = ["generator", "--cpu", str(self._cpus.generator), "--rpc", self.rpc, "--hugepages", "never"]
        arguments += self._cpus.main_cpu
        for index in (0, 1):
            arguments += ["--port", f"af_packet:{self._port(index)},speed={self._speed}"]
            arguments += ["--dest-mac", ROUTER_MACS[index]]
        self._generator = Child("generator", arguments, self.directory / "generator.log", self._cpus.all).start()

    def _make_namespace(self) -> None:
        from pyroute2 import IPRoute, NetlinkError, NetNS, netns  # noqa: PLC0415

        try:
            netns.create(self._tag)
            self._made = True
            with IPRoute() as host, NetNS(self._tag) as dut:
                self._set_in_namespace("ipv4/ip_forward", "1")
                self._set_in_namespace("ipv6/conf/default/disable_ipv6", "1")
                for index in (0, 1):
                    self._make_wire(host, dut, index)
        except (NetlinkError, OSError) as error:
            raise EnvironmentFault(f"the namespace of the Linux lab cannot be made: {error}") from None

    def _make_wire(self, host: Any, dut: Any, index: int) -> None:
        """One veth pair: the generator's end here, the DUT's end with its address, route and neighbour there."""
        mine, theirs = self._port(index), f"{self._tag}d{index}"
        host.link("add", ifname=mine, kind="veth", peer={"ifname": theirs})
        for name in (mine, theirs):
            # Nothing but the test's packets: no router solicitation of this side's kernel.
            Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
        # Receive packet steering moves the forwarding from the sender's CPU to the DUT's; it stays with the
        # interface, and only here is it in reach without mounting the namespace's sysfs.
        Path(f"/sys/class/net/{theirs}/queues/rx-0/rps_cpus").write_text(f"{1 << self._cpus.dut:x}")
        host.link("set", index=host.link_lookup(ifname=mine)[0], address=GENERATOR_MACS[index], state="up")
        host.link("set", index=host.link_lookup(ifname=theirs)[0], net_ns_fd=self._tag)
        peer = dut.link_lookup(ifname=theirs)[0]
        dut.link("set", index=peer, ifname=f"e{index}", address=ROUTER_MACS[index], state="up")
        dut.addr("add", index=peer, address=f"100.64.{index + 1}.1", prefixlen=30)
        dut.neigh("add", dst=f"100.64.{index + 1}.2", lladdr=GENERATOR_MACS[index], ifindex=peer, state=_PERMANENT)
        dut.route("add", dst=ROUTES[index], gateway=f"100.64.{index + 1}.2")

    def _set_in_namespace(self, key: str, value: str) -> None:
        from pyroute2 import netns  # noqa: PLC0415

        netns.pushns(self._tag)
        try:
            Path(f"/proc/sys/net/{key}").write_text(value)
        finally:
            netns.popns()

    def _port(self, index: int) -> str:
        return f"{self._tag}g{index}"

    def stop(self) -> None:
        if self._generator is not None:
            self._generator.stop()
            self._generator = None
        if self._made:
            from pyroute2 import IPRoute, netns  # noqa: PLC0415

            with IPRoute() as host:
                for index in (0, 1):
                    for link in host.link_lookup(ifname=self._port(index)):
                        host.link("del", index=link)
            netns.remove(self._tag)
            self._made = False
        shutil.rmtree(self.directory, ignore_errors=True)

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "linux",
            "wire": "veth, af_packet",
            "speed": self._speed,
            "generator_cpu": self._cpus.generator,
            "dut_cpu": self._cpus.dut,
        }

    def describe_dut(self) -> dict[str, Any]:
        kernel = os.uname()
        return {"name": self.name, "version": f"{kernel.sysname} {kernel.release}"}

    def drops(self) -> None:
        """The kernel counts drops in a dozen places, and not all of them."""
