"""The head of a result before anything is measured, which is the same for all kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypedDict

from wirespeed import __version__
from wirespeed.dut.dut import Dut
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import Ending
from wirespeed.results.lab import LabFacts
from wirespeed.results.outcome import PortFacts
from wirespeed.trial.plan import MeasurementPlan
from wirespeed.trial.tester import Tester


class Head(TypedDict):
    """Fields of MeasurementResult. The settings are those of the kind."""

    name: str
    variables: Any
    directions: tuple[Channel, ...]
    versions: Mapping[str, str]
    lab: LabFacts
    dut: DutFacts
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
    """The head of a result, from the plan, the tester with its `ports`, and the device. The measurement starts now; its
    start time has a `precision` of ISO 8601."""
    return Head(
        name=plan.name or plan.profile,
        variables=plan.variables(tester.server),
        directions=plan.directions,
        versions={"wirespeed": __version__, "generator": tester.program, **plan.versions},
        lab=replace(plan.lab, generator=plan.lab.generator or tester.server),
        dut=plan.dut or (dut.describe() if dut is not None else DutFacts()),
        ports=dict(ports),
        ending=Ending(started=datetime.now(UTC).isoformat(timespec=precision), notes=notes),
    )
