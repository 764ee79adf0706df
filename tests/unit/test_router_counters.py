"""A router's counters by the names of its statistics block; names of nodes and reasons may have slashes."""

from __future__ import annotations

from struct import pack

from wirespeed.results.dut import NodeCost
from wirespeed.router.counters import router_counters
from wirespeed.router.stats_block import Capture, Entry

WORKERS = 2
SYS = ("loops", "rx", "tx", "drops", "punts")
NODE = "GigabitEthernet3/0/0-tx"


def capture(names: tuple[str, ...], of_main: tuple[str, ...] = ()) -> Capture:
    """The n-th name has the value 10 n of the first worker, and one more of the second."""
    entries, words = [], b""
    for index, name in enumerate((*names, *of_main)):
        count = 1 if name in of_main else WORKERS
        offsets = tuple(1000 + len(words) + 8 * worker for worker in range(count))
        entries.append(Entry(name, "counter", 1, name not in of_main, offsets))
        words += b"".join(pack("<Q", 10 * index + worker) for worker in range(count))
    return Capture(1.0, 17, 10**9, tuple(entries), ((0, b"x"), (1000, words)))


TOTALS = tuple(f"/sys/{name}" for name in SYS)
OF_NODE = tuple(f"/nodes/{NODE}/{name}" for name in ("calls", "vectors", "suspends", "clocks"))
REASONS = ("/err/ip4-input/ip4 source in 0.0.0.0/8", f"/err/{NODE}/Tx packet drops (dpdk tx failure)")
PORTS = ("/interfaces/GigabitEthernet3/0/0/rx-miss",)
ABSENCE = ("/sys/absent-clocks", "/sys/longest-absence-clocks")


def test_names_become_values() -> None:
    found = router_counters(capture((*TOTALS, *OF_NODE, *REASONS), PORTS))
    first, second = found.workers
    assert (first.loops, first.rx_packets, first.tx_packets, first.drops) == (0, 10, 20, 30)
    assert (second.loops, second.rx_packets, second.tx_packets, second.drops) == (1, 11, 21, 31)
    assert first.nodes == {NODE: NodeCost(NODE, calls=50, vectors=60, clocks=80, suspends=70)}
    assert found.reasons == {
        "ip4-input/ip4 source in 0.0.0.0/8": 90 + 91,
        f"{NODE}/Tx packet drops (dpdk tx failure)": 100 + 101,
    }
    assert found.ports == {"GigabitEthernet3/0/0 rx-miss": 110}
    assert first.absent_ticks is first.longest_absent_ticks is None


def test_absence_where_the_router_tells_and_no_nodes_where_it_does_not() -> None:
    found = router_counters(capture((*TOTALS, *ABSENCE)))
    assert [(one.absent_ticks, one.longest_absent_ticks) for one in found.workers] == [(50, 60), (51, 61)]
    assert found.workers[0].nodes == {}
    assert (found.reasons, found.ports) == ({}, {})
