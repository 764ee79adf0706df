"""One user at one server: the connection, the ports owned, the baselines of `clear`, and what has happened."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from wirespeed.client.generator_client import Call
from wirespeed.client.readings import is_wirespeed
from wirespeed.client.stateless_client import ALL_PROFILES, ProfileTarget, StatelessClient
from wirespeed.console.happenings import EventWatcher, Happening
from wirespeed.console.monitor import CaptureMonitor
from wirespeed.console.readings import FlowStatistics, PortReading, counters, flow_readings, port_reading
from wirespeed.console.screen import Screen, step
from wirespeed.errors import ConnectionFault, RemoteError, UsageError, WirespeedError

Json = Mapping[str, Any]

SENDING, PAUSED = ("TX", "PCAP_TX"), ("PAUSE",)
ACTIVE = (*SENDING, *PAUSED)
"""States of a port that has traffic to stop."""

MAX_HAPPENINGS = 1000


@dataclass
class Baseline:
    """Readings that `clear` subtracts."""

    counters: dict[int, dict[str, int]] = field(default_factory=dict)
    xstats: dict[int, dict[str, int]] = field(default_factory=dict)
    flows: Json = field(default_factory=dict)


class Session:
    """`on_demand` sessions take ports when a command needs them; others work with those they acquired. One that
    `watches` polls for events all the time, a `single` one runs one command.

    Raises errors of `wirespeed.errors`; ConnectionFault also says so when the server has gone away before.
    """

    def __init__(
        self,
        server: str,
        screen: Screen,
        *,
        user: str | None = None,
        on_demand: bool = False,
        watches: bool = False,
        single: bool = False,
        timeout_s: float = 2.0,
    ) -> None:
        self.screen = screen
        self.single = single
        self.verbose = False
        self.monitor: CaptureMonitor | None = None
        self.on_demand = on_demand
        self.watches = watches
        self.server = server
        self.baseline = Baseline()
        self.happenings: deque[Happening] = deque(maxlen=MAX_HAPPENINGS)
        self.history: list[str] = []
        self.system: Json = {}
        self.version = ""
        self.service_ports: set[int] = set()
        self.started = False
        """True if traffic was started here, so that leaving it running needs a notice."""
        self._user = user
        self._timeout_s = timeout_s
        self._client: StatelessClient | None = None
        self._watcher: EventWatcher | None = None
        self._gone: str | None = "not connected yet"
        self._session_id: int | None = None
        self._wanted: tuple[int, ...] = ()

    # ---- connection

    @property
    def client(self) -> StatelessClient:
        """ConnectionFault while offline."""
        if self._client is None or self._gone is not None:
            raise ConnectionFault(
                f"{self._gone}; `connect` tries again, `connect HOST:PORT` connects to another server"
            )
        return self._client

    @property
    def online(self) -> bool:
        return self._client is not None and self._gone is None

    def connect(self, server: str | None = None) -> None:
        """Connect, also in place of an existing connection; ports must then be acquired again."""
        keep_session = server is None or server == self.server
        self.drop("not connected")
        self.server = server or self.server
        client = StatelessClient(self.server, self._timeout_s)
        client.trace = self.screen.show if self.verbose else None
        self.server = client.server
        if self._user is not None:
            client.user = self._user
        if self._session_id is not None and keep_session:
            client.session_id = self._session_id
        try:
            client.connect()
            version, system = client.batch([Call("get_version"), Call("get_system_info")])
            if self.watches:
                self._watcher = EventWatcher(self.server, client.session_id, self._tell, self._lost)
                self._watcher.start()
        except BaseException as error:
            client.close()
            self._gone = str(error)
            raise
        self._client, self._session_id, self._gone = client, client.session_id, None
        self.baseline = Baseline()
        self.service_ports.clear()
        self.system = system
        ours = f", {version['built_by']}" if is_wirespeed(version) else ""
        self.version = f"{version.get('mode', 'STL')} @ {version.get('version', '?')}{ours}"

    def drop(self, reason: str) -> None:
        """End the connection without a word to the server."""
        if self.monitor is not None:
            self.monitor.stop()
            self.monitor = None
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
        if self._client is not None:
            self._wanted = self._client.owned or self._wanted
            self._client.close()
            self._client = None
        self._gone = reason

    def notify(self, text: str) -> None:
        """Tell what happens by itself, on the screen that is there by then: the live view has one of its own."""
        self.screen.notify(text)

    def trace(self, on: bool) -> None:
        """Show requests and answers as they pass, or no more."""
        self.verbose = on
        if self._client is not None:
            self._client.trace = self.screen.show if on else None

    def end_monitor(self) -> None:
        """Stop the monitor and remove its capture, if that still exists."""
        if (monitor := self.monitor) is not None:
            self.monitor = None
            monitor.stop()
            with suppress(RemoteError):
                self.client.capture("remove", capture_id=monitor.capture_id)

    @property
    def wanted(self) -> tuple[int, ...]:
        """Ports that were acquired when the connection was lost."""
        return self._wanted

    def note_failure(self, error: WirespeedError) -> None:
        """Look whether an error means that the server is gone, and go offline if so."""
        if isinstance(error, ConnectionFault) and self.online:
            self._gone = str(error).partition(";")[0]
        elif isinstance(error, RemoteError) and _is_another_server(error):
            self._gone = f"generator {self.server} was restarted and knows nothing of this session"

    def _tell(self, happenings: Sequence[Happening]) -> None:
        """In their order; who has a port after the last of them decides whether it is lost to us."""
        self.happenings.extend(happenings)
        holders = {one.port: one.taken for one in happenings if one.taken is not None}
        lost = [port for port, taken in holders.items() if taken == "by another" and port in self.owned]
        for port in lost:
            self.client.disown(port)
            self.service_ports.discard(port)
        for happening in happenings:
            if happening.taken is None or happening.port in lost:
                if happening.ended:
                    self._gone = f"generator {self.server} has ended"
                if happening.loud:
                    self.screen.notify(happening.text)

    def _lost(self, error: WirespeedError) -> None:
        if self.online:
            self.note_failure(error)
            if self._gone is not None:
                self.screen.notify(f"{self._gone}; `connect` tries again")

    # ---- ports

    @property
    def ports(self) -> tuple[int, ...]:
        """All ports that the server has."""
        return tuple(range(int(self.system.get("port_count", 0))))

    @property
    def owned(self) -> tuple[int, ...]:
        return self._client.owned if self._client is not None else ()

    def port_info(self, port: int) -> Json:
        found: list[Json] = [one for one in self.system.get("ports", ()) if one.get("index") == port]
        return found[0] if found else {"index": port}

    def some(self, given: Iterable[int] | None) -> tuple[int, ...]:
        """The given ports, by default all; UsageError for a port that the server does not have."""
        chosen = self.ports if given is None else tuple(given)
        for port in chosen:
            if port not in self.ports:
                raise UsageError(f"port {port} does not exist; {self.server} has {_listed(self.ports)}")
        return chosen

    def ours(self, wanted: Iterable[int] | None) -> tuple[int, ...]:
        """Ports to change: the given ones, by default all acquired ones. A session that acquires on demand acquires
        them now."""
        if wanted is None and not self.on_demand:
            if not self.owned:
                raise UsageError("no port is acquired; `acquire` takes those that are free, `acquire --force` all")
            return self.owned
        chosen = self.some(wanted)
        missing = [port for port in chosen if port not in self.owned]
        if missing and self.on_demand:
            self.client.take(missing)
        elif missing:
            raise UsageError(f"{_listed(missing)} {'is' if len(missing) == 1 else 'are'} not acquired; `acquire` first")
        return chosen

    def targets(self, given: Sequence[ProfileTarget] | None) -> tuple[ProfileTarget, ...]:
        """Profiles to change: the given ones, or the default profile of every acquired port."""
        ports = self.ours(None if given is None else dict.fromkeys(target.port for target in given))
        return tuple(given) if given is not None else tuple(ProfileTarget(port) for port in ports)

    def running(
        self, chosen: Sequence[ProfileTarget] | None, states: Sequence[str] = ACTIVE, what: str = "sent"
    ) -> tuple[ProfileTarget, ...]:
        """Profiles in one of `states`: of the given ones (`*` means all of the port), or of all acquired ports.
        UsageError if no profile is `what`."""
        ports = None if chosen is None else dict.fromkeys(target.port for target in chosen)
        candidates = self.ours(ports) if ports is not None or not self.on_demand else self.ports
        targets = []
        for port, status in zip(candidates, self.statuses(candidates), strict=True):
            profiles = status.get("state_profile") or {"_": status.get("state")}
            targets += [ProfileTarget(port, name) for name, state in profiles.items() if state in states]
        if chosen is not None:
            wanted = {(target.port, target.profile) for target in chosen}
            targets = [one for one in targets if wanted & {(one.port, one.profile), (one.port, ALL_PROFILES)}]
        if not targets:
            raise UsageError(f"nothing is {what} on {_listed(chosen or candidates)}")
        self.ours({target.port for target in targets})
        return tuple(targets)

    def statuses(self, ports: Sequence[int]) -> list[Json]:
        calls = [Call("get_port_status", {"port_id": port, "block": False, "profile_id": "*"}) for port in ports]
        return self.client.batch(calls)

    def active_ports(self) -> list[int]:
        """Acquired ports with traffic."""
        owned = self.owned
        return [port for port, one in zip(owned, self.statuses(owned), strict=True) if one.get("state") in ACTIVE]

    # ---- statistics

    def readings(self, ports: Sequence[int], client: StatelessClient | None = None) -> tuple[Json, list[PortReading]]:
        """Global statistics and those of ports, in one request."""
        calls = [Call("get_global_stats")]
        calls += [Call("get_port_stats", {"port_id": port}) for port in ports]
        calls += [Call("get_port_status", {"port_id": port, "block": False, "profile_id": "*"}) for port in ports]
        whole, *each = (client or self.client).batch(calls)
        stats, statuses = each[: len(ports)], each[len(ports) :]
        since = self.baseline.counters
        return whole, [
            port_reading(port, one, status, since.get(port))
            for port, one, status in zip(ports, stats, statuses, strict=True)
        ]

    def flows(self, client: StatelessClient | None = None) -> list[FlowStatistics]:
        """Flow statistics of all packet groups that streams have now."""
        asked = client or self.client
        pg_ids = asked.active_pg_ids()
        return flow_readings(asked.pg_stats(pg_ids), self.baseline.flows) if pg_ids else []

    def xstats(self, ports: Sequence[int]) -> list[dict[str, int]]:
        """The drivers' own counters, less those at the last clear."""
        names = self.client.batch([Call("get_port_xstats_names", {"port_id": port}) for port in ports])
        values = self.client.batch([Call("get_port_xstats_values", {"port_id": port}) for port in ports])
        counters = []
        for port, name, value in zip(ports, names, values, strict=True):
            since = self.baseline.xstats.get(port, {})
            pairs = zip(name["xstats_names"], value["xstats_values"], strict=True)
            counters.append({key: int(count) - since.get(key, 0) for key, count in pairs})
        return counters

    def clear(self, ports: Sequence[int]) -> None:
        """Count from now on; the server's own counters go on, for other sessions."""
        stats = self.client.batch([Call("get_port_stats", {"port_id": port}) for port in ports])
        for port in ports:
            self.baseline.xstats.pop(port, None)
        for port, one, driver in zip(ports, stats, self.xstats(ports), strict=True):
            self.baseline.counters[port] = counters(one)
            self.baseline.xstats[port] = driver
        pg_ids = self.client.active_pg_ids()
        self.baseline.flows = self.client.pg_stats(pg_ids) if pg_ids else {}

    # ---- leaving

    def leave(self, stop: bool = False) -> None:
        """Give the ports back and close; traffic goes on unless it is to `stop`."""
        try:
            if self.online:
                self.end_monitor()
            if self.online and self.owned:
                if stop:
                    with step(self.screen, f"Stopping traffic on port(s) {list(self.owned)}:"):
                        self.client.on_profiles(
                            "stop_traffic", [ProfileTarget(port, ALL_PROFILES) for port in self.owned]
                        )
                self.client.give_back(self.owned)
        finally:
            self.drop("disconnected")


def _is_another_server(error: RemoteError) -> bool:
    return "API verification failed" in str(error)


def _listed(ports: Iterable[int | ProfileTarget]) -> str:
    named = [str(port) for port in ports]
    return f"port {named[0]}" if len(named) == 1 else f"ports {', '.join(named)}" if named else "no ports"
