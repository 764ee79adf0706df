"""A case from pasted texts: each is recognised by its content, and unrecognised lines are reported.

Read are VPP's `show runtime`, `show errors`, `show hardware-interfaces`, `show interface`, `show interface
rx-placement` and `show cpu`, and Linux' `ethtool -S`, `mpstat -P ALL` and `/proc/softirqs`, several of them in one file
or each in a file of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirespeed.cases.facts import Case, CaseDut, CaseLoad, CpuShares
from wirespeed.cases.machine_facts import MachineFacts, NicFacts
from wirespeed.cases.nic_counters import losses, pauses, queue_packets
from wirespeed.dut.errors import parse_errors
from wirespeed.dut.kinds.linux_load import nic_counters, table_by_cpu
from wirespeed.dut.kinds.vpp_language import LOST, interface_counters
from wirespeed.dut.runtime import read_runtime
from wirespeed.errors import FileFault, UsageError
from wirespeed.explain.sources.plain_lines import plain_lines
from wirespeed.explain.sources.show_run import counted_in, workers_of
from wirespeed.files import open_regular, read_text_file

_MOST_BYTES = 4_000_000
_MOST_FILES = 200
_MOST_TOLD = 3

_PROMPT = re.compile(r"\S*(?:[#$%>]|@\S+[:~])\s*(?P<command>.*)|#.*|---+.*|===+.*")
_COMMAND = re.compile(r"(?:sudo\s+)?(?:vppctl\s+)?(?:show|sh|ethtool|mpstat|cat|clear)\b.*")
_ERRORS_HEAD = re.compile(r"\s*Count\s+Node\s+Reason\b.*")
_ETHTOOL_HEAD = re.compile(r"\s*NIC statistics:\s*")
_ETHTOOL_ROW = re.compile(r"\s+\S.*?: +\d+\s*|\s+[RT]x Queue#:\s*\d+\s*")
_ETHTOOL_OF = re.compile(r"ethtool\s+(?:-S|--statistics)\s+(?P<name>\S+)")
_NAME_LINE = re.compile(r"(?P<name>[A-Za-z][\w.@-]*):\s*")
_MPSTAT_HEAD = re.compile(r".*\bCPU\s+(?P<columns>(?:%\w+\s*)+)")
_MPSTAT_ROW = re.compile(r"(?P<when>.*?)\s*\b(?P<cpu>all|\d+)\s+(?P<shares>\d+[.,]\d+(?:\s+\d+[.,]\d+)*)\s*")
_MPSTAT_KINDS = {"usr": "user", "sys": "system", "soft": "softirq", "iowait": "iowait"}
_SOFTIRQS_HEAD = re.compile(r"\s+CPU0(?:\s+CPU\d+)*\s*")
_SOFTIRQS_ROW = re.compile(r"\s*[A-Z_]+:(?:\s+\d+)+\s*")
_HARDWARE_HEAD = re.compile(r"\s*Name\s+Idx\s+Link\s+Hardware\s*")
_HARDWARE_ROW = re.compile(r"(?P<name>\S+)\s+\d+\s+(?:up|down)\s+\S+\s*")
_RINGS = re.compile(r"\s*(?P<way>rx|tx): queues (?P<count>\d+)\b.*?desc (?P<slots>\d+)\b.*")
_QUEUE_ROW = re.compile(r"\s+\d+\s+(?:(?P<shared>yes|no)\s+\S.*|\S+ \(\d+\)\s+\S+)\s*")
_XSTAT = re.compile(r"\s{3,}(?P<name>[a-z][\w .-]*?)\s{2,}(?P<count>\d+)\s*")
_INTERFACE_HEAD = re.compile(r"\s*Name\s+Idx\s+State\s+.*Counter\s+Count\s*")
_INTERFACE_ROW = re.compile(r"\S+\s+\d+\s+(?:up|down)\s+\S+.*|\s{20,}[a-z][\w -]*?\s{2,}\d+\s*")
_PLACED = re.compile(r"\s+(?P<name>\S+) queue (?P<queue>\d+) \(\w+\)\s*")
_PLACED_HEAD = re.compile(r"Thread \d+ \(\S+\):\s*|\s*node \S+:\s*")
_CPU_LINE = re.compile(r"\s*(?:Model name|Microarch model \(family\)|Flags|Base frequency):.*")
_BASE = re.compile(r"\s*Base frequency:\s+(?P<ghz>[\d.]+) GHz\s*")


@dataclass
class _Told:
    """Facts from the texts of one device, while they are read."""

    runtime: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    nics: dict[str, dict[str, int]] = field(default_factory=dict)
    cpus: dict[str, CpuShares] = field(default_factory=dict)
    by_softirq: dict[str, int] = field(default_factory=dict)
    drops: dict[str, int] = field(default_factory=dict)
    queues: int | None = None
    tx_queues: int | None = None
    tx_slots: int | None = None
    hz: float | None = None
    kinds: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


_Lines = list[tuple[int, str]]
_Reader = Callable[[_Lines, str, _Told], set[int]]
"""Reads its kind out of the lines of a file, which has that name, and says the numbers of those that it read."""


@dataclass(frozen=True)
class Figures:
    """Figures given in addition to the texts, by the options of `wirespeed explain`; None if not given."""

    hz: float | None = None
    offered_pps: float | None = None
    received_pps: float | None = None
    size_bytes: float | None = None
    line_bps: float | None = None
    directions: int = 1


def text_case(paths: Sequence[Path], figures: Figures) -> Case:
    """The case of all texts together, which are of one device and one time. UsageError for an unrecognised text,
    FileFault for an unreadable file."""
    outputs = _Told()
    files = list(_files(paths, outputs))
    known = 0
    for path in files:
        known += _read(path, outputs)
    if not known:
        if paths[0].is_dir():
            raise UsageError(
                f"{paths[0]} is a folder without a known output; give result files, such as {paths[0]}/*.json"
            )
        raise UsageError(
            f"{paths[0]} is neither a result file nor a known output: give a `show runtime`, `show errors`, "
            "`show interface`, `show hardware-interfaces`, `show cpu`, `ethtool -S`, `mpstat -P ALL` or "
            "/proc/softirqs, as it was printed"
        )
    return _case(outputs, figures, paths[0].name or str(paths[0]))


def case_of_text(text: str, source: str, figures: Figures) -> Case:
    """The case of one text, and whatever else stands in it."""
    told = _Told()
    _remark(_lines_of(text, source, told), source, told)
    return _case(told, figures, source)


def texts_among(results: Sequence[Path], evidence: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The texts of a device, and the result files: a file that begins as neither JSON nor YAML is a text."""
    if not results or evidence:
        return list(evidence), list(results)
    texts = [path for path in results if path.is_dir() or _is_text(path)]
    return (texts, []) if len(texts) == len(results) else ([], list(results))


def _is_text(path: Path) -> bool:
    """True if a file is neither JSON nor YAML; `text_case` decides whether it is one of the known texts."""
    if path.suffix in (".json", ".yaml", ".yml", ".part"):
        return False
    try:
        with open_regular(path) as file:
            text = file.read(_MOST_BYTES).decode(errors="replace")
    except (OSError, FileFault):
        return False
    return bool(text.strip()) and "\0" not in text and not text.lstrip().startswith(("{", "["))


def kinds_in(text: str) -> tuple[str, ...]:
    """The kinds of texts that are recognised in it."""
    told = _Told()
    _lines_of(text, "text", told)
    return tuple(dict.fromkeys(told.kinds))


def _files(paths: Sequence[Path], outputs: _Told) -> Iterator[Path]:
    """Files, and those of folders in the order of their names."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
        if len(found) > _MOST_FILES:
            outputs.remarks.append(f"{path}: only the first {_MOST_FILES} of its {len(found)} files are read")
        yield from found[:_MOST_FILES]


def _read(path: Path, outputs: _Told) -> bool:
    """True if anything in the file is known; unknown lines become remarks."""
    try:
        text = read_text_file(path, "text", _MOST_BYTES).decode(errors="replace")
    except OSError as error:
        raise FileFault(f"cannot read {path}: {error}") from error
    before = len(outputs.kinds)
    left = _lines_of(text, path.name, outputs)
    if len(outputs.kinds) == before:
        outputs.remarks.append(f"{path.name}: nothing in it is known")
        return False
    _remark(left, path.name, outputs)
    return True


def _remark(left: _Lines, name: str, outputs: _Told) -> None:
    """The first lines that are not read, and how many more there are."""
    for number, line in left[:_MOST_TOLD]:
        outputs.remarks.append(f"{name}, line {number} is not read: “{line.strip()[:80]}”")
    if len(left) > _MOST_TOLD:
        outputs.remarks.append(f"{name}: {len(left) - _MOST_TOLD} more lines are not read")


def _lines_of(text: str, name: str, outputs: _Told) -> _Lines:
    """The lines that none of the readers knows."""
    lines = [(number, line) for number, line in enumerate(plain_lines(text), start=1)]
    used: set[int] = set()
    for read in _READERS:
        used |= read(lines, name, outputs)
    return [(number, line) for number, line in lines if line.strip() and number not in used and not _is_frame(line)]


def _is_frame(line: str) -> bool:
    """A prompt, a command, a rule or a comment."""
    return _PROMPT.fullmatch(line.strip()) is not None or _COMMAND.fullmatch(line.strip()) is not None


# ---- the kinds


def _runtime(lines: _Lines, name: str, outputs: _Told) -> set[int]:
    text = "\n".join(line for _, line in lines)
    runtime = read_runtime(text)
    if not any(thread.nodes for thread in runtime.threads):
        return set()
    outputs.kinds.append("show runtime")
    outputs.runtime.append(text)
    # Unreadable lines of its tables are reported with the workers.
    return set(runtime.used) | {one.number for one in runtime.unread}


def _errors(lines: _Lines, name: str, outputs: _Told) -> set[int]:
    used: set[int] = set()
    for start, (_, line) in enumerate(lines):
        if not _ERRORS_HEAD.fullmatch(line):
            continue
        block = [lines[start]]
        for row in lines[start + 1 :]:
            if row[1].strip() and not parse_errors(f"{line}\n{row[1]}"):
                break
            block.append(row)
        outputs.kinds.append("show errors")
        outputs.errors.append("\n".join(text for _, text in block))
        used |= {number for number, _ in block}
    return used


def _ethtool(lines: _Lines, name: str, outputs: _Told) -> set[int]:
    used: set[int] = set()
    for start, (number, line) in enumerate(lines):
        if not _ETHTOOL_HEAD.fullmatch(line):
            continue
        interface = Path(name).stem.removeprefix("ethtool-")
        for before, above in reversed(lines[max(0, start - 2) : start]):
            if (of := _ETHTOOL_OF.search(above) or _NAME_LINE.fullmatch(above)) is not None:
                interface = of["name"].rstrip(":")
                used.add(before)
                break
        block = []
        for row in lines[start + 1 :]:
            if not _ETHTOOL_ROW.fullmatch(row[1]):
                break
            block.append(row)
        outputs.kinds.append("ethtool -S")
        counters = outputs.nics.setdefault(interface, {})
        for key, count in nic_counters("\n".join(text for _, text in block)).items():
            counters[key] = counters.get(key, 0) + count
        used |= {number, *(at for at, _ in block)}
    return used


def _mpstat(lines: _Lines, name: str, outputs: _Told) -> set[int]:
    """The averages at its end, else the last row of each CPU."""
    used: set[int] = set()
    columns: list[str] = []
    averages: dict[str, CpuShares] = {}
    last: dict[str, CpuShares] = {}
    for number, line in lines:
        if head := _MPSTAT_HEAD.fullmatch(line):
            columns = [column.lstrip("%") for column in head["columns"].split()]
            used.add(number)
        elif columns and (row := _MPSTAT_ROW.fullmatch(line)) and len(row["shares"].split()) == len(columns):
            shares = [float(share.replace(",", ".")) for share in row["shares"].split()]
            percent = {_MPSTAT_KINDS.get(kind, kind): share for kind, share in zip(columns, shares, strict=True)}
            cpu = row["cpu"] if row["cpu"] == "all" else f"cpu{row['cpu']}"
            found = averages if row["when"].lower().startswith(("average", "durchschnitt")) else last
            found[cpu] = CpuShares(cpu, percent)
            used.add(number)
        elif line.startswith("Linux ") and "CPU)" in line:
            used.add(number)
    best = averages or last
    if best:
        outputs.kinds.append("mpstat")
        outputs.cpus |= {cpu: one for cpu, one in best.items() if cpu != "all" or len(best) == 1}
    return used


def _softirqs(lines: _Lines, name: str, outputs: _Told) -> set[int]:
    for start, (number, line) in enumerate(lines):
        if not _SOFTIRQS_HEAD.fullmatch(line):
            continue
        block = []
        for row in lines[start + 1 :]:
            if not _SOFTIRQS_ROW.fullmatch(row[1]):
                break
            block.append(row)
        table = table_by_cpu("\n".join(text for _, text in [lines[start], *block]))
        counts = {str(cpu): kinds["NET_RX"] for cpu, kinds in table.items() if "NET_RX" in kinds}
        if counts:
            outputs.kinds.append("/proc/softirqs")
            outputs.by_softirq |= counts
            return {number, *(at for at, _ in block)}
    return set()


def _hardware(lines: _Lines, name: str, outputs: _Told) -> set[int]:
    """Queues, descriptors and the driver's counters of each port; local0 has none."""
    used: set[int] = set()
    is_open, port, way = False, "", ""
    queues: dict[tuple[str, str], int] = {}
    for number, line in lines:
        if _HARDWARE_HEAD.fullmatch(line):
            is_open = True
            outputs.kinds.append("show hardware-interfaces")
        elif is_open and _is_frame(line) and line.strip():
            is_open = False
        elif is_open and (row := _HARDWARE_ROW.fullmatch(line)):
            port, way = row["name"], ""
        elif is_open and (rings := _RINGS.fullmatch(line)):
            _ring(outputs, rings)
        elif is_open and line.strip() in ("RX Queues:", "TX Queues:"):
            way = line.strip()[:2].lower()
        elif is_open and way and _QUEUE_ROW.fullmatch(line):
            queues[port, way] = queues.get((port, way), 0) + 1
        elif is_open and line and not line[0].isspace():
            is_open = False
        elif is_open and (counter := _XSTAT.fullmatch(line)):
            outputs.nics.setdefault(port, {})[counter["name"].strip().replace(" ", "_")] = int(counter["count"])
        if is_open:
            used.add(number)
    for (_, kind), count in queues.items():
        if kind == "rx":
            outputs.queues = max(outputs.queues or 0, count)
        elif outputs.tx_queues is None or count < outputs.tx_queues:
            outputs.tx_queues = count
    return used


def _ring(outputs: _Told, rings: re.Match[str]) -> None:
    if rings["way"] == "rx":
        outputs.queues = max(outputs.queues or 0, int(rings["count"]))
    else:
        outputs.tx_queues = int(rings["count"])
        outputs.tx_slots = int(rings["slots"])


def _interface(lines: _Lines, name: str, outputs: _Told) -> set[int]:
    used: set[int] = set()
    for start, (number, line) in enumerate(lines):
        if not _INTERFACE_HEAD.fullmatch(line):
            continue
        block = []
        for row in lines[start + 1 :]:
            if not _INTERFACE_ROW.fullmatch(row[1]) and row[1].strip():
                break
            block.append(row)
        outputs.kinds.append("show interface")
        counters = interface_counters("\n".join(text for _, text in block))
        outputs.drops |= {key: count for key, count in counters.items() if key.endswith(LOST) and count}
        used |= {number, *(at for at, _ in block)}
    return used


def _placement(lines: _Lines, name: str, outputs: _Told) -> set[int]:
    placed = [(number, row["name"]) for number, line in lines if (row := _PLACED.fullmatch(line))]
    if not placed:
        return set()
    outputs.kinds.append("show interface rx-placement")
    names = [port for _, port in placed]
    outputs.queues = max(outputs.queues or 0, *(names.count(port) for port in names))
    heads = {number for number, line in lines if _PLACED_HEAD.fullmatch(line)}
    return heads | {number for number, _ in placed}


def _cpu(lines: _Lines, name: str, outputs: _Told) -> set[int]:
    used = {number for number, line in lines if _CPU_LINE.fullmatch(line)}
    if bases := [base for _, line in lines if (base := _BASE.fullmatch(line))]:
        outputs.kinds.append("show cpu")
        outputs.hz = float(bases[-1]["ghz"]) * 1e9
    return used if bases else set()


_READERS: tuple[_Reader, ...] = (
    *(_runtime, _errors, _ethtool, _mpstat, _softirqs),
    *(_hardware, _interface, _placement, _cpu),
)


# ---- all of them as a case


def _case(outputs: _Told, figures: Figures, source: str) -> Case:
    hz = figures.hz or outputs.hz
    workers, remarks = (
        workers_of("\n".join(outputs.runtime), source, hz, figures.received_pps) if outputs.runtime else ((), ())
    )
    out_pps = sum(worker.pps if worker.out_pps is None else worker.out_pps for worker in workers)
    counted = counted_in("\n".join(outputs.errors))
    drops = counted.drops | outputs.drops
    events = dict(counted.events)
    for name, counters in outputs.nics.items():
        drops |= losses(name, counters)
        if frames := pauses(counters):
            events[f"{name}: pause frames"] = frames
    nics = [
        NicFacts(name, queue_packets=queue_packets(counters), counters=counters, source=f"{source}, {name}")
        for name, counters in outputs.nics.items()
    ]
    if outputs.by_softirq:
        nics.append(NicFacts("NET_RX by CPU", queue_packets=outputs.by_softirq, source=f"{source}, /proc/softirqs"))
    is_linux = not outputs.runtime and any(kind in outputs.kinds for kind in ("mpstat", "/proc/softirqs", "ethtool -S"))
    dut = CaseDut(
        system="vpp" if outputs.runtime else "linux" if is_linux else "",
        cores=len(outputs.cpus) or None,
        workers=len(workers) or None,
        queues=outputs.queues,
        tx_queues=outputs.tx_queues,
        tx_slots=outputs.tx_slots,
        hz=hz,
        source=source,
    )
    received_pps = figures.received_pps if figures.received_pps is not None else out_pps
    tells_received = bool(workers) or figures.received_pps is not None
    if figures.offered_pps is not None and not tells_received:
        remarks = (*remarks, "received rate and loss are unknown: give --received")
    return Case(
        load=CaseLoad(
            name=source,
            received_pps=received_pps,
            source=source,
            offered_pps=figures.offered_pps if tells_received else None,
            frame_bytes=figures.size_bytes,
            line_bps=figures.line_bps if tells_received else None,
            directions=figures.directions,
        ),
        dut=dut,
        workers=workers,
        drops=drops,
        events=events,
        cpus=tuple(outputs.cpus.values()),
        tells_drops=bool(outputs.errors),
        machine=replace(MachineFacts(source=source), nics=tuple(nics)),
        remarks=(*remarks, f"read: {', '.join(dict.fromkeys(outputs.kinds))}", *outputs.remarks),
    )
