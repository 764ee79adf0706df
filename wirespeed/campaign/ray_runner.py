"""Benches on other machines, by Ray: each a node with a resource of its own, a cell a task that is pinned to it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wirespeed import __version__
from wirespeed.campaign.benches import TestbedPlace
from wirespeed.campaign.cells import CampaignCell
from wirespeed.campaign.cluster_address import check_cluster
from wirespeed.campaign.outcome import ABANDONED, FAILED, LOST, CellOutcome
from wirespeed.campaign.ray_task import resource, run_cell, served_place
from wirespeed.errors import ConnectionFault, EnvironmentFault

_ASK_S = 1.0
_GONE_S = 10.0
"""Time for which a testbed gets no cell after it lost one: the cluster needs a while to notice that a node is gone."""
_ANSWER_S = 60.0


@contextmanager
def cluster(address: str) -> Iterator[None]:
    """Connected to the Ray cluster at `address`, or to the one of this machine. EnvironmentFault without Ray,
    ConnectionFault where no node of it answers here."""
    if find_spec("ray") is None:
        raise EnvironmentFault(
            "several testbeds at once need Ray, which is not installed: "
            "pip install 'wirespeed[ray]', or tools/setup.sh ray in a checkout"
        )
    if address:
        check_cluster(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray  # noqa: PLC0415 - an extra, and slow to import

    try:
        ray.init(address=address or "auto", log_to_driver=False, configure_logging=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        where = f"at {address}" if address else "on this machine"
        raise ConnectionFault(
            f"no Ray cluster answers {where} ({str(error).splitlines()[0][:100]}); start one by "
            "`wirespeed campaign worker`"
        ) from None
    try:
        yield
    finally:
        ray.shutdown()


def served(names: Sequence[str], wait_s: float) -> list[TestbedPlace]:
    """The testbeds of those names, as described by their nodes. ConnectionFault if no node serves one within `wait_s`,
    EnvironmentFault for a node with another version of the program."""
    import ray  # noqa: PLC0415

    places: list[TestbedPlace] = []
    deadline_s = time.monotonic() + wait_s
    for name in names:
        while resource(name) not in _resources():
            if time.monotonic() > deadline_s:
                there = sorted(one.partition(":")[2] for one in _resources() if one.startswith(resource("")))
                raise ConnectionFault(
                    f"testbed {name} is unreachable: no worker serves it; there are {', '.join(there) or 'none'} "
                    f"(wirespeed campaign worker … --name {name} joins)"
                )
            time.sleep(0.2)
        asked = _task(served_place, name).remote()
        try:
            place, version = ray.get(asked, timeout=_ANSWER_S)
        except (ray.exceptions.RayError, TimeoutError) as error:
            raise ConnectionFault(f"testbed {name} does not answer: {_line(error)}") from None
        if version != __version__:
            raise EnvironmentFault(
                f"testbed {name} has wirespeed {version} and this is {__version__}; install one on both"
            )
        places.append(TestbedPlace(**place))
    return places


def _resources() -> Mapping[str, float]:
    import ray  # noqa: PLC0415

    return dict(ray.cluster_resources())  # type: ignore[no-untyped-call]


def _task(function: Any, bench: str) -> Any:
    import ray  # noqa: PLC0415

    # No second try by Ray: a cell that began may have changed the device, so whether it runs again is ours to say.
    return ray.remote(function).options(num_cpus=0, resources={resource(bench): 1}, max_retries=0)


class RayRunner:
    """A bench that a node of the cluster serves. Results go to `running`, as they come back."""

    def __init__(self, place: TestbedPlace, running: Path) -> None:
        self.places: Mapping[str, TestbedPlace] = {place.name: place}
        self._name, self._running = place.name, running
        self._task: Any = None
        self._cell: CampaignCell | None = None
        self._asked_s, self._is_there = 0.0, True

    def is_there(self) -> bool:
        if time.monotonic() - self._asked_s > _ASK_S:
            self._is_there = resource(self._name) in _resources()
            self._asked_s = time.monotonic()
        return self._is_there

    def start(self, cell: CampaignCell) -> None:
        self._cell = cell
        self._task = _task(run_cell, self._name).remote(cell.to_json())

    def poll(self) -> CellOutcome | None:
        import ray  # noqa: PLC0415

        assert self._cell is not None
        ready, _ = ray.wait([self._task], timeout=0)
        if not ready:
            if self.is_there():
                return None
            ray.cancel(self._task, force=True)  # else it would begin again when the bench is back
            return self._lost(f"no node serves {self._name}")
        try:
            document, result = ray.get(ready[0])
        except ray.exceptions.TaskCancelledError:
            return CellOutcome(ABANDONED, error="abandoned", exit_code=130)
        except ray.exceptions.RayTaskError as error:
            return CellOutcome(FAILED, error=_line(error))
        except ray.exceptions.RayError as error:
            return self._lost(_line(error))
        if result:
            (self._running / f"{self._cell.stem}.json").write_bytes(result)
        return CellOutcome.from_json(document)

    def _lost(self, why: str) -> CellOutcome:
        self._is_there, self._asked_s = False, time.monotonic() + _GONE_S
        return CellOutcome(LOST, error=why)

    def abandon(self) -> None:
        import ray  # noqa: PLC0415

        ray.cancel(self._task, force=False)


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:200]
