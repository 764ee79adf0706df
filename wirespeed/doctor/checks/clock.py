"""Time: the clock that paces and measures, and what a hypervisor takes of it."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.doctor.finding import HostFinding, HostPurpose
from wirespeed.inspect.cpu import cpu_of
from wirespeed.inspect.transcript import Transcript, text, tree

GOOD = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen", "arch_sys_counter")
MOST_STEAL = 0.01
"""Share of all CPU time; more steal loses packets at any useful load."""
_STEAL, _COUNTED = 7, 8


def clock(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """A clock source that is read from a device says that the CPU's counter is not to be trusted."""
    files = {path.rpartition("/")[2]: value for path, value in tree(text(answers, "clock")).items()}
    now = files.get("current_clocksource", "")
    if not now:
        yield HostFinding("clock", "unknown", "this kernel names no clock source")
    elif now not in GOOD:
        can = "tsc" in files.get("available_clocksource", "").split()
        yield HostFinding(
            "clock",
            "spoils",
            f"{now} in place of tsc",
            "the kernel found the CPU's counter unstable, and pacing and latency are by that counter",
            ("echo tsc >/sys/devices/system/clocksource/clocksource0/current_clocksource",) if can else (),
        )
    elif lacking := [flag for flag in ("constant_tsc", "nonstop_tsc") if flag not in cpu_of(answers).flags]:
        is_ = f"{now}, and the CPU says nothing of {' and '.join(lacking)}"
        yield HostFinding("clock", "costs", is_, "cycles per packet and latency may drift with the clock")
    else:
        yield HostFinding("clock", "ok", now)


def steal(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """Share of time that the hypervisor took from this host."""
    readings = [line.split()[1:] for line in text(answers, "steal").splitlines() if line.startswith("cpu ")]
    counts = [[int(word) for word in words[:_COUNTED]] for words in readings if all(map(str.isdigit, words))]
    if len(counts) != 2 or any(len(row) < _COUNTED for row in counts):
        yield HostFinding("steal", "unknown", "this kernel does not tell")
        return
    passed = [new - old for old, new in zip(*counts, strict=True)]
    share = passed[_STEAL] / sum(passed) if sum(passed) > 0 else 0.0
    since_boot = counts[1][_STEAL] / sum(counts[1]) if sum(counts[1]) else 0.0
    stolen = f"{share:.1%} in the last second, {since_boot:.1%} since boot"
    if share > MOST_STEAL:
        yield HostFinding(
            "steal",
            "spoils",
            stolen,
            "the hypervisor gives this machine's CPUs to others, and packets wait or are lost in that time",
            ("# test on bare metal, or on CPUs that the host keeps for this guest",),
        )
    elif since_boot > MOST_STEAL:
        yield HostFinding(
            "steal", "costs", stolen, "the host is busy at times: samples of such moments are marked as disturbed"
        )
    else:
        yield HostFinding("steal", "ok", stolen)
