"""A meter that is read during a test, and its mean over an interval."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from statistics import fmean

from wirespeed.errors import ConnectionFault
from wirespeed.power.meter import MeterFault, PowerMeter

PERIOD_S = 1.0
"""Interval at which plugs update their values."""
STALE_S = 3.0
"""A reading that is older than this says nothing of now."""
_KEPT = 4096


class PowerLog:
    """Runs from entry to exit of the `with` statement, in a thread of its own: a meter may take seconds to answer.

    Entering raises ConnectionFault for a meter that does not answer at all. Later silence is a gap.
    """

    def __init__(
        self, meter: PowerMeter, period_s: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.meter = meter
        self._period_s, self._clock = PERIOD_S if period_s is None else period_s, clock
        self._readings: deque[tuple[float, float | None]] = deque(maxlen=_KEPT)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="power", daemon=True)
        self.fault = ""

    def __enter__(self) -> PowerLog:
        try:
            self._readings.append((self._clock(), self.meter.watts()))
        except MeterFault as error:
            raise ConnectionFault(f"power meter {self.meter.name}: {error}") from None
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(self._period_s)

    def _run(self) -> None:
        while not self._ended.wait(self._period_s):
            self.read()

    def read(self) -> None:
        """One reading more; a fault is kept as a gap."""
        try:
            watts: float | None = self.meter.watts()
        except MeterFault as error:
            watts, self.fault = None, str(error)
        self._readings.append((self._clock(), watts))

    def between(self, begin_s: float, end_s: float) -> float | None:
        """Mean watts over an interval of the monotonic clock, by the readings in it or, of a short one, the last before
        its end. None when the meter was silent then."""
        readings = list(self._readings)
        inside = [watts for at_s, watts in readings if begin_s < at_s <= end_s]
        if not inside:
            before = [(at_s, watts) for at_s, watts in readings if end_s - STALE_S <= at_s <= end_s]
            inside = [before[-1][1]] if before else []
        known = [watts for watts in inside if watts is not None]
        return fmean(known) if known else None
