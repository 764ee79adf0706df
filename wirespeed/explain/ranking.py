"""Ranking of causes: the verdict, other likely causes, and excluded causes with the reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from wirespeed.cases.facts import DROPS_BY_REASON, Case, CaseLoad
from wirespeed.explain.causes import causes
from wirespeed.explain.curves import CostCurve, LossCurve, cost_curve, loss_curve
from wirespeed.explain.evidence import HINT, CauseFinding, Evidence
from wirespeed.explain.reckoning import ComputedFigure, contradictions, figures
from wirespeed.results.verdict import BOUNDS, NOTHING_BACK

NAMED = 0.5
"""A cause below this confidence is not a verdict."""
_RULED_OUT = 0.02


@dataclass(frozen=True)
class Explanation:
    """`named` are the causes with a confidence above one half, the surest first; without any the verdict is
    *unknown*. `likely` are the next ones, `ruled_out` what spoke against."""

    case: Case
    named: tuple[CauseFinding, ...]
    likely: tuple[CauseFinding, ...]
    ruled_out: tuple[CauseFinding, ...]
    losses: LossCurve | None = None

    @cached_property
    def figures(self) -> tuple[ComputedFigure, ...]:
        """The arithmetic of the case."""
        return figures(self.case)

    @cached_property
    def costs(self) -> CostCurve | None:
        return cost_curve(self.case.steps)

    @cached_property
    def directions(self) -> tuple[Explanation, ...]:
        """The same of each direction by itself."""
        return tuple(explain(one) for one in self.case.directions)

    @property
    def verdict(self) -> CauseFinding | None:
        return self.named[0] if self.named else None

    @property
    def cause(self) -> str:
        return self.named[0].cause if self.named else "unknown"

    @property
    def label(self) -> str:
        """The cause in the words of the verdict: a tester that could have offered more was not the limit."""
        if self.cause == "tester" and not self.case.load.is_short_of_tester:
            return BOUNDS["nothing"]
        return self.cause

    @property
    def missing(self) -> tuple[str, ...]:
        """Missing data that would help."""
        wanted = [what for finding in (*self.named[:1], *self.likely) for what in finding.missing]
        return tuple(dict.fromkeys([*wanted, *_never_told(self.case)]))

    @property
    def next(self) -> str:
        """The experiment that would settle it."""
        if self.verdict is None and self.case.load.received_pps <= 0:
            return NOTHING_BACK
        first = next(iter((*self.named, *self.likely)), None)
        if first is not None and first.next:
            return first.next
        return "hold the highest load and read the DUT at the same time (`--dut`), its NIC counters and CPUs"


def explain(case: Case) -> Explanation:
    """The limit of a case. Ties are broken by the causes' names, so that the same facts give the same verdict."""
    case = replace(case, others=_comparable(case), remarks=(*case.remarks, *contradictions(case)))
    losses = loss_curve(case.steps)
    findings = [_shaped(finding, losses, case) for look in causes().values() if (finding := look(case)) is not None]
    findings.sort(key=lambda finding: (-finding.bits, finding.cause))
    return Explanation(
        case,
        named=tuple(finding for finding in findings if finding.confidence > NAMED),
        likely=tuple(f for f in findings if _RULED_OUT < f.confidence <= NAMED and f.sentence and f.speaks_for),
        ruled_out=tuple(finding for finding in findings if finding.confidence <= _RULED_OUT and finding.speaks_against),
        losses=losses,
    )


def _shaped(finding: CauseFinding, losses: LossCurve | None, case: Case) -> CauseFinding:
    """The finding with what the shape of the loss says of its cause."""
    if losses is None or not losses.speaks(finding.cause) or not finding.sentence:
        return finding
    piece = Evidence(losses.text, HINT * losses.speaks(finding.cause), case.load.source)
    return replace(finding, evidence=(*finding.evidence, piece))


def _comparable(case: Case) -> tuple[CaseLoad, ...]:
    """Rates are compared by their ratio: a test of which nothing came back has none."""
    return tuple(load for load in case.others if load.received_pps > 0) if case.load.received_pps > 0 else ()


def _never_told(case: Case) -> list[str]:
    missing = []
    if not case.workers and not case.cpus:
        missing.append("what the DUT's CPUs did under load (`loadtest --dut` keeps it; `show runtime` of a router)")
    if not case.drops and not case.tells_drops:
        missing.append(DROPS_BY_REASON)
    if case.dut.has_nics and not case.dut.links:
        missing.append("the NIC's PCIe link (`host show -o dut.json` on the DUT, and `explain` with that file too)")
    if case.dut.has_nics and case.is_short and not any(nic.queue_packets for nic in case.machine.nics):
        missing.append("packets by RX queue (`dut collect` on the DUT tells whether RSS spreads them)")
    return missing
