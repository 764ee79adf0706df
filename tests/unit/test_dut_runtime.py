# ruff: noqa: E501 - rows as the programs print them
"""Golden cases: `show runtime` as published reviews and a VPP of today print it."""

import pytest

from wirespeed.dut.runtime import node_costs, parse_runtime
from wirespeed.results.dut import forwarding_cost

R86S = """\
Thread 2 vpp_wk_1 (lcore 2)
Time 10.9, 10 sec internal node vector rate 40.39 loops/sec 68325.87
  vector rates in 3.2814e6, out 3.2814e6, drop 0.0000e0, punt 0.0000e0
             Name       State       Calls     Vectors    Suspends    Clocks    Vectors/Call
dpdk-input              polling     61933     2846586           0    1.28e2           45.96
ethernet-input          active      61733     2846586           0    1.71e2           46.11
ip4-input-no-checksum   active      61733     2846586           0    6.54e1           46.11
ip4-load-balance        active      61733     2846586           0    4.70e1           46.11
ip4-lookup              active      61733     2846586           0    7.50e1           46.11
ip4-rewrite             active      61733     2846586           0    7.23e1           46.11
e1-output               active      61733     2846586           0    2.53e1           46.11
e1-tx                   active      61733     2846586           0    1.38e2           46.11
"""

FITLET2 = """\
Thread 1 vpp_wk_0 (lcore 1)
Time 23.8, 10 sec internal node vector rate 4.30 loops/sec 1638976.68
  vector rates in 1.2908e6, out 1.2908e6, drop 0.0000e0, punt 0.0000e0
             Name              State      Calls    Vectors  Suspends   Clocks  Vectors/Call
GigabitEthernet3/0/0-output   active    6323688   27119700         0   9.14e1          4.29
GigabitEthernet3/0/0-tx       active    6323688   27119700         0   1.79e2          4.29
dpdk-input                   polling   44406936   27119701         0   5.35e2           .61
ethernet-input                active    6323689   27119701         0   1.42e2          4.29
l2-input                      active    6323689   27119701         0   9.94e1          4.29
l2-output                     active    6323689   27119701         0   9.77e1          4.29
"""

VPP_TODAY = """\
Thread 0 vpp_main (lcore 1)
Time 3.0, 10.000000 sec internal node vector rate 0.00 loops/sec 1141340.51
  vector rates in 0.0000e0, out 0.0000e0, drop 0.0000e0, punt 0.0000e0
             Name                 State         Calls          Vectors        Suspends      Packet-Clocks   Vectors/Call
unix-cli-process-0              "running"                6               0              16          6.14e5            0.00
---------------
Thread 1 vpp_wk_0 (lcore 0)
Time 3.0, 10.000000 sec internal node vector rate 70.17 loops/sec 3804306.79
  vector rates in 6.1808e6, out 6.1780e6, drop 0.0000e0, punt 0.0000e0
             Name                 State         Calls          Vectors        Suspends      Packet-Clocks   Vectors/Call
ethernet-input                   active             267066        18742272               0          1.56e1           70.18
memif-input                      polling           6818094        18742272               0          1.09e2            2.75
memif1/1-tx                      active             267066        18734016               0          1.56e2           70.15
"""


def test_the_r86s_article_finds_594_clocks_beside_the_input():
    cost = forwarding_cost(node_costs(parse_runtime(R86S)))
    assert cost.cycles_per_packet_without_input == pytest.approx(594, abs=0.5)
    assert cost.cycles_per_packet == pytest.approx(594 + 128, abs=0.5)
    assert cost.vectors_per_call == pytest.approx(46.11, abs=0.01)
    assert cost.idle_polls == pytest.approx(200 / 61933)


def test_long_names_and_numbers_without_a_leading_zero():
    (thread,) = parse_runtime(FITLET2)
    assert thread.node("dpdk-input").vectors_per_call == 0.61
    assert thread.node("GigabitEthernet3/0/0-tx").clocks == 179
    assert thread.loops_per_s == 1638976.68
    assert len(thread.nodes) == 6


def test_several_threads():
    main, worker = parse_runtime(VPP_TODAY)
    assert main.node("unix-cli-process-0").state == "running"
    assert worker.node("memif-input").state == "polling"
    cost = forwarding_cost(node_costs((main, worker)))
    assert cost.vectors_per_call == pytest.approx(70.18, abs=0.01)
    assert worker.out_pps == 6.178e6


def test_nothing_forwarded_costs_nothing():
    assert forwarding_cost(node_costs(parse_runtime(""))) is None
    main = parse_runtime(VPP_TODAY.split("---------------", maxsplit=1)[0])
    assert forwarding_cost(node_costs(main)) is None
