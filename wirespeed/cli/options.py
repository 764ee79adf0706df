"""Options that several commands share, spelled once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from wirespeed.units import parse_duration


def reading(parse: Callable[[str], float]) -> Callable[[str | float], float]:
    """`parse` as the option parser needs it, which hands it defaults too."""

    def read(value: str | float) -> float:
        return parse(value) if isinstance(value, str) else value

    return read


seconds = reading(parse_duration)
"""Reads a duration."""

CpuOption = Annotated[
    str,
    typer.Option(
        "-c",
        "--cpu",
        metavar="N[,N]",
        help="CPUs of the workers, e.g. 1 or 2,3 or 2-5. Default: the last one.",
    ),
]
MainCpuOption = Annotated[
    str,
    typer.Option("--main-cpu", metavar="N[,N]", help="CPUs of the main thread, which mostly sleeps. Default: any."),
]
HugepagesOption = Annotated[
    Literal["auto", "never", "require"], typer.Option("--hugepages", help="Hugepages for packets and tables.")
]
MarchOption = Annotated[
    Literal["auto", "v2", "v3", "v4"], typer.Option("--march", help="x86-64 level of the data plane code.")
]
VerboseOption = Annotated[bool, typer.Option("--verbose", help="Let DPDK log to standard error.")]

ServerOption = Annotated[
    str | None,
    typer.Option(
        "-s",
        "--server",
        metavar="HOST[:PORT]",
        help="Address of the generator or T-Rex.",
        show_default="127.0.0.1:4501",
    ),
]
BenchOption = Annotated[
    Path | None,
    typer.Option(
        "--testbed",
        metavar="FILE",
        help="Tester, cabling and DUT from this file (docs/testbed.md); other options override it.",
        show_default=False,
    ),
]


def march_level(march: str) -> int:
    """The level's number, 0 for the best there is."""
    return 0 if march == "auto" else int(march.removeprefix("v"))


DutNameOption = Annotated[
    str, typer.Option("--dut-name", metavar="NAME", help="Name of the DUT for results that have none.")
]
NameOption = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        metavar="GLOB=NAME|PATTERN",
        help="Name of the DUT by file name: 'apu4-*=APU4', or from a pattern such as '{dut}-{load}-{direction}.json'.",
    ),
]
