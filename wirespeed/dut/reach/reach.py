"""Interface of all access methods to a device under test: they run a command there, as root."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Protocol

from wirespeed.errors import ConnectionFault, EnvironmentFault

PATIENCE_S = 30.0
"""A command that has not ended by then is ended, and the device said not to answer."""

_SETTING = "export LC_ALL=C PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin; "
"""Commands of an administrator, whose words do not depend on whose shell it is."""


@dataclass(frozen=True)
class Ran:
    """A finished command with its output. With another `code` than 0 it failed, and `why` is the reason."""

    code: int
    out: str
    err: str = ""

    @property
    def why(self) -> str:
        said = " ".join((self.err.strip() or self.out.strip()).split())
        return f"{said[:300]}" if said else f"exit code {self.code}"


class Reach(Protocol):
    """`name` is the device as it was given, for messages."""

    name: str

    def run(self, command: str, *, stdin: str = "", timeout_s: float = PATIENCE_S) -> Ran:
        """Run `command` by the device's `sh`, as root. ConnectionFault if the device does not answer in time,
        EnvironmentFault without root access."""

    def close(self) -> None:
        """Harmless when repeated."""


def wrapped(command: str, become: str = "") -> str:
    """`command` for whatever shell a user has, by way of `become` (`sudo -n`)."""
    return f"{become} sh -c {shlex.quote(_SETTING + command)}".strip()


def timed_out(name: str, command: str, timeout_s: float) -> ConnectionFault:
    return ConnectionFault(f"{name} has not answered `{short(command)}` in {timeout_s:g} s; is it under load?")


def no_root(name: str, user: str, why: str) -> EnvironmentFault:
    return EnvironmentFault(
        f"{name}: {user} may not run commands as root without a password ({why}); let it in sudoers, or give root@"
    )


def short(command: str) -> str:
    """The first line of a command, for a message."""
    line = command.strip().partition("\n")[0]
    return line if len(line) <= 80 else f"{line[:77]}..."


# ---- files, by commands


def write_command(path: str) -> str:
    """The command that makes its standard input the whole of a file, or leaves the old one; its mode stays."""
    new, old = shlex.quote(f"{path}.wirespeed-new"), shlex.quote(path)
    keep = f"{{ test ! -e {old} || cp -p {old} {new}; }}"
    return f"{keep} && cat > {new} && mv -f {new} {old}"
