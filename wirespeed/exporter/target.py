"""A target of the exporter, asked by a thread of its own: its answers are there for whoever scrapes, with their age.

A scrape has targets asked and waits for them, `WAIT_S` at most, so that what answers at once is told as it is at the
scrape. A slower target is asked each `EACH_S` instead, and a scrape has its last answer. One that hangs keeps its
thread and is asked nothing more until it lets go.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wirespeed.errors import UsageError
from wirespeed.exporter.text import Encode, MetricsText
from wirespeed.exporter.told import TargetValues

MOST_SERIES = 200_000
"""Series of one target per scrape; a target with more is treated as down."""
WAIT_S = 0.05
"""Half of what a scrape may take (docs/telemetry.md)."""
EACH_S = 1.0
IDLE_S = 60.0
"""Nobody scrapes any more: slow targets are left alone. Prometheus scrapes each minute at the least, by default."""


class Target(Protocol):
    """`name` is its label; `kind` is router, generator, test, dut, power or metrics."""

    name: str
    kind: str

    def read(self) -> TargetValues:
        """Its present counters. Any error is the reason why they are not available; may hang."""


@dataclass(frozen=True)
class TargetAnswer:
    """`told` is empty with a `fault`. `asked_s` is on the monotonic clock; `restarts` are those noticed so far."""

    told: TargetValues
    text: MetricsText
    fault: str | None
    asked_s: float
    took_s: float
    restarts: int


class Watched:
    """A target with its thread. An answer that takes more than `patience_s` is a fault until it is there."""

    def __init__(self, target: Target, patience_s: float) -> None:
        self.target = target
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._wanted, self._wanted_s = False, time.monotonic()
        self._busy_since_s: float | None = None
        self._answer: TargetAnswer | None = None
        self._began: object = None
        self._took_s: deque[float] = deque(maxlen=2)
        self._formats: dict[str, Encode] = {}
        self._told_fault: str | None = ""
        threading.Thread(target=self._serve, name=f"target {target.name}", daemon=True).start()

    def ask(self) -> None:
        """Have it asked, unless it is being asked already or is slow: then it is asked when its time comes."""
        with self._changed:
            self._wanted_s = time.monotonic()
            self._wanted = self._wanted or (self._busy_since_s is None and not self._is_slow)
            self._changed.notify_all()

    @property
    def _is_slow(self) -> bool:
        """Twice in a row: the first answer of a process takes longer than those that follow."""
        return len(self._took_s) == 2 and min(self._took_s) > WAIT_S

    def answer(self, wait_s: float) -> tuple[TargetAnswer | None, str | None]:
        """Its last answer and its current error. Waits for a target that is not slow until `wait_s` after the request.
        None and None: the first request may still be answered."""
        with self._changed:
            if not self._is_slow:
                wait_s += min(0.0, (self._busy_since_s or math.inf) - time.monotonic())
                self._changed.wait_for(lambda: not self._wanted and self._busy_since_s is None, max(0.0, wait_s))
            answer, now_s = self._answer, time.monotonic()
            fault = answer.fault if answer is not None else None
            if self._busy_since_s is not None and now_s - self._busy_since_s >= self._patience_s:
                fault = f"no answer within {self._patience_s:g} s"
            if answer is not None or fault is not None:
                self._say(fault)
            return answer, fault

    def expect(self, media_type: str, encode: Encode) -> None:
        """Answers are to be made texts in this format before they are handed out."""
        self._formats[media_type] = encode

    def _say(self, fault: str | None) -> None:
        """A line when it goes and when it comes back, not one a scrape."""
        if (fault is None) != (self._told_fault is None) or self._told_fault == "":
            if fault is not None:
                print(f"wirespeed: {self.target.kind} {self.target.name} is down: {fault}", file=sys.stderr, flush=True)
            elif self._told_fault:
                print(f"wirespeed: {self.target.kind} {self.target.name} is back", file=sys.stderr, flush=True)
        self._told_fault = fault

    def _serve(self) -> None:
        while True:
            with self._changed:
                while not self._wanted and (rest_s := self._rest_s()) != 0:
                    self._changed.wait(rest_s)
                self._wanted, self._busy_since_s = False, time.monotonic()
            answer = self._ask()
            with self._changed:
                self._answer, self._busy_since_s = answer, None
                self._took_s.append(answer.took_s)
                self._changed.notify_all()

    def _rest_s(self) -> float | None:
        """Time until the next request without a scrape; None without one."""
        last, now_s = self._answer, time.monotonic()
        if last is None or not self._is_slow or now_s - self._wanted_s > IDLE_S:
            return None
        return max(0.0, last.asked_s + max(EACH_S, last.took_s) - now_s)

    def _ask(self) -> TargetAnswer:
        asked_s, values, fault = time.monotonic(), TargetValues(), None
        try:
            values = self.target.read()
            if values.series > MOST_SERIES:
                fault, values = f"it returns {values.series} series; at most {MOST_SERIES} are allowed", TargetValues()
        except BaseException as error:
            fault = str(error) or type(error).__name__
        before = self._answer
        restarts = before.restarts if before is not None else 0
        if fault is None:
            restarts += self._began is not None and values.began != self._began
            self._began = values.began
        text = MetricsText(values)
        for media_type, encode in list(self._formats.items()):
            text.blocks(media_type, encode)
        return TargetAnswer(values, text, fault, asked_s, time.monotonic() - asked_s, restarts)


def check_names(targets: Sequence[Target]) -> None:
    """UsageError for two targets that could not be told apart."""
    names = [target.name for target in targets]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two targets are called {name}: give one another name, as NAME=...")
