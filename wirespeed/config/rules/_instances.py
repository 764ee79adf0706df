"""The numbers in names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirespeed.config.lookup import instance_of
from wirespeed.findings import FileFinding


def instances_above(most: int, section: str, names: Iterable[str]) -> Iterator[FileFinding]:
    """One finding for each of `names` whose number is too high."""
    for name in names:
        if instance_of(name) > most:
            yield FileFinding((section, name), f"instance {instance_of(name)} is above {most}", "number it lower")
