"""What a report draws of a device that tells CPU classes and drops."""

from __future__ import annotations

from dataclasses import replace

from report_cases import test_of as case_of

from wirespeed.report.charts import load_figure
from wirespeed.report.comparison import compare
from wirespeed.report.dut_panels import account_of, panels_of, values
from wirespeed.results.analysis import Analysis, analyse
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.figures import MEGA


def test_of_linux(place: str) -> Analysis:
    """A device whose CPUs are at work in softirq, and which drops in two places from its third sample on."""
    result = case_of("linux").result
    told = [
        DutTelemetry(
            interval_s=0.5,
            cpu_percent={"softirq": 10.0 * number, "system": 2.0, "idle": 98.0 - 10.0 * number},
            drops={place: 50 * number, "Ip InNoRoutes": 1} if number > 2 else {},
        )
        for number in range(len(result.samples))
    ]
    samples = tuple(replace(one, dut=dut.to_json()) for one, dut in zip(result.samples, told, strict=True))
    return analyse(replace(result, samples=samples), 0.001)


test_of_linux.__test__ = False  # type: ignore[attr-defined]


def test_cpu_by_class_and_drops_by_place_are_over_the_load():
    test = test_of_linux("e0 rx drop")
    told = account_of(test)
    cpu, drops = panels_of([told])
    assert [quantity.key for quantity in cpu.quantities] == ["softirq", "system"]
    assert [quantity.key for quantity in drops.quantities] == ["e0 rx drop", "Ip InNoRoutes"]
    measured = [place for place, point in enumerate(test.curves[-1].points) if point.measured]
    assert [one.value for one in values(told, cpu.quantities[0])] == [10.0 * place for place in measured]
    rates = [one.value for one in values(told, drops.quantities[0])]
    assert rates == [100.0 * place if place > 2 else 0.0 for place in measured]


def test_a_device_cannot_write_into_the_page():
    test = test_of_linux("<script>%{x}")
    drawn = load_figure(compare([test]).groups[0], frozenset({"0→1"}), MEGA)
    assert "<script" not in str(drawn)
    assert len([trace for trace in drawn["data"] if trace.get("yaxis") == "y4"]) == 2
