"""Warnings on results of any kind, one per cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wirespeed.measurement.registry import report_of
from wirespeed.measurement.reported import Remark, remark_on
from wirespeed.pages.words import some
from wirespeed.results.ending import COMPLETE
from wirespeed.results.measurement import MeasurementResult
from wirespeed.validation.proved import caution


def remarks_on(kinds: Mapping[str, Sequence[MeasurementResult]]) -> tuple[Remark, ...]:
    """All that qualifies the figures of results, what weighs most first."""
    others = [one for kind, results in kinds.items() if not report_of(kind).leads for one in results]
    return (
        *(remark for kind, results in kinds.items() for remark in report_of(kind).irregular(results)),
        *remark_on(
            "not-ended",
            ((one.name, one.ending.text) for one in others if one.ending.status != COMPLETE),
            len(others),
            "result",
            " not ended as planned: the figures are what was known until then.",
        ),
        *(remark for kind, results in kinds.items() for remark in report_of(kind).remarks(results)),
        *_notes(others),
    )


def remarks_on_devices(results: Sequence[MeasurementResult]) -> Iterator[Remark]:
    """Devices of kinds that were tried on recorded texts only, one a kind."""
    for kind in dict.fromkeys(one.dut.kind for one in results):
        if said := caution(kind):
            names = tuple(one.name for one in results if one.dut.kind == kind)
            yield Remark("recorded-only", f"{said}.", names)


def _notes(results: Sequence[MeasurementResult]) -> Iterator[Remark]:
    noted = [(one.name, note) for one in results for note in report_of(one.kind).notes(one)]
    if noted:
        who = some(dict.fromkeys(name for name, _ in noted), len(results), "result")
        yield Remark("notes", f"{who} with notes.", tuple(f"{name}: {note}" for name, note in noted))
