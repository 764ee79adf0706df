"""The configuration that is in force, and what its ports and flows do: a session of our own RPC, one profile a flow.

Callers take turns: the lock is held through every request, the heartbeat's too.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from wirespeed.client.readings import RUNNING_STATES, PortStats
from wirespeed.client.stateless_client import StatelessClient
from wirespeed.errors import RemoteError
from wirespeed.otg.captures import PortCaptures
from wirespeed.otg.faults import ModelFault
from wirespeed.otg.metrics import flow_metric, only
from wirespeed.otg.model import OtgConfig
from wirespeed.otg.neighbors import Neighbors
from wirespeed.otg.patterns import Json
from wirespeed.otg.requests import (
    CaptureRequest,
    ConfigUpdate,
    ControlState,
    FlowsUpdate,
    MetricsRequest,
    PortState,
    StatesRequest,
)
from wirespeed.otg.schema import read
from wirespeed.otg.setup import OtgSetup, check, check_rates
from wirespeed.otg.transmission import OtgTransmission

HEARTBEAT_S = 10.0


class Engine:
    """RemoteError is what the generator itself refuses. What changes something returns warnings."""

    def __init__(self, server: str) -> None:
        self._client = StatelessClient(server)
        self._lock = threading.Lock()
        self._setup = OtgSetup()
        self._traffic = OtgTransmission(self._client)
        self._captures = PortCaptures(self._client)
        self._neighbors = Neighbors(self._client)
        self._before: dict[int, PortStats] = {}
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

    def configure(self, document: Any) -> list[str]:
        """Take the configuration in place of the former one, which stays in force if this one is refused."""
        config = read(OtgConfig, document)
        with self._lock:
            if not self._connected:
                self._client.connect()
                self._connected = True
            status = self._client.port_status(range(self._client.server_info().port_count))
            setup = check(config, document, [status[port].speed_bps for port in sorted(status)])
            former, hosts = self._setup, self._neighbors.placed
            self._traffic.clear(former)
            try:
                self._client.take(sorted(setup.ports.values()), config.options.port_options.location_preemption)
                self._client.set_promiscuous(setup.promiscuous)
                for running in setup.flows.values():
                    self._traffic.load(running)
                self._neighbors.place(setup.hosts if config.options.protocol_options.auto_start_all else ())
            except (RemoteError, ModelFault):
                self._traffic.clear(setup)
                for running in former.flows.values():
                    self._traffic.load(running)
                self._neighbors.place(hosts)
                raise
            self._captures.forget()
            self._client.give_back([port for port in self._client.owned if port not in setup.ports.values()])
            self._setup = setup
            self._before = self._client.snapshot(sorted(setup.ports.values())).ports if setup.ports else {}
            return setup.warnings

    def update(self, given: Any) -> list[str]:
        """Change rates and sizes of flows; rates of those that run too."""
        update = read(ConfigUpdate, given).flows
        with self._lock:
            self._update(update)
        return []

    def _update(self, update: FlowsUpdate) -> None:
        setup = self._setup
        named = setup.flows_named("flows.flows", [flow.name for flow in update.flows]) if update.flows else []
        states = self._traffic.states(named)
        changed, streams = {}, {name: (one.path, one.streams) for name, one in setup.flows.items()}
        for place, (running, new) in enumerate(zip(named, update.flows, strict=True)):
            path = f"flows.flows[{place}]"
            if "size" in update.property_names and states[running.target] in RUNNING_STATES:
                raise ModelFault(f"{path}.size", f"flow {new.name!r} runs; stop it first")
            kept: Json = {name: getattr(new, name) for name in update.property_names}
            changed[new.name] = running.flow.model_copy(update=kept)
            streams[new.name] = path, running.with_flow(path, changed[new.name])
        check_rates(streams, setup)
        for running in named:
            if states[running.target] in RUNNING_STATES:
                self._traffic.change_rates(running, streams[running.flow.name][1])
        for running in named:
            running.flow, running.streams = changed[running.flow.name], streams[running.flow.name][1]
        listed = {flow.name: flow for flow in changed.values()}
        for told in setup.given.get("flows", []):
            if told["name"] in listed:
                flow = listed[told["name"]].model_dump(mode="json", exclude_unset=True)
                told |= {name: flow[name] for name in update.property_names if name in flow}

    # ---- control

    def control(self, given: Any) -> list[str]:
        state = read(ControlState, given)
        with self._lock:
            if state.choice == "traffic" and state.traffic is not None:
                wanted = state.traffic.flow_transmit
                flows = self._setup.flows_named("traffic.flow_transmit.flow_names", wanted.flow_names)
                if wanted.state == "start":
                    flows = self._traffic.standing(flows)
                    found = self._neighbors.resolved(flows)
                    for one in flows:
                        one.resolve(found)
                self._traffic.transmit(wanted.state, flows)
            elif state.choice == "port" and state.port is not None:
                return self._control_ports(state.port)
            elif state.choice == "protocol" and state.protocol is not None:
                self._neighbors.place(self._setup.hosts if state.protocol.all.state == "start" else ())
            else:
                raise ModelFault(state.choice, "is missing")
        return []

    def _control_ports(self, state: PortState) -> list[str]:
        setup = self._setup
        if state.choice == "link" and state.link is not None:
            names = setup.ports_named("port.link.port_names", state.link.port_names)
            up = {"link_status": {"up": state.link.state == "up"}}
            try:
                self._client.on_ports("set_port_attr", [setup.ports[name] for name in names], attr=up)
            except RemoteError as error:
                raise ModelFault("port.link.port_names", str(error)) from None
            return []
        if state.capture is None:
            raise ModelFault(f"port.{state.choice}", "is missing")
        path, given = "port.capture.port_names", state.capture.port_names
        setup.ports_named(path, given)
        names = list(given) or list(setup.captures)
        bare = next((name for name in names if name not in setup.captures), None)
        if bare is not None or not names:
            which = "no port is in a capture" if bare is None else f"port {bare!r} is in no capture"
            raise ModelFault(path, f"{which} of the configuration; add it to a capture first")
        if state.capture.state == "start":
            for name in names:
                self._captures.start(setup.ports[name], setup.captures[name])
            return []
        missed = {name: self._captures.stop(setup.ports[name]) for name in names}
        return [
            f"port {name}: {count} packets came faster than they could be captured"
            for name, count in missed.items()
            if count
        ]

    # ---- what is told

    def capture(self, given: Any) -> bytes:
        """The packet file of a port."""
        request = read(CaptureRequest, given)
        with self._lock:
            [name] = self._setup.ports_named("port_name", [request.port_name])
            return self._captures.file(self._setup.ports[name], request)

    def states(self, given: Any) -> Json:
        request = read(StatesRequest, given)
        with self._lock:
            version = 4 if request.choice == "ipv4_neighbors" else 6
            there = {host.ethernet: None for host in self._setup.hosts}
            asked = getattr(request, request.choice).ethernet_names
            unknown = next((name for name in asked if name not in there), None)
            if unknown is not None:
                text = f"there is no {unknown[:60]!r}; there is {', '.join(there) or 'none'}"
                raise ModelFault(f"{request.choice}.ethernet_names", text)
            return {"choice": request.choice, request.choice: self._neighbors.states(version, asked or there)}

    def metrics(self, given: Any) -> Json:
        request = read(MetricsRequest, given)
        with self._lock:
            if request.choice == "port":
                names = self._setup.ports_named("port.port_names", request.port.port_names)
                told = [only(one, request.port.column_names) for one in self._port_metrics(names)]
                return {"choice": "port_metrics", "port_metrics": told}
            asked = request.flow
            flows = [one for one in self._setup.flows_named("flow.flow_names", asked.flow_names) if one.counted]
            groups = [group for one in flows for group in one.groups]
            states = self._traffic.states(flows)
            stats = self._client.pg_stats(groups) if groups else {}
            timed = self._setup.config.options.flow_options.packet_loss_duration
            metrics = []
            for one in flows:
                transmit = self._traffic.told_state(one, states[one.target], stats)
                metric = flow_metric(one, stats, transmit, asked.tagged_metrics, timed)
                metrics.append(only(metric, [*asked.metric_names, "tagged_metrics"] if asked.metric_names else []))
            return {"choice": "flow_metrics", "flow_metrics": metrics}

    def _port_metrics(self, names: Sequence[str]) -> list[Json]:
        ports = sorted(self._setup.ports[name] for name in names)
        if not ports:
            return []
        now, status = self._client.snapshot(ports).ports, self._client.port_status(ports)
        rates = {port: self._client.call("get_port_stats", port_id=port) for port in ports}
        return [
            {
                "name": name,
                "location": self._setup.locations[name],
                "link": "up" if status[port].link_up else "down",
                "capture": "started" if self._captures.runs(port) else "stopped",
                "transmit": "started" if status[port].state in RUNNING_STATES else "stopped",
                "frames_tx": str(now[port].opackets - self._before[port].opackets),
                "frames_rx": str(now[port].ipackets - self._before[port].ipackets),
                "bytes_tx": str(now[port].obytes - self._before[port].obytes),
                "bytes_rx": str(now[port].ibytes - self._before[port].ibytes),
                "frames_tx_rate": rates[port]["m_total_tx_pps"],
                "frames_rx_rate": rates[port]["m_total_rx_pps"],
                "bytes_tx_rate": rates[port]["m_total_tx_bps"] / 8,
                "bytes_rx_rate": rates[port]["m_total_rx_bps"] / 8,
                "speed": str(round(status[port].speed_bps or 0)),
            }
            for name in names
            for port in (self._setup.ports[name],)
        ]
