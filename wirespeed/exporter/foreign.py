"""Metrics of another exporter, such as VPP's own on a router elsewhere, served with the label `target`."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import urlsplit

from prometheus_client.core import Metric
from prometheus_client.parser import parse_labels, text_string_to_metric_families
from prometheus_client.samples import Sample

from wirespeed.errors import ConnectionFault, UsageError
from wirespeed.exporter.families import FAMILIES
from wirespeed.exporter.told import TargetValues

_MOST_BYTES = 32 << 20


class ForeignTarget:
    """`url` is http or https. A label `target` of its own is kept as `exported_target`."""

    kind = "metrics"

    def __init__(self, name: str, url: str, timeout_s: float) -> None:
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise UsageError(f"--scrape {url}: give http://HOST:PORT/metrics, or https")
        if urlsplit(url).username is not None:
            raise UsageError("--scrape: a password in a URL is visible in the process list; give a URL without one")
        self.name = name
        self._url = url
        self._timeout_s = timeout_s

    def read(self) -> TargetValues:
        try:
            with urllib.request.urlopen(self._url, timeout=self._timeout_s) as answer:
                content = answer.read(_MOST_BYTES + 1)
        except OSError as error:
            raise ConnectionFault(f"{self._url} does not answer: {getattr(error, 'reason', error)}") from None
        if len(content) > _MOST_BYTES:
            raise ConnectionFault(f"{self._url} serves more than {_MOST_BYTES} bytes")
        try:
            return TargetValues(foreign=relabelled(self.name, content.decode(errors="replace")))
        except ValueError as error:
            raise ConnectionFault(f"{self._url} serves no metrics: {error}") from None


_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?")
_MOST_LABELS = 1 << 17
Rows = dict[str, list[tuple[str, str]]]
"""Labels and values as they are written, by the name of the sample."""


def relabelled(target: str, text: str) -> list[Metric]:
    """Metrics in the text, except those with wirespeed's own names. A metric without type and help is untyped.

    ValueError for another kind of text. prometheus_client parses the comments of a family and its first sample of each
    name. The labels of the other samples do not change between scrapes, and a VPP has 14 000 of them, so they are
    cached."""
    metrics: dict[str, Metric] = {}
    for heads, rows in _families(text):
        firsts = [f"{name}{{{labels[0][0]}}} {labels[0][1]}" for name, labels in rows.items()]
        for family in text_string_to_metric_families("\n".join([*heads, *firsts]) + "\n"):
            if family.name in FAMILIES or f"{family.name}_total" in FAMILIES:
                continue
            about = (family.name, family.documentation or "Of another exporter.", family.type)
            metric = metrics.setdefault(family.name, Metric(*about))
            for first in family.samples:
                name = first.name if first.name in rows else first.name.removesuffix("_total")
                samples = ((_labels(target, labels), float(value)) for labels, value in rows[name])
                metric.samples += [Sample(first.name, labels, value) for labels, value in samples]
    return list(metrics.values())


def _families(text: str) -> Iterator[tuple[list[str], Rows]]:
    """Lines of comment, and the samples below them."""
    heads: list[str] = []
    rows: Rows = {}
    for line in map(str.strip, text.split("\n")):
        if line.startswith("#"):
            if rows:
                yield heads, rows
                heads, rows = [], {}
            heads.append(line)
        elif line:
            sample = _SAMPLE.fullmatch(line)
            if sample is None:
                raise ValueError(f"{line[:60]!r} is not a Prometheus sample")
            rows.setdefault(sample[1], []).append((sample[2] or "", sample[3]))
    yield heads, rows


@lru_cache(maxsize=_MOST_LABELS)
def _labels(target: str, text: str) -> dict[str, str]:
    labels = {("exported_target" if key == "target" else key): value for key, value in parse_labels(text).items()}
    return {"target": target, **labels}
