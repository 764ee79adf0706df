"""The two golden results with changes for a test, with a loss threshold of 0.1 %."""

import copy
import json
from dataclasses import replace
from pathlib import Path

from wirespeed.measurement.loadtest.document import result_of
from wirespeed.measurement.loadtest.result import Judging

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
OLD = json.loads((GOLDEN / "trex-loadtest.json").read_text())
OURS = json.loads((GOLDEN / "wirespeed.json").read_text())


def test_of(name, base=OURS, change=lambda document: None, **variables):
    """`base` under another name, after `change` of its document and with other `vars`."""
    document = copy.deepcopy(base)
    document["vars"] |= variables
    change(document)
    return replace(result_of(document, name), judging=Judging(0.001))


test_of.__test__ = False


def late(document):
    """All packets that the router refused were late instead."""
    for sample in document["stats"].values():
        sample["0"]["late"], sample["0"]["refused"] = sample["0"]["refused"], 0
