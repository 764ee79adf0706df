"""Bonds, byte for byte: packets sent by each member, packets received by members, and refused settings."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
from harness.waiting import wait_for
from router_run import HOST0, HOST1, ROUTER0, RouterProcess, assert_conserved, read_pcap, route, router
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6NDOptDstLLAddr, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw
from shared_router import shared

from wirespeed.errors import UsageError
from wirespeed.statseg.segment import StatsSegment

BOND = "02:fe:00:00:00:b0"
FLOWS, EACH = 64, 4


def setup(mode: str, rest: str = "") -> str:
    """e0 routes to BondEthernet0, whose members are e1, e2 and e3."""
    return (
        f"set interface mac address e0 {ROUTER0}\nset interface ip address e0 10.0.0.1/24\nset interface state e0 up\n"
        f"create bond id 0 mode {mode} hw-addr {BOND}\n"
        + "".join(f"set interface state e{n} up\nbond add BondEthernet0 e{n}\n" for n in (1, 2, 3))
        + "set interface state BondEthernet0 up\nset interface ip address BondEthernet0 10.0.1.1/24\n"
        f"ip neighbor BondEthernet0 10.0.1.2 {HOST1}\nip neighbor e0 10.0.0.2 {HOST0}\n" + rest
    )


def packet(flow: int, number: int, *, to: str = "10.0.1.2") -> bytes:
    udp = UDP(sport=1000 + flow, dport=9) / Raw(bytes([flow, number]) + bytes(40))
    return bytes(Ether(src=HOST0, dst=ROUTER0) / IP(src="10.0.0.2", dst=to) / udp)


TRAFFIC = [packet(flow, number) for number in range(EACH) for flow in range(FLOWS)]


def routed(frame: bytes) -> bytes:
    sent = Ether(frame)
    sent.src, sent.dst = BOND, HOST1
    sent[IP].ttl -= 1
    del sent[IP].chksum
    return bytes(sent)


def flows_of(frames: list[bytes]) -> dict[int, list[int]]:
    """The numbers of the packets of each flow, in order."""
    found: dict[int, list[int]] = defaultdict(list)
    for frame in frames:
        payload = bytes(Ether(frame)[UDP].payload)
        found[payload[0]].append(payload[1])
    return found


@pytest.mark.parametrize("mode", ["xor load-balance l34", "xor load-balance l23", "xor load-balance l2", "xor"])
def test_by_flow_each_goes_one_way_in_order(tmp_path, mode):
    outcome = route(tmp_path, setup(mode), TRAFFIC, [], [], [])
    assert_conserved(outcome)
    ways = [flows_of(frames) for frames in outcome.frames[1:]]
    assert sorted(flow for way in ways for flow in way) == list(range(FLOWS))
    assert all(numbers == list(range(EACH)) for way in ways for numbers in way.values())
    assert sorted(frame for frames in outcome.frames[1:] for frame in frames) == sorted(map(routed, TRAFFIC))
    # These flows differ only in ports.
    assert sum(map(bool, ways)) == (3 if mode.endswith("l34") else 1)


@pytest.mark.parametrize("mode", ["xor load-balance l34", "round-robin", "active-backup"])
def test_trace_tells_members_as_vpp_does(tmp_path, mode):
    """The trace agrees with the output: the member's file contains the flow."""
    back = [bytes(Ether(src=HOST1, dst=BOND) / IP(src="10.0.1.2", dst="10.0.0.2") / UDP() / Raw(bytes(30)))]
    rest = f"trace add dpdk-input {len(TRAFFIC[:20]) + 1}\n"
    outcome = route(tmp_path, setup(mode, rest), TRAFFIC[:20], back, [], [], ask=["show trace"])
    assert_conserved(outcome)
    paths = outcome.answers[0].split("\nPacket ")[1:]
    ways = [re.findall(r"^  src (\S+), dst (\S+), (\S+) -> (\S+)$", path, re.MULTILINE) for path in paths]
    into, out = (HOST1, BOND, "e1", "BondEthernet0"), (BOND, HOST1, "BondEthernet0")
    assert ways.count([into]) == 1
    told = {}
    for path, way in zip(paths, ways, strict=True):
        if way != [into]:
            assert way[0][:3] == out and len(way) == 1
            assert re.search(r": bond-output\n  rx e0 tx BondEthernet0 length 84\n", path), path
            told[int(re.findall(r"UDP: (\d+) -> 9", path)[-1]) - 1000] = way[0][3]
    sent = {flow: f"e{n}" for n, frames in enumerate(outcome.frames) if n for flow in flows_of(frames)}
    assert told == sent
    assert len(set(told.values())) == (1 if mode == "active-backup" else 3)


def test_in_turn(tmp_path):
    outcome = route(tmp_path, setup("round-robin"), TRAFFIC[:30], [], [], [])
    assert_conserved(outcome)
    assert [len(frames) for frames in outcome.frames] == [0, 10, 10, 10]
    for member in range(3):
        assert outcome.frames[1 + member] == [routed(frame) for frame in TRAFFIC[member:30:3]]


def test_broadcast_sends_copies(tmp_path):
    outcome = route(tmp_path, setup("broadcast"), TRAFFIC[:20], [], [], [])
    assert_conserved(outcome, made=40)
    wanted = [routed(frame) for frame in TRAFFIC[:20]]
    assert outcome.frames == [[], wanted, wanted, wanted]
    assert outcome.counters["bond-tx: copies sent"] == 40


def test_backup_sends_nothing_and_hears_no_groups(tmp_path):
    to_host = [bytes(Ether(src=HOST1, dst=BOND) / IP(src="10.0.1.2", dst="10.0.0.2") / UDP() / Raw(bytes(20)))]
    to_all = [bytes(Ether(src=HOST1, dst="ff:ff:ff:ff:ff:ff", type=0x88B5) / Raw(bytes(50)))]
    outcome = route(tmp_path, setup("active-backup"), TRAFFIC[:20], [], to_host + to_all, to_all)
    assert_conserved(outcome)
    assert [len(frames) for frames in outcome.frames] == [1, 20, 0, 0]
    assert outcome.counters["bond-input: member is not active"] == 2


def test_backup_that_takes_over_says_so(tmp_path):
    ports = ["e0=ring:a", *(f"e{n}=pcap:,{tmp_path}/e{n}.pcap" for n in (1, 2, 3))]
    rest = (
        "create sub-interfaces BondEthernet0 100\nset interface state BondEthernet0.100 up\n"
        "set interface ip address BondEthernet0.100 2001:db8:64::1/64\n"
    )
    with shared(tmp_path, ports, setup("active-backup", rest)) as running:
        before = sent_packets(running, "e1")
        running.ask("set interface state e1 down")
        wait_for(lambda: sent_packets(running, "e2") >= 3, "the announcements")
        assert sent_packets(running, "e1") == before
    arp, *advertisements = map(Ether, read_pcap(tmp_path / "e2.pcap"))
    wanted = Ether(dst="ff:ff:ff:ff:ff:ff", src=BOND) / ARP(hwsrc=BOND, psrc="10.0.1.1", pdst="10.0.1.1")
    assert bytes(arp)[:42] == bytes(wanted)
    for frame, address in zip(advertisements, ("fe80::fe:ff:fe00:b0", "2001:db8:64::1"), strict=True):
        told = ICMPv6ND_NA(R=1, S=0, O=1, tgt=address) / ICMPv6NDOptDstLLAddr(lladdr=BOND)
        outer = Ether(dst="33:33:00:00:00:01", src=BOND) / Dot1Q(vlan=100)
        assert bytes(frame) == bytes(outer / IPv6(src=address, dst="ff02::1", hlim=255) / told)
    assert not read_pcap(tmp_path / "e3.pcap")


def sent_packets(running: RouterProcess, interface: str) -> int:
    found = re.search(r"tx packets +(\d+)", running.ask(f"show interface {interface}"))
    return int(found[1]) if found else 0


RULES = "".join(
    f"set acl-plugin acl deny src 10.0.0.2/32 proto 17 sport {ports}, permit src 10.0.0.0/8\n"
    for ports in ("1000-1015", "1016-1031")
)


@pytest.mark.parametrize("mode", ["xor load-balance l34", "broadcast", "active-backup", "round-robin"])
def test_output_acls_see_each_packet_once_and_members_none(tmp_path, mode):
    """One ACL of the bond, another of its sub-interface; a member's ACL does not apply to packets that
    the bond sends.
    """
    rest = RULES + (
        "create sub-interfaces BondEthernet0 100\nset interface state BondEthernet0.100 up\n"
        f"set interface ip address BondEthernet0.100 10.0.2.1/24\nip neighbor BondEthernet0.100 10.0.2.2 {HOST1}\n"
        "set acl-plugin interface BondEthernet0 output acl 0\nset acl-plugin interface BondEthernet0.100 output acl 1\n"
        "set acl-plugin interface e1 output acl 1\n"
    )
    sent = [*TRAFFIC[:FLOWS], *(packet(flow, 9, to="10.0.2.2") for flow in range(FLOWS))]
    asked = ["show acl-plugin acl verbose", "show acl-plugin interface BondEthernet0", "trace add dpdk-input 1"]
    outcome = route(tmp_path, setup(mode, rest), sent, [], [], [], ask=asked)
    copies = 3 if mode == "broadcast" else 1
    assert_conserved(outcome, made=96 * (copies - 1))
    found = [Ether(frame) for frames in outcome.frames[1:] for frame in frames]
    flows = sorted((Dot1Q in frame, frame[UDP].sport - 1000) for frame in found)
    assert flows == sorted([(False, n) for n in range(16, 64)] * copies
                           + [(True, n) for n in range(64) if not 16 <= n < 32] * copies)  # fmt: skip
    counted = [int(hits) for hits in re.findall(r" packets (\d+)", outcome.answers[0])]
    assert counted == [16, 48, 16, 48]
    assert "output acl(s): 0\n" in outcome.answers[1]
    assert outcome.counters["bond-acl-plugin-out: ACL deny packets"] == 32
    assert outcome.counters["bond-acl-plugin-out: ACL permit packets"] == 96


def test_a_bond_that_goes_takes_its_acls_along(tmp_path):
    with shared(tmp_path, [f"e{n}=ring:e{n}" for n in range(3)]) as running:
        running.ask("create bond mode xor")
        running.ask("set acl-plugin acl permit")
        running.ask("set acl-plugin interface BondEthernet0 output acl 0")
        assert "bond-acl-plugin-out" in running.ask("show vlib graph bond-output")
        running.ask("delete bond BondEthernet0")
        assert running.ask("delete acl-plugin acl index 0") == ""
        assert "bond-acl-plugin-out" not in running.ask("show runtime")


@pytest.mark.parametrize("mode", ["xor", "round-robin", "broadcast", "active-backup"])
def test_what_members_bring_is_the_bonds(tmp_path, mode):
    back = [bytes(Ether(src=HOST1, dst=BOND) / IP(src="10.0.1.2", dst="10.0.0.2") / UDP() / Raw(bytes([n] * 20)))
            for n in range(9)]  # fmt: skip
    asked = ["show interface", "trace add dpdk-input 1"]
    outcome = route(tmp_path, setup(mode), [], back[:3], back[3:6], back[6:], ask=asked)
    assert_conserved(outcome)
    assert len(outcome.frames[0]) == 9
    assert {Ether(frame).dst for frame in outcome.frames[0]} == {HOST0}
    shown = outcome.answers[0].split("BondEthernet0")[1]
    assert "rx packets" in shown and " 9" in shown.splitlines()[0]


def test_sub_interface_of_a_bond(tmp_path):
    rest = (
        "create sub-interfaces BondEthernet0 100\nset interface state BondEthernet0.100 up\n"
        f"set interface ip address BondEthernet0.100 10.0.2.1/24\nip neighbor BondEthernet0.100 10.0.2.2 {HOST1}\n"
    )
    there = [packet(flow, 0, to="10.0.2.2") for flow in range(12)]
    back = bytes(
        Ether(src=HOST1, dst=BOND) / Dot1Q(vlan=100) / IP(src="10.0.2.2", dst="10.0.0.2") / UDP() / Raw(b"x" * 30)
    )
    outcome = route(tmp_path, setup("xor load-balance l34", rest), there, [back], [back], [], ask=["show interface"])
    assert_conserved(outcome)
    sent = [Ether(frame) for frames in outcome.frames[1:] for frame in frames]
    assert len(sent) == 12 and {(frame.src, frame[Dot1Q].vlan) for frame in sent} == {(BOND, 100)}
    assert len(outcome.frames[0]) == 2 and Dot1Q not in Ether(outcome.frames[0][0])
    assert "12" in outcome.answers[0].split("BondEthernet0.100")[1]


def test_bond_in_a_cross_connect(tmp_path):
    config = setup("xor load-balance l34").replace("set interface ip address e0 10.0.0.1/24\n", "")
    config = "\n".join(line for line in config.splitlines() if " ip " not in line and not line.startswith("ip "))
    config += "\nset interface l2 xconnect e0 BondEthernet0\nset interface l2 xconnect BondEthernet0 e0\n"
    outcome = route(tmp_path, config, TRAFFIC, TRAFFIC[:3], TRAFFIC[3:5], [])
    assert_conserved(outcome)
    assert sorted(frame for frames in outcome.frames[1:] for frame in frames) == sorted(TRAFFIC)
    assert sorted(outcome.frames[0]) == sorted(TRAFFIC[:5])


def test_without_members_or_down_it_drops_and_counts(tmp_path):
    rest = "".join(f"bond del e{n}\n" for n in (1, 2, 3))
    outcome = route(tmp_path, setup("xor", rest), TRAFFIC[:8], [], [], [])
    assert_conserved(outcome)
    assert outcome.dropped == 8
    outcome = route(tmp_path, setup("xor", "set interface state BondEthernet0 down\n"), TRAFFIC[:8], [], [], [])
    assert_conserved(outcome)
    assert outcome.dropped == 8


REFUSED = (
    ("create bond id 0 mode xor", "there is an interface BondEthernet0 already"),
    ("create bond load-balance l2", "a bond needs a mode: create bond mode round-robin|"),
    ("create bond mode broadcast load-balance l2", "load-balance is for the modes xor and lacp"),
    ("create bond mode balance-rr", "expected one of active-backup, broadcast, lacp, round-robin, xor"),
    ("create bond mode xor load-balance l4", "expected one of l2, l23, l34"),
    ("create bond mode xor mode lacp", "a bond has one mode and one load balance, not xor and lacp"),
    ("create bond mode xor load-balance l2 load-balance l34", "one load balance, not l2 and l34"),
    ("create bond mode xor hw-addr 00:00:00:00:00:00", "the MAC address of a bond is multicast or zero; give a"),
    ("create bond mode xor id 4294967295", "is not between 0 and 4294967294"),
    ("create bond mode xor hw-addr 01:00:5e:00:00:01", "is a multicast address; a port needs a unicast one"),
    ("bond add BondEthernet0 e1", "e1 has an address; a member of a bond is a port that nothing else uses"),
    ("bond add BondEthernet0 e2", "e2 has sub-interfaces"),
    ("bond add BondEthernet0 e3", "e3 is in layer 2"),
    ("bond add BondEthernet0 e5", "e5 is in layer 2"),
    ("bond add BondEthernet0 e6", "e6 has IPv6 enabled"),
    ("bond add BondEthernet0 e7", "e7 is unnumbered"),
    ("bond add BondEthernet0 e2.7", "e2.7 is not a port"),
    ("bond add BondEthernet0 BondEthernet0", "BondEthernet0 is not a port"),
    ("bond add BondEthernet0 e0", "e0 is already a member of BondEthernet0; remove it there first"),
    ("bond add BondEthernet0 loop0", "loop0 is not a port"),
    ("bond add BondEthernet0 BondEthernet1", "BondEthernet1 is not a port"),
    ("bond add e1 e4", "is not a bond"),
    ("bond add BondEthernet1 e0", "e0 is already a member of BondEthernet0; remove it there first"),
    ("bond del e4", "e4 is not a member of a bond"),
    ("delete bond e4", "e4 is not a bond"),
    ("set interface ip address e0 10.9.9.1/24", "e0 is a member of BondEthernet0; give it to the bond"),
    ("create sub-interfaces e0 5", "e0 is a member of BondEthernet0"),
    ("set interface l2 xconnect e0 e4", "e0 is a member of BondEthernet0"),
    ("set interface l2 bridge e0 7", "e0 is a member of BondEthernet0"),
    ("enable ip6 interface e0", "e0 is a member of BondEthernet0"),
    ("set ip6 link-local address e0 fe80::1", "e0 is a member of BondEthernet0"),
    ("set interface mac address e0 02:00:00:00:00:99", "e0 has the MAC address of BondEthernet0"),
    ("delete bond BondEthernet1", "routes go by BondEthernet1; delete these first"),
    ("set interface unnumbered e0 use e1", "e0 is a member of BondEthernet0"),
)


def test_bond_that_cannot_be_is_refused_in_one_line(tmp_path):
    with shared(tmp_path, [f"e{n}=ring:e{n}" for n in range(8)]) as running:
        assert running.ask("create bond mode lacp") == "BondEthernet0\n"
        assert running.ask("create bond mode active-backup") == "BondEthernet1\n"
        for line in ("bond add BondEthernet0 e0", "set interface ip address e1 10.1.0.1/24"):
            assert running.ask(line) == ""
        running.ask("create sub-interfaces e2 7")
        running.ask("set interface l2 xconnect e3 e4")
        running.ask("create bridge-domain 7")
        running.ask("set interface l2 bridge e5 7")
        running.ask("enable ip6 interface e6")
        running.ask("set interface unnumbered e7 use e1")
        running.ask("set interface ip address BondEthernet1 10.5.0.1/24")
        running.ask("ip route add 10.6.0.0/16 via 10.5.0.9")
        running.ask("create loopback interface")
        before = running.ask("show state")
        for line, reason in REFUSED:
            with pytest.raises(UsageError) as refused:
                running.ask(line)
            assert reason in str(refused.value) and "\n" not in str(refused.value), line
        assert running.ask("show state") == before


def test_a_bond_that_goes_leaves_nothing_behind(tmp_path):
    """Its members are independent ports again; its addresses and its place in a bridge domain are gone."""
    with shared(tmp_path, [f"e{n}=ring:e{n}" for n in range(3)]) as running:
        running.ask("create bridge-domain 7")
        before = [running.ask(line) for line in ("show state", "show ip fib summary", "show bridge-domain 7 detail")]
        for way in ("set interface ip address BondEthernet0 10.5.0.1/24", "set interface l2 bridge BondEthernet0 7"):
            for line in ("create bond mode lacp", *(f"bond add BondEthernet0 e{n}" for n in range(3)), way):
                running.ask(line)
            assert running.ask("delete bond BondEthernet0") == ""
            after = [running.ask(line) for line in ("show state", "show ip fib summary", "show bridge-domain 7 detail")]
            assert after == before
            running.ask("set interface ip address e0 10.5.0.1/24")
            running.ask("set interface ip address del e0 10.5.0.1/24")


def test_states_of_both_ends_are_statistics(tmp_path):
    """With VPP's names, which contain the numbers of the bond and of its member; only with LACP, and while it is a
    member.
    """
    with (
        router(tmp_path, [f"e{n}=null" for n in range(2)], "create bond mode lacp\ncreate bond mode xor\n") as running,
        StatsSegment(tmp_path / "router.stats") as stats,
    ):
        running.ask("bond add BondEthernet1 e1")
        assert list(stats.read(["^/if/lacp/"])) == []
        running.ask("bond del e1")
        for port in ("e0", "e1"):
            running.ask(f"set interface state {port} up")
            running.ask(f"bond add BondEthernet0 {port}")
        names = [f"/if/lacp/257/{member}/{kind}" for member in (1, 2) for kind in ("partner-state", "state")]
        assert sorted(stats.read(["^/if/lacp/"])) == names
        # Without a partner: active, short time-out, aggregates, defaulted.
        wait_for(lambda: int(stats.read([f"^{names[1]}$"])[names[1]].values[0][0]) & 0x47 == 0x47, "the state's bits")
        running.ask("bond del e0")
        assert sorted(stats.read(["^/if/lacp/"])) == names[2:]
        running.ask("delete bond BondEthernet0")
        assert list(stats.read(["^/if/lacp/"])) == []


def test_what_is_shown_and_taken_away(tmp_path):
    with shared(tmp_path, [f"e{n}=ring:e{n}" for n in range(3)]) as running:
        mac = running.ask("show hardware-interfaces e1").split("Ethernet address ")[1].split()[0]
        assert running.ask("create bond mode xor load-balance l23 id 7") == "BondEthernet7\n"
        for line in ("set interface state e1 up", "bond add BondEthernet7 e0", "bond add BondEthernet7 e1"):
            running.ask(line)
        head, row = running.ask("show bond").splitlines()
        assert head == "interface name   sw_if_index   mode          load balance  active members members"
        assert row.split() == ["BondEthernet7", "257", "xor", "l23", "1", "2"]
        details = running.ask("show bond details")
        assert details.startswith(
            "BondEthernet7\n  mode: xor\n  load balance: l23\n  number of active members: 1\n    e1\n"
        )
        assert "  number of members: 2\n    e0\n    e1\n" in details
        assert "mac_addr" not in running.ask("show state")
        # The members have the first one's address, and get their own back.
        assert len({running.ask(f"show hardware-interfaces e{n}").split("address ")[1].split()[0] for n in (0, 1)}) == 1
        running.ask("set interface mac address BondEthernet7 02:00:00:00:00:77")
        assert "02:00:00:00:00:77" in running.ask("show hardware-interfaces e1")
        running.ask("create sub-interfaces BondEthernet7 5")
        with pytest.raises(UsageError, match="BondEthernet7 has sub-interface BondEthernet7.5"):
            running.ask("delete bond BondEthernet7")
        running.ask("delete sub-interface BondEthernet7.5")
        assert running.ask("delete bond BondEthernet7") == ""
        assert running.ask("show bond").count("\n") == 1
        assert mac in running.ask("show hardware-interfaces e1")
        assert "bond-input" not in running.ask("show runtime")
