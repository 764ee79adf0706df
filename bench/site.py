"""Cost of a site of many results: the first build, one without changes, and one after a new result.

python -m bench.site [RESULTS] --sample RESULT.json... [--real FOLDER] [--keep FOLDER]

The generated results are copies of the samples with other names, builds and start times; rates of searches vary, with a
step now and then. The results of --real are added. With --viewer FOLDER (the graph.rb of trex-loadtest's viewer; needs
Ruby), prints that viewer's time for the same files, too.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from wirespeed.corpus.corpus import Corpus
from wirespeed.corpus.opening import open_corpus
from wirespeed.site.build import build

_DUTS, _BUILDS = 40, 8


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("results", nargs="?", type=int, default=1000)
    words.add_argument("--sample", type=Path, required=True, nargs="+", help="Result files to vary.")
    words.add_argument("--real", type=Path, help="A folder of results to add as they are.")
    words.add_argument("--keep", type=Path, help="Where the site is to stay.")
    words.add_argument("--viewer", type=Path, help="A folder with graph.rb.")
    asked = words.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wirespeed-bench-site-"))
    try:
        _measure(asked, folder)
    finally:
        shutil.rmtree(folder)


def _measure(asked: argparse.Namespace, folder: Path) -> None:
    samples = [json.loads(path.read_bytes()) for path in asked.sample]
    files = list(_written(asked.results + 1, samples, folder / "new"))
    *some, later = files
    site = asked.keep or folder / "site"
    with open_corpus(str(folder / "corpus")) as corpus:
        _add(corpus, some)
        if asked.real:
            corpus.add(sorted(asked.real.rglob("*.json")), "real")
        _timed(corpus, site, "first")
        _timed(corpus, site, "nothing new")
        _add(corpus, [later])
        _timed(corpus, site, "one result more")
    if asked.viewer:
        began = time.monotonic()
        for file in some:
            subprocess.run(
                ["ruby", asked.viewer / "graph.rb", "-t", file.stem, "-o", folder / "page.html", file], check=True
            )
        print(f"graph.rb, a page each: {time.monotonic() - began:.1f} s")


def _timed(corpus: Corpus, site: Path, what: str) -> None:
    began, used = time.monotonic(), _cpu_s()
    built = build(corpus, site, "Benchmark")
    seconds, cpu = time.monotonic() - began, _cpu_s() - used
    told = f"{built.counted}, {built.made} new, {built.pages} pages written"
    print(f"{what:<16} {seconds:6.1f} s, {cpu:.1f} s of CPU: {told}")


def _cpu_s() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _add(corpus: Corpus, files: Sequence[Path]) -> None:
    for number in range(_BUILDS):
        corpus.add(files[number::_BUILDS], f"c{number:04x}")


def _written(count: int, samples: Sequence[dict[str, Any]], folder: Path) -> Iterator[Path]:
    folder.mkdir()
    chance = random.Random(1)
    first = datetime(2024, 1, 1, tzinfo=UTC)
    for number in range(count):
        document = json.loads(json.dumps(samples[number % len(samples)]))
        dut = number // len(samples) % _DUTS
        document["dut"]["name"] = f"box{dut}"
        document["dut"]["description"] = {"dut": f"box{dut}", "price": f"{200 + 10 * dut} EUR", "date": "2026-11-01"}
        started = (first + timedelta(hours=number * 7)).isoformat(timespec="seconds")
        document.get("outcome", document.get("ending"))["started"] = started
        factor = (0.88 if number > count / 2 and dut % 3 == 0 else 1.0) * chance.gauss(1, 0.004)
        for goal in document.get("goals", ()):
            goal["lower_pps"] *= factor
            goal["upper_pps"] *= factor
        path = folder / f"test-{number}.json"
        path.write_text(json.dumps(document))
        yield path


if __name__ == "__main__":
    main()
