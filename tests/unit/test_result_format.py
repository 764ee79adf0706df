"""docs/result-format.md agrees with the types of results; `python -m manual references docs` writes it."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from manual.result_format import result_format_page
from wirespeed.explain.sources.evidence_file import TestText
from wirespeed.measurement.loadtest.rows import LoadTestRow
from wirespeed.measurement.rfc.loss import LossPoint
from wirespeed.measurement.rfc2544.result import Method, Row, Spread
from wirespeed.results.channel import Channel
from wirespeed.results.order import Order
from wirespeed.results.outcome import ChannelOutcome, Knee, LoadPoint, Outcome, PortFacts
from wirespeed.results.sample import Latency, PortSample, Preemption, Sample
from wirespeed.results.sample_json import KEYS, sample_to_json

DOCUMENT = (Path(__file__).parents[2] / "docs" / "result-format.md").read_text()


def test_the_page_is_written_from_the_types():
    assert result_format_page() == DOCUMENT


@pytest.mark.parametrize(
    "value",
    [
        PortSample,
        Latency,
        Preemption,
        Outcome,
        ChannelOutcome,
        LoadPoint,
        Knee,
        PortFacts,
        LoadTestRow,
        *get_args(Row),
        LossPoint,
        Method,
        Spread,
    ],
)
def test_every_field_is_named(value):
    words = set(re.findall(r"\w+", DOCUMENT))
    assert [field.name for field in fields(value) if field.name not in words] == []


def test_every_key_of_evidence_is_in_a_row():
    assert [key for key in TestText.model_fields if f"| `{key}` | " not in DOCUMENT] == []


def test_the_keys_of_a_sample_are_those_that_are_written():
    port = PortSample(1.0, 1.0, 1.0, 1.0, 0.1, 0.1)
    written = sample_to_json(
        Sample(
            1.0,
            1.0,
            "ramp",
            {0: port},
            dut={"error": "gone"},
            test_frames={Channel(0, 1): 1},
            order={Channel(0, 1): Order()},
            latency={Channel(0, 1): Latency(1, 1.0, 1.0, 1.0, 0.0)},
            preemption=Preemption(),
            links_down=(0,),
        )
    )
    assert set(written) == set(KEYS)
    assert all(f"`{key}`" in KEYS["channels"] for key in written["channels"]["0→1"])
