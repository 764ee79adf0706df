"""What all tests share."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A test must not fail because the machine is busy; pytest's own time limit ends one that hangs. Nor may a tree pass
# and fail by turns: the same tests draw the same examples. `make fuzz` draws others each time.
settings.register_profile("wirespeed", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("wirespeed")

# Programs that are tested would inherit what a shell's background jobs, and nohup, are told to ignore.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)  # still ignored here; a program that is started has its default again

REAL = ("dataplane", "system", "vm")
"""Folders of tests that run traffic, guests or daemons on CPUs which others may take for a while. One that fails there
gets a second try, and the summary names it; what fails by itself fails twice."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.path).parent.name in REAL:
            item.add_marker(pytest.mark.flaky(reruns=1, reruns_delay=5))
