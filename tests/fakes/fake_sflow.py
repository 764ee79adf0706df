"""The stand-in's part of `wirespeed.seam.sflow.SflowCore`: `samples` are what is taken next."""

from __future__ import annotations

import errno

from wirespeed.errors import UsageError
from wirespeed.seam.interfaces import Interface, InterfaceKind
from wirespeed.seam.sflow import SflowCounters, SflowSample, SflowSettings


class FakeSflow:
    def __init__(self) -> None:
        self.sflow_settings = SflowSettings()
        self.sflow_counters = SflowCounters()
        self.sflow_ports: set[int] = set()
        self.samples: list[SflowSample] = []

    def interface(self, index: int) -> Interface:
        raise NotImplementedError

    def set_sflow(self, settings: SflowSettings) -> None:
        if not 1 <= settings.sampling_rate <= 10**9 or not 1 <= settings.header_bytes <= 256:
            raise _refused("not between its bounds", errno.EINVAL)
        self.sflow_settings = settings

    def sflow(self) -> tuple[SflowSettings, SflowCounters]:
        return self.sflow_settings, self.sflow_counters

    def enable_sflow(self, index: int, on: bool) -> None:
        if self.interface(index).kind is not InterfaceKind.PORT:
            raise _refused("no port", errno.EINVAL)
        if (index in self.sflow_ports) == on:
            raise _refused("it is so already", errno.EEXIST)
        self.sflow_ports ^= {index}

    def is_sflow_enabled(self, index: int) -> bool:
        return index in self.sflow_ports

    def take_sflow_samples(self) -> list[SflowSample]:
        taken, self.samples = self.samples, []
        return taken


def _refused(why: str, number: int) -> UsageError:
    error = UsageError(why)
    error.errno = number
    return error
