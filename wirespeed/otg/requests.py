"""Requests of clients other than a configuration: actions, changes, metrics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wirespeed.otg.flow_model import OtgFlow
from wirespeed.otg.schema import Count, Model


class FlowTransmit(Model):
    flow_names: tuple[str, ...] = ()
    state: Literal["start", "stop", "pause", "resume"]


class TrafficState(Model):
    choice: Literal["flow_transmit"]
    flow_transmit: FlowTransmit


class PortLink(Model):
    port_names: tuple[str, ...] = ()
    state: Literal["up", "down"]


class PortCapture(Model):
    port_names: tuple[str, ...] = ()
    state: Literal["start", "stop"]


class PortState(Model):
    choice: Literal["link", "capture"]
    link: PortLink | None = None
    capture: PortCapture | None = None


class AllProtocols(Model):
    state: Literal["start", "stop"]


class ProtocolState(Model):
    choice: Literal["all"]
    all: AllProtocols


class ControlState(Model):
    choice: Literal["traffic", "port", "protocol"]
    traffic: TrafficState | None = None
    port: PortState | None = None
    protocol: ProtocolState | None = None


class FlowsUpdate(Model):
    property_names: Annotated[tuple[Literal["rate", "size"], ...], Field(min_length=1)]
    flows: tuple[OtgFlow, ...]


class ConfigUpdate(Model):
    choice: Literal["flows"]
    flows: FlowsUpdate


class PortRequest(Model):
    port_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()


class TagFilter(Model):
    name: str = ""
    values: tuple[str, ...] = ()


class TaggedRequest(Model):
    include: bool = True
    include_empty_metrics: bool = False
    metric_names: tuple[str, ...] = ()
    filters: tuple[TagFilter, ...] = ()


class FlowRequest(Model):
    flow_names: tuple[str, ...] = ()
    metric_names: tuple[str, ...] = ()
    tagged_metrics: TaggedRequest = TaggedRequest()


class MetricsRequest(Model):
    choice: Literal["port", "flow"] = "port"
    port: PortRequest = PortRequest()
    flow: FlowRequest = FlowRequest()


class NeighborsRequest(Model):
    ethernet_names: tuple[str, ...] = ()


class StatesRequest(Model):
    choice: Literal["ipv4_neighbors", "ipv6_neighbors"] = "ipv4_neighbors"
    ipv4_neighbors: NeighborsRequest = NeighborsRequest()
    ipv6_neighbors: NeighborsRequest = NeighborsRequest()


class InitialSlice(Model):
    start: Count = 1
    count: Count = 100


class CaptureSlice(Model):
    choice: Literal["initial"] = "initial"
    initial: InitialSlice = InitialSlice()


class CapturedPackets(Model):
    choice: Literal["all", "slice"] = "all"
    slice: CaptureSlice = CaptureSlice()


class CaptureRequest(Model):
    port_name: str
    packets: CapturedPackets = CapturedPackets()
