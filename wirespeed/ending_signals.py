"""Signals that end a command: it stops its processes and traffic, releases its ports and keeps its results."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from wirespeed.errors import INTERRUPTED

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_last: signal.Signals | None = None
_AGAIN_S = 0.02
"""Delay after which an exception that was raised and dropped is raised again: callbacks last microseconds."""


def interruption() -> str:
    """Why a measurement ended before its time, in words: the signal that came last, if one did."""
    if _last is None:
        return "interrupted"
    return f"interrupted by {'Ctrl-C' if _last == signal.SIGINT else _last.name}"


def _note(number: int) -> None:
    global _last  # noqa: PLW0603 - signals are the process's
    _last = signal.Signals(number)


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """An event that the first SIGINT, SIGTERM or SIGHUP sets; a second one interrupts at once, whatever is going on.

    A hang-up that is ignored (nohup) stays so.
    """
    stop = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        _note(number)
        if number == signal.SIGHUP:
            _leave_terminal()
        elif stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    heeded = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, on_signal) for number in heeded}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def leave_on_signals(
    kind: type[BaseException] = SystemExit, ending: tuple[signal.Signals, ...] = (signal.SIGTERM, signal.SIGHUP)
) -> Iterator[None]:
    """Raise `kind` on signals of `ending`, at any point, so that everything open is released on the way out. An ignored
    hang-up (nohup) remains ignored. Libraries may raise another exception on their way out, as asyncio's context
    managers do; it becomes `kind` again. If Python drops the exception, as in the callback of a weak reference, it is
    raised again a moment later."""
    is_signalled = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        _note(number)
        is_signalled.set()
        for heeded in before:
            signal.signal(heeded, signal.SIG_IGN)  # the way out is not to be cut short
        if number == signal.SIGHUP:
            _leave_terminal()
        raise kind(INTERRUPTED)

    def on_dropped(dropped: sys.UnraisableHookArgs) -> None:
        if not (is_signalled.is_set() and dropped.exc_type is kind):
            report_dropped(dropped)
        elif threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGALRM, on_signal)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)

    heeded = [number for number in ending if signal.getsignal(number) is not signal.SIG_IGN]
    report_dropped, sys.unraisablehook = sys.unraisablehook, on_dropped
    before = {number: signal.signal(number, on_signal) for number in heeded}
    try:
        yield
    except Exception:
        if is_signalled.is_set():
            raise kind(INTERRUPTED) from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = report_dropped
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def leave_while_starting(stop: threading.Event) -> Iterator[None]:
    """Signals of ENDING raise KeyboardInterrupt within `stop_on_signals`, while there is nothing yet that `stop` could
    end. KeyboardInterrupt too if `stop` is set already."""
    with leave_on_signals(KeyboardInterrupt, ENDING):
        if stop.is_set():
            raise KeyboardInterrupt
        yield


def _leave_terminal() -> None:
    """Output to a closed terminal would fail, and the rest of the work with it."""
    for descriptor in (1, 2):
        # A terminal that is gone does not say any more that it is one; it is a device all the same.
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(descriptor).st_mode):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, descriptor)
                os.close(nowhere)
