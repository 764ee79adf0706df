"""A load test, search, RFC test or soak, by the file that it writes: its journal while it runs, the result after."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from hdrh.histogram import HdrHistogram

from wirespeed.errors import ConnectionFault
from wirespeed.explain.verdicts import verdict_of
from wirespeed.exporter.families import PHASES
from wirespeed.exporter.told import Buckets, Labels, Told, buckets
from wirespeed.results.file import AnyResult, read_file
from wirespeed.results.journal import is_being_written, journal_path
from wirespeed.results.loadtest import Result
from wirespeed.results.point import points
from wirespeed.results.soak import SoakResult
from wirespeed.results.trial import TrialResult
from wirespeed.results.verdict import LIMITS, Verdict

_BOUNDS_S = tuple(float(f"{step}e{power}") for power in range(-6, 0) for step in (1, 2, 5))
_PHASE_NAMES = {"warmup": "warm-up"}
_PACKETS = ("asked", "offered", "received", "lost", "unsent")
_Stamp: TypeAlias = tuple[int, int, int]


@dataclass
class _Summary:
    """By direction: packets by name, mean and worst latency in seconds, histograms."""

    kind: str
    phase: str = ""
    samples: int = 0
    line: float = 0.0
    packets: dict[str, dict[str, float]] = field(default_factory=dict)
    latency_s: dict[str, tuple[float, float]] = field(default_factory=dict)
    spread: dict[str, Buckets] = field(default_factory=dict)


class RunTarget:
    """The test that writes `file`. A test that begins anew in the same file is another one."""

    kind = "test"

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self._file = file
        self._stamp: _Stamp | None = None
        self._summary = _Summary("")
        self._verdict: Verdict | None = None
        self._most: dict[Labels, float] = {}
        self._began = 0

    def read(self) -> Told:
        """ConnectionFault while there is no such test yet, FileFault for a file that is none."""
        told = Told(began=self._began)
        path, runs = self._written()
        stamp = _stamp(path)
        if stamp != self._stamp:
            # Only what has changed is read anew: a journal is read whole.
            result = read_file(self._file if not runs else path)
            self._summary = summary(self.name, result)
            self._verdict = None if runs else verdict_of(result)
            if self._stamp is not None and stamp[0] != self._stamp[0] and runs:
                self._most, self._began = {}, self._began + 1
            self._stamp = stamp
        now, test = self._summary, self.name
        told.began = self._began
        told.add("loadtest_info", [((test, now.kind), 1)])
        told.add("test_running", [((test, now.kind), float(runs))])
        told.add("test_phase", [((test, phase), float(runs and phase == now.phase)) for phase in PHASES])
        if self._verdict is not None:
            _tell_verdict(told, test, self._verdict)
        told.add("loadtest_samples_total", [((test,), now.samples)])
        told.add("loadtest_line_ratio", [((test,), now.line)])
        for direction, row in now.packets.items():
            for counter, value in row.items():
                key = (counter, direction)
                # What was taken for lost and came after all would look like a counter that began anew.
                self._most[key] = max(value, self._most.get(key, 0))
                told.add(f"loadtest_{counter}_packets_total", [((test, direction), self._most[key])])
        for direction, (average_s, max_s) in now.latency_s.items():
            told.add("loadtest_latency_average_seconds", [((test, direction), average_s)])
            told.add("loadtest_latency_max_seconds", [((test, direction), max_s)])
        for spread in now.spread.values():
            told.add_buckets("loadtest_latency_seconds", spread)
        return told

    def _written(self) -> tuple[Path, bool]:
        """The file to read, and whether a test is writing it."""
        journal = journal_path(self._file)
        if journal.is_file():
            runs = is_being_written(journal)
            if runs or not self._file.exists():
                return journal, runs
        if not self._file.exists():
            raise ConnectionFault(f"no test has written {self._file} or {journal.name} yet")
        return self._file, False


def _tell_verdict(told: Told, test: str, verdict: Verdict) -> None:
    measured = [one for one in verdict.figures if one.rate_pps is not None]
    told.add("test_figure_pps", [((test, one.name), one.rate_pps or 0.0) for one in measured])
    lossy = [((test, one.name), one.loss_ratio) for one in measured if one.loss_ratio is not None]
    told.add("test_figure_loss_ratio", lossy)
    told.add("test_limited_by", [((test, limit), float(limit == verdict.limited_by)) for limit in LIMITS])


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError as error:
        raise ConnectionFault(f"{path} has gone: {error.strerror}") from None
    return found.st_ino, found.st_size, found.st_mtime_ns


def summary(test: str, result: AnyResult) -> _Summary:
    if isinstance(result, Result):
        return _loadtest(test, result)
    if isinstance(result, SoakResult):
        return _soak(result)
    return _trials(_kind(result), [one.trial for one in result.trials])


def _kind(result: AnyResult) -> str:
    return type(result).__name__.removesuffix("Result").lower()


def _loadtest(test: str, result: Result) -> _Summary:
    last = result.samples[-1].phase if result.samples else ""
    told = _Summary("loadtest", _PHASE_NAMES.get(last, last), len(result.samples))
    for channel in result.channels:
        name = str(channel)
        row = points(result.samples, channel, result.medium(channel.tx), result.line_bps(channel.tx))
        of = [point.balance for point in row]
        lost = sum(one.offered - one.ours for one in of)
        asked = sum(one.offered if one.asked is None else one.asked for one in of)
        values = (asked, sum(one.offered for one in of), sum(one.ours for one in of))
        # A packet under way between two samples is lost in one and surplus in the next, so sums are told.
        told.packets[name] = dict(zip(_PACKETS, (*values, max(0.0, lost), sum(b.unoffered for b in of)), strict=True))
        told.line = max([told.line, *((point.offered_line_percent or 0) / 100 for point in row[-1:])])
        spans = [sample.latency[channel] for sample in result.samples if channel in sample.latency]
        if spans:
            told.latency_s[name] = (spans[-1].average_us / 1e6, spans[-1].max_us / 1e6)
            total_s = sum(span.average_us * span.packets for span in spans) / 1e6
            told.spread[name] = _spread((test, name), (span.hdr for span in spans if span.hdr), total_s)
    return told


def _soak(result: SoakResult) -> _Summary:
    told = _Summary("soak", "hold", len(result.seconds), (result.line_percent or 0) / 100)
    for channel, flow in result.total.flows.items() if result.total else ():
        lost = max(0, flow.lost - flow.came_later)
        values = (flow.offered + flow.unoffered, flow.offered, flow.received, lost, flow.unoffered)
        told.packets[str(channel)] = dict(zip(_PACKETS, values, strict=True))
    for channel, flow in result.seconds[-1].flows.items() if result.seconds else ():
        if flow.latency is not None:
            told.latency_s[str(channel)] = (flow.latency.average_us / 1e6, flow.latency.max_us / 1e6)
    return told


def _trials(kind: str, trials: list[TrialResult]) -> _Summary:
    told = _Summary(kind, "trial", len(trials))
    for trial in trials:
        for channel, one in trial.channels.items():
            row = told.packets.setdefault(str(channel), dict.fromkeys(_PACKETS, 0.0))
            of = one.balance
            asked = of.offered if of.asked is None else of.asked
            for name, value in zip(_PACKETS, (asked, of.offered, of.ours, of.lost, of.unoffered), strict=True):
                row[name] += max(0.0, value)
            if one.latency is not None:
                told.latency_s[str(channel)] = (one.latency.average_us / 1e6, one.latency.max_us / 1e6)
    return told


def _spread(labels: Labels, histograms: Iterable[str], total_s: float) -> Buckets:
    counts = [0] * (len(_BOUNDS_S) + 1)
    for text in histograms:
        for at, count in enumerate(_counts(text)):
            counts[at] += count
    return buckets(labels, zip((*_BOUNDS_S, float("inf")), counts, strict=True), total_s)


@lru_cache(maxsize=4096)
def _counts(histogram: str) -> tuple[int, ...]:
    """Decoding takes milliseconds, and each sample of a growing test is met again and again."""
    counts = [0] * (len(_BOUNDS_S) + 1)
    for item in HdrHistogram.decode(histogram).get_recorded_iterator():
        seconds = item.value_iterated_to / 1e9
        at = next((at for at, bound in enumerate(_BOUNDS_S) if seconds <= bound), len(_BOUNDS_S))
        counts[at] += item.count_at_value_iterated_to
    return tuple(counts)
