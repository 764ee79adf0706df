"""The steps that runs of all kinds share: trials, progress, journal, waits, and the whole result at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, TypeVar

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.dut.dut import Dut, with_texts
from wirespeed.results.ending import Ending
from wirespeed.results.measurement import MeasurementResult
from wirespeed.trial.load import TrialLoad
from wirespeed.trial.plan import MeasurementPlan
from wirespeed.trial.tester import Tester
from wirespeed.trial.trial import Trial

AResult = TypeVar("AResult", bound=MeasurementResult)


@dataclass
class Execution:
    """A run of a plan on ports of the connected `client`. `dut` (prepared) is read, and `restart` restarts its process,
    if this program started it. `watch` gets the progress. `recorder` keeps the head of the result and its entries: a
    Recorder, of a soak a SoakJournal. Once `stop` is set, waits raise KeyboardInterrupt."""

    client: GeneratorClient
    dut: Dut | None = None
    watch: Callable[[Any], None] | None = None
    stop: Event = field(default_factory=Event)
    recorder: Any = None
    restart: Callable[[], None] | None = None
    began_s: float = field(default_factory=time.monotonic)

    @property
    def spent_s(self) -> float:
        return time.monotonic() - self.began_s

    def trial(self, plan: MeasurementPlan, load: TrialLoad, tester: Tester | None = None, **settings: Any) -> Trial:
        """A trial of `load` on the ports of the plan, or of `tester`; `settings` are those of Trial."""
        return Trial(
            tester or Tester(self.client, plan.directions),
            load,
            dut=self.dut,
            line_bps=plan.line_bps,
            stop=self.stop,
            **{"force": plan.force, "ring_slots": plan.lab.ring_slots or 0, **settings},
        )

    def begin(self, head: MeasurementResult) -> None:
        if self.recorder is not None:
            self.recorder.begin(head)

    def keep(self, entry: Any) -> None:
        if self.recorder is not None:
            self.recorder.add(entry)

    def tell(self, progress: Any) -> None:
        if self.watch is not None:
            self.watch(progress)

    def wait(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise KeyboardInterrupt

    def result(self, head: AResult, ending: Ending, notes: Iterable[str], **parts: Any) -> AResult:
        """The whole result: `head` with its `parts`, the texts of the DUT, and the end."""
        ending = replace(ending, started=head.ending.started, notes=tuple(notes))
        return replace(head, dut=with_texts(head.dut, self.dut), ending=ending, **parts)
