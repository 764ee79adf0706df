"""The part of the OTG model that is here, checked and with its defaults: what `POST /config` brings.

Unknown members are refused by name, so that nothing that a test asks for is passed over.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wirespeed.otg.faults import ModelFault

_M = TypeVar("_M", bound=BaseModel)
Name = Annotated[str, Field(min_length=1, max_length=200)]
Absent = Annotated[list[Any], Field(max_length=0)]
Count = Annotated[int, Field(ge=1, lt=1 << 63)]
FrameSize = Annotated[int, Field(ge=64, le=16383)]
Positive = Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Port(_Model):
    name: Name
    location: str | None = None


class TxRxPort(_Model):
    tx_name: str
    rx_name: str | None = None
    rx_names: list[str] = []

    @property
    def receivers(self) -> list[str]:
        return self.rx_names or ([self.rx_name] if self.rx_name else [])


class TxRx(_Model):
    choice: Literal["port"]
    port: TxRxPort


class SizeRange(_Model):
    start: FrameSize = 64
    end: FrameSize = 1518
    step: Annotated[int, Field(ge=1)] = 1


class SizeRandom(_Model):
    min: FrameSize = 64
    max: FrameSize = 1518


class SizeWeight(_Model):
    size: FrameSize
    weight: Annotated[int, Field(ge=1, le=1_000_000)]


class WeightPairs(_Model):
    choice: Literal["predefined", "custom"] = "predefined"
    predefined: Literal["imix", "ipsec_imix", "ipv6_imix", "standard_imix", "tcp_imix"] = "imix"
    custom: list[SizeWeight] = []


class Size(_Model):
    choice: Literal["fixed", "increment", "random", "weight_pairs"] = "fixed"
    fixed: FrameSize = 64
    increment: SizeRange = SizeRange()
    random: SizeRandom = SizeRandom()
    weight_pairs: WeightPairs = WeightPairs()


class Rate(_Model):
    choice: Literal["pps", "bps", "kbps", "mbps", "gbps", "percentage"] = "pps"
    pps: Positive = 1000
    bps: Positive = 1_000_000_000
    kbps: Positive = 1_000_000
    mbps: Positive = 1_000
    gbps: Positive = 1
    percentage: Annotated[float, Field(gt=0, le=100)] = 100


class Delay(_Model):
    choice: Literal["nanoseconds", "microseconds"] = "nanoseconds"
    nanoseconds: NotNegative = 0
    microseconds: NotNegative = 0

    @property
    def us(self) -> float:
        return self.nanoseconds / 1000 if self.choice == "nanoseconds" else self.microseconds


class Continuous(_Model):
    gap: int = 12
    delay: Delay = Delay()


class FixedPackets(_Model):
    packets: Count = 1
    gap: int = 12
    delay: Delay = Delay()


class FixedSeconds(_Model):
    seconds: Positive = 1
    gap: int = 12
    delay: Delay = Delay()


class Burst(_Model):
    bursts: Annotated[int, Field(ge=0, lt=1 << 32)] = 0
    packets: Count = 1
    gap: int = 12
    inter_burst_gap: Delay = Delay()


class Duration(_Model):
    choice: Literal["continuous", "fixed_packets", "fixed_seconds", "burst"] = "continuous"
    continuous: Continuous = Continuous()
    fixed_packets: FixedPackets = FixedPackets()
    fixed_seconds: FixedSeconds = FixedSeconds()
    burst: Burst = Burst()


class Latency(_Model):
    enable: bool = False
    mode: Literal["store_forward"] = "store_forward"


class Metrics(_Model):
    enable: bool = False
    loss: bool = False
    timestamps: Literal[False] = False
    latency: Latency = Latency()


class Flow(_Model):
    name: Name
    tx_rx: TxRx
    packet: list[Any] = [{"choice": "ethernet", "ethernet": {}}]
    size: Size = Size()
    rate: Rate = Rate()
    duration: Duration = Duration()
    metrics: Metrics = Metrics()
    egress_packet: Absent = []


class Config(_Model):
    ports: list[Port] = []
    flows: list[Flow] = []
    options: Any = None
    devices: Absent = []
    lags: Absent = []
    lldp: Absent = []
    layer1: Absent = []
    captures: Absent = []
    stateful_flows: Absent = []
    egress_only_tracking: Absent = []


class FlowTransmit(_Model):
    flow_names: list[str] = []
    state: Literal["start", "stop", "pause", "resume"]


class TrafficState(_Model):
    choice: Literal["flow_transmit"]
    flow_transmit: FlowTransmit


class PortLink(_Model):
    port_names: list[str] = []
    state: Literal["up", "down"]


class PortState(_Model):
    choice: Literal["link"]
    link: PortLink


class ControlState(_Model):
    choice: Literal["traffic", "port"]
    traffic: TrafficState | None = None
    port: PortState | None = None


class PortRequest(_Model):
    port_names: list[str] = []
    column_names: list[str] = []


class FlowRequest(_Model):
    flow_names: list[str] = []
    metric_names: list[str] = []


class MetricsRequest(_Model):
    choice: Literal["port", "flow"]
    port: PortRequest = PortRequest()
    flow: FlowRequest = FlowRequest()


def read(kind: type[_M], given: Any) -> _M:
    """The checked object; ModelFault names the first place that is wrong."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False)[0]
        text = fault["msg"][:200]
        if fault["type"] == "extra_forbidden" or (fault["type"] == "too_long" and isinstance(fault["input"], list)):
            text = "is not supported by this generator; leave it out"
        raise ModelFault(path_of(fault["loc"]), text) from None


def path_of(places: tuple[int | str, ...]) -> str:
    text = "".join(f"[{place}]" if isinstance(place, int) else f".{place}" for place in places)
    return text.removeprefix(".")
