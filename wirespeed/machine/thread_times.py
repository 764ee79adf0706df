"""Times of a Linux thread on its CPU, and in wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ThreadTimes:
    """A thread at one instant. Nanoseconds since it began; a wait counts in `waited_ns` once the thread runs again.
    `is_runnable`: it runs or waits; it neither sleeps nor is stopped."""

    ran_ns: int
    waited_ns: int
    is_runnable: bool


def thread_times(thread_id: int, name: str) -> ThreadTimes | None:
    """None where /proc shows no such thread of this name, or the kernel keeps no such times."""
    folder = Path(f"/proc/{thread_id}")
    try:
        state = (folder / "stat").read_text()
        ran_ns, waited_ns, _ = map(int, (folder / "schedstat").read_text().split())
    except (OSError, ValueError):
        return None
    if f"({name})" not in state:
        return None
    return ThreadTimes(ran_ns, waited_ns, f"({name}) R " in state)


def waited_s(before: ThreadTimes | None, after: ThreadTimes | None, interval_s: float) -> float:
    """Seconds of an interval in which the thread waited for its CPU; 0 if its times are not known.

    A wait that ended in the interval counts as a whole, up to the length of the interval. A thread that is waiting at
    the end and did not run in the interval counts as waiting from its beginning: packets and timers wake a sleeping
    thread, and a free CPU runs it at once."""
    if before is None or after is None:
        return 0.0
    still_waits = after.is_runnable and after.ran_ns == before.ran_ns
    waited = interval_s if still_waits else (after.waited_ns - before.waited_ns) / 1e9
    return min(waited, interval_s)
