"""What several modules share; one with a fixture of its own of the same name has that one.

`core` is a router for its command line, `server` and `console` are the generator's console on its fake server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from console_server import ConsoleServer, Driver
from fake_router import FakeRouterCore


@pytest.fixture
def core() -> Iterator[FakeRouterCore]:
    made = FakeRouterCore()
    yield made
    made.close()


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
