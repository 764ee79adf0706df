"""A configuration that was accepted: what its names mean, and what each flow sends. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed.client.stateless_client import ProfileTarget
from wirespeed.otg.devices import Between, EmulatedHost, read_ends, read_hosts
from wirespeed.otg.faults import ModelFault
from wirespeed.otg.filters import filter_text
from wirespeed.otg.flow_model import OtgFlow
from wirespeed.otg.flows import FlowStreams, flow_streams
from wirespeed.otg.model import OtgCapture, OtgConfig
from wirespeed.otg.packets import Ends
from wirespeed.otg.patterns import Json

LINE_TOLERANCE = 1.0001
_MOST_GROUPS, _MOST_TIMED = 1023, 128
"""Streams that the core counts, and of which it measures the latency."""

_SPEEDS = {"mbps": 1e6, "gbps": 1e9}


@dataclass
class Running:
    """One flow: its profile, and the packet groups of its streams since it last started. `seen` are the counters
    read last and `seen_s` since when they are so."""

    path: str
    flow: OtgFlow
    speed_bps: float | None
    target: ProfileTarget
    tx: str
    rx: dict[str, int]
    ways: list[Between]
    streams: FlowStreams
    groups: tuple[int, ...] = ()
    started: bool = False
    seen: tuple[Any, ...] = ()
    seen_s: float = 0.0

    @property
    def counted(self) -> bool:
        return self.flow.metrics.enable

    @property
    def timed(self) -> bool:
        return self.counted and self.flow.metrics.latency.enable

    def resolve(self, gateways: Mapping[EmulatedHost, str]) -> None:
        """Build the packets with the MAC addresses of gateways that are known by now."""
        if self.ways:
            ends = [way.ends(gateways.get(way.tx, "") or Ends().dst_mac) for way in self.ways]
            self.streams = flow_streams(self.path, self.flow, self.speed_bps, ends)

    def with_flow(self, path: str, flow: OtgFlow) -> FlowStreams:
        """The flow's packets as the generator would send them; the flow was given at `path`."""
        ends = [way.ends(Ends().dst_mac) for way in self.ways] or [Ends()]
        return flow_streams(path, flow, self.speed_bps, ends)

    @property
    def finds_gateways(self) -> bool:
        """True if its packets go to their hosts' gateways."""
        ethernet = (self.flow.packet or ({},))[0].get("ethernet") or {}
        return bool(self.ways) and (ethernet.get("dst") or {}).get("choice", "auto") == "auto"


@dataclass
class OtgSetup:
    """`warnings` are deviations from the request."""

    given: Json = field(default_factory=dict)
    config: OtgConfig = field(default_factory=OtgConfig)
    ports: dict[str, int] = field(default_factory=dict)
    locations: dict[str, str] = field(default_factory=dict)
    promiscuous: dict[int, bool] = field(default_factory=dict)
    speeds: dict[int, float | None] = field(default_factory=dict)
    captures: dict[str, OtgCapture] = field(default_factory=dict)
    hosts: list[EmulatedHost] = field(default_factory=list)
    flows: dict[str, Running] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def flows_named(self, path: str, names: Sequence[str]) -> list[Running]:
        """The named flows, or all if none is named."""
        known(path, names, self.flows)
        return [self.flows[name] for name in names or self.flows]

    def ports_named(self, path: str, names: Sequence[str]) -> list[str]:
        known(path, names, self.ports)
        return list(names or self.ports)


def check(config: OtgConfig, given: Json, speeds: Sequence[float | None]) -> OtgSetup:
    """`speeds` are those of the generator's ports, in order. ModelFault for an invalid configuration."""
    setup = OtgSetup(given, config)
    names: set[str] = set()
    _check_ports(setup, names, len(speeds))
    setup.speeds = {port: speeds[port] for port in setup.ports.values()}
    _check_layer1(setup, names)
    _check_captures(setup, names)
    _check_devices(setup, names)
    for place, flow in enumerate(config.flows):
        _unique(f"flows[{place}].name", flow.name, names)
        setup.flows[flow.name] = _running(setup, place, flow)
    check_rates({name: (one.path, one.streams) for name, one in setup.flows.items()}, setup)
    _check_groups(setup)
    return setup


def _check_ports(setup: OtgSetup, names: set[str], count: int) -> None:
    for place, port in enumerate(setup.config.ports):
        path, location = f"ports[{place}]", str(place) if port.location is None else port.location
        _unique(f"{path}.name", port.name, names)
        if not location.isdecimal() or int(location) >= count:
            raise ModelFault(f"{path}.location", f"{location!r} is not a port; give a number from 0 to {count - 1}")
        if int(location) in setup.ports.values():
            raise ModelFault(f"{path}.location", f"port {location} is taken by another name")
        setup.ports[port.name], setup.locations[port.name] = int(location), location
        setup.promiscuous[int(location)] = True


def _check_layer1(setup: OtgSetup, names: set[str]) -> None:
    for place, layer1 in enumerate(setup.config.layer1):
        path = f"layer1[{place}]"
        _unique(f"{path}.name", layer1.name, names)
        known(f"{path}.port_names", layer1.port_names, setup.ports)
        for name in layer1.port_names:
            setup.promiscuous[setup.ports[name]] = layer1.promiscuous
            speed_bps = setup.speeds[setup.ports[name]]
            if layer1.speed is not None and _speed_bps(f"{path}.speed", layer1.speed) != speed_bps:
                has = f"has {speed_bps / 1e9:g} Gbps" if speed_bps else "has no line speed"
                setup.warnings.append(f"{path}.speed: port {name} {has} and keeps it; {layer1.speed} was asked")


def _speed_bps(path: str, text: str) -> float:
    """`speed_10_gbps`, `speed_100_fd_mbps`."""
    parts = text.split("_")
    if len(parts) < 3 or parts[0] != "speed" or not parts[1].isdecimal() or parts[-1] not in _SPEEDS:
        raise ModelFault(path, f"{text[:40]!r} is not a speed; give one such as speed_10_gbps")
    return int(parts[1]) * _SPEEDS[parts[-1]]


def _check_captures(setup: OtgSetup, names: set[str]) -> None:
    for place, capture in enumerate(setup.config.captures):
        path = f"captures[{place}]"
        _unique(f"{path}.name", capture.name, names)
        known(f"{path}.port_names", capture.port_names, setup.ports)
        filter_text(f"{path}.filters", capture.filters)
        for name in capture.port_names:
            if name in setup.captures:
                raise ModelFault(f"{path}.port_names", f"port {name!r} is in another capture already")
            setup.captures[name] = capture


def _check_devices(setup: OtgSetup, names: set[str]) -> None:
    for place, device in enumerate(setup.config.devices):
        path = f"devices[{place}]"
        _unique(f"{path}.name", device.name, names)
        for number, ethernet in enumerate(device.ethernets):
            _unique(f"{path}.ethernets[{number}].name", ethernet.name, names)
            for kind in ("vlans", "ipv4_addresses", "ipv6_addresses"):
                for index, one in enumerate(getattr(ethernet, kind)):
                    _unique(f"{path}.ethernets[{number}].{kind}[{index}].name", one.name, names)
    setup.hosts = list(read_hosts(setup.config.devices, setup.ports))


def _running(setup: OtgSetup, place: int, flow: OtgFlow) -> Running:
    path = f"flows[{place}]"
    ways: list[Between] = []
    if flow.tx_rx.choice == "device":
        if flow.tx_rx.device is None:
            raise ModelFault(f"{path}.tx_rx.device", "is missing")
        ways = read_ends(f"{path}.tx_rx.device", flow.tx_rx.device, setup.hosts, _ip_version(flow))
        by_port = {port: name for name, port in setup.ports.items()}
        tx = by_port[ways[0].tx.port]
        rx = {by_port[way.rx.port]: way.rx.port for way in ways}
    else:
        if flow.tx_rx.port is None:
            raise ModelFault(f"{path}.tx_rx.port", "is missing")
        tx, receivers = flow.tx_rx.port.tx_name, flow.tx_rx.port.receivers
        known(f"{path}.tx_rx.port.tx_name", [tx], setup.ports)
        known(f"{path}.tx_rx.port.rx_names", receivers, setup.ports)
        rx = {name: setup.ports[name] for name in receivers or setup.ports}
    port = setup.ports[tx]
    ends = [way.ends(Ends().dst_mac) for way in ways] or [Ends()]
    streams = flow_streams(path, flow, setup.speeds[port], ends)
    return Running(path, flow, setup.speeds[port], ProfileTarget(port, f"otg{place}"), tx, rx, ways, streams)


def _ip_version(flow: OtgFlow) -> int | None:
    kinds = [one.get("choice") for one in flow.packet if isinstance(one, dict)]
    return next((4 if kind == "ipv4" else 6 for kind in kinds if kind in ("ipv4", "ipv6")), None)


def check_rates(streams: Mapping[str, tuple[str, FlowStreams]], setup: OtgSetup) -> None:
    """Shares of line rate of the flows: by name for each flow with a rate, and its streams. ModelFault names the flow
    that exceeds its port."""
    sent_bps = dict.fromkeys(setup.speeds, 0.0)
    for name, flow in setup.flows.items():
        port, (path, sent) = flow.target.port, streams[name]
        sent_bps[port] += sent.line_bps
        if flow.speed_bps and sent_bps[port] > flow.speed_bps * LINE_TOLERANCE:
            text = f"port {port} would send {100 * sent_bps[port] / flow.speed_bps:.4g} % of its line; give less"
            raise ModelFault(f"{path}.rate", text)


def _check_groups(setup: OtgSetup) -> None:
    counted = timed = 0
    for flow in setup.flows.values():
        count = len(flow.streams.streams) if flow.counted else 0
        counted, timed = counted + count * (not flow.timed), timed + count * flow.timed
        if counted > _MOST_GROUPS or timed > _MOST_TIMED:
            text = f"needs {count} counters; all flows together have {_MOST_GROUPS}, and {_MOST_TIMED} with latency"
            raise ModelFault(f"{flow.path}.metrics", f"{text}. Each size of a mix and each value of a tag needs one")


def _unique(path: str, name: str, names: set[str]) -> None:
    if name in names:
        raise ModelFault(path, f"{name[:60]!r} is the name of another object; names are unique")
    names.add(name)


def known(path: str, names: Sequence[str], there: Iterable[str]) -> None:
    for name in names:
        if name not in there:
            raise ModelFault(path, f"there is no {name[:60]!r}; there is {', '.join(there) or 'none'}")
