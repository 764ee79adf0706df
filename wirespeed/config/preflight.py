"""Check whether a router has everything that a configuration needs, before anything is planned."""

from __future__ import annotations

from wirespeed.config.lookup import kind_of
from wirespeed.config.schema import Config
from wirespeed.config.state import InterfaceType, RouterState
from wirespeed.config.steps import natural
from wirespeed.errors import UsageError
from wirespeed.findings import listed


def check_same_router(config: Config, current: RouterState) -> None:
    """UsageError where one has a port that the other has not, or a name is taken."""
    there = {name for name, face in current.interfaces.items() if face.kind is InterfaceType.PORT}
    named = {name for name in config.interfaces if kind_of(name)[0] is InterfaceType.PORT}
    if missing := sorted(named - there, key=natural):
        has = listed(sorted(there, key=natural)) or "none"
        raise UsageError(
            f"port {listed(missing)} of the configuration is not on the router, whose ports are {has}; "
            "take it out, or correct the name"
        )
    if extra := sorted(there - named, key=natural):
        raise UsageError(
            f"port {listed(extra)} of the router is not in the configuration; give its wanted state, "
            f"such as interfaces.{extra[0]}: {{state: down}} (wirespeed config dump shows its current state)"
        )
    if taken := sorted(current.reserved & config.taps.keys()):
        raise UsageError(
            f"{taken[0]} of the configuration is the Linux side of an LCP pair; give the TAP another number"
        )
