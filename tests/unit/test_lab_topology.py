"""Reading a machine's topology: trees in the form of /sys, and this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.cpus import ALL_CPUS

from wirespeed.cpus import settled
from wirespeed.machine.topology import cpu_model, cpu_places, cpu_quota, read_topology
from wirespeed.results.lab import CpuPlace


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return root


def cpu_files(cpu: int, core: int, package: int, siblings: str) -> dict[str, str]:
    values = {"core_id": str(core), "physical_package_id": str(package), "thread_siblings_list": siblings}
    return {f"devices/system/cpu/cpu{cpu}/topology/{name}": value for name, value in values.items()}


def test_places_by_core_package_and_node(tmp_path: Path) -> None:
    files = {
        "devices/system/cpu/online": "0-1,33,97",
        "devices/system/cpu/isolated": "33,97",
        "devices/system/node/node0/cpulist": "0-1",
        "devices/system/node/node1/cpulist": "33,97",
        "devices/system/node/has_cpu": "0-1",
        **cpu_files(0, 0, 0, "0-1"),
        **cpu_files(1, 0, 0, "0-1"),
        **cpu_files(33, 5, 1, "33,97"),
        **cpu_files(97, 5, 1, "33,97"),
    }
    assert cpu_places(write(tmp_path, files), {0, 1, 2, 97}) == (
        CpuPlace(0, 0, 0, 0, (0, 1)),
        CpuPlace(1, 0, 0, 0, (0, 1)),
        CpuPlace(97, 5, 1, 1, (33, 97), is_isolated=True),
    )


def test_a_kernel_that_tells_little(tmp_path: Path) -> None:
    places = cpu_places(write(tmp_path, {"devices/system/cpu/online": "0-1"}), {0, 1})
    assert places == (CpuPlace(0, 0, 0, 0, (0,)), CpuPlace(1, 1, 0, 0, (1,)))


@pytest.mark.parametrize(
    ("files", "memberships", "quota"),
    [
        ({"cpu.max": "150000 100000"}, "0::/", 1.5),
        ({"cpu.max": "max 100000"}, "0::/", None),
        ({"a/b/cpu.max": "max 100000", "a/cpu.max": "50000 100000"}, "0::/a/b", 0.5),
        ({"a/b/cpu.max": "300000 100000", "a/cpu.max": "400000 100000"}, "0::/a/b", 3.0),
        ({"unified/a/cpu.max": "250000 100000"}, "1:cpu:/\n0::/a", 2.5),
        ({"cpu/a/cpu.cfs_quota_us": "175000", "cpu/a/cpu.cfs_period_us": "100000"}, "4:cpu,cpuacct:/a", 1.75),
        ({"cpu,cpuacct/cpu.cfs_quota_us": "50000", "cpu,cpuacct/cpu.cfs_period_us": "50000"}, "4:cpu,cpuacct:/", 1.0),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, "1:cpu:/\n3:cpuset:/", None),
        ({}, "0::/not/mounted/here", None),
    ],
)
def test_quotas(tmp_path: Path, files: dict[str, str], memberships: str, quota: float | None) -> None:
    assert cpu_quota(write(tmp_path, files), memberships) == quota


def test_names_of_processors() -> None:
    assert cpu_model("processor\t: 0\nmodel name\t: Intel(R) Xeon(R)\n") == "Intel(R) Xeon(R)"
    assert cpu_model("processor\t: 0\nCPU part\t: 0xd0c\n") == "0xd0c"
    assert cpu_model("") == "unknown"


def test_this_machine() -> None:
    before = os.sched_getaffinity(0)
    topology = read_topology()
    assert {place.cpu for place in topology.places} >= before
    assert all(place.cpu in place.siblings for place in topology.places)
    assert os.sched_getaffinity(0) == before


def test_isolated_cpus_are_added_for_a_process_that_was_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if len(ALL_CPUS) < 2:
        pytest.skip("one CPU only")
    free, isolated = min(ALL_CPUS), max(ALL_CPUS)
    files = {"devices/system/cpu/online": f"{free},{isolated}", "devices/system/cpu/isolated": str(isolated)}
    monkeypatch.setattr("wirespeed.machine.topology.SYS", write(tmp_path, files))
    with settled({free}):
        assert {place.cpu for place in read_topology().places} == {free, isolated}
        assert os.sched_getaffinity(0) == {free}
        # A machine that was given CPUs keeps them.
        (tmp_path / "devices/system/cpu/online").write_text(f"{free},{isolated},4000\n")
        assert {place.cpu for place in read_topology().places} == {free}
