"""Shared fixtures; a module's own fixture of the same name takes precedence.

`core` is a router for its command line, `server` and `console` are the generator's console on its fake server. Tests of
this folder do not depend on the machine's load.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from console_server import ConsoleServer, Driver
from fake_router import FakeRouterCore

from wirespeed.stolen_time import StolenTime


@pytest.fixture(autouse=True)
def nothing_stolen(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPU steal by a busy hypervisor must not disturb simulated trials."""
    monkeypatch.setattr("wirespeed.trial.machine.read_stolen_time", lambda: StolenTime(0.0, 2))


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
    """A console that has acquired the ports."""
    one = Driver(server.address)
    one("acquire")
    yield one
    if one.session.online:
        one.close()
