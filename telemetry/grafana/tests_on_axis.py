"""Names and phases of tests, as bands on the time axis of all dashboards."""

from __future__ import annotations

from telemetry.grafana.board import Annotation

TESTS = (
    Annotation("Tests", "wirespeed_test_running == 1", "{{test}}", "{{kind}}", "orange"),
    Annotation("Phases", "wirespeed_test_phase == 1", "{{phase}}", "{{test}}", "blue"),
)
