"""docs/result-format.md names every field that a result file or a table can have."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from wirespeed.measurement.rfc2544.result import ROWS, LossPoint, Method, Spread
from wirespeed.report.table import Row
from wirespeed.results.outcome import ChannelOutcome, Knee, LoadPoint, Outcome, PortFacts
from wirespeed.results.sample import Latency, Moment, PortSample

DOCUMENT = (Path(__file__).parents[2] / "docs" / "result-format.md").read_text()


@pytest.mark.parametrize(
    "value",
    [
        PortSample,
        Latency,
        Moment,
        Outcome,
        ChannelOutcome,
        LoadPoint,
        Knee,
        PortFacts,
        Row,
        *ROWS.values(),
        LossPoint,
        Method,
        Spread,
    ],
)
def test_every_field_is_named(value):
    words = set(re.findall(r"\w+", DOCUMENT))
    assert [field.name for field in fields(value) if field.name not in words] == []
