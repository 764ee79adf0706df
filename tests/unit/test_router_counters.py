"""A router's counters by the names of its statistics segment; names of nodes and reasons may have slashes."""

from __future__ import annotations

from pathlib import Path

from segment_bytes import Row, Segment, alive

from wirespeed.results.dut import NodeCost
from wirespeed.router.counters import RouterCounters, capture_counters, router_counters
from wirespeed.statseg.layout import Type
from wirespeed.statseg.segment import StatsSegment

NODE = "GigabitEthernet3/0/0-tx"
REASONS = ("ip4-input/ip4 source in 0.0.0.0/8", f"{NODE}/Tx packet drops (dpdk tx failure)")
TOTALS = ("loops", "rx", "tx", "drops")
LOSSES = ("rx-miss", "rx-error", "rx-no-buf", "tx-error")


def rows(links: tuple[str, ...] = TOTALS) -> list[Row]:
    """The n-th number has the value 10 n of the first worker, and one more of the second; the main thread has none."""
    return [
        ("/sys/workers", Type.SIMPLE, [[0] * 9, *([10 * n + worker for n in range(9)] for worker in range(2))]),
        *((f"/sys/{name}", Type.SYMLINK, (0, index)) for index, name in enumerate(links)),
        ("/if/names", Type.NAMES, ["", "GigabitEthernet3/0/0"]),
        *((f"/if/{loss}", Type.SIMPLE, [[0, 110 + n], [0, 5], [0, 0]]) for n, loss in enumerate(LOSSES)),
        *alive(),
    ]


def of_nodes() -> list[Row]:
    names: list[Row] = [("/sys/node/names", Type.NAMES, ["", NODE])]
    numbers = ("calls", "vectors", "clocks", "suspends")
    return names + [
        (f"/sys/node/{name}", Type.SIMPLE, [[0, 0], [0, 50 + n], [0, 60 + n]]) for n, name in enumerate(numbers)
    ]


def reasons(at: int) -> list[Row]:
    return [
        ("/node/errors", Type.SIMPLE, [[0, 0], [90, 100], [91, 101]]),
        *((f"/err/{reason}", Type.SYMLINK, (at, index)) for index, reason in enumerate(REASONS)),
    ]


def read(tmp_path: Path, entries: list[Row]) -> RouterCounters:
    (tmp_path / "router.stats").write_bytes(bytes(Segment(entries)))
    with StatsSegment(tmp_path / "router.stats") as stats:
        return router_counters(capture_counters(stats))


def test_names_become_values(tmp_path: Path) -> None:
    first_rows = rows() + of_nodes()
    found = read(tmp_path, first_rows + reasons(len(first_rows)))
    first, second = found.workers
    assert (first.loops, first.rx_packets, first.tx_packets, first.drops) == (0, 10, 20, 30)
    assert (second.loops, second.rx_packets, second.tx_packets, second.drops) == (1, 11, 21, 31)
    assert first.nodes == {NODE: NodeCost(NODE, calls=50, vectors=51, clocks=52, suspends=53)}
    assert found.reasons == {REASONS[0]: 90 + 91, REASONS[1]: 100 + 101}
    # What workers could not send is none of the driver's.
    assert found.ports == {f"GigabitEthernet3/0/0 {loss}": 110 + n for n, loss in enumerate(LOSSES)}
    assert first.absent_ticks is first.longest_absent_ticks is None


def test_absence_where_the_router_tells_and_no_nodes_where_it_does_not(tmp_path: Path) -> None:
    found = read(tmp_path, rows((*TOTALS, "absent-clocks", "longest-absence-clocks")))
    assert [(one.absent_ticks, one.longest_absent_ticks) for one in found.workers] == [(40, 50), (41, 51)]
    assert found.workers[0].nodes == {}
    assert found.reasons == {}
