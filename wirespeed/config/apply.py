"""A plan applied: each step verified by its reply, journalled, and stopped at the first that fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wirespeed.config.device import ConfigDevice
from wirespeed.config.journal import ConfigJournal
from wirespeed.config.operations import Operation
from wirespeed.config.plan import ConfigPlan, plan
from wirespeed.config.state import RouterState
from wirespeed.errors import EnvironmentFault, WirespeedError
from wirespeed.findings import listed

POLL_S = 0.2


@dataclass(frozen=True)
class ApplyFailure:
    """Step `step` of a plan, from 0, failed; None: all steps succeeded, but the router does not have the wanted
    state."""

    step: int | None
    error: WirespeedError


def check_possible(plan: ConfigPlan, device: ConfigDevice) -> None:
    """EnvironmentFault with all lines that the device has no object for; nothing was changed then."""
    impossible = []
    for step in plan.steps:
        why = device.lacks(step.operation)
        if why is not None:
            impossible += [f"this router cannot do it: {line} ({why})" for line in step.operation.cli()]
    if impossible:
        count = f"{len(impossible)} line{'s' * (len(impossible) != 1)}"
        raise EnvironmentFault(
            "\n".join([*impossible, f"{count} of the plan cannot be applied here; nothing was changed"])
        )


def run(plan: ConfigPlan, device: ConfigDevice, journal: ConfigJournal | None = None) -> ApplyFailure | None:
    """Do all steps in order, up to the first that fails; None when all are done."""
    done = 0
    try:
        for done, _ in enumerate(device.run(_begun(plan, journal)), start=1):
            if journal is not None:
                journal.done(done)
    except WirespeedError as error:
        return ApplyFailure(done, error)
    return None


def _begun(plan: ConfigPlan, journal: ConfigJournal | None) -> Iterator[Operation]:
    for number, step in enumerate(plan.steps, start=1):
        if journal is not None:
            journal.begin(number, list(step.operation.cli()))
        yield step.operation


def verify(device: ConfigDevice, target: RouterState) -> ApplyFailure | None:
    """None when nothing is left to do: a router may take an operation and not do it."""
    left = list(plan(device.read(), target).lines())
    if not left:
        return None
    return ApplyFailure(None, WirespeedError(f"the router took all steps and still lacks: {listed(left, 3)}"))


def inverse(device: ConfigDevice, before: RouterState) -> ConfigPlan:
    """Steps from the device's present configuration back to its former one."""
    return plan(device.read(), before)


def wait_for_confirmation(seconds: float, is_confirmed: Callable[[], bool]) -> bool:
    """True if it came in time."""
    end = time.monotonic() + seconds
    while not is_confirmed():
        left = end - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(POLL_S, left))
    return True
