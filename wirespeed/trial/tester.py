"""A tester: ports of a generator, and the wires between them through a device under test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.client.readings import RUNNING_STATES, PortStatus
from wirespeed.errors import EnvironmentFault, RemoteError, WirespeedError
from wirespeed.results.balance import Medium, medium_of_driver
from wirespeed.results.channel import Channel
from wirespeed.results.order import Order, summed
from wirespeed.results.outcome import PortFacts
from wirespeed.trial.latency import LatencyReading, latency_reading
from wirespeed.trial.load import TrialLoad
from wirespeed.trial.machine import MachineReading, is_local, machine_reading, stolen_here
from wirespeed.trial.reading import TrialReading
from wirespeed.units import Rate


@dataclass(frozen=True)
class Look:
    """A reading, and the ports' answers that prove ownership."""

    reading: TrialReading
    status: Mapping[int, PortStatus]
    refused: Mapping[int, str]


class Tester:
    """The ports of the generator at `client` that `wires`, the directions that are sent in, name.

    Raises EnvironmentFault when the generator has no such port, ConnectionFault and RemoteError as its client does.
    """

    def __init__(self, client: GeneratorClient, wires: Sequence[Channel]) -> None:
        self._client = client
        self.wires = tuple(wires)
        self.ports = tuple(sorted({port for wire in wires for port in (wire.tx, wire.rx)}))
        self._info = client.server_info()
        count = self._info.port_count
        for port in self.ports:
            if port >= count:
                ports = "port 0 only" if count == 1 else f"ports 0 to {count - 1}"
                raise EnvironmentFault(
                    f"generator {client.server} has {ports}, and the test needs port {port}; "
                    "choose others with --ports or --directions"
                )

    @property
    def senders(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(wire.tx for wire in self.wires))

    @property
    def server(self) -> str:
        return self._client.server

    @property
    def user(self) -> str:
        return self._client.user

    @property
    def program(self) -> str:
        return self._info.program

    @property
    def is_local(self) -> bool:
        """True if the generator is certainly on this machine."""
        return is_local(self.server)

    def floor(self, wire: Channel) -> Mapping[str, float]:
        """The latency of the medium alone, where the generator measured it for this pair of ports; microseconds."""
        return self._info.floors.get(min(wire.tx, wire.rx), {}) if wire.tx ^ 1 == wire.rx else {}

    # ---- what the ports are

    def status(self) -> dict[int, PortStatus]:
        return dict(sorted(self._client.port_status(list(self.ports)).items()))

    def facts(self, statuses: Mapping[int, PortStatus], line_bps: float | None = None) -> dict[int, PortFacts]:
        """Facts of the ports for a result. `line_bps` replaces the ports' own line speed in percentages."""
        facts = {}
        for port, status in statuses.items():
            raw = self._info.ports
            info = raw[port] if port < len(raw) else {}
            driver = str(info.get("driver", ""))
            medium = status.medium or info.get("medium")
            extra: dict[str, Any] = {}
            if line_bps is not None:
                extra["own_speed_bps"] = status.speed_bps
            facts[port] = PortFacts(
                index=port,
                driver=driver,
                mac=str(info.get("hw_mac", "")),
                speed_bps=status.speed_bps if line_bps is None else line_bps,
                medium=Medium(medium) if medium in set(Medium) else medium_of_driver(driver),
                flow_control={None: "unknown", 0: "off"}.get(status.flow_control, "on"),
                extra=extra,
            )
        return facts

    # ---- owning and loading them

    def take(self, statuses: Mapping[int, PortStatus], force: bool) -> None:
        """Acquire all ports. Ports that this user left idle in an earlier session are acquired too; ports of others
        need `force`."""
        taken: list[int] = []
        try:
            for port, status in statuses.items():
                is_left_behind = status.owner == self.user and status.state not in RUNNING_STATES
                try:
                    self._client.acquire([port], force or is_left_behind)
                except RemoteError as error:
                    how = "wait until that session ends or its time-out has passed, or take the port with --force"
                    raise RemoteError(f"{error}; {how}", error.code) from None
                taken.append(port)
        except BaseException:
            self.release(taken)
            raise

    def take_own(self) -> None:
        """Own all ports that this session owns already, for which it needs their handlers; RemoteError otherwise."""
        self._client.acquire(list(self.ports))

    def release(self, ports: Iterable[int] | None = None) -> None:
        """Stop, empty and give back; a server that does not answer holds no ports, so its error is passed over."""
        with suppress(WirespeedError):
            self._client.release(list(self.ports if ports is None else ports))

    def reset(self) -> None:
        self._client.reset(list(self.ports))

    def flow_control_off(self) -> None:
        """Switch flow control off on ports whose driver supports it; `status` has the previous mode."""
        self._client.flow_control_off(list(self.ports))

    def receive_all(self) -> None:
        """Frames for other addresses too, where the driver can: a DUT may bridge what a profile addresses."""
        self._client.set_promiscuous(dict.fromkeys(self.ports, True))

    def load(self, load: TrialLoad) -> None:
        for port, one in load.ports.items():
            self._client.add_streams(port, one.streams)

    def start(self, rates: Mapping[int, Rate], force: bool, duration_s: float = -1, at_s: float = 0.0) -> None:
        """Start the ports, until stopped or for `duration_s`, after which the server stops by itself. `at_s` is the
        start time on the clock of readings; 0 means now."""
        self._client.start_each(rates, force, duration_s, at_s)

    def update(self, rates: Mapping[int, Rate], force: bool) -> None:
        self._client.update_each(rates, force)

    def stop(self) -> None:
        self._client.stop(list(self.senders))

    # ---- reading them

    def machine(self) -> MachineReading:
        """Preemption of the tester's CPUs up to now, without port counters."""
        return self._told_of(self._client.machine())

    def look(self, load: TrialLoad, sending: bool) -> Look:
        """Read all counters, and verify the ownership of the ports; `sending`: they must be sending."""
        held = {port: load.ports[port].first_stream if sending and port in load.ports else None for port in self.ports}
        seen = self._client.snapshot(list(self.ports), _groups(load), held)
        ports = {
            port: replace(stats, at_s=seen.at_s if stats.at_s is None else stats.at_s)
            for port, stats in sorted(seen.ports.items())
        }
        all_of, order = self._marked(load, seen.groups), self._order(load, seen.groups)
        reading = TrialReading(
            at_s=seen.at_s,
            ports=ports,
            global_stats=seen.global_stats,
            instant=seen.instant,
            test_frames={wire: all_of[wire] - order.get(wire, Order()).duplicates for wire in all_of},
            order={wire: one for wire, one in order.items() if load.ports[wire.tx].numbered},
            latency=self._latency(load, seen.groups),
            machine=self._told_of(seen.machine),
        )
        return Look(reading, seen.status, seen.refused)

    def _told_of(self, raw: Mapping[str, Any] | None) -> MachineReading:
        """The server's reading of its machine. If it has none and is on this machine, the steal of this machine."""
        told = machine_reading(raw)
        return stolen_here() if told == MachineReading() and self.is_local else told

    def _order(self, load: TrialLoad, flows: Mapping[str, Any]) -> dict[Channel, Order]:
        """Packets of each direction that came again or late, by servers that tell."""
        return {
            wire: summed(self._placed(flows, group, wire.rx) for group in load.ports[wire.tx].groups)
            for wire in self.wires
            if load.ports[wire.tx].groups and "order" in flows
        }

    def _placed(self, flows: Mapping[str, Any], group: int, port: int) -> Order:
        counts = flows["order"].get(str(group), {}).get(str(port), {})
        late = ((flows.get("latency") or {}).get(str(group)) or {}).get("er") or {}
        return Order(
            duplicates=int(counts.get("dup", 0)) + int(late.get("dup", 0)),
            reordered=int(counts.get("ooo", 0)) + int(late.get("ooo", 0)),
            unplaced=int(counts.get("old", 0)),
        )

    def _marked(self, load: TrialLoad, flows: Mapping[str, Any]) -> dict[Channel, int]:
        """Packets of each direction that came back with its marks, duplicates among them."""
        return {
            wire: sum(self._received(flows, group, wire.rx) for group in load.ports[wire.tx].groups)
            for wire in self.wires
            if load.ports[wire.tx].groups
        }

    def _received(self, flows: Mapping[str, Any], group: int, port: int) -> int:
        counts = (flows.get("flow_stats") or {}).get(str(group)) or {}
        return int((counts.get("rp") or {}).get(str(port), 0))

    def _latency(self, load: TrialLoad, flows: Mapping[str, Any]) -> dict[Channel, LatencyReading]:
        readings = {}
        for wire in self.wires:
            stream = load.ports[wire.tx].latency
            raw = (flows.get("latency") or {}).get(str(stream.group)) if stream is not None else None
            if raw:
                readings[wire] = latency_reading(raw)
        return readings


def _groups(load: TrialLoad) -> list[int]:
    """Packet groups that are to be read."""
    wanted = [group for port in load.ports.values() for group in port.groups]
    wanted += [port.latency.group for port in load.ports.values() if port.latency is not None]
    return list(dict.fromkeys(wanted))
