"""Options of the tests of RFC 2544."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from wirespeed.measurement.option import Option
from wirespeed.measurement.options import TUNABLES, MeasurementOptions, RepeatDisturbed
from wirespeed.measurement.rfc.options import REPEATS, TEST, TRIAL, Resolution, Show
from wirespeed.measurement.rfc2544.result import Rfc2544Result

SIZES = "64,128,256,512,1024,1280,1518"
"""RFC 2544 clause 9.1."""


@dataclass(frozen=True, kw_only=True)
class Rfc2544Options(MeasurementOptions[Rfc2544Result]):
    """The tests of RFC 2544, 9004 and 6201 by frame size (docs/rfc2544.md). `test` names one, or is "all"."""

    test: Annotated[
        str,
        replace(
            TEST, help="throughput, latency, frame-loss, back-to-back, recovery, reset or all.", unset="throughput"
        ),
    ] = "all"
    sizes: Annotated[str, Option("--sizes", "Frame sizes or imix.", key="sizes", metavar="N,N,...", shown=SIZES)] = ""
    trial_s: Annotated[float, TRIAL] = 60.0
    repeats: Annotated[int | None, replace(REPEATS, shown="latency 3-20, bursts 3-50, others 3")] = None
    resolution: Resolution = "1%"
    waits: Annotated[
        str,
        Option("--waits", "Seconds to learn, drain, settle.", metavar="S,S,S", shown="2,2,5 or less", setting="waits"),
    ] = ""
    ip6: Annotated[bool, Option("--ip6", "Send IPv6, addresses in 2001:2::/48 (RFC 5180).", key="ip6", place=3)] = False
    tunables: Annotated[str, replace(TUNABLES, place=3)] = ""
    reset_command: Annotated[
        str,
        Option("--reset-command", "Command that resets the DUT (lab: not needed).", metavar="CMD"),
    ] = ""
    text: Annotated[Path | None, Option("--text", "Also write the report as text.", metavar="FILE", group="Result")] = (
        None
    )
    show: Show = None
    repeat_disturbed: RepeatDisturbed = None

    @property
    def most_s(self) -> float:
        # A binary search to 1 % needs seven trials, the other tests about as many again.
        sizes = len((self.sizes or SIZES).split(","))
        return sizes * 7 * (self.trial_s + 2.0) * (1 if self.test == "throughput" else 2)


OPTIONS = Rfc2544Options
