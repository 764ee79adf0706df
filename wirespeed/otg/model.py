"""Model of `POST /config`: ports and their layers, devices, flows."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Any, Literal

from pydantic import Field

from wirespeed.otg.flow_model import OtgFlow
from wirespeed.otg.schema import Absent, Model, Name


class OtgPort(Model):
    name: Name
    location: str | None = None


class Layer1(Model):
    name: Name
    port_names: tuple[str, ...]
    speed: str | None = None
    media: str | None = None
    promiscuous: bool = True
    mtu: Annotated[int, Field(ge=64, le=14000)] = 1500
    ieee_media_defaults: bool | None = None
    auto_negotiate: bool | None = None
    auto_negotiation: Any = None
    flow_control: Any = None


class CaptureField(Model):
    """`mask` has the bits that are not compared."""

    value: str = "00"
    mask: str = "00"
    negate: bool = False


class CaptureCustom(CaptureField):
    offset: Annotated[int, Field(ge=0, le=16383)] = 0
    bit_length: Annotated[int, Field(ge=1, le=1024)] = 8


class CaptureFilter(Model):
    choice: Literal["custom", "ethernet", "vlan", "ipv4", "ipv6"] = "custom"
    custom: CaptureCustom = CaptureCustom()
    ethernet: dict[str, CaptureField] = Field(default_factory=dict)
    vlan: dict[str, CaptureField] = Field(default_factory=dict)
    ipv4: dict[str, CaptureField] = Field(default_factory=dict)
    ipv6: dict[str, CaptureField] = Field(default_factory=dict)


class OtgCapture(Model):
    name: Name
    port_names: tuple[str, ...]
    filters: tuple[CaptureFilter, ...] = ()
    overwrite: bool = True
    packet_size: Annotated[int, Field(ge=14, le=65535)] | None = None
    format: Literal["pcap", "pcapng"] = "pcap"


class Connection(Model):
    choice: Literal["port_name"] = "port_name"
    port_name: str


class Vlan(Model):
    name: Name
    tpid: Literal["x8100", "x88A8"] = "x8100"
    priority: Annotated[int, Field(ge=0, le=7)] = 0
    id: Annotated[int, Field(ge=1, le=4095)] = 1


class GatewayMac(Model):
    choice: Literal["auto", "value"] = "auto"
    auto: str | None = None
    value: str = "00:00:00:00:00:00"


class Ipv4(Model):
    name: Name
    address: IPv4Address
    gateway: IPv4Address
    gateway_mac: GatewayMac = GatewayMac()
    prefix: Annotated[int, Field(ge=1, le=32)] = 24


class Ipv6(Model):
    name: Name
    address: IPv6Address
    gateway: IPv6Address
    gateway_mac: GatewayMac = GatewayMac()
    prefix: Annotated[int, Field(ge=1, le=128)] = 64


class Ethernet(Model):
    name: Name
    mac: str | None = None
    mtu: Annotated[int, Field(ge=0, le=65535)] = 1500
    connection: Connection
    vlans: Annotated[tuple[Vlan, ...], Field(max_length=2)] = ()
    ipv4_addresses: tuple[Ipv4, ...] = ()
    ipv6_addresses: tuple[Ipv6, ...] = ()


class OtgDevice(Model):
    name: Name
    ethernets: tuple[Ethernet, ...] = ()


class PortOptions(Model):
    location_preemption: bool = False
    data_integrity: Literal[False] = False


class ProtocolOptions(Model):
    auto_start_all: bool = True


class FlowOptions(Model):
    packet_loss_duration: bool = False


class OtgOptions(Model):
    port_options: PortOptions = PortOptions()
    flow_options: FlowOptions = FlowOptions()
    protocol_options: ProtocolOptions = ProtocolOptions()


class OtgConfig(Model):
    ports: tuple[OtgPort, ...] = ()
    layer1: tuple[Layer1, ...] = ()
    captures: tuple[OtgCapture, ...] = ()
    devices: tuple[OtgDevice, ...] = ()
    flows: tuple[OtgFlow, ...] = ()
    options: OtgOptions = OtgOptions()
    lags: Absent = ()
    lldp: Absent = ()
    stateful_flows: Absent = ()
    egress_only_tracking: Absent = ()
