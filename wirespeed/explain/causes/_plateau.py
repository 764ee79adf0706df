"""A NIC with a fixed maximum packet rate, independent of the load, while the CPU behind it has time."""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._drops import share_of_lost
from wirespeed.explain.causes._reasons import RX_MISSED
from wirespeed.explain.curves import loss_curve

_MOST = 0.5
_TIME_LEFT = 0.25
_IDLE_PERCENT = 30.0


def plateau_of_nic(case: Case) -> bool:
    """True if the NIC dropped most of the lost packets, at a rate that is constant above a knee, while workers or CPUs
    had plenty of idle time."""
    missed = case.dropped(*RX_MISSED)
    share = share_of_lost(case, missed) if missed else None
    if share is None or share < _MOST or not _has_time(case):
        return False
    curve = loss_curve(case.steps)
    return curve is not None and curve.shape == "cliff"


def _has_time(case: Case) -> bool:
    if case.busy:
        known = [worker.idle_polls for worker in case.busy if worker.idle_polls is not None]
        return bool(known) and min(known) >= _TIME_LEFT and all(worker.is_idle for worker in case.busy)
    return bool(case.cpus) and min(cpu.idle_percent for cpu in case.cpus) >= _IDLE_PERCENT
