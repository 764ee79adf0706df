"""`wirespeed loadtest`: warm up, ramp the load linearly, hold it; write a result file."""

from __future__ import annotations

from wirespeed.cli.spliced import spliced
from wirespeed.measurement.loadtest.options import LoadtestOptions
from wirespeed.measurement.option import bare_values

OPTIONAL_VALUES = bare_values(LoadtestOptions)
"""Options that may stand without a value, and what they mean then."""


@spliced
def command(options: LoadtestOptions) -> int:
    """Warm up, ramp the load linearly, hold it; write a result file.

    Ctrl-C stops the traffic and keeps what was measured. Until the end FILE.part has the samples, even after a kill.
    """
    from wirespeed.cli.measuring import measure  # noqa: PLC0415 - a command starts fast

    return measure("loadtest", options)
