"""The traffic generator of the native core: streams in, counters out.

`GeneratorCore` is what the control plane needs of it. `NativeGenerator` is the real one; unit tests use the one in
`fake_generator`. Field names are those of native/include/wirespeed.h, which says what they mean.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from wirespeed._native import runtime
from wirespeed._native.flow_records import (
    Captured,
    CaptureWhat,
    Flow,
    FlowFaults,
    FlowKind,
    FlowReading,
    Latency,
    ProfileState,
)
from wirespeed._native.runtime import PoolInfo, PortCounters, PortInfo, check, core, from_struct


class OpKind(enum.IntEnum):
    VAR = 0
    TUPLE = 1
    WRITE = 2
    WRITE_MASK = 3
    TRIM = 4
    FIX_IP4 = 5
    FIX_L4 = 6
    FIX_ICMP6 = 7


class VarKind(enum.IntEnum):
    INC = 0
    DEC = 1
    RANDOM = 2
    RAND_LIMIT = 3
    LIST = 4


class StreamMode(enum.IntEnum):
    CONTINUOUS = 0
    SINGLE_BURST = 1
    MULTI_BURST = 2


MAX_VARIABLES = 16
MAX_PACKET_BYTES = 9212
"""Longest packet without FCS."""

_CAPTURE_READ_PACKETS, _CAPTURE_READ_BYTES = 256, 1 << 18


@dataclass(frozen=True)
class Op:
    """One instruction of a field program; variables are numbered from 0."""

    kind: OpKind
    var: int = 0
    var2: int = 0
    size: int = 0
    big_endian: bool = True
    var_kind: VarKind = VarKind.INC
    min: int = 0
    max: int = 0
    init: int = 0
    step: int = 1
    min2: int = 0
    max2: int = 0
    limit: int = 0
    seed: int = 0
    list: tuple[int, ...] = ()
    has_next: bool = False
    next_var: int = 0
    offset: int = 0
    add: int = 0
    mask: int = 0
    shift: int = 0
    l2_len: int = 0
    l3_len: int = 0
    l4: int = 0


@dataclass(frozen=True)
class Stream:
    """One stream; `rate_pps` is at factor 1, `packet` without FCS."""

    id: int
    packet: bytes
    enabled: bool = True
    self_start: bool = True
    start_paused: bool = False
    mode: StreamMode = StreamMode.CONTINUOUS
    rate_pps: float = 1.0
    fixed_rate: bool = False
    packets: int = 0
    bursts: int = 0
    burst_gap_us: float = 0.0
    start_delay_us: float = 0.0
    next_id: int = -1
    loops: int = 0
    ops: tuple[Op, ...] = ()
    cache: int = 0
    random_seed: int = 0
    is_null: bool = False
    flow_kind: FlowKind = FlowKind.NONE
    flow_id: int = 0
    flow_signature: bool = False


@dataclass(frozen=True)
class PortTraffic:
    """Counters of one port since start; bytes with FCS. `active`: a profile of it has not ended."""

    tx_packets: int = 0
    tx_bytes: int = 0
    rx_packets: int = 0
    rx_bytes: int = 0
    asked_packets: int = 0
    refused_packets: int = 0
    late_packets: int = 0
    rx_missed: int = 0
    rx_errors: int = 0
    tx_errors: int = 0
    active: bool = False
    paused: bool = False


@dataclass(frozen=True)
class Snapshot:
    """All ports at one instant of the monotonic clock."""

    at_s: float
    ports: tuple[PortTraffic, ...]


@dataclass(frozen=True)
class WorkerLoad:
    """Clocks of one worker since start; busy ones are of loops that sent or received."""

    loops: int
    busy_clocks: int
    total_clocks: int


class GeneratorCore(Protocol):
    """Port i is the i-th that was opened. Calls raise errors of `wirespeed.errors`.

    A stream sends its `rate_pps` times the port's factor (unless it has a fixed rate) times its own, which is 1
    when it starts.
    """

    worker_cpus: tuple[int, ...]

    def port_count(self) -> int: ...
    def port_info(self, port: int) -> PortInfo: ...
    def driver_counters(self, port: int) -> PortCounters: ...
    def pool(self) -> PoolInfo: ...
    def worker_loads(self) -> tuple[WorkerLoad, ...]: ...
    def now_s(self) -> float: ...
    def snapshot(self) -> Snapshot: ...
    def set_promiscuous(self, port: int, on: bool) -> None: ...
    def set_link(self, port: int, up: bool) -> None: ...
    # Profiles: sets of streams of one port that start and stop together, under numbers of the caller's choice. The
    # state of a port's program is in `snapshot`, that of each profile in `profiles`.
    def start(
        self,
        port: int,
        streams: Sequence[Stream],
        factor: float,
        duration_s: float,
        *,
        profile: int = 0,
        start_at_s: float = 0.0,
    ) -> None: ...
    def stop(self, port: int, *, profile: int | None = None) -> None: ...
    def pause(self, port: int, paused: bool, *, profile: int = 0) -> None: ...
    def set_factor(self, port: int, factor: float, *, profile: int = 0) -> None: ...
    def pause_stream(self, port: int, stream_id: int, paused: bool, *, profile: int = 0) -> None: ...
    def set_stream_factor(self, port: int, stream_id: int, factor: float, *, profile: int = 0) -> None: ...
    def profiles(self, port: int) -> tuple[ProfileState, ...]: ...

    # Flow statistics, by the hardware ids that streams carry.
    def flows(self, kind: FlowKind, ids: Sequence[int]) -> FlowReading: ...
    def latency(self, flow_id: int) -> Latency: ...
    def flow_faults(self) -> FlowFaults: ...
    def reset_flows(self, kind: FlowKind, ids: Sequence[int]) -> None: ...

    # Captures: `slots` packets wait at most to be read, what finds no room is missed; a stopped capture is gone.
    def start_capture(
        self,
        tx_ports: Sequence[int],
        rx_ports: Sequence[int],
        slots: int,
        *,
        snap_len: int = 0,
        what: CaptureWhat = CaptureWhat.ALL,
    ) -> int: ...
    def read_capture(self, capture: int, limit: int) -> tuple[Captured, ...]: ...
    def capture_missed(self, capture: int) -> int: ...
    def stop_capture(self, capture: int) -> None: ...

    # Packets (without FCS) sent once, beside the streams; one batch at a time.
    def push(self, port: int, packets: Sequence[bytes], gap_us: float) -> None: ...
    def push_left(self, port: int) -> int: ...


class NativeGenerator:
    """Serves all open ports; port i belongs to worker i modulo the number of workers.

    Made after `runtime.start_runtime` and `runtime.open_ports`, closed before `runtime.close`.
    """

    def __init__(self, worker_cpus: Sequence[int], port_count: int) -> None:
        self.worker_cpus = tuple(worker_cpus)
        self._ports = port_count
        self._lib, self._ffi = core().lib, core().ffi
        self._tsc_hz = float(self._lib.ws_tsc_hz())
        self._generator = self._lib.ws_generator_create()
        if self._generator == self._ffi.NULL:
            check(-1)
        check(self._lib.ws_generator_start_workers(self._generator))

    def close(self) -> None:
        """Stop traffic and workers."""
        self._lib.ws_generator_destroy(self._generator)

    def port_count(self) -> int:
        return self._ports

    def port_info(self, port: int) -> PortInfo:
        return runtime.port_info(port)

    def driver_counters(self, port: int) -> PortCounters:
        return runtime.port_counters(port)

    def pool(self) -> PoolInfo:
        return runtime.pool_info()

    def worker_loads(self) -> tuple[WorkerLoad, ...]:
        struct = self._ffi.new("struct ws_generator_worker *")
        loads = []
        for worker in range(len(self.worker_cpus)):
            check(self._lib.ws_generator_worker(self._generator, worker, struct))
            loads.append(from_struct(WorkerLoad, struct))
        return tuple(loads)

    def now_s(self) -> float:
        return int(self._lib.ws_tsc()) / self._tsc_hz

    def snapshot(self) -> Snapshot:
        structs = self._ffi.new("struct ws_generator_port[]", self._ports)
        tsc = self._ffi.new("uint64_t *")
        check(self._lib.ws_generator_counters(self._generator, structs, tsc))
        ports = tuple(from_struct(PortTraffic, structs[port]) for port in range(self._ports))
        return Snapshot(int(tsc[0]) / self._tsc_hz, ports)

    def set_promiscuous(self, port: int, on: bool) -> None:
        check(self._lib.ws_port_set_promiscuous(port, on))

    def set_link(self, port: int, up: bool) -> None:
        check(self._lib.ws_port_set_link(port, up))

    def start(
        self,
        port: int,
        streams: Sequence[Stream],
        factor: float,
        duration_s: float,
        *,
        profile: int = 0,
        start_at_s: float = 0.0,
    ) -> None:
        structs = self._ffi.new("struct ws_stream[]", len(streams))
        keep_alive = [self._fill(struct, stream) for struct, stream in zip(structs, streams, strict=True)]
        start_tsc = max(0, round(start_at_s * self._tsc_hz))
        check(
            self._lib.ws_generator_start(
                self._generator, port, profile, structs, len(streams), factor, duration_s, start_tsc
            )
        )
        del keep_alive

    def stop(self, port: int, *, profile: int | None = None) -> None:
        if profile is None:
            check(self._lib.ws_generator_stop_port(self._generator, port))
        else:
            check(self._lib.ws_generator_stop(self._generator, port, profile))

    def pause(self, port: int, paused: bool, *, profile: int = 0) -> None:
        check(self._lib.ws_generator_pause(self._generator, port, profile, paused))

    def set_factor(self, port: int, factor: float, *, profile: int = 0) -> None:
        check(self._lib.ws_generator_set_factor(self._generator, port, profile, factor))

    def pause_stream(self, port: int, stream_id: int, paused: bool, *, profile: int = 0) -> None:
        check(self._lib.ws_generator_pause_stream(self._generator, port, profile, stream_id, paused))

    def set_stream_factor(self, port: int, stream_id: int, factor: float, *, profile: int = 0) -> None:
        check(self._lib.ws_generator_set_stream_factor(self._generator, port, profile, stream_id, factor))

    def profiles(self, port: int) -> tuple[ProfileState, ...]:
        count = check(self._lib.ws_generator_profiles(self._generator, port, self._ffi.NULL, 0))
        structs = self._ffi.new("struct ws_profile_state[]", count)
        check(self._lib.ws_generator_profiles(self._generator, port, structs, count))
        return tuple(from_struct(ProfileState, struct) for struct in structs)

    def flows(self, kind: FlowKind, ids: Sequence[int]) -> FlowReading:
        structs = self._ffi.new("struct ws_flow[]", len(ids) * self._ports)
        tsc = self._ffi.new("uint64_t *")
        check(self._lib.ws_generator_flows(self._generator, kind, list(ids), len(ids), structs, tsc))
        # The struct is four numbers of 64 bits; a thousand of them by name would take tens of milliseconds.
        numbers = memoryview(self._ffi.buffer(structs)).cast("Q") if ids else ()
        flows = [Flow(*numbers[i : i + 4]) for i in range(0, len(numbers), 4)]
        by_id = {number: tuple(flows[i * self._ports : (i + 1) * self._ports]) for i, number in enumerate(ids)}
        return FlowReading(int(tsc[0]) / self._tsc_hz, by_id)

    def latency(self, flow_id: int) -> Latency:
        struct = self._ffi.new("struct ws_latency *")
        check(self._lib.ws_generator_latency(self._generator, flow_id, struct))
        counts = {name: tuple(getattr(struct, name)) for name in ("histogram", "hdr")}
        return from_struct(Latency, struct, **counts)

    def flow_faults(self) -> FlowFaults:
        struct = self._ffi.new("struct ws_flow_faults *")
        check(self._lib.ws_generator_flow_faults(self._generator, struct))
        return from_struct(FlowFaults, struct)

    def reset_flows(self, kind: FlowKind, ids: Sequence[int]) -> None:
        check(self._lib.ws_generator_reset_flows(self._generator, kind, list(ids), len(ids)))

    def start_capture(
        self,
        tx_ports: Sequence[int],
        rx_ports: Sequence[int],
        slots: int,
        *,
        snap_len: int = 0,
        what: CaptureWhat = CaptureWhat.ALL,
    ) -> int:
        config = self._ffi.new("struct ws_capture_config *")
        config.tx_ports, config.rx_ports = _mask(tx_ports), _mask(rx_ports)
        config.slots, config.snap_len, config.what = slots, snap_len, what
        return check(self._lib.ws_generator_capture_start(self._generator, config))

    def read_capture(self, capture: int, limit: int) -> tuple[Captured, ...]:
        most = min(limit, _CAPTURE_READ_PACKETS)
        structs = self._ffi.new("struct ws_captured[]", most)
        room = self._ffi.new("uint8_t[]", _CAPTURE_READ_BYTES)
        taken: list[Captured] = []
        while len(taken) < limit:
            count = check(
                self._lib.ws_generator_capture_read(
                    self._generator, capture, structs, min(most, limit - len(taken)), room, _CAPTURE_READ_BYTES
                )
            )
            if not count:
                break
            at = 0
            for struct in structs[0:count]:
                data = bytes(self._ffi.buffer(room + at, struct.byte_count))
                at += struct.byte_count
                taken.append(
                    Captured(struct.tsc / self._tsc_hz, struct.port, bool(struct.is_tx), struct.packet_len, data)
                )
        return tuple(sorted(taken, key=lambda one: one.at_s))

    def capture_missed(self, capture: int) -> int:
        return check(self._lib.ws_generator_capture_missed(self._generator, capture))

    def stop_capture(self, capture: int) -> None:
        check(self._lib.ws_generator_capture_stop(self._generator, capture))

    def push(self, port: int, packets: Sequence[bytes], gap_us: float) -> None:
        structs = self._ffi.new("struct ws_push[]", len(packets))
        keep_alive = [self._ffi.from_buffer(packet) for packet in packets]
        for number, (struct, data) in enumerate(zip(structs, keep_alive, strict=True)):
            struct.packet, struct.packet_len = self._ffi.cast("const uint8_t *", data), len(data)
            struct.at_us = number * gap_us
        check(self._lib.ws_generator_push(self._generator, port, structs, len(packets)))

    def push_left(self, port: int) -> int:
        return check(self._lib.ws_generator_push_left(self._generator, port))

    def _fill(self, struct: Any, stream: Stream) -> list[Any]:
        """Write a stream into its struct; what the struct points to must live until the core has copied it."""
        packet = self._ffi.from_buffer(stream.packet)
        ops = self._ffi.new("struct ws_op[]", len(stream.ops))
        alive = [packet, ops]
        for op, target in zip(stream.ops, ops, strict=True):
            values = self._ffi.new("uint64_t[]", op.list)
            alive.append(values)
            _copy(op, target, _PLAIN_OP)
            target.list, target.list_count = values, len(op.list)
        _copy(stream, struct, _PLAIN_STREAM)
        struct.packet, struct.packet_len = self._ffi.cast("const uint8_t *", packet), len(stream.packet)
        struct.ops, struct.op_count = ops, len(stream.ops)
        return alive


def _mask(ports: Sequence[int]) -> int:
    return sum(1 << port for port in set(ports))


def _copy(record: Op | Stream, struct: Any, names: Sequence[str]) -> None:
    for name in names:
        setattr(struct, name, getattr(record, name))


# Named once: a start may copy thousands of streams.
_PLAIN_OP = [field.name for field in fields(Op) if field.name != "list"]
_PLAIN_STREAM = [field.name for field in fields(Stream) if field.name not in ("packet", "ops")]
