"""The limit of each test, for the page: a sentence, and its evidence in a fold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.explain.cpu_budget import cpu_budget
from wirespeed.explain.ranking import Explanation
from wirespeed.explain.text import EvidenceRow, evidence_rows, missing_of_all, sure, unknown
from wirespeed.explain.verdicts import limits_of_cases
from wirespeed.report.budget_picture import BudgetView, budget_view
from wirespeed.results.figures import Scaler
from wirespeed.results.verdict import Limit, Verdict


@dataclass(frozen=True)
class EvidenceLine:
    """`mark` is the label: for, against, also, perhaps, not, figure and so on. `chart` is the element that shows it,
    `at` the load there in the unit of the chart; both empty without a chart."""

    mark: str
    text: str
    source: str = ""
    chart: str = ""
    at: str = ""


@dataclass(frozen=True)
class ExplanationView:
    """`source` is where figures are from whose line names no other."""

    test: str
    cause: str
    sure: str
    sentence: str
    lines: tuple[EvidenceLine, ...]
    next: str
    source: str
    picture: BudgetView | None


@dataclass(frozen=True)
class Explained:
    """One for each test that has samples, in their order; `missing` is what would help with all of them."""

    views: tuple[ExplanationView, ...]
    missing: tuple[str, ...]


def explanation_views(
    explanations: Sequence[Explanation], charts: Mapping[str, str], verdicts: Iterable[Verdict], scaler: Scaler
) -> Explained:
    """`charts` are the elements of the page that draw a result, by its name."""
    missing, limits = missing_of_all(explanations), limits_of_cases(verdicts)
    return Explained(
        tuple(_view(one, charts, limits.get(one.case.load.name), scaler, missing) for one in explanations),
        tuple(map(_plain, missing)),
    )


def _view(
    explanation: Explanation,
    charts: Mapping[str, str],
    own: Limit | None,
    scaler: Scaler,
    shared: Sequence[str],
) -> ExplanationView:
    """`own` is the limit by the verdict on the result, for a case without a named cause."""
    verdict, name = explanation.verdict, explanation.case.load.name
    budget = cpu_budget(explanation.case.steps)
    chart = charts.get(name, "")
    return ExplanationView(
        test=name,
        cause=explanation.label,
        sure="" if verdict is None else sure(verdict),
        sentence=_plain(verdict.sentence if verdict is not None else _without_cause(explanation, own)),
        lines=tuple(
            _placed(EvidenceLine(mark, _plain(text), source), explanation, chart, scaler)
            for mark, text, source in evidence_rows(explanation, _findings(explanation), shared)
        ),
        next=_plain(explanation.next),
        source=explanation.case.load.source,
        picture=None if budget is None else budget_view(budget, name),
    )


def _without_cause(explanation: Explanation, own: Limit | None) -> str:
    return unknown(explanation) if own is None or own.by == "unknown" else own.sentence


def _findings(explanation: Explanation) -> Iterator[EvidenceRow]:
    yield from (("also", f"{found.sentence} ({sure(found)})", "") for found in explanation.named[1:])
    yield from (("perhaps", f"{found.sentence} ({sure(found)})", "") for found in explanation.likely)
    for found in explanation.ruled_out:
        yield f"not {found.cause}", found.heaviest_against.text, found.heaviest_against.source


def _placed(line: EvidenceLine, explanation: Explanation, chart: str, scaler: Scaler) -> EvidenceLine:
    """With the point of the chart that its figure is from: the load that was explained, or the knee of a curve."""
    load = explanation.case.load
    if not load.source or not line.source.startswith(load.source):
        return line
    line = replace(line, source=line.source.removeprefix(load.source).lstrip(":, "))
    if not chart:
        return line
    knee = explanation.losses.knee if explanation.losses is not None and line.mark == "curve" else None
    pps = knee.at if knee is not None else load.offered_pps
    # A test of one load has its time along the chart.
    at = "" if pps is None or not explanation.case.steps else f"{pps / load.directions / scaler.divisor:.6g}"
    return replace(line, chart=chart, at=at)


def _plain(text: str) -> str:
    """Commands stand in backquotes for terminals and markdown."""
    return text.replace("`", "")
