"""The chart of a burst test: loss of each burst over its length, and the device's telemetry."""

from __future__ import annotations

from wirespeed.charts.chart import Band, Chart, Panel, short
from wirespeed.charts.colours import COLOURS
from wirespeed.charts.dut_panels import account_of_trials, panels_of
from wirespeed.charts.sampled import Dot, blank, device_panels, sampled
from wirespeed.charts.scales import loss_floor, loss_scale
from wirespeed.measurement.burst.result import BurstResult
from wirespeed.measurement.load import subject_of
from wirespeed.results.figures import losses_text

LOSS_PX = 260


def burst_chart(identity: str, result: BurstResult, sentence: str) -> Chart:
    """Loss over length in frames, one point per burst; the interval of the result is shaded."""
    floor = loss_floor((one.judged.lost_ratio for one in result.trials), [])
    dots = [
        Dot(
            True,
            trial.frames,
            max(trial.judged.lost_ratio, floor),
            f"burst {trial.number}: {losses_text(trial.judged.lost_ratio, trial.judged.not_sent_ratio)}",
        )
        for trial in result.trials
    ]
    style = blank(result.name, COLOURS[0], "bursts", of=result.name)
    accounts = [account_of_trials(result.name, [(one.frames, one.trial) for one in result.trials])]
    ends = [float(frames) for frames in (result.longest, result.lossy) if frames is not None]
    bands = [Band("longest burst", short(ends[0]), short(ends[-1]), COLOURS[1], "longest")] if ends else []
    return Chart(
        identity=identity,
        sentence=sentence,
        x_title="frames of each direction in a burst",
        x_unit="frames",
        panels=(
            Panel("loss of what was offered", "", LOSS_PX, tuple(sampled(dots, style)), loss_scale(floor)),
            *device_panels(panels_of(accounts), accounts, {result.name: style}, 1.0),
        ),
        bands=tuple(bands),
        title=f"Burst, {subject_of(result)}",
    )
