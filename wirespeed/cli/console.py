"""`wirespeed console`: T-Rex's console for a generator: one command, several from standard input, a shell, or `tui`."""

from __future__ import annotations

import io
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.options import BenchOption
from wirespeed.cli.signals import leave_on_signals
from wirespeed.errors import EnvironmentFault, UsageError, WirespeedError

if TYPE_CHECKING:
    from wirespeed.console.session import Session

# The words of a console command are not options of ours.
CONTEXT = {"ignore_unknown_options": True, "allow_interspersed_args": False}


def command(
    words: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND...]", help="Such as: stats, or tui.")] = None,
    server: Annotated[
        str, typer.Option("-s", "--server", metavar="HOST[:PORT]", help="Generator to use, ours or a T-Rex.")
    ] = "127.0.0.1:4501",
    user: Annotated[
        str | None, typer.Option("-u", "--user", help="Name under which ports are taken.", show_default="yours")
    ] = None,
    force: Annotated[bool, typer.Option("-f", "--force", help="Take the ports from whoever has them.")] = False,
    readonly: Annotated[bool, typer.Option("-r", "--readonly", help="Take no ports.")] = False,
    bench: BenchOption = None,
) -> int:
    """T-Rex's console for a generator: one command, a shell, or the live `tui` (`help` lists the commands).

    The shell takes all ports that are free. A single command, and commands from standard input, take those that they
    need; all ports are given back at the end, and what they send goes on.
    """
    from wirespeed.console.screen import TerminalScreen  # noqa: PLC0415 - a command starts fast
    from wirespeed.console.session import Session  # noqa: PLC0415

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a µ on a terminal that has none is no reason to fail
    live = words == ["tui"] or (not words and sys.stdin.isatty())
    if live and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise EnvironmentFault("tui needs a terminal; `wirespeed console stats` prints once")
    with leave_on_signals(), ExitStack() as stack:
        if bench is not None:
            server = _bench_server(stack, bench, server, force)
        session = Session(server, TerminalScreen(), user=user, on_demand=not (live or readonly), watches=live)
        if live:
            return _interact(session, force, readonly, tui=bool(words))
        return _run(session, words, force)


def _bench_server(stack: ExitStack, bench: Path, server: str, force: bool) -> str:
    """Where the bench's tester answers; one of its own ends with the console."""
    from wirespeed.bench.options import Options  # noqa: PLC0415
    from wirespeed.cli.stand import stand_of, with_bench  # noqa: PLC0415

    at = with_bench(bench, Options(server))
    return stack.enter_context(stand_of(at, bench, force)).client.server


def _interact(session: Session, force: bool, readonly: bool, tui: bool) -> int:
    from wirespeed.console.shell import Shell  # noqa: PLC0415

    try:
        _connect_and_take(session, force, readonly)
        Shell(session).run(tui=tui)
    except BaseException:  # a hang-up, or told to end: there is nobody to ask
        _leave(session)
        raise
    return 0


def _connect_and_take(session: Session, force: bool, readonly: bool) -> None:
    from wirespeed.console.commands.console import describe, take_free  # noqa: PLC0415
    from wirespeed.console.screen import step  # noqa: PLC0415

    with step(session.screen, f"Connecting to RPC server on {session.server}:"):
        session.connect()
    session.screen.show(f"{session.version}, {describe(session.system)}")
    session.clear(session.ports)
    if force:
        session.client.take(session.ports, force=True)
    elif not readonly:
        take_free(session, list(session.ports))


def _run(session: Session, words: list[str] | None, force: bool) -> int:
    """Errors go to stderr and do not end a script; the first exit code that is not 0 is ours."""
    from wirespeed.console.commands.console import EnterTui, LeaveConsole  # noqa: PLC0415
    from wirespeed.console.running import run_line, run_words  # noqa: PLC0415

    codes = []
    if not words or _needs_server(words):
        session.connect()
    try:
        if force and session.online:
            session.client.take(session.ports, force=True)
        if words:
            codes.append(run_words(session, words, _complain))
        else:
            for line in sys.stdin:
                codes.append(run_line(session, line, _complain))
    except LeaveConsole:
        pass
    except EnterTui:
        raise UsageError("tui is no command for a script; `wirespeed console tui` shows it on a terminal") from None
    finally:
        _leave(session)
    return next((code for code in codes if code), 0)


def _needs_server(words: list[str]) -> bool:
    """UsageError for words that are no command: that is found without a server too."""
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
