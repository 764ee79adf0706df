"""Transcript of a machine's answers to a list of commands, as one text that can be stored, sent and read again.

A section is a line `==> NAME`, the command's output, and `<== CODE`. One script runs all commands, so a machine behind
SSH is contacted once."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from wirespeed.dut.reach.reach import Reach
from wirespeed.errors import EnvironmentFault

_BEGIN = re.compile(r"==> (.+)")
_END = re.compile(r"<== (\d+)")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PATIENCE_S = 120.0
# The first line of each file, without a process of its own: a machine of 256 CPUs has thousands of them.
_TREE = """tree() {
for f in "$@"; do
if [ -L "$f" ]; then printf '%s = %s\\n' "$f" "$(readlink -f "$f")"; continue; fi
v=; { read -r v <"$f"; } 2>/dev/null; [ -n "$v" ] && printf '%s = %s\\n' "$f" "$v"
done; true
}"""
NOT_FOUND = 127


class ShellMachine(Protocol):
    """A machine that takes commands for its shell. `name` is what messages call it."""

    name: str

    def run(self, command: str) -> str:
        """Standard output of the command. ConnectionFault or EnvironmentFault if it cannot be run; an exit code other
        than 0 is not a fault."""


class Here:
    """This machine."""

    name = "this machine"

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s

    def run(self, command: str) -> str:
        path = f"{os.environ.get('PATH', '')}:{_PATH}"
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C", "PATH": path},
            start_new_session=True,
        )
        try:
            return process.communicate(timeout=self._patience_s)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            raise EnvironmentFault(f"{shlex.quote(command[:60])} did not end within {self._patience_s:g} s") from None
        finally:
            if process.poll() is None:  # with what it has started, or that would hold the pipe
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate()


class Elsewhere:
    """A machine behind a way to it."""

    def __init__(self, reach: Reach, patience_s: float = PATIENCE_S) -> None:
        self.name = reach.name
        self._reach, self._patience_s = reach, patience_s

    def run(self, command: str) -> str:
        return self._reach.run(command, timeout_s=self._patience_s).out


@dataclass(frozen=True)
class TranscriptSection:
    """Output of one command, and its exit code."""

    text: str
    code: int = 0

    @property
    def is_missing(self) -> bool:
        """True if the program is not installed."""
        return self.code == NOT_FOUND


Transcript = Mapping[str, TranscriptSection]
NOTHING = TranscriptSection("", 1)


def script(questions: Mapping[str, str]) -> str:
    """The shell text that answers them all, each in a shell of its own. `tree GLOB…` prints files and links as the
    function `tree` below reads them."""
    parts = ["export LC_ALL=C", f"export PATH=$PATH:{_PATH}", _TREE]
    for name, command in questions.items():
        parts += [f"echo {shlex.quote(f'==> {name}')}", f"( {command}\n) 2>&1 </dev/null"]
        parts.append('code=$?; echo; echo "<== $code"')
    return "\n".join(parts) + "\n"


def parse_transcript(text: str) -> dict[str, TranscriptSection]:
    """The sections by name; a truncated one counts as failed."""
    sections: dict[str, TranscriptSection] = {}
    name, lines = "", list[str]()
    for line in text.splitlines():
        if match := _BEGIN.fullmatch(line):
            name, lines = match[1], []
            sections[name] = NOTHING
        elif name and (match := _END.fullmatch(line)):
            sections[name] = TranscriptSection(
                "\n".join(lines).rstrip("\n") + "\n" if any(lines) else "", int(match[1])
            )
            name = ""
        elif name:
            lines.append(line)
    return sections


def ask(machine: ShellMachine, questions: Mapping[str, str]) -> dict[str, TranscriptSection]:
    """Everything that `machine` answers. Errors as of its `run`."""
    return parse_transcript(machine.run(script(questions)))


def section(transcript: Transcript, name: str) -> TranscriptSection:
    return transcript.get(name, NOTHING)


def text(transcript: Transcript, name: str) -> str:
    """Output of the command if it succeeded; otherwise empty."""
    found = section(transcript, name)
    return found.text if found.code == 0 else ""


def tree(printed: str) -> dict[str, str]:
    """Values of files and targets of links, by path."""
    values: dict[str, str] = {}
    for line in printed.splitlines():
        path, equals, value = line.partition(" = ")
        if equals and path.startswith("/"):
            values[path] = value.strip()
    return values
