"""A tester: numbered ports, each a port of some generator, and the wires between them through a device under test.

All ports of a test are usually those of one generator. They need not be: each has a seat, which is a connection and
the port's number there, so that what one machine sends another may receive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.client.readings import RUNNING_STATES, PortStats, PortStatus, ServerInfo
from wirespeed.errors import EnvironmentFault, RemoteError, WirespeedError
from wirespeed.results.balance import Medium, medium_of_driver
from wirespeed.results.channel import Channel
from wirespeed.results.order import Order, summed
from wirespeed.results.outcome import PortFacts
from wirespeed.trial.latency import LatencyReading, latency_reading
from wirespeed.trial.load import Load
from wirespeed.trial.machine import MachineReading, is_local, machine_reading, stolen_here
from wirespeed.trial.reading import Reading
from wirespeed.units import Rate


@dataclass(frozen=True)
class Seat:
    """Where a port of the tester is: on the server of `client`, under its number there."""

    client: GeneratorClient
    port: int


@dataclass(frozen=True)
class Look:
    """A reading, and what the ports answered when asked to prove that they are ours."""

    reading: Reading
    status: Mapping[int, PortStatus]
    refused: Mapping[int, str]


class Tester:
    """`seats` by the tester's own port numbers; `wires` are the directions that are sent in.

    Raises EnvironmentFault when a server has no such port, ConnectionFault and RemoteError as its clients do.
    """

    def __init__(self, seats: Mapping[int, Seat], wires: Sequence[Channel]) -> None:
        self._seats = dict(sorted(seats.items()))
        self.wires = tuple(wires)
        self._infos = {client.server: client.server_info() for client in self._clients()}
        for port, seat in self._seats.items():
            count = self._infos[seat.client.server].port_count
            if seat.port >= count:
                ports = "port 0 only" if count == 1 else f"ports 0 to {count - 1}"
                raise EnvironmentFault(
                    f"generator {seat.client.server} has {ports}, and the test needs port {port}; "
                    "choose others with --ports or --wires"
                )

    @classmethod
    def of(cls, client: GeneratorClient, wires: Sequence[Channel]) -> Tester:
        """The ports of one generator that `wires` name, by their own numbers."""
        return cls({port: Seat(client, port) for wire in wires for port in (wire.tx, wire.rx)}, wires)

    @property
    def ports(self) -> tuple[int, ...]:
        return tuple(self._seats)

    @property
    def senders(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(wire.tx for wire in self.wires))

    @property
    def server(self) -> str:
        """Whom we talk to, in words."""
        return ", ".join(client.server for client in self._clients())

    @property
    def user(self) -> str:
        return next(self._clients()).user

    @property
    def programs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(info.program for info in self._infos.values()))

    @property
    def is_local(self) -> bool:
        """Whether all of it is on this machine for certain."""
        return all(is_local(client.server) for client in self._clients())

    def floor(self, wire: Channel) -> Mapping[str, float]:
        """The latency of the medium alone, where the generator measured it for this pair of ports; microseconds."""
        tx, rx = self._seats[wire.tx], self._seats[wire.rx]
        return self._info(wire.tx).floors.get(min(tx.port, rx.port), {}) if tx.port ^ 1 == rx.port else {}

    def _info(self, port: int) -> ServerInfo:
        return self._infos[self._seats[port].client.server]

    def _clients(self) -> Iterator[GeneratorClient]:
        return iter(dict.fromkeys(seat.client for seat in self._seats.values()))

    def _parts(self, ports: Iterable[int]) -> Iterator[tuple[GeneratorClient, dict[int, int]]]:
        """The servers of `ports`, each with those that are on it: their number there, and ours."""
        seats = sorted((id(self._seats[port].client), port) for port in set(ports))
        for _, group in groupby(seats, key=lambda one: one[0]):
            ours = [port for _, port in group]
            yield self._seats[ours[0]].client, {self._seats[port].port: port for port in ours}

    # ---- what the ports are

    def status(self) -> dict[int, PortStatus]:
        found: dict[int, PortStatus] = {}
        for client, ours in self._parts(self.ports):
            found |= {ours[port]: status for port, status in client.port_status(list(ours)).items()}
        return dict(sorted(found.items()))

    def facts(self, statuses: Mapping[int, PortStatus], line_bps: float | None = None) -> dict[int, PortFacts]:
        """What a result says of the ports. `line_bps` is another line to take percent of than the ports' own."""
        facts = {}
        for port, status in statuses.items():
            raw = self._info(port).ports
            told = raw[self._seats[port].port] if self._seats[port].port < len(raw) else {}
            driver = str(told.get("driver", ""))
            medium = status.medium or told.get("medium")
            extra: dict[str, Any] = {}
            if line_bps is not None:
                extra["own_speed_bps"] = status.speed_bps
            facts[port] = PortFacts(
                index=port,
                driver=driver,
                mac=str(told.get("hw_mac", "")),
                speed_bps=status.speed_bps if line_bps is None else line_bps,
                medium=Medium(medium) if medium in set(Medium) else medium_of_driver(driver),
                flow_control={None: "unknown", 0: "off"}.get(status.flow_control, "on"),
                extra=extra,
            )
        return facts

    # ---- owning and loading them

    def take(self, statuses: Mapping[int, PortStatus], force: bool) -> None:
        """Own all ports. One that we left behind idle in an earlier session is ours to take; others need `force`."""
        taken: list[int] = []
        try:
            for port, status in statuses.items():
                seat = self._seats[port]
                ours = status.owner == seat.client.user and status.state not in RUNNING_STATES
                try:
                    seat.client.acquire([seat.port], force or ours)
                except RemoteError as error:
                    raise RemoteError(f"{error}; --force takes it away from its owner", error.code) from None
                taken.append(port)
        except BaseException:
            self.release(taken)
            raise

    def take_own(self) -> None:
        """Own all ports that this session owns already, for which it needs their handlers; RemoteError otherwise."""
        self._each(self.ports, lambda client, ports: client.acquire(ports))

    def release(self, ports: Iterable[int] | None = None) -> None:
        """Stop, empty and give back; a server that does not answer holds no ports, so its error is passed over."""
        for client, ours in self._parts(self.ports if ports is None else ports):
            with suppress(WirespeedError):
                client.release(list(ours))

    def reset(self) -> None:
        self._each(self.ports, lambda client, ports: client.reset(ports))

    def flow_control_off(self) -> None:
        """Where the driver can; which it was then stands in `status`."""
        self._each(self.ports, lambda client, ports: client.flow_control_off(ports))

    def receive_all(self) -> None:
        """Frames for other addresses too, where the driver can: a DUT may bridge what a profile addresses."""
        self._each(self.ports, lambda client, ports: client.set_promiscuous(dict.fromkeys(ports, True)))

    def load(self, load: Load) -> None:
        for port, one in load.ports.items():
            seat = self._seats[port]
            seat.client.add_streams(seat.port, one.streams)

    def start(self, rates: Mapping[int, Rate], force: bool, duration_s: float = -1, at_s: float = 0.0) -> None:
        """Until stopped, or for `duration_s`, after which servers end it by themselves. `at_s` is when, by the clock of
        readings; 0 is now."""
        for client, ours in self._parts(rates):
            client.start_each({port: rates[number] for port, number in ours.items()}, force, duration_s, at_s)

    def update(self, rates: Mapping[int, Rate], force: bool) -> None:
        for client, ours in self._parts(rates):
            client.update_each({port: rates[number] for port, number in ours.items()}, force)

    def stop(self) -> None:
        self._each(self.senders, lambda client, ports: client.stop(ports))

    def _each(self, ports: Iterable[int], do: Callable[[GeneratorClient, list[int]], None]) -> None:
        for client, ours in self._parts(ports):
            do(client, list(ours))

    # ---- reading them

    @property
    def has_one_clock(self) -> bool:
        """Whether all ports are on one server, so that an instant means the same to each."""
        return len(list(self._clients())) == 1

    def machine(self) -> MachineReading:
        """What was taken from the tester's CPUs up to now, and nothing else."""
        return _together([_told_of(client, client.machine()) for client in self._clients()])

    def look(self, load: Load, sending: bool) -> Look:
        """Read all counters, and have the ports prove that they are ours; `sending` says that they are to send now."""
        ports: dict[int, PortStats] = {}
        status: dict[int, PortStatus] = {}
        refused: dict[int, str] = {}
        flows: dict[int, dict[str, Any]] = {}
        machines: list[MachineReading] = []
        at_s, instant = None, True
        global_stats: dict[str, Any] = {}
        groups = _groups(load)
        for client, ours in self._parts(self.ports):
            held = {
                port: load.ports[number].first_stream if sending and number in load.ports else None
                for port, number in ours.items()
            }
            seen = client.snapshot(list(ours), groups, held)
            stamped = {
                ours[port]: replace(stats, at_s=seen.at_s if stats.at_s is None else stats.at_s)
                for port, stats in seen.ports.items()
            }
            ports |= stamped
            status |= {ours[port]: replace(one, port=ours[port]) for port, one in seen.status.items()}
            refused |= {ours[port]: why for port, why in seen.refused.items()}
            flows |= dict.fromkeys(stamped, seen.groups)
            machines.append(_told_of(client, seen.machine))
            at_s = seen.at_s if at_s is None else at_s
            instant &= seen.instant
            global_stats = global_stats or seen.global_stats
        all_of, order = self._marked(load, flows), self._order(load, flows)
        reading = Reading(
            at_s=at_s or 0.0,
            ports=dict(sorted(ports.items())),
            global_stats=global_stats,
            instant=instant,
            ours={wire: all_of[wire] - order.get(wire, Order()).duplicates for wire in all_of},
            order={wire: one for wire, one in order.items() if load.ports[wire.tx].numbered},
            latency=self._latency(load, flows),
            machine=_together(machines),
        )
        return Look(reading, status, refused)

    def _order(self, load: Load, flows: Mapping[int, Mapping[str, Any]]) -> dict[Channel, Order]:
        """Packets of each direction that came again or late, by servers that tell."""
        return {
            wire: summed(self._placed(flows[wire.rx], group, wire.rx) for group in load.ports[wire.tx].groups)
            for wire in self.wires
            if load.ports[wire.tx].groups and "order" in flows[wire.rx]
        }

    def _placed(self, flows: Mapping[str, Any], group: int, port: int) -> Order:
        told = flows["order"].get(str(group), {}).get(str(self._seats[port].port), {})
        late = ((flows.get("latency") or {}).get(str(group)) or {}).get("er") or {}
        return Order(
            duplicates=int(told.get("dup", 0)) + int(late.get("dup", 0)),
            reordered=int(told.get("ooo", 0)) + int(late.get("ooo", 0)),
            unplaced=int(told.get("old", 0)),
        )

    def _marked(self, load: Load, flows: Mapping[int, Mapping[str, Any]]) -> dict[Channel, int]:
        """Packets of each direction that came back with its marks, duplicates among them."""
        return {
            wire: sum(self._received(flows[wire.rx], group, wire.rx) for group in load.ports[wire.tx].groups)
            for wire in self.wires
            if load.ports[wire.tx].groups
        }

    def _received(self, flows: Mapping[str, Any], group: int, port: int) -> int:
        counts = (flows.get("flow_stats") or {}).get(str(group)) or {}
        return int((counts.get("rp") or {}).get(str(self._seats[port].port), 0))

    def _latency(self, load: Load, flows: Mapping[int, Mapping[str, Any]]) -> dict[Channel, LatencyReading]:
        found = {}
        for wire in self.wires:
            stream = load.ports[wire.tx].latency
            raw = (flows[wire.rx].get("latency") or {}).get(str(stream.group)) if stream is not None else None
            if raw:
                found[wire] = latency_reading(raw)
        return found


def _groups(load: Load) -> list[int]:
    """Packet groups that are to be read."""
    wanted = [group for port in load.ports.values() for group in port.groups]
    wanted += [port.latency.group for port in load.ports.values() if port.latency is not None]
    return list(dict.fromkeys(wanted))


def _told_of(client: GeneratorClient, raw: Mapping[str, Any] | None) -> MachineReading:
    """What a server says of its machine; where it is silent and on this one, what this one says."""
    told = machine_reading(raw)
    return stolen_here() if told == MachineReading() and is_local(client.server) else told


def _together(machines: Sequence[MachineReading]) -> MachineReading:
    """Several machines as one: all their workers, and the steal of all where all tell."""
    steals = [one.steal_s for one in machines if one.steal_s is not None]
    known = len(steals) == len(machines)
    return MachineReading(
        steal_s=sum(steals) if known else None,
        cpus=sum(one.cpus or 0 for one in machines) if known else None,
        workers=tuple(worker for one in machines for worker in one.workers),
    )
