"""Options that several commands share, spelled once."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

CpuOption = Annotated[
    str,
    typer.Option(
        "-c",
        "--cpu",
        metavar="N[,N]",
        help="CPUs of the workers, one each, as 1 or 2,3 or 2-5; else the last one there is.",
    ),
]
MainCpuOption = Annotated[
    str,
    typer.Option(
        "--main-cpu", metavar="N[,N]", help="CPUs of the main thread, which sleeps unless asked; else any there is."
    ),
]
HugepagesOption = Annotated[
    Literal["auto", "never", "require"], typer.Option("--hugepages", help="Memory of packets and tables.")
]
MarchOption = Annotated[
    Literal["auto", "v2", "v3", "v4"], typer.Option("--march", help="x86-64 level of the hot code.")
]
VerboseOption = Annotated[bool, typer.Option("--verbose", help="Let DPDK log to standard error.")]


def march_level(march: str) -> int:
    """The level's number, 0 for the best there is."""
    return 0 if march == "auto" else int(march.removeprefix("v"))
