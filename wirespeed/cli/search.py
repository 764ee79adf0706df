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

    Loads are per direction, losses of all together. Ctrl-C stops the traffic and keeps what is known, marked as
    irregular. Until the end FILE.part has the trials.
    """
    from wirespeed.cli.measuring import measure  # noqa: PLC0415 - a command starts fast

    return measure("search", options)
