"""Options of the tests of stateful devices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from wirespeed.measurement.option import Option
from wirespeed.measurement.options import MeasurementOptions, RepeatDisturbed
from wirespeed.measurement.stateful.result import StatefulResult
from wirespeed.units import parse_duration

FLOWS = "1,1k,64k,1M"
TRIAL_S = 60.0


@dataclass(frozen=True, kw_only=True)
class StatefulOptions(MeasurementOptions[StatefulResult]):
    """The tests of RFC 9693 by number of flows (docs/firewalls.md). `test` names one, or is "all"."""

    test: Annotated[
        str,
        Option(
            "",
            "rate, throughput, frame-loss, latency or all.",
            metavar="[TEST]",
            row=-1,
            setting="test",
            place=-1,
            unset="rate",
        ),
    ] = "all"
    flows: Annotated[
        str, Option("--flows", "Numbers of flows.", metavar="N,N,...", stored="flows", setting="flows")
    ] = FLOWS
    ways: Annotated[
        str,
        Option(
            "--ways",
            "Senders over the states.",
            metavar="both,initiator,responder",
            stored="ways",
            setting="ways",
        ),
    ] = "both"
    size: Annotated[
        int | None,
        Option(
            "--size",
            "Frame size.",
            metavar="N",
            shown="64, IPv6 82",
            stored="size",
            setting="size",
            limits={"ge": 64},
        ),
    ] = None
    trial_s: Annotated[
        float,
        Option(
            "--trial",
            "Trial over the states (RFC: 60 s).",
            metavar="TIME",
            parse=parse_duration,
            setting="trial_s",
            limits={"gt": 0},
        ),
    ] = TRIAL_S
    repeats: Annotated[
        int | None,
        Option(
            "--repeats",
            "Repeats of each figure.",
            metavar="N",
            shown="20 latency, 10 others, or fewer",
            setting="repeats",
            limits={"ge": 1},
        ),
    ] = None
    resolution: Annotated[
        str, Option("--resolution", "Precision of searches.", metavar="SHARE", setting="resolution")
    ] = "1%"
    alpha: Annotated[
        str,
        Option("--alpha", "Validation at this share of the rate.", metavar="SHARE", setting="alpha"),
    ] = "80%"
    opening: Annotated[
        str,
        Option(
            "--opening", "Share of the rate that opens flows for the other tests.", metavar="SHARE", setting="opening"
        ),
    ] = "50%"
    rest_s: Annotated[
        float,
        Option(
            "--rest",
            "Pause before each trial.",
            metavar="TIME",
            parse=parse_duration,
            setting="rest_s",
            limits={"ge": 0},
        ),
    ] = 0.5
    initiator: Annotated[
        str,
        Option(
            "--initiator",
            "First source address.",
            metavar="ADDRESS",
            shown="16.0.0.1, IPv6 2001:2::1",
            setting="initiator",
        ),
    ] = ""
    responder: Annotated[
        str,
        Option(
            "--responder",
            "First destination address.",
            metavar="ADDRESS",
            shown="48.0.0.1, IPv6 2001:2:0:8000::1",
            setting="responder",
        ),
    ] = ""
    addresses: Annotated[
        int,
        Option("--addresses", "Addresses of each side.", metavar="N", setting="addresses", limits={"ge": 1}),
    ] = 1
    source_ports: Annotated[
        int,
        Option(
            "--source-ports",
            "Source ports, the same for all flows.",
            metavar="N",
            setting="source_ports",
            limits={"ge": 1},
        ),
    ] = 50_000
    ip6: Annotated[bool, Option("--ip6", "IPv6.", stored="ip6", setting="ip6")] = False
    timeout_s: Annotated[
        float | None,
        Option(
            "--timeout",
            "UDP timeout of the DUT.",
            metavar="TIME",
            parse=parse_duration,
            shown="as the DUT tells",
            setting="timeout_s",
            limits={"gt": 0},
        ),
    ] = None
    over_timeout: Annotated[
        bool,
        Option("--over-timeout", "Send also where flows time out; results say so.", setting="over_timeout"),
    ] = False
    empty_command: Annotated[
        str,
        Option("--empty-command", "Command to empty the state table (a DUT that is read has its own).", metavar="CMD"),
    ] = ""
    without_filter: Annotated[
        bool,
        Option(
            "--without-filter/--no-without-filter",
            "Measure each row again with the filter off, in a lab.",
            setting="without_filter",
        ),
    ] = True
    beside: Annotated[
        Path | None,
        Option(
            "--beside", "Result of the same test with the filter off, for its rows.", metavar="FILE", group="Result"
        ),
    ] = None
    text: Annotated[Path | None, Option("--text", "Write the report as text too.", metavar="FILE", group="Result")] = (
        None
    )
    show: Annotated[
        Path | None,
        Option("--show", "Print the report of this result, and exit.", metavar="FILE", group="Result"),
    ] = None
    repeat_disturbed: RepeatDisturbed = None

    @property
    def most_s(self) -> float:
        # Eight trials a search, of the trial and as much for phase 1; each row twice.
        numbers, repeats = len(self.flows.split(",")), self.repeats or 10
        return 2 * numbers * repeats * 8 * (2 * self.trial_s + 30.0) * (1 + 2 * len(self.ways.split(",")))


OPTIONS = StatefulOptions
