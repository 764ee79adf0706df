"""Values of one target at one scrape, and their conversion to metrics. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.samples import Sample

from wirespeed.exporter.families import FAMILIES, FORMER

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Buckets:
    """A histogram: cumulative counts by bound, the last bound infinite, and the sum of the values."""

    labels: Labels
    bounds: tuple[tuple[str, float], ...]
    total: float


def buckets(labels: Labels, counts: Iterable[tuple[float, float]], total: float) -> Buckets:
    """`counts` are those between two bounds; values above the last bound belong to infinity."""
    below, bounds = 0.0, []
    for bound, count in counts:
        below += count
        bounds.append(("+Inf" if bound == float("inf") else f"{bound:g}", below))
    if not bounds or bounds[-1][0] != "+Inf":
        bounds.append(("+Inf", below))
    return Buckets(labels, tuple(bounds), total)


@dataclass
class TargetValues:
    """Values by family and labels. `began` is another one after the target has was restarted. `foreign` are metrics
    under names that are not ours."""

    values: dict[str, list[tuple[Labels, float]]] = field(default_factory=dict)
    histograms: dict[str, list[Buckets]] = field(default_factory=dict)
    began: object = None
    foreign: list[Metric] = field(default_factory=list)

    def add(self, family: str, values: Iterable[tuple[Labels, float]]) -> None:
        """Adds values of a family, whose name is given without the prefix."""
        name, rows = f"wirespeed_{family}", list(values)
        for one in filter(None, (name, FORMER.get(name))):
            self.values.setdefault(one, []).extend(rows)

    def add_buckets(self, family: str, row: Buckets) -> None:
        self.histograms.setdefault(f"wirespeed_{family}", []).append(row)

    @property
    def series(self) -> int:
        return (
            sum(map(len, self.values.values()))
            + sum(len(row.bounds) + 2 for rows in self.histograms.values() for row in rows)
            + sum(len(metric.samples) for metric in self.foreign)
        )


def metrics(all_told: Iterable[TargetValues]) -> Iterator[Metric]:
    """Each family once, whichever targets have it, in the order of the table; then foreign ones, by name."""
    targets = list(all_told)
    for name, family in FAMILIES.items():
        rows = [row for one in targets for row in one.values.get(name, ())]
        spread = [row for one in targets for row in one.histograms.get(name, ())]
        if family.kind == "histogram" and spread:
            histogram = HistogramMetricFamily(name, family.help, labels=family.labels)
            for row in spread:
                histogram.add_metric(row.labels, list(row.bounds), row.total)
            yield histogram
        elif rows:
            make = CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
            metric: Metric = make(name, family.help, labels=family.labels)
            # The samples that add_metric would add, without its extra work per sample, of which there are thousands.
            metric.samples = [Sample(name, dict(zip(family.labels, labels, strict=True)), n) for labels, n in rows]
            yield metric
    foreign: dict[str, Metric] = {}
    for one in targets:
        for metric in one.foreign:
            if metric.name not in foreign:
                foreign[metric.name] = Metric(metric.name, metric.documentation, metric.type)
            if foreign[metric.name].type == metric.type:  # of two exporters that do not agree, the first
                foreign[metric.name].samples.extend(metric.samples)
    yield from (foreign[name] for name in sorted(foreign))
