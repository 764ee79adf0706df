"""The console on its fake server, for the modules that have no `server` and `console` of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from console_server import ConsoleServer, Driver


@pytest.fixture
def server() -> Iterator[ConsoleServer]:
    with ConsoleServer() as one:
        yield one


@pytest.fixture
def console(server: ConsoleServer) -> Iterator[Driver]:
    """A console that has taken the ports."""
    one = Driver(server.address)
    one("acquire")
    yield one
    if one.session.online:
        one.close()
