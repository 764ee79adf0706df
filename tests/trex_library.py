"""T-Rex's own client, with which wirespeed's is compared where it is available."""

from __future__ import annotations

import sys

import pytest


def need_trex_library() -> None:
    """Skip the test if T-Rex's client is missing or cannot be imported."""
    pytest.importorskip("lbr_trex_client", reason="T-Rex's client is not installed")
    if sys.version_info >= (3, 12):
        pytest.skip("T-Rex's client brings a scapy that Python 3.12 and later cannot import", allow_module_level=True)
