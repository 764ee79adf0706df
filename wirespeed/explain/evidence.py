"""Confidence of a verdict: pieces of evidence, each with a weight in bits, over a prior that means *probably not*.

A piece of n bits makes a cause 2^n times as likely, relative to its absence. `confidence` is the resulting probability.
There are few weights, so that they can be discussed; docs/explain.md has the meaning of each."""

from __future__ import annotations

from dataclasses import dataclass

PRIOR = -3.0
PROOF = 8.0
"""A counter of exactly this cause, for most of the lost packets."""
STRONG = 4.5
"""Rarely seen without the cause. Sufficient on its own to name it."""
FAIR = 2.0
"""Expected with the cause, and not rare without it; two such pieces are not sufficient."""
HINT = 0.7
AGAINST = -5.0
"""Rarely seen with the cause."""
EXCLUDED = -12.0


@dataclass(frozen=True)
class Evidence:
    """A figure in words, its weight in bits (below 0 against the cause), and its source: a file, a sample, a
    counter."""

    text: str
    bits: float
    source: str = ""


@dataclass(frozen=True)
class CauseFinding:
    """The evidence for and against one cause. `sentence` is the verdict if this is the cause; `missing` names data that
    would settle it; `next` is the experiment to make."""

    cause: str
    sentence: str
    evidence: tuple[Evidence, ...]
    missing: tuple[str, ...] = ()
    next: str = ""

    @property
    def bits(self) -> float:
        return PRIOR + sum(piece.bits for piece in self.evidence)

    @property
    def confidence(self) -> float:
        return float(1 / (1 + 2.0**-self.bits))

    @property
    def speaks_for(self) -> tuple[Evidence, ...]:
        return tuple(piece for piece in self.evidence if piece.bits > 0)

    @property
    def speaks_against(self) -> tuple[Evidence, ...]:
        return tuple(piece for piece in self.evidence if piece.bits < 0)

    @property
    def heaviest_against(self) -> Evidence:
        """The strongest evidence against the cause; there has to be some."""
        return min(self.speaks_against, key=lambda piece: piece.bits)
