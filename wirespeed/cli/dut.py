"""`wirespeed dut`: prepare a device under test, restore it, collect its telemetry, show its texts in a result."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wirespeed.cli.options import BenchOption, seconds
from wirespeed.cli.plain import option_name
from wirespeed.ending_signals import leave_on_signals

if TYPE_CHECKING:
    from wirespeed.dut.device import DutDevice
    from wirespeed.dut.setup import DutSetup

DeviceOption = Annotated[
    str,
    typer.Option(
        "--dut",
        metavar="TYPE:ACCESS",
        help="The DUT, e.g. linux:ssh://root@box, linux:netns:NAME, vpp:local or router:/path/router.sock.",
        show_default=False,
    ),
]
_Journal = Annotated[
    Path | None,
    typer.Option(
        "--journal", metavar="FILE", help="Journal of the steps (default: a file in ~/.local/state/wirespeed/dut)."
    ),
]
_Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Report errors only.")]

HELP = """Prepare a device under test (DUT), restore it, record its counters, or show its output in a result.

prepare configures the DUT to forward between two interfaces. Each step is written to a journal before it is done;
restore undoes all steps, also after a crash."""

_MODE = "ip4"


def prepare(
    *,
    dut: DeviceOption = "",
    bench: BenchOption = None,
    mode: Annotated[
        str, typer.Option("--mode", metavar="ip4|ip6|l2xc|mpls", help="What the DUT forwards.", show_default=_MODE)
    ] = "",
    interface: Annotated[
        list[str] | None,
        typer.Option(
            "--interface",
            metavar="NAME[,mac=MAC][,address=A/N][,tester=A][,pci=ADDR]",
            help="DUT interface, and the MAC address of the tester's port that it is cabled to; give it twice.",
        ),
    ] = None,
    route: Annotated[
        list[str] | None,
        typer.Option("--route", metavar="PREFIX=ADDRESS", help="Route in place of 16/8 and 48/8; repeatable."),
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", metavar="N=ADDRESS", help="Label in place of 16 and 17; repeatable.")
    ] = None,
    routes: Annotated[
        str,
        typer.Option(
            "--routes",
            metavar="FILE|internet",
            help="Also load a full table: a file with a prefix per line, or a generated one.",
        ),
    ] = "",
    routes_by: Annotated[
        Literal["", "bird"],
        typer.Option(
            "--routes-by", metavar="bird", help="Linux: load the table with BIRD. Default: ip.", show_default=False
        ),
    ] = "",
    queues: Annotated[int | None, typer.Option("--queues", metavar="N", help="Receive queues per interface.")] = None,
    rx_desc: Annotated[
        int | None, typer.Option("--rx-desc", metavar="N", help="Descriptors per receive queue.")
    ] = None,
    tx_desc: Annotated[
        int | None, typer.Option("--tx-desc", metavar="N", help="Descriptors per transmit queue.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", help="Workers of VPP or the router.")] = None,
    cpus: Annotated[str, typer.Option("--cpus", metavar="LIST", help="CPUs of interrupts or workers, e.g. 1-3.")] = "",
    driver: Annotated[str, typer.Option("--driver", metavar="NAME", help="VPP: the driver of its ports.")] = "",
    devargs: Annotated[str, typer.Option("--devargs", metavar="TEXT", help="VPP: devargs of its ports.")] = "",
    filter: Annotated[
        Literal["on", "off", "nat", "nat66", "stateful", "forward"] | None,
        typer.Option(
            "--filter",
            help="off: nftables or pf disabled until restore. nat, nat66, stateful, forward: only these rules.",
            show_default="on",
        ),
    ] = None,
    states: Annotated[
        int | None, typer.Option("--states", min=1, metavar="N", help="Entries of the state table (VPP: per worker).")
    ] = None,
    buckets: Annotated[
        int | None, typer.Option("--buckets", min=1, metavar="N", help="Linux: hash chains of the state table.")
    ] = None,
    state_timeout: Annotated[
        float | None,
        typer.Option("--state-timeout", parser=seconds, metavar="TIME", help="Time after which idle UDP flows end."),
    ] = None,
    governor: Annotated[
        str, typer.Option("--governor", metavar="NAME", help="Governor of the CPUs, such as performance.")
    ] = "",
    turbo: Annotated[
        str, typer.Option("--turbo", metavar="on|off", help="Turbo of the CPUs. Default: unchanged.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the steps, change nothing.")] = False,
    journal: _Journal = None,
    quiet: _Quiet = False,
) -> None:
    """Configure a DUT to forward between two interfaces."""
    chosen = dict(locals())  # before the imports, whose names are local as well
    from wirespeed.dut import commands  # noqa: PLC0415 - a command starts fast
    from wirespeed.dut.options import options_of, setup_of  # noqa: PLC0415
    from wirespeed.dut.setup import FilterOptions  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415

    settings = (name for name in chosen if name not in ("dut", "bench", "dry_run", "journal", "quiet"))
    if bench is not None and (unwanted := [name for name in settings if chosen[name] not in (None, "", [])]):
        word = option_name(prepare, unwanted[0])
        raise UsageError(f"{bench} defines how the DUT is prepared; leave out {word}, or change the file")
    device, setup = _named(dut, bench)
    if setup is None:
        seconds_of_states = None if state_timeout is None else round(state_timeout)
        wanted = "" if filter is None or filter == "on" else filter
        rules = FilterOptions(wanted, states, buckets, seconds_of_states)
        options = options_of(
            queues, rx_desc, tx_desc, workers, cpus, driver, devargs, rules, governor, turbo, routes_by
        )
        if not interface:
            raise UsageError("prepare needs --interface NAME,mac=MAC twice, or --testbed FILE")
        setup = setup_of(mode or _MODE, interface, route or [], label or [], routes, options)
    with _open(device):
        text = commands.prepare(device, setup, journal, dry_run, _say(quiet), _restoring(dut, bench, journal))
    print(text, end="")


def restore(
    *, dut: DeviceOption = "", bench: BenchOption = None, journal: _Journal = None, quiet: _Quiet = False
) -> None:
    """Restore what prepare changed, also after a crash."""
    from wirespeed.dut import commands  # noqa: PLC0415 - a command starts fast

    with _open(_named(dut, bench)[0]) as device:
        text = commands.restore(device, journal, _say(quiet))
    print(text, end="")


def collect(
    *,
    dut: DeviceOption = "",
    bench: BenchOption = None,
    duration: Annotated[
        float,
        typer.Option(
            "--duration", parser=seconds, metavar="TIME", help="Duration of the recording.", show_default="10s"
        ),
    ] = 10.0,
    interval: Annotated[
        float,
        typer.Option(
            "--interval", parser=seconds, metavar="TIME", help="Time between two readings.", show_default="1s"
        ),
    ] = 1.0,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="File to write, - for standard output.")
    ] = "-",
    quiet: _Quiet = False,
) -> None:
    """Record the counters of a DUT while you load it."""
    from wirespeed.dut import commands  # noqa: PLC0415 - a command starts fast
    from wirespeed.measurement.output import STDOUT, check_writable  # noqa: PLC0415

    if output != STDOUT:
        check_writable(Path(output))
    with _open(_named(dut, bench)[0]) as device:
        text = commands.collect(device, duration, interval, output, _say(quiet))
    print(text, end="")


def describe(*, dut: DeviceOption = "", bench: BenchOption = None) -> None:
    """Show kind, version and details of a DUT."""
    from wirespeed.dut import commands  # noqa: PLC0415 - a command starts fast

    with _open(_named(dut, bench)[0]) as device:
        text = commands.describe(device)
    print(text, end="")


def show(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="A result file, or what collect wrote.")],
    text: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="Name of the output, e.g. 'show run'. Default: list the names.")
    ] = "",
) -> None:
    """Print an output of the DUT that a result holds.

    Example: wirespeed dut show RESULT 'show run'
    """
    from wirespeed.measurement import texts  # noqa: PLC0415 - a command starts fast

    print(texts.show(result, text), end="")


VERBS = {"prepare": prepare, "restore": restore, "collect": collect, "describe": describe, "show": show}


def _named(dut: str, bench: Path | None) -> tuple[DutDevice, DutSetup | None]:
    """The device, and its setup if a bench says it."""
    from wirespeed.dut import commands  # noqa: PLC0415 - a command starts fast
    from wirespeed.dut.of_bench import read_dut  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415

    if bool(dut) == (bench is not None):
        raise UsageError("name the DUT with either --dut TYPE:ACCESS or --testbed FILE")
    return (commands.device_of(dut), None) if bench is None else read_dut(bench)


def _restoring(dut: str, bench: Path | None, journal: Path | None) -> str:
    """The command that undoes what `prepare` with these options did."""
    named = ["--dut", dut] if bench is None else ["--testbed", str(bench)]
    return shlex.join(
        ["wirespeed", "dut", "restore", *named, *([] if journal is None else ["--journal", str(journal)])]
    )


@contextmanager
def _open(device: DutDevice) -> Iterator[DutDevice]:
    from wirespeed.dut import commands  # noqa: PLC0415 - a command starts fast

    with leave_on_signals(KeyboardInterrupt), commands.closing(device):
        yield device


def _say(quiet: bool) -> Callable[[str], None]:
    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    return say
