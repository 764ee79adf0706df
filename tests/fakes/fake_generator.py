"""A generator without a data plane, for unit tests: packets are numbers, and time moves on request.

Port 1 receives what port 0 sends, and so on in pairs. Only continuous streams send; bursts last until `finish`. Pushed
packets arrive at once. `wire` puts a packet on a port's link, as a neighbour would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field, replace

from wirespeed._native.flow_records import (
    CapturedPacket,
    CaptureWhat,
    FlowCounters,
    FlowFaults,
    FlowKind,
    FlowsSnapshot,
    LatencyCounters,
    ProfileState,
    Tagged,
    TagVlans,
)
from wirespeed._native.generator import ALL_CORES, GeneratorSnapshot, PortTraffic, WorkerLoad
from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.seam.ports import PoolInfo, PortInfo, PortMedium
from wirespeed.units import FCS_BYTES, MIN_FRAME_BYTES


@dataclass
class _Run:
    streams: dict[int, Stream]
    factor: float
    ends_at_s: float | None
    starts_at_s: float = 0.0
    paused: bool = False
    cores: int = ALL_CORES
    factors: dict[int, float] = field(default_factory=dict)
    paused_streams: set[int] = field(default_factory=set)


@dataclass
class _Capture:
    tx_ports: frozenset[int]
    rx_ports: frozenset[int]
    slots: int
    snap_len: int
    what: CaptureWhat
    missed: int = 0
    packets: list[CapturedPacket] = field(default_factory=list)


class FakeGenerator:
    """`calls` lists the calls of the control plane, newest last. `workers` is the number of workers per port, in
    T-Rex's order: pairs of ports share them.
    """

    def __init__(self, ports: int = 2, speed_bps: int = 10_000_000_000, workers: int = 0) -> None:
        self.worker_cpus: tuple[int, ...] = tuple(range((ports + 1) // 2 * workers)) or (0,)
        self.port_workers: tuple[tuple[int, ...], ...] = tuple(
            tuple(range(port // 2 * workers, (port // 2 + 1) * workers)) or (0,) for port in range(ports)
        )
        self.calls: list[tuple[object, ...]] = []
        self._time_s = 1000.0
        self._traffic = [PortTraffic() for _ in range(ports)]
        self._runs: dict[tuple[int, int], _Run] = {}
        self._flows: dict[tuple[FlowKind, int], list[FlowCounters]] = {}
        self._captures: dict[int, _Capture] = {}
        self.latency: dict[int, LatencyCounters] = {}
        self.faults = FlowFaults()
        self.flow_controls: dict[int, int] = {}
        """By port, for ports with flow control."""
        self.preemption = WorkerLoad()
        """The worker's preemptions; the other fields follow the time."""
        self.removed: tuple[int, ...] = ()
        self.nap_s = 50e-6
        self.tags: dict[int, tuple[bool, int, tuple[TagVlans, ...]]] = {}
        """By port with tagged packet groups: whether it receives, the number of groups, and the tags."""
        self.tagged_counts: dict[tuple[int, int, int], Tagged] = {}
        """By port, group and place."""
        self.unknown: list[tuple[int, TagVlans]] = []
        """Packets that ports received with an unknown tag."""
        self.tag_faults: dict[int, str] = {}
        """By port, the reason why it cannot be tagged."""
        self._infos = [_info(port, speed_bps) for port in range(ports)]

    def close(self) -> None:
        self.calls.append(("close",))

    def advance(self, seconds: float) -> None:
        """Let time pass: running continuous streams send, and runs whose duration is over end."""
        for (port, profile), run in list(self._runs.items()):
            if run.paused:
                continue
            begin_s = max(self._time_s, run.starts_at_s)
            end_s = self._time_s + seconds
            left = max(0.0, (end_s if run.ends_at_s is None else min(end_s, run.ends_at_s)) - begin_s)
            for stream in run.streams.values():
                if stream.mode is StreamMode.CONTINUOUS and stream.enabled and stream.id not in run.paused_streams:
                    factor = (1.0 if stream.fixed_rate else run.factor) * run.factors.get(stream.id, 1.0)
                    self._carry(port, round(stream.rate_pps * factor * left), stream)
            if run.ends_at_s is not None and end_s >= run.ends_at_s:
                self.finish(port, profile=profile)
        self._time_s += seconds

    def finish(self, port: int, *, profile: int = 0) -> None:
        """The profile ends by itself."""
        del self._runs[port, profile]
        self._settle(port)

    def wire(self, port: int, packet: bytes, *, is_tx: bool = False) -> None:
        """The packet passes on the port's link, and captures get it."""
        for capture in self._captures.values():
            if port not in (capture.tx_ports if is_tx else capture.rx_ports):
                continue
            if capture.what is CaptureWhat.CONTROL and not _is_control(packet):
                continue
            if len(capture.packets) == capture.slots:
                capture.missed += 1
                continue
            kept = packet[: capture.snap_len or None]
            capture.packets.append(CapturedPacket(self._time_s, port, is_tx, len(packet), kept))

    def _settle(self, port: int) -> None:
        runs = [run for (one, _), run in self._runs.items() if one == port]
        paused = bool(runs) and all(run.paused for run in runs)
        self._traffic[port] = replace(self._traffic[port], active=bool(runs), paused=paused)

    def count(self, port: int, **counters: object) -> None:
        """Set the counters of the port."""
        self._traffic[port] = replace(self._traffic[port], **counters)  # type: ignore[arg-type]

    def set_medium(self, port: int, medium: PortMedium) -> None:
        """Set the medium of the port."""
        self._infos[port] = replace(self._infos[port], medium=medium)

    def set_link_state(self, port: int, up: bool) -> None:
        """Pull or plug the port's cable."""
        self._infos[port] = replace(self._infos[port], link_up=up)

    def _carry(self, port: int, packets: int, stream: Stream) -> None:
        if stream.is_null:
            return
        size = packets * max(MIN_FRAME_BYTES, len(stream.packet) + FCS_BYTES)
        mine, peer = self._traffic[port], self._traffic[port ^ 1]
        self._traffic[port] = replace(
            mine,
            tx_packets=mine.tx_packets + packets,
            tx_bytes=mine.tx_bytes + size,
            intended_packets=mine.intended_packets + packets,
        )
        self._traffic[port ^ 1] = replace(peer, rx_packets=peer.rx_packets + packets, rx_bytes=peer.rx_bytes + size)
        if stream.flow_kind is not FlowKind.NONE:
            flow = self._flow(stream.flow_kind, stream.flow_id)
            sent, seen = flow[port], flow[port ^ 1]
            flow[port] = replace(sent, tx_packets=sent.tx_packets + packets, tx_bytes=sent.tx_bytes + size)
            flow[port ^ 1] = replace(seen, rx_packets=seen.rx_packets + packets, rx_bytes=seen.rx_bytes + size)

    def _flow(self, kind: FlowKind, flow_id: int) -> list[FlowCounters]:
        return self._flows.setdefault((kind, flow_id), [FlowCounters() for _ in self._traffic])

    def port_count(self) -> int:
        return len(self._infos)

    def port_info(self, port: int) -> PortInfo:
        return self._infos[port]

    def link_losses(self, port: int) -> int | None:
        return None

    def extended_counters(self, port: int) -> dict[str, int]:
        seen = self._traffic[port]
        return {
            "rx_good_packets": seen.rx_packets,
            "tx_good_packets": seen.tx_packets,
            "rx_q0_packets": seen.rx_packets,
            "tx_q0_packets": seen.tx_packets,
        }

    def pools(self) -> tuple[PoolInfo, ...]:
        return (PoolInfo("default-numa-0", 2048, 8192, 8000),)

    def now_s(self) -> float:
        return self._time_s

    def snapshot(self) -> GeneratorSnapshot:
        self.calls.append(("snapshot",))
        clocks = int(self._time_s * 1e9)
        load = replace(self.preemption, loops=clocks // 100, busy_clocks=clocks // 4, total_clocks=clocks)
        loads = tuple(replace(load, sending=self._sending(worker)) for worker in range(len(self.worker_cpus)))
        return GeneratorSnapshot(self._time_s, tuple(self._traffic), loads)

    def _sending(self, worker: int) -> int:
        """Bit set of the ports on which it sends."""
        return sum(
            {
                1 << port
                for (port, _), run in self._runs.items()
                for core, one in enumerate(self.port_workers[port])
                if one == worker and run.cores >> core & 1
            }
        )

    def set_nap(self, nap_s: float) -> None:
        self.nap_s = nap_s

    def follow_links(self) -> tuple[int, ...]:
        removed, self.removed = self.removed, ()
        return removed

    def set_promiscuous(self, port: int, on: bool) -> None:
        self.calls.append(("set_promiscuous", port, on))
        self._infos[port] = replace(self._infos[port], promiscuous=on)

    def set_link(self, port: int, up: bool) -> None:
        self.calls.append(("set_link", port, up))
        self.set_link_state(port, up)

    def set_led(self, port: int, on: bool) -> None:
        raise EnvironmentFault(f"port p{port}: driver {self._infos[port].driver} has no LED")

    def flow_control(self, port: int) -> int | None:
        return self.flow_controls.get(port)

    def set_flow_control(self, port: int, mode: int) -> None:
        if port not in self.flow_controls:
            raise EnvironmentFault(f"port p{port}: driver {self._infos[port].driver} has no flow control")
        self.flow_controls[port] = mode

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
        self.calls.append(("start", port, tuple(streams), factor, duration_s))
        if (port, profile) in self._runs:
            raise EnvironmentFault(f"port {port} sends profile {profile} already")
        starts_at_s = max(start_at_s, self._time_s)
        ends_at_s = None if duration_s < 0 else starts_at_s + duration_s
        by_id = {stream.id: stream for stream in streams}
        self._runs[port, profile] = _Run(by_id, factor, ends_at_s, starts_at_s, cores=cores)
        self._settle(port)

    def stop(self, port: int, profiles: Iterable[int] | None = None) -> None:
        self.calls.append(("stop", port))
        chosen = None if profiles is None else set(profiles)
        for one, number in list(self._runs):
            if one == port and (chosen is None or number in chosen):
                self.finish(port, profile=number)

    def pause(self, port: int, paused: bool, profiles: Iterable[int] = (0,)) -> int:
        self.calls.append(("pause", port, paused))
        runs = self._those(port, profiles)
        for run in runs.values():
            run.paused = paused
        self._settle(port)
        return len(runs)

    def set_factors(self, port: int, factors: Iterable[tuple[int, float]]) -> int:
        wanted = dict(factors)
        self.calls.append(("set_factors", port, wanted))
        runs = self._those(port, wanted)
        for number, run in runs.items():
            run.factor = wanted[number]
        return len(runs)

    def _those(self, port: int, profiles: Iterable[int]) -> dict[int, _Run]:
        return {number: self._runs[port, number] for number in profiles if (port, number) in self._runs}

    def pause_stream(self, port: int, stream_id: int, paused: bool, *, profile: int = 0) -> None:
        self.calls.append(("pause_stream", port, stream_id, paused))
        run = self._runs[port, profile]
        run.paused_streams = run.paused_streams | {stream_id} if paused else run.paused_streams - {stream_id}

    def set_stream_factor(self, port: int, stream_id: int, factor: float, *, profile: int = 0) -> None:
        self.calls.append(("set_stream_factor", port, stream_id, factor))
        self._runs[port, profile].factors[stream_id] = factor

    def profiles(self, port: int) -> tuple[ProfileState, ...]:
        return tuple(ProfileState(profile, run.paused) for (one, profile), run in self._runs.items() if one == port)

    def check_flow(self, stream: Stream) -> None:
        self.calls.append(("check_flow", stream.flow_kind, len(stream.packet)))
        has_tail = stream.flow_kind is FlowKind.LATENCY or stream.flow_signature
        if stream.packet[12:14] not in _COUNTED and not has_tail:
            need = "flow statistics need an IPv4 or IPv6 packet; VLAN tags may precede it"
            raise UsageError(f"stream {stream.id}: {need}")

    def flows(self, kind: FlowKind, ids: Sequence[int]) -> FlowsSnapshot:
        counts = {
            number: tuple(count for flow in self._flow(kind, number) for count in astuple(flow)) for number in ids
        }
        return FlowsSnapshot(self._time_s, counts)

    def latencies(self, ids: Sequence[int]) -> dict[int, LatencyCounters]:
        return {number: self.latency.get(number, LatencyCounters()) for number in ids}

    def flow_faults(self) -> FlowFaults:
        return self.faults

    def reset_flows(self, kind: FlowKind, ids: Sequence[int]) -> None:
        self.calls.append(("reset_flows", kind, tuple(ids)))
        for number in ids:
            self._flows.pop((kind, number), None)
            if kind is FlowKind.LATENCY:
                self.latency.pop(number, None)

    def tag(self, port: int, receives: bool, groups: int, tags: Sequence[TagVlans]) -> None:
        self.calls.append(("tag", port, receives, groups, tuple(tags)))
        if port in self.tag_faults:
            raise EnvironmentFault(self.tag_faults[port])
        self.tags[port] = receives, groups, tuple(tags)

    def end_tagging(self, port: int) -> None:
        self.calls.append(("end_tagging", port))
        self.tags.pop(port, None)

    def retag(self, port: int, tags: Sequence[TagVlans]) -> None:
        receives, groups, _ = self.tags[port]
        self.tags[port] = receives, groups, tuple(tags)

    def tagged(self, port: int, group: int, first: int, count: int) -> tuple[Tagged, ...]:
        return tuple(self.tagged_counts.get((port, group, at), Tagged()) for at in range(first, first + count))

    def clear_tagged(self, port: int, group: int, first: int, count: int) -> None:
        for at in range(first, first + count):
            self.tagged_counts.pop((port, group, at), None)

    def tagged_sent(self, port: int, group: int) -> tuple[int, int]:
        sent = self._flow(FlowKind.TAGGED, group)[port]
        return sent.tx_packets, sent.tx_bytes

    def unknown_tags(self, port: int, forget: bool = False) -> tuple[tuple[int, TagVlans], ...]:
        told = tuple(self.unknown)
        if forget:
            self.unknown = []
        return told

    def start_capture(
        self,
        tx_ports: Sequence[int],
        rx_ports: Sequence[int],
        slots: int,
        *,
        snap_len: int = 0,
        what: CaptureWhat = CaptureWhat.ALL,
    ) -> int:
        number = next(number for number in range(len(self._captures) + 1) if number not in self._captures)
        self._captures[number] = _Capture(frozenset(tx_ports), frozenset(rx_ports), slots, snap_len, what)
        return number

    def read_capture(self, capture: int, limit: int) -> tuple[CapturedPacket, ...]:
        waiting = self._captures[capture].packets
        taken = tuple(waiting[:limit])
        del waiting[:limit]
        return taken

    def capture_missed(self, capture: int) -> int:
        return self._captures[capture].missed

    def stop_capture(self, capture: int) -> None:
        del self._captures[capture]

    def push(self, port: int, packets: Sequence[bytes], gap_us: float) -> None:
        self.calls.append(("push", port, tuple(packets), gap_us))
        for packet in packets:
            self._carry(port, 1, Stream(0, packet))
            self.wire(port, packet, is_tx=True)
            self.wire(port ^ 1, packet)

    def push_left(self, port: int) -> int:
        return 0


_COUNTED = (b"\x08\x00", b"\x86\xdd", b"\x81\x00", b"\x88\xa8")
"""Ethernet types in which the core looks for an IP header."""


def _is_control(packet: bytes) -> bool:
    """True for ARP, ICMP or ICMPv6, in up to two VLAN tags."""
    at = 12
    while packet[at : at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    kind = packet[at : at + 2]
    if kind == b"\x08\x00":
        return packet[at + 11 : at + 12] == b"\x01"
    return kind == b"\x08\x06" or (kind == b"\x86\xdd" and packet[at + 8 : at + 9] == b"\x3a")


def _info(port: int, speed_bps: int) -> PortInfo:
    return PortInfo(
        name=f"p{port}",
        driver="net_memif",
        bus_address="",
        mac=f"02:00:00:00:00:{port + 1:02x}",
        link_up=True,
        started=True,
        is_virtual=True,
        promiscuous=True,
        removed=False,
        speed_bps=speed_bps,
        most_speed_bps=0,
        medium=PortMedium.RING,
        numa=-1,
        mtu=1500,
        max_mtu=9198,
        longest_tx=1522,
        longest_rx=1522,
        rx_queues=1,
        tx_queues=1,
        max_rx_queues=1,
        max_tx_queues=1,
        rx_descriptors=1024,
        tx_descriptors=1024,
        min_rx_descriptors=64,
        max_rx_descriptors=4096,
        min_tx_descriptors=64,
        max_tx_descriptors=4096,
    )
