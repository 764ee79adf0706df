"""`wirespeed config`: a vppcfg file checked, planned, applied; a router's state as such a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wirespeed.cli.verbs import refuse_other_options
from wirespeed.errors import FileFault, UsageError

if TYPE_CHECKING:
    from wirespeed.config.device import Device
    from wirespeed.config.plan import Plan
    from wirespeed.config.state import State

_TAKES = {"check": 1, "plan": 1, "apply": 1, "diff": 2, "dump": 0, "confirm": 1}
_FORMATS = {
    "check": ("text", "json"),
    "plan": ("cli", "json", "diff"),
    "diff": ("diff", "cli", "json"),
    "dump": ("yaml", "json"),
}
_MOST_CONFIRM_S = 86_400.0
OPTION_VERBS = {
    "config": ("check", "plan", "apply"),
    "socket": ("plan", "apply", "dump"),
    "api": ("plan", "apply", "dump"),
    "dumped": ("plan",),
    "offline": ("plan",),
    "output_format": tuple(_FORMATS),
    "explain": ("plan", "diff"),
    "output": ("plan", "diff", "dump"),
    "journal": ("apply",),
    "rollback": ("apply",),
    "confirm": ("apply",),
}
"""Verbs that take an option; the other options are for all of them."""


def command(
    what: Annotated[
        Literal["check", "plan", "apply", "diff", "dump", "confirm"],
        typer.Argument(
            help="check FILE; plan FILE: what would be done; apply FILE: do it; diff A B: what leads from A to B; "
            "dump: the router as such a file; confirm JOURNAL: keep what apply --confirm did."
        ),
    ],
    files: Annotated[list[Path] | None, typer.Argument(metavar="[FILE...]", help="vppcfg's YAML.")] = None,
    *,
    config: Annotated[
        Path | None,
        typer.Option("-c", "--config", metavar="FILE", help="check, plan, apply: the FILE, as vppcfg has it."),
    ] = None,
    socket: Annotated[
        Path | None,
        typer.Option(
            "-s", "--socket", metavar="PATH", help="plan, apply, dump: the router's.", show_default="that of `router`"
        ),
    ] = None,
    api: Annotated[
        str,
        typer.Option(
            "--api",
            metavar="WHERE",
            help="plan, apply, dump: VPP's API there, a PATH or ssh://user@box/run/vpp/api.sock.",
        ),
    ] = "",
    dumped: Annotated[
        Path | None, typer.Option("--from", metavar="DUMP", help="plan: from this dump, not the running router.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="plan: for a router that has its ports and nothing on them.")
    ] = False,
    output_format: Annotated[
        str, typer.Option("--format", help="check: text, json; plan, diff: cli, json, diff; dump: yaml, json.")
    ] = "",
    explain: Annotated[bool, typer.Option("--explain", help="plan, diff: what each line waits for.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="plan, diff, dump: write it there.")
    ] = None,
    journal: Annotated[
        Path | None, typer.Option("--journal", metavar="FILE", help="apply: its journal.", show_default="FILE.journal")
    ] = None,
    rollback: Annotated[bool, typer.Option("--rollback", help="apply: undo what was done when a step fails.")] = False,
    confirm: Annotated[
        float | None,
        typer.Option("--confirm", metavar="S", help="apply: undo all after S seconds, unless it is confirmed."),
    ] = None,
) -> int:
    """Check vppcfg's YAML, plan what leads a router there, do it, and read a router's state back.

    Exit codes: 2 the configuration is not of this router; 3 it has no such object; 4 it does not answer, or a step
    failed; 6 a file is not valid.
    """
    refuse_other_options(command, OPTION_VERBS, what, locals())
    given = [*(files or []), *([] if config is None else [config])]
    _check_words(what, len(given), output_format)
    form = output_format or _FORMATS.get(what, ("",))[0]
    match what:
        case "check":
            return _check(given[0], form)
        case "diff":
            text = _diff(given[0], given[1], form, explain, output is None)
        case "plan" if dumped is not None or offline:
            if dumped is not None and offline:
                raise UsageError("--from and --offline each say what to plan from; give one of them")
            text = _plan_offline(given[0], dumped, form, explain, output is None)
        case "plan":
            with _device(socket, api) as device:
                text = _plan_device(given[0], device, form, explain, output is None)
        case "dump":
            with _device(socket, api) as device:
                text = _dump(device, form)
        case "confirm":
            from wirespeed.config.journal import confirm as confirm_journal  # noqa: PLC0415

            confirm_journal(given[0])
            print("confirmed; it stays")
            return 0
        case _:
            if confirm is not None and not 1 <= confirm <= _MOST_CONFIRM_S:
                raise UsageError(f"--confirm {confirm:g}: give seconds from 1 to {_MOST_CONFIRM_S:g}")
            beside = given[0].with_name(f"{given[0].name}.journal")
            with _device(socket, api) as device:
                return _apply(given[0], device, journal or beside, rollback, confirm)
    _write(text, output)
    return 0


@contextmanager
def _device(socket: Path | None, api: str) -> Iterator[Device]:
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


def _check_words(what: str, count: int, output_format: str) -> None:
    wanted = _TAKES[what]
    if count != wanted:
        words = {0: "no file", 1: "one file", 2: "two files"}[wanted]
        raise UsageError(f"config {what} takes {words}, and {count} are given")
    if output_format and output_format not in _FORMATS[what]:
        raise UsageError(f"--format {output_format}: those of config {what} are {', '.join(_FORMATS[what])}")


def _write(text: str, output: Path | None) -> None:
    from wirespeed.files import write_atomically  # noqa: PLC0415

    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(output, text)


def _check(file: Path, form: str) -> int:
    """All findings on standard output, since they are what was asked for."""
    import json  # noqa: PLC0415

    from wirespeed.config.check import check_file, said  # noqa: PLC0415

    checked = check_file(file)
    if form == "json":
        print(json.dumps({"file": str(file), "findings": [one.fields() for one in checked.findings]}, indent=2))
    else:
        print(said(checked.findings, str(file)) if checked.findings else f"{file} is valid")
    return FileFault.exit_code if checked.findings else 0


def _plan_text(current: State, target: State, made: Plan, form: str, explain: bool, to_terminal: bool) -> str:
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


def _plan_device(file: Path, device: Device, form: str, explain: bool, to_terminal: bool) -> str:
    from wirespeed.config.check import read_config  # noqa: PLC0415
    from wirespeed.config.plan import plan  # noqa: PLC0415
    from wirespeed.config.preflight import check_same_router  # noqa: PLC0415
    from wirespeed.config.target import target_state  # noqa: PLC0415

    config = read_config(file)
    current, target = device.read(), target_state(config)
    check_same_router(config, current)
    return _plan_text(current, target, plan(current, target), form, explain, to_terminal)


def _dump(device: Device, form: str) -> str:
    from wirespeed.config.check import check_text  # noqa: PLC0415
    from wirespeed.config.dump import dump_text, json_text  # noqa: PLC0415

    state = device.read()
    text = dump_text(state)
    for finding in check_text(text.encode(), "dump").findings:
        print(f"wirespeed: {finding.text('dump')}", file=sys.stderr)
    return json_text(state) if form == "json" else text


def _apply(file: Path, device: Device, journal: Path, rollback: bool, confirm_s: float | None) -> int:
    from wirespeed.config.application import Application  # noqa: PLC0415
    from wirespeed.config.check import read_config  # noqa: PLC0415
    from wirespeed.ending_signals import leave_on_signals  # noqa: PLC0415

    config = read_config(file)
    with leave_on_signals(KeyboardInterrupt):
        return Application(config, device, journal, lambda line: print(line, flush=True), rollback, confirm_s).run()
