"""Cost of the router's nodes at some loads, and the panels of it and of latency."""

import csv
import io
from dataclasses import replace

import pytest
from report_charts import opened, over_load
from simulated_bench import FORWARD, LINE_BPS, Bench, ramp, run, steps

from wirespeed.measurement.loadtest.nodes import dearest, node_rows
from wirespeed.measurement.loadtest.panels import more_panels
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.report.comparison import compare
from wirespeed.report.nodes import all_rows, nodes_to_markdown
from wirespeed.report.page import to_html
from wirespeed.report.views import page_of
from wirespeed.results.codec import from_json
from wirespeed.results.dut import OUTSIDE, DutTelemetry, NodeCost, NodeRow, WorkerCost
from wirespeed.results.figures import MEGA
from wirespeed.results.lab import LabFacts, LatencyBaseline
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import Latency
from wirespeed.tables import rows_csv

CLOCKS = 2_600_000


def worker(name, packets):
    """Per packet, lookup costs 40 ticks and rewrite 10; polling takes 5 and all the remaining time but a tenth."""
    nodes = (
        NodeCost("memif-input", 1000, packets, CLOCKS * 9 // 10 - 50 * packets, 0),
        NodeCost("ip4-lookup", 100, packets, 40 * packets, 0),
        NodeCost("ip4-rewrite", 100, packets, 10 * packets, 3),
    )
    return WorkerCost(name, 1, 1.0, CLOCKS, 1000, CLOCKS, nodes)


def told(loads):
    samples = []
    for sample in run(Bench(), loads):
        packets = round(sample.ports[0].tx_pps / 1000)
        telemetry = DutTelemetry(1.0, (worker("wk_0", packets), worker("wk_1", 2 * packets)))
        latency = Latency(100, 5.0, 10.0 + packets / 1000, 90.0, 1.0, {"50": 9.0, "99": 40.0})
        samples.append(replace(sample, dut=telemetry.to_json(), latency={FORWARD: latency}))
    settings = LoadTestSettings(profile_file="bench", unidirectional=True, rampup_duration=10, hold_duration=2)
    ports = {port: PortFacts(port, speed_bps=LINE_BPS) for port in (0, 1)}
    lab = LabFacts(latency_baseline={"0→1": LatencyBaseline(3.0, 4.5, 7.0)})
    return Result("t", settings, tuple(samples), ports=ports, lab=lab)


def test_three_loads_of_a_ramp():
    rows = node_rows(told(ramp(10e6, 100, 5)).analysis)
    loads = list(dict.fromkeys(row.offered_pps for row in rows))
    assert loads == [pytest.approx(pps, rel=0.011) for pps in (1e6, 5e6, 10e6)]


def test_each_step_has_its_rows_once():
    rows = node_rows(told(steps([1e6, 4e6, 2e6], 3)).analysis)
    assert list(dict.fromkeys(row.offered_pps for row in rows)) == [1e6, 4e6, 2e6]
    lookup = [row for row in rows if (row.node, row.worker, row.offered_pps) == ("ip4-lookup", "wk_0", 4e6)]
    assert [(row.calls, row.vectors, row.clocks) for row in lookup] == [(300, 12_000, 480_000)]
    assert (lookup[0].clocks_per_packet, lookup[0].vectors_per_call) == (40, 40)


def test_a_worker_sums_to_all_of_its_ticks():
    rows = node_rows(told(ramp(10e6, 20, 5)).analysis)
    for load in {row.offered_pps for row in rows}:
        for name in ("wk_0", "wk_1"):
            own = [row for row in rows if (row.worker, row.offered_pps) == (name, load)]
            assert sum(row.share_percent for row in own) == pytest.approx(100, abs=0.01)
            assert (own[-1].node, own[-1].share_percent) == (OUTSIDE, pytest.approx(10, abs=0.01))


def test_the_dearest_nodes_over_the_load():
    lookup, rewrite = dearest(told(ramp(10e6, 10, 2)).analysis)
    assert [lookup.node, rewrite.node] == ["ip4-lookup", "ip4-rewrite"]
    assert [value for *_, value in lookup.dots] == [40] * 12
    assert [held for held, *_ in lookup.dots] == [False] * 10 + [True] * 2
    assert len(dearest(told(ramp(10e6, 10, 2)).analysis, most=1)) == 1


def test_tables():
    comparison = compare([told(steps([1e6, 2e6], 1))])
    text = nodes_to_markdown(comparison, MEGA)
    assert text.startswith("t at 1.00 Mpps offered\n\n| Worker | Node ")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["wk_0", "outside nodes", "–", "–", "–", "–", "–", "10.00"] in rows
    lines = list(csv.DictReader(io.StringIO(rows_csv(NodeRow, all_rows(comparison)))))
    assert len(lines) == 2 * 2 * 4
    assert all_rows(comparison)[1].node == "ip4-lookup"


def test_the_page_has_them_folded():
    comparison = compare([told(steps([1e6, 2e6], 1))])
    written = opened(to_html(page_of(comparison, title="T", scaler=MEGA, channels=frozenset({"0→1"}), date="today")))
    for title in ("t at 1.00 Mpps offered", "t at 2.00 Mpps offered"):
        assert f"<summary>{title}</summary>" in written
    assert "<td>ip4-lookup</td>" in written
    assert "<td>10.00</td>" in written


def test_a_router_that_tells_nothing_has_no_table():
    test = told(ramp(1e6, 5, 2))
    silent = replace(test, samples=tuple(replace(one, dut={}) for one in test.samples))
    broken = replace(test, samples=tuple(replace(one, dut={"workers": 5}) for one in test.samples))
    for result in (silent, broken):
        assert node_rows(result.analysis) == []
    assert nodes_to_markdown(compare([silent]), MEGA) == "No result has node costs.\n"


def test_latency_and_nodes_are_panels_over_the_load():
    test = told(ramp(10e6, 10, 2))
    latency, nodes = more_panels([test.analysis])
    assert [(line.label, line.dash) for line in latency.lines] == [
        ("0→1 average", "solid"),
        ("0→1 99 %", "dash"),
        ("0→1 maximum", "dot"),
    ]
    assert latency.lines[0].dots[9] == (False, 10e6, 20.0)
    assert [(floor.name, floor.value) for floor in latency.floors] == [("t 0→1 without the DUT", 4.5)]
    assert [line.label for line in nodes.lines] == ["ip4-lookup", "ip4-rewrite"]
    drawn = over_load(compare([test]), 0, frozenset({"0→1"})).panels[-2:]
    assert [panel.title for panel in drawn] == [latency.title, nodes.title]
    names = dict.fromkeys(curve.name for curve in drawn[0].curves)
    assert list(names) == ["unnamed (t) 0→1 average", "unnamed (t) 0→1 99 %", "unnamed (t) 0→1 maximum"]
    assert [rule.name for rule in drawn[0].rules] == ["t 0→1 without the DUT"]


@pytest.mark.parametrize("floor", [None, 5, {"0→1": 5}, {"0→1": {"median_us": "x"}}, {"0→1": {"median_us": -1}}])
def test_a_floor_that_is_none_is_left_out(floor):
    test = told(ramp(10e6, 10, 2))
    other = replace(test, lab=from_json(LabFacts, {"latency_baseline": floor}))
    assert more_panels([other.analysis])[0].floors == ()
