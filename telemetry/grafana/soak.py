"""A load held for hours: losses and their times, drift, and the state of the hosts at the same time."""

from __future__ import annotations

from telemetry.grafana import load_test, router, testbed
from telemetry.grafana.board import Board, Row, Variable
from telemetry.grafana.panels import Query, lines, number
from telemetry.grafana.promql import total
from telemetry.grafana.tests_on_axis import TESTS

TEST, OF_TEST = load_test.TEST, load_test.OF_TEST


def so_far(counter: str) -> str:
    return total("test", f"{TEST}_{counter}_packets_total{{{OF_TEST}}}")


HEAD = Row(
    "So far",
    (
        number("Offered", "Packets since the soak began.", "short", Query(so_far("offered"), "{{test}}"), width=6),
        number("Lost", "Packets since the soak began.", "short", Query(so_far("lost"), "{{test}}"), width=6),
        number(
            "Loss ratio",
            "Share of the offered packets so far.",
            "sci",
            Query(f"{so_far('lost')} / ({so_far('offered')} > 0)", "{{test}}"),
            width=6,
        ),
        number(
            "Samples",
            "Seconds measured so far.",
            "short",
            Query(f"{TEST}_samples_total{{{OF_TEST}}}", "{{test}}"),
            width=6,
        ),
    ),
)
LOSSES = Row(
    "Loss and latency",
    (
        lines(
            "Lost per second",
            "Losses at regular intervals have a periodic cause.",
            "pps",
            Query(load_test.packets("lost"), "{{test}} {{direction}}"),
        ),
        lines(
            "Latency",
            "Mean and maximum of the latency streams, of the last second.",
            "s",
            Query(f"{TEST}_latency_average_seconds{{{OF_TEST}}}", "{{test}} {{direction}} mean"),
            Query(f"{TEST}_latency_max_seconds{{{OF_TEST}}}", "{{test}} {{direction}} worst"),
            log=True,
        ),
        load_test.TRAFFIC.panels[0],
    ),
)
DRIFT = Row(
    "Drift",
    (
        router.COST.panels[1],
        router.WORKERS.panels[1],
        router.TABLES.panels[0],
        router.TABLES.panels[3],
        testbed.HARDWARE.panels[1],
        testbed.HARDWARE.panels[2],
    ),
)

BOARD = Board(
    "soak",
    "wirespeed: soak",
    "A load held for hours: losses and their times, and the drift of cost, latency and hardware.",
    (Variable("test", "Test", f"{TEST}_info", "test"), *router.OF_NODES),
    (HEAD, LOSSES, DRIFT),
    TESTS,
)
