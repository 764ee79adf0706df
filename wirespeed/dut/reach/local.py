"""This machine, or a network namespace of it."""

from __future__ import annotations

import os
import pwd
import shlex
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from wirespeed.dut.reach.reach import PATIENCE_S, Ran, no_root, timed_out, wrapped
from wirespeed.errors import EnvironmentFault


class LocalReach:
    """Commands run as root here, in the namespace `netns` of `ip netns` if one is named."""

    def __init__(self, netns: str = "") -> None:
        self.name = f"netns:{netns}" if netns else "local"
        self._netns = netns
        self._become: str | None = None

    def run(self, command: str, *, stdin: str = "", timeout_s: float = PATIENCE_S) -> Ran:
        if self._become is None:
            self._become = self._root()
        within = f"ip netns exec {shlex.quote(self._netns)} " if self._netns else ""
        line = wrapped(command, f"{self._become} {within}".strip())
        try:
            process = subprocess.Popen(
                ["sh", "-c", f"exec {line}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:  # such as a command of more than 128 kB; 126 is the shell's code of one
            return Ran(126, "", f"the command cannot be run: {error.strerror}")
        try:
            out, err = process.communicate(stdin, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise timed_out(self.name, command, timeout_s) from None
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        return Ran(process.returncode, out, err)

    def close(self) -> None:
        pass

    def _root(self) -> str:
        if self._netns and _is_missing(Path("/run/netns", self._netns)):
            raise EnvironmentFault(f"there is no network namespace {self._netns}: ip netns lists those there are")
        if os.geteuid() == 0:
            return ""
        user = pwd.getpwuid(os.geteuid()).pw_name
        try:
            ran = subprocess.run(
                ["sudo", "-n", "true"], capture_output=True, text=True, check=False, timeout=PATIENCE_S
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise no_root(self.name, user, str(error)) from None
        if ran.returncode:
            raise no_root(self.name, user, " ".join(ran.stderr.split()))
        return "sudo -n"


def _is_missing(namespace: Path) -> bool:
    """False too if the folder is closed to this user: `ip` runs as root and reports what is missing."""
    try:
        return not namespace.exists()
    except PermissionError:
        return False
