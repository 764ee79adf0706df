"""`wirespeed search`: the highest loads that a DUT carries, with their bounds."""

from __future__ import annotations

from wirespeed.cli.spliced import spliced
from wirespeed.measurement.option import bare_values
from wirespeed.measurement.search.options import SearchOptions

OPTIONAL_VALUES = bare_values(SearchOptions)
"""Options that may stand without a value, and what they mean then."""


@spliced
def command(options: SearchOptions) -> int:
    """Find NDR and PDR by MLRsearch, MRR, and latency at shares of them.

    Loads are packets per second of each direction; loss is that of all directions together. Progress goes to standard
    error. Ctrl-C stops the traffic and keeps what is known, marked as irregular. Trials are kept in FILE.part as they
    come, so that a kill loses none.
    """
    from wirespeed.cli.measuring import measure  # noqa: PLC0415 - a command starts fast

    return measure("search", options)
