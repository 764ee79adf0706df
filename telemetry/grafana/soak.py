"""A load held for hours: what was lost and how often, what drifts, and what the machines did meanwhile."""

from __future__ import annotations

from telemetry.grafana import bench, load_test, router
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
            "Of all that was offered so far.",
            "sci",
            Query(f"{so_far('lost')} / ({so_far('offered')} > 0)", "{{test}}"),
            width=6,
        ),
        number(
            "Samples",
            "Seconds that were watched.",
            "short",
            Query(f"{TEST}_samples_total{{{OF_TEST}}}", "{{test}}"),
            width=6,
        ),
    ),
)
LOSSES = Row(
    "Losses and lateness",
    (
        lines(
            "Lost a second",
            "Losses that come back after the same time have a cause with that period.",
            "pps",
            Query(load_test.packets("lost"), "{{test}} {{direction}}"),
        ),
        lines(
            "Latency",
            "Of the latency streams, of the latest second: mean and worst.",
            "s",
            Query(f"{TEST}_latency_average_seconds{{{OF_TEST}}}", "{{test}} {{direction}} mean"),
            Query(f"{TEST}_latency_max_seconds{{{OF_TEST}}}", "{{test}} {{direction}} worst"),
            log=True,
        ),
        load_test.TRAFFIC.panels[0],
    ),
)
DRIFT = Row(
    "What drifts",
    (
        router.COST.panels[1],
        router.WORKERS.panels[1],
        router.TABLES.panels[0],
        router.TABLES.panels[3],
        bench.HARDWARE.panels[1],
        bench.HARDWARE.panels[2],
    ),
)

BOARD = Board(
    "soak",
    "wirespeed: soak",
    "A load held for hours: what was lost and when, what drifts, and what the machines did meanwhile.",
    (Variable("test", "Test", f"{TEST}_info", "test"), *router.OF_NODES),
    (HEAD, LOSSES, DRIFT),
    TESTS,
)
