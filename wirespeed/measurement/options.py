"""Options that all kinds of measurement have."""

from __future__ import annotations

from dataclasses import dataclass, fields
from inspect import Parameter, Signature, get_annotations
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from wirespeed.measurement.option import Option, declared, time_option
from wirespeed.profiles.loading import BUILTIN_NAMES

TRAFFIC, TESTBED, RESULT = "Traffic", "Tester and DUT", "Result"
"""Groups of options in help."""

Profile = Annotated[
    str,
    Option(
        "-p --profile",
        f"Profile: {', '.join(BUILTIN_NAMES)}, or a .py (executed), .yaml, .json or .pcap file.",
        stored="profile_file",
        row=1,
        setting="profile",
        place=1,
        metavar="NAME|FILE",
        group=TRAFFIC,
    ),
]
RepeatDisturbed = Annotated[
    bool | None,
    Option(
        "--repeat-disturbed/--no-repeat-disturbed",
        "Repeat disturbed trials.",
        shown="if the lab shares CPUs",
        setting="repeat_disturbed",
        place=6,
    ),
]
TUNABLES = Option(
    "-t --tunables",
    "Profile settings, such as size=64,vm=var2.",
    key="tunables",
    row=2,
    place=1,
    metavar="K=V,...",
    group=TRAFFIC,
)


AResult = TypeVar("AResult", bound=Any)


class _PlainSignature:
    """The signature of a class of options for `help`: types and defaults, without the records of the command line. Its
    own options are first."""

    def __get__(self, instance: object, owner: type) -> Signature:
        keyword, own = Parameter.KEYWORD_ONLY, get_annotations(owner)
        kinds = {one.field: one.kind for one in declared(owner)}
        ordered = sorted(fields(owner), key=lambda one: one.name not in own)
        return Signature(
            [Parameter(one.name, keyword, default=one.default, annotation=kinds[one.name]) for one in ordered]
        )


@dataclass(frozen=True, kw_only=True)
class MeasurementOptions(Generic[AResult]):
    """Options of all measurements, whose results are of class AResult. None means that an option is not given."""

    __signature__ = _PlainSignature()

    server: Annotated[
        str | None,
        Option(
            "-s --server",
            "Address of the generator or T-Rex.",
            stored="server",
            metavar="HOST[:PORT]",
            shown="127.0.0.1:4501",
            row=0,
            group=TESTBED,
        ),
    ] = None
    tunables: Annotated[str, TUNABLES] = ""
    output: Annotated[
        str,
        Option(
            "-o --output",
            "Result file.",
            stored="output_file",
            metavar="FILE",
            shown="a new file; - (stdout) in a pipe",
            row=3,
            group=RESULT,
        ),
    ] = ""
    lab: Annotated[
        str,
        Option(
            "--lab",
            "Start a lab for the test: embedded, vm[:IMAGE], linux[:af_xdp|:af_packet] (docs/campaigns.md).",
            metavar="LAB[,KEY=VALUE...]",
            shown=False,
            row=5,
            group=TESTBED,
        ),
    ] = ""
    unidirectional: Annotated[
        bool,
        Option(
            "-u --unidirectional",
            "Only the first direction of each pair of ports.",
            stored="unidirectional",
            row=5,
            group=TRAFFIC,
        ),
    ] = False
    direction: Annotated[
        str,
        Option("--direction", "Directions between paired ports.", metavar="0-1|1-0|both", row=5, group=TRAFFIC),
    ] = "both"
    ports: Annotated[
        str | None,
        Option("--ports", "Ports to use, cabled in pairs.", metavar="N,N", shown="0,1", row=5, group=TRAFFIC),
    ] = None
    directions: Annotated[
        str,
        Option(
            "--directions",
            "Directions one by one, such as 0>1,1>2,2>0.",
            key="directions",
            metavar="N>N,...",
            shown=False,
            row=5,
            place=0,
            group=TRAFFIC,
        ),
    ] = ""
    signature: Annotated[
        bool,
        Option(
            "--signature", "Count only signed frames; slows the tester.", key="signature", row=5, place=5, group=TRAFFIC
        ),
    ] = False
    line: Annotated[
        str,
        Option(
            "--line",
            "Line rate for 100%, e.g. 1G.",
            metavar="SPEED",
            row=5,
            setting="line",
            place=4,
            shown="each port's own",
            group=TRAFFIC,
        ),
    ] = ""
    dut: Annotated[
        str | None,
        Option(
            "--dut", "DUT to read counters of, e.g. router:SOCKET.", metavar="SPEC", shown="none", row=5, group=TESTBED
        ),
    ] = None
    testbed: Annotated[
        Path | None,
        Option(
            "--testbed", "Testbed file; other options override it.", metavar="FILE", shown=False, row=5, group=TESTBED
        ),
    ] = None
    power: Annotated[
        str,
        Option(
            "--power",
            "Meter: rapl, hwmon[:NAME], ipmi, shelly:HOST, tasmota:HOST, command:TEXT, constant:W.",
            metavar="METER",
            shown=False,
            row=5,
            setting="power",
            place=0,
            group=TESTBED,
        ),
    ] = ""
    force: Annotated[
        bool, Option("--force", "Acquire ports of other users; send without link.", row=5, group=TESTBED)
    ] = False
    recover: Annotated[
        Path | None,
        Option("--recover", "Write result FILE from FILE.part, after a kill.", metavar="FILE", row=5, group=RESULT),
    ] = None
    web: Annotated[bool, Option("--web", "Show the running test in the browser.", row=5, group=RESULT)] = False
    web_grace_s: Annotated[
        float,
        time_option(
            "--web-grace", "Time that open live pages stay after the test.", limits={"ge": 0}, row=5, group=RESULT
        ),
    ] = 600.0
    quiet: Annotated[bool, Option("-q --quiet", "Print neither progress nor summary.", row=5, group=RESULT)] = False

    @property
    def most_s(self) -> float:
        """Seconds of the measurement at most, without bringing a lab up."""
        raise NotImplementedError
