"""The generator's control plane as a value: messages in, messages out, `tick` now and then.

No sockets and no sleeping here; `service` has those.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from wirespeed._native.generator import GeneratorSnapshot, NativeGenerator
from wirespeed.client.framing import pack
from wirespeed.errors import WirespeedError
from wirespeed.generator.calibration import Floor, calibrate
from wirespeed.generator.captures import Captures
from wirespeed.generator.changes import Changes
from wirespeed.generator.events import EventKind, EventQueues
from wirespeed.generator.memory import Memory
from wirespeed.generator.methods import METHODS
from wirespeed.generator.packet_groups import PacketGroups
from wirespeed.generator.port import ALL_PROFILES, Port, random_handle
from wirespeed.generator.port_hosts import Hosts
from wirespeed.generator.port_layers import own_mac
from wirespeed.generator.pushes import Pushes
from wirespeed.generator.registry import invoke
from wirespeed.generator.rpc import Json, RpcError, answer, failed, internal_error
from wirespeed.generator.sessions import Sessions
from wirespeed.generator.start_rules import StartRules
from wirespeed.generator.tagged_groups import TaggedUsers
from wirespeed.generator.traffic_statistics import KIND_PREFIX, CounterRates, RateMeter, global_stats, port_stats
from wirespeed.renamed import with_former_keys
from wirespeed.stolen_time import read_stolen_time
from wirespeed.units import line_rate_pps

PUBLISH_S = 0.5
COMPRESS_BYTES = 256
"""Published messages above this are compressed."""

FINISH_WATCH_S = 0.05
"""Interval of checks for programs that may end at any time, or should have ended."""

_JUST_AFTER_S = 0.001

PACKET_WATCH_S = 0.02
"""Interval of reading received packets while a client wants them."""

OWNER_TIMEOUT_S = 60.0

SHORTEST_NAP_S, LONGEST_NAP_S = 50e-6, 1e-3
"""Limits of the sleep of a worker without traffic. With the shortest it takes a third of a virtual CPU, with the
longest a thirtieth.
"""

_NAPPING_BPS, _SMALLEST_BYTES, _FILLED = 10e9, 64, 0.75
"""Rate and frame size of what may arrive during a nap, and the share of a receive ring that it may fill."""

_NOT_PUBLISHED = ("ts", KIND_PREFIX)
"""Prefixes of port counters that are not published: the first is published once for all ports, and T-Rex's clients do
not use the others."""

TRIGGER = b"{}"
"""Published when events wait to be fetched."""


class Server:
    """The server for clients. `dst_macs` are the destinations of packets that do not have their own.

    A port whose owner has been silent for `owner_timeout_s` stops sending; 0 lets it go on."""

    def __init__(
        self,
        core: NativeGenerator,
        dst_macs: Sequence[str | None] = (),
        owner_timeout_s: float = OWNER_TIMEOUT_S,
        rules: StartRules | None = None,
    ) -> None:
        self.core = core
        self.api_h = random_handle()
        self.started_at = time.time()
        self.memory = Memory()
        self.events = EventQueues(self.memory)
        macs = [*dst_macs, *[None] * core.port_count()]
        self.groups = PacketGroups(core)
        self.tagged = TaggedUsers(core)
        self.changes = Changes(core)
        held = self.groups, self.tagged, self.memory, self.changes, rules or StartRules()
        self.ports = [
            Port(index, core, macs[index] or self._pair_mac(index), self.emit, *held)
            for index in range(core.port_count())
        ]
        self.captures = Captures(core, self.memory)
        self.pushes = Pushes(core)
        self.hosts = Hosts(core, self.ports, self.pushes)
        self.sessions = Sessions(self.ports)
        self.floors: dict[int, Floor] = {}
        """The latency of the medium alone from each first port of a pair, where it was measured."""
        self.settings: Json = {"sched_max_stretch": 0.0, "process_at_cp": False, "do_mbuf_cache": False}
        """T-Rex's global settings, as clients set them."""
        self.has_listeners = True
        """True while a client receives published messages."""
        self.ending: str | None = None
        """Why the process is to end, once a client asked for that."""
        self._owner_timeout_s = owner_timeout_s
        self._peer = b""
        self._current: GeneratorSnapshot | None = None
        self.meter = RateMeter(self.snapshot)
        self._published_at_s = self.snapshot.at_s
        self._nap_s = 0.0  # none set yet
        self._ring_nap_s = ring_nap_s(min((port.info.rx_descriptors for port in self.ports), default=0))
        self._outbox: list[bytes] = []

    def _pair_mac(self, index: int) -> str:
        """The other port of the pair, which is right for two ports of a generator wired by layer 2."""
        other = index ^ 1 if index ^ 1 < self.core.port_count() else index
        return own_mac(self.core.port_info(other), other)

    @property
    def snapshot(self) -> GeneratorSnapshot:
        """Counters of all ports; one reading serves a whole message."""
        if self._current is None:
            self._current = self.core.snapshot()
        return self._current

    def emit(self, kind: EventKind, **data: Any) -> None:
        self.events.emit(kind, self.core.now_s(), **data)

    @property
    def asking(self) -> int | bytes:
        """The session whose message is answered now."""
        return self.sessions.who(self._peer)

    def handle(self, message: bytes, peer: bytes = b"") -> bytes:
        """The answer to one message; `peer` tells connections apart."""
        self._current, self._peer = None, peer
        # Objects made by a message with thousands of streams stay: repeated garbage collections while they grow
        # would double the time.
        gc.disable()
        try:
            return answer(message, self._invoke)
        finally:
            if self.changes.waiting:
                self.changes.rest(sum(port.traffic.running_profiles for port in self.ports))
            self._nap()
            gc.enable()

    def _invoke(self, name: str, params: Json) -> Any:
        try:
            self.sessions.heard(self._peer, params, self.core.now_s())
            return invoke(METHODS, self, name, params)
        except WirespeedError as error:
            raise failed(str(error)) from None
        except RpcError:
            raise
        except Exception as error:
            raise internal_error(name, error) from error

    def tick(self) -> None:
        """Notice what happened by itself, and publish the statistics when they are due."""
        self._current = None
        looks = (
            self.hosts.poll,
            self.captures.read,
            self.pushes.flush,
            self._look_at_ports,
            self.changes.make,
            self._nap,
        )
        for look in (*looks, self._publish_if_due):
            _guarded(look)

    def settle(self) -> None:
        """Nobody asks for more just now."""
        _guarded(self.changes.make)

    def _nap(self) -> None:
        if self._watches_packets:
            nap_s = SHORTEST_NAP_S  # the time of a packet is late by up to a nap
        elif any(port.owner is not None for port in self.ports):
            nap_s = self._ring_nap_s
        else:
            nap_s = LONGEST_NAP_S
        if nap_s != self._nap_s:
            self.core.set_nap(nap_s)
            self._nap_s = nap_s

    def _look_at_ports(self) -> None:
        for index in self.core.follow_links():
            address = self.ports[index].info.bus_address
            print(f"wirespeed: port {index}: its device {address} was removed; the others go on", file=sys.stderr)
        for port, traffic in zip(self.ports, self.snapshot.ports, strict=True):
            port.notice(traffic.active)
            self._check_owner(port)

    def _publish_if_due(self) -> None:
        if self.snapshot.at_s - self._published_at_s >= PUBLISH_S:
            self._published_at_s = self.snapshot.at_s
            self.meter.observe(self.snapshot)
            self.groups.observe()
            if self.has_listeners:  # it is the tester's CPU that would be taken for it
                self.publish()

    def _check_owner(self, port: Port) -> None:
        """Stop the traffic of a client that went away without a word."""
        if port.owner is None or not self._owner_timeout_s or not port.traffic.running:
            return
        silent_s = self.sessions.silent_s(port.owner.session_id, self.core.now_s())
        if silent_s > self._owner_timeout_s:
            who = f"its owner '{port.owner.user}' was silent for {silent_s:.0f} s"
            print(f"wirespeed: port {port.index} is stopped: {who}", file=sys.stderr)
            port.traffic.stop(ALL_PROFILES)

    @property
    def _watches_packets(self) -> bool:
        return self.captures.active or self.hosts.active or self.pushes.active

    @property
    def watch_s(self) -> float:
        """Seconds until the next check."""
        if self._watches_packets:
            return PACKET_WATCH_S
        now_s = self.core.now_s()
        ends = [left_s for port in self.ports if (left_s := port.traffic.ends_within_s(now_s)) is not None]
        soon_s = min(ends, default=PUBLISH_S)
        return min(PUBLISH_S, soon_s + _JUST_AFTER_S) if soon_s > 0 else FINISH_WATCH_S

    def calibrate(self) -> None:
        """Measure the baseline latency of all pairs; their packets have unused addresses."""
        able = [port for port in self.ports if port.can_be_promiscuous]
        for port in able:
            port.set_promiscuous(True)
        self.floors = calibrate(self.core)
        for port in able:
            port.set_promiscuous(False)

    def publish(self, baseline: bool = False) -> None:
        """Put the statistics of all ports into the outbox."""
        data: Json = {"ts": {"value": int(self.snapshot.at_s * 1e9), "freq": 1_000_000_000}} | self.global_stats()
        for port in self.ports:
            stats = self.port_stats(port).items()
            data |= {f"{name}-{port.index}": value for name, value in stats if not name.startswith(_NOT_PUBLISHED)}
        message: Json = {"name": "trex-global", "type": 0, "data": data | {"template": [], "unknown": 0}}
        if baseline:
            message["baseline"] = True
        payload = json.dumps(message, separators=(",", ":")).encode()
        self._outbox.append(pack(payload) if len(payload) > COMPRESS_BYTES else payload)

    def outgoing(self) -> list[bytes]:
        """Messages to publish now."""
        ready, self._outbox = self._outbox, []
        if self.events.triggers:
            self.events.triggers = 0
            ready.append(TRIGGER)
        return ready

    def port_stats(self, port: Port) -> Json:
        """The load of the CPU is that of the port's workers on average."""
        workers = self.core.port_workers[port.index]
        cpu_percent = sum(self.meter.cpu_percent[worker] for worker in workers) / len(workers)
        return port_stats(self.snapshot, port.index, self.rates(port), cpu_percent)

    def rates(self, port: Port) -> CounterRates:
        return self.meter.rates[port.index]

    def global_stats(self) -> Json:
        loads = [port.traffic.load for port in self.ports]
        return global_stats(
            self.snapshot, self.meter, sum(load.pps for load in loads), sum(load.l2_bps for load in loads)
        )

    def machine(self) -> Json:
        """`machine` of `get_global_stats`: steal and preemption of the workers in cumulative seconds, at the instant
        of the counters, so that disturbed samples can be detected."""
        snapshot, stolen = self.snapshot, read_stolen_time()
        workers = [
            with_former_keys(
                {
                    "cpu": cpu,
                    "preempted_s": load.preempted_s,
                    "preemptions": load.preemptions,
                    "longest_preemption_s": load.longest_preemption_s,
                }
            )
            for cpu, load in zip(self.core.worker_cpus, snapshot.workers, strict=True)
        ]
        return {"ts": snapshot.at_s, "steal_s": stolen.steal_s, "cpus": stolen.cpus, "workers": workers}

    def shut_down(self, cause: str) -> None:
        """Stop all traffic and tell the sessions that the server ends."""
        for port in self.ports:
            port.traffic.stop(ALL_PROFILES)
        self.changes.make()
        self.emit(EventKind.SERVER_STOPPED, cause=cause)


def ring_nap_s(slots: int) -> float:
    """How long a worker may sleep between two looks into a receive ring of that size. Pure.

    Three quarters of the ring hold what arrives meanwhile at 10 Gb/s, but 50 µs are never too long: shorter sleeps cost
    as much as none."""
    arriving_pps = line_rate_pps(_SMALLEST_BYTES, _NAPPING_BPS)
    return min(max(_FILLED * slots / arriving_pps, SHORTEST_NAP_S), LONGEST_NAP_S)


def _guarded(look: Callable[[], object]) -> None:
    try:
        look()
    except Exception as error:
        # A fault in one part must not end the others, nor the traffic.
        print(f"wirespeed: {type(error).__name__}: {error}", file=sys.stderr)
