"""Load tests in reports."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.measurement.loadtest.result import Judging, Result
from wirespeed.measurement.reported import ReportedKind


class LoadtestReport(ReportedKind[Result]):
    """Load tests, which the report's own tables and charts show."""

    noun, title, sized = "test", "load tests", "samples"
    leads = True

    def judged_by(
        self, result: Result, threshold: float | None, line_bps: float | None, leave_out_spoilt: bool | None
    ) -> Result:
        return replace(result, judging=Judging(threshold, line_bps, leave_out_spoilt))

    def size(self, result: Result) -> int:
        return len(result.samples)


REPORT = LoadtestReport()
