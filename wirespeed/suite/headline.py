"""What a result found, in a few words, for the line of its cell."""

from __future__ import annotations

from pathlib import Path

from wirespeed.errors import WirespeedError
from wirespeed.results.analysis import analyse
from wirespeed.results.figures import rate_text
from wirespeed.results.file import AnyResult, read_file
from wirespeed.results.loadtest import Result
from wirespeed.results.search import SearchResult


def headline(file: Path) -> str:
    """Empty for a file that cannot be read."""
    try:
        return _words(read_file(file))
    except WirespeedError:
        return ""


def _words(result: AnyResult) -> str:
    if isinstance(result, Result):
        both = analyse(result).curves[-1]
        limit = ", the tester was the limit" if both.tester_limited else ""
        return f"{rate_text(both.max_pps)} received{limit}"
    if isinstance(result, SearchResult):
        return ", ".join(f"{goal.goal.name.upper()} {rate_text(goal.lower_pps)}" for goal in result.goals)
    return ""
