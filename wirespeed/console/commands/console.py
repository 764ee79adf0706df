"""The console itself: help, history, connection, leaving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wirespeed.console.absent import MOOT
from wirespeed.console.commands.registry import ALIASES, COMMANDS, COMMON, CONSOLE, GROUPS, command
from wirespeed.console.grammar import ConsoleOption, Given, commands_of, count, find, help_text, listed, switch
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.errors import RemoteError, UsageError

_LATEST = 100


class LeaveConsole(Exception):
    """Raised by `quit`."""


class EnterTui(Exception):
    """Raised by `tui`: who runs the commands has the terminal, and hands it over. `locked`: keys only, no line."""

    def __init__(self, locked: bool = False) -> None:
        super().__init__()
        self.locked = locked


class RunAgain(Exception):
    """Raised by `history N` with the line to run."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line


@command(
    "help",
    CONSOLE,
    "Show the commands, or one with its options.",
    ConsoleOption(("command",), "The command.", many=True, source="commands"),
    offline=True,
)
def help_(session: Session, given: Given) -> None:
    if given.command:
        session.screen.show(help_text(find(given.command, COMMANDS, ALIASES)[0], COMMANDS))
        return
    width = max(map(len, COMMANDS))
    for group in GROUPS:
        session.screen.show(f"{group}:\n")
        some = [(name, one.summary) for name, one in sorted(COMMANDS.items()) if one.group == group]
        session.screen.show("\n".join([*listed(some, width), ""]))
    session.screen.show("`help COMMAND` or `COMMAND -h` shows its options; Tab completes.")


@command(
    "history",
    CONSOLE,
    "Show the lines that were given, or run one of them again.",
    ConsoleOption(("number",), "The line to run.", count("line", 0), "N"),
    offline=True,
)
def history(session: Session, given: Given) -> None:
    if given.number:
        _run_again(session, int(given.number))
    first = max(0, len(session.history) - _LATEST)
    for number, line in enumerate(session.history[first:], start=first + 1):
        session.screen.show(f"{number:4}  {line}")


def _run_again(session: Session, number: int) -> None:
    """Add the line to the history again, as the latest command."""
    if number >= len(session.history):
        raise UsageError(f"history: there is no line {number} before this one")
    line = session.history[number - 1]
    if any(ALIASES.get(words[0], words[0]) == "history" for words in commands_of(line)):
        raise UsageError(f"history: line {number} shows or runs the history itself")
    raise RunAgain(line)


@command(
    "events",
    CONSOLE,
    "Show what happened at the server since this console connected.",
    switch("-i", "--info", help="Informational messages; alone or with -w."),
    switch("-w", "--warn", help="Warnings, which are also shown at once; alone or with -i."),
    switch("-c", "--clear", help="Clear the list after it is shown."),
    offline=True,
)
def events(session: Session, args: Given) -> None:
    every = args.info == args.warn
    shown = [one for one in list(session.happenings) if every or one.loud == args.warn]
    for happening in shown:
        session.screen.show(str(happening))
    if not shown:
        session.screen.show("nothing has happened yet" if not session.happenings else "nothing of that kind")
    if args.clear:
        session.happenings.clear()


@command(
    "verbose",
    CONSOLE,
    "Show requests and answers as they pass; whether it is on if no word is given.",
    ConsoleOption(("state",), "on or off.", choices=("on", "off")),
    offline=True,
)
def verbose(session: Session, given: Given) -> None:
    if given.state:
        session.trace(given.state == "on")
    session.screen.show(f"verbose is {'on' if session.verbose else 'off'}")


@command(
    "connect",
    COMMON,
    "Connect (again), and take back the ports that it had.",
    ConsoleOption(("server",), "Server to connect to. Default: the same as before.", metavar="HOST[:PORT]"),
    switch("-f", "--force", help="Acquire all ports by force."),
    switch("-r", "--readonly", help="Acquire no ports."),
    offline=True,
)
def connect(session: Session, args: Given) -> None:
    server = args.server or session.server
    elsewhere = server != session.server
    if session.online and session.owned and (elsewhere or args.readonly):
        session.client.give_back(session.owned)
    with step(session.screen, f"Connecting to RPC server on {server}:"):
        session.connect(args.server)
    session.screen.show(f"{session.version}, {describe(session.system)}")
    wanted = session.ports if elsewhere else session.wanted
    if args.readonly:
        return
    if args.force:
        with step(session.screen, f"Force acquiring ports {list(session.ports)}:"):
            session.client.take(session.ports, force=True)
    elif wanted and not session.on_demand:
        take_free(session, [port for port in wanted if port in session.ports])


def describe(system: Mapping[str, Any]) -> str:
    """`2 ports: net_memif, net_memif`."""
    drivers = [str(port.get("driver", "?")) for port in sorted(system.get("ports", ()), key=lambda one: one["index"])]
    return f"{len(drivers)} ports: {', '.join(drivers)}"


def take_free(session: Session, ports: list[int]) -> None:
    """Acquire free ports; a console without any port is read-only."""
    try:
        with step(session.screen, f"Acquiring ports {ports}:"):
            session.client.take(ports)
    except RemoteError as error:
        session.screen.show(f"{error}; read-only there until `acquire --force`")


@command("disconnect", COMMON, "Give the ports back and end the connection; traffic goes on.", offline=True)
def disconnect(session: Session, given: Given) -> None:
    if not session.online:
        raise UsageError("not connected; `connect` connects to the server")
    with step(session.screen, f"Disconnecting from server at {session.server}:"):
        session.leave()


@command(
    "tui",
    CONSOLE,
    "Show the ports live.",
    switch("-l", "--locked", help="Accept keys only, no commands."),
    replace(switch("-x", "--xterm", help="Accepted as in T-Rex; opens no window."), moot=MOOT["--xtui"]),
)
def tui(session: Session, given: Given) -> None:
    raise EnterTui(given.locked)


@command("quit", CONSOLE, "Leave (also exit, q and Ctrl-D); gives the ports back.", offline=True)
def quit_(session: Session, given: Given) -> None:
    raise LeaveConsole
