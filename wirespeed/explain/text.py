"""An explanation as text, markdown or JSON: the sentence first, then its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from wirespeed.explain.evidence import CauseFinding
from wirespeed.explain.ranking import Explanation
from wirespeed.results.figures import rate_text
from wirespeed.results.verdict import Verdict

NONE: Mapping[str, Verdict] = MappingProxyType({})
UNKNOWN = "unknown: the evidence does not name a cause"
NOTHING_CAME = "unknown: no packet came back"
UNCOUNTED = "unknown: no counter of the DUT explains the loss"
EvidenceRow = tuple[str, str, str]
"""The label of a piece of evidence (for, against, figure and so on), its text and its source."""


def sentence(explanation: Explanation) -> str:
    """The verdict in one line, with how sure it is."""
    verdict = explanation.verdict
    return unknown(explanation) if verdict is None else f"{verdict.sentence} ({explanation.label}, {sure(verdict)})"


def unknown(explanation: Explanation) -> str:
    """Why no cause is named."""
    case = explanation.case
    if case.load.received_pps <= 0:
        return NOTHING_CAME
    return UNCOUNTED if case.tells_drops and case.is_short and not case.drops else UNKNOWN


def as_text(explanations: Sequence[Explanation], verdicts: Mapping[str, Verdict] = NONE) -> str:
    common = missing_of_all(explanations)
    blocks = [_lines(one, common, verdicts) for one in explanations]
    if common:
        blocks.append(["all of them:", *(_line("missing", what) for what in common)])
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def as_markdown(explanations: Sequence[Explanation], verdicts: Mapping[str, Verdict] = NONE) -> str:
    common = missing_of_all(explanations)
    blocks = []
    for one in explanations:
        lines = [f"### {one.case.load.name}", "", f"**{sentence(one)}**", ""]
        lines += [f"- {mark}: {text}" for mark, text in _noted(one, common, verdicts)]
        blocks.append("\n".join(lines))
    if common:
        blocks.append("\n".join(["### All of them", "", *(f"- missing: {what}" for what in common)]))
    return "\n\n".join(blocks) + "\n"


def missing_of_all(explanations: Sequence[Explanation]) -> tuple[str, ...]:
    """Missing data that would help with each of several tests, for a single mention."""
    if len(explanations) < 2:
        return ()
    return tuple(what for what in explanations[0].missing if all(what in one.missing for one in explanations))


def as_json(explanations: Sequence[Explanation], verdicts: Mapping[str, Verdict] = NONE) -> str:
    """A list of tests, each with its findings, those of `verdicts` with theirs. `confidence` is 0 to 1, `bits` what a
    piece of evidence weighs."""
    return json.dumps([_object(one, verdicts) for one in explanations], indent=2, ensure_ascii=False) + "\n"


def _lines(one: Explanation, told: Sequence[str], verdicts: Mapping[str, Verdict]) -> list[str]:
    rows = (_line(mark, text) for mark, text in _noted(one, told, verdicts))
    return [f"{one.case.load.name}: {sentence(one)}", *rows]


def _line(mark: str, text: str) -> str:
    return f"  {mark:<8} {text}"


def _noted(
    explanation: Explanation, shared: Sequence[str], verdicts: Mapping[str, Verdict] = NONE
) -> Iterator[tuple[str, str]]:
    """The figures of the verdict; the lines with a number for where each is from, and at their end what the numbers
    mean."""
    if (verdict := verdicts.get(explanation.case.load.name)) is not None:
        yield "result", verdict.line
    rows = [*evidence_rows(explanation, _findings(explanation), shared), ("next", explanation.next, "")]
    numbers = {source: number for number, source in enumerate(dict.fromkeys(row[2] for row in rows if row[2]), start=1)}
    for mark, text, source in rows:
        yield mark, f"{text} [{numbers[source]}]" if source else text
    yield from (("from", f"[{number}] {source}") for source, number in numbers.items())


def _findings(explanation: Explanation) -> Iterator[EvidenceRow]:
    yield from (("also", f"{found.cause}, {sure(found)}: {found.sentence}", "") for found in explanation.named[1:])
    for finding in explanation.likely:
        piece = finding.speaks_for[0]
        yield "perhaps", f"{finding.cause}, {sure(finding)}: {piece.text}", piece.source
    for finding in explanation.ruled_out:
        piece = finding.heaviest_against
        yield "not", f"{finding.cause}: {piece.text}", piece.source


def evidence_rows(
    explanation: Explanation, findings: Iterable[EvidenceRow], shared: Sequence[str]
) -> Iterator[EvidenceRow]:
    """The evidence of the sentence, and `findings` other than its own; without rows `shared` by all tests."""
    yield from (
        (direction.case.load.name, of_direction(direction, explanation), "") for direction in explanation.directions
    )
    if explanation.verdict is not None:
        yield from (("for", piece.text, piece.source) for piece in explanation.verdict.speaks_for)
        yield from (("against", piece.text, piece.source) for piece in explanation.verdict.speaks_against)
    yield from findings
    yield from (("figure", figure.text, figure.source) for figure in explanation.figures)
    yield from (("curve", text, explanation.case.load.source) for text in curves(explanation))
    yield from (("remark", remark, "") for remark in explanation.case.remarks)
    yield from (("missing", what, "") for what in explanation.missing if what not in shared)


def of_direction(direction: Explanation, whole: Explanation) -> str:
    """The rates of a direction, and its verdict if that differs from the verdict on all directions."""
    load = direction.case.load
    offered = "" if load.offered_pps is None else f" of {rate_text(load.offered_pps)} offered"
    said = sentence(direction) if direction.cause != whole.cause else f"{direction.label} too"
    return f"{rate_text(load.received_pps)}{offered}: {said}"


def curves(one: Explanation) -> tuple[str, ...]:
    """Loss and cost of a packet over the load, in words."""
    losses = () if one.losses is None else (f"loss ({one.losses.shape}): {one.losses.text}",)
    return losses if one.costs is None else (*losses, f"cost: {one.costs.text}")


def sure(finding: CauseFinding) -> str:
    """Its confidence in words."""
    return f"{min(99.0, 100 * finding.confidence):.0f} % sure"


def _object(explanation: Explanation, verdicts: Mapping[str, Verdict] = NONE) -> dict[str, Any]:
    def finding(cause: CauseFinding) -> dict[str, Any]:
        pieces = [{"text": piece.text, "bits": piece.bits, "source": piece.source} for piece in cause.evidence]
        return {
            "cause": cause.cause,
            "confidence": round(cause.confidence, 4),
            "sentence": cause.sentence,
            "evidence": pieces,
            "missing": list(cause.missing),
            "next": cause.next,
        }

    groups = {"named": explanation.named, "likely": explanation.likely, "ruled_out": explanation.ruled_out}
    return {
        "test": explanation.case.load.name,
        **({"verdict": verdict.to_json()} if (verdict := verdicts.get(explanation.case.load.name)) is not None else {}),
        "cause": explanation.cause,
        **{name: [finding(found) for found in group] for name, group in groups.items()},
        "figures": [asdict(figure) for figure in explanation.figures],
        "curves": _curves(explanation),
        "directions": [_object(direction) for direction in explanation.directions],
        "warnings": list(explanation.case.remarks),
        "missing": list(explanation.missing),
        "next": explanation.next,
    }


def _curves(explanation: Explanation) -> dict[str, Any]:
    """`loss` with its shape and knee, `cost` with its minimum; omitted if unknown."""
    document: dict[str, Any] = {}
    if explanation.losses is not None:
        knee = explanation.losses.knee
        document["loss"] = {
            "shape": explanation.losses.shape,
            "text": explanation.losses.text,
            "knee_pps": None if knee is None else knee.at,
            "plateau_pps": None if knee is None else knee.plateau,
        }
    if explanation.costs is not None:
        costs = explanation.costs
        document["cost"] = {
            "text": costs.text,
            "least_cycles": costs.least.cycles,
            "least_at_pps": costs.least.offered_pps,
            "turns": costs.turns,
            "full_vectors_from_pps": costs.full_pps,
        }
    return document
