"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from harness.lanes import enter_lane
from headless import fresh, headless
from hypothesis import settings

# A test must not fail because the machine is busy; pytest's own time limit ends one that hangs. Nor may a tree pass
# and fail by turns: the same tests draw the same examples. `make fuzz` draws others each time.
settings.register_profile("wirespeed", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("wirespeed")

# Hundreds of processes are started: each would compile again whatever it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Programs that are tested would inherit what a shell's background jobs, and nohup, are told to ignore.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)  # still ignored here; a program that is started has its default again

# Order of markers: a test is `long` or not, and if not, `alone` or not. tools/run-tests.py runs a stage for each.


def pytest_configure(config: pytest.Config) -> None:
    enter_lane()
    gc.disable()  # half of the time that collecting thousands of tests takes


def pytest_collection_finish() -> None:
    gc.freeze()  # tests stay to the end: nobody needs to look for them in the garbage
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for marker in item.iter_markers("long"):
            if len(marker.args) != 1 or not isinstance(marker.args[0], str):
                raise pytest.UsageError(f'{item.nodeid}: write @pytest.mark.long("why `make test` leaves it out")')


@pytest.fixture(scope="session")
def _one_chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The browser of all tests of a process that look at pages."""
    with headless(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="module")
def chromium(_one_chromium: Any) -> Any:
    """The shared browser, reset: an empty page of the usual size and an empty log."""
    fresh(_one_chromium)
    return _one_chromium
