"""`wirespeed console`: T-Rex's console for a generator: one command, several from standard input, a shell, or `tui`."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wirespeed.cli.options import BenchOption, ServerOption, seconds
from wirespeed.console.absent import MOOT
from wirespeed.ending_signals import leave_on_signals
from wirespeed.errors import EnvironmentFault, UsageError, WirespeedError
from wirespeed.files import read_text_file

if TYPE_CHECKING:
    from wirespeed.console.commands.console import EnterTui
    from wirespeed.console.session import Session

# The words of a console command are not options of ours.
CONTEXT = {"ignore_unknown_options": True, "allow_interspersed_args": False}
NUMBER_LISTS = ("-a", "--acquire")
OPTIONAL_VALUES = {"--emu-only-server": "localhost"}
"""T-Rex's options that may stand without a value, and what they mean then."""

_MOST_BATCH_BYTES = 16 << 20


def _moot(name: str, *flags: str) -> Any:
    return typer.Option(*flags, name, help=f"Accepted as in T-Rex: {MOOT[name]}.", hidden=True)


def command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND...]", help="Command to run, e.g. stats or tui.")
    ] = None,
    server: ServerOption = None,
    port: Annotated[
        int | None,
        typer.Option("-p", "--port", metavar="PORT", help="Port of the server, if -s has none.", min=1),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("-u", "--user", metavar="NAME", help="User name as owner of the ports.", show_default="yours"),
    ] = None,
    force: Annotated[bool, typer.Option("-f", "--force", help="Acquire ports by force.")] = False,
    readonly: Annotated[bool, typer.Option("-r", "--readonly", help="Acquire no ports.")] = False,
    acquire: Annotated[
        str | None, typer.Option("-a", "--acquire", metavar="PORT…", help="Acquire these ports, e.g. 0 1 or 0,1.")
    ] = None,
    batch: Annotated[
        Path | None,
        typer.Option("--batch", metavar="FILE", help="Run the commands of a file first; stop at an error."),
    ] = None,
    tui: Annotated[bool, typer.Option("-t", "--tui", help="The live view without a command line.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Do not print the result of each step.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show requests and answers.")] = False,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", parser=seconds, metavar="TIME", help="Time to wait for an answer.", show_default="2s"
        ),
    ] = 2.0,
    async_port: Annotated[
        int | None, typer.Option("--async_port", metavar="PORT", help="Not needed: events come from the RPC port.")
    ] = None,
    xtui: Annotated[bool, _moot("--xtui", "-x")] = False,
    top: Annotated[bool, _moot("--top")] = False,
    emu: Annotated[bool, _moot("--emu")] = False,
    emu_server: Annotated[str | None, _moot("--emu-server")] = None,
    emu_server_port: Annotated[int | None, _moot("--emu-server-port")] = None,
    emu_only_server: Annotated[str | None, _moot("--emu-only-server")] = None,
    bench: BenchOption = None,
) -> int:
    """T-Rex's console for a generator: one command, a shell, or the live `tui` (`help` lists the commands).

    The shell acquires all free ports. A single command, and commands from standard input, acquire the ports that they
    need. At the end all ports are released, and running traffic continues. All options of T-Rex's console are accepted.
    """
    from wirespeed.client.generator_client import parse_server  # noqa: PLC0415
    from wirespeed.console.commands.console import EnterTui  # noqa: PLC0415
    from wirespeed.console.grammar import read_ports  # noqa: PLC0415
    from wirespeed.console.screen import TerminalScreen  # noqa: PLC0415 - a command starts fast
    from wirespeed.console.session import Session  # noqa: PLC0415
    from wirespeed.testbed.options import SERVER  # noqa: PLC0415 - a command starts fast

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a µ on a terminal that has none is no reason to fail
    moot: dict[str, object] = {"--xtui": xtui, "--top": top, "--emu": emu, "--emu-server": emu_server}
    moot |= {"--emu-server-port": emu_server_port, "--emu-only-server": emu_only_server}
    for name in (name for name, given in moot.items() if given):
        _complain(f"{name}: {MOOT[name]}")
    if not timeout >= 0.1:
        raise UsageError(f"--timeout {timeout:g}: give at least 0.1 s")
    if acquire is not None and readonly:
        raise UsageError("--acquire and --readonly exclude each other")
    view = EnterTui(locked=True) if tui or xtui else EnterTui() if words == ["tui"] else None
    live = view is not None or (not words and sys.stdin.isatty())
    if live and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise EnvironmentFault("tui needs a terminal; `wirespeed console stats` prints once")
    address = server or SERVER
    with leave_on_signals(), ExitStack() as stack:
        if bench is not None:
            address = _bench_server(stack, bench, server, force)
        session = Session(
            address if port is None else f"{parse_server(address)[0]}:{port}",
            TerminalScreen(quiet),
            user=user,
            on_demand=not (live or readonly or acquire is not None),
            watches=live,
            single=bool(words) and not live,
            timeout_s=timeout,
        )
        session.trace(verbose)
        ports = None if acquire is None else read_ports(acquire)
        take = _Taking(ports, force, readonly or (view is not None and view.locked))
        lines = [] if batch is None else _batch_lines(batch)
        if live:
            return _interact(session, take, lines, view)
        return _run(session, words, take, lines if batch is not None else None)


def _bench_server(stack: ExitStack, bench: Path, server: str | None, force: bool) -> str:
    """Address of the testbed's tester; a tester that this starts ends with the console."""
    from wirespeed.measurement.stand import stand_of, with_bench  # noqa: PLC0415
    from wirespeed.testbed.options import GivenOptions  # noqa: PLC0415

    at = with_bench(bench, GivenOptions(server))
    return stack.enter_context(stand_of(at, bench, force)).client.server


@dataclass(frozen=True)
class _Taking:
    """Ports to take at first: all if None."""

    ports: tuple[int, ...] | None
    force: bool
    readonly: bool


def _batch_lines(file: Path) -> list[str]:
    return read_text_file(file, "batch file", _MOST_BATCH_BYTES).decode(errors="replace").splitlines()


def _run_batch(session: Session, lines: Sequence[str]) -> int:
    """The exit code of the first line that fails, which is the last to run."""
    from wirespeed.console.commands.console import EnterTui  # noqa: PLC0415
    from wirespeed.console.running import run_line  # noqa: PLC0415

    try:
        return next(filter(None, (run_line(session, line, _complain) for line in lines)), 0)
    except EnterTui:
        raise UsageError(
            "tui is not a command for a batch; `wirespeed console --batch FILE -t` shows it after"
        ) from None


def _interact(session: Session, take: _Taking, lines: list[str], tui: EnterTui | None) -> int:
    from wirespeed.console.commands.console import LeaveConsole  # noqa: PLC0415
    from wirespeed.console.shell import ConsoleShell  # noqa: PLC0415

    try:
        _connect_and_take(session, take)
        if code := _run_batch(session, lines):
            _leave(session)
            return code
        ConsoleShell(session).run(tui)
    except LeaveConsole:  # a batch with `quit` in it
        _leave(session)
    except BaseException:  # a hang-up, or told to end: there is nobody to ask
        _leave(session)
        raise
    return 0


def _connect_and_take(session: Session, take: _Taking) -> None:
    from wirespeed.console.commands.console import describe, take_free  # noqa: PLC0415
    from wirespeed.console.screen import ProgressText, step  # noqa: PLC0415

    with step(session.screen, f"Connecting to RPC server on {session.server}:"):
        session.connect()
    session.screen.show(ProgressText(f"{session.version}, {describe(session.system)}"))
    session.clear(session.ports)
    ports = session.some(take.ports)
    if take.force:
        session.client.take(ports, force=True)
    elif not take.readonly:
        take_free(session, list(ports))


def _run(session: Session, words: list[str] | None, take: _Taking, batch: list[str] | None) -> int:
    """Errors go to stderr and do not end a script, but for a `batch`, in place of which there is no standard input; the
    first exit code that is not 0 is ours."""
    from wirespeed.console.commands.console import EnterTui, LeaveConsole  # noqa: PLC0415
    from wirespeed.console.running import run_line, run_words  # noqa: PLC0415

    codes = []
    if not words or batch or take.ports is not None or _needs_server(words):
        session.connect()
    try:
        if session.online and (take.force or take.ports is not None):
            session.client.take(session.some(take.ports), take.force)
        if code := _run_batch(session, batch or ()):
            return code
        if words:
            codes.append(run_words(session, words, _complain))
        elif batch is None:
            for line in sys.stdin:
                codes.append(run_line(session, line, _complain))
    except LeaveConsole:
        pass
    except EnterTui:
        raise UsageError("tui is not a command for a script; `wirespeed console tui` shows it on a terminal") from None
    finally:
        _leave(session)
    return next((code for code in codes if code), 0)


def _needs_server(words: list[str]) -> bool:
    """UsageError for words that are not a command: that is found without a server too."""
    from wirespeed.console.commands import ALIASES, COMMANDS  # noqa: PLC0415
    from wirespeed.console.grammar import parse  # noqa: PLC0415

    if words[0].startswith("-"):
        raise UsageError(f"no option {words[0]!r}; see wirespeed console --help")
    parsed = parse(words, COMMANDS, ALIASES)
    return not (parsed.command.offline or parsed.wants_help)


def _leave(session: Session) -> None:
    """Traffic that a script starts and leaves running is meant to run; it is said all the same."""
    try:
        running = session.active_ports() if session.online and session.started else []
        session.leave()
        if running:
            _complain(f"traffic runs on port(s) {running}; `wirespeed console stop` ends it")
    except WirespeedError as error:
        _complain(str(error))


def _complain(text: str) -> None:
    sys.stdout.flush()
    print(f"wirespeed: {text}", file=sys.stderr)
