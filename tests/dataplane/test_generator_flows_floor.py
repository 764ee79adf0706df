"""The baseline latency of a medium, as `wirespeed generator --calibrate` measures and prints it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from generator_run import start_generator

from wirespeed._native.flow_records import LatencyCounters
from wirespeed.generator.calibration import percentile_ns

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")


def run(*arguments: str) -> tuple[int, str, str]:
    """The generator until it is ready, then ended: its exit code, output and errors."""
    started = start_generator("--calibrate", *arguments)
    if started.serves:
        started.process.terminate()
    _, errors = started.process.communicate(timeout=60)
    return started.process.returncode, "\n".join(started.lines), errors


def test_each_pair_and_a_looped_port_have_a_floor() -> None:
    code, said, errors = run(*(word for name in ("a", "a", "loop") for word in ("--port", f"ring:{name}")))
    assert code == 0, errors
    assert [line.split(":")[0] for line in said.splitlines() if "floor" in line] == ["port 0", "port 2"]
    pattern = r"port \d: floor of the medium: at least ([\d.]+) us, median ([\d.]+), 99 % ([\d.]+) \((\d+) packets\)"
    found = re.findall(pattern, said)
    assert len(found) == 2
    for least, median, most, packets in (map(float, one) for one in found):
        assert 0 < least <= median * 1.02 and median <= most
        assert 0 < packets <= 2000


def test_ports_that_are_not_connected_are_told(tmp_path: Path) -> None:
    code, _, errors = run("--port", f"pcap:,{tmp_path}/out.pcap")
    assert code == 3
    assert "port 0 received no packet from port 0; connect them with each other" in errors


def test_percentiles_are_of_the_counts() -> None:
    seen = LatencyCounters(hdr=((100, 50), (300, 49), (400, 1)))
    assert percentile_ns(seen, 50) == 100
    assert percentile_ns(seen, 99) == (300 - 128) * 2
    assert percentile_ns(seen, 100) == (400 - 256) * 4
    assert percentile_ns(LatencyCounters(), 50) == 0
