"""A case from a router's pasted texts and a few given figures."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from wirespeed.cases.facts import Case
from wirespeed.errors import UsageError
from wirespeed.explain.sources.plain_lines import plain_text
from wirespeed.explain.sources.show_run import ErrorCounts, counted_in, workers_of
from wirespeed.explain.sources.texts import Figures, case_of_text, kinds_in
from wirespeed.files import read_text_file
from wirespeed.results.figures import rate_text
from wirespeed.units import parse_rate, parse_speed

_MOST_BYTES = 4_000_000
_CONTRADICTS = 0.05


@dataclass(frozen=True)
class Pasted:
    """Pasted texts, in the fields of the options of `wirespeed explain`."""

    show_run: Path
    show_errors: Path | None = None
    hz: float | None = None
    offered: str = ""
    received: str = ""
    size_bytes: float | None = None
    line: str = ""
    directions: int = 1


def figures_of(
    hz: float | None, offered: str, received: str, size_bytes: float | None, line: str, directions: int
) -> Figures:
    """The figures given with texts; UsageError names an unreadable one."""
    return Figures(
        hz=hz,
        offered_pps=_pps(offered, "--offered") if offered else None,
        received_pps=_pps(received, "--received") if received else None,
        size_bytes=size_bytes,
        line_bps=parse_speed(line) if line else None,
        directions=directions,
    )


def pasted_case(pasted: Pasted) -> Case:
    """The case of a `show runtime`, with any other output of the same session, and of a separate `show errors`.
    UsageError or FileFault name an invalid text or figure."""
    source = "standard input" if str(pasted.show_run) == "-" else pasted.show_run.name
    figures = figures_of(pasted.hz, pasted.offered, pasted.received, pasted.size_bytes, pasted.line, pasted.directions)
    text = _text(pasted.show_run)
    workers_of(text, source)  # refuses a text without a `show runtime`
    case = case_of_text(text, source, figures)
    counted = _counted(pasted.show_errors) if pasted.show_errors else ErrorCounts()
    return replace(
        case,
        drops={**case.drops, **counted.drops},
        events={**case.events, **counted.events},
        tells_drops=case.tells_drops or pasted.show_errors is not None,
        remarks=(*case.remarks, *more_than_offered(source, figures.offered_pps, case.load.received_pps)),
    )


def _counted(path: Path) -> ErrorCounts:
    """Counters of a `show errors`. UsageError for a text of another kind, which would seem to have no drops."""
    text = _text(path)
    counted = counted_in(text)
    kinds = kinds_in(text)
    if text.strip() and not counted.drops and not counted.events and "show errors" not in kinds:
        what = f"it is a `{kinds[0]}`" if kinds else "lines such as “12 ip4-input ip4 ttl <= 1 error” are needed"
        raise UsageError(f"{path.name} holds no `show errors`: {what}; --evidence FILE takes other outputs, too")
    return counted


def more_than_offered(name: str, offered: float | None, received: float) -> tuple[str, ...]:
    """A remark where a device would have made packets of its own."""
    if offered is None or received <= (1 + _CONTRADICTS) * offered:
        return ()
    return (f"{name}: {rate_text(received)} came back of {rate_text(offered)} offered: both cannot be right",)


def _text(path: Path) -> str:
    """A file's lines, or those of standard input, without the marks of pages and mails."""
    if str(path) == "-":
        return plain_text(sys.stdin.read(_MOST_BYTES))
    return plain_text(read_text_file(path, "router's text", _MOST_BYTES).decode(errors="replace"))


def _pps(text: str, option: str) -> float:
    rate = parse_rate(text)
    if rate.unit != "pps":
        raise UsageError(f"{option} {text!r} is not a packet rate; write 1.48mpps")
    return rate.value
