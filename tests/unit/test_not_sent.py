"""Packets that the tester did not send are called "not sent" on every surface, and never count as loss."""

from __future__ import annotations

import pytest
from report_charts import curve, curves, over_load
from report_kinds import FORWARD, comparison_of, search_of
from simulated_bench import Bench, ramp, run
from simulated_dut import SimulatedDut, step
from test_figures_agree import SETTINGS

from wirespeed.measurement.loadtest.analysis import judged
from wirespeed.measurement.loadtest.live import figures
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.registry import frames_of
from wirespeed.measurement.search.charts import search_chart
from wirespeed.measurement.search.result import SearchResult
from wirespeed.results.figures import MEGA, loss_text, losses_text
from wirespeed.results.outcome import PortFacts

TESTER_PPS = 6e6


@pytest.fixture(scope="module")
def search() -> SearchResult:
    """Its tester sends 6 Mpps, its device carries all of that."""
    return search_of("t", SimulatedDut(step(1e9), tester_pps=TESTER_PPS), directions=(FORWARD,))


@pytest.fixture(scope="module")
def load_test() -> Result:
    samples = run(Bench(worker_pps=TESTER_PPS), ramp(14_880_952, 10, 2))
    ports = {port: PortFacts(port, speed_bps=10e9) for port in (0, 1)}
    return judged(Result(name="t", variables=SETTINGS, samples=tuple(samples), ports=ports, directions=(FORWARD,)))


def test_both_shares_are_named_and_none_that_is_nothing() -> None:
    assert losses_text(0.0, 0.0634) == "loss 0 %, not sent 6.34 %"
    assert losses_text(0.25, 0.0) == "loss 25 %"


def test_the_chart_of_a_search(search: SearchResult) -> None:
    chart = search_chart("s", search, MEGA)
    received, lost = (curve(chart, "the tester was the limit", panel) for panel in (0, 1))
    assert received.told and lost.told == received.told
    assert all("loss 0 %, not sent" in text for text in received.told)
    floor = chart.panels[1].scale.ticks[0][0]
    assert set(lost.y) == {floor}
    assert chart.panels[1].title == "loss of what was offered"


def test_the_live_page_of_a_search(search: SearchResult) -> None:
    for frame, one in zip(frames_of(search), search.trials, strict=True):
        ((_, _, loss, _),) = frame["ways"].values()
        assert loss == 0
        missing = one.load_pps * one.intended_s - one.trial.balance.offered
        assert frame["tester"]["unsent"] == pytest.approx(missing if one.trial.tester_limited else 0, abs=1)
    assert any(one.trial.tester_limited for one in search.trials)


def test_the_chart_and_the_live_view_of_a_load_test(load_test: Result) -> None:
    chart = over_load(comparison_of(load_test), 0, frozenset({"0→1"}))
    (short,) = [point for point in load_test.analysis.curves[0].measured if point.phase == "ramp"][-1:]
    share = short.balance.tester_share
    assert share == pytest.approx(1 - TESTER_PPS / short.balance.intended * short.interval_s, abs=0.01)
    for panel in (0, 1):
        told = [text for one in curves(chart, chart.legend[0].name, panel) for text in one.told]
        assert any(f"loss 0 %, not sent {loss_text(share)}" in text for text in told)
    assert figures(short)[-2:] == ("0 %", loss_text(share))
