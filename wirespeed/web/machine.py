"""A router or generator that is polled only while its page is open."""

from __future__ import annotations

import hashlib
import time
from datetime import UTC, datetime
from typing import Any

from wirespeed.exporter.target import WAIT_S, Target, Watched
from wirespeed.exporter.told import TargetValues
from wirespeed.measurement.followed import Frame
from wirespeed.web.machine_frames import machine_frame

EACH_S = 1.0
PATIENCE_S = 2.0
"""Time without an answer after which it counts as silent."""
MOST_FRAMES = 3600
"""An hour; then the older half is let go."""
_AWAY_S = 5.0
"""Time without an open page after which the series begins again, since a rate over the gap would be meaningless."""


class FollowedMachine:
    """Looked at as a test that is followed is: `head`, `frames`, how it stands, and `epoch`, which grows when the
    frames are others than before."""

    def __init__(self, target: Target, wait_s: float = WAIT_S) -> None:
        """A look waits `wait_s` for the target; what comes later is in the next one."""
        self.id = hashlib.sha256(f"machine {target.kind} {target.name}".encode()).hexdigest()[:16]
        self.name = target.name
        self.kind = target.kind
        self.head: dict[str, Any] = {}
        self.frames: list[Frame] = []
        self.running = False
        self.status = "waiting"
        self.verdicts: tuple[str, ...] = ()
        self.figures: tuple[dict[str, str], ...] = ()
        self.fault = ""
        self.epoch = 0
        self._watched = Watched(target, PATIENCE_S)
        self._wait_s = wait_s
        self._before: TargetValues | None = None
        self._asked_s = 0.0
        self._began_s = 0.0

    def look(self) -> None:
        """Ask it, at most once a second. Never raises: `fault` says why it does not answer."""
        if time.monotonic() - self._asked_s < EACH_S and self._before is not None:
            return
        self._watched.ask()
        answer, fault = self._watched.answer(self._wait_s)
        if fault is not None:
            self.running, self.fault, self._before = False, fault, None
        if answer is None or fault is not None or answer.asked_s == self._asked_s:
            return
        values, now_s = answer.told, answer.asked_s
        since_s, self._asked_s = now_s - self._asked_s, now_s
        self.running, self.status, self.fault = True, "running", ""
        if self._before is None or values.began != self._before.began or since_s > _AWAY_S:
            self._begin(now_s)
        else:
            self.frames.append(machine_frame(self._before, values, since_s, now_s - self._began_s))
            if len(self.frames) > MOST_FRAMES:
                self.frames = self.frames[MOST_FRAMES // 2 :]
                self.epoch += 1
        self._before = values

    def _begin(self, now_s: float) -> None:
        self.frames, self._began_s = [], now_s
        self.epoch += 1
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self.head = {"name": self.name, "kind": self.kind, "started": started, "load": "", "dut": ""}
