"""`wirespeed host`: the hardware of a machine, its problems for testing, and the commands that fix them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from wirespeed.doctor.finding import HostFinding, HostPurpose
    from wirespeed.doctor.fixing import Done
    from wirespeed.inspect.transcript import ShellMachine, TranscriptSection


HELP = """Show the hardware of a machine, check whether it is suitable for testing, and fix what is not.

show reads this machine, another one, or files; check, fix and restore are about this machine. Only fix and restore
change anything."""

_RECORD = "/run/wirespeed/doctor.json"


def _file(option: str, what: str) -> Any:
    return typer.Option(option, metavar="FILE", help=what, rich_help_panel="Another machine, by files")


_Dut = Annotated[
    str,
    typer.Option("--dut", metavar="ACCESS", help="Another machine: ssh://user@host[:port] or netns:NAME."),
]
_Bench = Annotated[Path | None, _file("--testbed", "The DUT of a testbed file.")]
_Cpu = Annotated[str, typer.Option("-c", "--cpu", metavar="N[,N]", help="CPUs for the workers.")]
_Nic = Annotated[
    list[str] | None,
    typer.Option("--nic", metavar="ADDRESS", help="PCI address of a test port; repeatable."),
]
_Record = Annotated[Path, typer.Option("--record", metavar="FILE", help="Record of what fix changed.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def show(
    *,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the inspection to this file, with the outputs it was read from.",
        ),
    ] = "",
    output_format: Annotated[Literal["text", "md", "json"], typer.Option("--format", help="Output format.")] = "text",
    cpu: Annotated[
        str, typer.Option("-c", "--cpu", metavar="N[,N]", help="CPUs of the workers, to check them against the NICs.")
    ] = "",
    ports: Annotated[
        list[str] | None,
        typer.Option(
            "--ports", metavar="CARD=NxSPEED", help="Ports of a card, e.g. 05:00=2x10G. Default: as it reports."
        ),
    ] = None,
    dut: _Dut = "",
    bench: _Bench = None,
    kept: Annotated[Path | None, _file("--from", "An inspection written with -o.")] = None,
    lspci: Annotated[Path | None, _file("--lspci", "Output of `lspci -vv` (as root), or of VPP's `show pci`.")] = None,
    dmesg: Annotated[Path | None, _file("--dmesg", "Output of `dmesg`.")] = None,
    dmidecode: Annotated[Path | None, _file("--dmidecode", "Output of `dmidecode`.")] = None,
    lscpu: Annotated[Path | None, _file("--lscpu", "Output of `LC_ALL=C lscpu`.")] = None,
    ethtool_m: Annotated[
        list[Path] | None, _file("--ethtool-m", "Output of `ethtool -m IF hex on` (or raw on); repeatable.")
    ] = None,
) -> None:
    """Show the hardware and its problems.

    PCIe links are compared with what the ports need. Reads this machine, another one, or files of one. Changes
    nothing.
    """
    from wirespeed.cpus import cpu_list  # noqa: PLC0415 - a command starts fast
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.files import write_atomically  # noqa: PLC0415
    from wirespeed.inspect.facts import check_cards, facts_of  # noqa: PLC0415
    from wirespeed.inspect.marks import marks_of  # noqa: PLC0415
    from wirespeed.inspect.sources import answers_from, answers_in, answers_of, parse_ports  # noqa: PLC0415
    from wirespeed.inspect.tables import as_markdown, as_text, inspection_of  # noqa: PLC0415
    from wirespeed.measurement.output import check_writable  # noqa: PLC0415
    from wirespeed.results.inspection import inspection_to_json, read_inspection  # noqa: PLC0415

    given = {"lspci": lspci, "dmesg": dmesg, "dmidecode": dmidecode, "lscpu": lscpu}
    files = {name: path for name, path in given.items() if path is not None}
    sources = [kept is not None, bool(files or ethtool_m), bool(dut), bench is not None]
    if sum(sources) > 1:
        raise UsageError("give one source: --from, files of a machine, --dut or --testbed")
    if output:
        check_writable(Path(output))
    taken = datetime.now(UTC).isoformat(timespec="seconds")
    answers: dict[str, TranscriptSection]
    if kept is not None:
        earlier = read_inspection(kept)
        name, taken, answers = earlier.machine, earlier.taken, answers_in(earlier)
    elif files or ethtool_m:
        name, answers = "a machine by its files", answers_from(files, ethtool_m or ())
    else:
        with _asked(dut, bench) as machine:
            name, answers = machine.name, answers_of(machine)
    given_ports = parse_ports(ports or ())
    facts = facts_of(name, answers, given_ports)
    check_cards(facts, given_ports)
    inspection = inspection_of(facts, marks_of(facts, cpu_list("--cpu", cpu) if cpu else ()), answers, taken)
    if output:
        write_atomically(Path(output), inspection_to_json(inspection), "inspection")
    match output_format:
        case "text":
            print("\n".join(as_text(inspection)))
        case "md":
            print("\n".join(as_markdown(inspection)))
        case "json":
            print(json.dumps(json.loads(inspection_to_json(inspection)), indent=2, ensure_ascii=False))


def optics(
    interface: Annotated[str, typer.Argument(metavar="INTERFACE", help="Network interface of the cage.")],
    *,
    probe: Annotated[
        str, typer.Option("--probe", metavar="COMMAND", help="Command that sends packets through each module.")
    ] = "",
    dumps: Annotated[Path | None, typer.Option("--dumps", metavar="FOLDER", help="Folder for the dumps.")] = None,
    dut: _Dut = "",
    bench: _Bench = None,
) -> None:
    """Test transceiver modules one by one in a cage."""
    with _asked(dut, bench) as machine:
        _optics(machine, interface, probe, dumps)


def check(*, cpu: _Cpu = "", nic: _Nic = None, json: _Json = False) -> int:
    """Report what this machine lacks for testing, and how to fix it.

    The machine may be a tester or a DUT. Exit code 0: the machine is suitable for testing; 3: it is not.
    """
    from wirespeed.doctor.examination import examine  # noqa: PLC0415 - a command starts fast
    from wirespeed.inspect.transcript import Here  # noqa: PLC0415

    machine = Here()
    return _verdict(machine, examine(machine, _wanted(cpu, nic)), json)


def fix(*, cpu: _Cpu = "", nic: _Nic = None, record: _Record = Path(_RECORD), json: _Json = False) -> int:
    """Apply the safe fixes, then check.

    Each command is shown before it runs.
    """
    from wirespeed.doctor.examination import examine  # noqa: PLC0415 - a command starts fast
    from wirespeed.doctor.fixing import apply, steps_of  # noqa: PLC0415
    from wirespeed.inspect.transcript import Here  # noqa: PLC0415

    machine, wanted = Here(), _wanted(cpu, nic)
    findings = examine(machine, wanted)
    code = 0
    if steps := steps_of(findings):
        code = _failures(apply(machine, steps, record, _told))
        findings = examine(machine, wanted)
    judged = _verdict(machine, findings, json)
    return code or judged


def restore(*, record: _Record = Path(_RECORD)) -> int:
    """Restore what fix has changed."""
    from wirespeed.doctor.fixing import undo  # noqa: PLC0415 - a command starts fast
    from wirespeed.inspect.transcript import Here  # noqa: PLC0415

    return _failures(undo(Here(), record, _told))


VERBS: dict[str, Callable[..., Any]] = {
    "show": show,
    "optics": optics,
    "check": check,
    "fix": fix,
    "restore": restore,
}


def _wanted(cpu: str, nic: list[str] | None) -> HostPurpose:
    from wirespeed.cpus import cpu_list  # noqa: PLC0415 - a command starts fast
    from wirespeed.doctor.finding import HostPurpose  # noqa: PLC0415
    from wirespeed.inspect.pci import parse_address  # noqa: PLC0415

    return HostPurpose(cpu_list("--cpu", cpu) if cpu else (), tuple(map(parse_address, nic or ())))


def _verdict(machine: ShellMachine, findings: Sequence[HostFinding], as_json: bool) -> int:
    """Print the findings; the exit code that they mean."""
    from wirespeed.doctor import examination  # noqa: PLC0415 - a command starts fast
    from wirespeed.errors import EnvironmentFault  # noqa: PLC0415

    told = examination.as_json(machine.name, findings) if as_json else "\n".join(examination.as_text(findings)) + "\n"
    sys.stdout.write(told)
    return 0 if examination.is_suitable(findings) else EnvironmentFault.exit_code


def _told(line: str) -> None:
    print(f"$ {line}", file=sys.stderr, flush=True)


def _failures(done: list[Done]) -> int:
    """Say which commands did not do what they were to; the exit code."""
    from wirespeed.errors import EnvironmentFault  # noqa: PLC0415
    from wirespeed.pages.words import harmless  # noqa: PLC0415

    failed = [one for one in done if not one.went_well]
    for one in failed:
        said = harmless(one.answer.text.strip()) or f"it ended with code {one.answer.code}"
        print(f"wirespeed: {one.command}: {said}", file=sys.stderr)
    return EnvironmentFault.exit_code if failed else 0


@contextmanager
def _asked(dut: str, bench: Path | None) -> Iterator[ShellMachine]:
    """The machine that the options name: this one unless another."""
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.inspect.transcript import Elsewhere, Here  # noqa: PLC0415

    if bench is not None:
        from wirespeed.testbed.file import read_bench  # noqa: PLC0415 - pydantic, needed with a bench alone

        dut = read_bench(bench).dut.reach or ""
        if not dut:
            raise UsageError(f"{bench} does not say how to reach its DUT: add `reach` to `dut`")
    if not dut:
        yield Here()
        return
    from wirespeed.dut.reach.spec import parse_reach  # noqa: PLC0415

    reach = parse_reach(dut)
    try:
        yield Elsewhere(reach)
    finally:
        reach.close()


def _optics(machine: ShellMachine, interface: str, probe: str, dumps: Path | None) -> None:
    from wirespeed.errors import FileFault  # noqa: PLC0415
    from wirespeed.inspect.optics import go_through, optics_part  # noqa: PLC0415
    from wirespeed.inspect.tables import markdown_of  # noqa: PLC0415

    if dumps is not None:
        try:
            dumps.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileFault(f"--dumps {dumps} cannot be made: {error.strerror}") from None

    def asked(prompt: str) -> str:
        print(prompt, end="", file=sys.stderr, flush=True)
        return input()

    tried = go_through(machine, interface, probe, dumps, asked)
    print(markdown_of(optics_part(tried)), end="")
