"""What another exporter serves, such as VPP's own on a router elsewhere, told on with the label `target`."""

from __future__ import annotations

import urllib.request
from urllib.parse import urlsplit

from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from wirespeed.errors import ConnectionFault, UsageError
from wirespeed.exporter.families import FAMILIES
from wirespeed.exporter.told import Told

_MOST_BYTES = 32 << 20


class ForeignTarget:
    """`url` is http or https. A label `target` of its own is kept as `exported_target`."""

    kind = "metrics"

    def __init__(self, name: str, url: str, timeout_s: float) -> None:
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise UsageError(f"--scrape {url}: give http://HOST:PORT/metrics, or https")
        if urlsplit(url).username is not None:
            raise UsageError("--scrape: a URL with a password would stand in the list of processes; give one without")
        self.name = name
        self._url = url
        self._timeout_s = timeout_s

    def read(self) -> Told:
        try:
            with urllib.request.urlopen(self._url, timeout=self._timeout_s) as answer:
                content = answer.read(_MOST_BYTES + 1)
        except OSError as error:
            raise ConnectionFault(f"{self._url} does not answer: {getattr(error, 'reason', error)}") from None
        if len(content) > _MOST_BYTES:
            raise ConnectionFault(f"{self._url} serves more than {_MOST_BYTES} bytes")
        try:
            return Told(foreign=relabelled(self.name, content.decode(errors="replace")))
        except ValueError as error:
            raise ConnectionFault(f"{self._url} serves no metrics: {error}") from None


def relabelled(target: str, text: str) -> list[Metric]:
    """Metrics of the text, but those that bear our own names. What has neither type nor help is untyped."""
    found: dict[str, Metric] = {}
    for family in text_string_to_metric_families(text):
        if family.name in FAMILIES or f"{family.name}_total" in FAMILIES:
            continue
        metric = found.setdefault(
            family.name, Metric(family.name, family.documentation or "Of another exporter.", family.type)
        )
        for sample in family.samples:
            labels = {("exported_target" if key == "target" else key): value for key, value in sample.labels.items()}
            metric.samples.append(Sample(sample.name, {"target": target, **labels}, sample.value))
    return list(found.values())
