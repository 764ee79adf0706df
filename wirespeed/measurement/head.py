"""The head of a result before anything is measured, which is the same for all kinds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypedDict

from wirespeed import __version__
from wirespeed.dut.dut import Dut
from wirespeed.results.channel import Channel
from wirespeed.results.ending import Ending
from wirespeed.results.outcome import PortFacts
from wirespeed.trial.plan import MeasurementPlan
from wirespeed.trial.tester import Tester


class Head(TypedDict):
    """Fields of MeasurementResult, all but the name."""

    variables: Mapping[str, Any]
    directions: tuple[Channel, ...]
    versions: Mapping[str, str]
    lab: Mapping[str, Any]
    dut: Mapping[str, Any]
    ports: Mapping[int, PortFacts]
    ending: Ending


def head_of(
    plan: MeasurementPlan,
    tester: Tester,
    ports: Mapping[int, PortFacts],
    dut: Dut | None,
    notes: tuple[str, ...] = (),
    precision: str = "seconds",
) -> Head:
    """What the plan, the tester with its `ports`, and the device say. The measurement begins now, to a `precision` of
    ISO 8601."""
    return Head(
        variables=plan.variables(tester.server),
        directions=plan.directions,
        versions={"wirespeed": __version__, "generator": tester.program, **plan.versions},
        lab={"generator": tester.server, **plan.lab},
        dut=plan.dut or (dut.describe().to_json() if dut is not None else {}),
        ports=dict(ports),
        ending=Ending(started=datetime.now(UTC).isoformat(timespec=precision), notes=notes),
    )
