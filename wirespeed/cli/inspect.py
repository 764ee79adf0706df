"""`wirespeed inspect`: what the hardware is, what its links carry, what is off."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from wirespeed.inspect.transcript import Machine, Section


def _file(option: str, what: str) -> Any:
    return typer.Option(option, metavar="FILE", help=what, rich_help_panel="Another machine, by files")


def command(
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Keep it all, with the texts it was read from.")
    ] = "",
    output_format: Annotated[Literal["text", "md", "json"], typer.Option("--format", help="What is printed.")] = "text",
    cpu: Annotated[
        str, typer.Option("-c", "--cpu", metavar="N[,N]", help="CPUs of the workers, to look at them against the NICs.")
    ] = "",
    ports: Annotated[
        list[str] | None,
        typer.Option("--ports", metavar="CARD=NxSPEED", help="Ports behind a card, as 05:00=2x10G; else what it says."),
    ] = None,
    optics: Annotated[
        str, typer.Option("--optics", metavar="INTERFACE", help="Go through modules one by one in this cage.")
    ] = "",
    probe: Annotated[
        str, typer.Option("--probe", metavar="COMMAND", help="With --optics: what sends packets through each module.")
    ] = "",
    dumps: Annotated[
        Path | None, typer.Option("--dumps", metavar="FOLDER", help="With --optics: where the dumps are kept.")
    ] = None,
    dut: Annotated[
        str,
        typer.Option("--dut", metavar="WAY", help="Ask another machine: ssh://user@host[:port] or netns:NAME."),
    ] = "",
    bench: Annotated[Path | None, _file("--bench", "Ask the device of a bench file.")] = None,
    kept: Annotated[Path | None, _file("--from", "An inspection that -o has kept.")] = None,
    lspci: Annotated[Path | None, _file("--lspci", "Of `lspci -vv` (as root), or of VPP's `show pci`.")] = None,
    dmesg: Annotated[Path | None, _file("--dmesg", "Of `dmesg`.")] = None,
    dmidecode: Annotated[Path | None, _file("--dmidecode", "Of `dmidecode`.")] = None,
    lscpu: Annotated[Path | None, _file("--lscpu", "Of `LC_ALL=C lscpu`.")] = None,
    ethtool_m: Annotated[
        list[Path] | None, _file("--ethtool-m", "Of `ethtool -m IF hex on` (or raw on); may be given again.")
    ] = None,
) -> None:
    """Say what the hardware is, what its PCIe links carry against what the ports need, and what is off.

    Reads this machine, or files that somebody sent. Nothing is changed.
    """
    from wirespeed.cpus import cpu_list  # noqa: PLC0415 - a command starts fast
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.files import write_atomically  # noqa: PLC0415
    from wirespeed.inspect.facts import check_cards, facts_of  # noqa: PLC0415
    from wirespeed.inspect.marks import marks_of  # noqa: PLC0415
    from wirespeed.inspect.sources import answers_from, answers_in, answers_of, parse_ports  # noqa: PLC0415
    from wirespeed.inspect.tables import as_markdown, as_text, inspection_of  # noqa: PLC0415
    from wirespeed.results.inspection import inspection_to_json, read_inspection  # noqa: PLC0415

    given = {"lspci": lspci, "dmesg": dmesg, "dmidecode": dmidecode, "lscpu": lscpu}
    files = {name: path for name, path in given.items() if path is not None}
    sources = [kept is not None, bool(files or ethtool_m), bool(dut), bench is not None]
    if sum(sources) > 1:
        raise UsageError("give one source: --from, files of a machine, --dut or --bench")
    if optics:
        with _asked(dut, bench) as machine:
            _optics(machine, optics, probe, dumps)
        return
    if probe or dumps is not None:
        raise UsageError("--probe and --dumps go with --optics INTERFACE")
    taken = datetime.now(UTC).isoformat(timespec="seconds")
    answers: dict[str, Section]
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
    found = inspection_of(facts, marks_of(facts, cpu_list("--cpu", cpu) if cpu else ()), answers, taken)
    if output:
        write_atomically(Path(output), inspection_to_json(found), "inspection")
    match output_format:
        case "text":
            print("\n".join(as_text(found)))
        case "md":
            print("\n".join(as_markdown(found)))
        case "json":
            print(json.dumps(json.loads(inspection_to_json(found)), indent=2, ensure_ascii=False))


@contextmanager
def _asked(dut: str, bench: Path | None) -> Iterator[Machine]:
    """The machine that the options name: this one unless another."""
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.inspect.transcript import Elsewhere, Here  # noqa: PLC0415

    if bench is not None:
        from wirespeed.bench.file import read_bench  # noqa: PLC0415 - pydantic, needed with a bench alone

        dut = read_bench(bench).dut.reach or ""
        if not dut:
            raise UsageError(f"{bench} does not say how its device is reached: give it `reach` in `dut`")
    if not dut:
        yield Here()
        return
    from wirespeed.dut.reach.spec import parse_reach  # noqa: PLC0415

    reach = parse_reach(dut)
    try:
        yield Elsewhere(reach)
    finally:
        reach.close()


def _optics(machine: Machine, interface: str, probe: str, dumps: Path | None) -> None:
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
