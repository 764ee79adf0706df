"""The traffic generator of the native core: streams in, counters out.

`NativeGenerator` is what the control plane needs of it. `NativeGenerator` is the real one; unit tests use the one in
`fake_generator`. Field names are those of native/include/wirespeed.h, which says what they mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from wirespeed._native import runtime
from wirespeed._native.flow_records import (
    FLOW_FIELDS,
    CapturedPacket,
    CaptureWhat,
    FlowFaults,
    FlowKind,
    FlowsSnapshot,
    LatencyCounters,
    ProfileState,
    Tagged,
    TagVlans,
)
from wirespeed._native.runtime import check, core, from_struct
from wirespeed._native.stream_records import Stream
from wirespeed._native.stream_rows import StreamRows
from wirespeed.seam.ports import PoolInfo, PortInfo

_NOT_COUNTED = (1 << 64) - 1
_CAPTURE_READ_PACKETS, _CAPTURE_READ_BYTES = 256, 1 << 18


ALL_CORES = (1 << 64) - 1
"""A start may choose among a port's cores, by bits."""


@dataclass(frozen=True)
class FrameKinds:
    """Frames received that no load consists of."""

    icmp_error: int = 0
    icmp6_error: int = 0
    arp: int = 0
    nd: int = 0
    lldp: int = 0
    control: int = 0


@dataclass(frozen=True)
class PortTraffic:
    """Counters of one port since start; bytes with FCS. `active`: a profile of it has not ended.

    intended = tx + refused + no_buffer + late, at each snapshot. Pushed packets are sent in addition to the streams.
    Pause frames are None where the driver counts none.
    """

    tx_packets: int = 0
    tx_bytes: int = 0
    pushed_packets: int = 0
    pushed_bytes: int = 0
    rx_packets: int = 0
    rx_bytes: int = 0
    intended_packets: int = 0
    refused_packets: int = 0
    no_buffer_packets: int = 0
    late_packets: int = 0
    rx_missed: int = 0
    rx_errors: int = 0
    tx_errors: int = 0
    rx_pause_frames: int | None = None
    tx_pause_frames: int | None = None
    rx_kinds: FrameKinds = FrameKinds()
    active: bool = False
    paused: bool = False


@dataclass(frozen=True)
class WorkerLoad:
    """Clocks of one worker since start; busy ones are of loops that sent or received.

    A preemption lasts 0.2 ms or more: dev/preemption.h. `sending` are the ports on which it has
    something to send, as bits.
    """

    sending: int = 0
    loops: int = 0
    busy_clocks: int = 0
    total_clocks: int = 0
    preemptions: int = 0
    preempted_s: float = 0.0
    longest_preemption_s: float = 0.0


@dataclass(frozen=True)
class GeneratorSnapshot:
    """All ports and workers at one instant of the monotonic clock."""

    at_s: float
    ports: tuple[PortTraffic, ...]
    workers: tuple[WorkerLoad, ...]


class NativeGenerator:
    """Serves all open ports; port i belongs to worker i modulo the number of workers, unless `port_workers` says
    which of them serve it. Calls raise errors of `wirespeed.errors`.

    A stream sends its `rate_pps` times the port's factor (unless it has a fixed rate) times its own, which is 1 when it
    starts.

    Made after `runtime.start_runtime` and `runtime.open_ports`, closed before `runtime.close`.
    """

    def __init__(self, worker_cpus: Sequence[int], port_count: int, port_workers: Sequence[Sequence[int]] = ()) -> None:
        self.worker_cpus = tuple(worker_cpus)
        self._ports = port_count
        self._lib, self._ffi = core().lib, core().ffi
        self._tsc_hz = float(self._lib.ws_tsc_hz())
        served = port_workers or [(port % len(self.worker_cpus),) for port in range(port_count)]
        masks = [sum(1 << worker for worker in set(workers)) for workers in served]
        self._generator = self._lib.ws_generator_create(masks)
        if self._generator == self._ffi.NULL:
            check(-1)
        self.port_workers = tuple(
            tuple(sorted(set(workers))[: runtime.port_info(port).tx_queues]) for port, workers in enumerate(served)
        )
        check(self._lib.ws_generator_start_workers(self._generator))

    @property
    def handle(self) -> Any:
        """The handle of the generator in the core's functions, for the bindings of other subjects."""
        return self._generator

    def close(self) -> None:
        """Stop traffic and workers."""
        self._lib.ws_generator_destroy(self._generator)

    def port_count(self) -> int:
        return self._ports

    def port_info(self, port: int) -> PortInfo:
        return runtime.port_info(port)

    def link_losses(self, port: int) -> int | None:
        return runtime.link_losses(port)

    def extended_counters(self, port: int) -> dict[str, int]:
        return runtime.extended_counters(port)

    def pools(self) -> tuple[PoolInfo, ...]:
        return runtime.pools()

    def now_s(self) -> float:
        return int(self._lib.ws_tsc()) / self._tsc_hz

    def snapshot(self) -> GeneratorSnapshot:
        ports = self._ffi.new("struct ws_generator_port[]", self._ports)
        workers = self._ffi.new("struct ws_generator_worker[]", len(self.worker_cpus))
        tsc = self._ffi.new("uint64_t *")
        check(self._lib.ws_generator_counters(self._generator, ports, workers, tsc))
        return GeneratorSnapshot(
            int(tsc[0]) / self._tsc_hz,
            tuple(map(_traffic, ports)),
            tuple(from_struct(WorkerLoad, worker) for worker in workers),
        )

    def set_nap(self, nap_s: float) -> None:
        """How long idle workers sleep between two looks for packets: below a second, 50 µs at first. Receive rings must
        hold what arrives meanwhile. When this returns, no longer sleep is under way."""
        self._lib.ws_generator_set_nap(self._generator, round(nap_s * 1e9))

    def follow_links(self) -> tuple[int, ...]:
        """The ports whose device was taken out since the last call; the core has let go of them."""
        return runtime.ports_in(self._lib.ws_generator_follow_links(self._generator))

    def set_promiscuous(self, port: int, on: bool) -> None:
        check(self._lib.ws_port_set_promiscuous(port, on))

    def set_link(self, port: int, up: bool) -> None:
        check(self._lib.ws_port_set_link(port, up))

    def set_led(self, port: int, on: bool) -> None:
        runtime.set_led(port, on)

    def flow_control(self, port: int) -> int | None:
        return runtime.flow_control(port)

    def set_flow_control(self, port: int, mode: int) -> None:
        runtime.set_flow_control(port, mode)

    def start(
        self,
        port: int,
        streams: Sequence[Stream],
        factor: float,
        duration_s: float,
        *,
        profile: int = 0,
        start_at_s: float = 0.0,
        cores: int = ALL_CORES,
    ) -> None:
        rows = StreamRows(streams)
        start_tsc = max(0, round(start_at_s * self._tsc_hz))
        check(
            self._lib.ws_generator_start(
                self._generator, port, profile, rows.structs, len(streams), factor, duration_s, start_tsc, cores
            )
        )

    def stop(self, port: int, profiles: Iterable[int] | None = None) -> None:
        if profiles is None:
            check(self._lib.ws_generator_stop_port(self._generator, port))
        else:
            numbers = sorted(set(profiles))
            check(self._lib.ws_generator_stop(self._generator, port, numbers, len(numbers)))

    def pause(self, port: int, paused: bool, profiles: Iterable[int] = (0,)) -> int:
        """Number of the profiles that have traffic; only those change. `set_factors` of (profile, factor) likewise."""
        numbers = sorted(set(profiles))
        return check(self._lib.ws_generator_pause(self._generator, port, numbers, len(numbers), paused))

    def set_factors(self, port: int, factors: Iterable[tuple[int, float]]) -> int:
        ascending = sorted(dict(factors).items())
        numbers, values = [one for one, _ in ascending], [factor for _, factor in ascending]
        return check(self._lib.ws_generator_set_factors(self._generator, port, numbers, values, len(numbers)))

    def pause_stream(self, port: int, stream_id: int, paused: bool, *, profile: int = 0) -> None:
        check(self._lib.ws_generator_pause_stream(self._generator, port, profile, stream_id, paused))

    def set_stream_factor(self, port: int, stream_id: int, factor: float, *, profile: int = 0) -> None:
        check(self._lib.ws_generator_set_stream_factor(self._generator, port, profile, stream_id, factor))

    def profiles(self, port: int) -> tuple[ProfileState, ...]:
        count = check(self._lib.ws_generator_profiles(self._generator, port, self._ffi.NULL, 0))
        structs = self._ffi.new("struct ws_profile_state[]", count)
        check(self._lib.ws_generator_profiles(self._generator, port, structs, count))
        return tuple(from_struct(ProfileState, struct) for struct in structs)

    def check_flow(self, stream: Stream) -> None:
        rows = StreamRows([stream])
        check(self._lib.ws_stream_check_flow(rows.structs))

    def flows(self, kind: FlowKind, ids: Sequence[int]) -> FlowsSnapshot:
        structs = self._ffi.new("struct ws_flow[]", len(ids) * self._ports)
        tsc = self._ffi.new("uint64_t *")
        check(self._lib.ws_generator_flows(self._generator, kind, list(ids), len(ids), structs, tsc))
        width = FLOW_FIELDS * self._ports
        numbers = memoryview(self._ffi.buffer(structs)).cast("Q").tolist() if ids else []
        counts = {number: tuple(numbers[i * width : (i + 1) * width]) for i, number in enumerate(ids)}
        return FlowsSnapshot(int(tsc[0]) / self._tsc_hz, counts)

    def latencies(self, ids: Sequence[int]) -> dict[int, LatencyCounters]:
        structs = self._ffi.new("struct ws_latency[]", len(ids))
        check(self._lib.ws_generator_latency(self._generator, list(ids), len(ids), structs))
        return {number: self._latency(struct) for number, struct in zip(ids, structs, strict=True)}

    def _latency(self, struct: Any) -> LatencyCounters:
        histogram = tuple(memoryview(self._ffi.buffer(struct.histogram)).cast("Q"))
        first, end = struct.hdr_first, struct.hdr_end
        counts = memoryview(self._ffi.buffer(struct.hdr)).cast("Q")[first:end].tolist()
        return from_struct(
            LatencyCounters, struct, histogram=histogram, hdr=tuple(compress(enumerate(counts, first), counts))
        )

    def flow_faults(self) -> FlowFaults:
        struct = self._ffi.new("struct ws_flow_faults *")
        check(self._lib.ws_generator_flow_faults(self._generator, struct))
        return from_struct(FlowFaults, struct)

    def reset_flows(self, kind: FlowKind, ids: Sequence[int]) -> None:
        check(self._lib.ws_generator_reset_flows(self._generator, kind, list(ids), len(ids)))

    def tag(self, port: int, receives: bool, groups: int, tags: Sequence[TagVlans]) -> None:
        check(self._lib.ws_generator_tag(self._generator, port, receives, groups, self._tags(tags), len(tags)))

    def end_tagging(self, port: int) -> None:
        self._lib.ws_generator_end_tagging(self._generator, port)

    def retag(self, port: int, tags: Sequence[TagVlans]) -> None:
        check(self._lib.ws_generator_retag(self._generator, port, self._tags(tags), len(tags)))

    def _tags(self, tags: Sequence[TagVlans]) -> Any:
        return self._ffi.new("struct ws_tag[]", [(tag.first, tag.second) for tag in tags])

    def tagged(self, port: int, group: int, first: int, count: int) -> tuple[Tagged, ...]:
        structs = self._ffi.new("struct ws_tagged[]", count)
        check(self._lib.ws_generator_tagged(self._generator, port, group, first, count, structs))
        return tuple(from_struct(Tagged, struct) for struct in structs)

    def clear_tagged(self, port: int, group: int, first: int, count: int) -> None:
        check(self._lib.ws_generator_clear_tagged(self._generator, port, group, first, count))

    def tagged_sent(self, port: int, group: int) -> tuple[int, int]:
        """Packets and bytes since the port was tagged."""
        packets, sent = self._ffi.new("uint64_t *"), self._ffi.new("uint64_t *")
        check(self._lib.ws_generator_tagged_sent(self._generator, port, group, packets, sent))
        return int(packets[0]), int(sent[0])

    def unknown_tags(self, port: int, forget: bool = False) -> tuple[tuple[int, TagVlans], ...]:
        """The first packets with a tag without a number: their group and tag. `forget` clears the list."""
        structs = self._ffi.new("struct ws_unknown_tag[]", self._lib.WS_UNKNOWN_TAGS)
        count = check(self._lib.ws_generator_unknown_tags(self._generator, port, forget, structs))
        return tuple((one.group, TagVlans(one.tag.first, one.tag.second)) for one in structs[0:count])

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

    def read_capture(self, capture: int, limit: int) -> tuple[CapturedPacket, ...]:
        most = min(limit, _CAPTURE_READ_PACKETS)
        structs = self._ffi.new("struct ws_captured[]", most)
        room = self._ffi.new("uint8_t[]", _CAPTURE_READ_BYTES)
        taken: list[CapturedPacket] = []
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
                    CapturedPacket(struct.tsc / self._tsc_hz, struct.port, bool(struct.is_tx), struct.packet_len, data)
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


def _traffic(struct: Any) -> PortTraffic:
    return from_struct(
        PortTraffic,
        struct,
        rx_pause_frames=_counted(struct.rx_pause_frames),
        tx_pause_frames=_counted(struct.tx_pause_frames),
        rx_kinds=from_struct(FrameKinds, struct.rx_kinds),
    )


def _counted(value: int) -> int | None:
    """None where the driver does not count."""
    return None if value == _NOT_COUNTED else value


def _mask(ports: Sequence[int]) -> int:
    return sum(1 << port for port in set(ports))
