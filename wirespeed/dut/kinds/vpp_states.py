"""State table of VPP's NAT44-ED: sessions of each worker. Pure.

Counts are from the statistics segment: `show nat44 summary` walks all sessions while the workers wait."""

from __future__ import annotations

import re
import shlex
from collections import Counter

from wirespeed.dut.errors import parse_errors
from wirespeed.dut.kinds.vpp_language import Ask
from wirespeed.dut.plan import Facts, text_of
from wirespeed.results.states import StateTable

_FOLDER, _USED, _LIMIT = "/nat44-ed/", "/nat44-ed/total-sessions", "/nat44-ed/max-cfg-sessions"
_NODES = re.compile(r"nat44|nat-")
_PORTS = 65535 - 1024 + 1
"""Ports of an address, which the workers share."""
_ROW = re.compile(r"(?m)^(?:\[[\d@ ]+\]: )?(\d+)(?:\.\d+)?(?: packets)? (/nat44-ed/\S+)$")


class VppStates:
    """`ask` makes a command of VPP's one of the shell; `statistics` is the path of the socket of the statistics."""

    flush_needs = "VPP's plugin nat"

    def __init__(self, ask: Ask, statistics: str) -> None:
        dump = f"vpp_get_stats socket-name {shlex.quote(statistics)} dump"
        self.count_question, self._counts = f"{dump} ^{_USED}", f"{dump} ^{_FOLDER}"
        self._timeouts, self._errors, self._threads = map(ask, ("show nat timeouts", "show errors", "show threads"))
        self.questions = (self._counts, self._timeouts, self._errors, self._threads)
        self.flush = ask("clear nat44 ed sessions")

    def used(self, facts: Facts) -> int | None:
        return self._sums(text_of(facts, self.count_question)).get(_USED)

    def table(self, facts: Facts) -> StateTable | None:
        counts = self._sums(text_of(facts, self._counts))
        used, limit = counts.pop(_USED, None), counts.pop(_LIMIT, 0)
        if used is None:
            return None
        workers = max(1, len(re.findall(r"(?m)^\s*\d+\s+vpp_wk_\d+\s", text_of(facts, self._threads))))
        times = re.findall(r"(?m)^\s*([\w-]+) timeout: (\d+) ?sec", text_of(facts, self._timeouts))
        errors = parse_errors(text_of(facts, self._errors))
        return StateTable(
            used=used,
            limit=limit * workers or None,
            timeouts_s={name: float(seconds) for name, seconds in times},
            counters=counts | {f"{row.node}: {row.reason}": row.count for row in errors if _NODES.match(row.node)},
            nat_ports=_PORTS // workers,
        )

    def _sums(self, text: str) -> dict[str, int]:
        """Counters by name, over all interfaces and threads."""
        total: Counter[str] = Counter()
        for count, name in _ROW.findall(text):
            total[name] += int(count)
        return dict(total)

    def how_to_hold(self, entries: int) -> str:
        return f"`nat44 plugin enable sessions N`, where N times the number of workers is {entries}"
