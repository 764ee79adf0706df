#!/usr/bin/env python3
"""Run the tests stage by stage, each stage even if an earlier one failed, and sum up at the end.

  tools/run-tests.py test     what `make test` runs
  tools/run-tests.py rest     what only `make test-all` runs
  tools/run-tests.py all      both

The summary has a line for each stage with its counts and its time, and names every test that failed or was skipped.
Exit code: 0 if all passed, 1 if any failed or no test ran, 130 after Ctrl-C.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from harness.stages import REST, STAGES, TEST, Stage  # noqa: E402 - needs the path

NATIVE_TIERS = {TEST: "short", REST: "long"}
NATIVE_NAMES = {TEST: "C, with sanitizers", REST: "C, with sanitizers, each level"}
NATIVE_TREES = {TEST: "build-asan-best", REST: "build-asan-levels"}


@dataclass
class Outcome:
    """Counts of a stage; `failed` and `skipped` are lines that name a test and the reason."""

    name: str
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    took_s: float = 0.0


def main(words: Sequence[str]) -> int:
    tiers = {"test": (TEST,), "rest": (REST,), "all": (TEST, REST)}.get(" ".join(words))
    if tiers is None:
        print(f"{' '.join(words)!r} is not a tier of the tests; give test, rest or all", file=sys.stderr)
        return 2
    os.chdir(ROOT)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would compile pytest's plugins again
    outcomes: list[Outcome] = []
    begun = time.monotonic()
    code = 0
    # A shell starts background jobs with SIGINT ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="wirespeed-tests-") as folder:
        try:
            for tier in tiers:
                with compiling(tier) as end_compiling:
                    for place, stage in enumerate(stage for stage in STAGES if stage.tier == tier):
                        timed(stage.name, partial(pytest, stage, Path(folder) / "report.xml"), outcomes)
                        if place == 0:
                            end_compiling()
                            timed(NATIVE_NAMES[tier], partial(native, tier), outcomes)
        except KeyboardInterrupt:
            code = 130
    print_summary(outcomes, time.monotonic() - begun)
    ran = any(outcome.passed for outcome in outcomes)
    return code or int(not ran or any(outcome.failed for outcome in outcomes))


def timed(name: str, run: Callable[[Outcome], None], outcomes: list[Outcome]) -> None:
    print(f"\n== {name}", flush=True)
    outcome = Outcome(name)
    outcomes.append(outcome)
    begun = time.monotonic()
    try:
        run(outcome)
    except KeyboardInterrupt:
        outcome.failed.append(f"{name}: interrupted")
        raise
    finally:
        outcome.took_s = time.monotonic() - begun


@contextmanager
def compiling(tier: str) -> Iterator[Callable[[], None]]:
    """Compile for later stages during the first one, at low priority. The function that is yielded ends this compiler:
    the next stage compiles the rest at normal priority, since a loaded machine may give low priority no CPU time."""
    steps = [["tools/test-native.sh", NATIVE_TIERS[tier], "build"]]
    if next((ROOT / "tests/unit/__pycache__").glob("*-pytest-*.pyc"), None) is None:
        # Bytecode of the tests. Otherwise all processes of a stage compile the same files at once.
        steps.insert(0, [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests/unit", "tests/services"])
    with subprocess.Popen(
        ["nice", "-n", "19", "sh", "-c", "; ".join(map(shlex.join, steps))],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    ) as process:

        def end() -> None:
            if process.poll() is not None:
                return
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
                # The compiler driver outlives the shell, since it removes incomplete objects.
                for _ in range(100):
                    os.killpg(process.pid, 0)
                    time.sleep(0.05)

        try:
            yield end
        finally:
            end()


def native(tier: str, outcome: Outcome) -> None:
    log = ROOT / NATIVE_TREES[tier] / "meson-logs/testlog.json"
    log.unlink(missing_ok=True)
    code = call(["tools/test-native.sh", NATIVE_TIERS[tier]])
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    for row in rows:
        name, result = row["name"], row["result"]
        if result in ("OK", "EXPECTEDFAIL"):
            outcome.passed += 1
        elif result == "SKIP":
            outcome.skipped.append(f"C: {name}")
        else:
            outcome.failed.append(f"C: {name}: {result}")
    # If the tier has no C tests, meson writes no log and ends with 0.
    if code and not outcome.failed:
        outcome.failed.append(f"C: the build or the test runner ended with {code}")


def pytest(stage: Stage, report: Path, outcome: Outcome) -> None:
    report.unlink(missing_ok=True)
    code = call([sys.executable, "-m", "pytest", *stage.arguments(), f"--junitxml={report}"])
    if report.exists():
        for case in ElementTree.parse(report).iter("testcase"):
            name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
            if (skip := case.find("skipped")) is not None and skip.get("type") == "pytest.xfail":
                outcome.passed += 1
            elif skip is not None:
                outcome.skipped.append(f"{name}: {skip.get('message')}")
            elif (fault := next(iter([*case.findall("failure"), *case.findall("error")]), None)) is not None:
                outcome.failed.append(f"{name}: {first_line(fault.get('message') or '')}")
            else:
                outcome.passed += 1
    # 5: the stage has no tests.
    if code not in (0, 5) and not outcome.failed:
        outcome.failed.append(f"{stage.name}: pytest ended with {code}")


def first_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)[:150]


def call(command: Sequence[str]) -> int:
    """Exit code of a command, run in a process group that ends with this process."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0) as process:
        try:
            return process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            raise


def print_summary(outcomes: Sequence[Outcome], took_s: float) -> None:
    print("\n== summary")
    for outcome in outcomes:
        words = {"failed": outcome.failed, "skipped": outcome.skipped}
        counts = [f"{outcome.passed} passed", *(f"{len(rows)} {word}" for word, rows in words.items() if rows)]
        print(f"{outcome.name:34} {', '.join(counts):34} {clock(outcome.took_s):>12}")
    print(f"{'all':69} {clock(took_s):>12}")
    for word in ("skipped", "failed"):
        lines = [line for outcome in outcomes for line in getattr(outcome, word)]
        if lines:
            print(f"\n{word}:")
            print("\n".join(f"  {line}" for line in lines))
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(len(outcome.failed) for outcome in outcomes)
    skipped = sum(len(outcome.skipped) for outcome in outcomes)
    print(f"\n{passed} passed, {failed} failed, {skipped} skipped", flush=True)


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
