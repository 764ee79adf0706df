"""`wirespeed rfc2544`: the benchmarks of RFC 2544 and of those that update it."""

from __future__ import annotations

from wirespeed.cli.spliced import spliced
from wirespeed.measurement.rfc2544.options import Rfc2544Options


@spliced
def command(options: Rfc2544Options) -> int:
    """Benchmarks of RFC 2544, 9004 (bursts), 6201 (reset), 5180 (IPv6) by size.

    Results name each difference from the RFC. Ctrl-C stops the traffic and keeps what is known. Until the end FILE.part
    has the trials.
    """
    from wirespeed.cli.measuring import measure  # noqa: PLC0415 - a command starts fast

    if options.show is not None and options.recover is None:
        from wirespeed.measurement.rfc2544.kind import text_of  # noqa: PLC0415

        print(text_of(options.show), end="")
        return 0
    return measure("rfc2544", options)
