"""The set-up for tests and pictures of dashboards: a lab with a load test and a soak, watched by the exporter and a
Prometheus.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from telemetry.rehearsal.server import Prometheus, prometheus
from wirespeed.bound_child import bound_to_parent
from wirespeed.errors import EnvironmentFault
from wirespeed.lab.embedded import SHALLOW_SLOTS, EmbeddedLab
from wirespeed.lab.running import running
from wirespeed.machine.placement import choose_cpus
from wirespeed.machine.ports import free_rpc_port
from wirespeed.router.client import ask

SCRAPED_EACH_S = 1.0
WINDOW_S = 4.0
"""Range of rates: Grafana's $__rate_interval at that time."""
LOAD_TEST, SOAK = "64b", "night"
"""Names of the tests: those of their files."""
LOST = 0.02
"""Share of packets that the router's second interface drops on purpose, so that dashboards show drops and losses."""

_DEADLINE_S = 60.0
_GROWS = f"increase(wirespeed_router_worker_loops_total[{WINDOW_S:g}s]) > 0"
_CONFIG = """\
global:
  scrape_interval: 1s
  scrape_timeout: 1s
  evaluation_interval: 1s
rule_files: [rules/*.yml]
scrape_configs:
  - job_name: wirespeed
    static_configs: [{targets: ["%s"]}]
"""


@dataclass(frozen=True)
class Stage:
    """The running set-up. `began_s` is its start in seconds since 1970."""

    lab: EmbeddedLab
    server: Prometheus
    directory: Path
    began_s: float

    def ask_router(self, command: str) -> str:
        return ask(self.lab.control_socket, command)

    def load_test(self, warmup_s: float, ramp_s: float, hold_s: float, load: str) -> None:
        words = ["-p", "bench", "-t", "size=64,vm=var2", "-wm", "1kpps", "-wd", str(warmup_s), "-rd", str(ramp_s)]
        words += [
            "-hd",
            str(hold_s),
            "-rt",
            load,
            "--latency",
            "1kpps",
            "-o",
            str(self.directory / f"{LOAD_TEST}.json"),
        ]
        self._run("loadtest", *words)

    def soak(self, seconds: float, load: str) -> None:
        words = [
            "--load",
            load,
            "-t",
            "size=64",
            "--duration",
            str(seconds),
            "-o",
            str(self.directory / f"{SOAK}.json"),
        ]
        self._run("soak", *words)

    def wait_for(self, condition: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + _DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline, f"{what}: not within {_DEADLINE_S:g} s"
            time.sleep(0.1)

    def _run(self, word: str, *arguments: str) -> None:
        command = [sys.executable, "-m", "wirespeed", word, "-s", self.lab.rpc, "-q"]
        command += ["--dut", f"router:{self.lab.control_socket}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@contextmanager
def stage(rules: Sequence[Path] = ()) -> Iterator[Stage]:
    """The set-up with these rule files; it is stopped at the end, also after an error."""
    with (
        tempfile.TemporaryDirectory(prefix="wirespeed-stage-") as name,
        running(EmbeddedLab(choose_cpus(), ring_slots=SHALLOW_SLOTS)) as lab,
    ):
        directory = Path(name)
        ask(lab.control_socket, f"set interface impairment e1 loss {LOST} seed 7")
        listen = f"127.0.0.1:{free_rpc_port()}"
        files = [directory / f"{test}.json" for test in (LOAD_TEST, SOAK)]
        with _exporter(listen, lab, files), prometheus(_CONFIG % listen, rules) as server:
            made = Stage(lab, server, directory, time.time())
            made.wait_for(lambda: server.query(_GROWS), "two scrapes that tell two answers of the router")
            yield replace(made, began_s=time.time())


@contextmanager
def _exporter(listen: str, lab: EmbeddedLab, files: Sequence[Path]) -> Iterator[None]:
    command = [sys.executable, "-m", "wirespeed", "exporter", "--listen", listen]
    command += ["--router", str(lab.control_socket), "--generator", lab.rpc, "--dut", "here=linux:local"]
    for file in files:
        command += ["--result", str(file)]
    bound = bound_to_parent(os.sched_getaffinity(0), signal.SIGTERM)
    with subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=bound) as exporter:  # noqa: PLW1509 - as in machine.child
        try:
            assert exporter.stdout is not None
            if not exporter.stdout.readline().startswith(b"http"):
                raise EnvironmentFault(f"the exporter did not start at {listen}")
            yield
        finally:
            exporter.terminate()
