"""What a result's file says that the index does not have: how it was made, what explains it, what it carries. Pure."""

from __future__ import annotations

from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.rerun import command_of
from wirespeed.pages.words import words
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.power import power_line
from wirespeed.site.entries import ResultDetails
from wirespeed.site.names import text_file

ALONE = (
    "Explained from this file alone. Other files of the same DUT may tell more of the limit: wirespeed explain FILE… "
    "reads them together."
)
"""Stands above a result's report."""


def told_of(found: MeasurementResult | Inspection, digest: str) -> tuple[ResultDetails, dict[str, str]]:
    """And the texts that it carries, by the file they go to."""
    if isinstance(found, Inspection):
        carried = {name: kept.text for name, kept in found.texts.items()}
    else:
        carried = dict(found.dut.texts)
    named = [(name, text_file(digest, place, name), text) for place, (name, text) in enumerate(carried.items())]
    files = {file: text for _, file, text in named if text.strip()}
    links = tuple((name, file) for name, file, _ in named if file in files)
    if isinstance(found, Inspection):
        marks = tuple(f"{mark.subject}: {mark.text}" for mark in found.marks)
        return ResultDetails(command="wirespeed host show", texts=links, marks=marks), files
    figures, limit, *following = verdict_of(found).plain_lines
    told = ResultDetails(
        command=command_of(found),
        device=found.dut.commands,
        sentences=(limit, figures, *following),
        description={name: words(value) for name, value in found.dut.description.items()},
        power=power_line(found),
        texts=links,
    )
    return told, files
