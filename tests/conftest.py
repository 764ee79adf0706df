"""Settings and fixtures of all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Its import reads all modules that are loaded, for each of its fields: seconds once thousands are.
import MLRsearch  # noqa: F401
import pytest
from harness.cpus import ALL_CPUS
from headless import fresh, headless
from hypothesis import settings

# A test must not fail because the machine is busy; pytest's own time limit ends one that hangs. Nor may the result for
# a tree vary: the same tests draw the same examples each time. `make fuzz` draws others each time.
settings.register_profile("wirespeed", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("wirespeed")

# Hundreds of processes are started; without a cache each would compile its imports again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Programs of `bench` find each other as scripts do.
sys.path.append(str(Path(__file__).parent.parent / "bench"))

# Tested programs would inherit the signals that a shell ignores for background jobs, and nohup.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)  # still ignored here; a program that is started has its default again

# Order of the markers: a test is `long` or not, and if not, `alone` or not. tools/run-tests.py runs a stage for each.


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # takes half of the time of the collection of thousands of tests


def pytest_collection_finish() -> None:
    gc.freeze()  # tests live until the end: the garbage collector need not visit them
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("early") is None)
    for item in items:
        for marker in item.iter_markers("long"):
            if len(marker.args) != 1 or not isinstance(marker.args[0], str):
                raise pytest.UsageError(f'{item.nodeid}: write @pytest.mark.long("why `make test` leaves it out")')


@pytest.fixture(autouse=True)
def _leaves_the_cpus() -> Iterator[None]:
    """Programs that later tests start would have the CPUs of this process."""
    yield
    assert os.sched_getaffinity(0) == ALL_CPUS


@pytest.fixture(scope="session")
def _one_chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The browser for all tests of a process that show pages."""
    with headless(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="module")
def chromium(_one_chromium: Any) -> Any:
    """The shared browser, reset to an empty page of the default size and an empty log."""
    fresh(_one_chromium)
    return _one_chromium
