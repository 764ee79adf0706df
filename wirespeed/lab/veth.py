"""The lab with our router over the link that the Linux lab has: veth pairs, a socket at each end.

Needs root (CAP_NET_ADMIN, CAP_NET_RAW).
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

from wirespeed.errors import EnvironmentFault
from wirespeed.lab.embedded import GENERATOR_MACS, ROUTER_MACS, EmbeddedLab
from wirespeed.lab.leftovers import lab_names, sweep_namespaces
from wirespeed.lab.linux import veth_port_kind
from wirespeed.machine.placement import LabCpus
from wirespeed.model import PLAIN_MTU
from wirespeed.results.lab import LabFacts


class VethLab(EmbeddedLab):
    """Generator ↔ veth ↔ router: what EmbeddedLab is, over the Linux lab's medium."""

    name = "wirespeed over veth"

    def __init__(self, cpus: LabCpus, speed: str = "10G", mtu: int = PLAIN_MTU) -> None:
        self._kind = veth_port_kind(mtu)
        self._made = False
        _, self._link = lab_names()
        super().__init__(cpus, speed=speed, hugepages="never", mtu=mtu)

    @property
    def facts(self) -> LabFacts:
        return replace(super().facts, kind="veth", port_type=f"veth, {self._kind}", ring_slots=None)

    def start(self) -> None:
        from pyroute2 import IPRoute, NetlinkError  # noqa: PLC0415 - a slow import, needed by this lab alone

        sweep_namespaces()
        try:
            with IPRoute() as host:
                self._made = True
                for index in (0, 1):
                    mine, theirs = self._end("client", index), self._end("server", index)
                    # DPDK's af_packet names its kernel-wide group of sockets by process number ^ interface index: the
                    # index is drawn, as in the Linux lab.
                    drawn = 2**16 + secrets.randbelow(2**30)
                    host.link("add", ifname=mine, index=drawn, kind="veth", peer={"ifname": theirs})
                    for name, mac in ((mine, GENERATOR_MACS[index]), (theirs, ROUTER_MACS[index])):
                        # Nothing but the test's packets: no router solicitation of this kernel.
                        Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
                        link = host.link_lookup(ifname=name)[0]
                        host.link("set", index=link, address=mac, mtu=self._mtu, state="up")
        except (NetlinkError, OSError) as error:
            raise EnvironmentFault(f"the veth pairs of the lab cannot be made: {error}") from None
        super().start()

    def _wire(self, index: int, role: str, mac: str) -> str:
        return f"{self._kind}:{self._end(role, index)},speed={self._speed}"

    def _end(self, role: str, index: int) -> str:
        return f"{self._link}{'g' if role == 'client' else 'd'}{index}"

    def stop(self) -> None:
        super().stop()
        if self._made:
            from pyroute2 import IPRoute  # noqa: PLC0415

            with IPRoute() as host:
                for index in (0, 1):
                    for link in host.link_lookup(ifname=self._end("client", index)):
                        host.link("del", index=link)
            self._made = False
