"""What the boards ask for, told of a router, of test files and of this machine: python -m telemetry.rehearsal.source

The names that boards and rules count on, filled with what the lab really counts. It serves the rehearsal on loopback
and nothing else: no time-outs, no restarts, one router.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hdrh.histogram import HdrHistogram
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from wirespeed.dut.kinds.linux_load import table_by_cpu
from wirespeed.dut.linux_counters import cpu_ticks, softnet
from wirespeed.errors import WirespeedError
from wirespeed.results.file import read_file
from wirespeed.results.journal import journal_path
from wirespeed.results.loadtest import Result
from wirespeed.results.point import points
from wirespeed.results.soak import SoakResult
from wirespeed.router.client import ask
from wirespeed.statseg.segment import StatsSegment

_ROUTER, _TEST, _DUT = "wirespeed_router", "wirespeed_loadtest", "wirespeed_dut"
_WORKER_CLOCKS = ("loops", "clocks", "rest-clocks", "idle-clocks", "absent-clocks")
_INTERFACE_PACKETS = ("drops", "rx-miss", "rx-no-buf", "tx-error")
_PHASES = {"warmup": "warm-up"}
_LATENCY_LE_S = [step * 10**power for power in range(-6, 0) for step in (1, 2, 5)]


class RouterSource(Collector):
    def __init__(self, control_socket: Path) -> None:
        self._socket = control_socket
        self._segment = StatsSegment(control_socket.with_suffix(".stats"))
        self._name = control_socket.stem

    def collect(self) -> Iterator[Metric]:
        read, name = self._segment.read(), self._name
        yield _gauge("wirespeed_up", ["target", "kind"], [([name, "router"], 1)])
        nodes = read["/sys/node/names"].texts
        for counter in ("calls", "vectors", "clocks", "suspends"):
            rows = enumerate(read[f"/sys/node/{counter}"].rows[1:])
            yield _counter(
                f"{_ROUTER}_node_{counter}",
                ["target", "thread", "node"],
                (
                    ([name, f"ws_wk_{worker}", node], value[0])
                    for worker, row in rows
                    for node, value in zip(nodes, row, strict=False)
                    if node
                ),
            )
        for counter in _WORKER_CLOCKS:
            values = enumerate(read[f"/sys/{counter}"].values[1:])
            labelled = (([name, f"ws_wk_{worker}"], value[0]) for worker, value in values)
            yield _counter(f"{_ROUTER}_worker_{counter.replace('-', '_')}", ["target", "thread"], labelled)
        # local0 is no interface that packets pass.
        interfaces = [(index, text) for index, text in enumerate(read["/if/names"].texts) if index and text]
        by_interface = {
            f"{way}_{unit}": (way, at) for way in ("rx", "tx") for at, unit in enumerate(("packets", "bytes"))
        }
        by_interface |= {counter.replace("-", "_"): (counter, 0) for counter in _INTERFACE_PACKETS}
        for counter, (entry, at) in by_interface.items():
            columns = read[f"/if/{entry}"].columns
            labelled = (([name, text], columns[index][at]) for index, text in interfaces)
            yield _counter(f"{_ROUTER}_interface_{counter}", ["target", "interface"], labelled)
        errors = [(key.split("/", 3), value) for key, value in read.items() if key.startswith("/err/")]
        labelled = (([name, words[2], words[3]], value.total[0]) for words, value in errors)
        yield _counter(f"{_ROUTER}_errors", ["target", "node", "reason"], labelled)
        for family, pattern, label in (("buffers", "/buffer-pools/", "pool"), ("heap_bytes", "/mem/", "heap")):
            found = [(re.fullmatch(f"{pattern}(.*)/([^/]+)", key), value) for key, value in read.items()]
            labelled = (([name, match[1], match[2]], value.total[0]) for match, value in found if match)
            yield _gauge(f"{_ROUTER}_{family}", ["target", label, "state"], labelled)
        sizes = read["/sys/vector-sizes"].columns
        lowest = read["/sys/vector-sizes"].rows[-1][0][0]
        counts = ((2.0 ** (lowest + at), count[0]) for at, count in enumerate(sizes[1:]))
        yield _histogram(f"{_ROUTER}_vector_size", [("target", [name], counts)])
        held = [([name, family], ask(self._socket, f"show {family} fib").count("/")) for family in ("ip", "ip6")]
        yield _gauge(f"{_ROUTER}_fib_routes", ["target", "family"], held)
        known = ask(self._socket, "show ip neighbors").splitlines()[1:]
        yield _gauge(f"{_ROUTER}_neighbors", ["target", "family", "state"], [([name, "ip4", "static"], len(known))])


class TestSource(Collector):
    """Tests by the files that they write; one that is being written runs."""

    def __init__(self, files: list[Path]) -> None:
        self._files = files
        self._most: dict[tuple[str, str, str], float] = {}

    def collect(self) -> Iterator[Metric]:
        running, phases, info, samples, lines = [], [], [], [], []
        packets: dict[str, list[tuple[list[str], float]]] = {}
        seconds: dict[str, list[tuple[list[str], float]]] = {}
        latency = []
        for file in self._files:
            if not file.exists() and not journal_path(file).exists():
                continue
            try:
                result = read_file(file)
            except WirespeedError:  # its first line is not there yet
                continue
            if not isinstance(result, Result | SoakResult):
                continue
            test, runs = file.stem, not file.exists()
            kind = "loadtest" if isinstance(result, Result) else "soak"
            info.append(([test, kind], 1))
            running.append(([test, kind], int(runs)))
            told = _loadtest(result) if isinstance(result, Result) else _soak(result)
            for phase in ("warmup", "ramp", "hold", "step", "trial"):
                phases.append(([test, _PHASES.get(phase, phase)], int(runs and phase == told.phase)))
            samples.append(([test], told.samples))
            lines.append(([test], told.line))
            for direction, row in told.packets.items():
                for counter, value in row.items():
                    # What was taken for lost and came after all would look like a counter that began anew.
                    key = (counter, test, direction)
                    self._most[key] = max(value, self._most.get(key, 0))
                    packets.setdefault(counter, []).append(([test, direction], self._most[key]))
            latency += [("test direction", [test, direction], buckets) for direction, buckets in told.late.items()]
            for direction, row in told.latency_s.items():
                for which, value in row.items():
                    seconds.setdefault(which, []).append(([test, direction], value))
        yield _gauge("wirespeed_test_running", ["test", "kind"], running)
        yield _gauge("wirespeed_test_phase", ["test", "phase"], phases)
        yield _gauge(f"{_TEST}_info", ["test", "kind"], info)
        yield _counter(f"{_TEST}_samples", ["test"], samples)
        yield _gauge(f"{_TEST}_line_ratio", ["test"], lines)
        for counter, labelled in packets.items():
            yield _counter(f"{_TEST}_{counter}_packets", ["test", "direction"], labelled)
        for which, labelled in seconds.items():
            yield _gauge(f"{_TEST}_latency_{which}_seconds", ["test", "direction"], labelled)
        yield _histogram(f"{_TEST}_latency_seconds", latency)


@dataclass
class _Told:
    """What a file tells of its test: packets and seconds are direction → name → value, `late` latency buckets."""

    phase: str = ""
    samples: int = 0
    line: float = 0.0
    packets: dict[str, dict[str, float]] = field(default_factory=dict)
    latency_s: dict[str, dict[str, float]] = field(default_factory=dict)
    late: dict[str, list[tuple[float, int]]] = field(default_factory=dict)


def _loadtest(result: Result) -> _Told:
    told = _Told(result.samples[-1].phase if result.samples else "", len(result.samples))
    for channel in result.channels:
        row = points(result.samples, channel, result.medium(channel.tx), result.line_bps(channel.tx))
        of = [point.balance for point in row]
        told.packets[str(channel)] = {
            "asked": sum(one.offered if one.asked is None else one.asked for one in of),
            "offered": sum(one.offered for one in of),
            "received": sum(one.ours for one in of),
            # A packet under way between two samples is lost in one and surplus in the next: sums are told, never less.
            "lost": max(0.0, sum(one.offered - one.received for one in of)),
            "unsent": sum(one.unoffered for one in of),
        }
        told.line = max([told.line, *((point.offered_line_percent or 0) / 100 for point in row[-1:])])
        spans = [sample.latency[channel] for sample in result.samples if channel in sample.latency]
        told.late[str(channel)] = _buckets(span.hdr for span in spans if span.hdr)
        for span in spans[-1:]:
            told.latency_s[str(channel)] = {"average": span.average_us / 1e6, "max": span.max_us / 1e6}
    return told


def _soak(result: SoakResult) -> _Told:
    told = _Told("hold", len(result.seconds), (result.line_percent or 0) / 100)
    for channel, flow in result.total.flows.items() if result.total else ():
        lost, asked = max(0, flow.lost - flow.came_later), flow.offered + flow.unoffered
        told.packets[str(channel)] = {"asked": asked, "offered": flow.offered, "received": flow.received, "lost": lost}
        told.packets[str(channel)]["unsent"] = flow.unoffered
    for channel, flow in result.seconds[-1].flows.items() if result.seconds else ():
        if flow.latency is not None:
            late = {"average": flow.latency.average_us / 1e6, "max": flow.latency.max_us / 1e6}
            told.latency_s[str(channel)] = late
    return told


def _buckets(histograms: Iterable[str]) -> list[tuple[float, int]]:
    """(upper bound in seconds, packets in the bucket) of HdrHistograms of nanoseconds."""
    rows = [_bucket_counts(text) for text in histograms]
    return [(le, sum(row[at] for row in rows)) for at, le in enumerate(_LATENCY_LE_S)]


@cache
def _bucket_counts(histogram: str) -> tuple[int, ...]:
    """Decoding takes milliseconds, and each scrape meets all samples of a test again."""
    counts = dict.fromkeys(_LATENCY_LE_S, 0)
    for item in HdrHistogram.decode(histogram).get_recorded_iterator():
        seconds = item.value_iterated_to / 1e9
        counts[next((le for le in _LATENCY_LE_S if seconds <= le), _LATENCY_LE_S[-1])] += (
            item.count_at_value_iterated_to
        )
    return tuple(counts.values())


class MachineSource(Collector):
    """This machine's CPUs, interrupts and interfaces."""

    def collect(self) -> Iterator[Metric]:
        name, tick_s = "here", 1 / os.sysconf("SC_CLK_TCK")
        cpus = sorted(os.sched_getaffinity(0))
        ticks = cpu_ticks(Path("/proc/stat").read_text(), cpus)
        seconds = (([name, str(cpu), mode], n * tick_s) for cpu, row in ticks.items() for mode, n in row.items())
        yield _counter(f"{_DUT}_cpu_seconds", ["target", "cpu", "mode"], seconds)
        for family, label in (("softirqs", "kind"), ("interrupts", "name")):
            table = table_by_cpu(Path(f"/proc/{family}").read_text())
            labelled = (([name, str(cpu), key], n) for cpu, row in table.items() for key, n in row.items())
            yield _counter(f"{_DUT}_{family}", ["target", "cpu", label], labelled)
        counted = Path("/proc/net/softnet_stat").read_text()
        events = (([name, str(cpu), key], n) for cpu in cpus for key, n in softnet(counted, [cpu]).items())
        yield _counter(f"{_DUT}_softnet", ["target", "cpu", "event"], events)
        clocks = enumerate(re.findall(r"(?m)^cpu MHz\s*: ([\d.]+)$", Path("/proc/cpuinfo").read_text()))
        hertz = (([name, str(cpu)], float(mhz) * 1e6) for cpu, mhz in clocks)
        yield _gauge(f"{_DUT}_cpu_frequency_hertz", ["target", "cpu"], hertz)
        found = Path("/sys/class/net").glob("*/statistics/*")
        nics = (([name, path.parent.parent.name, path.name], int(path.read_text())) for path in found)
        yield _counter(f"{_DUT}_nic", ["target", "interface", "counter"], nics)


_Labelled = Iterable[tuple[list[str], float]]


def _counter(name: str, labels: list[str], values: _Labelled) -> Metric:
    family = CounterMetricFamily(name, name, labels=labels)
    for label_values, value in values:
        family.add_metric(label_values, value)
    return family


def _gauge(name: str, labels: list[str], values: _Labelled) -> Metric:
    family = GaugeMetricFamily(name, name, labels=labels)
    for label_values, value in values:
        family.add_metric(label_values, value)
    return family


def _histogram(name: str, rows: Iterable[tuple[str, list[str], Iterable[tuple[float, int]]]]) -> Metric:
    family: HistogramMetricFamily | None = None
    for labels, values, counts in rows:
        family = family or HistogramMetricFamily(name, name, labels=labels.split())
        below, buckets = 0, []
        for le, count in counts:
            below += count
            buckets.append((str(le), below))
        family.add_metric(values, [*buckets, ("+Inf", below)], sum_value=None)
    return family or HistogramMetricFamily(name, name)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", required=True)
    parser.add_argument("--router", type=Path, required=True)
    parser.add_argument("--file", type=Path, action="append", default=[])
    given = parser.parse_args()
    registry = CollectorRegistry()
    for source in (RouterSource(given.router), TestSource(given.file), MachineSource()):
        registry.register(source)
    address, _, port = given.listen.partition(":")
    start_http_server(int(port), address, registry)
    print("ready", flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    main()
