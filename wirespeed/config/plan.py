"""A plan: steps in an order that each of them can be done in, and why."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.config.differences import steps_between
from wirespeed.config.ordering import Ordering
from wirespeed.config.state import RouterState
from wirespeed.config.steps import ConfigStage, ConfigStep
from wirespeed.errors import WirespeedError


@dataclass(frozen=True)
class Reason:
    """The step that comes before, by its place in the plan, and why."""

    step: int
    why: str


@dataclass(frozen=True)
class ConfigPlan:
    """`reasons[i]` say why step i comes no earlier."""

    steps: tuple[ConfigStep, ...] = ()
    reasons: tuple[tuple[Reason, ...], ...] = ()

    def lines(self, stage: ConfigStage | None = None) -> Iterator[str]:
        """VPP's command lines, of one stage or of all."""
        return (line for step in self.steps if stage in (None, step.stage) for line in step.operation.cli())


def plan(current: RouterState, target: RouterState) -> ConfigPlan:
    """Steps that turn the current state into `target`; no step if they are equal."""
    steps = steps_between(current, target)
    return _ordered(steps, Ordering(steps, current, target))


def _ordered(steps: list[ConfigStep], ordering: Ordering) -> ConfigPlan:
    """Topologically; of those that could come next, the one with the smallest place."""
    before: list[dict[int, str]] = [{} for _ in steps]
    after: list[list[int]] = [[] for _ in steps]
    for later, earlier, why in ordering.edges():
        if earlier not in before[later]:
            before[later][earlier] = why
            after[earlier].append(later)
    waits = [len(each) for each in before]
    ready = [(step.place, number) for number, step in enumerate(steps) if not waits[number]]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, number = heapq.heappop(ready)
        order.append(number)
        for later in after[number]:
            waits[later] -= 1
            if not waits[later]:
                heapq.heappush(ready, (steps[later].place, later))
    if len(order) < len(steps):
        stuck = next(steps[number] for number, count in enumerate(waits) if count)
        raise WirespeedError(
            f"the steps of the plan depend on one another in a circle, such as {' '.join(stuck.operation.cli())!r}"
        )
    at = {number: place for place, number in enumerate(order)}
    reasons = (tuple(Reason(at[earlier], why) for earlier, why in before[number].items()) for number in order)
    return ConfigPlan(
        tuple(steps[number] for number in order),
        tuple(tuple(sorted(each, key=lambda reason: reason.step)) for each in reasons),
    )
