"""A router, wirespeed's or VPP, by its statistics segment; of ours also what it answers at its control socket."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from wirespeed.errors import WirespeedError
from wirespeed.exporter.told import Labels, TargetValues, buckets
from wirespeed.exporter.vpp_names import vpp_metrics
from wirespeed.router.client import ask
from wirespeed.statseg.reading import StatsReading
from wirespeed.statseg.segment import StatsSegment

By = Literal["thread", "every", "sum", "none"]

MOST_OF_INTERFACES = 64
"""With more interfaces than these, their own nodes are told as one."""

MOST_OF_NAMES = 512
"""With more nodes or reasons than these, those that never counted anything are omitted: VPP's graph has a thousand.
Then a rate lacks what they counted before they are first read.
"""

_NODE_COUNTERS = ("calls", "vectors", "clocks", "suspends")
_WORKER_COUNTERS = {
    "loops": "loops",
    "clocks": "clocks",
    "rest-clocks": "rest_clocks",
    "idle-clocks": "idle_clocks",
    "preempted-clocks": "preempted_clocks",
}
"""Counters of workers in the segment, and the families that have them."""
_FORMER = {"preempted-clocks": "absent-clocks"}
"""Names in the segment of older routers."""
_INTERFACE_PACKETS = ("drops", "rx-miss", "rx-no-buf", "tx-error")
_PATTERNS = (
    f"^/sys/({'|'.join((*_WORKER_COUNTERS, *_FORMER.values()))}|rx|vector-sizes|tsc-hz|started-ns|boottime)$",
    "^/sys/node/",
    "^/if/(names|rx|tx|drops|rx-miss|rx-no-buf|tx-error)$",
    "^/(node/errors$|err/|buffer-pools/|mem/)",
)
_ASK_S = 1.0


class RouterTarget:
    """`control` is our router's socket, None of a VPP. `nodes` says whether counters of nodes are told by thread, as
    their sum over the threads, or not at all. With many interfaces the nodes that each has of its own are
    `interface-output` and `interface-tx` together, unless `every` one is to be told."""

    kind = "router"

    def __init__(
        self, name: str, segment: Path, control: Path | None = None, nodes: By = "thread", vpp_names: bool = False
    ) -> None:
        self.name = name
        self._segment = StatsSegment(segment)
        self._control = control
        self._nodes: By = nodes
        self._vpp_names = vpp_names

    def read(self) -> TargetValues:
        capture = self._segment.capture(() if self._vpp_names else _PATTERNS)
        read = capture.readings()
        values = router_told(self.name, read, self._nodes)
        values.began = capture.started_ns
        values.add("router_start_time_seconds", [((self.name,), capture.started_ns / 1e9)])
        if capture.tsc_hz:
            values.add("router_clock_hertz", [((self.name,), capture.tsc_hz)])
        if self._control is not None:
            self._ask(self._control, values)
        if self._vpp_names:
            values.foreign = vpp_metrics(self.name, read)
        return values

    def _ask(self, control: Path, values: TargetValues) -> None:
        """Counts that are in no segment. A router too busy to answer still has all the others."""
        try:
            version = ask(control, "show version", _ASK_S).strip().partition("\n")[0]
            values.add("router_info", [((self.name, version), 1)])
            for words, family in (("ip", "ip4"), ("ip6", "ip6")):
                summary = ask(control, f"show {words} fib summary", _ASK_S)
                values.add("router_fib_routes", [((self.name, family), routes_of(summary))])
            values.add(
                "router_neighbors",
                [((self.name, *key), n) for key, n in neighbours_of(ask(control, "show ip neighbors", _ASK_S)).items()],
            )
        except WirespeedError:
            return


def router_told(name: str, read: Mapping[str, StatsReading], nodes: By) -> TargetValues:
    """Metrics of a statistics segment."""
    series = TargetValues()
    workers = _worker_names(read)
    if nodes != "none":
        for counter, rows in _nodes(read, workers, nodes).items():
            series.add(f"router_node_{counter}_total", (((name, *labels), n) for labels, n in rows))
    for counter, family in _WORKER_COUNTERS.items():
        if (reading := read.get(f"/sys/{counter}") or read.get(f"/sys/{_FORMER.get(counter)}")) is not None:
            values = zip(workers, reading.values, strict=False)
            series.add(
                f"router_worker_{family}_total", [((name, thread), n[0]) for thread, n in values if thread != MAIN]
            )
    _interfaces(name, read, series)
    series.add("router_errors_total", [((name, *labels), n) for labels, n in _errors(read)])
    for family, pattern in (("buffers", "/buffer-pools/(.*)/([^/]+)"), ("heap_bytes", "/mem/(.*)/(total|used|free)")):
        found = ((re.fullmatch(pattern, key), value) for key, value in read.items())
        rows = [((name, match[1], match[2]), float(value.total[0])) for match, value in found if match and value.rows]
        series.add(f"router_{family}", rows)
    sizes = read.get("/sys/vector-sizes")
    if sizes is not None and sizes.columns:
        lowest = max(row[0][0] for row in sizes.rows)
        counts = [(2.0 ** (lowest + at), count[0]) for at, count in enumerate(sizes.columns[1:])]
        packets = sum(value[0] for value in read["/sys/rx"].values) if "/sys/rx" in read else 0
        series.add_buckets("router_vector_size", buckets((name,), counts, packets))
    return series


MAIN = "main"


def _worker_names(read: Mapping[str, StatsReading]) -> list[str]:
    """Threads as `show runtime` calls them, the main one first."""
    known = (read.get(key) for key in ("/sys/node/clocks", "/sys/loops", "/if/drops"))
    count = max((len(reading.rows) for reading in known if reading is not None), default=1)
    prefix = "ws_wk" if "/sys/loops" in read else "vpp_wk"
    return [MAIN, *(f"{prefix}_{worker}" for worker in range(count - 1))]


def _nodes(read: Mapping[str, StatsReading], threads: list[str], by: By) -> dict[str, list[tuple[Labels, float]]]:
    names = read["/sys/node/names"].texts if "/sys/node/names" in read else ()
    if by != "every":
        names = _folded(names, read)
    rows = {counter: read[f"/sys/node/{counter}"].rows for counter in _NODE_COUNTERS if f"/sys/node/{counter}" in read}
    by_counter: dict[str, dict[Labels, float]] = {counter: {} for counter in rows}
    if "calls" not in rows:
        return {}
    all_are_told = len(set(names)) <= MOST_OF_NAMES
    for at, (thread, calls) in enumerate(zip(threads, rows["calls"], strict=False)):
        label = "all" if by == "sum" else thread
        live = [index for index, value in enumerate(calls[: len(names)]) if value[0] and names[index]]
        if live and all_are_told:
            live = [index for index, node in enumerate(names) if node]
        for counter, table in rows.items():
            into, row = by_counter[counter], table[at] if at < len(table) else ()
            for index in live:
                if index < len(row):
                    key = (label, names[index])
                    into[key] = into.get(key, 0) + row[index][0]
    return {counter: list(values.items()) for counter, values in by_counter.items()}


def _folded(nodes: tuple[str, ...], read: Mapping[str, StatsReading]) -> tuple[str, ...]:
    interfaces = [text.replace("/", "_") for text in read["/if/names"].texts if text] if "/if/names" in read else []
    if len(interfaces) <= MOST_OF_INTERFACES:
        return nodes
    own = {f"{interface}-{end}": f"interface-{end}" for interface in interfaces for end in ("output", "tx")}
    return tuple(own.get(node.replace("/", "_"), node) for node in nodes)


def _interfaces(name: str, read: Mapping[str, StatsReading], values: TargetValues) -> None:
    texts = read["/if/names"].texts if "/if/names" in read else ()
    names = [(index, text) for index, text in enumerate(texts) if index and text]  # local0 is none that packets pass
    families = {f"{way}_{unit}": (way, at) for way in ("rx", "tx") for at, unit in enumerate(("packets", "bytes"))}
    families |= {counter.replace("-", "_"): (counter, 0) for counter in _INTERFACE_PACKETS}
    columns = {entry: read[f"/if/{entry}"].columns for entry, _ in families.values() if f"/if/{entry}" in read}
    for family, (entry, at) in families.items():
        if (column := columns.get(entry)) is not None:
            rows = [((name, text), column[index][at]) for index, text in names if index < len(column)]
            values.add(f"router_interface_{family}_total", rows)


def _errors(read: Mapping[str, StatsReading]) -> Iterator[tuple[Labels, float]]:
    counts = {key: reading.total[0] for key, reading in read.items() if key.startswith("/err/") and reading.rows}
    for key, count in counts.items():
        if count or len(counts) <= MOST_OF_NAMES:
            node, _, reason = key[len("/err/") :].partition("/")
            yield (node, reason), count


def routes_of(summary: str) -> int:
    """The sum of the counts of `show ip fib summary`, a line a prefix length."""
    return sum(int(count) for count in re.findall(r"(?m)^\s*\d+\s+(\d+)\s*$", summary))


def neighbours_of(table: str) -> dict[Labels, int]:
    """`show ip neighbors` by family and state; its flags are S of static ones."""
    counts: dict[Labels, int] = {(family, state): 0 for family in ("ip4", "ip6") for state in ("static", "learned")}
    for line in table.splitlines():
        words = line.split()
        at = next((at for at, word in enumerate(words) if _is_address(word)), None)
        if at is not None:
            flags = words[at + 1] if at + 1 < len(words) else ""
            counts["ip6" if ":" in words[at] else "ip4", "static" if flags.startswith("S") else "learned"] += 1
    return counts


def _is_address(word: str) -> bool:
    try:
        return bool(ipaddress.ip_address(word))
    except ValueError:
        return False
