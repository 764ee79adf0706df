"""Grafana's boards and the rules, with a real Prometheus that scrapes a lab under load: each query of each panel is
run, and its result is compared with the router's own output.
"""

from __future__ import annotations

import math
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import telemetry
from telemetry.grafana.promql import CLASSES
from telemetry.rehearsal.draw import Times, name_of
from telemetry.rehearsal.queries import BoardFile, PanelFile, boards, filled
from telemetry.rehearsal.stage import LOAD_TEST, SCRAPED_EACH_S, SOAK, WINDOW_S, Stage, stage
from wirespeed.exporter.families import FAMILIES

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")
pytestmark = pytest.mark.long(
    "half a minute under Prometheus; tests/unit/test_board_metrics.py has the names that the boards ask for, "
    "test_exporter.py a lab that is scraped under load"
)
if shutil.which("prometheus") is None:
    pytest.skip("Debian's prometheus is missing", allow_module_level=True)

RULES = sorted((Path(telemetry.__file__).parent / "prometheus" / "rules").glob("*.yml"))
OF_HARDWARE = ("Temperature", "Power", "Optic modules", "Clock frequency", "NIC counters")
"""Panels for data that a virtual machine may not have: their queries are run, and may return nothing."""
OF_NICS = ("testbed", "interface")
"""So is this board's variable."""

BOARDS = {board.name: board for board in boards()}


@dataclass(frozen=True)
class Seen:
    """The setup after all has run; `runtime` is the output of `show runtime` after the load test. `idle_s` and
    `loaded_s` are times of scrapes: the last one before the load, and the first one that contains all of it.
    """

    stage: Stage
    runtime: str
    idle_s: float
    loaded_s: float
    times: Times


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    with stage(RULES) as made:
        made.ask_router("clear runtime")
        cleared_s = time.time()
        made.wait_for(lambda: asked_at(made)[-1][1] > cleared_s, "a scrape that has asked all targets before the load")
        (idle,) = made.server.query("max(timestamp(wirespeed_up))")
        made.load_test(warmup_s=1, ramp_s=2, hold_s=3, load="20kpps")
        runtime, loaded_s = made.ask_router("show runtime"), time.time()
        made.wait_for(lambda: asked_at(made)[-1][1] > loaded_s, "a scrape that has asked all targets after the load")
        made.soak(8, load="10kpps")  # an alert of 3 s, scrapes and rules of 1 s each
        end_s = time.time()
        times = Times(made.began_s, end_s, SCRAPED_EACH_S, WINDOW_S)
        yield Seen(made, runtime, idle.last, newest_after(made, loaded_s), times)


ASKED = "min(timestamp(wirespeed_target_age_seconds) - wirespeed_target_age_seconds)"
"""The time of the oldest target answer in a scrape."""


def asked_at(made: Stage) -> tuple[tuple[float, float], ...]:
    (found,) = made.server.query(ASKED)
    return found.points


def newest_after(made: Stage, after_s: float) -> float:
    """A time at which the newest scrape has read all targets after `after_s`."""
    (found,) = made.server.query_range(ASKED, after_s, time.time(), 0.1)
    return next(at_s for at_s, asked_s in found.points if asked_s > after_s)


def panel_of(board: str, title: str) -> PanelFile:
    return next(panel for panel in BOARDS[board].panels if panel.title == title)


def each_panel() -> list[tuple[str, str]]:
    return [(board.name, panel.title) for board in BOARDS.values() for panel in board.panels]


def test_what_is_scraped_is_what_the_exporter_declares(seen: Seen) -> None:
    server = seen.stage.server
    types = {name: told[0]["type"] for name, told in server.ask("metadata").items() if name.startswith("wirespeed_")}
    assert len(types) > 30
    # OpenMetrics names counters without their ending.
    assert types == {name: (FAMILIES.get(name) or FAMILIES[f"{name}_total"]).kind for name in types}
    for series in server.query('{__name__=~"wirespeed_.+"}'):
        name = re.sub("_(bucket|count|sum)$", "", series.labels["__name__"])
        family = FAMILIES.get(name) or FAMILIES[series.labels["__name__"]]
        assert set(series.labels) - {"__name__", "job", "instance", "le"} == set(family.labels), family.name


@pytest.mark.parametrize("board, title", each_panel())
def test_each_query_of_each_panel_finds_plausible_data(seen: Seen, board: str, title: str) -> None:
    panel = panel_of(board, title)
    for target in panel.targets:
        found = seen.times.ask(seen.stage.server, target.expr)
        if title in OF_HARDWARE and not found:
            continue
        values = [value for series in found for value in series.values if math.isfinite(value)]
        assert values, target.expr
        assert min(values) >= 0 or "outside nodes" in target.legend, target.expr
        if panel.most is not None:
            assert max(values) <= panel.most * 1.02, target.expr
        for series in found:
            assert set(target.legend_labels) <= set(series.labels), target.legend
    if panel.kind != "heatmap" and "topk" not in panel.targets[0].expr:
        names = [
            name_of(target, each) for target in panel.targets for each in seen.times.ask(seen.stage.server, target.expr)
        ]
        assert len(names) == len(set(names)), "two curves of one name"


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_variables_have_values_and_choose_by_them(seen: Seen, board: BoardFile) -> None:
    server = seen.stage.server
    for name, (of, label) in board.variables.items():
        values = server.label_values(filled(of, WINDOW_S), label)
        assert values or (board.name, name) == OF_NICS, name
        asking = [
            target.expr for panel in board.panels for target in panel.targets if re.search(rf"\${name}\b", target.expr)
        ]
        assert asking, f"no panel of {board.name} asks for ${name}"
        for expr in asking:
            nowhere = filled(expr, WINDOW_S, {name: "none such"})
            assert not server.query_range(nowhere, seen.times.start_s, seen.times.end_s, 1.0), expr


@pytest.mark.parametrize("name, pattern", CLASSES)
def test_a_class_of_node_chooses_its_nodes_alone(seen: Seen, name: str, pattern: str) -> None:
    (target,) = panel_of("router", "Vectors by node").targets
    expr = filled(target.expr, WINDOW_S, {"class": pattern})
    found = seen.stage.server.query_range(expr, seen.times.start_s, seen.times.end_s, 1.0)
    nodes = {series.labels["node"] for series in found}
    assert all(re.fullmatch(pattern, node) for node in nodes)
    assert nodes or name == "epoll or idle", "nothing passes those that poll in vain"


def test_clocks_a_packet_are_those_of_show_runtime(seen: Seen) -> None:
    """Over a window with the whole load, for the nodes that had packets. Polling nodes are not compared: their clocks
    include idle passes, which continue between the command and the scrape.
    """
    window_s = seen.loaded_s - seen.idle_s + SCRAPED_EACH_S / 2
    (target,) = panel_of("router", "Cycles per packet by node").targets
    found = seen.stage.server.query(filled(target.expr, window_s), seen.loaded_s)
    told = {series.labels["node"]: series.last for series in found}
    rows = re.findall(r"(?m)^(\S+)\s+active\s+\d+\s+(\d+)\s+\d+\s+(\S+)\s+\S+\s*$", seen.runtime)
    shown = {node: float(clocks) for node, vectors, clocks in rows if int(vectors) > 1000}
    assert {"ip4-input", "ip4-lookup", "ip4-rewrite", "e0-tx", "e1-tx"} <= set(shown)
    for node, clocks in shown.items():
        assert told[node] == pytest.approx(clocks, rel=0.05), node


def test_classes_of_a_worker_sum_to_all_of_its_time(seen: Seen) -> None:
    """Over the whole load: a worker counts its nodes before its loop, so nodes may be ahead by up to one iteration in a
    scrape, which is a time slice on a busy host.
    """
    panel = panel_of("router", "CPU share of a worker by class of node")
    window_s = seen.loaded_s - seen.stage.began_s + 1
    shares = {}
    for target in panel.targets:
        for series in seen.stage.server.query(filled(target.expr, window_s), seen.loaded_s):
            shares[series.labels.get("class", target.legend.rpartition("}} ")[2])] = series.last
    assert set(shares) >= {"input", "output", "dpdk", "epoll or idle", "rest", "outside nodes"}
    assert min(shares.values()) >= -0.02, "more in nodes than time that went by"
    assert sum(shares.values()) == pytest.approx(1.0, abs=0.01)


def test_what_forwards_is_found_in_its_class(seen: Seen) -> None:
    """The class of input nodes, computed from each node's own clocks."""
    (target, *_) = panel_of("router", "CPU share of a worker by class of node").targets
    server, at_s, window_s = seen.stage.server, seen.loaded_s, seen.loaded_s - seen.stage.began_s + 1
    found = {each.labels["class"]: each.last for each in server.query(filled(target.expr, window_s), at_s)}
    nodes = "ethernet-input|ip4-input|ip4-lookup|ip4-rewrite"
    (by_hand,) = server.query(
        f'sum(rate(wirespeed_router_node_clocks_total{{node=~"{nodes}"}}[{round(window_s)}s]))'
        f" / sum(rate(wirespeed_router_worker_clocks_total[{round(window_s)}s]))",
        at_s,
    )
    assert found["input"] == pytest.approx(by_hand.last, rel=0.05)


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_tests_and_their_phases_are_bands_on_each_board(seen: Seen, board: BoardFile) -> None:
    asked = {each["name"]: each for each in board.annotations}
    tests = seen.times.ask(seen.stage.server, asked["Tests"]["expr"])
    assert {(series.labels["test"], series.labels["kind"]) for series in tests} == {
        (LOAD_TEST, "loadtest"),
        (SOAK, "soak"),
    }
    phases = seen.times.ask(seen.stage.server, asked["Phases"]["expr"])
    found = {(series.labels["test"], series.labels["phase"]) for series in phases}
    assert {(LOAD_TEST, "ramp"), (LOAD_TEST, "hold"), (SOAK, "hold")} <= found
    # A band covers only the time of its test.
    (load_test,) = [series for series in tests if series.labels["test"] == LOAD_TEST]
    (soak,) = [series for series in tests if series.labels["test"] == SOAK]
    assert load_test.points[-1][0] <= soak.points[0][0]


def test_the_loss_that_the_router_makes_is_shown_and_alerts(seen: Seen) -> None:
    """One interface deliberately drops one packet in fifty. On a busy machine others are lost, too: rings are short."""
    server = seen.stage.server
    (made,) = server.query('wirespeed_router_errors_total{node="e1-impairment", reason="packet lost on purpose"}')
    passed = server.query('wirespeed_router_node_vectors_total{node="e1-impairment"}')
    assert made.last / sum(series.last for series in passed) == pytest.approx(0.02, rel=0.5)
    (offered,) = server.query(f'wirespeed_loadtest_offered_packets_total{{test="{SOAK}", direction="0→1"}}')
    (lost,) = server.query(f'wirespeed_loadtest_lost_packets_total{{test="{SOAK}", direction="0→1"}}')
    assert lost.last / offered.last > 0.01
    health = {rule["name"]: rule["health"] for group in server.ask("rules")["groups"] for rule in group["rules"]}
    assert len(health) == 12 and set(health.values()) == {"ok"}
    fired = seen.times.ask(server, 'ALERTS{alertname="Loss"}')
    assert any(series.labels["direction"] == "0→1" for series in fired)
