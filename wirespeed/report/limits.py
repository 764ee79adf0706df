"""What limited a test, in the one word that a cell has room for."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.results.verdict import LimitedBy

LIMIT_WORDS: Mapping[LimitedBy, str] = {
    "line": "line",
    "dut": "DUT",
    "tester": "tester",
    "host": "host",
    "nothing": "nothing",
    "unknown": "unknown",
}
"""In the order in which a legend has them. `nothing`: not offered more."""
