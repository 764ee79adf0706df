# ruff: noqa: E501 - consoles are wider
"""Figures from samples of devices: Linux from a guest's own files, the others from records of their consoles."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.dut.commands import describe
from wirespeed.dut.device import parse_device
from wirespeed.dut.kinds.linux_load import linux_load, table_by_cpu
from wirespeed.dut.kinds.startup_conf import startup_conf
from wirespeed.dut.setup import DutInterface, DutOptions, default_setup
from wirespeed.errors import EnvironmentFault, FileFault, UsageError
from wirespeed.results.dut import DutTelemetry

STAT = "cpu0 {0} 0 10 100 0 0 {1} 0 0 0\ncpu1 0 0 0 {2} 0 0 0 0 0 0\n"
LINUX = """\
==> /proc/stat <==
{stat}
==> /proc/net/softnet_stat <==
{packets:08x} {dropped:08x} 00000002 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0 0
00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0 00000001

==> /proc/softirqs <==
                    CPU0       CPU1
      NET_RX:      {packets}          7

==> /proc/interrupts <==
           CPU0       CPU1
 32:        {irqs}          0   PCI-MSI 524288-edge      e0-rx-0
LOC:       8989       9045   Local timer interrupts
ERR:          0

==> /proc/net/dev <==
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    e0:       0 {packets}    0    {dropped}    0     0          0         0        0       0    0    0    0     0       0          0
    e1:       0       0    0    0    0     0          0         0        0 {packets}    0    0    0     0       0          0

==> /proc/net/snmp <==
Ip: Forwarding DefaultTTL InReceives ForwDatagrams
Ip: 1 64 {packets} {packets}

==> sensors <==
/sys/class/thermal/thermal_zone0/temp:{heat}
/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq:2200000

==> ethtool e0 <==
NIC statistics:
     rx_missed_errors: {dropped}
     rx_queue_0_packets: {packets}
"""


def linux_sample(packets: int, dropped: int, ticks: int) -> str:
    stat = STAT.format(10, 50 + ticks, 100 + ticks)
    return LINUX.format(stat=stat, packets=packets, dropped=dropped, irqs=packets // 10, heat=61000)


def test_linux_tells_cpu_by_cpu():
    told = linux_load(linux_sample(1000, 1, 0), linux_sample(51_000, 4, 200), 2.0)
    assert (told.in_packets, told.out_packets, told.drops) == (50_000, 50_000, {"e0 rx drop": 3})
    assert told.machine is not None
    first, second = told.machine.cpus
    assert first.seconds == {"softirq": 2.0} and first.busy == 1.0
    assert second.seconds == {"idle": 2.0} and second.busy == 0.0
    assert first.softnet == {"processed": 50_000, "dropped": 3}
    assert first.softirqs == {"NET_RX": 50_000} and first.interrupts == {"e0-rx-0": 5000}
    assert told.machine.nics == {"e0": {"rx_missed_errors": 3, "rx_queue_0_packets": 50_000}}
    assert told.machine.counters == {"IpInReceives": 50_000, "IpForwDatagrams": 50_000}
    assert told.machine.temperatures_c == {"thermal_zone0": 61.0}
    assert told.machine.frequencies_hz == {"1": 2.2e9}
    assert DutTelemetry.from_json(told.to_json()) == told


def test_counters_that_fell_are_told_of():
    told = linux_load(linux_sample(1000, 1, 0), linux_sample(10, 0, 1), 1.0)
    assert told.error == "the counters of e0 began again at 0 in between" and told.in_packets is None


def test_an_interrupt_that_is_there_twice_keeps_its_number():
    text = "   CPU0\n 1: 5 PCI-MSI edge eth0\n 2: 6 PCI-MSI edge eth0\n"
    assert table_by_cpu(text) == {0: {"eth0": 5, "eth0 2": 6}}


FREEBSD = """\
==> times <==
{intr} 0 10 {intr} 100 0 0 0 0 {idle}
==> interfaces <==
Name    Mtu Network       Address              Ipkts Ierrs Idrop     Ibytes    Opkts Oerrs     Obytes  Coll
ix0    1500 <Link#1>      90:ec:77:11:22:00 {packets}     0 {dropped}  836000000        0     0          0     0
ix0       - 100.65.1.0/24 100.65.1.1               5     -     -        420        5     -        420     -
ix1    1500 <Link#2>      90:ec:77:11:22:01        0     0     0          0 {packets}     0  353000000     0
lo0   16384 <Link#7>      lo0                     12     0     0       1000       12     0       1000     0
==> netisr <==
Configuration:
Setting                        Current        Limit
Workstreams:
WSID CPU   Name     Len WMark   Disp'd  HDisp'd   QDrops   Queued  Handled
   0   0   ip         0   256        0        0 {dropped}   608689   608689
==> interrupts <==
interrupt                          total       rate
irq284: t5nex0:0a0            {packets}        474
==> temperatures <==
dev.cpu.0.temperature: 54.0C
"""


def test_freebsd_tells_packets_queue_drops_and_classes():
    kind = parse_device("freebsd:local").kind
    samples = [
        FREEBSD.format(intr=100, idle=100, packets=1000, dropped=0),
        FREEBSD.format(intr=200, idle=300, packets=9000, dropped=70),
    ]
    told = kind.load(samples, 2.0)
    assert (told.in_packets, told.out_packets) == (8000, 8000)
    assert told.drops == {"ix0 Idrop": 70, "netisr ip QDrops": 70}
    assert told.cpu_percent == {"user": 25.0, "nice": 0.0, "system": 0.0, "irq": 25.0, "idle": 50.0}
    assert told.machine is not None
    assert told.machine.counters == {"irq284: t5nex0:0a0": 8000} and told.machine.temperatures_c == {"cpu0": 54.0}


OPENBSD = """\
==> times <==
1,0,{busy},0,5,{idle}
==> interfaces <==
Name    Mtu   Network     Address              Ipkts Ifail    Opkts Ofail Colls
lo0     32768 <Link>                               0     0        0     0     0
em0     1500  <Link>      00:0d:b9:5a:00:00 {packets}   {lost}       17     0     0
==> queue <==
net.inet.ip.ifq.drops={lost}
net.inet6.ip6.ifq.drops=0
==> interrupts <==
interrupt                       total     rate
irq114/em0                    {packets}      129
==> filter <==
Counters
  congestion                           {lost}            0.0/s
"""


def test_openbsd_tells_where_packets_were_lost():
    kind = parse_device("openbsd:local").kind
    samples = [OPENBSD.format(busy=0, idle=0, packets=10, lost=1), OPENBSD.format(busy=30, idle=10, packets=99, lost=4)]
    told = kind.load(samples, 1.0)
    assert told.in_packets == 89
    assert told.drops == {"em0 Ifail": 3, "inet queue": 3, "pf congestion": 3}
    assert told.cpu_percent["system"] == 75.0 and told.machine is not None
    assert told.machine.counters == {"irq114/em0": 89}


VPP_CLI = """\
==> show runtime <==
Thread 0 vpp_main (lcore 1)
Time 1.0, 10.0 sec internal node vector rate 0.00 loops/sec 1141340.51
  vector rates in 0.0000e0, out 0.0000e0, drop 0.0000e0, punt 0.0000e0
             Name                 State         Calls          Vectors        Suspends      Packet-Clocks   Vectors/Call
---------------
Thread 1 vpp_wk_0 (lcore 2)
Time 1.0, 10.000000 sec internal node vector rate 70.17 loops/sec 3804306.79
  vector rates in 6.1808e6, out 6.1780e6, drop 0.0000e0, punt 0.0000e0
             Name                 State         Calls          Vectors        Suspends      Packet-Clocks   Vectors/Call
dpdk-input                       polling              1000            20000               0          1.00e2           20.00
ip4-lookup                       active                100            20000               0          2.00e1          200.00
==> clear runtime <==
==> show errors <==
   Count                  Node                              Reason               Severity
     {lost}            e1-tx                      no free tx slots            error
==> show interface <==
              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          Count
e0                                1      up          9000/0/0/0     rx packets                {packets}
                                                                    rx-miss                   {lost}
e1                                2      up          9000/0/0/0     tx packets                {packets}
==> show cpu <==
Base frequency:           2.5957 GHz
"""


def test_vpp_sums_what_it_showed_each_time():
    kind = parse_device("vpp:local").kind
    samples = [VPP_CLI.format(packets=packets, lost=packets // 100) for packets in (100, 20_100, 40_100)]
    told = kind.load(samples, 2.0)
    (worker,) = told.workers
    assert {node.name: (node.calls, node.vectors, node.clocks) for node in worker.nodes} == {
        "dpdk-input": (2000, 40_000, 4_000_000),
        "ip4-lookup": (200, 40_000, 800_000),
    }
    assert worker.tsc_hz == 2_595_700_000 and told.cycles_per_packet == 120.0
    assert (told.in_packets, told.out_packets, told.drop_packets) == (40_000, 40_000, 400)
    assert told.drops == {"e1-tx: no free tx slots": 400, "e0 rx-miss": 400}


def test_danos_tells_where_its_dataplane_lost_packets():
    kind = parse_device("danos:local").kind
    text = (
        '==> interfaces <==\n{"interfaces": [{"name": "dp0s3", "statistics": {"rx_packets": %d, "rx_missed": %d}}]}\n'
        '==> cpu <==\n{"lcore": [{"core": 1, "running": true, "rx": [{"interface": "dp0s3", "queue": 0, "rate": 9}]}]}\n'
    )
    told = kind.load([text % (5, 0), text % (1005, 12)], 1.0)
    assert (told.in_packets, told.drops) == (1000, {"dp0s3 rx_missed": 12})
    assert told.machine is not None and told.machine.counters == {"core 1 dp0s3 queue 0 rate": 9}


def test_startup_conf_stays_when_nothing_is_asked_and_braces_are_counted():
    pair = (DutInterface("e0"), DutInterface("e1"))
    text = "unix { nodaemon } # as it was\n"
    assert startup_conf(text, default_setup("l2xc", pair)) == text
    with pytest.raises(EnvironmentFault, match="without its }"):
        startup_conf("cpu { workers 2\n", default_setup("l2xc", pair, DutOptions(workers=1)))
    with pytest.raises(EnvironmentFault, match="a } without its {"):
        startup_conf("}\n", default_setup("l2xc", pair, DutOptions(workers=1)))


def test_a_console_log_answers_and_cannot_be_changed(tmp_path: Path):
    log = tmp_path / "console.txt"
    log.write_text(
        "Welcome\nroot@box:~# uname -srvm\nLinux 6.1.0 #1 x86_64\nroot@box:~# sudo ip route ## all\ndefault\n"
    )
    reach = parse_device(f"linux:console-log:{log}").reach
    assert reach.run("uname -srvm").out == "Linux 6.1.0 #1 x86_64\n"
    assert reach.run("ip route").out == "default\n"
    assert reach.run("reboot").code == 127
    log.write_text("vpp# show ver\nvpp v23.06-rc0\nvpp# show int rx\n node dpdk-input:\n    e0 queue 0 (polling)\n")
    assert describe(parse_device(f"vpp:console-log:{log}")).splitlines()[2:] == [
        "version      vpp v23.06-rc0",
        "rx_placement e0 queue 0 (polling)",
    ]
    log.write_text("nothing\n")
    with pytest.raises(FileFault, match="has no line with a prompt"):
        parse_device(f"linux:console-log:{log}")


@pytest.mark.parametrize(
    "text", ["linux", "linux:", "linux:ssh://", "linux:ssh://h:99999", "linux:local,socket=/x", "vpp:"]
)
def test_what_names_no_device_is_refused(text: str):
    with pytest.raises(UsageError):
        parse_device(text)
