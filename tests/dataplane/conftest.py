"""The ends of the shared router and of the shared generator with the OTG API, and fixtures for the latter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from shared_otg import end_shared_otg, shared_otg
from shared_router import end_shared_router


@pytest.fixture(scope="session", autouse=True)
def _shared_programs_end() -> Iterator[None]:
    yield
    end_shared_otg()
    end_shared_router()


@pytest.fixture(scope="module", autouse=True)
def _otg_ends_after_its_tests(request: pytest.FixtureRequest) -> None:
    """The generator polls its ports; it ends before other tests."""
    if not request.path.name.startswith("test_otg"):
        end_shared_otg()


@pytest.fixture(scope="module")
def served() -> tuple[str, str]:
    """Addresses of the shared generator's RPC and API."""
    pytest.importorskip("wirespeed._native._core", reason="the native core is not built")
    return shared_otg()


@pytest.fixture
def api(served: tuple[str, str]) -> Any:
    import snappi  # noqa: PLC0415 - other tests of this folder need no snappi

    return snappi.api(location=served[1])
