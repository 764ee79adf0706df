"""CPU time that a hypervisor gave to others, as Linux tells it in /proc/stat."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_STAT = Path("/proc/stat")
_STEAL = 8
"""The column of Linux's "cpu" line, after the name: user nice system idle iowait irq softirq steal."""


@dataclass(frozen=True)
class StolenTime:
    """Time since boot in which the hypervisor ran something else, of all `cpus` that are online together."""

    steal_s: float
    cpus: int


def parse_stat(text: str, ticks_per_s: float) -> StolenTime:
    """From the text of /proc/stat."""
    lines = [line.split() for line in text.splitlines() if line.startswith("cpu")]
    total = next(words for words in lines if words[0] == "cpu")
    return StolenTime(int(total[_STEAL]) / ticks_per_s, len(lines) - 1)


def read_stolen_time() -> StolenTime:
    return parse_stat(_STAT.read_text(), os.sysconf("SC_CLK_TCK"))
