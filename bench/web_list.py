"""Cost of the web index of a folder with many results: the first request, the next one, another page, a search.

python -m bench.web_list [RESULTS] [--sample RESULT.json]    default: copies of the results in the tests
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from harness import page_results as recorded

from wirespeed.measurement.file import write_file

_OPENED = {"first opening": "", "again": "", "last page": "?page=1000000", "search": "?q=-7"}


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("results", nargs="?", type=int, default=10_000)
    words.add_argument("--sample", type=Path, help="A result file of which the folder has copies.")
    asked = words.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wirespeed-bench-index-"))
    try:
        sample = asked.sample or folder / "sample"
        if asked.sample is None:
            write_file(recorded.loadtest(recorded.PLAIN), sample)
        for number in range(asked.results):
            shutil.copyfile(sample, folder / f"test-{number}.json")
        _measure(folder)
    finally:
        shutil.rmtree(folder)


def _measure(folder: Path) -> None:
    command = (sys.executable, "-m", "wirespeed", "web", str(folder), "--listen", "127.0.0.1:0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[0]
            for what, query in _OPENED.items():
                began, used = time.monotonic(), _cpu_s(server.pid)
                with urlopen(f"{address}{query}") as page:
                    rows = page.read().count(b"<tr>") - 1
                seconds, cpu = time.monotonic() - began, _cpu_s(server.pid) - used
                print(f"{what:<14} {seconds:6.2f} s, {cpu:.2f} s of CPU: {rows} rows")
        finally:
            server.terminate()


def _cpu_s(process: int) -> float:
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
