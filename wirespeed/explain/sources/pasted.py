"""A case from a router's pasted texts and a few figures beside them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import UsageError
from wirespeed.explain.facts import Box, Case, Load
from wirespeed.explain.sources.plain_lines import plain_lines
from wirespeed.explain.sources.show_run import Counted, counted_in, workers_of
from wirespeed.explain.sources.texts import Figures, kinds_in
from wirespeed.files import read_text_file
from wirespeed.results.figures import rate_text
from wirespeed.units import parse_rate, parse_speed

_MOST_BYTES = 4_000_000
_CONTRADICTS = 0.05


@dataclass(frozen=True)
class Pasted:
    """As the options of `wirespeed explain` have it."""

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
    """The figures beside texts, as they are typed; UsageError says which cannot be read."""
    return Figures(
        hz=hz,
        offered_pps=_pps(offered, "--offered") if offered else None,
        received_pps=_pps(received, "--received") if received else None,
        size_bytes=size_bytes,
        line_bps=parse_speed(line) if line else None,
        directions=directions,
    )


def pasted_case(pasted: Pasted) -> Case:
    """UsageError or FileFault say what is wrong with a text or a figure."""
    source = "standard input" if str(pasted.show_run) == "-" else pasted.show_run.name
    pps = _pps(pasted.received, "--received") if pasted.received else None
    workers, remarks = workers_of(_text(pasted.show_run), source, pasted.hz, pps)
    counted = _counted(pasted.show_errors) if pasted.show_errors else Counted()
    # What the tester got back is what the router says that it sent, unless somebody knows better.
    out_pps = sum(worker.pps if worker.out_pps is None else worker.out_pps for worker in workers)
    offered = _pps(pasted.offered, "--offered") if pasted.offered else None
    received = out_pps if pps is None else pps
    return Case(
        load=Load(
            name=source,
            received_pps=received,
            source=source,
            offered_pps=offered,
            frame_bytes=pasted.size_bytes,
            line_bps=parse_speed(pasted.line) if pasted.line else None,
            directions=pasted.directions,
        ),
        box=Box(workers=len(workers), hz=pasted.hz, source=source),
        workers=workers,
        drops=counted.drops,
        events=counted.events,
        tells_drops=pasted.show_errors is not None,
        remarks=(*remarks, *more_than_offered(source, offered, received)),
    )


def _counted(path: Path) -> Counted:
    """What a `show errors` counted. UsageError for a text of another kind, which would tell of no drops."""
    text = _text(path)
    counted = counted_in(text)
    kinds = kinds_in(text)
    if text.strip() and not counted.drops and not counted.events and "show errors" not in kinds:
        what = f"it is a `{kinds[0]}`" if kinds else "lines such as “12 ip4-input ip4 ttl <= 1 error” are needed"
        raise UsageError(f"{path.name} holds no `show errors`: {what}; --evidence FILE takes any of such texts")
    return counted


def more_than_offered(name: str, offered: float | None, received: float) -> tuple[str, ...]:
    """A remark where a device would have made packets of its own."""
    if offered is None or received <= (1 + _CONTRADICTS) * offered:
        return ()
    return (f"{name}: {rate_text(received)} came back of {rate_text(offered)} offered: both cannot be right",)


def _text(path: Path) -> str:
    if str(path) == "-":
        return "\n".join(plain_lines(sys.stdin.read(_MOST_BYTES)))
    text = read_text_file(path, "router's text", _MOST_BYTES).decode(errors="replace")
    return "\n".join(plain_lines(text))


def _pps(text: str, option: str) -> float:
    rate = parse_rate(text)
    if rate.unit != "pps":
        raise UsageError(f"{option} {text!r} is no packet rate; write 1.48mpps")
    return rate.value
