"""A test as it runs: what is offered, what comes back, what is lost, how late it is; and below, at the same instants,
what that costs the device under test.
"""

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
        number(
            "Offered", "What is sent to the device, of all directions.", "pps", Query(f"sum({packets('offered')})", "")
        ),
        number("Received", "What came back.", "pps", Query(f"sum({packets('received')})", "")),
        number(
            "Loss",
            "Of what was offered.",
            "percentunit",
            Query(f"sum({packets('lost')}) / (sum({packets('offered')}) > 0)", ""),
        ),
        number(
            "Tester's shortfall",
            "Asked for and never sent, because the tester could not: no word on the device.",
            "pps",
            Query(f"sum({packets('unsent')})", ""),
        ),
        number(
            "Line",
            "Share of line rate that is offered.",
            "percentunit",
            Query(f"max({TEST}_line_ratio{{{OF_TEST}}})", ""),
        ),
        number("Samples", "Of the test so far.", "short", Query(f"max({TEST}_samples_total{{{OF_TEST}}})", "")),
    ),
)
TRAFFIC = Row(
    "Traffic",
    (
        lines(
            "Offered and received",
            "Where the curves part, the device loses; where offered stays below asked, the tester is the limit.",
            "pps",
            Query(packets("asked"), "{{test}} {{direction}} asked"),
            Query(packets("offered"), "{{test}} {{direction}} offered"),
            Query(packets("received"), "{{test}} {{direction}} received"),
        ),
        lines(
            "Loss",
            "Share of what was offered that did not come back.",
            "percentunit",
            Query(LOSS_RATIO, "{{test}} {{direction}}"),
        ),
        heat_map(
            "Latency",
            "How many packets of the latency streams took how long, over time.",
            "s",
            Query(total("le", rate(f"{TEST}_latency_seconds_bucket", OF_TEST)), "{{le}}"),
        ),
        lines(
            "Latency, median and 99th percentile",
            "By the buckets of the same histogram.",
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
COST = Row("What it costs the device, at the same instants", (*router.COST.panels[1:3], *router.WORKERS.panels[:2]))

BOARD = Board(
    "load-test",
    "wirespeed: load test",
    "Offered, received, lost and late, beside what it costs the device under test at the same instants.",
    (Variable("test", "Test", f"{TEST}_info", "test"), *router.OF_NODES),
    (HEAD, TRAFFIC, COST),
    TESTS,
)
