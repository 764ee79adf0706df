"""State table of VPP's NAT44-ED: sessions, per worker. Pure.

`show nat44 sessions` is never asked: it stops the main thread for as long as it prints."""

from __future__ import annotations

import re

from wirespeed.dut.errors import parse_errors
from wirespeed.dut.kinds.vpp_language import Ask
from wirespeed.dut.plan import Facts, text_of
from wirespeed.results.states import StateTable

_NODES = re.compile(r"nat44|nat-")
_PORTS = 65535 - 1024 + 1


class VppStates:
    flush_needs = "VPP's plugin nat"

    def __init__(self, ask: Ask) -> None:
        self.count_question = ask("show nat44 summary")
        self._timeouts, self._errors, self._threads = (
            ask(show) for show in ("show nat timeouts", "show errors", "show threads")
        )
        self.questions = (self.count_question, self._timeouts, self._errors, self._threads)
        self.flush = ask("clear nat44 ed sessions")

    def used(self, facts: Facts) -> int | None:
        found = re.search(r"(?m)^\s*total sessions: (\d+)", text_of(facts, self.count_question))
        return int(found[1]) if found else None

    def table(self, facts: Facts) -> StateTable | None:
        used = self.used(facts)
        if used is None:
            return None
        workers = max(1, len(re.findall(r"(?m)^\s*\d+\s+vpp_wk_\d+\s", text_of(facts, self._threads))))
        limit = re.search(r"max translations(?: per thread)?: (\d+)", text_of(facts, self.count_question))
        times = re.findall(r"(?m)^\s*([\w-]+) timeout: (\d+) ?sec", text_of(facts, self._timeouts))
        errors = parse_errors(text_of(facts, self._errors))
        return StateTable(
            used=used,
            limit=int(limit[1]) * workers if limit else None,
            links_per_entry=2,
            timeouts_s={name: float(seconds) for name, seconds in times},
            counters={f"{row.node}: {row.reason}": row.count for row in errors if _NODES.match(row.node)},
            nat_ports=_PORTS // workers,
        )

    def how_to_hold(self, entries: int) -> str:
        return f"`nat44 plugin enable sessions N`, N = {entries} over the number of workers"
