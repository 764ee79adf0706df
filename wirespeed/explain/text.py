"""An explanation as text, markdown or JSON: the sentence first, then what it stands on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from wirespeed.explain.evidence import Evidence, Finding
from wirespeed.explain.ranking import Explanation

UNKNOWN = "unknown: what was told does not name a cause"


def sentence(explanation: Explanation) -> str:
    """The verdict in one line, with how sure it is."""
    verdict = explanation.verdict
    if verdict is None:
        return UNKNOWN
    return f"{verdict.sentence} ({verdict.cause}, {sure(verdict)})"


def as_text(explanations: Sequence[Explanation]) -> str:
    return "\n\n".join("\n".join(_lines(one)) for one in explanations) + "\n"


def as_markdown(explanations: Sequence[Explanation]) -> str:
    blocks = []
    for one in explanations:
        lines = [f"### {one.case.load.name}", "", f"**{sentence(one)}**", ""]
        lines += [f"- {line.strip()}" for line in _lines(one)[1:]]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def as_json(explanations: Sequence[Explanation]) -> str:
    """A list of tests, each with its findings; `confidence` is 0 to 1, `bits` what a piece of evidence weighs."""
    return json.dumps([_object(one) for one in explanations], indent=2, ensure_ascii=False) + "\n"


def _lines(one: Explanation) -> list[str]:
    lines = [f"{one.case.load.name}: {sentence(one)}"]
    if one.verdict is not None:
        lines += [f"  for      {_piece(piece)}" for piece in one.verdict.speaks_for]
        lines += [f"  against  {_piece(piece)}" for piece in one.verdict.speaks_against]
    for finding in one.named[1:]:
        lines.append(f"  also     {finding.cause}, {sure(finding)}: {finding.sentence}")
    for finding in one.likely:
        lines.append(f"  perhaps  {finding.cause}, {sure(finding)}: {_piece(finding.speaks_for[0])}")
    for finding in one.ruled_out:
        lines.append(f"  not      {finding.cause}: {_piece(finding.heaviest_against)}")
    lines += [f"  remark   {remark}" for remark in one.case.remarks]
    lines += [f"  missing  {what}" for what in one.missing]
    lines.append(f"  next     {one.next}")
    return lines


def _piece(piece: Evidence) -> str:
    return f"{piece.text}  [{piece.source}]" if piece.source else piece.text


def sure(finding: Finding) -> str:
    """Its confidence in words."""
    return f"{min(99.0, 100 * finding.confidence):.0f} % sure"


def _object(one: Explanation) -> dict[str, Any]:
    def finding(found: Finding) -> dict[str, Any]:
        pieces = [{"text": piece.text, "bits": piece.bits, "source": piece.source} for piece in found.evidence]
        return {
            "cause": found.cause,
            "confidence": round(found.confidence, 4),
            "sentence": found.sentence,
            "evidence": pieces,
            "missing": list(found.missing),
            "next": found.next,
        }

    groups = {"named": one.named, "likely": one.likely, "ruled_out": one.ruled_out}
    return {
        "test": one.case.load.name,
        "cause": one.cause,
        **{name: [finding(found) for found in group] for name, group in groups.items()},
        "remarks": list(one.case.remarks),
        "missing": list(one.missing),
        "next": one.next,
    }
