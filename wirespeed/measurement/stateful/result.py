"""The results of tests of stateful devices as values: connection establishment rate, throughput, frame loss and latency
over a number of states, tear-down rate, table capacity.

Terms are those of RFC 9693: the initiator opens connections, the responder learns their four-tuples. A connection is a
flow here, since the test frames are UDP. Rates are flows per second, loads are frames per second of each direction; a
frame size counts the FCS. Sections named without an RFC are those of RFC 9693.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Annotated, ClassVar, Literal, get_args

from wirespeed.client.flow_sets import FlowProtocol
from wirespeed.measurement.rfc.loss import LossPoint
from wirespeed.measurement.rfc.method import Conforming
from wirespeed.measurement.rfc.result import RfcResult, RfcTrial
from wirespeed.measurement.shown import short_repr
from wirespeed.results.channel import Channel
from wirespeed.results.codec import SPARSE, Stored
from wirespeed.results.sample import DelayVariation
from wirespeed.results.search_trial import BoundLimit
from wirespeed.results.settings import Settings
from wirespeed.results.states import StateTable, TearDown

Test = Literal["rate", "throughput", "frame-loss", "latency", "tear-down", "capacity"]
TESTS: tuple[Test, ...] = get_args(Test)

Way = Literal["both", "initiator", "responder"]
"""The sending sides in phase 2."""
WAYS: tuple[Way, ...] = get_args(Way)

SECTIONS: Mapping[Test, str] = {
    "rate": "RFC 9693 §4.5, §4.6",
    "throughput": "RFC 9693 §4.7 (RFC 8219 §7.1)",
    "frame-loss": "RFC 9693 §4.7 (RFC 8219 §7.4)",
    "latency": "RFC 9693 §4.7 (RFC 8219 §7.2, §7.3)",
    "tear-down": "RFC 9693 §4.8",
    "capacity": "RFC 9693 §4.9",
}

NOT_PROVED = "the state table was not read, so that its entries are not proved"

LEAST_PHASE_S = 1.0
"""Minimum duration of phase 1 for which a rate is reported."""


@dataclass(frozen=True)
class Ranges:
    """Addresses and ports of `flows` flows, as the initiator sends them: each range by its first value and its size.
    The product of the sizes is at least the number of flows."""

    flows: int
    source: str
    sources: int
    destination: str
    destinations: int
    source_port: int
    source_ports: int
    destination_port: int
    destination_ports: int

    @property
    def tuples(self) -> int:
        return self.sources * self.destinations * self.source_ports * self.destination_ports

    @property
    def endpoints(self) -> int:
        """Destination addresses and ports."""
        return self.destinations * self.destination_ports


@dataclass(frozen=True)
class StatefulMethod(Conforming):
    """Parameters of the tests. `alpha` is the rate of validation as a share of the rate of phase 1, `opening` the rate
    of phase 1 before a phase 2 as a share of the establishment rate. `timeout_s` is the shortest timeout that the DUT
    has for such flows, None if unknown. `resolution` is the relative distance between the highest passing rate and the
    lowest failing one; `beta`, `gamma` and `capacity_error` (E, as a share) are those of §4.9. `exceptions` lists, by
    test, the deviations from the RFC. `addresses` are the numbers of addresses per side (§3.2); each has its own
    rows."""

    sections: ClassVar = SECTIONS

    tests: tuple[Test, ...]
    flows: tuple[int, ...]
    ways: tuple[Way, ...]
    frame: int
    protocol: str
    ranges: tuple[Ranges, ...]
    trial_s: float = 60.0
    repeats: int = 10
    latency_repeats: int = 20
    alpha: float = 0.8
    opening: float = 0.5
    resolution: float = 0.01
    rest_s: float = 0.5
    timeout_s: float | None = None
    over_timeout: bool = False
    loss_step_percent: float = 10.0
    beta: float = 0.1
    gamma: float = 0.5
    capacity_error: float = 0.001
    exceptions: Mapping[Test, tuple[str, ...]] = field(default_factory=dict)
    addresses: tuple[int, ...] = (1,)

    @property
    def transport(self) -> FlowProtocol:
        return "tcp" if self.protocol.startswith("TCP") else "udp"

    @property
    def outside(self) -> str:
        return "TCP is outside RFC 9693, and this is not RFC 3511" if self.transport == "tcp" else ""

    @property
    def opening_bytes(self) -> int:
        """Bytes on the line per flow in phase 1: one frame, over TCP two (SYN and ACK)."""
        if self.transport == "udp":
            return self.frame
        return 150 if self.protocol.endswith("4") else 184

    def ranges_of(self, flows: int, addresses: int) -> Ranges | None:
        """None of a number that a search of the capacity came to."""
        return next((one for one in self.ranges if (one.flows, one.sources) == (flows, addresses)), None)


@dataclass(frozen=True)
class PhaseCounts:
    """Outcome of `flows` flows in a phase. `established` ones arrived, each with a tuple of its own and at the
    right host and port; `missing` ones were sent and never arrived, `unsent` ones were not sent. Over TCP phase 1 is
    SYN (`missing`), SYN-ACK (`unanswered`: it never arrived) and ACK (`unconfirmed`). `merged` flows share the tuple of
    another one, `remapped` flows changed theirs, `misdelivered` ones arrived at a wrong host or port only.
    `untranslated` flows arrived with the source that they were sent from. Frames: `duplicates`, `late` (of an earlier
    phase), `unopened` (of flows that were not learnt), `unknown` (of no flow of the test), `icmp_errors`."""

    flows: int
    established: int
    missing: Annotated[int, SPARSE] = 0
    unanswered: Annotated[int, SPARSE] = 0
    unconfirmed: Annotated[int, SPARSE] = 0
    unsent: Annotated[int, SPARSE] = 0
    merged: Annotated[int, SPARSE] = 0
    remapped: Annotated[int, SPARSE] = 0
    misdelivered: Annotated[int, SPARSE] = 0
    untranslated: Annotated[int, SPARSE] = 0
    duplicates: Annotated[int, SPARSE] = 0
    late: Annotated[int, SPARSE] = 0
    unopened: Annotated[int, SPARSE] = 0
    unknown: Annotated[int, SPARSE] = 0
    icmp_errors: Annotated[int, SPARSE] = 0

    @property
    def is_whole(self) -> bool:
        return self.established == self.flows

    @property
    def faults(self) -> dict[str, int]:
        """The counts that are 0 in a healthy test, by name."""
        of_frames = ("duplicates", "late", "unopened", "icmp_errors")
        names = ("missing", "unanswered", "unconfirmed", "merged", "remapped", "misdelivered", *of_frames)
        return {name.replace("icmp_errors", "ICMP errors"): value for name in names if (value := getattr(self, name))}


@dataclass(frozen=True)
class StatefulTrial(RfcTrial):
    """A trial of a test with `flows` flows; `filtered`: with the filter on. `load_pps` is the rate of new flows of a
    test of the rate, otherwise the load of phase 2; `way` is who sent then.

    The directions of `trial` are phase 1 and validation in a test of the rate, phase 2 in the others. `opened` are the
    counts of phase 1, `validated` those of validation, `exchanged` those of phase 2 by direction. `states` is the state
    table afterwards with the growth of its counters, `states_before` its entries before phase 1; None if it was not
    read. `lasted_s` is the time for which the first flow had to live. `delay_variations` are those of phase 2 where its
    latency was taken. `addresses` are those of each side. `excluded` is the reason why a trial does not count."""

    test: Test
    flows: int
    opened: PhaseCounts
    validated: Annotated[PhaseCounts | None, SPARSE] = None
    exchanged: Annotated[Mapping[Channel, PhaseCounts], SPARSE] = field(default_factory=dict)
    way: Annotated[Way, SPARSE] = "both"
    filtered: bool = True
    repeat: int = 1
    states: Annotated[StateTable | None, SPARSE] = None
    states_before: Annotated[int | None, SPARSE] = None
    lasted_s: float = 0.0
    delay_variations: Annotated[Mapping[Channel, DelayVariation], SPARSE] = field(default_factory=dict)
    addresses: int = 1

    @property
    def subject(self) -> str:
        """`1,000,000 flows, 16 addresses, without filter`."""
        return subject_of(self.flows, self.addresses, "", self.filtered)

    @property
    def faults(self) -> dict[str, int]:
        """Sum over all phases of the counts that are 0 in a healthy test."""
        phases = (self.opened, *filter(None, (self.validated,)), *self.exchanged.values())
        sums: dict[str, int] = {}
        for one in phases:
            for name, value in one.faults.items():
                sums[name] = sums.get(name, 0) + value
        return sums

    @property
    def remark(self) -> str:
        if self.trial.disturbed:
            return f"the host disturbed it: {self.trial.disturbed}"
        if self.trial.tester_limited:
            return "the tester was the limit: it sent less than was asked for"
        return ""


def percentile(values: Sequence[float], share: int) -> float | None:
    """A percentile by linear interpolation; None without values."""
    if len(values) < 2:
        return values[0] if values else None
    return quantiles(values, n=100, method="inclusive")[share - 1]


@dataclass(frozen=True)
class FlowsRow:
    """A row of one number of flows and of `addresses` of each side. `filtered`: with the filter on. `states` were in
    use. `left_out` is the reason why there is no figure, `irregular` the reason why the figure is not the DUT's
    alone."""

    flows: int
    filtered: bool = field(default=True, kw_only=True)
    states: int | None = field(default=None, kw_only=True)
    left_out: str = field(default="", kw_only=True)
    irregular: str = field(default="", kw_only=True)
    addresses: int = field(default=1, kw_only=True)

    @property
    def subject(self) -> str:
        """`1,000,000 flows, 16 addresses, both, without filter`."""
        return subject_of(self.flows, self.addresses, getattr(self, "way", ""), self.filtered)

    @property
    def remark(self) -> str:
        return "; ".join(filter(None, (self.left_out, self.irregular)))


@dataclass(frozen=True)
class FoundRow(FlowsRow):
    """A rate or load by one search per repeat: `found` are the lower bounds, `failed` the lowest values that failed.
    `limit` is the cause of the upper bounds. `states` were in use after the trials at the lower bounds."""

    also_stored: ClassVar[Mapping[str, str]] = {"median": "median", "p1": "p1", "p99": "p99", "error": "error"}
    test: ClassVar[Test]

    found: tuple[float, ...] = ()
    failed: tuple[float, ...] = ()
    limit: BoundLimit = "none"
    trials: int = 0

    @property
    def median(self) -> float | None:
        return median(self.found) if self.found else None

    @property
    def p1(self) -> float | None:
        return percentile(self.found, 1)

    @property
    def p99(self) -> float | None:
        return percentile(self.found, 99)

    @property
    def error(self) -> float | None:
        """The largest distance between a lower bound and the lowest value that failed; None unless each search had such
        a value."""
        if len(self.failed) != len(self.found):
            return None
        return max((high - low for low, high in zip(self.found, self.failed, strict=True)), default=None)

    @property
    def case(self) -> str:
        """The subject of its trials for `explain`, which takes all sending sides together."""
        return case_subject(self.test, self.flows, self.addresses, self.filtered)

    @property
    def is_at_least(self) -> bool:
        """True if tester or host ended the search, so that the DUT may do more."""
        return self.limit in ("tester", "host")


@dataclass(frozen=True)
class RateRow(FoundRow):
    """§4.5 with §4.6: the highest rate of new flows of which all are established and validated. `unvalidated` is the
    highest rate at which phase 1 was whole, validated or not. `needed_flows` would make phase 1 long enough for a
    rate."""

    test = "rate"

    unvalidated: float | None = None
    needed_flows: int | None = None

    @property
    def remark(self) -> str:
        more = "" if self.needed_flows is None else f": give --flows {self.needed_flows} or more"
        return "; ".join(filter(None, (self.left_out and self.left_out + more, self.irregular)))


@dataclass(frozen=True)
class StateThroughputRow(FoundRow):
    """§4.7: the highest load over the states that loses nothing. `opened_at` is the rate of phase 1, `line_pps` what
    the links carry."""

    test = "throughput"

    way: Way = "both"
    opened_at: float | None = None
    line_pps: float | None = None

    @property
    def line_percent(self) -> float | None:
        return self.median / self.line_pps * 100 if self.median is not None and self.line_pps else None


@dataclass(frozen=True)
class StateLossRow(FlowsRow):
    """§4.7: the loss at loads from line rate down, until two consecutive trials lost nothing."""

    way: Way = "both"
    opened_at: float | None = None
    points: tuple[LossPoint, ...] = ()
    lossless_twice: bool = False


@dataclass(frozen=True)
class StateLatencyRow(FlowsRow):
    """§4.7 at the throughput, of one direction; one value per repeat, in microseconds. The values are the median of the
    frames' latency (TL is the median of those), the 99.9th percentile (WCL), PDV (D99.9 - Dmin) and IPDV. `frames` were
    timed."""

    also_stored: ClassVar[Mapping[str, str]] = {"typical_us": "typical_us", "worst_us": "worst_us", "pdv_us": "pdv_us"}

    direction: str
    way: Way = "both"
    load_pps: float | None = None
    medians_us: tuple[float, ...] = ()
    worsts_us: tuple[float, ...] = ()
    variations_us: tuple[float, ...] = ()
    ipdv: tuple[DelayVariation, ...] = ()
    frames: int = 0

    @property
    def quantities(self) -> dict[str, tuple[float, ...]]:
        """The quantities in a report, with their values."""
        return {
            "typical": self.medians_us,
            "worst": self.worsts_us,
            "PDV": self.variations_us,
            "IPDV min": tuple(one.min_us for one in self.ipdv),
            "IPDV median": tuple(one.median_us for one in self.ipdv),
            "IPDV max": tuple(one.max_us for one in self.ipdv),
        }

    @property
    def typical_us(self) -> float | None:
        return median(self.medians_us) if self.medians_us else None

    @property
    def worst_us(self) -> float | None:
        return median(self.worsts_us) if self.worsts_us else None

    @property
    def pdv_us(self) -> float | None:
        return median(self.variations_us) if self.variations_us else None


@dataclass(frozen=True)
class TearDownRow(FlowsRow):
    """§4.8: the DUT's own command flushes the table of so many flows, once per repeat. A flush has a rate if it takes
    at least ten times as long as on an empty table, whose time is subtracted."""

    also_stored: ClassVar[Mapping[str, str]] = {"rates": "rates", "median": "median"}

    opened_at: float | None = None
    flushes: tuple[TearDown, ...] = ()

    @property
    def rates(self) -> tuple[float, ...]:
        """Entries per second."""
        return tuple(rate for one in self.flushes if (rate := one.states_per_s) is not None)

    @property
    def median(self) -> float | None:
        return median(self.rates) if self.rates else None


@dataclass(frozen=True)
class CapacityStep:
    """A step of §4.9: the validated rate of so many flows; None if it is below `bound`, which means that the table is
    full."""

    flows: int
    rate: float | None
    bound: float
    repeat: int = 1


@dataclass(frozen=True)
class CapacityRow(FlowsRow):
    """§4.9, one search per repeat: the table holds `found` flows; with `full` flows the rate collapsed. The first step
    of each has `flows` (C0)."""

    also_stored: ClassVar[Mapping[str, str]] = {"capacity": "capacity", "full_at": "full_at"}

    found: tuple[int, ...] = ()
    full: tuple[int, ...] = ()
    steps: tuple[CapacityStep, ...] = ()

    @property
    def capacity(self) -> int | None:
        """The median of the repeats."""
        return int(median(self.found)) if self.found else None

    @property
    def full_at(self) -> int | None:
        """The median; None unless each repeat filled the table."""
        return round(median(self.full)) if self.full and len(self.full) == len(self.found) else None


Row = RateRow | StateThroughputRow | StateLossRow | StateLatencyRow | TearDownRow | CapacityRow


@dataclass(frozen=True, kw_only=True)
class StatefulSettings(Settings):
    """`flows`, `addresses`, `protocol` and `ways` as on a command line."""

    flows: Annotated[str, SPARSE] = ""
    addresses: Annotated[str, SPARSE] = ""
    protocol: Annotated[str, SPARSE] = ""
    ways: Annotated[str, SPARSE] = ""


@dataclass(frozen=True)
class StatefulResult(RfcResult):
    """A whole run. Rows are in the order in which they were measured; a test that was not run has none. `table` is the
    DUT's state table before the first trial, None if it could not be read. `filter` names the DUT's filter, empty if
    that is unknown. `conformance` has, by test, its sections and its deviations; none of tests over TCP. `spent_s` is
    the duration."""

    __repr__ = short_repr

    kind = "stateful"
    schema = "wirespeed-stateful/1"
    noun = "result of tests of stateful devices"
    journal_noun = "tests of stateful devices"

    variables: Annotated[StatefulSettings, Stored("vars")]
    method: StatefulMethod
    filter: Annotated[str, SPARSE] = ""
    table: Annotated[StateTable | None, SPARSE] = None
    rate: Annotated[tuple[RateRow, ...], SPARSE] = ()
    throughput: Annotated[tuple[StateThroughputRow, ...], SPARSE] = ()
    frame_loss: Annotated[tuple[StateLossRow, ...], SPARSE] = ()
    latency: Annotated[tuple[StateLatencyRow, ...], SPARSE] = ()
    tear_down: Annotated[tuple[TearDownRow, ...], SPARSE] = ()
    capacity: Annotated[tuple[CapacityRow, ...], SPARSE] = ()
    trials: tuple[StatefulTrial, ...] = ()
    spent_s: float = 0.0


def subject_of(flows: int, addresses: int, way: str, filtered: bool) -> str:
    many = "" if addresses == 1 else f"{addresses:,} addresses"
    return ", ".join(filter(None, (flows_text(flows), many, way, "" if filtered else "without filter")))


def case_subject(test: Test, flows: int, addresses: int, filtered: bool) -> str:
    return f"{test} with {subject_of(flows, addresses, '', filtered)}"


def flows_text(flows: int) -> str:
    """`1 flow`, `64k flows` with k of 1000."""
    return "1 flow" if flows == 1 else f"{flows:,} flows"


RESULT = StatefulResult
