"""Details of a result from its file: its command, its explanation and its texts. Pure."""

from __future__ import annotations

from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.rerun import command_of
from wirespeed.pages.trust import trust_of
from wirespeed.pages.words import words
from wirespeed.results.figures import MEGA, NOTHING
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


def told_of(result: MeasurementResult | Inspection, digest: str) -> tuple[ResultDetails, dict[str, str]]:
    """And the texts that it carries, by the file they go to."""
    if isinstance(result, Inspection):
        carried = {name: kept.text for name, kept in result.texts.items()}
    else:
        carried = dict(result.dut.texts)
    named = [(name, text_file(digest, place, name), text) for place, (name, text) in enumerate(carried.items())]
    files = {file: text for _, file, text in named if text.strip()}
    links = tuple((name, file) for name, file, _ in named if file in files)
    if isinstance(result, Inspection):
        return ResultDetails(command="wirespeed host show", texts=links), files
    verdict = verdict_of(result)
    figures, limit, *following = verdict.plain_lines
    mark = trust_of(verdict.shown, verdict.disturbed, verdict.samples)
    details = ResultDetails(
        command=command_of(result),
        device=result.dut.commands,
        sentences=(limit, figures, *following),
        description={name: words(value) for name, value in result.dut.description.items()},
        power=power_line(result),
        texts=links,
        shown=(
            NOTHING if verdict.shown.said else verdict.shown.cell(MEGA),
            *verdict.shown.parts(MEGA),
            verdict.shown.name,
            mark.shape,
            mark.word,
            mark.why,
        ),
    )
    return details, files
