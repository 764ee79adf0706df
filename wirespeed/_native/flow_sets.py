"""Flow sets of the generator's core; names as in native/include/wirespeed/flow_sets.h, which explains them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from itertools import compress
from typing import Any

from wirespeed._native.flow_records import HdrCounts
from wirespeed._native.generator import NativeGenerator
from wirespeed._native.runtime import check, core, from_struct
from wirespeed.seam.flow_sets import FlowsLearnt, PhaseTotals


class FlowPhase(enum.IntEnum):
    LEARN = 1
    VALIDATE = 2
    EXCHANGE = 3


@dataclass(frozen=True)
class FlowSetConfig:
    """Addresses as on the wire, all of one family."""

    source: bytes
    destination: bytes
    sources: int
    destinations: int
    source_port: int
    source_ports: int
    destination_port: int
    destination_ports: int
    flows: int
    seed: int
    tcp: bool = False


@dataclass(frozen=True)
class FlowSetCounts(PhaseTotals):
    """With the ticks of the first burst and of the last, and the histograms: latencies; by how much they rose and fell
    from frame to frame."""

    first_tsc: int = 0
    last_tsc: int = 0
    hdr: HdrCounts = ()
    more: HdrCounts = ()
    less: HdrCounts = ()


class NativeFlowSets:
    """The flow sets of `generator`; each is named by its initiator port. Calls raise errors of `wirespeed.errors`."""

    def __init__(self, generator: NativeGenerator) -> None:
        self._lib, self._ffi = core().lib, core().ffi
        self._generator = generator.handle
        self.tsc_hz = float(self._lib.ws_tsc_hz())

    def open(self, initiator: int, responder: int, config: FlowSetConfig) -> None:
        struct = self._ffi.new("struct ws_flow_set *")
        for name in config.__dataclass_fields__:
            value = getattr(config, name)
            setattr(struct, name, value.ljust(16, b"\0") if isinstance(value, bytes) else value)
        struct.ip6 = len(config.source) > 4
        check(self._lib.ws_flow_set_open(self._generator, initiator, responder, struct))

    def close(self, initiator: int) -> None:
        self._lib.ws_flow_set_close(self._generator, initiator)

    def bytes_of(self, config: FlowSetConfig) -> int:
        return int(self._lib.ws_flow_set_bytes(len(config.source) > 4, config.flows))

    def begin(self, initiator: int, phase: FlowPhase, latency_every: int = 0) -> None:
        check(self._lib.ws_flow_set_begin(self._generator, initiator, phase, latency_every))

    def end(self, initiator: int) -> None:
        check(self._lib.ws_flow_set_end(self._generator, initiator))

    def counts(self, initiator: int, responder: bool) -> FlowSetCounts:
        struct = self._ffi.new("struct ws_flow_counts *")
        check(self._lib.ws_flow_set_counts(self._generator, initiator, responder, struct))
        return from_struct(
            FlowSetCounts, struct, **{name: self._histogram(getattr(struct, name)) for name in ("hdr", "more", "less")}
        )

    def _histogram(self, array: Any) -> HdrCounts:
        counts = memoryview(self._ffi.buffer(array)).cast("Q").tolist()
        return tuple(compress(enumerate(counts), counts))

    def learnt(self, initiator: int) -> FlowsLearnt:
        struct = self._ffi.new("struct ws_flow_learnt *")
        check(self._lib.ws_flow_set_learnt(self._generator, initiator, struct))
        return from_struct(FlowsLearnt, struct)

    def tuple_of(self, initiator: int, flow: int) -> tuple[bytes, bytes | None]:
        """Addresses and ports as the flow is sent, and as it was learnt, each as 12 or 36 bytes of the wire."""
        sent, learnt = self._ffi.new("uint8_t[36]"), self._ffi.new("uint8_t[36]")
        known = check(self._lib.ws_flow_set_tuple(self._generator, initiator, flow, sent, learnt))
        return bytes(sent), bytes(learnt) if known else None
