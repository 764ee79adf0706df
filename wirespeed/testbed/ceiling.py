"""Maximum rates of the tester itself, by load: measured over cables or a device in L2XC, stored next to the testbed
file.

`bench.yaml` has its maximum rates in `bench.tester.json`, so that both can be copied together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from wirespeed.errors import FileFault
from wirespeed.files import json_of, read_text_file, write_atomically
from wirespeed.results.figures import percent_text
from wirespeed.results.lab import CeilingFacts, CeilingRate, LabFacts

SCHEMA = "wirespeed-tester-ceiling/1"
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Ceiling:
    """The maximum of the tester with this load in so many directions at once: `percent` of the line (L1) and `pps`,
    both per direction."""

    label: str
    profile: str
    tunables: Mapping[str, str]
    directions: int
    percent: float
    pps: float

    @property
    def words(self) -> str:
        return f"the tester reaches {percent_text(self.percent)} % of line rate"


@dataclass(frozen=True)
class Ceilings:
    """Maximum rates of one tester, with its program and the time of measurement."""

    generator: str
    measured: str
    loads: tuple[Ceiling, ...]

    def of(self, profile: str, tunables: Mapping[str, str], directions: int) -> Ceiling | None:
        """The highest rate of a load; None if it was not measured."""
        key = _key(profile, tunables)
        same = (one for one in self.loads if _key(one.profile, one.tunables) == key)
        return next((one for one in same if one.directions == directions), None)


_SAME = {"size": "64", "vm": "none", "flow": "no-fs", "ip": "4"}
"""Defaults of the built-in profiles' tunables."""
_NO_MATTER = ("offset", "label", "pg_id")
"""Tunables that cost a tester nothing."""


def _key(profile: str, tunables: Mapping[str, str]) -> tuple[str, frozenset[tuple[str, str]]]:
    """Equal for loads that a tester sends alike."""
    more = ((name, value) for name, value in tunables.items() if name not in _NO_MATTER and _SAME.get(name) != value)
    return profile, frozenset(more)


def ceilings_path(bench: Path) -> Path:
    return bench.with_name(f"{bench.stem}.tester.json")


def keep(bench: Path, found: Ceilings) -> Path:
    """Write the maximum rates to a file next to the testbed file. FileFault if that is impossible."""
    path = ceilings_path(bench)
    write_atomically(path, json.dumps({"schema": SCHEMA, **asdict(found)}, indent=2) + "\n", "tester's ceilings")
    return path


def kept(bench: Path) -> Ceilings | None:
    """Maximum rates stored next to the testbed file; None without them. FileFault for a file with other content."""
    path = ceilings_path(bench)
    if not path.exists():
        return None
    raw = json_of(read_text_file(path, "tester's ceilings", _MOST_BYTES), path, "tester's ceilings")
    try:
        if raw["schema"] != SCHEMA:
            raise ValueError(f"its schema is {raw['schema']!r}")
        loads = tuple(Ceiling(**one) for one in raw["loads"])
        return Ceilings(str(raw["generator"]), str(raw["measured"]), loads)
    except (ValueError, KeyError, TypeError) as error:
        raise FileFault(f"{path} is not a file of `wirespeed testbed check --tester` ({error}); remove it") from None


def ceiling_facts(ceilings: Ceilings | None, profile: str, tunables: Mapping[str, str]) -> CeilingFacts | None:
    """For a result's `lab.testbed`: the ceilings of its load, by the directions sent in at once; None if not
    measured."""
    if ceilings is None:
        return None
    counts = sorted({one.directions for one in ceilings.loads})
    of_load = [one for count in counts if (one := ceilings.of(profile, tunables, count)) is not None]
    told = {str(one.directions): CeilingRate(round(one.percent, 2), round(one.pps)) for one in of_load}
    return CeilingFacts(ceilings.measured, told) if told else None


def ceiling_note(lab: LabFacts, directions: int, intended_percent: float | None) -> str | None:
    """A remark for a result whose load went beyond the tester's ceiling, by its `lab`; None else. `intended_percent` is
    the most that was asked of the line, None where it was asked in another unit."""
    ceiling = lab.testbed.tester_ceiling if lab.testbed is not None else None
    told = ceiling.directions.get(str(directions)) if ceiling is not None else None
    if told is None or intended_percent is None or intended_percent <= told.percent:
        return None
    percent = percent_text(told.percent)
    return f"the tester reaches {percent} % of line rate with this load; results above that show nothing of the DUT"
