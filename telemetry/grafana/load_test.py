"""A running test: offered and received load, loss and latency; and the cost of a packet on the DUT at the same time."""

from __future__ import annotations

from telemetry.grafana import router
from telemetry.grafana.board import Board, Row, Variable
from telemetry.grafana.panels import Query, heat_map, lines, number
from telemetry.grafana.promql import rate, total
from telemetry.grafana.tests_on_axis import TESTS

TEST = "wirespeed_loadtest"
OF_TEST = 'test=~"$test"'
DIRECTION = "test, direction"


def packets(counter: str) -> str:
    return total(DIRECTION, rate(f"{TEST}_{counter}_packets_total", OF_TEST))


LOSS_RATIO = f"{packets('lost')} / ({packets('offered')} > 0)"

HEAD = Row(
    "Now",
    (
        number("Offered", "Load offered to the DUT, all directions.", "pps", Query(f"sum({packets('offered')})", "")),
        number("Received", "Load received from the DUT.", "pps", Query(f"sum({packets('received')})", "")),
        number(
            "Loss",
            "Share of the offered packets.",
            "percentunit",
            Query(f"sum({packets('lost')}) / (sum({packets('offered')}) > 0)", ""),
        ),
        number(
            "Tester's shortfall",
            "Intended packets that the tester did not send. It says nothing about the DUT.",
            "pps",
            Query(f"sum({packets('unsent')})", ""),
        ),
        number(
            "Line",
            "Offered load as a share of the line rate.",
            "percentunit",
            Query(f"max({TEST}_line_ratio{{{OF_TEST}}})", ""),
        ),
        number("Samples", "Samples of the test so far.", "short", Query(f"max({TEST}_samples_total{{{OF_TEST}}})", "")),
    ),
)
TRAFFIC = Row(
    "Traffic",
    (
        lines(
            "Offered and received",
            "Where received is below offered, the DUT loses packets. Where offered is below intended, the "
            "tester is the limit.",
            "pps",
            Query(packets("intended"), "{{test}} {{direction}} intended"),
            Query(packets("offered"), "{{test}} {{direction}} offered"),
            Query(packets("received"), "{{test}} {{direction}} received"),
        ),
        lines(
            "Loss",
            "Share of the offered packets that were not received, by direction.",
            "percentunit",
            Query(LOSS_RATIO, "{{test}} {{direction}}"),
        ),
        heat_map(
            "Latency",
            "Distribution of the latency over time. Empty without latency streams.",
            "s",
            Query(total("le", rate(f"{TEST}_latency_seconds_bucket", OF_TEST)), "{{le}}"),
        ),
        lines(
            "Latency, median and 99th percentile",
            "Percentiles of the latency, from the buckets of its histogram.",
            "s",
            Query(
                f"histogram_quantile(0.5, {total('le, direction', rate(f'{TEST}_latency_seconds_bucket', OF_TEST))})",
                "{{direction}} median",
            ),
            Query(
                f"histogram_quantile(0.99, {total('le, direction', rate(f'{TEST}_latency_seconds_bucket', OF_TEST))})",
                "{{direction}} 99 %",
            ),
        ),
    ),
)
COST = Row("Cost of a packet on the DUT at the same time", (*router.COST.panels[1:3], *router.WORKERS.panels[:2]))

BOARD = Board(
    "load-test",
    "wirespeed: load test",
    "Offered and received load, loss, latency, and the cost of a packet on the DUT at the same time.",
    (Variable("test", "Test", f"{TEST}_info", "test"), *router.OF_NODES),
    (HEAD, TRAFFIC, COST),
    TESTS,
)
