"""A direction of traffic: the port that sends and the port that receives."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.errors import UsageError

_TEXT = re.compile(r"(?P<tx>\d{1,3})\s*(?:→|->|-|>)\s*(?P<rx>\d{1,3})", re.ASCII)


SUM = "sum"
"""Name of the sum of all directions."""


@dataclass(frozen=True, order=True)
class Channel:
    """Traffic sent on port `tx` and received on port `rx`."""

    tx: int
    rx: int

    def __str__(self) -> str:
        return f"{self.tx}→{self.rx}"

    @property
    def reverse(self) -> Channel:
        return Channel(self.rx, self.tx)


def parse_channel(text: str) -> Channel:
    """`0-1`, `0>1`, `0->1` or `0→1`; anything else is a UsageError."""
    match = _TEXT.fullmatch(text.strip())
    if match is None or match["tx"] == match["rx"]:
        raise UsageError(f"direction {text!r} cannot be read: give the sending and the receiving port, such as 0-1")
    return Channel(int(match["tx"]), int(match["rx"]))
