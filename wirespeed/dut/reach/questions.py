"""Several questions as one command for a device's shell, and its answers taken apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirespeed.dut.reach.reach import Ran

MARK = "=~=~="


def asking(questions: Sequence[str]) -> str:
    """One command that prints the answer and the exit code of each question."""
    return "\n".join(f"( {question}\n) 2>/dev/null </dev/null; r=$?; echo; echo '{MARK}' $r" for question in questions)


def questions_of(command: str) -> list[str]:
    """The questions of a command that `asking` made."""
    return re.findall(rf"(?ms)^\( (.*?)\n\) 2>/dev/null </dev/null; r=\$\?; echo; echo '{MARK}' \$r$", command)


def answers(questions: Sequence[str], out: str) -> dict[str, Ran]:
    """Answers in the output of `asking`. If the device broke off, the remaining answers have exit code -1."""
    parts = re.split(rf"(?m)\n?^{MARK} (\d+)\n?", out)
    told = [Ran(int(code), text) for text, code in zip(parts[::2], parts[1::2], strict=False)]
    return {question: told[index] if index < len(told) else Ran(-1, "") for index, question in enumerate(questions)}


def mark(ran: Ran) -> str:
    """The command's output for a question with this answer."""
    return f"{ran.out}\n{MARK} {ran.code}\n"


def answer_of(question: str, text: str | None) -> str:
    """The output of a device for one question that it answers with `text`; None if it has no such command."""
    return mark(Ran(0, text) if text is not None else Ran(127, ""))
