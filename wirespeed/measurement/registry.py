"""The kinds of measurement: each folder here is one, and its parts are imported when they are first asked for."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from wirespeed import measurement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirespeed.measurement.about import About
    from wirespeed.measurement.followed import Frame, Growing, Summary
    from wirespeed.measurement.measurement import Measurement
    from wirespeed.measurement.options import AResult, MeasurementOptions
    from wirespeed.measurement.reported import ReportedKind
    from wirespeed.results.measurement import MeasurementResult
    from wirespeed.results.verdict import Named, Verdict


@cache
def kinds() -> tuple[str, ...]:
    """Their names, which are those of their commands, in the order of help and reports."""
    places = [place for path in measurement.__path__ for place in os.scandir(path)]
    names = [place.name for place in places if os.path.isfile(os.path.join(place.path, "about.py"))]  # noqa: PTH113, PTH118
    return tuple(sorted(names, key=lambda kind: about_of(kind).order))


def about_of(kind: str) -> About:
    """The description of a kind."""
    about: About = import_module(f"wirespeed.measurement.{kind}.about").ABOUT
    return about


def options_of(kind: str) -> type[MeasurementOptions[Any]]:
    """The dataclass of a kind's options."""
    options: type[MeasurementOptions[Any]] = import_module(f"wirespeed.measurement.{kind}.options").OPTIONS
    return options


def kind_of(kind: str) -> type[Measurement[Any, Any]]:
    """The class of a kind's measurements."""
    measurement: type[Measurement[Any, Any]] = import_module(f"wirespeed.measurement.{kind}.kind").KIND
    return measurement


def class_of(kind: str) -> type[MeasurementResult]:
    """The class of a kind's results."""
    result: type[MeasurementResult] = import_module(f"wirespeed.measurement.{kind}.result").RESULT
    return result


def measurement_of(options: MeasurementOptions[AResult]) -> Measurement[Any, AResult]:
    """The measurement that these options are of. UsageError for options that contradict each other."""
    kind = next(kind for kind in kinds() if options_of(kind) is type(options))
    return kind_of(kind)(options)


def report_of(kind: str) -> ReportedKind[Any]:
    """The part of a kind that reports use."""
    report: ReportedKind[Any] = import_module(f"wirespeed.measurement.{kind}.report").REPORT
    return report


def frames_of(result: MeasurementResult) -> Iterator[Frame]:
    """A result of any kind, complete or unfinished, as frames for the live page."""
    frames: Iterator[Frame] = _followed(result.kind).frames_of(result)
    return frames


def summary_of(result: MeasurementResult) -> Summary:
    """A result of any kind, complete or unfinished, as sums."""
    summary: Summary = _followed(result.kind).summary_of(result)
    return summary


def growing_of(kind: str) -> type[Growing] | None:
    """The reader of a kind's growing journal; None for kinds whose journals are read whole."""
    growing: type[Growing] | None = getattr(_followed(kind), "GROWING", None)
    return growing


def _followed(kind: str) -> Any:
    """The kind's part, or what the kinds that are made of trials share."""
    own = f"wirespeed.measurement.{kind}.followed"
    return import_module(own if find_spec(own) else "wirespeed.measurement.followed")


def part_of(result: MeasurementResult, part: str) -> Any:
    """The module `part` of the result's kind, such as its `case`."""
    return import_module(f"wirespeed.measurement.{result.kind}.{part}")


def verdict_of(result: MeasurementResult, named: Named | None = None) -> Verdict:
    """The verdict on a result of any kind. `named` are the limits that `explain` names (`wirespeed.explain.verdicts`
    asks it)."""
    named = named or {}
    verdict: Verdict = part_of(result, "verdict").verdict_of(result, named)
    return verdict.naming(named)
