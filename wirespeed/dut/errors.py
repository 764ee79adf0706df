"""Reads `show errors` of VPP or wirespeed: every drop reason with its count."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ROW = re.compile(
    r"\s*(?P<count>\d{1,20})\s+(?P<node>\S+)\s+(?P<reason>.+?)\s+(?P<severity>error|warn|info|debug)\s*(?:\d+\s*)?"
)
_ROW_WITHOUT = re.compile(r"\s*(?P<count>\d{1,20})\s+(?P<node>\S+)\s+(?P<reason>\S.*?)\s*")
_HEAD = re.compile(r"\s*Count\s+Node\s+Reason\s*")
UNTOLD = "untold"


@dataclass(frozen=True)
class ErrorCount:
    """One row; only those of severity `error` are drops. Old releases do not tell it (UNTOLD)."""

    count: int
    node: str
    reason: str
    severity: str


def parse_errors(text: str) -> tuple[ErrorCount, ...]:
    """The rows of `show errors`; other lines are passed over."""
    is_old = any(_HEAD.fullmatch(line) for line in text.splitlines())
    rows = [match for match in map((_ROW_WITHOUT if is_old else _ROW).fullmatch, text.splitlines()) if match]
    return tuple(
        ErrorCount(int(row["count"]), row["node"], row["reason"], UNTOLD if is_old else row["severity"]) for row in rows
    )
