"""The standard load tests that every router of this machine runs, and what one of them found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, cast

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.demo.burden import Burden, Commanded, burdened
from wirespeed.errors import FileFault, WirespeedError
from wirespeed.lab.lab import Lab
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import write_file
from wirespeed.measurement.loadtest.plan import LoadPlan
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.loadtest.run import LoadTestProgress, run_loadtest
from wirespeed.measurement.search.goals import PRESETS, goals_of
from wirespeed.measurement.search.plan import SearchPlan
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.search.run import run_search
from wirespeed.model import PLAIN_MTU
from wirespeed.results.channel import Channel
from wirespeed.results.ending import COMPLETE, INTERRUPTED, raise_for
from wirespeed.results.journal import Journal, is_being_written, journal_path
from wirespeed.results.recorder import JournalRecorder
from wirespeed.results.sample_json import sample_to_json
from wirespeed.trial.directions import pair_directions
from wirespeed.trial.links import wait_for_links
from wirespeed.trial.plan import MeasurementPlan
from wirespeed.units import FCS_BYTES, MAX_FRAME_BYTES, Rate

APlan = TypeVar("APlan", bound=MeasurementPlan)
SEARCH_SUFFIX = "-search.json"
SEARCH_LIMIT_S = 90.0

_ETHERNET_BYTES = 14


@dataclass(frozen=True)
class SuiteTest:
    """One row of the articles' table."""

    label: str
    profile: str
    tunables: dict[str, str]
    unidirectional: bool
    burden: Burden | None = None

    @property
    def name(self) -> str:
        return f"{'uni' if self.unidirectional else 'bi'}directional {self.label}"

    @property
    def directions(self) -> tuple[Channel, ...]:
        return pair_directions(only="0-1" if self.unidirectional else "both")

    @property
    def file_stem(self) -> str:
        return self.name.replace(" ", "-").replace("directional", "dir").lower()


@dataclass(frozen=True)
class Timing:
    """Duration and sample interval of a suite's tests, in seconds."""

    warmup_s: float
    ramp_s: float
    hold_s: float
    interval_s: float


_LOADS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("1514b", "bench", {"size": "1514", "vm": "var2"}),
    ("imix", "bench", {"size": "imix", "vm": "var2"}),
    ("64b many flows", "bench", {"size": "64", "vm": "var2"}),
    ("64b one flow", "bench", {"size": "64"}),
    ("64b MPLS", "mpls", {"size": "64"}),
)
_ACL = Burden("ACL of 1 000 rules", rules=1000)
_ACL_AND_TABLE = Burden("ACL of 1 000 rules, 900 000 routes", rules=1000, routes="internet:900000")
BURDENED = (
    *(SuiteTest("64b ACL", "bench", {"size": "64", "vm": "var2"}, way, _ACL) for way in (True, False)),
    SuiteTest(
        "64b ACL+routes", "bench", {"size": "64", "vm": "var1", "prefixes": "internet:900000"}, False, _ACL_AND_TABLE
    ),
)
"""Tests in which the router is the limit on two CPUs: only a router that takes command lines can run them."""

STANDARD_SUITE = tuple(SuiteTest(*load, unidirectional) for unidirectional in (True, False) for load in _LOADS)


def suite_for(mtu: int) -> tuple[SuiteTest, ...]:
    """The standard suite, and before it the longest frames where the lab carries longer ones than those in it. Pure."""
    if mtu <= PLAIN_MTU:
        return STANDARD_SUITE
    size = jumbo_size(mtu)
    jumbo = SuiteTest(f"{size}b", "bench", {"size": str(size), "vm": "var2"}, unidirectional=True)
    return (jumbo, replace(jumbo, unidirectional=False), *STANDARD_SUITE)


def jumbo_size(mtu: int) -> int:
    """The frame with FCS whose packet fills the MTU, or the longest one of the bench profile. Pure."""
    return min(mtu + _ETHERNET_BYTES + FCS_BYTES, MAX_FRAME_BYTES)


@dataclass(frozen=True)
class DemoResult:
    """A test that ended, and its result in `file`: what the verdict is on.

    Cycles and vectors are the DUT's own while the full load was held; None where it does not tell. `search` is the
    search for NDR and PDR that followed, if it was asked for.
    """

    test: SuiteTest
    dut: str
    cycles_per_packet: float | None
    vectors_per_call: float | None
    file: Path
    search: SearchResult | None = None


@dataclass(frozen=True)
class DemoFailure:
    """A test without a figure, and the reason; `file` has the samples so far, None without any."""

    test: SuiteTest
    dut: str
    error: WirespeedError
    file: Path | None


def run_suite(
    lab: Lab,
    tests: Sequence[SuiteTest],
    timing: Timing,
    directory: Path,
    on_start: Callable[[SuiteTest], None],
    on_sample: Callable[[LoadTestProgress], None],
    on_failure: Callable[[DemoFailure], None],
    search: bool = False,
) -> list[DemoResult | DemoFailure]:
    """Run `tests` one after another in a running lab; each writes its result file to `directory`, with `search` also
    that of a quick search for NDR and PDR.

    A failed test is reported at once, and the next one runs. KeyboardInterrupt ends the suite.
    """
    findings: list[DemoResult | DemoFailure] = []
    for test in tests:
        on_start(test)
        path = directory / f"{file_stem(lab)}-{test.file_stem}.json"
        result: Result | None = None
        try:
            with burdened(cast("Commanded", lab), test.burden, is_last=test is tests[-1]):
                result = _run_test(lab, test, timing, path, on_sample)
                raise_for(result.ending)
                found_by_search = _search(lab, test, search_file(path)) if search else None
        except WirespeedError as error:
            kept = path if result is not None and result.samples and not isinstance(error, FileFault) else None
            failure = DemoFailure(test, dut_name(lab, test), error, kept)
            on_failure(failure)
            findings.append(failure)
            continue
        if result.ending.status != COMPLETE:
            raise KeyboardInterrupt
        findings.append(replace(finding(test, dut_name(lab, test), result, path), search=found_by_search))
    return findings


def file_stem(lab: Lab) -> str:
    """Prefix of the names of a lab's result files: `wirespeed-memif`."""
    return lab.name.lower().replace(" over ", "-").replace(" ", "-")


def dut_name(lab: Lab, test: SuiteTest) -> str:
    """The router with its port type and additional work, which make it another device under test."""
    return lab.name if test.burden is None else f"{lab.name}, {test.burden.name}"


def search_file(file: Path) -> Path:
    """Result file of the search that follows the test with this result file."""
    return file.with_name(f"{file.stem}{SEARCH_SUFFIX}")


def _run_test(
    lab: Lab, test: SuiteTest, timing: Timing, path: Path, on_sample: Callable[[LoadTestProgress], None]
) -> Result:
    """One test; its result is in `path` then, if it has any samples."""
    plan = LoadPlan(
        profile=test.profile,
        tunables=test.tunables,
        warmup_rate=Rate(10_000, "pps"),
        warmup_s=timing.warmup_s,
        ramp_s=timing.ramp_s,
        hold_s=timing.hold_s,
        interval_s=timing.interval_s,
    )
    with _client(lab) as client, _journal(path) as journal:
        recorder = None if journal is None else JournalRecorder(journal, sample_to_json)
        execution = Execution(client, lab.dut, on_sample, recorder=recorder)
        result = run_loadtest(_placed(plan, lab, test, path), execution)
        if not result.is_empty:
            write_file(result, path)
    return result


def _placed(plan: APlan, lab: Lab, test: SuiteTest, path: Path) -> APlan:
    """The plan of `test` in `lab`, whose result goes to `path`."""
    return replace(
        plan,
        directions=test.directions,
        name=path.stem,
        group=test.label,
        output_file=path.name,
        lab=lab.facts,
        dut=replace(lab.dut.describe(), name=dut_name(lab, test)),
    )


@contextmanager
def _client(lab: Lab) -> Iterator[GeneratorClient]:
    """A client of its own, whatever became of the test before, with the links of all ports up."""
    with GeneratorClient(lab.rpc) as client:
        client.connect()
        wait_for_links(client)
        yield client


@contextmanager
def _journal(path: Path) -> Iterator[Journal | None]:
    """Journal by which the test at `path` is followed while it runs. It is not kept: a test that did not end is run
    again. None if another suite that runs in the same folder writes it."""
    place = journal_path(path)
    if place.is_file() and is_being_written(place):
        yield None
        return
    place.unlink(missing_ok=True)
    journal = Journal(place)
    try:
        yield journal
    finally:
        journal.remove()


def _search(lab: Lab, test: SuiteTest, path: Path) -> SearchResult:
    """Load that the DUT carries without loss, and with little loss; bounded in time, as a row of a table should be."""
    plan = SearchPlan(
        profile=test.profile,
        tunables=test.tunables,
        goals=goals_of([], "quick"),
        preset="quick",
        warmup_s=PRESETS["quick"].warmup_s,
        limit_s=SEARCH_LIMIT_S,
        robust=True,
    )
    with _client(lab) as client:
        result = run_search(_placed(plan, lab, test, path), Execution(client, lab.dut))
    if not result.is_empty:
        write_file(result, path)
    if result.ending.status == INTERRUPTED:
        raise KeyboardInterrupt
    return result


def finding(test: SuiteTest, dut: str, result: Result, path: Path) -> DemoResult:
    """The table's row from a complete result."""
    return DemoResult(
        test=test,
        dut=dut,
        cycles_per_packet=result.cost("cycles_per_packet"),
        vectors_per_call=result.cost("vectors_per_call"),
        file=path,
    )
