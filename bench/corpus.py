"""Costs of an archive of many results: adding, listing, filtering.

python -m bench.corpus [RESULTS] [--archive URL]   default: a new archive in a temporary folder

The results are copies of one result with other names and start times; each is parsed, judged and written like any
other. CPU seconds are those of all processes except a PostgreSQL server.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from wirespeed.corpus.index import Found
from wirespeed.corpus.opening import open_corpus
from wirespeed.corpus.words import parse_words

_ASKED = (
    "kind=loadtest",
    "dut=box7",
    "dut=box7 limit=tester",
    "load=*imix* build=c12*",
    "imix",
    "box39",
    "no-such-word",
    "tag=nightly rate>=1M",
)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("results", nargs="?", type=int, default=100_000)
    words.add_argument("--sample", type=Path, required=True, help="A load test's result file.")
    words.add_argument("--archive", default="")
    asked = words.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wirespeed-bench-corpus-"))
    try:
        _measure(asked.results, json.loads(asked.sample.read_bytes()), asked.archive or str(folder / "corpus"), folder)
    finally:
        shutil.rmtree(folder)


def _measure(count: int, sample: dict[str, Any], where: str, folder: Path) -> None:
    with open_corpus(where) as corpus:
        size = f"{count} results of {len(json.dumps(sample)) >> 10} KiB"
        spent = {"added": (0.0, 0.0), "added again": (0.0, 0.0)}
        for number, directory in enumerate(_written(count, sample, folder)):
            files = sorted(directory.iterdir())
            for what, (wall_s, used_s) in spent.items():
                began, before_s = time.monotonic(), sum(os.times()[:4])
                corpus.add(files, f"c{number:04d}", ("nightly",) if number % 2 else ())
                spent[what] = wall_s + time.monotonic() - began, used_s + sum(os.times()[:4]) - before_s
            shutil.rmtree(directory)
        for what, (wall_s, used_s) in spent.items():
            print(
                f"{size} {what} in {wall_s:.1f} s: {count / wall_s:.0f}/s, {1000 * used_s / count:.2f} ms of CPU each"
            )
        for text in ("", *_ASKED):
            conditions = parse_words(text.split())
            for name, ask in (("list", corpus.index.results), ("query", corpus.index.figures)):
                waited_s, used_s, total = _timed(partial(ask, conditions, most=50))
                print(f"{name:<6} {text or 'all':<28} {1e3 * waited_s:7.1f} ms, {1e3 * used_s:7.1f} of CPU: {total}")


def _written(count: int, sample: dict[str, Any], folder: Path) -> Iterator[Path]:
    """Folders of 1 000 results, which differ in DUT, frame size and start: the fields that queries filter by."""
    first = datetime(2020, 1, 1, tzinfo=UTC)
    for begin in range(0, count, 1000):
        directory = folder / "new"
        directory.mkdir()
        for number in range(begin, min(begin + 1000, count)):
            sample["dut"]["name"] = f"box{number % 40}"
            sample["vars"]["tunables"] = ("size=64", "size=imix", "size=1514")[number % 3]
            sample["outcome"]["started"] = (first + timedelta(minutes=20 * number)).isoformat(timespec="seconds")
            (directory / f"test-{number}.json").write_text(json.dumps(sample))
        yield directory


def _timed(ask: Callable[[], Found]) -> tuple[float, float, int]:
    """Median seconds and CPU seconds of five queries after a first one, and the number of results found."""
    ask()
    waited, used, total = [], [], 0
    for _ in range(5):
        began, before_s = time.monotonic(), time.process_time()
        total = ask().total
        waited.append(time.monotonic() - began)
        used.append(time.process_time() - before_s)
    return sorted(waited)[2], sorted(used)[2], total


if __name__ == "__main__":
    main()
