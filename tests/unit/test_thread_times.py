"""Times of threads on their CPU and waiting for it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from harness.waiting import wait_for

from wirespeed.machine.thread_times import ThreadTimes, thread_times, waited_s


@pytest.mark.parametrize(
    ("before", "after", "waited"),
    [
        ((50, 0, False), (50, 0, False), 0.0),  # it sleeps
        ((50, 0, True), (50, 0, True), 0.5),  # the wait began before and is not over
        ((50, 0, False), (50, 0, True), 0.5),  # began within
        ((50, 0, True), (50, 0, False), 0.0),  # it was stopped
        ((50, 0, True), (90, 200_000_000, True), 0.2),
        ((50, 0, True), (90, 900_000_000, False), 0.5),  # most of it was before
    ],
)
def test_a_wait_counts_where_it_ends(
    before: tuple[int, int, bool], after: tuple[int, int, bool], waited: float
) -> None:
    assert waited_s(ThreadTimes(*before), ThreadTimes(*after), 0.5) == waited
    assert waited_s(None, ThreadTimes(*after), 0.5) == waited_s(ThreadTimes(*before), None, 0.5) == 0.0


def test_a_thread_that_runs_and_one_that_sleeps() -> None:
    mine, done = threading.get_native_id(), threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    name = Path(f"/proc/{mine}/comm").read_text().strip()
    try:
        assert other.native_id is not None
        asleep = wait_for(lambda: _asleep(other.native_id or 0, name), "the other thread's sleep")
        running = thread_times(mine, name)
        assert asleep.ran_ns > 0
        assert running is not None and running.is_runnable
        assert thread_times(mine, "ws_wk_0") is None
        assert thread_times(0, name) is None
    finally:
        done.set()
        other.join()


def _asleep(thread_id: int, name: str) -> ThreadTimes | None:
    times = thread_times(thread_id, name)
    return times if times is not None and not times.is_runnable else None
