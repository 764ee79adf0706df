"""Cost of a scrape: python bench/exporter.py [--interfaces N] [--workers N] [--rounds N]

The target is a generated statistics segment with N interfaces, each with an output and a transmit node, and N workers;
all counters are in use. For each value of the exporter's `--nodes`, prints the CPU time of a text answer, and the CPU
and wall-clock time of a scrape over HTTP, alone and beside a target that hangs.

With --while-loaded the embedded lab holds a load instead, by turns unwatched and watched: the generator's statistics
read at 10 Hz, the router's at 1 Hz, the exporter scraped each second. Prints sent, late, refused and lost packets.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "unit"))

from prometheus_client import generate_latest
from segment_bytes import Row, Segment

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.exporter.exposition import Listening, Targets, served
from wirespeed.exporter.generator import GeneratorTarget
from wirespeed.exporter.router import By, RouterTarget
from wirespeed.exporter.target import Target
from wirespeed.exporter.text import MetricsText
from wirespeed.exporter.told import TargetValues
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.running import running
from wirespeed.machine.placement import choose_cpus
from wirespeed.router.client import ask
from wirespeed.statseg.layout import Type


def segment(interfaces: int, workers: int) -> bytes:
    names = ["local0", *(f"TenGigabitEthernet3/0/{index}" for index in range(interfaces))]
    nodes = [f"{name}-{end}" for name in names[1:] for end in ("output", "tx")]
    threads = range(workers + 1)
    simple = [[1_000_000_007 * (at + 1) for at in range(len(names))] for _ in threads]
    combined = [[(1_000_000_007 * (at + 1), 60) for at in range(len(names))] for _ in threads]
    of_nodes = [[0 if not thread else 1_000_000_007 + at for at in range(len(nodes))] for thread in threads]
    rows: list[Row] = [("/sys/boottime", Type.SCALAR, 1_700_000_000), ("/if/names", Type.NAMES, names)]
    rows += [(f"/if/{way}", Type.COMBINED, combined) for way in ("rx", "tx")]
    rows += [(f"/if/{what}", Type.SIMPLE, simple) for what in ("drops", "rx-miss", "rx-no-buf", "tx-error")]
    rows += [("/sys/node/names", Type.NAMES, nodes)]
    rows += [(f"/sys/node/{what}", Type.SIMPLE, of_nodes) for what in ("calls", "vectors", "clocks", "suspends")]
    return bytes(Segment(rows))


def scrapes(interfaces: int, workers: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "made.stats"
        path.write_bytes(segment(interfaces, workers))
        ways: tuple[By, ...] = ("none", "sum", "thread", "every")
        for nodes in ways:
            _scrapes(path, nodes, rounds)


class Hanging:
    """A target that never answers."""

    name, kind = "hanging", "metrics"

    def read(self) -> TargetValues:
        threading.Event().wait()
        raise AssertionError


def _scrapes(path: Path, nodes: By, rounds: int) -> None:
    answers = []
    target = RouterTarget("made", path, None, nodes)
    for _ in range(rounds + 1):
        before_s = _cpu_s()
        text = MetricsText(target.read()).blocks("text/plain", generate_latest)
        answers.append(_cpu_s() - before_s)
    series = sum(block.samples.count(b"\n") for block in text)
    answer = statistics.median(answers[1:]) * 1e3
    print(f"--nodes {nodes:<6} {series:>6} series  answer {answer:7.1f} ms CPU", end="")
    asked: dict[str, list[Target]] = {"scrape": [target], "beside one that hangs": [target, Hanging()]}
    for what, targets in asked.items():
        with served(Targets(targets, 60), Listening()) as port:
            while _get(port).count(b"wirespeed_router") < series:
                time.sleep(0.1)
            taken = [_timed(port) for _ in range(rounds)]
        cpu_ms, wall_ms = (statistics.median(one[at] for one in taken) * 1e3 for at in range(2))
        print(f"  {what} {cpu_ms:.1f} CPU, {wall_ms:.1f} ms", end="")
    print(flush=True)


def _timed(port: int) -> tuple[float, float]:
    """CPU seconds of a scrape (of client, exporter and target, which are threads of this process), and its seconds."""
    before_s, began_s = _cpu_s(), time.perf_counter()
    _get(port)
    return _cpu_s() - before_s, time.perf_counter() - began_s


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _get(port: int) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        return bytes(answer.read())


def loaded(seconds: float, load: str) -> None:
    with running(EmbeddedLab(choose_cpus())) as lab:
        for watched in (False, True, False, True):
            with _watchers(lab) if watched else _nobody():
                print(f"{'watched' if watched else 'alone':<8} {_held(lab, seconds, load)}", flush=True)


@contextmanager
def _nobody() -> Iterator[None]:
    yield


@contextmanager
def _watchers(lab: EmbeddedLab) -> Iterator[None]:
    stop = threading.Event()
    targets = Targets(
        [
            RouterTarget("dut", lab.control_socket.with_suffix(".stats"), lab.control_socket),
            GeneratorTarget("tester", lab.rpc, 2.0),
        ],
        2.0,
    )
    with served(targets, Listening()) as port, GeneratorClient(lab.rpc) as client:
        client.connect()

        def each(interval_s: float, do: object) -> threading.Thread:
            def run() -> None:
                while not stop.wait(interval_s):
                    do()  # type: ignore[operator]

            thread = threading.Thread(target=run, daemon=True)
            thread.start()
            return thread

        watching = [
            each(0.1, lambda: client.snapshot((0, 1))),
            each(1.0, lambda: ask(lab.control_socket, "show runtime")),
            each(1.0, lambda: _get(port)),
        ]
        try:
            yield
        finally:
            stop.set()
            for thread in watching:
                thread.join()


def _held(lab: EmbeddedLab, seconds: float, load: str) -> str:
    import json  # noqa: PLC0415
    import subprocess  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as name:
        result = Path(name) / "hold.json"
        words = ["loadtest", "-q", "-s", lab.rpc, "-p", "bench", "-t", "size=64,vm=var2", "-wd", "1", "-rd", "1"]
        words += ["-hd", str(seconds), "-rt", load, "-o", str(result)]
        subprocess.run([sys.executable, "-m", "wirespeed", *words], check=True)
        document = json.loads(result.read_text())
    samples = [one for one in document["stats"].values() if one["phase"] == "hold"]
    first, last = samples[0], samples[-1]

    def grown(key: str, ports: str = "01") -> int:
        return sum(int(last[port].get(key, 0)) - int(first[port].get(key, 0)) for port in ports)

    sent, back = grown("opackets"), grown("ipackets")
    return f"sent {sent:>12,}  late {grown('late'):>9,}  refused {grown('refused'):>9,}  lost {sent - back:>9,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interfaces", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--while-loaded", metavar="LOAD", help="such as 1mpps or 30%%")
    parser.add_argument("--seconds", type=float, default=30.0)
    given = parser.parse_args()
    if given.while_loaded:
        loaded(given.seconds, given.while_loaded)
    else:
        scrapes(given.interfaces, given.workers, given.rounds)


if __name__ == "__main__":
    main()
