"""Options that several commands share, spelled once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wirespeed.profiles.loading import BUILTIN_NAMES

if TYPE_CHECKING:
    from wirespeed.results.channel import Channel


def number(text: str) -> float:
    """Seconds or a ratio; UsageError for what is none."""
    from wirespeed.errors import UsageError  # noqa: PLC0415 - a command starts fast

    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a number; durations and ratios are numbers such as 30 or 0.001") from None


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

# ---- of commands that measure

ServerOption = Annotated[
    str | None,
    typer.Option(
        "-s",
        "--server",
        metavar="HOST[:PORT]",
        help="Generator to use, ours or a T-Rex.",
        show_default="127.0.0.1:4501",
    ),
]
ProfileOption = Annotated[
    str,
    typer.Option(
        "-p",
        "--profile",
        help=f"Built-in: {', '.join(BUILTIN_NAMES)}; or a file: .py (is run), .yaml, .json, .pcap.",
    ),
]
TunablesOption = Annotated[str, typer.Option("-t", "--tunables", help="Tunables of the profile, as size=64,vm=var2.")]
OutputOption = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="File for the result; - is standard output.")
]
UnidirectionalOption = Annotated[
    bool, typer.Option("-u", "--unidirectional", help="Send in the first direction of the ports only.")
]
DirectionOption = Annotated[
    str, typer.Option("--direction", metavar="0-1|1-0|both", help="Which way to send between a pair of ports.")
]
PortsOption = Annotated[
    str | None,
    typer.Option(
        "--ports", metavar="N,N", help="The ports, cabled in pairs, such as 2,3 or 0,1,2,3.", show_default="0,1"
    ),
]
WiresOption = Annotated[
    str,
    typer.Option(
        "--wires",
        metavar="N>N,...",
        help="Each direction by itself, such as 0>1,1>2,2>0, in place of ports and direction.",
        show_default=False,
    ),
]
VerifyOption = Annotated[
    bool,
    typer.Option(
        "--verify",
        help="Mark and number the packets: only marked ones count, and duplicates and reordered packets are counted "
        "apart. Takes the last 16 bytes of the payload, or the IP ID of packets without room (no numbers then), and "
        "some time of the tester for each packet.",
    ),
]
LineOption = Annotated[
    str, typer.Option("--line", metavar="SPEED", help="The line to take percent of, such as 1G; else each port's own.")
]
DutOption = Annotated[
    str | None,
    typer.Option(
        "--dut",
        metavar="SPEC",
        help="What to ask meanwhile: router:/path/router.sock, linux:netns=NAME or none.",
        show_default="none",
    ),
]
PowerOption = Annotated[
    str,
    typer.Option(
        "--power",
        metavar="METER",
        help="Watts beside each sample: rapl, hwmon[:NAME], ipmi, shelly:HOST, tasmota:HOST, command:TEXT, constant:W.",
        show_default=False,
    ),
]
LabOption = Annotated[
    str,
    typer.Option(
        "--lab",
        metavar="embedded|linux[:af_xdp|:af_packet][,mtu=N]|vm[:IMAGE]",
        help="Bring up this lab on this machine for the test, with its own generator and router; mtu=9000 for jumbo "
        "frames; embedded also takes queues= descriptors= program= config= exec= (docs/campaigns.md; vm: "
        "docs/vm-dut.md).",
        show_default=False,
    ),
]
BenchOption = Annotated[
    Path | None,
    typer.Option(
        "--bench",
        metavar="FILE",
        help="Tester, wires and device as this file says (docs/bench.md); other options override it.",
        show_default=False,
    ),
]
RecoverOption = Annotated[
    Path | None,
    typer.Option(
        "--recover", metavar="FILE", help="Make the result file of a test that did not end, from its journal."
    ),
]
RobustOption = Annotated[
    bool | None,
    typer.Option(
        "--robust/--no-robust",
        help="Repeat trials whose loss comes of a CPU that was away, and count them apart.",
        show_default="on in a --lab that shares its CPUs with the tester",
    ),
]
WebOption = Annotated[
    bool, typer.Option("--web", help="Show the test in the browser while it runs; standard error says where.")
]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Show neither progress nor summary.")]


def directions_of(ports: str | None, direction: str, wires: str, unidirectional: bool) -> tuple[Channel, ...]:
    """The directions that the options name together, of ports 0 and 1 where they name none; UsageError for options that
    contradict each other."""
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.measure.wires import pair_directions, parse_ports, parse_wires  # noqa: PLC0415

    if wires:
        if ports is not None or direction != "both" or unidirectional:
            raise UsageError("--wires says each direction by itself; leave out --ports, --direction and -u")
        return parse_wires(wires)
    if unidirectional and direction != "both":
        raise UsageError(f"-u and --direction {direction} both say which way to send; give one of them")
    pairs = parse_ports("0,1" if ports is None else ports)
    if unidirectional:
        return tuple(wire for wire in pair_directions(pairs) if pairs.index(wire.tx) % 2 == 0)
    return pair_directions(pairs, direction)


def march_level(march: str) -> int:
    """The level's number, 0 for the best there is."""
    return 0 if march == "auto" else int(march.removeprefix("v"))


BoxOption = Annotated[
    str, typer.Option("--box", metavar="NAME", help="What the device of results is called that name none.")
]
NameOption = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        metavar="GLOB=NAME|PATTERN",
        help="The same by file name: 'apu4-*=APU4', or from a pattern such as '{box}-{load}-{direction}.json'.",
    ),
]
