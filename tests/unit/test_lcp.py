"""The Linux control plane with a fake router and a fake Linux."""

from ipaddress import ip_interface

import pytest
from fake_linux import FakeLinuxHost
from fake_router import FakeRouterCore

from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.router.console import Console
from wirespeed.router.features.lcp.core import LinuxStats
from wirespeed.seam.interfaces import SubInterface

TEN = ip_interface("10.0.0.1/24")
SIX = ip_interface("2001:db8::1/64")


@pytest.fixture
def core():
    made = FakeRouterCore()
    made.lcp.linux[""] = FakeLinuxHost()
    made.lcp.linux["dataplane"] = FakeLinuxHost("dataplane")
    yield made
    made.close()


@pytest.fixture
def console(core):
    made = Console(core)
    made.told = []
    made.lcp.warn = made.told.append
    yield made
    made.close()


def run(console, *lines):
    answer = []
    for line in lines:
        answer += console.run(line)
        console.changed()
    console.lcp.poll()
    return answer


def linux(console, name, netns=""):
    host = console.core.lcp.linux[netns]
    return next(link for link in host.by_link.values() if link.name == name)


def test_a_pair_begins_alike(console, core):
    run(console, "set interface state e0 up", "set interface mtu 1400 e0", "lcp create e0 host-if xe0 netns dataplane")
    link = linux(console, "xe0", "dataplane")
    assert (link.is_up, link.mtu, link.mac) == (True, 1400, core.interfaces[0].mac)
    tap = core.interface_names()["tap0"]
    assert core.lcp.hosts == {0: tap}
    assert core.interfaces[tap].admin_up
    assert core.lcp.carriers == {tap: True}
    assert core.lcp.linux["dataplane"].paired == {link.index: 0}
    assert run(console, "show lcp") == [
        "lcp default netns <unset>",
        "lcp lcp-auto-subint off",
        "lcp lcp-sync off",
        f"itf-pair: [0] e0 tap0 xe0 {link.index} type tap netns dataplane",
        "netlink: netns 'dataplane' routes 0 labels 0 messages 0 dumps 0 failed 0 overflows 0 rejected 0",
    ]


def test_addresses_of_the_router_reach_linux_while_sync_is_on(console, core):
    run(console, "set interface ip address e0 10.0.0.1/24", "lcp create e0 host-if e0")
    of_link = core.lcp.linux[""].of_link[linux(console, "e0").index]
    assert of_link == set()
    run(console, "lcp lcp-sync on")
    assert of_link == {TEN}
    run(console, "set interface ip address e0 2001:db8::1/64", "set interface state e0 up")
    assert of_link == {TEN, SIX}
    assert linux(console, "e0").is_up
    run(console, "set interface ip address del e0 10.0.0.1/24", "lcp lcp-sync off", "set interface state e0 down")
    assert of_link == {SIX}
    assert linux(console, "e0").is_up


@pytest.mark.parametrize("sync", ["on", "off"])
def test_linux_is_followed_either_way(console, core, sync):
    run(console, f"lcp lcp-sync {sync}", "lcp create e0 host-if e0")
    host, link = core.lcp.linux[""], linux(console, "e0").index
    host.change(link, is_up=True, mtu=9000, mac="02:00:00:00:00:99")
    host.change_address(link, TEN, add=True)
    console.lcp.poll()
    face = core.interfaces[0]
    assert (face.admin_up, face.mtu, face.mac, face.addresses) == (True, 9000, "02:00:00:00:00:99", (TEN,))
    host.change_address(link, TEN, add=False)
    host.change(link, is_up=False)
    console.lcp.poll()
    console.lcp.each_second()
    assert (core.interfaces[0].admin_up, core.interfaces[0].addresses) == (False, ())
    assert console.told == []


def test_ip6_addresses_come_back_with_the_link(console, core):
    """The kernel deletes them when the link goes down."""
    run(console, "lcp lcp-sync on", "set interface state e0 up", "lcp create e0 host-if e0")
    run(console, "set interface ip address e0 2001:db8::1/64")
    host, link = core.lcp.linux[""], linux(console, "e0").index
    assert host.of_link[link] == {SIX}
    host.change_address(link, SIX, add=False)
    host.change(link, is_up=False)
    console.lcp.poll()
    assert core.interfaces[0].addresses == (SIX,)
    host.change(link, is_up=True)
    console.lcp.poll()
    assert core.interfaces[0].addresses == (SIX,)
    assert host.of_link[link] == {SIX}


def test_link_local_addresses_stay_where_they_are(console, core):
    run(console, "lcp lcp-sync on", "lcp create e0 host-if e0")
    host, link = core.lcp.linux[""], linux(console, "e0").index
    host.change_address(link, ip_interface("fe80::1/64"), add=True)
    console.lcp.poll()
    assert core.interfaces[0].addresses == ()
    assert host.of_link[link] == {ip_interface("fe80::1/64")}


def test_a_link_that_fails_is_seen_in_linux(console, core):
    run(console, "lcp create e0 host-if e0")
    tap = core.interface_names()["tap0"]
    core.change(0, link_up=False)
    console.lcp.each_second()
    assert core.lcp.carriers == {tap: False}


def test_vlans_of_the_router(console, core):
    run(console, "create sub-interfaces e0 100", "set interface state e0.100 up")
    with pytest.raises(UsageError, match="needs its port in a pair first: lcp create e0"):
        run(console, "lcp create e0.100 host-if e0.100")
    run(console, "lcp create e0 host-if e0", "lcp create e0.100 host-if vlan100")
    child, parent = linux(console, "vlan100"), linux(console, "e0")
    assert (child.kind, child.parent, child.vlan_id, child.vlan_protocol) == ("vlan", parent.index, 100, 0x8100)
    assert child.is_up
    with pytest.raises(UsageError, match="has VLANs in Linux; lcp delete e0.100 first"):
        run(console, "lcp delete e0")
    run(console, "lcp delete e0.100", "lcp delete e0")
    assert core.lcp.linux[""].by_link.keys() <= {parent.index}
    assert "tap0" not in core.interface_names()
    assert core.lcp.linux[""].closed


def test_sub_interfaces_become_vlans_by_themselves(console, core):
    run(console, "lcp lcp-auto-subint on", "lcp create e0 host-if xe0", "create sub-interfaces e0 100")
    run(console, "create sub-interfaces e1 200")
    assert [link.name for link in core.lcp.linux[""].by_link.values()] == ["xe0", "xe0.100"]
    run(console, "delete sub-interface e0.100")
    assert [link.name for link in core.lcp.linux[""].by_link.values()] == ["xe0"]
    assert len(console.lcp.pairs) == 1


def test_a_kernel_without_vlans_is_told_once(console, core):
    core.lcp.linux[""].has_vlans = False
    run(console, "lcp lcp-auto-subint on", "lcp create e0 host-if e0", "create sub-interfaces e0 100")
    console.lcp.each_second()
    assert console.told == ["lcp: this kernel has no VLAN interfaces (8021q), so Linux cannot have e0.100"]
    with pytest.raises(EnvironmentFault, match="8021q"):
        run(console, "lcp create e0.100 host-if e0.100")
    assert len(console.lcp.pairs) == 1


def test_vlans_of_linux(console, core):
    run(console, "lcp create e0 host-if e0")
    host, parent = core.lcp.linux[""], linux(console, "e0").index
    outer = host.make_link("e0.7", "vlan", parent=parent, vlan_id=7, vlan_protocol=0x88A8, is_up=True, mtu=1496)
    host.change_address(outer, TEN, add=True)
    console.lcp.poll()
    index = core.interface_names()["e0.7"]
    face = core.interfaces[index]
    assert face.sub == SubInterface(7, 7, 0, True, True)
    assert (face.admin_up, face.mtu, face.addresses) == (True, 1496, (TEN,))
    inner = host.make_link("e0.7.9", "vlan", parent=outer, vlan_id=9, vlan_protocol=0x8100)
    console.lcp.poll()
    assert core.interfaces[core.interface_names()["e0.70009"]].sub == SubInterface(70009, 7, 9, True, True)
    host.delete_link(inner)
    host.delete_link(outer)
    console.lcp.poll()
    assert set(core.interface_names()) == {"e0", "e1", "tap0"}
    assert console.told == []


def test_a_pair_that_fails_leaves_nothing(console, core):
    core.lcp.linux[""].make_link("taken", "veth")
    with pytest.raises(UsageError, match="no network namespace nowhere"):
        run(console, "lcp create e0 host-if e0 netns nowhere")
    with pytest.raises(UsageError, match="1 to 15 bytes"):
        run(console, "lcp create e0 host-if sixteen-letters-x")
    core.lcp.pair = lambda index, host: (_ for _ in ()).throw(UsageError("no pair"))
    with pytest.raises(UsageError, match="no pair"):
        run(console, "lcp create e0 host-if e0")
    assert set(core.interface_names()) == {"e0", "e1"}
    assert console.lcp.pairs == {}
    assert core.lcp.linux[""].closed


def test_pairs_are_not_made_twice(console):
    run(console, "lcp create e0 host-if e0")
    with pytest.raises(UsageError, match="interface e0 is e0 in Linux already"):
        run(console, "lcp create e0 host-if e1")
    with pytest.raises(UsageError, match="itself the Linux side of a pair"):
        run(console, "lcp create tap0 host-if e1")
    with pytest.raises(UsageError, match="e1 has no Linux side"):
        run(console, "lcp delete e1")


def test_linux_side_deleted_in_linux(console, core):
    run(console, "lcp create e0 host-if e0")
    core.lcp.linux[""].delete_link(linux(console, "e0").index)
    console.lcp.poll()
    console.lcp.poll()
    assert console.told == ["e0 was deleted in Linux; lcp delete e0 and create it again"]
    run(console, "lcp delete e0")
    assert console.lcp.pairs == {}


def test_what_linux_is_refused_is_shown(console, core):
    run(console, "lcp create e0 host-if e0")
    core.lcp.linux[""].statistics = LinuxStats(10, 1, 5, 4, 2, 3, 7, True, "the table is full")
    assert run(console, "show lcp")[-2:] == [
        "netlink: netns <unset> syncing routes 3 labels 7 messages 10 dumps 5 failed 4 overflows 1 rejected 2",
        "  last rejected: the table is full",
    ]


def test_a_pair_of_tags_names_the_tag_that_is_missing(console):
    run(console, "create sub-interfaces e0 801 dot1q 801 inner-dot1q 1000 exact-match")
    for line, missing in (
        (None, "create sub-interfaces e0 801, lcp create e0 host-if <name>, lcp create e0.801 host-if <name>"),
        ("lcp create e0 host-if pe0", "create sub-interfaces e0 801, lcp create e0.801 host-if <name>"),
        ("create sub-interfaces e0 7 dot1q 801 exact-match", "first: lcp create e0.7 host-if <name>"),
    ):
        if line:
            run(console, line)
        with pytest.raises(UsageError, match="interface e0.801 needs a sub-interface with tag 801 alone") as refused:
            run(console, "lcp create e0.801 host-if pe0.801")
        assert str(refused.value).endswith(missing)
    run(console, "lcp create e0.7 host-if pe0.7", "lcp create e0.801 host-if pe0.801")


def test_an_address_that_the_router_refuses_is_shown_until_it_is_taken(console, core):
    run(console, "set interface ip address e1 10.0.0.1/24", "lcp create e0 host-if xe0", "lcp create e1 host-if xe1")
    host, link = core.lcp.linux[""], linux(console, "xe0")
    host.add_address(link.index, TEN)
    run(console)
    shown = [line for line in run(console, "show lcp") if line.startswith("  address")]
    assert shown == ["  address 10.0.0.1/24 is in Linux only: 10.0.0.1/24 is an address of e1 already"]
    run(console, "set interface ip address del e1 10.0.0.1/24")
    console.lcp.each_second()
    assert core.interfaces[0].addresses == (TEN,)
    assert console.lcp.untaken == {}
    host.add_address(linux(console, "xe1").index, TEN)
    run(console)
    assert list(console.lcp.untaken) == [(1, TEN)]
    host.delete_address(linux(console, "xe1").index, TEN)
    run(console)
    assert console.lcp.untaken == {}
