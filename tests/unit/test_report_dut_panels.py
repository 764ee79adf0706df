"""Panels of a report for a device that reports CPU classes and drops."""

from __future__ import annotations

from dataclasses import replace

from report_cases import test_of as case_of
from report_charts import over_load
from report_kinds import search_of, soak_of

from wirespeed.charts.chart import Chart
from wirespeed.charts.dut_panels import panels_of, values
from wirespeed.measurement.loadtest.charts import account_of
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.rfc2544.charts import device_chart
from wirespeed.measurement.rfc2544.result import Method, Rfc2544Result, SuiteTrial
from wirespeed.measurement.search.charts import search_chart
from wirespeed.measurement.soak.charts import soak_chart
from wirespeed.measurement.soak.course import dut_span
from wirespeed.report.comparison import compare
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.figures import MEGA


def test_of_linux(place: str) -> Result:
    """A device whose CPUs work in softirq, and which drops in two places from its third sample on."""
    result = case_of("linux")
    told = [
        DutTelemetry(
            interval_s=0.5,
            cpu_percent={"softirq": 10.0 * number, "system": 2.0, "idle": 98.0 - 10.0 * number},
            drops={place: 50 * number, "Ip InNoRoutes": 1} if number > 2 else {},
        )
        for number in range(len(result.samples))
    ]
    samples = tuple(replace(one, dut=dut.to_json()) for one, dut in zip(result.samples, told, strict=True))
    return replace(result, samples=samples)


test_of_linux.__test__ = False  # type: ignore[attr-defined]


def test_cpu_by_class_and_drops_by_place_are_over_the_load():
    test = test_of_linux("e0 rx drop")
    told = account_of(test.analysis)
    cpu, drops = panels_of([told])
    assert [quantity.key for quantity in cpu.quantities] == ["softirq", "system"]
    assert [quantity.key for quantity in drops.quantities] == ["e0 rx drop", "Ip InNoRoutes"]
    measured = [place for place, point in enumerate(test.analysis.curves[-1].points) if point.measured]
    assert [one.value for one in values(told, cpu.quantities[0])] == [10.0 * place for place in measured]
    rates = [one.value for one in values(told, drops.quantities[0])]
    assert rates == [100.0 * place if place > 2 else 0.0 for place in measured]


def test_a_device_cannot_turn_the_words_around_it():
    test = test_of_linux("\u202ering\x1b[2J")
    chart = over_load(compare([test]), 0, frozenset({"0→1"}))
    assert not {"\u202e", "\x1b"} & set(str(chart))
    assert len([panel for panel in chart.panels if "of the DUT" in panel.title]) == 2


def told(softirq: float) -> DutTelemetry:
    return DutTelemetry(interval_s=0.5, cpu_percent={"softirq": softirq, "idle": 100 - softirq}, drops={"<b>ring": 50})


def drawn(chart: Chart) -> dict[str, list[float | None]]:
    """Values by title, for panels of the device."""
    return {
        panel.title.partition(" of the DUT")[0]: [y for curve in panel.curves for y in curve.y]
        for panel in chart.panels
        if "of the DUT" in panel.title
    }


def test_searches_rfc_2544_and_soaks_have_the_same_panels():
    search = search_of()
    trials = tuple(
        replace(one, trial=replace(one.trial, dut=told(float(number)))) for number, one in enumerate(search.trials)
    )
    chart = search_chart("s", replace(search, trials=trials), MEGA)
    shown = [float(number) for number, one in enumerate(trials) if one.purpose != "warm-up"]
    assert {title: sorted(values) for title, values in drawn(chart).items()} == {
        "CPU": shown,
        "drops / s": [100.0] * len(shown),
    }

    of_suite = tuple(
        SuiteTrial(one.number, "throughput", one.load_pps, 1.0, one.trial, frame)
        for one, frame in zip(trials, ("64b", "1518b") * len(trials), strict=False)
    )
    suite = Rfc2544Result(
        "x", {}, Method(("throughput",), ("64b", "1518b"), 1.0), directions=search.directions, trials=of_suite
    )
    device = device_chart("d", "D", suite, MEGA)
    assert device is not None
    assert sorted(drawn(device)["CPU"]) == [float(number) for number in range(len(trials))]
    assert {entry.key for entry in device.legend} == {"64b", "1518b"}
    assert device_chart("d", "D", replace(suite, trials=()), MEGA) is None

    soak = soak_of()
    seconds = tuple(replace(one, dut=dut_span(told(20.0))) for one in soak.seconds)
    spans = {"seconds": seconds, "minutes": tuple(replace(one, dut=dut_span(told(20.0))) for one in soak.minutes)}
    found = drawn(soak_chart("s", replace(soak, **spans), "a soak"))
    assert set(found) == {"CPU", "drops / s"} and set(found["CPU"]) == {20.0}
