"""The hardware of a DUT, and the unchanged texts of its results. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.results.inspection import Inspection
from wirespeed.site.dut import described
from wirespeed.site.entries import SiteEntry


@dataclass(frozen=True)
class Texts:
    """Texts kept with one result: (command, file)."""

    title: str
    page: str
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class HardwareOfDut:
    name: str
    described: tuple[tuple[str, str], ...]
    machines: tuple[tuple[SiteEntry, Inspection], ...]
    texts: tuple[Texts, ...]


def hardware(dut: str, entries: Sequence[SiteEntry], inspections: Mapping[str, Inspection]) -> HardwareOfDut:
    """`inspections` by digest, as far as they could be read."""
    return HardwareOfDut(
        dut,
        tuple((name, value) for name, value in described(entries).items() if value),
        tuple((entry, inspections[entry.digest]) for entry in entries if entry.digest in inspections),
        tuple(
            Texts(f"{entry.title}, {entry.started[:10]}", entry.page, entry.told.texts)
            for entry in entries
            if entry.told.texts
        ),
    )
