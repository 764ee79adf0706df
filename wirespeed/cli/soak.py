"""`wirespeed soak`: a load held for minutes to days, and what that shows of the loss."""

from __future__ import annotations

from wirespeed.cli.spliced import spliced
from wirespeed.measurement.soak.options import SoakOptions


@spliced
def command(options: SoakOptions) -> int:
    """Hold a load for minutes to days; report losses by time and cause, and the loss ratio that it demonstrates.

    Ctrl-C stops the traffic and gives the verdict so far. Until the end FILE.part has the seconds; --resume FILE
    continues after a crash, also of this command while the traffic goes on.
    """
    from wirespeed.cli.measuring import measure  # noqa: PLC0415 - a command starts fast

    return measure("soak", options)
