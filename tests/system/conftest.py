"""Fixtures of system tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import shared_labs
from sandbox import Sandbox, sandbox
from shared_labs import OWNER_TIMEOUT_S, RingLab, SharedLab

from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.linux import LinuxLab, unavailable


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Sandbox]:
    """Namespaces for two hosts, and one for Linux's side of the router between them."""
    with sandbox(tmp_path) as made:
        made.namespace("h1", "h2", "dataplane")
        yield made


@pytest.fixture(scope="module")
def shared_box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """`box` for the tests of one file that leave their router unchanged (`unchanged`)."""
    with sandbox(tmp_path_factory.mktemp("box")) as made:
        made.namespace("h1", "h2", "dataplane")
        yield made


@pytest.fixture(scope="session")
def shared_ring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedLab[RingLab]]:
    made = shared_labs.ring(tmp_path_factory.mktemp("ring"))
    yield made
    made.end()


@pytest.fixture
def ring(shared_ring: SharedLab[RingLab]) -> Iterator[RingLab]:
    """A generator whose two ports are the ends of one ring; tests must not end it."""
    with shared_ring.lent() as lab:
        yield lab


@pytest.fixture(scope="session")
def shared_impatient_ring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedLab[RingLab]]:
    made = shared_labs.ring(tmp_path_factory.mktemp("impatient"), "--owner-timeout", str(OWNER_TIMEOUT_S))
    yield made
    made.end()


@pytest.fixture
def impatient_ring(shared_impatient_ring: SharedLab[RingLab]) -> Iterator[RingLab]:
    """A ring that stops a port whose owner is silent for OWNER_TIMEOUT_S."""
    with shared_impatient_ring.lent() as lab:
        yield lab


@pytest.fixture(scope="session")
def shared_lab() -> Iterator[SharedLab[EmbeddedLab]]:
    made = shared_labs.embedded()
    yield made
    made.end()


@pytest.fixture
def lab(shared_lab: SharedLab[EmbeddedLab]) -> Iterator[EmbeddedLab]:
    """The embedded lab; tests must not end it. Its router sleeps while no packets come."""
    with shared_lab.lent() as lab:
        yield lab


@pytest.fixture(scope="session")
def shared_linux_lab() -> Iterator[SharedLab[LinuxLab]]:
    made = shared_labs.linux()
    yield made
    made.end()


@pytest.fixture
def linux_lab(shared_linux_lab: SharedLab[LinuxLab]) -> Iterator[LinuxLab]:
    """The Linux lab; tests must not end it."""
    if (reason := unavailable()) is not None:
        pytest.skip(f"no Linux lab: {reason}")
    with shared_linux_lab.lent() as lab:
        yield lab


@pytest.fixture
def no_linux_lab(shared_linux_lab: SharedLab[LinuxLab]) -> None:
    """For tests with a Linux lab of their own: a process can have only one at a time."""
    shared_linux_lab.end()
