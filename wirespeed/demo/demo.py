"""The main job on this machine: labs up, the standard suite against each DUT, a table, a report, labs down."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from wirespeed.cpus import settled
from wirespeed.demo.suite import (
    BURDENED,
    STANDARD_SUITE,
    DemoFailure,
    DemoResult,
    SuiteTest,
    Timing,
    jumbo_size,
    run_suite,
    search_file,
    suite_for,
)
from wirespeed.dut.setup import FilterOptions
from wirespeed.errors import EnvironmentFault, FileFault, WirespeedError
from wirespeed.explain.worth import worth_line
from wirespeed.files import write_atomically
from wirespeed.held_signals import signals_held
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.lab import Lab
from wirespeed.lab.linux import LinuxLab, unavailable
from wirespeed.lab.veth import VethLab
from wirespeed.machine.placement import choose_cpus, limits
from wirespeed.measurement.loadtest.run import LoadTestProgress as Sampled
from wirespeed.model import PLAIN_MTU
from wirespeed.report.comparison import compare, distinct_names, read_all
from wirespeed.report.render import render
from wirespeed.results.figures import rate_text
from wirespeed.results.verdict import LIMIT_WORDS, Verdict

if TYPE_CHECKING:
    from wirespeed.lab.vm_options import VmOptions

REPORT = "report.html"

_COLUMNS = ("forwarded", "share", "at full load", "lost", "limit")
_SEARCH_COLUMNS = ("forwarded", "share", "limit", "NDR", "PDR")
_WIDTHS = {"forwarded": 16, "share": 9, "at full load": 10, "lost": 5, "limit": 7, "NDR": 13, "PDR": 13}
_WIDE = 120
"""Eighty columns hold no more: longer cells are broken into lines; from so many on there is room."""
_MOST_REASONS = 5


@dataclass(frozen=True)
class DemoSchedule:
    """Schedule of a demo: durations of each lab's tests, the tests of routers over veth, and the tests in which the
    router has additional work."""

    embedded: Timing
    linux: Timing
    veth_tests: tuple[SuiteTest, ...]
    burdened: tuple[SuiteTest, ...]


FULL = DemoSchedule(
    embedded=Timing(warmup_s=0.5, ramp_s=7.5, hold_s=2.0, interval_s=0.25),
    linux=Timing(warmup_s=0.5, ramp_s=5.0, hold_s=1.5, interval_s=0.25),
    veth_tests=tuple(test for test in STANDARD_SUITE if test.profile in LinuxLab.profiles),
    burdened=BURDENED,
)
QUICK = DemoSchedule(
    embedded=Timing(warmup_s=0.1, ramp_s=0.8, hold_s=0.32, interval_s=0.08),
    linux=Timing(warmup_s=0.1, ramp_s=0.64, hold_s=0.32, interval_s=0.08),
    veth_tests=tuple(test for test in STANDARD_SUITE if test.label == "64b one flow"),
    burdened=tuple(test for test in BURDENED if test.burden is not None and not test.burden.routes),
)


def prepare_directory(directory: Path) -> None:
    """Make the output directory; FileFault when it cannot be written, before anything runs."""
    if directory.exists() and not directory.is_dir():
        raise FileFault(f"output directory {directory} is a file; give a folder with --out")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = directory / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise FileFault(
            f"output directory {directory} cannot be written: {error.strerror}; give another with --out"
        ) from None


class Demo:
    """Runs the schedule and prints as it goes."""

    def __init__(
        self, console: Console, directory: Path, schedule: DemoSchedule, *, search: bool = False, mtu: int = PLAIN_MTU
    ) -> None:
        """With `search` a search for NDR and PDR follows each test. Above the plain MTU the longest frames that it
        lets through are tested too."""
        self._mtu = mtu
        self._suite = (*suite_for(mtu), *schedule.burdened)
        self._console = console
        self._search = search
        self._directory = directory
        self._schedule = schedule
        self._findings: list[DemoResult | DemoFailure] = []
        self._broken: list[WirespeedError] = []
        self._cpus = choose_cpus()
        for line in limits(self._cpus):
            self._console.print(line, style="yellow", highlight=False)

    def settled(self) -> AbstractContextManager[None]:
        """Keep this thread off the CPUs of tester and DUT within the block."""
        return settled(self._cpus.control)

    def run_embedded(self) -> None:
        """The whole suite against our router."""
        what = f"generator on CPU {self._cpus.generator}, router on CPU {self._cpus.dut}, two memifs between them"
        self._run_lab(EmbeddedLab(self._cpus, mtu=self._mtu), self._suite, self._schedule.embedded, what)

    def run_veth(self) -> None:
        """The wirespeed router and the kernel over the same link, or one line with the reason why not."""
        reason = unavailable()
        if reason is not None:
            self._console.print(f"The routers over veth are left out: {reason}", style="yellow", highlight=False)
            return
        jumbo = tuple(test for test in suite_for(self._mtu) if test not in STANDARD_SUITE)
        tests = jumbo + self._schedule.veth_tests
        own = "wirespeed's router, two veth pairs to the generator"
        self._run_lab(VethLab(self._cpus, mtu=self._mtu), tests, self._schedule.linux, own)
        kernel = "the kernel forwards in a namespace, two veth pairs to the generator"
        self._run_lab(LinuxLab(self._cpus, mtu=self._mtu), tests, self._schedule.linux, kernel)
        # NAT has no way back for flows that the other side begins.
        tests = tuple(
            test for test in self._schedule.veth_tests if test.label.startswith("64b") and test.unidirectional
        )
        nat = LinuxLab(self._cpus, mtu=self._mtu, filter=FilterOptions("nat"))
        self._run_lab(nat, tests, self._schedule.linux, "the same with NAT (nftables)", may_lack=True)

    def run_vm(self, options: VmOptions) -> None:
        """The Linux tests against a virtual machine."""
        from wirespeed.lab.vm import VmLab  # noqa: PLC0415 - asyncssh and pydantic, needed by this lab alone

        lab = VmLab(self._cpus, options, lambda line: self._console.print(line, highlight=False, soft_wrap=True))
        what = "a virtual machine forwards, two vhost-user NICs to the generator"
        self._run_lab(lab, self._schedule.veth_tests, self._schedule.linux, what)

    def keep_lab(self) -> None:
        """Bring the embedded lab up once more and leave it to the user until Ctrl-C."""
        lab = EmbeddedLab(self._cpus, mtu=self._mtu)
        tunables = f" -t size={jumbo_size(self._mtu)},vm=var2" if self._mtu > PLAIN_MTU else ""
        try:
            lab.start()
            self._console.print(
                f"the lab is up: wirespeed ctl --socket {lab.control_socket} show interface; "
                f"wirespeed loadtest -s {lab.rpc} -p bench{tunables}; Ctrl-C ends it",
                highlight=False,
                soft_wrap=True,
            )
            signal.pause()
        except KeyboardInterrupt:
            self._console.print("the lab is down", highlight=False)
        finally:
            with signals_held():
                lab.stop()

    def _run_lab(
        self, lab: Lab, tests: Sequence[SuiteTest], timing: Timing, what: str, *, may_lack: bool = False
    ) -> None:
        """With `may_lack` the demo does not fail on a machine that cannot have the lab."""
        try:
            self._console.print(f"[bold]{lab.name}[/bold]: {what}", highlight=False)
            try:
                lab.start()
            except EnvironmentFault as error:
                if not may_lack:
                    raise
                self._console.print(f"{lab.name} is left out: {error}", style="yellow", highlight=False)
                return
            self._findings += self._watch(lab, tests, timing)
        except WirespeedError as error:  # of the lab: those of a test are in its row
            self._broken.append(error)
            self._console.print(f"{lab.name} is left out: {error}", style="red", highlight=False)
        finally:
            with signals_held():
                lab.stop()

    def _watch(self, lab: Lab, tests: Sequence[SuiteTest], timing: Timing) -> list[DemoResult | DemoFailure]:
        """Run the tests with a progress bar; without a terminal, with one line per test."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        test_s = timing.warmup_s + timing.ramp_s + timing.hold_s
        live = self._console.is_terminal
        with Progress(*columns, console=self._console, transient=True, disable=not live) as progress:
            task = progress.add_task("", total=len(tests) * test_s, rate="")
            done = -1

            def on_start(test: SuiteTest) -> None:
                nonlocal done
                done += 1
                progress.update(task, description=f"{done + 1}/{len(tests)} {test.name}")
                if not live:
                    self._console.print(f"{done + 1}/{len(tests)} {test.name}", highlight=False)

            def on_sample(sampled: Sampled) -> None:
                received = sum(found[-1].received_pps for found in sampled.points.values())
                rate = f"{rate_text(received)} received"
                progress.update(task, completed=done * test_s + sampled.step.end_s, rate=rate)

            def on_failure(failure: DemoFailure) -> None:
                self._console.print(f"{failure.test.name} failed: {failure.error}", style="red", highlight=False)

            return run_suite(lab, tests, timing, self._directory, on_start, on_sample, on_failure, self._search)

    def print_table(self) -> None:
        """The articles' table: one for each direction, in it the routers side by side for each load."""
        if not self._findings:
            return
        columns: tuple[str, ...] = _SEARCH_COLUMNS if self._search else _COLUMNS
        widths = _WIDTHS
        if self._console.width >= _WIDE:
            columns, widths = (*columns, "cyc/pkt"), {}
        for title, table in tables(self._suite, self._findings, self._verdicts, columns, widths):
            self._console.print(f"\n[bold]{title}[/bold]", highlight=False)
            self._console.print(table)
        self._print_legend()
        for failure in self._failures:
            where = f"{failure.test.name} through {failure.dut}"
            self._console.print(f"{where}: {failure.error}", style="red", highlight=False)

    @cached_property
    def _files(self) -> list[Path]:
        """All that the report is made of."""
        files = [finding.file for finding in self._findings if finding.file is not None]
        found = [finding for finding in self._findings if isinstance(finding, DemoResult)]
        return files + [search_file(finding.file) for finding in found if finding.search is not None]

    @cached_property
    def _verdicts(self) -> dict[Path, Verdict]:
        """Verdicts as in the report."""
        verdicts = compare(read_all(self._files)).verdicts
        return dict(zip(self._files, (verdicts[name] for name in distinct_names(self._files)), strict=True))

    @property
    def _failures(self) -> list[DemoFailure]:
        return [found for found in self._findings if isinstance(found, DemoFailure)]

    def raise_first_failure(self) -> None:
        """Raise what went wrong first, if anything did: the error that the demo is to end with."""
        errors = [*self._broken, *(failure.error for failure in self._failures)]
        if errors:
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise type(errors[0])(f"{errors[0]}{more}")

    def _print_legend(self) -> None:
        said = ["Line rate: 10 Gb/s per direction. Forwarded: the mean of the highest load with at most 0.1 % loss."]
        if self._search:
            said.append("NDR and PDR: the highest loads with no loss and with at most 0.5 % loss (quick preset).")
        else:
            said.append("At full load: mean rate and loss while the highest load was held.")
        for line in said:
            self._console.print(line, highlight=False)

    def print_reasons(self) -> None:
        """Limits of the tests, the most certain sentence first, one per cause; and whether the run is usable."""
        tests = [self._verdicts[one.file] for one in self._findings if isinstance(one, DemoResult)]
        surest = sorted(tests, key=lambda one: -one.limit.confidence)
        kinds = {(one.limited_by, one.limit.cause): one for one in reversed(surest)}
        for one in list(kinds.values())[::-1][:_MOST_REASONS]:
            self._console.print(f"{one.name}: {one.sentence}", highlight=False, markup=False)
        self._console.print(worth_line(tests, len(self._cpus.topology.places)), highlight=False, markup=False)

    def write_report(self) -> Path | None:
        """All results as one page; returns its path, None when nothing was measured."""
        if not self._files:
            return None
        page = render(
            self._files,
            title="Standard load tests",
            date=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            threshold=0.001,
            scaler="1000000:M",
            only_channels=(),
            output_format="html",
        )
        path = self._directory / REPORT
        write_atomically(path, page.text, "report")
        return path


def tables(
    suite: Sequence[SuiteTest],
    findings: Sequence[DemoResult | DemoFailure],
    verdicts: Mapping[Path, Verdict],
    columns: Sequence[str] = _COLUMNS,
    widths: Mapping[str, int] = _WIDTHS,
) -> Iterator[tuple[str, Table]]:
    """One table of `findings` for each direction, with its title; `verdicts` are those of their files. A column is as
    wide as its cells where `widths` does not say."""
    for title, unidirectional in (("Unidirectional", True), ("Bidirectional: sum of both directions, 2 lines", False)):
        table = Table(box=box.SIMPLE_HEAD, padding=0)
        table.add_column("load test", min_width=14, no_wrap=True)
        table.add_column("DUT", width=10 if widths else None, overflow="fold")
        for heading in columns:
            table.add_column(heading, justify="right", width=widths.get(heading), overflow="fold")
        for test in suite:
            if test.unidirectional == unidirectional:
                found = [finding for finding in findings if finding.test == test]
                for finding in found:
                    table.add_row(*_cells(finding, verdicts, finding is found[0], columns))
        yield title, table


def _cells(
    finding: DemoResult | DemoFailure, verdicts: Mapping[Path, Verdict], first: bool, columns: Sequence[str]
) -> tuple[str, ...]:
    name = finding.test.label if first else ""
    if isinstance(finding, DemoFailure):
        return (name, finding.dut, "failed")
    verdict = verdicts[finding.file]
    full = verdict.full_load or verdict.figure
    goals = () if finding.search is None else verdicts[search_file(finding.file)].figures
    cells = {
        "forwarded": verdict.figure.text,
        "share": verdict.figure.share_text,
        "at full load": full.text,
        "lost": full.loss_text,
        "limit": LIMIT_WORDS[verdict.limited_by],
        "cyc/pkt": f"{finding.cycles_per_packet:.0f}" if finding.cycles_per_packet is not None else "",
        **{goal.name: goal.text for goal in goals},
    }
    return (name, finding.dut, *(cells.get(heading, "") for heading in columns))
