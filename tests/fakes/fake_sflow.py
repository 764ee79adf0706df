"""Sampled packets: `samples` are returned by the next call."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.features.sflow.core import SflowCounters, SflowSample, SflowSettings
from wirespeed.seam.interfaces import InterfaceKind

if TYPE_CHECKING:
    from fake_router import FakeRouterCore


class FakeSflow:
    def __init__(self, core: FakeRouterCore) -> None:
        self._core = core
        self.settings = SflowSettings()
        self.counters = SflowCounters()
        self.ports: set[int] = set()
        self.samples: list[SflowSample] = []

    def set(self, settings: SflowSettings) -> None:
        if not 1 <= settings.sampling_rate <= 10**9 or not 1 <= settings.header_bytes <= 256:
            raise _refused("not between its bounds", errno.EINVAL)
        self.settings = settings

    def get(self) -> tuple[SflowSettings, SflowCounters]:
        return self.settings, self.counters

    def enable(self, index: int, on: bool) -> None:
        if self._core.interface(index).kind is not InterfaceKind.PORT:
            raise _refused("no port", errno.EINVAL)
        if (index in self.ports) == on:
            raise _refused("it is so already", errno.EEXIST)
        self.ports ^= {index}

    def is_enabled(self, index: int) -> bool:
        return index in self.ports

    def take(self) -> list[SflowSample]:
        taken, self.samples = self.samples, []
        return taken


def _refused(why: str, number: int) -> UsageError:
    error = UsageError(why)
    error.errno = number
    return error
