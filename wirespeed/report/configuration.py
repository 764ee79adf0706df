"""Configuration of the tests, by testbed, router and programs: common values, and the differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from wirespeed.pages.words import spaced, words
from wirespeed.results.codec import to_json
from wirespeed.results.figures import NOTHING
from wirespeed.results.measurement import MeasurementResult
from wirespeed.units import format_si

SETTINGS, TESTBED, DUT, VERSIONS = "Settings", "Testbed", "Device under test", "Versions"
SECTIONS = (TESTBED, DUT, VERSIONS, SETTINGS)
_BEFORE = {TESTBED: "testbed ", DUT: "DUT ", VERSIONS: "version of ", SETTINGS: ""}
COMMANDS = "commands"
OUTPUT_FILE = "output_file"  # a test is called by it already
RATES = (" bps", " pps")
LARGEST = 1e18
MOST_LEVELS = 4


@dataclass(frozen=True)
class Key:
    """Place of a value: `Testbed`, `generator cpu`."""

    section: str
    name: str

    @property
    def heading(self) -> str:
        """The name where no section stands above it: `testbed generator cpu`."""
        return f"{_BEFORE[self.section]}{self.name}"


@dataclass(frozen=True)
class Listing:
    """Lines to be read as they stand, such as a router's commands, and the tests that had them."""

    key: Key
    lines: tuple[str, ...]
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Configuration:
    """Configuration of several tests. `shared` is by section in the order of SECTIONS, `rows` and `apart` by test."""

    shared: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    apart: tuple[Key, ...]
    rows: tuple[tuple[str, ...], ...]
    listings: tuple[Listing, ...]


def settings(result: MeasurementResult) -> dict[Key, str]:
    """All single values, flat and as words; keys in the order of the file."""
    return {key: _line(key, value) for key, value in _values(result) if not _is_listing(key, value)}


def listings(result: MeasurementResult) -> dict[Key, tuple[str, ...]]:
    """Values with lines of their own: commands, and texts of several lines."""
    return {key: _lines(value) for key, value in _values(result) if _is_listing(key, value)}


def configuration(results: Sequence[MeasurementResult]) -> Configuration:
    """Put the settings of `results` side by side."""
    by_result = [settings(result) for result in results]
    keys = list(dict.fromkeys(key for values in by_result for key in values))
    shared = [key for key in keys if len({values.get(key) for values in by_result}) == 1]
    apart = tuple(key for section in SECTIONS for key in keys if key.section == section and key not in shared)
    sections = (
        (name, tuple((key.name, by_result[0][key]) for key in shared if key.section == name)) for name in SECTIONS
    )
    return Configuration(
        shared=tuple((name, pairs) for name, pairs in sections if pairs),
        apart=apart,
        rows=tuple(tuple(values.get(key, NOTHING) for key in apart) for values in by_result),
        listings=_distinct_listings(results),
    )


def _distinct_listings(results: Sequence[MeasurementResult]) -> tuple[Listing, ...]:
    owners: dict[tuple[Key, tuple[str, ...]], list[str]] = {}
    for result in results:
        for key, lines in listings(result).items():
            owners.setdefault((key, lines), []).append(result.name)
    return tuple(Listing(key, lines, tuple(names)) for (key, lines), names in owners.items())


def _values(result: MeasurementResult) -> Iterator[tuple[Key, Any]]:
    sources: tuple[tuple[str, dict[str, Any]], ...] = (
        (SETTINGS, {key: value for key, value in to_json(result.variables).items() if key != OUTPUT_FILE}),
        (TESTBED, to_json(result.lab)),
        (DUT, {key: value for key, value in to_json(result.dut).items() if key != "texts"}),
        (VERSIONS, dict(result.versions)),
    )
    for section, values in sources:
        yield from _flat(section, (), values)
    if result.ending.started:
        yield Key(SETTINGS, "started"), result.ending.started


def _flat(section: str, path: tuple[str, ...], value: Any) -> Iterator[tuple[Key, Any]]:
    """Objects, and lists that hold some, as one key for each value in them."""
    nested: dict[str, Any] = {}
    if isinstance(value, dict):
        nested = value
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        nested = {str(index): item for index, item in enumerate(value)}
    if not nested or len(path) >= MOST_LEVELS:
        if path:
            yield Key(section, spaced(" ".join(path))), value
        return
    for name, item in nested.items():
        yield from _flat(section, (*path, name), item)


def _is_listing(key: Key, value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and key.name.endswith(COMMANDS) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) and "\n" in value.strip()


def _lines(value: Any) -> tuple[str, ...]:
    text = value if isinstance(value, str) else "\n".join(value)
    return tuple(text.strip("\n").splitlines())


def _line(key: Key, value: Any) -> str:
    """One value; a rate that its name says to be one has a prefix to its unit."""
    if key.name.endswith(RATES) and _is_finite(value):
        return format_si(value, key.name[-3:])
    return words(value).strip() or NOTHING


def _is_finite(value: Any) -> TypeGuard[float]:
    """True for a finite number: JSON as Python reads it may have NaN and infinities."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST
