"""The router's commands on a core that forwards nothing."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network, ip_address
from pathlib import Path

import pytest
from fake_router import TSC_HZ, FakeRouterCore

from wirespeed.errors import FileFault, UsageError
from wirespeed.router.console import Console
from wirespeed.router.pci import RouterPciDevice, pci_device
from wirespeed.seam.graph import NodeCounter, NodeEdge, NodeStats, Totals
from wirespeed.seam.interfaces import InterfaceCounters, Mode, RxMode
from wirespeed.seam.ports import PortDevice
from wirespeed.seam.routes import HeldPackets, Neighbor, NeighborState, PathKind

# The IPv4 lines of the R86S article.
R86S = """\
set int state e0 up
set int state e1 up
set int ip address e0 100.64.1.1/30
set int ip address e1 100.64.2.1/30
ip route add 16.0.0.0/24 via 100.64.1.2
ip route add 48.0.0.0/24 via 100.64.2.2
ip neighbor e0 100.64.1.2 50:7c:6f:20:30:70
ip neighbor e1 100.64.2.2 50:7c:6f:20:30:71
"""

# The first plan of the Fitlet2 article, with our interface names.
FITLET2 = """\
comment { vppcfg sync: 10 CLI statement(s) follow }
set interface l2 xconnect e0 e1
set interface l2 tag-rewrite e0 disable
set interface l2 xconnect e1 e0
set interface l2 tag-rewrite e1 disable
set interface mtu 1500 e0
set interface mtu 1500 e1
set interface mtu packet 1400 e0
set interface mtu packet 1500 e1
set interface state e0 up
set interface state e1 up
"""


@pytest.fixture
def console(core: FakeRouterCore) -> Console:
    return Console(core)


def run(console: Console, text: str) -> list[str]:
    return [answer for line in text.splitlines() for answer in console.run(line)]


def test_the_r86s_block_works_as_it_stands(console: Console, core: FakeRouterCore) -> None:
    assert run(console, R86S) == []
    assert core.interface(0).admin_up and core.interface(1).admin_up
    route = core.lookup(IPv4Address("48.0.0.77"))
    assert route is not None and route.paths[0].next_hop == IPv4Address("100.64.2.2")
    assert [neighbor.mac for neighbor in core.neighbors()] == ["50:7c:6f:20:30:70", "50:7c:6f:20:30:71"]


def test_the_fitlet2_plan_cross_connects(console: Console, core: FakeRouterCore) -> None:
    assert run(console, FITLET2) == []
    assert [core.interface(i).mode for i in (0, 1)] == [Mode.XCONNECT, Mode.XCONNECT]
    assert core.interface(0).mtu == 1400
    assert run(console, "show mode") == ["l2 xconnect e0 e1", "l2 xconnect e1 e0"]
    run(console, "set interface l3 e0")
    assert run(console, "show mode") == ["l3 e0", "l2 xconnect e1 e0"]


def test_an_interface_is_not_connected_to_itself(console: Console) -> None:
    with pytest.raises(UsageError, match="to itself"):
        run(console, "set interface l2 xconnect e0 e0")


# ---- Routes


def paths(core: FakeRouterCore, prefix: str) -> list[tuple[str, int]]:
    route = core.route(IPv4Network(prefix))
    assert route is not None
    return [(str(path.next_hop), path.weight) for path in route.paths]


def test_routes_added_one_by_one_share_the_load(console: Console, core: FakeRouterCore) -> None:
    run(console, "ip route add 10.0.0.0/8 via 100.64.1.2\nip route add 10.0.0.0/8 via 100.64.1.3 weight 2")
    assert paths(core, "10.0.0.0/8") == [("100.64.1.2", 1), ("100.64.1.3", 2)]
    run(console, "ip route add 10.0.0.0/8 via 100.64.1.2 weight 5")
    assert sorted(paths(core, "10.0.0.0/8")) == [("100.64.1.2", 5), ("100.64.1.3", 2)]
    run(console, "ip route del 10.0.0.0/8 via 100.64.1.3")
    assert paths(core, "10.0.0.0/8") == [("100.64.1.2", 5)]
    run(console, "ip route del 10.0.0.0/8")
    assert core.route(IPv4Network("10.0.0.0/8")) is None


def test_several_paths_may_stand_in_one_line(console: Console, core: FakeRouterCore) -> None:
    run(console, "ip route add 10.0.0.0/8 via 100.64.1.2 e0 weight 3 via 100.64.2.2 via e1")
    route = core.route(IPv4Network("10.0.0.0/8"))
    assert route is not None
    assert [(p.kind, p.interface, p.weight) for p in route.paths] == [
        (PathKind.NEXT_HOP, 0, 3),
        (PathKind.NEXT_HOP, None, 1),
        (PathKind.ATTACHED, 1, 1),
    ]


@pytest.mark.parametrize("line", ["ip route add 10.0.0.0/8 drop", "ip route add 10.0.0.0/8 via drop"])
def test_a_route_that_drops_takes_the_place_of_paths(console: Console, core: FakeRouterCore, line: str) -> None:
    run(console, f"ip route add 10.0.0.0/8 via 100.64.1.2\n{line}")
    route = core.route(IPv4Network("10.0.0.0/8"))
    assert route is not None and [path.kind for path in route.paths] == [PathKind.DROP]


@pytest.mark.parametrize(
    "line", ["ip route add 10.0.0.0/24 count 1000 via e1", "ip route add count 1000 10.0.0.0/24 via e1"]
)
def test_count_makes_following_prefixes(console: Console, core: FakeRouterCore, line: str) -> None:
    run(console, line)
    assert len(core.static) == 1000
    assert IPv4Network("10.3.231.0/24") in core.static
    assert run(console, "ip route del 10.0.0.0/24 count 1001") == ["1000 of 1001 routes were there and are deleted"]
    assert not core.static


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ip route add 255.0.0.0/8 count 2 via e1", "there are 1 prefixes"),
        ("ip route add 10.0.0.0/8 count 0 via e1", "count 0"),
        ("ip route add 10.0.0.0/8 via 1.1.1.1 weight 0", "weight 0"),
        ("ip route del 10.0.0.0/8", "no static route"),
        ("ip route add 10.0.0.0/8", "expected one of blackhole, count, drop, local, "),
        ("ip route add 10.0.0.0/8 via 1.1.1.300", "expected one of <address>, <interface>, blackhole, drop, "),
    ],
)
def test_a_wrong_route_is_refused(console: Console, line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(console, line)


def test_the_fib_shows_where_packets_go(console: Console) -> None:
    run(console, R86S + "ip route add 10.0.0.0/8 via 100.64.1.2 weight 2 via 100.64.2.3\nip route add 11.0.0.0/8 drop")
    text = "\n".join(run(console, "show ip fib"))
    assert "16.0.0.0/24\n  unicast-ip4-chain\n" in text
    assert "[@5]: ipv4 via 100.64.1.2 e0: mtu:1500 flags:[] 507c6f20307002fe000000000800" in text
    assert "buckets:3]\n    [0] [@5]" in text
    assert "[@3]: arp-ipv4: via 100.64.2.3 e1" in text
    assert "[@11]: dpo-receive: 100.64.1.1 on e0" in text
    assert "[@4]: ipv4-glean: [src:100.64.1.0/30] e0" in text
    assert (
        "11.0.0.0/8\n  unicast-ip4-chain\n  [@0]: dpo-load-balance: [proto:ip4 index:1 buckets:1]\n    [0] [@0]" in text
    )


def test_attached_routes_are_told_by_their_own_prefix(console: Console) -> None:
    run(console, "ip route add 10.0.0.0/8 via e0\nip route add 11.0.0.0/8 via e0")
    text = "\n".join(run(console, "show ip fib"))
    assert "[src:10.0.0.0/8]" in text and "[src:11.0.0.0/8]" in text


def test_the_fib_of_an_address_is_its_longest_match(console: Console) -> None:
    run(console, R86S)
    assert "16.0.0.0/24 fib:0" in run(console, "show ip fib 16.0.0.9")
    assert run(console, "show ip fib 17.0.0.1") == ["no route covers 17.0.0.1"]
    assert run(console, "show ip fib 16.0.0.0/23") == ["there is no route 16.0.0.0/23"]


def test_the_fib_summary_counts_lengths(console: Console) -> None:
    run(console, R86S)
    assert run(console, "show ip fib summary")[1:] == [
        "    Prefix length         Count     ",
        "                  24               2",
        "                  30               2",
        "                  32               2",
    ]


def test_neighbors_stand_in_vpps_columns(console: Console, core: FakeRouterCore) -> None:
    address = IPv4Address("100.64.1.2")
    core.neighbor_table[0, address] = Neighbor(0, address, "02:ee:00:00:00:00", NeighborState.STATIC, 51.7886)
    assert run(console, "show ip neighbors") == [
        "     Age                       IP                    Flags      Ethernet              Interface       ",
        "     51.7886               100.64.1.2                  S    02:ee:00:00:00:00 e0",
    ]
    assert len(run(console, "show ip neighbor e1")) == 1
    run(console, "ip neighbor del e0 100.64.1.2")
    assert not core.neighbors()


def test_the_bounds_of_the_neighbor_table_are_shown(console: Console) -> None:
    run(console, "set ip neighbor-config ip6 age 60")
    assert run(console, "show ip neighbor-config") == [
        "ip4:",
        "  limit:56, interface-limit:32, age:30, recycle:1",
        "ip6:",
        "  limit:56, interface-limit:32, age:60, recycle:1",
        "both: 0 of 64 entries, 0 of them learned",
        "  recycled:0, refused for the interface:0, refused for the table:0, unanswered:0",
    ]
    assert run(console, "show ip6 neighbor-config")[0] == "ip6:"


def test_packets_that_wait_for_a_neighbor_are_shown(console: Console, core: FakeRouterCore) -> None:
    core.held = [
        HeldPackets(1, ip_address("10.0.1.9"), 0, 4, 0.25),
        HeldPackets(0, ip_address("2001:db8::9"), 1, 1, 2.5),
    ]
    assert [line.split() for line in run(console, "show ip neighbor-hold")] == [
        ["Waiting", "IP", "Packets", "Thread", "Interface"],
        ["0.2500", "10.0.1.9", "4", "1", "e1"],
        ["2.5000", "2001:db8::9", "1", "2", "e0"],
    ]
    assert len(run(console, "show ip6 neighbor-hold")) == len(run(console, "show ip4 neighbor-hold")) == 2


# ---- Interfaces


def test_show_interface_in_vpps_columns_and_cleared(console: Console, core: FakeRouterCore) -> None:
    run(console, "set int state e0 up\nset int mtu packet 9000 e0")
    core.counters[0] = InterfaceCounters(rx_packets=54306368, rx_bytes=3475607552, ip4=54306368)
    assert run(console, "show interface") == [
        "              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          Count     ",
        "e0                                1      up          9000/0/0/0     rx packets              54306368",
        "                                                                    rx bytes              3475607552",
        "                                                                    ip4                     54306368",
        "e1                                2     down         1500/0/0/0     ",
    ]
    run(console, "clear interfaces")
    core.counters[0] = replace(core.counters[0], rx_packets=54306369)
    assert run(console, "show interface e0")[1].split()[-1] == "1"
    assert len(run(console, "show interface e0")) == 2


def test_show_interface_address(console: Console) -> None:
    run(console, R86S + "set interface l2 xconnect e1 e0")
    assert run(console, "sh int addr") == [
        "e0 (up):",
        "  L3 100.64.1.1/30",
        "e1 (up):",
        "  L2 xconnect e0",
        "  L3 100.64.2.1/30",
    ]
    run(console, "set interface ip address del e0 100.64.1.1/30")
    assert run(console, "sh int addr e0") == ["e0 (up):"]


def test_rx_placement_moves_a_queue(core: FakeRouterCore) -> None:
    core = FakeRouterCore(workers=2)
    console = Console(core)
    run(console, "set interface rx-placement e0 queue 0 worker 1")
    assert run(console, "show interface rx-placement") == [
        "Thread 2 (ws_wk_1):",
        " node dpdk-input:",
        "    e0 queue 0 (polling)",
        "    e1 queue 0 (polling)",
    ]
    with pytest.raises(UsageError, match="no queue 1"):
        run(console, "set interface rx-placement e0 queue 1 worker 1")
    with pytest.raises(UsageError, match="no worker 2"):
        run(console, "set interface rx-placement e0 worker 2")
    core.close()


def test_rx_modes_are_set_for_a_queue_or_all(console: Console, core: FakeRouterCore) -> None:
    run(console, "set interface rx-mode e0 adaptive\nset interface rx-mode e1 queue 0 interrupt")
    assert core.rx_modes == {(0, 0): RxMode.ADAPTIVE, (1, 0): RxMode.INTERRUPT}
    assert run(console, "show interface rx-placement")[2:] == [
        "    e0 queue 0 (adaptive)",
        "    e1 queue 0 (interrupt)",
    ]
    # A worker with one polled queue polls all of its queues.
    run(console, "set interface rx-mode e1 polling")
    assert run(console, "show interface rx-placement")[2:] == [
        "    e0 queue 0 (adaptive), kept polling by other queues",
        "    e1 queue 0 (polling)",
    ]
    with pytest.raises(UsageError, match="no queue 3; e1 has 0 to 0"):
        run(console, "set interface rx-mode e1 queue 3 polling")
    with pytest.raises(UsageError, match="expected one of adaptive, interrupt, polling"):
        run(console, "set interface rx-mode e1 never")


def test_show_hardware_says_more_the_more_is_asked(console: Console, core: FakeRouterCore) -> None:
    core.counters[0] = InterfaceCounters(rx_packets=7)
    brief, usual, detail = (run(console, f"show hardware-interfaces e0 {words}") for words in ("brief", "", "detail"))
    assert brief[:5] == [
        "              Name                Idx   Link  Hardware",
        "e0                                 1     up   e0",
        "  Link speed: 10 Gbps",
        "  RX Queues:",
        "    queue thread         mode      ",
    ]
    assert set(brief) < set(usual) < set(detail)
    assert "    rx: queues 1 (max 16), desc 1024 (min 32 max 4096)" in usual
    assert any(line.split() == ["rx", "frames", "ok", "7"] for line in detail)


def test_show_hardware_says_what_the_device_offers_and_what_of_it_is_on(console: Console, core: FakeRouterCore) -> None:
    assert not any("rx offload" in line for line in run(console, "show hardware-interfaces e0"))
    rx = ["vlan-strip", "ipv4-cksum", "udp-cksum", "tcp-cksum"]
    rx += ["vlan-filter", "vlan-extend", "scatter", "keep-crc", "rss-hash"]
    core.devices[0] = PortDevice(
        rx_offered=tuple(rx),
        rx_active=("scatter",),
        tx_offered=("multi-segs",),
        tx_active=(),
        hash_offered=("ipv4", "ipv4-udp", "mpls"),
        hash_active=("ipv4", "mpls"),
        rx_burst="Scalar",
        tx_burst="",
        max_rx_packet=16383,
        hash_key_bytes=40,
        reta_size=128,
        all_multicast=True,
    )
    lines = run(console, "show hardware-interfaces e0")
    assert lines[lines.index("    max rx packet len: 16383") :] == [
        "    max rx packet len: 16383",
        "    promiscuous: unicast off all-multicast on",
        "    vlan offload: strip off filter off qinq off",
        "    rx offload avail:  vlan-strip ipv4-cksum udp-cksum tcp-cksum",
        "                       vlan-filter vlan-extend scatter keep-crc rss-hash",
        "    rx offload active: scatter",
        "    tx offload avail:  multi-segs",
        "    tx offload active: none",
        "    rss avail:         ipv4 ipv4-udp mpls",
        "    rss active:        ipv4 mpls",
        "    rss table: 128 entries, key of 40 bytes",
        "    tx burst function: (not available)",
        "    rx burst function: Scalar",
    ]


def test_a_pci_device_is_shown_with_its_link(tmp_path: Path) -> None:
    device = tmp_path / "0000:01:00.0"
    device.mkdir()
    facts = {"vendor": "0x8086", "device": "0x1539", "subsystem_vendor": "0x8086", "subsystem_device": "0x0000"}
    facts |= {"current_link_speed": "2.5 GT/s PCIe", "current_link_width": "1"}
    facts |= {"max_link_speed": "5.0 GT/s PCIe", "max_link_width": "4"}
    for name, value in facts.items():
        (device / name).write_text(f"{value}\n")
    assert pci_device("0000:01:00.0", tmp_path) == RouterPciDevice(
        "8086:1539", "8086:0000", "2.5 GT/s x1", "5.0 GT/s x4"
    )
    assert pci_device("0000:02:00.0", tmp_path) is None


def test_mtu_and_mac_and_promiscuous_reach_the_core(console: Console, core: FakeRouterCore) -> None:
    run(console, "set int mac address e0 02:00:00:00:00:0A\nset int promiscuous on e1\nset int mtu 1280 e1")
    assert core.interface(0).mac == "02:00:00:00:00:0a"
    assert core.promiscuous == {0: False, 1: True}
    assert core.interface(1).mtu == 1280
    with pytest.raises(UsageError, match="between 68"):
        run(console, "set int mtu 60 e1")


def test_an_mtu_of_packets_raises_what_the_port_carries(console: Console, core: FakeRouterCore) -> None:
    run(console, "set interface mtu packet 9000 e0\nset interface mtu ip6 4000 e1")
    assert core.interface(0).mtus[:2] == (9000, 9000)
    assert core.interface(1).mtus == (4000, 1500, 0, 4000, 0)
    run(console, "set interface mtu packet 1400 e0")
    assert core.interface(0).mtus[:2] == (9000, 1400)
    with pytest.raises(UsageError, match="between 68"):
        run(console, "set interface mtu packet 9300 e0")


# ---- Lines of other people's files


@pytest.mark.parametrize(
    "line",
    [
        *("clear hardware-interfaces", "clear hardware", "clear interface", "clear int", "clear interfaces e0"),
        *("clear error", "clear run", "clear node counters", "clear logging", "set terminal pager off"),
        *("set terminal pager limit 0", "set terminal history off", "set terminal ansi off", "lcp lcp-sync on"),
        "set logging class linux-cp rate-limit 1000 level warn syslog-level notice",
        *("lcp default netns dataplane", "lcp lcp-auto-subint on"),
    ],
)
def test_lines_that_set_up_a_session_say_nothing(console: Console, line: str) -> None:
    assert run(console, line) == []


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("show version verbose", "Version:"),
        ("show node counters", "Count"),
        ("show memory", "pool default-numa-0: 16384 buffers of 2176 bytes, 34816 kB"),
        ("show plugins", "acl_plugin.so"),
        ("show unix files", "FD  File Name"),
        ("show clock", "GMT"),
        ("show interface features e0", "Feature paths configured on e0..."),
        ("show node dpdk-input", "node dpdk-input, type input, state polling, index"),
        ("show node index 0", "node dpdk-input, type input, state polling, index 0"),
    ],
)
def test_lines_that_look_around_answer(console: Console, core: FakeRouterCore, line: str, answer: str) -> None:
    load(core)
    assert answer in "\n".join(run(console, line))


def test_a_node_has_its_neighbours(console: Console, core: FakeRouterCore) -> None:
    load(core)
    core.edges = [
        NodeEdge("dpdk-input", "ethernet-input", 0),
        NodeEdge("ethernet-input", "ip4-lookup", 2),
        NodeEdge("ip4-lookup", "error-drop", 1),
    ]
    said = run(console, "show node ethernet-input")
    assert said[0] == "node ethernet-input, type internal, state active, index 3"
    assert said[4].split() == ["2", "4", "ip4-lookup"]
    assert said[-1].split() == ["dpdk-input", "(0)"]
    with pytest.raises(UsageError, match="there is no node with index 9; give 0 to 4"):
        run(console, "show node index 9")


def test_messages_are_kept_and_shown_by_class(console: Console) -> None:
    shown: list[str] = []
    console.messages.show = shown.append
    console.lcp.warn("one")
    run(console, "set logging class linux-cp syslog-level error")
    console.lcp.warn("two")
    run(console, "set logging class linux-cp level disabled syslog-level debug")
    console.lcp.warn("three")
    run(console, "set logging class api rate-limit 2")
    for number in range(9):
        console.messages.warn("api", f"more {number}")
    assert shown == ["one", "three", *shown[2:]]
    assert "more 0" in shown and len(shown) < 2 + 9
    kept = [line.split(maxsplit=4)[2:] for line in run(console, "show logging")]
    assert kept[:2] == [["warn", "linux-cp", "one"], ["warn", "linux-cp", "two"]]
    assert kept[2] == ["warn", "api", "more 0"]
    run(console, "clear logging")
    assert run(console, "show logging") == []


# ---- Runtime and errors


def load(core: FakeRouterCore) -> None:
    """The worker of the reference run: 3 s, 18 742 272 packets."""
    core.clock_s = 3.0
    core.stats[0] = [
        NodeStats("ip4-lookup", False, 267066, 18742272, 0, round(18742272 * 19.0), 2580000, 64),
        NodeStats("dpdk-input", True, 6818094, 18742272, 0, round(18742272 * 109.0)),
        NodeStats("ethernet-input", False, 267066, 18742272, 0, round(18742272 * 15.6)),
        NodeStats("error-drop", False, 0, 0, 0, 0),
        NodeStats("e1-tx", False, 267066, 18734016, 0, round(18734016 * 156.0)),
    ]
    core.moved[0] = Totals(18742272, 18734016, 0, 0, 6818094)


def test_show_runtime_prints_vpps_rows_sorted_by_name(console: Console, core: FakeRouterCore) -> None:
    load(core)
    assert run(console, "show run") == [
        "Thread 1 ws_wk_0 (lcore 1)",
        "Time 3.0, 10 sec internal node vector rate 70.17 loops/sec 2272698.00",
        "  vector rates in 6.2474e6, out 6.2447e6, drop 0.0000e0, punt 0.0000e0",
        "             Name                 State         Calls          Vectors        Suspends         Clocks"
        "       Vectors/Call  ",
        "dpdk-input                       polling           6818094        18742272               0"
        "          1.09e2            2.75",
        "e1-tx                            active             267066        18734016               0"
        "          1.56e2           70.15",
        "ethernet-input                   active             267066        18742272               0"
        "          1.56e1           70.18",
        "ip4-lookup                       active             267066        18742272               0"
        "          1.90e1           70.18",
    ]


def test_the_netgate_articles_awk_line_prints_rate_and_cost(console: Console, core: FakeRouterCore) -> None:
    load(core)
    script = """$2 ~ /active|polling/ && $4 > 25000 {
      print $0;
      if ($1=="ethernet-input") { packets = $4};
      if ($1=="dpdk-input") { dpdk_time = $6};
      total_time += $6
    } END {
      print packets/30, "packets/sec, at",total_time,"cycles/packet,",
            total_time-dpdk_time,"cycles/packet not counting DPDK"
    }"""
    text = "\n".join(run(console, "show run")) + "\n"
    printed = subprocess.run(["awk", script], input=text, capture_output=True, text=True, check=True).stdout
    rows = printed.splitlines()
    assert [row.split()[0] for row in rows[:-1]] == ["dpdk-input", "e1-tx", "ethernet-input", "ip4-lookup"]
    # 18742272 / 30; the four nodes' clocks added by hand.
    assert rows[-1] == "624742 packets/sec, at 299.6 cycles/packet, 190.6 cycles/packet not counting DPDK"


def test_an_idle_poll_costs_clocks_a_call_and_small_ratios_lose_their_zero(
    console: Console, core: FakeRouterCore
) -> None:
    core.clock_s = 1.0
    core.stats[0] = [
        NodeStats("dpdk-input", True, 100, 61, 0, 100 * 535),
        NodeStats("ethernet-input", False, 7, 0, 0, 7000),
    ]
    rows = run(console, "show runtime")[4:]
    assert rows[0].split()[-1] == ".61"
    assert rows[1].split()[-2:] == ["1.00e3", "0.00"]


def test_clear_runtime_starts_anew(console: Console, core: FakeRouterCore) -> None:
    load(core)
    run(console, "clear runtime")
    core.clock_s = 5.0
    core.stats[0] = [replace(node, calls=node.calls + 10, vectors=node.vectors + 2560) for node in core.stats[0]]
    core.moved[0] = replace(core.moved[0], rx_packets=core.moved[0].rx_packets + 2560)
    rows = run(console, "show run")
    assert rows[1].startswith("Time 2.0,")
    assert rows[2].startswith("  vector rates in 1.2800e3, out 0.0000e0")
    assert rows[4].split()[2:4] == ["10", "2560"]
    assert rows[4].split()[-1] == "256.00"


def test_rates_look_back_ten_seconds_and_loops_one(console: Console, core: FakeRouterCore) -> None:
    for second in range(1, 31):
        core.clock_s = float(second)
        loops = 1000 * min(second, 29)
        core.moved[0] = Totals(0, 0, 0, 0, loops)
        core.stats[0] = [NodeStats("ip4-input", False, second, second * (4 if second <= 20 else 8), 0, 0)]
        console.statistics.sample()
    time = run(console, "show run summary")[1]
    # Vectors went from 80 in 20 calls to 240 in 30; no loop ended in the last second.
    assert time == "Time 30.0, 10 sec internal node vector rate 16.00 loops/sec 0.00"


def test_show_runtime_max(console: Console, core: FakeRouterCore) -> None:
    load(core)
    rows = run(console, "show runtime max")
    assert rows[3].split(maxsplit=4)[:4] == ["Name", "Max", "Node", "Clocks"]
    assert rows[-1].split() == ["ip4-lookup", "2.58e6", "64", "4.03e4", "1.90e1", "7.02e1"]


def test_show_errors_in_vpps_columns_summed_and_cleared(core: FakeRouterCore) -> None:
    core = FakeRouterCore(workers=2)
    console = Console(core)
    for worker in (0, 1):
        core.node_errors[worker] = [
            NodeCounter("e1-tx", "no free tx slots", True, 6944),
            NodeCounter("arp-input", "replies sent", False, 1),
            NodeCounter("ip4-input", "bad checksum", True, 0),
        ]
    assert run(console, "show errors") == [
        "   Count                  Node                              Reason               Severity ",
        "     13888               e1-tx                         no free tx slots            error  ",
        "         2             arp-input                         replies sent              info   ",
    ]
    verbose = run(console, "show errors verbose")
    assert verbose[1] == "Thread 1 (ws_wk_0):"
    assert verbose[-2].split() == ["13888", "e1-tx", "no", "free", "tx", "slots", "error", "0"]
    run(console, "clear errors")
    assert len(run(console, "show errors")) == 1
    core.close()


def test_show_buffers_and_threads(console: Console) -> None:
    assert run(console, "show buffers") == [
        "Pool Name            Index NUMA  Size  Data Size  Total  Avail  Cached   Used  ",
        "default-numa-0         0     0   2176     2048    16384  15000     -     1384  ",
    ]
    assert run(console, "show threads")[1].split() == ["1", "ws_wk_0", "1000", "1", "0", "0"]


# ---- Files and help


def test_exec_runs_a_file(console: Console, core: FakeRouterCore, tmp_path: Path) -> None:
    (tmp_path / "r86s.conf").write_text("# both ports\n\n" + R86S)
    assert list(console.run_from(tmp_path, "exec r86s.conf")) == []
    assert core.interface(1).admin_up


def test_a_user_without_a_runtime_directory_names_the_socket_of_a_memif(
    tmp_path: Path, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert list(run(console, "show memif")) == ["sockets", "  id  listener    filename"]
    with pytest.raises(UsageError, match="there is no memif socket id 0; create memif socket id 0 filename <file>"):
        run(console, "create interface memif id 0 master")
    assert not run(console, f"create memif socket id 0 filename {tmp_path}/memif.sock")
    assert run(console, "show memif")[2:] == [f"  0   no          {tmp_path}/memif.sock"]


def test_a_file_of_commands_may_have_spaces_in_its_path(tmp_path: Path, console: Console) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "more lines.conf").write_text("set interface state e0 up\n")
    assert list(console.run_from(tmp_path, "exec a folder/more lines.conf")) == []
    with pytest.raises(UsageError, match="'exec' is not complete; expected <path>"):
        run(console, "exec")


def test_sessions_keep_their_own_directory_and_depth(console: Console, tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / str(number)).write_text(f"show mode\nexec {number + 1}\n")
    (tmp_path / "8").write_text("show version\n")
    (tmp_path / "7").write_text("show mode\nshow mode\n")
    sessions = [console.run_from(tmp_path, "exec 0") for _ in range(9)]
    said = [[next(session)] for session in sessions]
    list(console.run_from(Path("/"), "show mode"))
    for _ in range(17):
        for session, lines in zip(sessions, said, strict=True):
            lines.append(next(session))
    assert said == [["l3 e0", "l3 e1"] * 9] * 9
    list(console.run_from(tmp_path, "exec 0"))


def test_an_error_in_a_file_names_file_line_and_word(console: Console, core: FakeRouterCore, tmp_path: Path) -> None:
    file = tmp_path / "start.conf"
    file.write_text("set int state e0 up\n# comment\nset int state e9 up\nset int state e1 up\n")
    with pytest.raises(UsageError, match=r"start\.conf, line 3: word 4, 'e9'"):
        run(console, f"exec {file}")
    assert core.interface(0).admin_up and not core.interface(1).admin_up


def test_a_file_that_cannot_be_read_is_named(console: Console, tmp_path: Path) -> None:
    with pytest.raises(FileFault, match=r"nope\.conf cannot be read: No such file"):
        run(console, f"exec {tmp_path}/nope.conf")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(FileFault, match="is not text"):
        run(console, f"exec {tmp_path}/binary")


def test_files_that_execute_each_other_end(console: Console, tmp_path: Path) -> None:
    (tmp_path / "loop.conf").write_text(f"exec {tmp_path}/loop.conf\n")
    with pytest.raises(FileFault, match="at most 8 deep"):
        run(console, f"exec {tmp_path}/loop.conf")


@pytest.mark.parametrize("line", ["?", "help", "show ?", "sh ip ?", "help show ip"])
def test_help_lists_words_with_a_line_each(console: Console, line: str) -> None:
    rows = run(console, line)
    assert rows and all(len(row.split()) >= 2 for row in rows)


def test_every_command_has_help(console: Console) -> None:
    from wirespeed.router.commands import GRAMMAR  # noqa: PLC0415

    assert all(command.summary for _, command in GRAMMAR.commands())


def test_an_empty_line_and_a_comment_do_nothing(console: Console) -> None:
    assert run(console, "\n   \n# anything\ncomment { more }") == []


def test_the_machine_is_described(console: Console) -> None:
    assert run(console, "show version")[0].startswith("wirespeed v")
    assert run(console, "show cpu")[0].startswith("Model name:")
    assert run(console, "show cpu")[-1] == f"Base frequency:           {TSC_HZ / 1e9:.2f} GHz"
    assert run(console, "show pci")[0].startswith("Address      Sock VID:PID     Link Speed    Driver")
