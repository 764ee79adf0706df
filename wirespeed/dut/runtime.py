"""Reads `show runtime` of VPP or wirespeed, and derives figures from it.

Words as VPP has them: clocks are TSC ticks per packet in one node, vectors/call is how many packets a node got at
once (1 when idle, 256 when the worker cannot keep up).

Two layouts are read: VPP's own table, one per thread, and the table of three columns that articles cut from it (node,
clocks, vectors/call), with the line of its totals: `981830 packets/sec, at 1770.1 cycles/packet, …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from wirespeed.results.dut import INPUT_NODES, NodeCost
from wirespeed.results.node_classes import CUT, whole_names

_THREAD = re.compile(r"Thread (?P<index>\d+) (?P<name>\S+)(?: \(lcore (?P<lcore>\d+)\))?")
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?"
_TIME = re.compile(rf"Time (?P<time>{_NUMBER}), (?:.*?loops/sec (?P<loops>{_NUMBER}))?")
_RATES = re.compile(rf"vector rates in (?P<in>{_NUMBER}), out (?P<out>{_NUMBER}), drop (?P<drop>{_NUMBER})")
# A name of the whole width of its column leaves no space before the state.
_NODE = re.compile(
    rf"\s*(?:(?P<cut>\S{{{CUT}}})(?=active|polling|interrupt|any wait|event wait|time wait)|(?P<name>\S+)\s+)"
    r"(?P<state>active|polling|interrupt\s\w+|\".*?\"?|\w+ \w+)\s+(?P<calls>\d{1,20})"
    rf"\s+(?P<vectors>\d{{1,20}})\s+(?P<suspends>\d{{1,20}})\s+(?P<clocks>{_NUMBER})\s+(?P<per_call>{_NUMBER})\s*"
)
_SHORT_HEAD = re.compile(r"\s*(?:Graph )?(?:Node )?Name\s+Clocks\s+Vectors/Call\s*")
_SHORT_NODE = re.compile(rf"\s*(?P<name>[A-Za-z]\S*)\s+(?P<clocks>{_NUMBER})\s+(?P<per_call>{_NUMBER})\s*")
_SHORT_TOTAL = re.compile(rf"\s*(?P<pps>{_NUMBER}) packets/sec, at {_NUMBER} cycles/packet.*")
_HEAD = re.compile(r"\s*Name\s+State\s+Calls\s+.*")
_NO_ROW = re.compile(r"\s*(?:[-=.\s]*|\S*[#$>%]\s.*|#.*)")
_FIGURES = 5
"""Columns of a row that are figures, its last ones."""
_MOST_PIECES = 8
"""Lines that one row can be wrapped over: it has seven columns, one of two words."""
_NOMINAL_PACKETS = 1_000_000
"""Packets of a table of three columns that has no totals: its clocks and vectors are the same for any number."""


@dataclass(frozen=True)
class NodeRuntime:
    """One row: `clocks` per packet, or per call when the node saw no packet."""

    name: str
    state: str
    calls: int
    vectors: int
    suspends: int
    clocks: float
    vectors_per_call: float


@dataclass(frozen=True)
class ThreadRuntime:
    """One thread's block; rates are packets per second since the counters were cleared. `time_s` is 0 for a
    table of three columns without totals, which has no time."""

    name: str
    time_s: float
    loops_per_s: float
    in_pps: float
    out_pps: float
    drop_pps: float
    nodes: tuple[NodeRuntime, ...]

    def node(self, name: str) -> NodeRuntime | None:
        return next((node for node in self.nodes if node.name == name), None)


@dataclass(frozen=True)
class Unread:
    """A line of a table that is not one of its rows, by its number from 1."""

    number: int
    text: str


@dataclass(frozen=True)
class Runtime:
    """All threads of a text, what could not be read of their tables, and the numbers of the lines that were read."""

    threads: tuple[ThreadRuntime, ...]
    unread: tuple[Unread, ...]
    used: frozenset[int]


_Line = tuple[int, str]


def parse_runtime(text: str) -> tuple[ThreadRuntime, ...]:
    """All threads of a `show runtime`; other lines are skipped. VPP without workers prints no thread name: the rows are
    then of `vpp_main`."""
    return read_runtime(text).threads


def read_runtime(text: str) -> Runtime:
    """Parse like parse_runtime; also returns the lines that were read and table lines that cannot be."""
    lines = list(enumerate(text.replace("\r", "").split("\n"), start=1))
    threads: list[ThreadRuntime] = []
    unread: list[Unread] = []
    used: set[int] = set()
    blocks = _blocks(lines)
    for block in blocks:
        head = _THREAD.match(block[0][1].lstrip())
        if head is None and not (len(blocks) == 1 and any(_TIME.search(line) for _, line in block)):
            continue
        rows, left, taken = _rows(block)
        threads.append(_thread(head["name"] if head is not None else "vpp_main", block, rows))
        unread += left
        used |= taken
    if not threads:
        thread, used = _short_table(lines)
        threads = [thread] if thread is not None else []
    return Runtime(tuple(threads), tuple(unread), frozenset(used))


def _blocks(lines: Sequence[_Line]) -> list[list[_Line]]:
    """The lines of each thread; those before the first one are a block of their own."""
    blocks: list[list[_Line]] = []
    for number, line in lines:
        if not blocks or _THREAD.match(line.lstrip()):
            blocks.append([])
        blocks[-1].append((number, line))
    return [block for block in blocks if any(line.strip() for _, line in block)]


def _thread(name: str, block: Sequence[_Line], rows: Sequence[re.Match[str]]) -> ThreadRuntime:
    time, rates = (next(filter(None, (pattern.search(line) for _, line in block)), None) for pattern in (_TIME, _RATES))
    nodes = [_node(row) for row in rows]
    whole = whole_names([node.name for node in nodes])
    return ThreadRuntime(
        name=name,
        time_s=float(time["time"]) if time else 0.0,
        loops_per_s=float(time["loops"] or 0.0) if time else 0.0,
        in_pps=float(rates["in"]) if rates else 0.0,
        out_pps=float(rates["out"]) if rates else 0.0,
        drop_pps=float(rates["drop"]) if rates else 0.0,
        nodes=tuple(replace(node, name=name) for node, name in zip(nodes, whole, strict=True)),
    )


def _rows(block: Sequence[_Line]) -> tuple[list[re.Match[str]], list[Unread], set[int]]:
    """The rows of a block, those that a mailer wrapped or split by blank lines put together again."""
    rows: list[re.Match[str]] = []
    unread: list[Unread] = []
    used: set[int] = set()
    known = [line for line in block if line[1].strip()]
    at = 0
    while at < len(known):
        number, line = known[at]
        if _THREAD.match(line.lstrip()) or _TIME.search(line) or _RATES.search(line) or _HEAD.fullmatch(line):
            used.add(number)
            at += 1
            continue
        row, count = next(_joined(known[at : at + _MOST_PIECES]), (None, 1))
        if row is not None:
            rows.append(row)
            used |= {one for one, _ in known[at : at + count]}
        elif _looks_like_row(line):
            unread.append(Unread(number, line.strip()))
        at += count
    return rows, unread, used


def _joined(lines: Sequence[_Line]) -> Iterator[tuple[re.Match[str], int]]:
    """The least number of lines that make a row, from the first one on. A piece has fewer columns than a row."""
    for count in range(1, len(lines) + 1):
        pieces = [line for _, line in lines[:count]]
        if count > 1 and _NODE.fullmatch(pieces[-1]):
            return
        row = _NODE.fullmatch(" ".join(pieces))
        if row is not None:
            yield row, count


def _looks_like_row(line: str) -> bool:
    """A name, and figures in all but one of the last five columns."""
    words = line.split()
    figures = sum(word[0].isdigit() or word[0] == "." for word in words[1:][-_FIGURES:])
    return figures >= _FIGURES - 1 and not words[0][0].isdigit() and _NO_ROW.fullmatch(line) is None


def _node(row: re.Match[str]) -> NodeRuntime:
    return NodeRuntime(
        name=row["cut"] or row["name"],
        state=row["state"].strip('"'),
        calls=int(row["calls"]),
        vectors=int(row["vectors"]),
        suspends=int(row["suspends"]),
        clocks=float(row["clocks"]),
        vectors_per_call=float(row["per_call"]),
    )


def _short_table(lines: Sequence[_Line]) -> tuple[ThreadRuntime | None, set[int]]:
    """The last table of three columns, as the counts of one second; None without one."""
    rows: list[re.Match[str]] = []
    used: set[int] = set()
    pps = 0.0
    is_open = False
    for number, line in lines:
        total = _SHORT_TOTAL.fullmatch(line)
        if _SHORT_HEAD.fullmatch(line):
            rows, used, pps, is_open = [], {number}, 0.0, True
        elif is_open and (row := _SHORT_NODE.fullmatch(line)):
            rows.append(row)
            used.add(number)
        elif is_open and total is not None:
            pps, is_open = float(total["pps"]), False
            used.add(number)
    if not any(row["name"] in INPUT_NODES for row in rows):
        return None, set()
    packets = round(pps) or _NOMINAL_PACKETS
    whole = whole_names([row["name"] for row in rows])
    nodes = tuple(_short_node(name, row, packets) for name, row in zip(whole, rows, strict=True))
    time_s = 1.0 if pps else 0.0
    return ThreadRuntime("the worker", time_s, 0.0, pps, pps, 0.0, nodes), used


def _short_node(name: str, row: re.Match[str], packets: int) -> NodeRuntime:
    per_call = float(row["per_call"])
    calls = round(packets / per_call) if per_call else 0
    state = "polling" if name in INPUT_NODES else "active"
    return NodeRuntime(name, state, calls, packets, 0, float(row["clocks"]), per_call)


def node_costs(threads: Sequence[ThreadRuntime]) -> tuple[NodeCost, ...]:
    """The rows of all threads; ticks are as exact as the text, which prints three digits of those of a packet."""
    return tuple(
        NodeCost(node.name, node.calls, node.vectors, round(node.clocks * (node.vectors or node.calls)), node.suspends)
        for thread in threads
        for node in thread.nodes
    )
