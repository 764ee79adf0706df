"""The configuration that is in force, and what its ports and flows do: a session of our own RPC, one profile a flow.

Callers take turns: the lock is held through every request, the heartbeat's too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed.client.readings import RUNNING_STATES, PortStats
from wirespeed.client.stateless_client import Multiplier, StatelessClient, Target
from wirespeed.errors import RemoteError
from wirespeed.otg.faults import ModelFault
from wirespeed.otg.flows import FlowStreams, flow_streams
from wirespeed.otg.model import Config, ControlState, MetricsRequest, read
from wirespeed.otg.patterns import Json

HEARTBEAT_S = 10.0
_SETTLED_S = 0.1
_RAW = Multiplier("raw", "abs", 1)
_FIRST_GROUP = 1 << 24
"""Above the numbers that T-Rex's scripts choose."""

_ACTS = {"stop": "stop_traffic", "pause": "pause_traffic", "resume": "resume_traffic"}


@dataclass
class Running:
    """One flow: its profile, and the packet groups of its streams since it last started. `seen` are the counters
    read last and `seen_s` since when they are so."""

    flow: FlowStreams
    target: Target
    rx: tuple[int, ...]
    groups: tuple[int, ...] = ()
    started: bool = False
    seen: tuple[Any, ...] = ()
    seen_s: float = 0.0


@dataclass
class Setup:
    """A configuration that was accepted."""

    given: Json = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    locations: dict[str, str] = field(default_factory=dict)
    flows: dict[str, Running] = field(default_factory=dict)


class Engine:
    """RemoteError is what the generator itself refuses."""

    def __init__(self, server: str) -> None:
        self._client = StatelessClient(server)
        self._lock = threading.Lock()
        self._setup = Setup()
        self._before: dict[int, PortStats] = {}
        self._next_group = _FIRST_GROUP
        self._connected = False

    def close(self) -> None:
        self._client.close()

    def beat(self) -> None:
        """Say that the owner of the ports is still there."""
        with self._lock:
            if self._client.owned:
                self._client.call("ping")

    # ---- configuration

    @property
    def given(self) -> Json:
        return self._setup.given

    def configure(self, given: Any) -> None:
        """Take the configuration in place of the former one, which stays in force if this one is refused."""
        config = read(Config, given)
        with self._lock:
            self._connect()
            setup = self._checked(config, given)
            former = self._setup
            self._clear(former)
            try:
                self._client.take(sorted(setup.ports.values()))
                for place, running in enumerate(setup.flows.values()):
                    self._load(f"flows[{place}]", running)
            except (RemoteError, ModelFault):
                self._clear(setup)
                for running in former.flows.values():
                    self._load("", running)
                raise
            self._client.give_back([port for port in self._client.owned if port not in setup.ports.values()])
            self._setup = setup
            self._before = self._client.snapshot(sorted(setup.ports.values())).ports if setup.ports else {}

    def _connect(self) -> None:
        if not self._connected:
            self._client.connect()
            self._connected = True

    def _checked(self, config: Config, given: Json) -> Setup:
        setup = Setup(given)
        count = self._client.server_info().port_count
        names: set[str] = set()
        for place, port in enumerate(config.ports):
            path, location = f"ports[{place}]", str(place) if port.location is None else port.location
            _unique(f"{path}.name", port.name, names)
            if not location.isdecimal() or int(location) >= count:
                raise ModelFault(f"{path}.location", f"{location!r} is no port; give a number from 0 to {count - 1}")
            if int(location) in setup.ports.values():
                raise ModelFault(f"{path}.location", f"port {location} is taken by another name")
            setup.ports[port.name], setup.locations[port.name] = int(location), location
        for place, flow in enumerate(config.flows):
            path = f"flows[{place}]"
            _unique(f"{path}.name", flow.name, names)
            ends = flow.tx_rx.port
            _known(f"{path}.tx_rx.port.tx_name", [ends.tx_name], setup.ports)
            _known(f"{path}.tx_rx.port.rx_names", ends.receivers, setup.ports)
            streams = flow_streams(path, flow)
            if streams.timed and flow.size.choice == "weight_pairs":
                raise ModelFault(f"{path}.metrics.latency", "cannot be measured on a mix of sizes")
            rx = tuple(setup.ports[name] for name in ends.receivers or setup.ports)
            target = Target(setup.ports[ends.tx_name], f"otg{place}")
            setup.flows[flow.name] = Running(streams, target, rx)
        self._check_rates(setup)
        return setup

    def _check_rates(self, setup: Setup) -> None:
        status = self._client.port_status(sorted(setup.ports.values())) if setup.ports else {}
        shares = dict.fromkeys(status, 0.0)
        for place, running in enumerate(setup.flows.values()):
            port, flow = running.target.port, running.flow
            speed = status[port].speed_bps
            if speed is None and flow.percentage is not None:
                raise ModelFault(
                    f"flows[{place}].rate.percentage", f"port {port} has no line speed; give a rate in pps"
                )
            shares[port] += flow.line_share(speed) if speed else 0.0
            if shares[port] > 1.0001:
                text = f"port {port} would send {100 * shares[port]:.4g} % of its line; give less"
                raise ModelFault(f"flows[{place}].rate", text)

    def _clear(self, setup: Setup) -> None:
        owned = self._client.owned
        targets = [one.target for one in setup.flows.values() if one.target.port in owned]
        if targets:
            self._client.on_profiles("stop_traffic", targets)
            self._client.on_profiles("remove_all_streams", targets)

    def _load(self, path: str, running: Running) -> None:
        """Put a flow's streams in, under packet groups that nobody counted before."""
        flow = running.flow
        running.groups, running.seen, running.started = (), (), False
        items = []
        for number, stream in enumerate(flow.streams, 1):
            stats: Json = {"enabled": False}
            if flow.counted:
                running.groups += (self._next_group,)
                rule = "latency" if flow.timed else "stats"
                stats = {"enabled": True, "stream_id": self._next_group, "rule_type": rule, "payload_signature": True}
                self._next_group += 1
            items.append({"stream_id": number, "stream": stream | {"flow_stats": stats}})
        try:
            self._client.load_streams(running.target, items)
        except RemoteError as error:
            raise ModelFault(path, str(error)) from None

    # ---- control

    def control(self, given: Any) -> None:
        state = read(ControlState, given)
        with self._lock:
            if state.choice == "traffic" and state.traffic is not None:
                wanted = state.traffic.flow_transmit
                self._transmit(wanted.state, self._flows("traffic.flow_transmit.flow_names", wanted.flow_names))
            elif state.choice == "port" and state.port is not None:
                link = state.port.link
                _known("port.link.port_names", link.port_names, self._setup.ports)
                ports = [self._setup.ports[name] for name in link.port_names or self._setup.ports]
                self._client.on_ports("set_port_attr", ports, attr={"link_status": {"up": link.state == "up"}})
            else:
                raise ModelFault(state.choice, "is missing")

    def _flows(self, path: str, names: Sequence[str]) -> list[Running]:
        _known(path, names, self._setup.flows)
        return [self._setup.flows[name] for name in names or self._setup.flows]

    def _transmit(self, state: str, flows: list[Running]) -> None:
        states = self._states(flows)
        if state == "start":
            self._start([one for one in flows if states[one.target] not in RUNNING_STATES])
            return
        before = {"stop": RUNNING_STATES, "pause": ("TX",), "resume": ("PAUSE",)}[state]
        targets = [one.target for one in flows if states[one.target] in before]
        if targets:
            self._client.on_profiles(_ACTS[state], targets)

    def _start(self, flows: list[Running]) -> None:
        """From the first packet on, with counters that are 0; those of one duration at the same instant."""
        for one in flows:
            self._client.on_profiles("remove_all_streams", [one.target])
            self._load("", one)
        for duration_s in dict.fromkeys(one.flow.duration_s for one in flows):
            together = [one for one in flows if one.flow.duration_s == duration_s]
            self._client.start_profiles([one.target for one in together], _RAW, duration_s)
            for one in together:
                one.started = True

    def _states(self, flows: Iterable[Running]) -> dict[Target, str]:
        states: dict[Target, str] = {}
        for port in {one.target.port for one in flows}:
            answer = self._client.call("get_port_status", port_id=port, block=False, profile_id="*")
            states |= {Target(port, name): state for name, state in answer["state_profile"].items()}
        return {one.target: states.get(one.target, "IDLE") for one in flows}

    # ---- metrics

    def metrics(self, given: Any) -> Json:
        request = read(MetricsRequest, given)
        with self._lock:
            if request.choice == "port":
                return {"choice": "port_metrics", "port_metrics": self._port_metrics(request.port.port_names)}
            chosen = self._flows("flow.flow_names", request.flow.flow_names)
            return {"choice": "flow_metrics", "flow_metrics": self._flow_metrics(chosen)}

    def _port_metrics(self, names: Sequence[str]) -> list[Json]:
        _known("port.port_names", names, self._setup.ports)
        chosen = list(names or self._setup.ports)
        ports = sorted(self._setup.ports[name] for name in chosen)
        if not ports:
            return []
        now, status = self._client.snapshot(ports).ports, self._client.port_status(ports)
        rates = {port: self._client.call("get_port_stats", port_id=port) for port in ports}
        return [
            {
                "name": name,
                "location": self._setup.locations[name],
                "link": "up" if status[port].link_up else "down",
                "capture": "stopped",
                "transmit": "started" if status[port].state in RUNNING_STATES else "stopped",
                "frames_tx": str(now[port].opackets - self._before[port].opackets),
                "frames_rx": str(now[port].ipackets - self._before[port].ipackets),
                "bytes_tx": str(now[port].obytes - self._before[port].obytes),
                "bytes_rx": str(now[port].ibytes - self._before[port].ibytes),
                "frames_tx_rate": rates[port]["m_total_tx_pps"],
                "frames_rx_rate": rates[port]["m_total_rx_pps"],
                "bytes_tx_rate": rates[port]["m_total_tx_bps"] / 8,
                "bytes_rx_rate": rates[port]["m_total_rx_bps"] / 8,
            }
            for name in chosen
            for port in (self._setup.ports[name],)
        ]

    def _flow_metrics(self, flows: list[Running]) -> list[Json]:
        states = self._states(flows)
        counted = [one for one in flows if one.flow.counted]
        groups = [group for one in counted for group in one.groups]
        stats = self._client.pg_stats(groups) if groups else {}
        return [self._flow_metric(one, states[one.target], stats) for one in counted]

    def _flow_metric(self, one: Running, state: str, stats: Json) -> Json:
        by_group = stats.get("flow_stats") or {}
        told = [by_group[str(group)] for group in one.groups if str(group) in by_group]
        tx = str(one.target.port)

        def sent(name: str) -> float:
            return float(sum(group[name][tx] for group in told))

        def received(name: str) -> float:
            return float(sum(group[name][str(port)] for group in told for port in one.rx))

        frames_tx, frames_rx = int(sent("tp")), int(received("rp"))
        metric: Json = {
            "name": one.flow.name,
            "port_tx": one.flow.tx,
            "port_rx": one.flow.rx[0] if one.flow.rx else "",
            "transmit": self._transmit_state(one, state, (frames_tx, frames_rx)),
            "frames_tx": str(frames_tx),
            "frames_rx": str(frames_rx),
            "bytes_tx": str(int(sent("tb"))),
            "bytes_rx": str(int(received("rb"))),
            "frames_tx_rate": sent("tps"),
            "frames_rx_rate": received("rps"),
            "loss": 100 * max(frames_tx - frames_rx, 0) / frames_tx if frames_tx else 0.0,
        }
        if one.flow.timed:
            seen = ((stats.get("latency") or {}).get(str(one.groups[0])) or {}).get("lat")
            names = {"minimum_ns": "total_min", "maximum_ns": "total_max", "average_ns": "average"}
            metric["latency"] = {name: 1000.0 * seen[of] for name, of in names.items()} if seen else {}
        return metric

    def _transmit_state(self, one: Running, state: str, counts: tuple[int, ...]) -> str:
        """A flow that ended is stopped once its counters have come to rest: they are final then."""
        if state in RUNNING_STATES:
            return "paused" if state == "PAUSE" else "started"
        now_s = time.monotonic()
        if one.seen != counts or not one.seen_s:
            one.seen, one.seen_s = counts, now_s
        if one.started and now_s - one.seen_s >= _SETTLED_S:
            one.started = False
        return "started" if one.started else "stopped"


def _unique(path: str, name: str, names: set[str]) -> None:
    if name in names:
        raise ModelFault(path, f"{name[:60]!r} is the name of another object; names are unique")
    names.add(name)


def _known(path: str, names: Sequence[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            raise ModelFault(path, f"there is no {name[:60]!r}; there is {', '.join(known) or 'none'}")
