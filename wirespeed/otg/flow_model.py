"""Flows of the model, but for their headers, which `packets` reads."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from wirespeed.otg.schema import Absent, Count, Model, Name, NotNegative, Positive

FrameSize = Annotated[int, Field(ge=64, le=16383)]


class TxRxPort(Model):
    tx_name: str
    rx_name: str | None = None
    rx_names: tuple[str, ...] = ()

    @property
    def receivers(self) -> tuple[str, ...]:
        return self.rx_names or ((self.rx_name,) if self.rx_name else ())


class TxRxDevice(Model):
    mode: Literal["mesh", "one_to_one"] = "mesh"
    tx_names: Annotated[tuple[str, ...], Field(min_length=1)]
    rx_names: Annotated[tuple[str, ...], Field(min_length=1)]
    bidirectional: Literal[False] = False


class TxRx(Model):
    choice: Literal["port", "device"] = "port"
    port: TxRxPort | None = None
    device: TxRxDevice | None = None


class SizeRange(Model):
    start: FrameSize = 64
    end: FrameSize = 1518
    step: Annotated[int, Field(ge=1)] = 1


class SizeRandom(Model):
    min: FrameSize = 64
    max: FrameSize = 1518


class SizeWeight(Model):
    size: FrameSize
    weight: Annotated[int, Field(ge=1, le=1_000_000)]


class WeightPairs(Model):
    choice: Literal["predefined", "custom"] = "predefined"
    predefined: Literal["imix", "ipsec_imix", "ipv6_imix", "standard_imix", "tcp_imix"] = "imix"
    custom: tuple[SizeWeight, ...] = ()


class OtgSize(Model):
    choice: Literal["fixed", "increment", "random", "weight_pairs"] = "fixed"
    fixed: FrameSize = 64
    increment: SizeRange = SizeRange()
    random: SizeRandom = SizeRandom()
    weight_pairs: WeightPairs = WeightPairs()


class OtgRate(Model):
    choice: Literal["pps", "bps", "kbps", "mbps", "gbps", "percentage"] = "pps"
    pps: Positive = 1000
    bps: Positive = 1_000_000_000
    kbps: Positive = 1_000_000
    mbps: Positive = 1_000
    gbps: Positive = 1
    percentage: Annotated[float, Field(gt=0, le=100)] = 100


class Delay(Model):
    choice: Literal["bytes", "nanoseconds", "microseconds"] = "bytes"
    bytes: NotNegative = 0
    nanoseconds: NotNegative = 0
    microseconds: NotNegative = 0


class InterBurstGap(Delay):
    bytes: NotNegative = 12
    nanoseconds: NotNegative = 96
    microseconds: NotNegative = 0.096


class Continuous(Model):
    gap: int = 12
    delay: Delay = Delay()


class FixedPackets(Model):
    packets: Count = 1
    gap: int = 12
    delay: Delay = Delay()


class FixedSeconds(Model):
    seconds: Positive = 1
    gap: int = 12
    delay: Delay = Delay()


class OtgBurst(Model):
    bursts: Annotated[int, Field(ge=0, lt=1 << 32)] = 0
    packets: Count = 1
    gap: int = 12
    inter_burst_gap: InterBurstGap = InterBurstGap()


class Duration(Model):
    choice: Literal["continuous", "fixed_packets", "fixed_seconds", "burst"] = "continuous"
    continuous: Continuous = Continuous()
    fixed_packets: FixedPackets = FixedPackets()
    fixed_seconds: FixedSeconds = FixedSeconds()
    burst: OtgBurst = OtgBurst()


class OtgLatency(Model):
    enable: bool = False
    mode: Literal["store_forward"] = "store_forward"


class RxCount(Model):
    pass


class RxTxRatio(Model):
    choice: Literal["value", "rx_count"] = "value"
    value: Positive = 1
    rx_count: RxCount = RxCount()


class Metrics(Model):
    enable: bool = False
    loss: bool = False
    rx_tx_ratio: RxTxRatio = RxTxRatio()
    timestamps: Literal[False] = False
    latency: OtgLatency = OtgLatency()


class FixedPayload(Model):
    pattern: Annotated[str, Field(min_length=2, max_length=32_768)] = "00"
    repeat: bool = True


class Payload(Model):
    choice: Literal["fixed", "increment_byte", "decrement_byte", "increment_word", "decrement_word"] = "fixed"
    fixed: FixedPayload = FixedPayload()


class OtgFlow(Model):
    name: Name
    tx_rx: TxRx
    packet: tuple[Any, ...] = ({"choice": "ethernet", "ethernet": {}},)
    size: OtgSize = OtgSize()
    rate: OtgRate = OtgRate()
    duration: Duration = Duration()
    metrics: Metrics = Metrics()
    payload: Payload = Payload()
    egress_packet: Absent = ()
