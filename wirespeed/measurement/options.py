"""Options that all kinds of measurement have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from wirespeed.measurement.option import Option
from wirespeed.profiles.loading import BUILTIN_NAMES
from wirespeed.units import parse_duration

Profile = Annotated[
    str,
    Option(
        "-p --profile",
        f"Built-in: {', '.join(BUILTIN_NAMES)}; or a file: .py (is run), .yaml, .json, .pcap.",
        stored="profile_file",
        row=1,
        setting="profile",
        place=1,
    ),
]
RepeatDisturbed = Annotated[
    bool | None,
    Option(
        "--repeat-disturbed/--no-repeat-disturbed",
        "Repeat trials whose loss preemption of a CPU explains, and count them apart.",
        shown="on in a --lab that shares its CPUs with the tester",
        setting="repeat_disturbed",
        place=6,
    ),
]
TUNABLES = Option(
    "-t --tunables",
    "Tunables of the profile, as size=64,vm=var2.",
    stored="tunables",
    row=2,
    setting="tunables",
    place=1,
)


AResult = TypeVar("AResult", bound=Any)


@dataclass(frozen=True, kw_only=True)
class MeasurementOptions(Generic[AResult]):
    """What is measured where, and what becomes of the result, which is of class AResult. None is an option that is not
    given."""

    server: Annotated[
        str | None,
        Option(
            "-s --server",
            "Generator to use, wirespeed's or a T-Rex.",
            stored="server",
            metavar="HOST[:PORT]",
            shown="127.0.0.1:4501",
            row=0,
        ),
    ] = None
    tunables: Annotated[str, TUNABLES] = ""
    output: Annotated[
        str,
        Option(
            "-o --output",
            "File for the result; - is standard output.",
            stored="output_file",
            metavar="FILE",
            shown="on a terminal a file named after the test, else -",
            row=3,
        ),
    ] = ""
    lab: Annotated[
        str,
        Option(
            "--lab",
            "Bring up this lab on this machine for the test, with its own generator and router; mtu=9000 for jumbo "
            "frames; embedded also takes queues= descriptors= program= config= exec= (docs/campaigns.md; vm: "
            "docs/vm-dut.md).",
            metavar="embedded|linux[:af_xdp|:af_packet][,mtu=N]|vm[:IMAGE]",
            shown=False,
            row=5,
        ),
    ] = ""
    unidirectional: Annotated[
        bool,
        Option("-u --unidirectional", "Send in the first direction of the ports only.", stored="unidirectional", row=5),
    ] = False
    direction: Annotated[
        str, Option("--direction", "Which way to send between a pair of ports.", metavar="0-1|1-0|both", row=5)
    ] = "both"
    ports: Annotated[
        str | None,
        Option("--ports", "The ports, cabled in pairs, such as 2,3 or 0,1,2,3.", metavar="N,N", shown="0,1", row=5),
    ] = None
    directions: Annotated[
        str,
        Option(
            "--directions",
            "Each direction by itself, such as 0>1,1>2,2>0, in place of ports and direction.",
            stored="wires",
            metavar="N>N,...",
            shown=False,
            row=5,
            setting="directions",
            place=0,
        ),
    ] = ""
    signature: Annotated[
        bool,
        Option(
            "--signature",
            "Count test frames only, by a signature of 16 bytes at the end of the payload with a sequence number; "
            "duplicates and reordered frames are counted apart. Short frames have it in the IP ID, without a number. "
            "Lowers the maximum rate of the tester.",
            stored="verify",
            row=5,
            setting="signature",
            place=5,
        ),
    ] = False
    line: Annotated[
        str,
        Option(
            "--line",
            "The line to take percent of, such as 1G; else each port's own.",
            metavar="SPEED",
            row=5,
            setting="line",
            place=4,
        ),
    ] = ""
    dut: Annotated[
        str | None,
        Option(
            "--dut",
            "DUT to read during the test: router:/path/router.sock, linux:netns=NAME or none.",
            metavar="SPEC",
            shown="none",
            row=5,
        ),
    ] = None
    testbed: Annotated[
        Path | None,
        Option(
            "--testbed",
            "Tester, cabling and DUT from this file (docs/testbed.md); other options override it.",
            metavar="FILE",
            shown=False,
            row=5,
        ),
    ] = None
    power: Annotated[
        str,
        Option(
            "--power",
            "Watts beside each sample: rapl, hwmon[:NAME], ipmi, shelly:HOST, tasmota:HOST, command:TEXT, constant:W.",
            metavar="METER",
            shown=False,
            row=5,
            setting="power",
            place=0,
        ),
    ] = ""
    force: Annotated[bool, Option("--force", "Take the ports from their owner; send without a link.", row=5)] = False
    recover: Annotated[
        Path | None,
        Option(
            "--recover", "Make the result file of a test that did not end, from its journal.", metavar="FILE", row=5
        ),
    ] = None
    web: Annotated[
        bool, Option("--web", "Show the test in the browser while it runs; standard error says where.", row=5)
    ] = False
    web_grace_s: Annotated[
        float,
        Option(
            "--web-grace",
            "Longest time that an open live page stays after the test.",
            metavar="TIME",
            parse=parse_duration,
            limits={"ge": 0},
            row=5,
        ),
    ] = 600.0
    quiet: Annotated[bool, Option("-q --quiet", "Show neither progress nor summary.", row=5)] = False

    @property
    def most_s(self) -> float:
        """Seconds of the measurement at most, without bringing a lab up."""
        raise NotImplementedError
