"""The console itself: help, history, connection, leaving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirespeed.console.commands.registry import ALIASES, COMMANDS, COMMON, CONSOLE, GROUPS, command
from wirespeed.console.grammar import Given, Option, find, help_text
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.errors import RemoteError, UsageError

_LATEST = 100


class LeaveConsole(Exception):
    """Raised by `quit`."""


class EnterTui(Exception):
    """Raised by `tui`: who runs the commands has the terminal, and hands it over."""


@command(
    "help",
    CONSOLE,
    "Show the commands, or one with its options.",
    Option(("command",), "The command.", many=True, source="commands"),
    offline=True,
)
def help_(session: Session, given: Given) -> None:
    if given.command:
        session.screen.show(help_text(find(given.command, COMMANDS, ALIASES)[0], COMMANDS))
        return
    width = max(map(len, COMMANDS))
    for group in GROUPS:
        session.screen.show(f"{group}:\n")
        for name, one in sorted(COMMANDS.items()):
            if one.group == group:
                session.screen.show(f"  {name:<{width}}  {one.summary}")
        session.screen.show()
    session.screen.show("`help COMMAND` or `COMMAND -h` shows its options; Tab completes.")


@command("history", CONSOLE, "Show the lines that were given.", offline=True)
def history(session: Session, given: Given) -> None:
    first = max(0, len(session.history) - _LATEST)
    for number, line in enumerate(session.history[first:], start=first + 1):
        session.screen.show(f"{number:4}  {line}")


@command("events", CONSOLE, "Show what happened at the server since this console connected.", offline=True)
def events(session: Session, given: Given) -> None:
    for happening in list(session.happenings):
        session.screen.show(str(happening))
    if not session.happenings:
        session.screen.show("nothing has happened yet")


@command(
    "connect",
    COMMON,
    "Connect (again), and take back the ports that were ours.",
    Option(("server",), "Another server than before.", metavar="HOST[:PORT]"),
    offline=True,
)
def connect(session: Session, given: Given) -> None:
    server = given.server or session.server
    elsewhere = server != session.server
    if session.online and session.owned and elsewhere:
        session.client.give_back(session.owned)
    with step(session.screen, f"Connecting to RPC server on {server}:"):
        session.connect(given.server)
    session.screen.show(f"{session.version}, {describe(session.system)}")
    wanted = session.ports if elsewhere else session.wanted
    if wanted and not session.on_demand:
        take_free(session, [port for port in wanted if port in session.ports])


def describe(system: Mapping[str, Any]) -> str:
    """`2 ports: net_memif, net_memif`."""
    drivers = [str(port.get("driver", "?")) for port in sorted(system.get("ports", ()), key=lambda one: one["index"])]
    return f"{len(drivers)} ports: {', '.join(drivers)}"


def take_free(session: Session, ports: list[int]) -> None:
    """Take ports that nobody has; a console that gets none of them reads only."""
    try:
        with step(session.screen, f"Acquiring ports {ports}:"):
            session.client.take(ports)
    except RemoteError as error:
        session.screen.show(f"{error}; read-only there until `acquire --force`")


@command("disconnect", COMMON, "Give the ports back and end the connection; traffic goes on.", offline=True)
def disconnect(session: Session, given: Given) -> None:
    if not session.online:
        raise UsageError("not connected")
    with step(session.screen, f"Disconnecting from server at {session.server}:"):
        session.leave()


@command("tui", CONSOLE, "Show the ports live.")
def tui(session: Session, given: Given) -> None:
    raise EnterTui


@command("quit", CONSOLE, "Leave (also exit, q and Ctrl-D); gives the ports back.", offline=True)
def quit_(session: Session, given: Given) -> None:
    raise LeaveConsole
