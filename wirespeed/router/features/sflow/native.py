"""Sampled packets of the native router."""

from __future__ import annotations

from typing import Any

from wirespeed._native.runtime import RouterPart, check, from_struct
from wirespeed.router.features.sflow.core import SflowCounters, SflowDirection, SflowSample, SflowSettings

_AT_ONCE = 256
_NO_PORT = 0xFFFF


class SflowCore(RouterPart):
    def set(self, settings: SflowSettings) -> None:
        given = (settings.sampling_rate, settings.header_bytes, int(settings.direction))
        check(self._lib.ws_router_sflow_set(self._router, self._ffi.new("struct ws_sflow_settings *", given)))

    def get(self) -> tuple[SflowSettings, SflowCounters]:
        struct, counters = self._ffi.new("struct ws_sflow_settings *"), self._ffi.new("struct ws_sflow_counters *")
        self._lib.ws_router_sflow(self._router, struct, counters)
        settings = SflowSettings(struct.sampling_rate, struct.header_bytes, SflowDirection(struct.direction))
        return settings, from_struct(SflowCounters, counters)

    def enable(self, index: int, on: bool) -> None:
        """UsageError when it is so already, and for an interface that is not a port."""
        check(self._lib.ws_router_sflow_enable(self._router, index, on))

    def is_enabled(self, index: int) -> bool:
        return bool(self._lib.ws_router_sflow_is_enabled(self._router, index))

    def take(self) -> list[SflowSample]:
        """Some of the samples that wait, the oldest first; an empty list when all are taken."""
        structs = self._ffi.new("struct ws_sflow_sample[]", _AT_ONCE)
        count = self._lib.ws_router_sflow_take(self._router, structs, _AT_ONCE)
        return [self._read(structs[number]) for number in range(count)]

    def _read(self, struct: Any) -> SflowSample:
        came, goes = (None if port == _NO_PORT else port for port in (struct.input, struct.output))
        header = bytes(self._ffi.buffer(struct.header, struct.header_bytes))
        return SflowSample(struct.sampling_rate, struct.packet_bytes, came, goes, struct.is_output, header)


CORE = SflowCore
