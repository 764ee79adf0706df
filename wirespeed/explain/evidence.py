"""How sure a verdict is: pieces of evidence, each with its weight in bits, over a prior that says *probably not*.

A piece of n bits makes a cause 2^n times as likely against its absence. `confidence` is what that comes to between 0
and 1. Weights are few, so that they can be argued about; docs/explain.md tells what each means.
"""

from __future__ import annotations

from dataclasses import dataclass

PRIOR = -3.0
PROOF = 8.0
"""A counter that counts just this, for most of what was lost."""
STRONG = 4.5
"""Seldom so without the cause. Alone it is enough to name it."""
FAIR = 2.0
"""Expected with the cause and not rare without; two of them are not enough."""
HINT = 0.7
AGAINST = -5.0
"""Seldom so if it were the cause."""
EXCLUDED = -12.0


@dataclass(frozen=True)
class Evidence:
    """A figure in words, what it weighs (bits, below 0 against), and where it is from: a file, a sample, a counter."""

    text: str
    bits: float
    source: str = ""


@dataclass(frozen=True)
class Finding:
    """What was looked at for one cause. `sentence` is the verdict if it is the one; `missing` would settle it; `next`
    is the experiment to make."""

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
        """What rules it out; there is some."""
        return min(self.speaks_against, key=lambda piece: piece.bits)
