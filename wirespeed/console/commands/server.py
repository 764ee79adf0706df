"""The server itself: its settings and its end."""

from __future__ import annotations

from typing import Any

from wirespeed.console.commands.registry import COMMON, command
from wirespeed.console.grammar import ConsoleOption, Given, switch
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.errors import UsageError

_SETTINGS: dict[str, type[bool] | type[float]] = {
    "sched_max_stretch": float,
    "process_at_cp": bool,
    "do_mbuf_cache": bool,
}


@command(
    "shutdown",
    COMMON,
    "End the server.",
    switch("-f", "--force", help="Also when others own ports."),
)
def shutdown(session: Session, given: Given) -> None:
    with step(session.screen, f"Shutting down the server at {session.server}:"):
        session.client.call("shutdown", user=session.client.user, force=given.force)
    session.drop(f"generator {session.server} was shut down")


@command(
    "global_cfg",
    COMMON,
    "Show the server's global settings, or change them.",
    ConsoleOption(
        ("-t", "--tunables"), f"Settings: {', '.join(_SETTINGS)}, as in -t sched_max_stretch=100.", rest=True
    ),
)
def global_cfg(session: Session, given: Given) -> None:
    if given.tunables:
        asked = {name: _setting(name, text) for name, text in given.tunables.items()}
        with step(session.screen, "Setting global configuration:"):
            session.client.call("set_global_cfg", **asked)
        return
    for name, value in session.client.call("get_global_cfg").items():
        session.screen.show(f"{name}: {value}")


def _setting(name: str, text: str) -> Any:
    if name not in _SETTINGS:
        raise UsageError(f"global_cfg: no setting {name!r}; there is {', '.join(_SETTINGS)}")
    words = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
    if _SETTINGS[name] is bool:
        if text.lower() not in words:
            raise UsageError(f"global_cfg: {name}={text} is not true or false")
        return words[text.lower()]
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"global_cfg: {name}={text} is not a number") from None
