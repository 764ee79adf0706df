"""The names that vpp_prometheus_export gives by default, so that boards which use them go on working. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from prometheus_client.core import Metric
from prometheus_client.samples import Sample

from wirespeed.statseg.reading import StatsReading


def vpp_metrics(target: str, read: Mapping[str, StatsReading]) -> list[Metric]:
    """Each path with `_` for what is no letter or digit, `_packets` and `_bytes` after it where there are both, labels
    `thread` and `interface` (an index, whatever of); and `target`, since here several can have the same names."""
    metrics: dict[str, Metric] = {}

    def add(name: str, kind: str, labels: dict[str, str], value: float) -> None:
        if name not in metrics:
            metrics[name] = Metric(name, "As vpp_prometheus_export names it.", kind)
        metrics[name].samples.append(Sample(name, {"target": target, **labels}, value))

    for path, reading in read.items():
        name = re.sub(r"[^A-Za-z0-9]", "_", path)
        for index, text in enumerate(reading.texts):
            if text:
                add(f"{name}_info", "gauge", {"index": str(index), "name": text}, 1)
        if reading.is_histogram:
            continue
        kind = "gauge" if reading.is_gauge else "unknown"
        for thread, row in enumerate(reading.rows):
            labels = {"thread": str(thread)} if len(reading.rows) > 1 or len(row) > 1 else {}
            for index, value in enumerate(row):
                places = {**labels, "interface": str(index)} if labels else {}
                if len(value) == 2:
                    add(f"{name}_packets", kind, places, value[0])
                    add(f"{name}_bytes", kind, places, value[1])
                else:
                    add(name, kind, places, value[0])
    return list(metrics.values())
