"""A generator without a data plane, for unit tests: packets are numbers, and time moves when it is told to.

What port 0 sends, port 1 receives, and so on in pairs. Only continuous streams send; bursts last until `finish`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wirespeed._native.generator import PortTraffic, Snapshot, Stream, StreamMode, WorkerLoad
from wirespeed._native.runtime import PoolInfo, PortCounters, PortInfo
from wirespeed.errors import EnvironmentFault
from wirespeed.units import FCS_BYTES, MIN_FRAME_BYTES


@dataclass
class _Run:
    streams: dict[int, Stream]
    factor: float
    ends_at_s: float | None
    factors: dict[int, float] = field(default_factory=dict)
    paused: set[int] = field(default_factory=set)


class FakeGenerator:
    """`calls` lists what the control plane asked for, newest last."""

    def __init__(self, ports: int = 2, speed_bps: int = 10_000_000_000) -> None:
        self.worker_cpus: tuple[int, ...] = (0,)
        self.calls: list[tuple[object, ...]] = []
        self._time_s = 1000.0
        self._traffic = [PortTraffic() for _ in range(ports)]
        self._runs: dict[int, _Run] = {}
        self._infos = [_info(port, speed_bps) for port in range(ports)]

    def advance(self, seconds: float) -> None:
        """Let time pass: running continuous streams send, runs whose duration is over end."""
        for port, run in list(self._runs.items()):
            if self._traffic[port].paused:
                continue
            left = seconds if run.ends_at_s is None else min(seconds, run.ends_at_s - self._time_s)
            for stream in run.streams.values():
                if stream.mode is StreamMode.CONTINUOUS and stream.enabled and stream.id not in run.paused:
                    factor = (1.0 if stream.fixed_rate else run.factor) * run.factors.get(stream.id, 1.0)
                    self._carry(port, round(stream.rate_pps * factor * left), len(stream.packet))
            if run.ends_at_s is not None and self._time_s + seconds >= run.ends_at_s:
                self.finish(port)
        self._time_s += seconds

    def finish(self, port: int) -> None:
        """The port's program comes to its end by itself."""
        del self._runs[port]
        self._traffic[port] = replace(self._traffic[port], active=False, paused=False)

    def set_link_state(self, port: int, up: bool) -> None:
        """The cable is pulled or plugged."""
        self._infos[port] = replace(self._infos[port], link_up=up)

    def _carry(self, port: int, packets: int, length: int) -> None:
        size = packets * max(MIN_FRAME_BYTES, length + FCS_BYTES)
        mine, peer = self._traffic[port], self._traffic[port ^ 1]
        self._traffic[port] = replace(
            mine,
            tx_packets=mine.tx_packets + packets,
            tx_bytes=mine.tx_bytes + size,
            asked_packets=mine.asked_packets + packets,
        )
        self._traffic[port ^ 1] = replace(peer, rx_packets=peer.rx_packets + packets, rx_bytes=peer.rx_bytes + size)

    def port_count(self) -> int:
        return len(self._infos)

    def port_info(self, port: int) -> PortInfo:
        return self._infos[port]

    def driver_counters(self, port: int) -> PortCounters:
        seen = self._traffic[port]
        return PortCounters(
            seen.rx_packets,
            seen.tx_packets,
            seen.rx_bytes - FCS_BYTES * seen.rx_packets,
            seen.tx_bytes - FCS_BYTES * seen.tx_packets,
            rx_missed=0,
            rx_errors=0,
            tx_errors=0,
            rx_no_buffer=0,
        )

    def pool(self) -> PoolInfo:
        return PoolInfo("packets", 2048, 8192, 8000)

    def worker_loads(self) -> tuple[WorkerLoad, ...]:
        clocks = int(self._time_s * 1e9)
        return (WorkerLoad(loops=clocks // 100, busy_clocks=clocks // 4, total_clocks=clocks),)

    def now_s(self) -> float:
        return self._time_s

    def snapshot(self) -> Snapshot:
        self.calls.append(("snapshot",))
        return Snapshot(self._time_s, tuple(self._traffic))

    def set_promiscuous(self, port: int, on: bool) -> None:
        self.calls.append(("set_promiscuous", port, on))
        self._infos[port] = replace(self._infos[port], promiscuous=on)

    def set_link(self, port: int, up: bool) -> None:
        self.calls.append(("set_link", port, up))
        self.set_link_state(port, up)

    def start(self, port: int, streams: Sequence[Stream], factor: float, duration_s: float) -> None:
        self.calls.append(("start", port, tuple(streams), factor, duration_s))
        if port in self._runs:
            raise EnvironmentFault(f"port {port} sends already")
        ends_at_s = None if duration_s < 0 else self._time_s + duration_s
        self._runs[port] = _Run({stream.id: stream for stream in streams}, factor, ends_at_s)
        self._traffic[port] = replace(self._traffic[port], active=True, paused=False)

    def stop(self, port: int) -> None:
        self.calls.append(("stop", port))
        if port in self._runs:
            self.finish(port)

    def pause(self, port: int, paused: bool) -> None:
        self.calls.append(("pause", port, paused))
        self._traffic[port] = replace(self._traffic[port], paused=paused)

    def set_factor(self, port: int, factor: float) -> None:
        self.calls.append(("set_factor", port, factor))
        self._runs[port].factor = factor

    def pause_stream(self, port: int, stream_id: int, paused: bool) -> None:
        self.calls.append(("pause_stream", port, stream_id, paused))
        run = self._runs[port]
        run.paused = run.paused | {stream_id} if paused else run.paused - {stream_id}

    def set_stream_factor(self, port: int, stream_id: int, factor: float) -> None:
        self.calls.append(("set_stream_factor", port, stream_id, factor))
        self._runs[port].factors[stream_id] = factor


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
        speed_bps=speed_bps,
        numa=-1,
        mtu=1500,
        max_mtu=9198,
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
