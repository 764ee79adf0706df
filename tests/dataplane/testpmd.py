"""DPDK's testpmd, which has other drivers at the far end of wirespeed's ports."""

from __future__ import annotations

import shutil

import pytest

TESTPMD = shutil.which("dpdk-testpmd")


def needs_testpmd(untried: str) -> pytest.MarkDecorator:
    """Skips if it is not installed, and says what was not tested."""
    return pytest.mark.skipif(TESTPMD is None, reason=f"{untried}: apt-get install dpdk-dev")
