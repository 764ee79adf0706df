"""The end of the shared router, and a generator with the OTG API for the tests of that: two ports joined by a ring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from shared_router import end_shared_router


@pytest.fixture(scope="session", autouse=True)
def _shared_router_ends() -> Iterator[None]:
    yield
    end_shared_router()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Where the RPC and the API are."""
    pytest.importorskip("wirespeed._native._core", reason="the native core is not built")
    from otg_api import serving  # noqa: PLC0415 - other tests of this folder need no snappi

    ports = ["ring:loop,speed=10G", "ring:loop,speed=10G"]
    with serving(tmp_path_factory.mktemp("otg") / "log", ports) as where:
        yield where


@pytest.fixture
def api(served: tuple[str, str]) -> Any:
    import snappi  # noqa: PLC0415 - as above

    return snappi.api(location=served[1])
