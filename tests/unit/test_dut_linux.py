# ruff: noqa: E501 - rows as the kernel prints them
"""Linux as a DUT: its files, and values derived from two readings."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from harness.namespaces import needs_namespace_names

from wirespeed.dut.kinds.linux_network import SWITCHES, network_questions, network_steps
from wirespeed.dut.linux import LinuxDut, linux_telemetry
from wirespeed.dut.linux_counters import (
    LinuxCounters,
    LinuxInterfaceCounters,
    began_anew,
    cpu_percent,
    cpu_ticks,
    interfaces,
    ip_drops,
    softnet,
)
from wirespeed.dut.options import interface_of
from wirespeed.dut.reach.reach import Ran
from wirespeed.dut.setup import default_setup
from wirespeed.errors import EnvironmentFault

STAT = """\
cpu  1100 20 330 4400 50 6 700 80 9 0
cpu0 1000 20 300 4000 50 6 100 80 9 0
cpu33 100 0 30 400 0 0 600 0 0 0
intr 12345 0 9
ctxt 99
btime 1700000000
"""
DEV = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0
    e0: 6400000  100000    2   30    0     0          0         0     1280      20    4    5    0     0       0          0
eth0.100@x:1280      20    0    0    0     0          0         0  6400000  100000    0    0    0     0       0          0
"""
SOFTNET_NAMED = """\
00001ac5 00000002 00000010 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
00006628 00000004 000000ff 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000021 00000000 00000000
"""
SOFTNET_OLD = """\
00001ac5 00000002 00000010 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
00006628 00000004 000000ff 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
"""
SNMP = """\
Ip: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors ForwDatagrams InUnknownProtos InDiscards InDelivers OutRequests OutDiscards OutNoRoutes ReasmTimeout
Ip: 1 64 5000 3 2 4900 0 1 90 80 0 0 0
Icmp: InMsgs InErrors
Icmp: 7 8
"""
NETSTAT = """\
TcpExt: SyncookiesSent InNoRoutes
TcpExt: 1 77
IpExt: InNoRoutes InTruncatedPkts InMcastPkts
IpExt: 12 1 5
"""
SNMP6 = """\
Ip6InReceives                   	10
Ip6InNoRoutes                   	4
Icmp6InMsgs                     	3
"""


def test_ticks_of_the_cpus_that_are_meant() -> None:
    assert cpu_ticks(STAT, (33,)) == {
        33: {"user": 100, "nice": 0, "system": 30, "idle": 400, "iowait": 0, "irq": 0, "softirq": 600, "steal": 0}
    }
    assert sorted(cpu_ticks(STAT, ())) == [0, 33]
    assert cpu_ticks(STAT, (0,))[0]["steal"] == 80


def test_shares_sum_to_the_whole() -> None:
    before, after = cpu_ticks(STAT, ()), cpu_ticks(STAT, ())
    after[0] = {**after[0], "steal": 105, "idle": 4030}
    after[33] = {**after[33], "softirq": 650, "idle": 395}  # the kernel has corrected an idle time
    shares = cpu_percent(before, after)
    assert shares["softirq"] == pytest.approx(50 / 105 * 100)
    assert shares["steal"] == pytest.approx(25 / 105 * 100)
    assert sum(shares.values()) == pytest.approx(100)
    assert cpu_percent(before, before) == {}
    assert cpu_percent(before, {7: after[0]}) == {}


def test_softnet_rows_are_of_the_cpu_they_name_or_in_their_order() -> None:
    assert softnet(SOFTNET_NAMED, (33,)) == {"dropped": 4, "time_squeeze": 255}
    assert softnet(SOFTNET_NAMED, (1,)) == {"dropped": 0, "time_squeeze": 0}
    assert softnet(SOFTNET_OLD, (1,)) == {"dropped": 4, "time_squeeze": 255}
    assert softnet(SOFTNET_NAMED, ()) == {"dropped": 6, "time_squeeze": 271}


def test_interfaces_but_the_loopback() -> None:
    found = interfaces(DEV)
    assert list(found) == ["e0", "eth0.100@x"]
    assert found["e0"] == LinuxInterfaceCounters(100_000, 20, {"rx errs": 2, "rx drop": 30, "tx errs": 4, "tx drop": 5})
    assert (found["eth0.100@x"].rx_packets, found["eth0.100@x"].tx_packets) == (20, 100_000)


def test_what_ip_dropped() -> None:
    assert ip_drops(SNMP, NETSTAT, SNMP6) == {
        "Ip InHdrErrors": 3,
        "Ip InAddrErrors": 2,
        "Ip InUnknownProtos": 0,
        "Ip InDiscards": 1,
        "Ip OutDiscards": 0,
        "Ip OutNoRoutes": 0,
        "IpExt InNoRoutes": 12,
        "IpExt InTruncatedPkts": 1,
        "Ip6 InNoRoutes": 4,
    }
    assert ip_drops("", "", "") == {}


BEFORE = LinuxCounters(cpu_ticks(STAT, ()), softnet(SOFTNET_NAMED, ()), interfaces(DEV), ip_drops(SNMP, NETSTAT, SNMP6))


def test_what_a_time_came_to() -> None:
    e0 = BEFORE.interfaces["e0"]
    now = replace(
        BEFORE,
        softnet={"dropped": 6, "time_squeeze": 280},
        interfaces={
            **BEFORE.interfaces,
            "e0": LinuxInterfaceCounters(e0.rx_packets + 1000, e0.tx_packets + 10, {**e0.losses, "rx drop": 37}),
            "e9": LinuxInterfaceCounters(50, 50, {"rx drop": 2}),  # it is new, so its first value is the difference
        },
        ip_drops={**BEFORE.ip_drops, "IpExt InNoRoutes": 20},
    )
    told = linux_telemetry(BEFORE, now, 0.5)
    assert (told.in_packets, told.out_packets, told.drop_packets) == (1000, 10, 17)
    assert told.drops == {"e0 rx drop": 7, "e9 rx drop": 2, "IpExt InNoRoutes": 8}
    assert told.events == {"softnet time_squeeze": 9}
    assert (told.in_pps, told.workers, told.cycles_per_packet) == (2000, (), None)


def test_an_interface_that_was_made_anew_is_noticed() -> None:
    fewer = replace(BEFORE, interfaces={**BEFORE.interfaces, "e0": LinuxInterfaceCounters(5, 20, {})})
    assert began_anew(BEFORE, fewer) == "e0"
    assert began_anew(BEFORE, BEFORE) is None
    assert began_anew(BEFORE, replace(BEFORE, interfaces={})) is None


def test_this_host() -> None:
    dut = LinuxDut()
    assert dut.telemetry(None, dut.reading()).error == "this host was not read"
    dut.prepare()
    try:
        before = dut.reading()
        told = dut.telemetry(before, dut.reading())
        assert (told.error, told.drop_packets is None) == (None, False)
        assert told.interval_s > 0
        assert dut.describe().kind == "linux"
        assert len(dut.describe().cpus) >= 1
        assert {"/proc/net/dev", "/proc/net/softnet_stat", "/proc/softirqs"} <= dut.collect().keys()
    finally:
        dut.close()
        dut.close()


@needs_namespace_names
def test_a_namespace_that_is_not_there() -> None:
    with pytest.raises(EnvironmentFault, match="there is no network namespace nowhere: ip netns lists"):
        LinuxDut("nowhere").prepare()


def test_forwarding_of_thousands_of_interfaces_is_put_back_by_a_short_command() -> None:
    """Turning it off globally turns it off for each interface. Those that forwarded before are passed on standard
    input: a command line of 128 kB is too long for the kernel.
    """
    setup = default_setup("ip4", tuple(interface_of(f"{name},mac=02:00:00:00:00:01") for name in ("p0", "p1")))
    rows = [{"family": "inet", "interface": name, "forwarding": False} for name in ("all", "default", "p0")]
    rows += [{"family": "inet", "interface": f"veth{number}", "forwarding": True} for number in range(4000)]
    rows += [{"family": "inet6", "interface": "p1", "forwarding": True}]
    facts = {
        question: Ran(0, "0\n" if question.startswith("cat /proc/sys") else "") for question in network_questions(setup)
    }
    links = {name: {"flags": ["UP"], "address": "02:00:00:00:00:02"} for name in setup.names}
    steps = network_steps(facts | {SWITCHES: Ran(0, json.dumps(rows))}, setup, links)
    undo = next(step.undo for step in steps if step.what == "/proc/sys/net/ipv4/ip_forward")
    assert undo is not None
    assert undo.command.splitlines() == [
        "echo 0 > /proc/sys/net/ipv4/ip_forward",
        "echo 0 > /proc/sys/net/ipv4/conf/all/accept_redirects",
        "while read -r i; do test ! -e /proc/sys/net/ipv4/conf/$i/forwarding || echo 1 > /proc/sys/net/ipv4/conf/$i/forwarding; done",
    ]
    assert undo.stdin.split() == [f"veth{number}" for number in range(4000)]
