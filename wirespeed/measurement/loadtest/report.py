"""Load tests in reports, which are made of their analyses."""

from __future__ import annotations

from wirespeed.measurement.loadtest.analysis import Analysis, analyse
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.reported import ReportedKind


class LoadtestReport(ReportedKind[Result]):
    """Load tests, which the report's own tables and charts show."""

    noun, title, sized = "test", "load tests", "samples"

    def read(
        self, result: Result, threshold: float | None, *, line_bps: float | None, leave_out_spoilt: bool | None
    ) -> Analysis:
        return analyse(result, threshold, line_bps=line_bps, leave_out_spoilt=leave_out_spoilt)

    def size(self, result: Result) -> int:
        return len(result.samples)


REPORT = LoadtestReport()
