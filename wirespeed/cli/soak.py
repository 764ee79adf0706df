"""`wirespeed soak`: a load held for minutes to days, and what that shows of the loss."""

from __future__ import annotations

from wirespeed.cli.spliced import spliced
from wirespeed.measurement.soak.options import SoakOptions


@spliced
def command(options: SoakOptions) -> int:
    """Hold a load for minutes to days; what was lost, when and by whom, and what loss ratio that shows.

    Progress goes to standard error. Ctrl-C stops the traffic and gives the verdict of what was seen. Seconds are kept
    in FILE.part as they come; --resume FILE goes on after a crash, also of this program while the traffic goes on.
    """
    from wirespeed.cli.measuring import measure  # noqa: PLC0415 - a command starts fast

    return measure("soak", options)
