"""The floor of a medium, as the helper states it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from wirespeed._native.flow_records import Latency
from wirespeed.generator.calibration import percentile_ns

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wirespeed.generator.calibration", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_floor_of_a_looped_ring_is_told() -> None:
    done = run("ring:loop")
    assert done.returncode == 0, done.stderr
    pattern = r"floor of the medium: at least ([\d.]+) us, median ([\d.]+), 99 % ([\d.]+) \((\d+) packets\)"
    found = re.search(pattern, done.stdout)
    assert found
    least, median, most, packets = map(float, found.groups())
    assert 0 < least <= median * 1.02 and median <= most
    assert 0 < packets <= 2000


def test_ports_that_are_not_connected_are_told(tmp_path: object) -> None:
    done = run(f"pcap:,{tmp_path}/out.pcap")
    assert done.returncode != 0
    assert done.stderr.endswith("nothing that p0 sent came to p0; connect them with each other\n")


def test_percentiles_are_of_the_counts() -> None:
    counts = [0] * 3584
    counts[100], counts[300], counts[400] = 50, 49, 1
    seen = Latency(hdr=tuple(counts))
    assert percentile_ns(seen, 50) == 100
    assert percentile_ns(seen, 99) == (300 - 128) * 2
    assert percentile_ns(seen, 100) == (400 - 256) * 4
    assert percentile_ns(Latency(), 50) == 0
