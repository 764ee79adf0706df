"""A load test, search, RFC test or soak, by the file that it writes: its journal while it runs, the result after."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from hdrh.histogram import HdrHistogram

from wirespeed.errors import ConnectionFault
from wirespeed.explain.verdicts import verdict_of
from wirespeed.exporter.families import PHASES
from wirespeed.exporter.told import Buckets, Labels, TargetValues, buckets
from wirespeed.measurement.file import read_file
from wirespeed.measurement.followed import Summary
from wirespeed.measurement.registry import summary_of
from wirespeed.results.journal import is_being_written, journal_path
from wirespeed.results.verdict import LIMITS, Verdict

_BOUNDS_S = tuple(float(f"{step}e{power}") for power in range(-6, 0) for step in (1, 2, 5))
_Stamp: TypeAlias = tuple[int, int, int]


class RunTarget:
    """The test that writes `file`. A new test in the same file counts as another one."""

    kind = "test"

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self._file = file
        self._stamp: _Stamp | None = None
        self._summary = Summary("")
        self._verdict: Verdict | None = None
        self._most: dict[Labels, float] = {}
        self._began = 0

    def read(self) -> TargetValues:
        """ConnectionFault while there is no such test yet, FileFault for a file that is none."""
        values = TargetValues(began=self._began)
        path, runs = self._written()
        stamp = _stamp(path)
        if stamp != self._stamp:
            # Only what has changed is read anew: a journal is read whole.
            result = read_file(self._file if not runs else path)
            self._summary = summary_of(result)
            self._verdict = None if runs else verdict_of(result)
            if self._stamp is not None and stamp[0] != self._stamp[0] and runs:
                self._most, self._began = {}, self._began + 1
            self._stamp = stamp
        now, test = self._summary, self.name
        values.began = self._began
        values.add("loadtest_info", [((test, now.kind), 1)])
        values.add("test_running", [((test, now.kind), float(runs))])
        values.add("test_phase", [((test, phase), float(runs and phase == now.phase)) for phase in PHASES])
        if self._verdict is not None:
            _tell_verdict(values, test, self._verdict)
        values.add("loadtest_samples_total", [((test,), now.samples)])
        values.add("loadtest_line_ratio", [((test,), now.line)])
        for direction, row in now.packets.items():
            for counter, value in row.items():
                key = (counter, direction)
                # Packets that were first counted as lost and arrived later would look like a counter reset.
                self._most[key] = max(value, self._most.get(key, 0))
                values.add(f"loadtest_{counter}_packets_total", [((test, direction), self._most[key])])
        for direction, (average_s, max_s) in now.latency_s.items():
            values.add("loadtest_latency_average_seconds", [((test, direction), average_s)])
            values.add("loadtest_latency_max_seconds", [((test, direction), max_s)])
        for direction, (histograms, total_s) in now.spread.items():
            values.add_buckets("loadtest_latency_seconds", _spread((test, direction), histograms, total_s))
        return values

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


def _tell_verdict(values: TargetValues, test: str, verdict: Verdict) -> None:
    measured = [one for one in verdict.figures if one.rate_pps is not None]
    values.add("test_figure_pps", [((test, one.name), one.rate_pps or 0.0) for one in measured])
    lossy = [((test, one.name), one.loss_ratio) for one in measured if one.loss_ratio is not None]
    values.add("test_figure_loss_ratio", lossy)
    values.add("test_limited_by", [((test, limit), float(limit == verdict.limited_by)) for limit in LIMITS])


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError as error:
        raise ConnectionFault(f"{path} is no longer readable: {error.strerror}") from None
    return found.st_ino, found.st_size, found.st_mtime_ns


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
