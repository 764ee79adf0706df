"""Trials of the tests one by one: they empty and read the state table, open flows and count replies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wirespeed.client.flow_sets import FlowAddresses, FlowPorts, FlowProtocol, FlowSet
from wirespeed.errors import MeasurementError
from wirespeed.measurement.rfc.bench import RfcBench
from wirespeed.measurement.stateful.counts import (
    Phase,
    exchange_balance,
    exchanged,
    opened,
    rate_balance,
    refused_flows,
    validated,
    without_excuse,
)
from wirespeed.measurement.stateful.result import (
    PhaseCounts,
    Ranges,
    Row,
    StatefulMethod,
    StatefulTrial,
    Test,
    Way,
    subject_of,
)
from wirespeed.results.channel import Channel
from wirespeed.results.trial import ChannelTrial, Drain, TrialResult
from wirespeed.trial.flow_session import DRAIN_S, Establishment, FlowSession, Validation
from wirespeed.trial.machine import preemption_between
from wirespeed.trial.reading import TrialReading
from wirespeed.trial.trial import Trial, channel_trial
from wirespeed.units import Rate

if TYPE_CHECKING:
    from wirespeed.dut.states import DutStates
    from wirespeed.results.states import StateTable

MOST_LEFT = 64
"""Maximum entries of an emptied table: those of SSH, DHCP and the like."""

_TRIES = 3
"""Maximum attempts to empty a table, and to open all flows before phase 2."""


@dataclass(frozen=True)
class StatefulStep:
    """A trial of `test` over `flows`: the senders of phase 2, the repeat, and the label."""

    test: Test
    flows: int
    way: Way = "both"
    repeat: int = 1
    label: str = ""


@dataclass(frozen=True)
class Opening:
    """A whole phase 1, begun at `began_s` of the tester's clock: the state table before it, and its counts."""

    before: StateTable | None
    counts: PhaseCounts
    began_s: float


def flow_set_of(ranges: Ranges, protocol: FlowProtocol) -> FlowSet:
    return FlowSet(
        FlowAddresses(ranges.source, ranges.sources),
        FlowAddresses(ranges.destination, ranges.destinations),
        FlowPorts(ranges.source_port, ranges.source_ports),
        FlowPorts(ranges.destination_port, ranges.destination_ports),
        ranges.flows,
        protocol=protocol,
    )


@dataclass
class StatefulBench(RfcBench[Test, StatefulTrial, Row]):
    """A running suite, on the ports of `trial`. `states` reads and empties the DUT's table; `empty` replaces its way to
    empty it. `filtered`: the DUT's filter is on. `behind` is the first destination without the filter, if it differs,
    as with port forwards; `translates`: the filter gives flows another source. `addresses` is the number of addresses
    per side."""

    trial: Trial
    method: StatefulMethod
    ranges: Callable[[int, int], Ranges]
    forward: Channel
    states: DutStates | None = None
    empty: Callable[[], None] | None = None
    ring_slots: int = 0
    behind: str = ""
    filtered: bool = True
    translates: bool = False
    addresses: int = 1

    def found(self, test: Test, row: Row) -> None:
        super().found(test, replace(row, addresses=self.addresses))

    # ---- what a trial begins with

    @contextmanager
    def flows(self, flows: int) -> Iterator[FlowSession]:
        """The tester's tables for so many flows. Without the filter, nothing translates their destination."""
        ranges = self.ranges(flows, self.addresses)
        if self.behind and not self.filtered:
            ranges = replace(ranges, destination=self.behind)
        flow_set = flow_set_of(ranges, self.method.transport)
        initiator, responder = self.forward.tx, self.forward.rx
        with FlowSession(
            self.execution.client, flow_set, initiator=initiator, responder=responder, frame_bytes=self.method.frame
        ) as session:
            yield session

    @contextmanager
    def without_filter(self) -> Iterator[None]:
        """The DUT with its filter off; it then has no states."""
        assert self.states is not None
        with self.states.without_filter():
            self.filtered = False
            try:
                yield
            finally:
                self.filtered = True

    def _emptied(self) -> StateTable | None:
        """The table after it was emptied; None if it cannot be read. MeasurementError if it does not become empty."""
        if not self.filtered:
            return None
        for _ in range(_TRIES):
            if self.empty is not None:
                self.empty()
            elif self.states is not None:
                self.states.empty()
            if self.states is None:
                return None
            table = self.states.read()
            if table.used <= MOST_LEFT:
                return table
        raise MeasurementError(
            f"the state table has {table.used:,} entries after it was emptied: other traffic makes states; take the "
            "DUT out of use for the test"
        )

    def _read(self, before: StateTable | None) -> StateTable | None:
        return None if before is None or self.states is None else self.states.read().since(before)

    # ---- trials

    def rate(self, session: FlowSession, asked: StatefulStep, rate_fps: float) -> StatefulTrial:
        """Phase 1 sends each flow once at `rate_fps`. If all arrived, validation follows over each of them."""
        lasting_s = self.rate_lasts_s(asked.flows, rate_fps)
        before = self._begin(asked, f"{rate_fps:,.0f} flows/s, {lasting_s:.3g} s")
        began = self.trial.snapshot()
        first = session.establish(rate_fps, is_cancelled=self.execution.stop.is_set)
        self.execution.wait(0.0)
        second = None
        if opened(first, asked.flows).is_whole:
            second = session.validate(self.method.alpha * rate_fps, is_cancelled=self.execution.stop.is_set)
            self.execution.wait(0.0)
        return self._opening_trial(asked, rate_fps, began, before, lasting_s, first, second)

    def opening(self, session: FlowSession, asked: StatefulStep, rate_fps: float) -> Opening:
        """Phase 1 before a phase 2. MeasurementError if flows are missing after several attempts. Over TCP validation
        follows: its segments announce the scaled window, which a SYN-ACK cannot (RFC 7323)."""
        for _ in range(_TRIES):
            before = self._begin(asked, f"phase 1 at {rate_fps:,.0f} flows/s")
            began = self.trial.snapshot()
            first = session.establish(rate_fps, is_cancelled=self.execution.stop.is_set)
            self.execution.wait(0.0)
            counts, second = opened(first, asked.flows), None
            if counts.is_whole and self.method.transport == "tcp":
                second = session.validate(self.method.alpha * rate_fps, is_cancelled=self.execution.stop.is_set)
                self.execution.wait(0.0)
            if counts.is_whole and (second is None or second.is_whole):
                return Opening(before, counts, began.at_s)
            one = self._opening_trial(asked, rate_fps, began, before, asked.flows / rate_fps, first, second)
            lasting = counts.established if second is None else second.established
            self.keep(replace(one, excluded=f"phase 1 established {lasting:,} of its flows"))
        raise MeasurementError(
            f"phase 1 did not establish all of {asked.flows:,} flows at {rate_fps:,.0f} flows/s in {_TRIES} tries"
        )

    def _opening_trial(
        self,
        asked: StatefulStep,
        rate_fps: float,
        began: TrialReading,
        before: StateTable | None,
        lasting_s: float,
        first: Establishment,
        second: Validation | None,
    ) -> StatefulTrial:
        phase, intended_s = self._phase(began), asked.flows / rate_fps
        seconds = max(first.sending.sending_s, intended_s)
        counted = self.trial.balance(began, phase.ended, self.forward)
        balance = rate_balance(first, second, counted, self.method.resolution)
        channel = channel_trial(phase.sample, self.forward, balance, seconds, self.ring_slots)
        counts = opened(first, asked.flows), None if second is None else validated(second)
        channels = {self.forward: channel}
        if second is not None:
            lasting_s = max(lasting_s, phase.ended.at_s - phase.began.at_s)
        return self._trial(asked, rate_fps, intended_s, seconds, phase, channels, before, lasting_s, *counts)

    def exchange(
        self,
        session: FlowSession,
        asked: StatefulStep,
        opening_fps: float,
        load_pps: float,
        seconds: float,
        latency_every: int = 0,
    ) -> StatefulTrial:
        """Phase 1 at `opening_fps`, then phase 2: `load_pps` of each sender over the states."""
        opening = self.opening(session, asked, opening_fps)
        self._tell(asked, f"{load_pps:,.0f} fps for {seconds:.3g} s")
        began = self.trial.snapshot()
        answer = session.exchange(
            seconds,
            initiator_fps=load_pps if asked.way != "responder" else 0.0,
            responder_fps=load_pps if asked.way != "initiator" else 0.0,
            latency_every=latency_every,
            is_cancelled=self.execution.stop.is_set,
        )
        self.execution.wait(0.0)
        phase = self._phase(began)
        ways = {self.forward: answer.to_responder, self.forward.reverse: answer.to_initiator}
        sent = {wire: one for wire, one in ways.items() if one is not None}
        channels = {}
        for wire, one in sent.items():
            balance = exchange_balance(one, self.trial.balance(began, phase.ended, wire))
            channels[wire] = channel_trial(phase.sample, wire, balance, seconds, self.ring_slots, one.latency)
        told = {wire: exchanged(one, asked.flows) for wire, one in sent.items()}
        lasted_s = max(self.exchange_lasts_s(asked.flows, opening_fps, seconds), phase.ended.at_s - opening.began_s)
        before, counts = opening.before, opening.counts
        found_of = self._trial(asked, load_pps, seconds, seconds, phase, channels, before, lasted_s, counts, None, told)
        return replace(
            found_of, delay_variations={wire: by.variation for wire, by in sent.items() if by.variation is not None}
        )

    def rate_lasts_s(self, flows: int, rate_fps: float) -> float:
        """The time from the first frame of phase 1 to the last one of validation: the most that a flow waits."""
        return flows / rate_fps + DRAIN_S + flows / (self.method.alpha * rate_fps) + DRAIN_S

    def exchange_lasts_s(self, flows: int, opening_fps: float, seconds: float) -> float:
        """The time from the first frame of phase 1 to the end of phase 2, in which a flow may never be drawn."""
        opening_s = (
            flows / opening_fps + DRAIN_S if self.method.transport == "udp" else self.rate_lasts_s(flows, opening_fps)
        )
        return opening_s + seconds + DRAIN_S

    def _begin(self, asked: StatefulStep, what: str) -> StateTable | None:
        self.execution.wait(self.method.rest_s)
        self._tell(asked, what)
        return self._emptied()

    def _tell(self, asked: StatefulStep, what: str) -> None:
        self.tell(asked.test, subject_of(asked.flows, self.addresses, "", self.filtered), what)

    def _phase(self, began: TrialReading) -> Phase:
        ended = self.trial.snapshot()
        dut = self.trial.dut.telemetry(began.dut, ended.dut)
        preemption = preemption_between(began.machine, ended.machine, dut)
        return Phase(began, ended, dut, preemption, self.trial.take_links_down())

    def _trial(
        self,
        asked: StatefulStep,
        load_pps: float,
        intended_s: float,
        seconds: float,
        phase: Phase,
        channels: Mapping[Channel, ChannelTrial],
        before: StateTable | None,
        lasted_s: float,
        first: PhaseCounts,
        second: PhaseCounts | None,
        counts: Mapping[Channel, PhaseCounts] | None = None,
    ) -> StatefulTrial:
        origin_s, states = self.trial.basis.origin.at_s, self._read(before)
        if states is not None and refused_flows(states):
            channels = {wire: without_excuse(one) for wire, one in channels.items()}
        result = TrialResult(
            rate=Rate(load_pps, "pps"),
            began_s=phase.began.at_s - origin_s,
            ended_s=phase.began.at_s - origin_s + seconds,
            channels=channels,
            drain=Drain(max(0.0, phase.ended.at_s - phase.began.at_s - seconds), settled=True),
            preemption=phase.preemption,
            links_down=phase.links_down,
            dut=phase.dut,
        )
        return StatefulTrial(
            number=len(self.trials) + 1,
            test=asked.test,
            flows=asked.flows,
            load_pps=load_pps,
            intended_s=intended_s,
            trial=result,
            opened=first,
            validated=second,
            exchanged=counts or {},
            way=asked.way,
            filtered=self.filtered,
            addresses=self.addresses,
            repeat=asked.repeat,
            states=states,
            states_before=None if before is None else before.used,
            lasted_s=lasted_s,
            label=asked.label,
        )
