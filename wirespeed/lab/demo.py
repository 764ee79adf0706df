"""The main job on this machine: labs up, the seed suite against each DUT, a table, a report, labs down."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from wirespeed.errors import FileFault, WirespeedError
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.files import cases_of_results
from wirespeed.explain.text import sentence
from wirespeed.files import write_atomically
from wirespeed.held_signals import signals_held
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.lab import Lab, choose_cpus
from wirespeed.lab.linux import LinuxLab, unavailable
from wirespeed.lab.placement import limits
from wirespeed.lab.suite import (
    SEED_SUITE,
    Failure,
    Finding,
    SuiteTest,
    Timing,
    jumbo_size,
    run_suite,
    search_file,
    suite_for,
)
from wirespeed.loadtest.run import Progress as Sampled
from wirespeed.model import PLAIN_MTU
from wirespeed.report.render import render
from wirespeed.results.figures import bits_text, percent_text, rate_text
from wirespeed.results.file import read_file
from wirespeed.results.search import GoalOutcome
from wirespeed.units import format_si

if TYPE_CHECKING:
    from wirespeed.lab.vm_options import VmOptions

REPORT = "report.html"

_COLUMNS = (("received", 12), ("L1", 11), ("% line", 8), ("cyc/pkt", 7), ("vec/call", 8))
_MOST_REASONS = 3
_SEARCH_COLUMNS = (("received", 12), ("% line", 8), ("NDR", 13), ("PDR", 13))
"""Eighty columns hold no more."""


@dataclass(frozen=True)
class Schedule:
    """What a demo runs: how each lab's tests are timed, and which tests the Linux lab runs."""

    embedded: Timing
    linux: Timing
    linux_tests: tuple[SuiteTest, ...]


FULL = Schedule(
    embedded=Timing(warmup_s=0.5, ramp_s=7.5, hold_s=2.0, interval_s=0.25),
    linux=Timing(warmup_s=0.5, ramp_s=5.0, hold_s=1.5, interval_s=0.25),
    linux_tests=tuple(test for test in SEED_SUITE if test.profile in LinuxLab.profiles),
)
QUICK = Schedule(
    embedded=Timing(warmup_s=0.2, ramp_s=1.2, hold_s=0.4, interval_s=0.1),
    linux=Timing(warmup_s=0.2, ramp_s=0.8, hold_s=0.4, interval_s=0.1),
    linux_tests=tuple(test for test in SEED_SUITE if test.label == "64b one flow"),
)


def prepare_directory(directory: Path) -> None:
    """Make the output directory; FileFault when it cannot be written, before anything runs."""
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
        self, console: Console, directory: Path, schedule: Schedule, *, search: bool = False, mtu: int = PLAIN_MTU
    ) -> None:
        """With `search` a search for NDR and PDR follows each test. Above the plain MTU the longest frames that it
        lets through are tested too."""
        self._mtu = mtu
        self._suite = suite_for(mtu)
        self._console = console
        self._search = search
        self._directory = directory
        self._schedule = schedule
        self._findings: list[Finding | Failure] = []
        self._broken: list[WirespeedError] = []
        self._cpus = choose_cpus()
        os.sched_setaffinity(0, self._cpus.control)
        for line in limits(self._cpus):
            self._console.print(line, style="yellow", highlight=False)

    def run_embedded(self) -> None:
        """The whole suite against our router."""
        what = f"generator on CPU {self._cpus.generator}, router on CPU {self._cpus.dut}, two memifs between them"
        self._run_lab(EmbeddedLab(self._cpus, mtu=self._mtu), self._suite, self._schedule.embedded, what)

    def run_linux(self) -> None:
        """The same against the kernel's forwarding, where this machine lets it; else one line says why not."""
        reason = unavailable()
        if reason is not None:
            self._console.print(f"Linux as a second router is left out: {reason}", style="yellow", highlight=False)
            return
        what = "the kernel forwards in a namespace, two veth pairs to the generator"
        jumbo = tuple(test for test in self._suite if test not in SEED_SUITE)
        lab = LinuxLab(self._cpus, mtu=self._mtu)
        self._run_lab(lab, jumbo + self._schedule.linux_tests, self._schedule.linux, what)

    def run_vm(self, options: VmOptions) -> None:
        """The Linux tests against a virtual machine."""
        from wirespeed.lab.vm import VmLab  # noqa: PLC0415 - asyncssh and pydantic, needed by this lab alone

        lab = VmLab(self._cpus, options, lambda line: self._console.print(line, highlight=False, soft_wrap=True))
        what = "a virtual machine forwards, two vhost-user NICs to the generator"
        self._run_lab(lab, self._schedule.linux_tests, self._schedule.linux, what)

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

    def _run_lab(self, lab: Lab, tests: Sequence[SuiteTest], timing: Timing, what: str) -> None:
        try:
            self._console.print(f"[bold]{lab.name}[/bold]: {what}", highlight=False)
            lab.start()
            self._findings += self._watch(lab, tests, timing)
        except WirespeedError as error:  # of the lab: those of a test are in its row
            self._broken.append(error)
            self._console.print(f"{lab.name} is left out: {error}", style="red", highlight=False)
        finally:
            with signals_held():
                lab.stop()

    def _watch(self, lab: Lab, tests: Sequence[SuiteTest], timing: Timing) -> list[Finding | Failure]:
        """Run the tests behind one progress bar; where there is no terminal, a line a test."""
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
                rate = f"{format_si(received, 'pps')} received"
                progress.update(task, completed=done * test_s + sampled.step.end_s, rate=rate)

            def on_failure(failure: Failure) -> None:
                self._console.print(f"{failure.test.name} failed: {failure.error}", style="red", highlight=False)

            return run_suite(lab, tests, timing, self._directory, on_start, on_sample, on_failure, self._search)

    def print_table(self) -> None:
        """The articles' table: one for each direction, in it the routers side by side for each load."""
        if not self._findings:
            return
        for title, table in tables(self._suite, self._findings, search=self._search):
            self._console.print(f"\n[bold]{title}[/bold]", highlight=False)
            self._console.print(table)
        self._print_legend()
        for failure in self._failures:
            where = f"{failure.test.name} through {failure.dut}"
            self._console.print(f"{where}: {failure.error}", style="red", highlight=False)

    @property
    def _failures(self) -> list[Failure]:
        return [found for found in self._findings if isinstance(found, Failure)]

    def raise_first_failure(self) -> None:
        """Raise what went wrong first, if anything did: the error that the demo is to end with."""
        errors = [*self._broken, *(failure.error for failure in self._failures)]
        if errors:
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise type(errors[0])(f"{errors[0]}{more}")

    def _print_legend(self) -> None:
        said = ["10 Gb/s line each way; received: the most over a second."]
        if self._search:
            said.append(
                "NDR and PDR: the most of each direction of which nothing was lost, and at most 0.5 % (quick preset). "
                "≥: the tester, the machine or the line ends there; ?: irregular."
            )
        else:
            said[0] += (
                " Cycles a packet and vectors a call are the router's own counters while the full load was held (256: "
                "it cannot keep up)."
            )
        if any(found.tester_limited for found in self._findings if isinstance(found, Finding)):
            said.append("* The tester was the limit: the router forwards at least as much.")
        for line in said:
            self._console.print(line, highlight=False)

    def print_reasons(self) -> None:
        """The surest sentences about what limited which test, one a cause."""
        results = [read_file(finding.file) for finding in self._findings if finding.file is not None]
        found = sorted(
            (one for one in map(explain, cases_of_results(results)) if one.verdict is not None),
            key=lambda one: -one.named[0].confidence,
        )
        for one in list({each.cause: each for each in reversed(found)}.values())[::-1][:_MOST_REASONS]:
            self._console.print(f"{one.case.load.name}: {sentence(one)}", highlight=False, markup=False)

    def write_report(self) -> Path | None:
        """All results as one page; returns its path, None when nothing was measured."""
        files = [finding.file for finding in self._findings if finding.file is not None]
        found = [finding for finding in self._findings if isinstance(finding, Finding)]
        files += [search_file(finding.file) for finding in found if finding.search is not None]
        if not files:
            return None
        page = render(
            files,
            title="wirespeed demo: the seed articles' load tests",
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
    suite: Sequence[SuiteTest], findings: Sequence[Finding | Failure], *, search: bool = False
) -> Iterator[tuple[str, Table]]:
    """One table of `findings` for each direction, with its title; with `search` the bounds found are in it."""
    columns = _SEARCH_COLUMNS if search else _COLUMNS
    for title, unidirectional in (
        ("Unidirectional", True),
        ("Bidirectional: both ways together, so the line is 200 %", False),
    ):
        table = Table(box=box.SIMPLE_HEAD, padding=0)
        table.add_column("load test", min_width=14, no_wrap=True)
        table.add_column("router", min_width=9, no_wrap=True)
        for heading, width in columns:
            table.add_column(heading, justify="right", min_width=width, no_wrap=True)
        for test in suite:
            if test.unidirectional == unidirectional:
                found = [finding for finding in findings if finding.test == test]
                for finding in found:
                    table.add_row(*_cells(finding, finding is found[0], columns))
        yield title, table


def _cells(finding: Finding | Failure, first: bool, columns: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    name = finding.test.label if first else ""
    if isinstance(finding, Failure):
        return (name, finding.dut, "failed")
    found = {} if finding.search is None else {one.goal.name.upper(): _bound(one) for one in finding.search.goals}
    cells = {
        "received": rate_text(finding.pps) + ("*" if finding.tester_limited else " "),
        "L1": bits_text(finding.l1_bps),
        "% line": f"{percent_text(finding.line_percent)} %",
        "cyc/pkt": f"{finding.cycles_per_packet:.0f}" if finding.cycles_per_packet is not None else "",
        "vec/call": f"{finding.vectors_per_call:.1f}" if finding.vectors_per_call is not None else "",
        **found,
    }
    return (name, finding.dut, *(cells[heading] for heading, _ in columns))


def _bound(outcome: GoalOutcome) -> str:
    if outcome.lower_pps is None:
        return "none"
    text = rate_text(outcome.lower_pps)
    if outcome.limit in ("tester", "machine", "line"):
        return f"≥ {text}"
    return f"{text}?" if outcome.irregular else text
