"""Facts of a result in the index, for queries. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.ending import COMPLETE
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.power import Power, power_of
from wirespeed.results.subjects import Judge, Value, directions_of, dut_of, figures, load_of


@dataclass(frozen=True, kw_only=True)
class IndexFigure(Value):
    """A rate that was found, such as NDR. `per_watt` is packets per second for each watt that the whole DUT drew at
    about that rate (`Power.at`); None without a reading there."""

    name: str
    per_watt: float | None


@dataclass(frozen=True)
class IndexEntry:
    """A result in the index. `limited_by` is the cause by `explain`, otherwise the limit of the verdict; `started` is
    ISO 8601 in UTC, empty if unknown. `watts` were drawn while the most packets came back."""

    kind: str
    title: str
    dut: str
    cpu: str
    started: str
    version: str = ""
    lab: str = ""
    load: str = ""
    directions: str = ""
    status: str = COMPLETE
    limited_by: str = ""
    watts: float | None = None
    figures: tuple[IndexFigure, ...] = ()


def entry_of(result: MeasurementResult | Inspection, title: str, judge: Judge) -> IndexEntry:
    if isinstance(result, Inspection):
        return IndexEntry("inspect", title, result.machine, _cpu(result), result.taken)
    power, verdict = power_of(result), judge(result)
    most = None if power is None else power.most
    return IndexEntry(
        kind=result.kind,
        title=title,
        dut=dut_of(result),
        version=_line(result.dut.version),
        cpu=result.lab.topology.model if result.lab.topology is not None else "",
        lab=result.lab.kind,
        load=load_of(result),
        directions=directions_of(result.channels),
        started=result.ending.started,
        status=result.ending.status,
        limited_by=verdict.limit.cause or verdict.limited_by,
        watts=None if most is None else most.watts,
        figures=tuple(
            IndexFigure(name=subject.figure, per_watt=_per_watt(power, value.rate_pps), **vars(value))
            for subject, value in figures(result, verdict)
        ),
    )


def _per_watt(power: Power | None, rate_pps: float) -> float | None:
    draw = None if power is None else power.at(rate_pps)
    return None if draw is None or not draw.watts else rate_pps / draw.watts


def _cpu(found: Inspection) -> str:
    cpu = found.facts.get("cpu")
    return str(cpu.get("model") or "") if isinstance(cpu, dict) else ""


def _line(value: object) -> str:
    """One line of what a device said of itself."""
    return " ".join(str(value or "").split())[:200]
