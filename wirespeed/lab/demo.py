"""The main job on this machine: labs up, the seed suite against each DUT, a table, a report, labs down."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from wirespeed.errors import FileFault
from wirespeed.files import write_atomically
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.lab import Lab, choose_cpus
from wirespeed.lab.linux import LinuxLab, unavailable
from wirespeed.lab.suite import SEED_SUITE, Finding, SuiteTest, Timing, run_suite
from wirespeed.loadtest.run import Progress as Sampled
from wirespeed.report.render import render
from wirespeed.units import format_si

REPORT = "report.html"


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

    def __init__(self, console: Console, directory: Path, schedule: Schedule) -> None:
        self._console = console
        self._directory = directory
        self._schedule = schedule
        self._findings: list[Finding] = []
        self._cpus = choose_cpus()
        os.sched_setaffinity(0, self._cpus.control)

    def run_embedded(self) -> None:
        """The whole suite against our router."""
        prepare_directory(self._directory)
        what = f"generator on CPU {self._cpus.generator}, router on CPU {self._cpus.dut}, two memifs between them"
        self._run_lab(EmbeddedLab(self._cpus), SEED_SUITE, self._schedule.embedded, what)

    def run_linux(self) -> None:
        """The same against the kernel's forwarding, where this machine lets it; else one line says why not."""
        reason = unavailable()
        if reason is not None:
            self._console.print(f"Linux as a second router is left out: {reason}", style="yellow", highlight=False)
            return
        what = "the kernel forwards in a namespace, two veth pairs to the generator"
        self._run_lab(LinuxLab(self._cpus), self._schedule.linux_tests, self._schedule.linux, what)

    def keep_lab(self) -> None:
        """Bring the embedded lab up once more and leave it to the user until Ctrl-C."""
        lab = EmbeddedLab(self._cpus)
        try:
            lab.start()
            self._console.print(
                f"the lab is up: wirespeed ctl --socket {lab.control_socket} show interface; "
                f"wirespeed loadtest -s {lab.rpc} -p bench; Ctrl-C ends it",
                highlight=False,
                soft_wrap=True,
            )
            signal.pause()
        except KeyboardInterrupt:
            self._console.print("the lab is down", highlight=False)
        finally:
            lab.stop()

    def _run_lab(self, lab: Lab, tests: Sequence[SuiteTest], timing: Timing, what: str) -> None:
        self._console.print(f"[bold]{lab.name}[/bold]: {what}", highlight=False)
        try:
            lab.start()
            self._findings += self._watch(lab, tests, timing)
        finally:
            lab.stop()

    def _watch(self, lab: Lab, tests: Sequence[SuiteTest], timing: Timing) -> list[Finding]:
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
                received = sum(sampled.sample.ports[channel.rx].rx_pps for channel in sampled.plan.channels)
                rate = f"{format_si(received, 'pps')} received"
                progress.update(task, completed=done * test_s + sampled.step.end_s, rate=rate)

            return run_suite(lab, tests, timing, self._directory, on_start, on_sample)

    def print_table(self) -> None:
        """The articles' table: one for each direction, in it the routers side by side for each load."""
        for title, unidirectional in (
            ("Unidirectional", True),
            ("Bidirectional: both ways together, so the line is 200 %", False),
        ):
            self._console.print(f"\n[bold]{title}[/bold]", highlight=False)
            table = Table(box=box.SIMPLE_HEAD, padding=0)
            table.add_column("load test", min_width=14, no_wrap=True)
            table.add_column("router", min_width=9, no_wrap=True)
            for heading, width in (("received", 12), ("L1", 11), ("% line", 7), ("cyc/pkt", 7), ("vec/call", 8)):
                table.add_column(heading, justify="right", min_width=width, no_wrap=True)
            for test in SEED_SUITE:
                found = [finding for finding in self._findings if finding.test == test]
                if test.unidirectional == unidirectional:
                    for finding in found:
                        table.add_row(*_cells(finding, first=finding is found[0]))
            self._console.print(table)
        self._print_legend()

    def _print_legend(self) -> None:
        said = [
            "10 Gb/s line each way; received: the most over a second. Cycles a packet and vectors a call are the "
            "router's own, from its show runtime while the full load was held (256: it cannot keep up)."
        ]
        if any(finding.tester_limited for finding in self._findings):
            said.append("* The tester was the limit: the router forwards at least as much.")
        for line in said:
            self._console.print(line, highlight=False)

    def write_report(self) -> Path:
        """All results as one page; returns its path."""
        page = render(
            [finding.file for finding in self._findings],
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


def _cells(finding: Finding, first: bool) -> tuple[str, ...]:
    return (
        finding.test.label if first else "",
        finding.dut,
        format_si(finding.pps, "pps") + ("*" if finding.tester_limited else " "),
        format_si(finding.l1_bps, "bps"),
        f"{finding.line_percent:.1f} %",
        f"{finding.cycles_per_packet:.0f}" if finding.cycles_per_packet is not None else "",
        f"{finding.vectors_per_call:.1f}" if finding.vectors_per_call is not None else "",
    )
