"""The browser that all tests of a process look at pages with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from headless import fresh, headless


@pytest.fixture(scope="session")
def _one_chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with headless(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def chromium(_one_chromium: Any) -> Any:
    """As if it had just been started: an empty page of its usual size, and nothing logged."""
    fresh(_one_chromium)
    return _one_chromium
