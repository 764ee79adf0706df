"""VXLAN tunnels to Linux, over IPv4 and IPv6: hosts behind both ends reach each other."""

from __future__ import annotations

import pytest
from sandbox import PORTS, UP, needs, router

pytestmark = needs()

ENDS = {4: ("10.2.0.1", "10.2.0.2", 24), 6: ("2001:db8:2::1", "2001:db8:2::2", 64)}


@pytest.mark.parametrize("version", [4, pytest.param(6, marks=pytest.mark.long("IPv4 is in `make test`"))])
def test_ping_passes_a_tunnel_to_linux(box, version):
    if box.try_run("ip", "link", "add", "probe", "type", "vxlan", "id", "1", "dstport", "4789")[0]:
        pytest.skip("this kernel has no VXLAN")
    ours, theirs, length = ENDS[version]
    mtu = 1500 - (50 if version == 4 else 70)
    config = (
        f"{UP}set interface ip address e1 {ours}/{length}\n"
        f"create vxlan tunnel src {ours} dst {theirs} vni 100\nset interface state vxlan_tunnel0 up\n"
        "set interface l2 bridge e0 7\nset interface l2 bridge vxlan_tunnel0 7 1\n"
    )
    with router(box, PORTS, config) as running:
        box.run("ip", "link", "set", "h2", "up", netns="h2")
        box.run("ip", "addr", "add", f"{theirs}/{length}", "dev", "h2", *["nodad"] * (version == 6), netns="h2")
        tunnel = ("type", "vxlan", "id", "100", "dstport", "4789", "local", theirs, "remote", ours)
        box.run("ip", "link", "add", "vx", "mtu", str(mtu), *tunnel, netns="h2")
        for netns, device, address in (("h1", "h1", "10.9.0.1/24"), ("h2", "vx", "10.9.0.2/24")):
            box.run("ip", "addr", "add", address, "dev", device, netns=netns)
            box.run("ip", "link", "set", device, "up", netns=netns)
        # Including the longest packets, which fill the outer link's 1500 bytes, and the shortest.
        for size in (0, 1000, mtu - 28):
            box.run("ping", "-c", "3", "-i", "0.2", "-W", "5", "-s", str(size), "10.9.0.2", netns="h1")
        # With one byte more there are two outer packets over IPv4, and none over IPv6, whose routers do not fragment.
        code, _ = box.try_run("ping", "-c", "1", "-W", "2", "-s", str(mtu - 27), "10.9.0.2", netns="h1")
        assert (code == 0) == (version == 4)
        errors = running.ask("show errors")
        assert f"vxlan{version}-input" in errors
        assert ("ip4-frag" if version == 4 else "ip6-rewrite") in errors
