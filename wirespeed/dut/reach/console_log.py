"""A console log in place of a device: typed commands with their output.

A line such as `root@fitlet:~# show interface` begins a command; what follows up to the next one is its output.
"""

from __future__ import annotations

import re
from pathlib import Path

from wirespeed.dut.reach.questions import answer_of, questions_of
from wirespeed.dut.reach.reach import PATIENCE_S, Ran
from wirespeed.errors import FileFault
from wirespeed.files import read_text_file

_PROMPT = re.compile(r"(?P<prompt>[^\s#$>%]*[\w~\])]\s?[#$>%]) (?P<command>\S.*)|[#$] (?P<bare>\S.*)")
_MOST_BYTES = 64 << 20


class ConsoleLog:
    """The commands of the file at `path`; the last output of each. It cannot be changed, and says so of every other
    command: exit code 127. FileFault when the file has no command in it."""

    def __init__(self, path: Path) -> None:
        self.name = f"console-log:{path}"
        text = read_text_file(path, "console log", _MOST_BYTES).decode(errors="replace")
        self.texts = console_texts(text)
        if not self.texts:
            raise FileFault(
                f"console log {path} has no line with a prompt and a command, such as `root@box:~# uname -a`"
            )

    def run(self, command: str, *, stdin: str = "", timeout_s: float = PATIENCE_S) -> Ran:
        if questions := questions_of(command):
            return Ran(0, "".join(answer_of(question, self._text(question)) for question in questions))
        text = self._text(command)
        return Ran(127, "", f"{command} is not in the log") if text is None else Ran(0, text)

    def close(self) -> None:
        pass

    def _text(self, command: str) -> str | None:
        """The text of a command as it was typed, which VPP's CLI also takes by the beginnings of its words."""
        wanted = plain(command)
        short = (typed for typed in self.texts if begins(typed, wanted.removeprefix("vppctl ")))
        return self.texts.get(wanted if wanted in self.texts else next(short, ""))


def begins(typed: str, whole: str) -> bool:
    """True if each word of `typed` is the beginning of the word of `whole` in its place."""
    pairs = zip(typed.removeprefix("vppctl ").split(), whole.split(), strict=False)
    return len(typed.removeprefix("vppctl ").split()) == len(whole.split()) and all(b.startswith(a) for a, b in pairs)


def console_texts(text: str) -> dict[str, str]:
    """Output by command, in the order in which they were typed."""
    by_command: dict[str, list[str]] = {}
    rows: list[str] | None = None
    for line in text.splitlines():
        match = _PROMPT.fullmatch(line.rstrip())
        if match:
            rows = by_command[plain(match["command"] or match["bare"])] = []
        elif rows is not None:
            rows.append(line)
    return {command: "\n".join([*rows, ""]).lstrip("\n") for command, rows in by_command.items()}


def plain(command: str) -> str:
    """A command without what becomes root by it, its comment and its redirections to nowhere."""
    text = re.sub(r"^(sudo( -n)?|doas( -n)?) ", "", command.strip())
    return " ".join(re.sub(r"\s+(##? .*|2>/dev/null)$", "", text).split())
