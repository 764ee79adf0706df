"""`wirespeed rfc2544`: the benchmarks of RFC 2544 and of those that update it."""

from __future__ import annotations

from wirespeed.cli.spliced import spliced
from wirespeed.measurement.rfc2544.options import Rfc2544Options


@spliced
def command(options: Rfc2544Options) -> int:
    """Measure as RFC 2544 has it, with RFC 9004 (bursts), 6201 (reset) and 5180 (IPv6), by frame size.

    Loads are frames per second of each direction, both at once unless -u. Where a test differs from the RFC, as by
    shorter trials, its result says so. Ctrl-C stops the traffic and keeps what is known. Trials are kept in FILE.part
    as they come, so that a kill loses none.
    """
    from wirespeed.cli.measuring import measure  # noqa: PLC0415 - a command starts fast

    if options.show is not None and options.recover is None:
        from wirespeed.measurement.rfc2544.kind import text_of  # noqa: PLC0415

        print(text_of(options.show), end="")
        return 0
    return measure("rfc2544", options)
