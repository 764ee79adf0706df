"""What a target is to the exporter, and how it is asked: each by a thread of its own, for so long and no longer."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from queue import SimpleQueue
from typing import Protocol

from wirespeed.errors import UsageError
from wirespeed.exporter.told import Told

MOST_SERIES = 200_000
"""Of one target at one scrape; one that tells more is taken for one that lies."""


class Target(Protocol):
    """`name` is its label, `kind` what it is: router, generator, test, dut, power or metrics."""

    name: str
    kind: str

    def read(self) -> Told:
        """What it counts now. Any error says why it cannot be had; may hang."""


class Watched:
    """A target with its thread. One that hangs keeps that thread, and is asked nothing more until it lets go."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.restarts = 0
        self._began: object = None
        self._fault: str | None = ""
        self._requests: SimpleQueue[Future[Told]] = SimpleQueue()
        self._answer: Future[Told] | None = None
        self._asked_s = 0.0
        self._hangs = False
        threading.Thread(target=self._serve, name=f"target {target.name}", daemon=True).start()

    def begin(self) -> None:
        """Ask it, unless it has not answered the last time yet."""
        self._hangs = self._answer is not None and not self._answer.done()
        if not self._hangs:
            self._answer, self._asked_s = Future(), time.monotonic()
            self._requests.put(self._answer)

    def end(self, patience_s: float) -> Told:
        """What it told, with whether and how quickly it did. Waits until `patience_s` after `begin`; raises nothing."""
        assert self._answer is not None
        told, fault = Told(), None
        try:
            if self._hangs:
                raise Late
            told = self._answer.result(max(0.0, self._asked_s + patience_s - time.monotonic()))
            if told.series > MOST_SERIES:
                fault, told = f"it tells {told.series} series, and {MOST_SERIES} are allowed", Told()
        except Late:
            fault = f"no answer within {patience_s:g} s"
        except Exception as error:
            fault = str(error) or type(error).__name__
        took_s = time.monotonic() - self._asked_s
        self._say(fault)
        if fault is None and told.began != self._began:
            self.restarts += self._began is not None
            self._began = told.began
        labels = (self.target.name, self.target.kind)
        told.add("up", [(labels, float(fault is None))])
        told.add("scrape_duration_seconds", [(labels, took_s)])
        told.add("target_restarts_total", [(labels, self.restarts)])
        return told

    def _say(self, fault: str | None) -> None:
        """A line when it goes and when it comes back, not one a scrape."""
        if (fault is None) != (self._fault is None) or self._fault == "":
            if fault is not None:
                print(f"wirespeed: {self.target.kind} {self.target.name} is down: {fault}", file=sys.stderr, flush=True)
            elif self._fault:
                print(f"wirespeed: {self.target.kind} {self.target.name} is back", file=sys.stderr, flush=True)
        self._fault = fault

    def _serve(self) -> None:
        while True:
            answer = self._requests.get()
            try:
                told = self.target.read()
            except BaseException as error:
                answer.set_exception(error)
            else:
                answer.set_result(told)


def check_names(targets: Sequence[Target]) -> None:
    """UsageError for two targets that could not be told apart."""
    names = [target.name for target in targets]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two targets are called {name}: give one another name, as NAME=...")
