"""Options of the tests of stateful devices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from wirespeed.measurement.option import Option
from wirespeed.measurement.options import TUNABLES, MeasurementOptions, RepeatDisturbed
from wirespeed.measurement.rfc.options import REPEATS, TEST, TRIAL, Resolution, Show
from wirespeed.measurement.stateful.plan import TRANSPORTS
from wirespeed.measurement.stateful.result import StatefulResult


@dataclass(frozen=True, kw_only=True)
class StatefulOptions(MeasurementOptions[StatefulResult]):
    """The tests of RFC 9693 by number of flows (docs/firewalls.md). `test` names one, or is "all". `tunables` are of
    the flows: size, ip, source, destination, ports. `timeout` is a time as text, or "none". `beside` is
    empty, "none" or a file."""

    test: Annotated[str, replace(TEST, help="rate throughput frame-loss latency tear-down capacity.", unset="rate")] = (
        "all"
    )
    tunables: Annotated[str, replace(TUNABLES, help="E.g. size=64,ip=6,source=A,destination=A,ports=50k.", place=3)] = (
        ""
    )
    flows: Annotated[str, Option("--flows", "Numbers of flows.", metavar="N,N,...", key="flows")] = "1,1k,64k,1M,4M"
    addresses: Annotated[
        str, Option("--addresses", "Numbers of addresses per side.", metavar="N,N,...", key="addresses")
    ] = "1"
    protocol: Annotated[
        str,
        Option(
            "--protocol",
            "Protocol of the flows: udp (RFC 9693) or tcp.",
            metavar="NAME",
            key="protocol",
            choices=TRANSPORTS,
        ),
    ] = "udp"
    ways: Annotated[
        str, Option("--ways", "Sending sides: both, initiator, responder.", metavar="WAY,...", key="ways")
    ] = "both"
    trial_s: Annotated[float, replace(TRIAL, help="Duration of phase 2 (RFC: 60 s).")] = 60.0
    repeats: Annotated[int | None, replace(REPEATS, help="Repeats of each row.", shown="20 latency, 10 others")] = None
    resolution: Resolution = "1%"
    alpha: Annotated[
        str, Option("--alpha", "Validation rate, as share of phase 1's rate.", metavar="SHARE", setting="alpha")
    ] = "80%"
    capacity: Annotated[
        str,
        Option(
            "--capacity",
            "Capacity test.",
            metavar="K=V,...",
            shown="beta=10%,gamma=50%,error=0.1%",
            setting="capacity",
        ),
    ] = ""
    timeout: Annotated[
        str,
        Option(
            "--timeout",
            "Timeout of flows; none: ignore it.",
            metavar="TIME",
            shown="the DUT's",
            setting="timeout",
        ),
    ] = ""
    empty_command: Annotated[
        str,
        Option("--empty-command", "Command that empties the state table.", metavar="CMD", shown="by DUT"),
    ] = ""
    beside: Annotated[
        str,
        Option(
            "--beside",
            "Rows with filter off: a result, or none.",
            metavar="FILE",
            shown="measured",
            setting="beside",
        ),
    ] = ""
    show: Show = None
    repeat_disturbed: RepeatDisturbed = None

    @property
    def most_s(self) -> float:
        # Eight trials per search, each with a phase 1 of the same duration; each row with and without the filter.
        numbers = len(self.flows.split(",")) * len(self.addresses.split(","))
        repeats = self.repeats or 10
        return 2 * numbers * repeats * 8 * (2 * self.trial_s + 30.0) * (1 + 2 * len(self.ways.split(",")))


OPTIONS = StatefulOptions
