"""DPDK's testpmd, which has other drivers at the far end of our ports."""

from __future__ import annotations

import shutil

import pytest

TESTPMD = shutil.which("dpdk-testpmd")


def needs_testpmd(untried: str) -> pytest.MarkDecorator:
    """Skips where there is none, and says what was not tried."""
    return pytest.mark.skipif(TESTPMD is None, reason=f"{untried}: apt-get install dpdk-dev")
