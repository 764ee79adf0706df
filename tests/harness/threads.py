"""Threads of a process that does not answer, for the message of a failed test."""

from __future__ import annotations

from pathlib import Path


def threads_of(pid: int) -> str:
    """One line per thread: its name, state, CPU ticks in user and kernel mode, and the function in which it waits."""
    lines = []
    for task in sorted(Path(f"/proc/{pid}/task").glob("*")):
        try:
            name, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            fields = rest.split()
            waits_for = (task / "wchan").read_text() or "-"
        except OSError:
            continue
        lines.append(f"{name}: {fields[0]}, {fields[11]} + {fields[12]} ticks, {waits_for}")
    return f"threads of process {pid}:\n" + "\n".join(lines)
