"""Metrics of several targets as one page: the text of each target's answer is made once, and families are joined here.

prometheus_client writes the text of each family, in whatever format a scraper asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from wirespeed.exporter.families import FAMILIES
from wirespeed.exporter.told import TargetValues, metrics

Encode = Callable[[Collector], bytes]
_FAMILY = re.compile(rb"(?m)^(?=# HELP )")
_NAME = re.compile(rb"[^{ ]*")
_END = b"# EOF\n"
"""Ends a page of OpenMetrics."""
_PLACES = {name.encode(): place for place, name in enumerate(FAMILIES)}


@dataclass(frozen=True)
class MetricBlock:
    """A family in the text of one target: its lines of comment, and those of its samples."""

    name: bytes
    head: bytes
    samples: bytes

    def only(self, names: Collection[bytes]) -> bytes:
        """Lines of the samples of these names."""
        lines = self.samples.splitlines(keepends=True)
        return b"".join(line for line in lines if _NAME.match(line)[0] in names)  # type: ignore[index]


class _Metrics(Collector):
    def __init__(self, told: TargetValues) -> None:
        self._told = told

    def collect(self) -> Iterator[Metric]:
        yield from metrics([self._told])


class MetricsText:
    """Metrics of a target as text, made once in each requested format."""

    def __init__(self, told: TargetValues) -> None:
        self._told = told
        self._made: dict[str, tuple[MetricBlock, ...]] = {}

    def blocks(self, media_type: str, encode: Encode) -> tuple[MetricBlock, ...]:
        if media_type not in self._made:
            self._made[media_type] = tuple(_blocks(encode(_Metrics(self._told))))
        return self._made[media_type]


def _blocks(text: bytes) -> Iterator[MetricBlock]:
    for part in _FAMILY.split(text.removesuffix(_END)):
        if part:
            lines = part.splitlines(keepends=True)
            heads = next((at for at, line in enumerate(lines) if not line.startswith(b"# ")), len(lines))
            yield MetricBlock(part.split(b" ", 3)[2], b"".join(lines[:heads]), b"".join(lines[heads:]))


def joined(texts: Iterable[Sequence[MetricBlock]], is_openmetrics: bool, names: Collection[str] = ()) -> bytes:
    """The page: each family once, ours in the order of the table, then foreign ones by name. With `names` it has the
    samples of these names alone. If targets have different types for a family, the first one is used."""
    families: dict[bytes, list[MetricBlock]] = {}
    for blocks in texts:
        for block in blocks:
            same = families.setdefault(block.name, [])
            if not same or _type(same[0]) == _type(block):
                same.append(block)
    wanted, page = {name.encode() for name in names}, []
    for name in sorted(families, key=_place):
        same = families[name]
        samples = [block.only(wanted) if wanted else block.samples for block in same]
        if any(samples):
            page += [same[0].head, *samples]
    return b"".join(page) + (_END if is_openmetrics else b"")


def _place(name: bytes) -> tuple[int, bytes]:
    """OpenMetrics names counters without their ending."""
    return _PLACES.get(name, _PLACES.get(name + b"_total", len(_PLACES))), name


def _type(block: MetricBlock) -> bytes:
    return block.head.partition(b"# TYPE ")[2].partition(b"\n")[0]
