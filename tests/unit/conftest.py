"""What several modules share; one with a fixture of its own of the same name has that one.

`core` is a router for its command line, `server` and `console` are the generator's console on its fake server. No test
of this folder is judged by what the machine it runs on had taken from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from console_server import ConsoleServer, Driver
from fake_router import FakeRouterCore

from wirespeed.stolen_time import StolenTime


@pytest.fixture(autouse=True)
def nothing_stolen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hypervisor that is busy beside the tests spoils no simulated trial."""
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
    """A console that has taken the ports."""
    one = Driver(server.address)
    one("acquire")
    yield one
    if one.session.online:
        one.close()
