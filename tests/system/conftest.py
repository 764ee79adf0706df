"""What system tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import Sandbox, sandbox


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Sandbox]:
    """Namespaces for two hosts, and one for Linux's side of the router between them."""
    with sandbox(tmp_path) as made:
        made.namespace("h1", "h2", "dataplane")
        yield made
