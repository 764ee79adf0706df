"""The driver of measurements: it sets up generator and DUT, keeps the journal and writes the result."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

from wirespeed.measurement.execution import Execution
from wirespeed.measurement.measurement import AResult, Measurement
from wirespeed.measurement.stand import stand_of

if TYPE_CHECKING:
    from wirespeed.lab.lab import Lab
    from wirespeed.measurement.output import Output
    from wirespeed.results.subjects import Judge
    from wirespeed.watching import Watcher


def measured(
    measurement: Measurement[Any, AResult],
    out: Output,
    watcher: Watcher[Any],
    stop: Event,
    judge: Judge,
    *,
    heeds_signals: bool = False,
    lab: Lab | None = None,
) -> tuple[AResult, str | None]:
    """Run a measurement where its options say, or on `lab`, which is up, until its end or until `stop` is set. Returns
    the result, which is kept in `out`, and the place that `out` names.

    With `heeds_signals` the caller is within `stop_on_signals`: a signal before all is up raises KeyboardInterrupt."""
    at, options = measurement.at, measurement.options
    starting = stop if heeds_signals else None
    with stand_of(at, options.testbed, options.force, measurement.lasting_s, starting, lab) as stand:
        with watcher as watch:
            journal = out.journal(measurement.goes_on)
            journal.most_s = options.most_s
            recorder = measurement.recorder(journal)
            execution = Execution(stand.client, stand.dut, watch, stop, recorder, stand.restart)
            result = measurement.run(measurement.plan.on(stand.lab, stand.device), execution)
        where = out.keep(result)
    measurement.keep_more(result, judge)
    return result, where
