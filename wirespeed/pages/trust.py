"""Reliability of a figure on pages: a symbol, a word and the reason."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from wirespeed.pages.words import count
from wirespeed.results.figures import MEGA, Scaler
from wirespeed.results.verdict import Figure, Mark


@dataclass(frozen=True)
class Trust:
    """A mark is always a word and a shape, never colour alone. `detail` is of one figure, the rest of all that have the
    mark."""

    shape: str
    word: str
    why: str
    detail: str = field(default="", compare=False)


_MARKS: dict[Mark, Trust] = {
    "held": Trust("●", "held", "One load ran for its whole time, and no more was lost than is allowed."),
    "estimate": Trust(
        "◆",
        "estimate",
        "The load rose from sample to sample: a mean of those that passed. The DUT's limit is higher: above the "
        "highest of them, below the next load.",
    ),
    "at least": Trust("▲", "at least this", "The figure is a lower bound."),
    "lossy": Trust("◇", "lossy", "More was lost than is allowed."),
    "irregular": Trust("✕", "irregular", "Not comparable, for the reason that is given with it."),
    "broken off": Trust("†", "broken off", "The test did not complete: the figure covers only what ran."),
    "disturbed": Trust(
        "◌",
        "disturbed",
        "The host took CPUs away in disturbed samples, which explains their loss; too few others are left.",
    ),
    "not measured": Trust("–", "not measured", ""),
}


MEANINGS = tuple(_MARKS.values())
STEPS_OF_BOTH = (
    "In both directions together a step of the ramp is twice that of one direction, so that the estimate of a "
    "bidirectional test may be the lower one."
)
"""Stands where estimates of one direction and of both are side by side."""
LEGEND = tuple(_MARKS[mark] for mark in ("held", "estimate", "at least", "lossy", "irregular", "disturbed"))
"""Marks of what archives have."""


def trust_of(figure: Figure, disturbed: int = 0, samples: int = 0, scaler: Scaler = MEGA) -> Trust:
    """`disturbed` is the number of disturbed samples among all `samples`; `scaler` has the unit of the page."""
    mark = _MARKS[figure.mark]
    if figure.mark == "at least":
        return Trust(mark.shape, f"{figure.bound}: {mark.word}", mark.why)
    if figure.mark == "disturbed" and disturbed:
        return Trust(mark.shape, f"disturbed: {disturbed} of {count(samples, 'sample')}", mark.why)
    if figure.why and figure.mark in ("irregular", "not measured"):
        return Trust(mark.shape, mark.word, f"{figure.why[:1].upper()}{figure.why[1:].rstrip('.')}.")
    return replace(mark, detail=figure.spread(scaler))
