"""Tables about the server itself: its CPUs, packet memory and drivers' counters. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wirespeed.console.tables import RULE, ConsoleRow, ConsoleTable

Json = Mapping[str, Any]

CPU_HISTORY = 16


def cpu_table(utilization: Json) -> ConsoleTable:
    """Busy percent of each worker, from `get_utilization`: average, latest, and those before."""
    rows = []
    for thread, worker in enumerate(utilization.get("cpu") or ()):
        history = [int(value) for value in worker.get("history") or (0,)]
        shown = history[:CPU_HISTORY]
        cells = (str(round(sum(history) / len(history))), *(str(value) for value in shown))
        ports = [str(port) for port in worker.get("ports") or () if port >= 0]
        rows.append(ConsoleRow(f"{thread} ({','.join(ports) or 'IDLE'})", cells))
    count = max((len(row.cells) for row in rows), default=1) - 1
    headings = ("Avg", "Latest", *(f"-{age}" for age in range(1, count)))
    return ConsoleTable("Cpu Util(%)", ("Thread", *headings[: count + 1]), tuple(rows), least=3)


def memory_table(utilization: Json) -> ConsoleTable:
    """Packet buffers by size, from `get_utilization`: all, in use, and what share that is."""
    sockets = utilization.get("mbuf_stats") or {}
    sizes = sorted({size for pools in sockets.values() for size in pools}, key=_size_bytes)

    def pools(size: str) -> list[tuple[int, int]]:
        return [
            (int(pools_of_socket[size][0]), int(pools_of_socket[size][1]))
            for pools_of_socket in sockets.values()
            if size in pools_of_socket
        ]

    rows = [ConsoleRow("Total:", tuple(str(sum(all_ for _, all_ in pools(size))) for size in sizes)), RULE]
    for name, one in sockets.items():
        used = [(one[size][1] - one[size][0], one[size][1]) if size in one else (0, 0) for size in sizes]
        label = name.removeprefix("cpu-socket-")
        rows.append(ConsoleRow(f"Socket {label}:", tuple(str(count) for count, _ in used)))
        rows.append(ConsoleRow("Percent:", tuple(f"{100 * count // all_ if all_ else 0}%" for count, all_ in used)))
    return ConsoleTable("Mbuf Util", ("", *sizes), tuple(rows), least=7)


def _size_bytes(name: str) -> int:
    digits = int("".join(filter(str.isdigit, name)) or 0)
    return digits * 1024 if "kb" in name else digits


def xstats_table(ports: Sequence[int], counters: Sequence[Mapping[str, int]], zeros: bool = False) -> ConsoleTable:
    """The drivers' own counters; those that are 0 everywhere only with `zeros`."""
    names = list(dict.fromkeys(name for one in counters for name in one))
    rows = tuple(
        ConsoleRow(name, tuple(str(one.get(name, "")) for one in counters))
        for name in names
        if zeros or any(one.get(name) for one in counters)
    )
    return ConsoleTable("Xstats", ("Name:", *(f"Port {port}:" for port in ports)), rows)
