"""`wirespeed config`: a vppcfg file checked, planned, applied; a router's state as such a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wirespeed.cli.options import seconds
from wirespeed.errors import FileFault, UsageError

if TYPE_CHECKING:
    from wirespeed.config.device import ConfigDevice
    from wirespeed.config.plan import ConfigPlan
    from wirespeed.config.state import RouterState

HELP = """Check vppcfg's YAML, plan the commands that bring a router to it, apply them, and dump a router's state.

Exit codes: 2 the file does not fit this router; 3 the router does not support a line; 4 it does not answer, or a
step failed; 6 a file is not valid."""

_MOST_CONFIRM_S = 86_400.0

_File = Annotated[Path | None, typer.Argument(metavar="FILE", help="vppcfg's YAML.")]
_Config = Annotated[
    Path | None, typer.Option("-c", "--config", metavar="FILE", help="The same as FILE, spelled as in vppcfg.")
]
_Socket = Annotated[
    Path | None,
    typer.Option(
        "-s", "--socket", metavar="PATH", help="Control socket of the router.", show_default="that of `router`"
    ),
]
_Api = Annotated[
    str,
    typer.Option("--api", metavar="WHERE", help="Use VPP's binary API: a PATH or ssh://user@box/run/vpp/api.sock."),
]
_Explain = Annotated[bool, typer.Option("--explain", help="Print the prerequisites of each line.")]
_Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Output file.")]


def check(
    file: _File = None,
    *,
    config: _Config = None,
    output_format: Annotated[Literal["text", "json"], typer.Option("--format", help="Output format.")] = "text",
) -> int:
    """Check a file."""
    return _check(_one_file(file, config), output_format)


def plan(
    file: _File = None,
    *,
    config: _Config = None,
    socket: _Socket = None,
    api: _Api = "",
    dumped: Annotated[
        Path | None, typer.Option("--from", metavar="DUMP", help="Plan from this dump in place of the running router.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Plan for a router that has ports and no other settings.")
    ] = False,
    output_format: Annotated[Literal["cli", "json", "diff"], typer.Option("--format", help="Output format.")] = "cli",
    explain: _Explain = False,
    output: _Output = None,
) -> int:
    """Plan the commands that bring a router to the state of a file."""
    target = _one_file(file, config)
    if dumped is not None and offline:
        raise UsageError("--from and --offline each say what to plan from; give one of them")
    if dumped is not None or offline:
        text = _plan_offline(target, dumped, output_format, explain, output is None)
    else:
        with _device(socket, api) as device:
            text = _plan_device(target, device, output_format, explain, output is None)
    _write(text, output)
    return 0


def apply(
    file: _File = None,
    *,
    config: _Config = None,
    socket: _Socket = None,
    api: _Api = "",
    journal: Annotated[
        Path | None,
        typer.Option("--journal", metavar="FILE", help="Journal of the steps.", show_default="FILE.journal"),
    ] = None,
    rollback: Annotated[bool, typer.Option("--rollback", help="Restore the previous state if a step fails.")] = False,
    confirm: Annotated[
        float | None,
        typer.Option(
            "--confirm",
            parser=seconds,
            metavar="TIME",
            help="Restore the previous state after this time, unless confirmed.",
        ),
    ] = None,
) -> int:
    """Bring a router to the state of a file."""
    target = _one_file(file, config)
    if confirm is not None and not 1 <= confirm <= _MOST_CONFIRM_S:
        raise UsageError(f"--confirm {confirm:g}: give seconds from 1 to {_MOST_CONFIRM_S:g}")
    beside = target.with_name(f"{target.name}.journal")
    with _device(socket, api) as device:
        return _apply(target, device, journal or beside, rollback, confirm)


def diff(
    before: Annotated[Path, typer.Argument(metavar="A", help="vppcfg's YAML.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="The file to change to.")],
    *,
    output_format: Annotated[Literal["diff", "cli", "json"], typer.Option("--format", help="Output format.")] = "diff",
    explain: _Explain = False,
    output: _Output = None,
) -> int:
    """Plan the commands that turn the state of one file into another."""
    _write(_diff(before, after, output_format, explain, output is None), output)
    return 0


def dump(
    *,
    socket: _Socket = None,
    api: _Api = "",
    output_format: Annotated[Literal["yaml", "json"], typer.Option("--format", help="Output format.")] = "yaml",
    output: _Output = None,
) -> int:
    """Write a router's state as vppcfg's YAML."""
    with _device(socket, api) as device:
        text = _dump(device, output_format)
    _write(text, output)
    return 0


def confirm(journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="Journal of `apply --confirm`.")]) -> int:
    """Confirm the changes of `apply --confirm`."""
    from wirespeed.config.journal import confirm as confirm_journal  # noqa: PLC0415 - a command starts fast

    confirm_journal(journal)
    print("confirmed; it stays")
    return 0


VERBS = {"check": check, "plan": plan, "apply": apply, "diff": diff, "dump": dump, "confirm": confirm}


def _one_file(file: Path | None, config: Path | None) -> Path:
    """The file, which vppcfg's words name by an option."""
    if file is not None and config is not None:
        raise UsageError(f"give one file, not {file} and -c {config}")
    given = file or config
    if given is None:
        raise UsageError("give a FILE of vppcfg's YAML")
    return given


@contextmanager
def _device(socket: Path | None, api: str) -> Iterator[ConfigDevice]:
    """The router at its control socket, or at its API."""
    from wirespeed.config.router_device import RouterDevice  # noqa: PLC0415 - a command starts fast
    from wirespeed.router.protocol import default_socket  # noqa: PLC0415

    if not api:
        yield RouterDevice(socket or default_socket())
        return
    if socket is not None:
        raise UsageError("--socket and --api each say which router; give one of them")
    from wirespeed.config.api_device import ApiDevice  # noqa: PLC0415
    from wirespeed.dut.reach.api_socket import connected_api  # noqa: PLC0415

    with connected_api(api) as client:
        yield ApiDevice(client)


def _write(text: str, output: Path | None) -> None:
    from wirespeed.files import write_atomically  # noqa: PLC0415

    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(output, text)


def _check(file: Path, form: str) -> int:
    """All findings on standard output, since they are the requested output."""
    import json  # noqa: PLC0415

    from wirespeed.config.check import check_file, said  # noqa: PLC0415

    checked = check_file(file)
    if form == "json":
        print(json.dumps({"file": str(file), "findings": [one.fields() for one in checked.findings]}, indent=2))
    else:
        print(said(checked.findings, str(file)) if checked.findings else f"{file} is valid")
    return FileFault.exit_code if checked.findings else 0


def _plan_text(
    current: RouterState, target: RouterState, made: ConfigPlan, form: str, explain: bool, to_terminal: bool
) -> str:
    from wirespeed.config import render  # noqa: PLC0415

    if form == "json":
        return render.json_text(made)
    if form == "cli":
        return render.cli_text(made, explain)
    return render.diff_text(current, target, in_colour=to_terminal and sys.stdout.isatty())


def _diff(before: Path, after: Path, form: str, explain: bool, to_terminal: bool) -> str:
    from wirespeed.config.check import read_config  # noqa: PLC0415
    from wirespeed.config.plan import plan  # noqa: PLC0415
    from wirespeed.config.target import bare_state, target_state  # noqa: PLC0415

    config = read_config(after)
    current = target_state(read_config(before))
    # A port of the second file alone is one that the first says nothing of.
    ports = {**bare_state(config).interfaces, **current.interfaces}
    current = replace(current, interfaces=ports)
    target = target_state(config, current)
    return _plan_text(current, target, plan(current, target), form, explain, to_terminal)


def _plan_offline(file: Path, dumped: Path | None, form: str, explain: bool, to_terminal: bool) -> str:
    from wirespeed.config.check import read_config  # noqa: PLC0415
    from wirespeed.config.plan import plan  # noqa: PLC0415
    from wirespeed.config.preflight import check_same_router  # noqa: PLC0415
    from wirespeed.config.target import bare_state, target_state  # noqa: PLC0415

    config = read_config(file)
    current = bare_state(config) if dumped is None else target_state(read_config(dumped))
    check_same_router(config, current)
    target = target_state(config)
    return _plan_text(current, target, plan(current, target), form, explain, to_terminal)


def _plan_device(file: Path, device: ConfigDevice, form: str, explain: bool, to_terminal: bool) -> str:
    from wirespeed.config.check import read_config  # noqa: PLC0415
    from wirespeed.config.plan import plan  # noqa: PLC0415
    from wirespeed.config.preflight import check_same_router  # noqa: PLC0415
    from wirespeed.config.target import target_state  # noqa: PLC0415

    config = read_config(file)
    current, target = device.read(), target_state(config)
    check_same_router(config, current)
    return _plan_text(current, target, plan(current, target), form, explain, to_terminal)


def _dump(device: ConfigDevice, form: str) -> str:
    from wirespeed.config.check import check_text  # noqa: PLC0415
    from wirespeed.config.dump import dump_text, json_text  # noqa: PLC0415

    state = device.read()
    text = dump_text(state)
    for finding in check_text(text.encode(), "dump").findings:
        print(f"wirespeed: {finding.text('dump')}", file=sys.stderr)
    return json_text(state) if form == "json" else text


def _apply(file: Path, device: ConfigDevice, journal: Path, rollback: bool, confirm_s: float | None) -> int:
    from wirespeed.config.application import Application  # noqa: PLC0415
    from wirespeed.config.check import read_config  # noqa: PLC0415
    from wirespeed.ending_signals import leave_on_signals  # noqa: PLC0415

    config = read_config(file)
    with leave_on_signals(KeyboardInterrupt):
        return Application(config, device, journal, lambda line: print(line, flush=True), rollback, confirm_s).run()
