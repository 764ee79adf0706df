"""Effects of a signal that ends a command."""

from __future__ import annotations

import errno
import os
import signal
import time
import weakref

import pytest

from wirespeed.ending_signals import interruption, leave_on_signals, stop_on_signals
from wirespeed.errors import INTERRUPTED
from wirespeed.standard_output import OutputLost


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_is_open_is_given_back_and_a_second_signal_does_not_cut_that_short(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirespeed.ending_signals._leave_terminal", lambda: None)
    before = signal.getsignal(number)
    given_back = []
    with pytest.raises(SystemExit) as ended, leave_on_signals():
        try:
            signal.raise_signal(number)
        finally:
            signal.raise_signal(number)
            given_back.append("port")
    assert ended.value.code == INTERRUPTED
    assert given_back == ["port"]
    assert signal.getsignal(number) is before


def test_one_that_comes_where_python_drops_what_is_raised_ends_the_command_all_the_same() -> None:
    class Held:
        pass

    held = Held()
    reference = weakref.ref(held, lambda _: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(SystemExit) as ended, leave_on_signals():
        del held
        assert reference() is None
        time.sleep(10.0)
        pytest.fail("it went on")
    assert ended.value.code == INTERRUPTED


@pytest.mark.parametrize(
    ("number", "told"), [(signal.SIGINT, "interrupted by Ctrl-C"), (signal.SIGTERM, "interrupted by SIGTERM")]
)
def test_the_signal_that_ended_a_measurement_is_named(number: signal.Signals, told: str) -> None:
    with stop_on_signals() as stop:
        signal.raise_signal(number)
        assert stop.is_set() and interruption() == told


def test_a_hang_up_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with leave_on_signals():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_is_wrong_with_the_output_is_known_in_words() -> None:
    lost = OutputLost(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert lost.strerror == "No space left on device"
    assert str(lost) == "standard output cannot be written: No space left on device"


def test_what_a_library_makes_of_it_on_the_way_out_is_no_other_error() -> None:
    with pytest.raises(SystemExit) as ended, leave_on_signals():
        try:
            signal.raise_signal(signal.SIGTERM)
        except SystemExit:
            raise RuntimeError("generator didn't stop after athrow()") from None
    assert ended.value.code == INTERRUPTED


def test_errors_without_a_signal_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match="broken"), leave_on_signals():
        raise RuntimeError("broken")
