"""One interval of a measurement: the counts of each port, and telemetry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from wirespeed.results.balance import Balance, Medium
from wirespeed.results.channel import Channel
from wirespeed.results.codec import SPARSE, Stored
from wirespeed.results.order import Order

MEASURED_PHASES = ("ramp", "hold", "step", "trial")
"""Phases whose samples are measurements; the others are warm-up and drain."""


@dataclass(frozen=True)
class PortSample:
    """One port over one interval. Rates are counter differences divided by the time between both readings; whole
    numbers are totals since the start.

    `intended_pps` is the intended load, as the server counts it or else as planned. Packets of the intended load that
    were not sent are counted by reason: `refused` (the port could not take them), `no_buffer` (the packet pool was
    empty) and `late` (the tester's worker was behind schedule). `foreign` frames were received and belong to no stream
    of this test; `kinds` counts them by kind. `rx_pause_frames` are pause frames received. None if the file or the
    server has no value."""

    tx_pps: float
    rx_pps: float
    tx_bps: float
    rx_bps: float
    tx_util: float
    rx_util: float
    opackets: int | None = None
    ipackets: int | None = None
    obytes: int | None = None
    ibytes: int | None = None
    oerrors: int | None = None
    ierrors: int | None = None
    intended_pps: float | None = None
    intended: int | None = None
    refused: int | None = None
    no_buffer: int | None = None
    late: int | None = None
    rx_missed: int | None = None
    rx_pause_frames: int | None = None
    foreign: int | None = None
    kinds: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Preemption:
    """Time in which CPUs were preempted during an interval, in seconds; None if unknown.

    `steal_s` is the time that the hypervisor took from all `cpus` of the tester's machine together.
    `…_preempted_s` is the total preemption of that worker of the side that has the longest, by any other thread;
    `…_longest_preemption_s` is the longest single one.
    """

    steal_s: Annotated[float | None, SPARSE] = None
    tester_preempted_s: Annotated[float | None, Stored(sparse=True, former="tester_absent_s")] = None
    tester_longest_preemption_s: Annotated[float | None, Stored(sparse=True, former="tester_longest_absent_s")] = None
    dut_preempted_s: Annotated[float | None, Stored(sparse=True, former="dut_absent_s")] = None
    dut_longest_preemption_s: Annotated[float | None, Stored(sparse=True, former="dut_longest_absent_s")] = None
    cpus: Annotated[int | None, SPARSE] = None


@dataclass(frozen=True)
class Latency:
    """Latency of one direction over an interval or a trial; times in microseconds.

    `packets` of the latency stream were received, `lost` were not, `out_of_order` and `duplicates` were received late
    or twice. `percentiles` maps 50, 90, 99, 99.9 … to microseconds. `hdr` is the histogram of nanoseconds in
    HdrHistogram's compressed text (V2, base64).
    """

    packets: int
    min_us: float
    average_us: float
    max_us: float
    jitter_us: float
    percentiles: Mapping[str, float] = field(default_factory=dict)
    hdr: str = ""
    lost: int = 0
    out_of_order: int = 0
    duplicates: int = 0


@dataclass(frozen=True)
class DelayVariation:
    """IPDV of RFC 8219 section 7.3.2 and RFC 5481: the latency of a frame less that of the frame sent before it, for
    `packets` frames that both arrived, in microseconds with their sign."""

    packets: int
    min_us: float
    median_us: float
    max_us: float


@dataclass(frozen=True)
class Sample:
    """One interval of a test; `t_s` is its end, in seconds since the start of traffic.

    `test_frames` counts the received test frames of each direction since the start, by their signature and without
    duplicates; a direction is absent if signatures were not checked. `order` counts duplicates and reordered packets
    since the start, for directions with numbered packets. `links_down` are ports that lost their link during the
    interval."""

    t_s: float
    interval_s: float
    phase: str
    ports: Mapping[int, PortSample]
    global_stats: Mapping[str, Any] = field(default_factory=dict)
    dut: Mapping[str, Any] = field(default_factory=dict)
    test_frames: Mapping[Channel, int] = field(default_factory=dict)
    order: Mapping[Channel, Order] = field(default_factory=dict)
    latency: Mapping[Channel, Latency] = field(default_factory=dict)
    preemption: Preemption | None = None
    links_down: tuple[int, ...] = ()

    @property
    def measured(self) -> bool:
        return self.phase in MEASURED_PHASES


def sample_balance(before: Sample | None, sample: Sample, channel: Channel, medium: Medium) -> Balance:
    """The packet balance of `channel` in `sample`; `before` is the previous sample, None for the first.

    Counter totals are used if both samples have them, since rates of T-Rex are smoothed and not read at one instant."""
    tx, rx = sample.ports[channel.tx], sample.ports[channel.rx]

    def grown(port: int, counter: str) -> float | None:
        return _grown(before, sample, port, counter)

    sent, received = grown(channel.tx, "opackets"), grown(channel.rx, "ipackets")
    if sent is None or received is None:
        sent, received = tx.tx_pps * sample.interval_s, rx.rx_pps * sample.interval_s
    intended = grown(channel.tx, "intended")
    if intended is None and tx.intended_pps is not None:
        intended = tx.intended_pps * sample.interval_s
    return balance(
        sent=sent,
        received=received,
        intended=intended,
        refused=grown(channel.tx, "refused") or 0,
        no_buffer=grown(channel.tx, "no_buffer") or 0,
        late=grown(channel.tx, "late") or 0,
        missed=grown(channel.rx, "rx_missed") or 0,
        foreign=grown(channel.rx, "foreign") or 0,
        test_frames=_test_frames_grown(before, sample, channel),
        medium=medium,
        paused=bool(grown(channel.tx, "rx_pause_frames")),
        order=_order_grown(before, sample, channel),
    )


def balance(
    *,
    sent: float,
    received: float,
    intended: float | None,
    refused: float,
    no_buffer: float,
    late: float,
    missed: float,
    foreign: float,
    test_frames: float | None,
    medium: Medium,
    paused: bool,
    order: Order | None = None,
) -> Balance:
    """A balance of counted packets. With signatures (`test_frames`), all other received packets are extraneous. Without
    them, frames of foreign kinds are extraneous, and all packets beyond those offered."""
    plain = Balance(sent, received, intended, refused, no_buffer, late, missed, 0, medium, paused)
    own = min(received - foreign, plain.offered) if test_frames is None else test_frames
    extraneous = max(0, received - own)
    return Balance(sent, received, intended, refused, no_buffer, late, missed, extraneous, medium, paused, order)


def _grown(before: Sample | None, sample: Sample, port: int, counter: str) -> float | None:
    """Growth of a counter since the sample before, or since it began at 0 with the test; None where one is missing or
    the counter was reset."""
    new = getattr(sample.ports[port], counter)
    old = 0 if before is None else getattr(before.ports[port], counter)
    return None if old is None or new is None or new < old else new - old


def _test_frames_grown(before: Sample | None, sample: Sample, channel: Channel) -> float | None:
    new = sample.test_frames.get(channel)
    old = 0 if before is None else before.test_frames.get(channel)
    return None if old is None or new is None or new < old else new - old


def _order_grown(before: Sample | None, sample: Sample, channel: Channel) -> Order | None:
    new = sample.order.get(channel)
    if new is None or before is None:
        return new
    old = before.order.get(channel)
    return None if old is None else new.since(old)
