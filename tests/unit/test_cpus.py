"""CPUs on the command line."""

from __future__ import annotations

import os

import pytest

from wirespeed.cpus import cpu_list, cpu_mask, parse_cpus, parse_worker_cpus
from wirespeed.errors import EnvironmentFault, UsageError


@pytest.fixture
def four_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 2, 3, 4})


@pytest.mark.parametrize(
    ("text", "cpus"), [("", (4,)), ("2", (2,)), ("3,1", (3, 1)), ("2-4", (2, 3, 4)), ("1,3-4", (1, 3, 4))]
)
def test_lists_of_cpus(four_cpus: None, text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpus(text) == cpus


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a", "cannot be read; give CPU numbers such as"),
        ("1,", "cannot be read"),
        ("1-", "cannot be read"),
        ("-1", "cannot be read"),
        ("²", "cannot be read"),
        ("0-9999999999", "cannot be read"),
        ("4-1", "names 0 CPUs"),
        ("0-999999", "names 1000000 CPUs; 1 to 64 workers"),
        ("1,1", "names a CPU twice"),
    ],
)
def test_lists_that_are_none(four_cpus: None, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_cpus(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("6", "CPU 6 does not exist; this machine has CPUs 0 to 5"),
        ("4-6", r"CPU 5 may not be used by this process; it may use 1, 2, 3, 4 \(see taskset\)"),
    ],
)
def test_cpus_that_cannot_be_had(four_cpus: None, text: str, said: str) -> None:
    with pytest.raises(EnvironmentFault, match=said):
        parse_cpus(text)


def test_numbers_may_have_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of eight CPUs are online, as without hyper-threading: the highest number exceeds their count."""
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2, 4, 6})
    assert parse_cpus("4,6") == (4, 6)
    with pytest.raises(EnvironmentFault, match="CPU 3 may not be used"):
        parse_cpus("3")


def test_lists_of_cpus_that_need_not_be_ours() -> None:
    assert cpu_list("--dut cpus", "0,130-132") == (0, 130, 131, 132)
    with pytest.raises(UsageError, match="--dut cpus 0-99999 names more CPUs than a machine has"):
        cpu_list("--dut cpus", "0-99999")


@pytest.mark.parametrize(
    ("cpus", "mask"),
    [
        ((), "00000000"),
        ((0,), "00000001"),
        ((1, 31), "80000002"),
        ((32,), "00000001,00000000"),
        ((33, 1), "00000002,00000002"),
        ((64, 95), "80000001,00000000,00000000"),
        ((127, 0, 0), "80000000,00000000,00000000,00000001"),
    ],
)
def test_masks_as_the_kernel_takes_them(cpus: tuple[int, ...], mask: str) -> None:
    """Words of 32 bits, the highest first: lib/bitmap.c, bitmap_parse."""
    assert cpu_mask(cpus) == mask


@pytest.mark.parametrize(
    ("text", "ports", "cpus", "workers"),
    [
        ("", 2, (4,), ((0,), (0,))),
        ("1,2", 4, (1, 2), ((0,), (1,), (0,), (1,))),
        ("1-4", 2, (1, 2, 3, 4), ((0, 2), (1, 3))),
        ("1-3", 2, (1, 2, 3), ((0, 2), (1,))),
        ("1-2/", 2, (1, 2), ((0, 1), (0, 1))),
        ("1-2/3,4", 4, (1, 2, 3, 4), ((0, 1), (0, 1), (2, 3), (2, 3))),
        ("1/2-3", 3, (1, 2, 3), ((0,), (0,), (1, 2))),
    ],
)
def test_workers_of_ports(
    four_cpus: None, text: str, ports: int, cpus: tuple[int, ...], workers: tuple[tuple[int, ...], ...]
) -> None:
    assert parse_worker_cpus(text, ports) == (cpus, workers)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1/2", "2 lists of CPUs for 2 ports; give one for each pair of ports, 1 in all"),
        ("/", "empty list"),
        ("1-2/2", "2 lists"),
        ("x/", "cannot be read"),
    ],
)
def test_workers_of_no_ports(four_cpus: None, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_worker_cpus(text, 2)
