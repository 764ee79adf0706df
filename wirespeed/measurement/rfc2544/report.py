"""The tests of RFC 2544 in reports: their graphs and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from wirespeed.charts.chart import Chart
from wirespeed.charts.page_parts import Block, Heading
from wirespeed.measurement.reported import Shown
from wirespeed.measurement.rfc.report import RfcReport
from wirespeed.measurement.rfc2544.charts import device_chart, latency_chart, loss_chart, throughput_chart
from wirespeed.measurement.rfc2544.result import Rfc2544Result, Test
from wirespeed.measurement.rfc2544.rows import BenchmarkRow, figures_of
from wirespeed.measurement.rfc2544.text import TEXT
from wirespeed.pages.duts import dut_name


class Rfc2544Report(RfcReport[Rfc2544Result]):
    noun, title = "rfc 2544", "RFC 2544"
    text = TEXT
    figures = staticmethod(figures_of)
    row_kinds: ClassVar = {"rfc2544": (BenchmarkRow, "a figure of a benchmark and frame size")}

    def test_chart(self, identity: str, sentence: str, result: Rfc2544Result, test: Test, shown: Shown) -> Chart | None:
        match test:
            case "throughput":
                chart = throughput_chart(identity, sentence, result.throughput, shown.scaler)
            case "latency":
                chart = latency_chart(identity, sentence, result.latency)
            case "frame-loss":
                chart = loss_chart(identity, sentence, result.frame_loss)
            case _:
                return None
        return replace(chart, title=f"RFC 2544, {TEXT.tables[test].title.lower()}: {dut_name(result)}")

    def below(self, identity: str, result: Rfc2544Result, shown: Shown) -> Iterator[Block]:
        said = f"{result.name}: what the DUT told under the trials"
        if (device := device_chart(f"{identity}-device", said, result, shown.scaler)) is not None:
            titled = replace(device, title=f"RFC 2544, what the DUT told: {dut_name(result)}")
            yield from (Heading("What the DUT told"), shown.drawn.place(titled))


REPORT = Rfc2544Report()
