"""Reading `show errors`, VPP's or ours: every reason for which packets were dropped, with its count."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ROW = re.compile(
    r"\s*(?P<count>\d+)\s+(?P<node>\S+)\s+(?P<reason>.+?)\s+(?P<severity>error|warn|info|debug)\s*(?:\d+\s*)?"
)


@dataclass(frozen=True)
class ErrorCount:
    """One row; only those of severity `error` are drops."""

    count: int
    node: str
    reason: str
    severity: str


def parse_errors(text: str) -> tuple[ErrorCount, ...]:
    """The rows of `show errors`; other lines are passed over."""
    rows = (match for match in map(_ROW.fullmatch, text.splitlines()) if match)
    return tuple(ErrorCount(int(row["count"]), row["node"], row["reason"], row["severity"]) for row in rows)
