"""A stateful device with known properties, behind the session of a flow set: arrivals in each phase, without frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from wirespeed.client.flow_sets import FlowSet
from wirespeed.results.sample import DelayVariation, Latency
from wirespeed.results.states import StateTable, TearDown
from wirespeed.trial.flow_session import (
    Establishment,
    Exchange,
    ExchangeDirection,
    Handshakes,
    Others,
    Sending,
    Validation,
)

NONE = Others(0, 0, 0, 0)
TIMES = Latency(1000, 5.0, 20.0, 90.0, 1.0, {"50": 18.0, "90": 30.0, "99": 50.0, "99.9": 80.0, "99.99": 90.0})
VARIATION = DelayVariation(999, -60.0, 0.5, 62.0)


@dataclass
class StatefulDevice:
    """It makes `new_fps` states a second, and `answer_fps` validated ones; it forwards `carried_pps` each way over
    them, and so much `without` its filter. It holds `limit` states, and `keeps` some when it is emptied. The tester
    sends `tester_fps` at most, and `responder_fps` in validation. `merged` flows of each phase 1 get the tuple of
    another, `untranslated` ones keep theirs, `remapped` ones change theirs in phase 2. Over TCP it loses the SYN-ACK of
    `unanswered` flows, and the tester does not answer `unsent` ones."""

    new_fps: float = 200_000.0
    answer_fps: float = 1e9
    carried_pps: float = 500_000.0
    without: float = 2_000_000.0
    limit: int = 1 << 20
    tester_fps: float = 1e9
    responder_fps: float = 1e9
    merged: int = 0
    untranslated: int = 0
    remapped: int = 0
    unanswered: int = 0
    unsent: int = 0
    timeout_s: float = 30.0
    keeps: int = 0
    keeps_none: bool = False
    entries: int = 1
    filtered: bool = True
    used: int = 0
    emptied: int = 0
    opened_at: list[float] = field(default_factory=list)

    # ---- its state table, as DutStates has it

    def read(self) -> StateTable:
        timeouts = {"udp": self.timeout_s, "udp_stream": 120.0, "tcp_established": 3600.0, "tcp_unacknowledged": 300.0}
        return StateTable(self.used, self.limit, 1 << 16, self.entries, timeouts_s=timeouts)

    def empty(self) -> None:
        self.used = self.keeps
        self.emptied += 1

    def tear_down(self, empty: Callable[[], None] | None) -> TearDown:
        states = self.used
        (empty or self.empty)()
        return TearDown(states, self.used, 0.001 + states / 400_000, 0.001)

    def why_not(self, flows: int, table: StateTable) -> str | None:
        return f"the table holds {self.limit}" if flows + table.used > self.limit else None

    can_do_without_filter = True

    @contextmanager
    def without_filter(self) -> Iterator[None]:
        self.filtered = False
        try:
            yield
        finally:
            self.filtered = True

    # ---- results of a tester's session

    @contextmanager
    def session(self, _client: object, flow_set: FlowSet, **_: Any) -> Iterator[SimulatedSession]:
        yield SimulatedSession(self, flow_set.flows, flow_set.protocol == "tcp")


@dataclass
class SimulatedSession:
    dut: StatefulDevice
    flows: int
    is_tcp: bool = False
    learnt: int = 0
    validated: bool = False

    def _sending(self, asked_fps: float, frames: float, most_fps: float = 1e9) -> Sending:
        return Sending(asked_fps, frames, round(frames), frames / min(asked_fps, most_fps, self.dut.tester_fps))

    def establish(self, rate_fps: float, **_: Any) -> Establishment:
        dut, sending = self.dut, self._sending(rate_fps, self.flows)
        rate = min(rate_fps, dut.tester_fps)
        able = dut.new_fps if dut.filtered else dut.without
        made = self.flows if rate <= able else int(self.flows * able / rate)
        if dut.filtered:
            made = min(made, dut.limit - dut.used)
            dut.used += 0 if dut.keeps_none else made
        dut.opened_at.append(rate_fps)
        self.learnt, self.validated = made, False
        if self.is_tcp:
            shaken = Handshakes(dut.unanswered, 0, 0, dut.unsent)
            self.learnt -= dut.unanswered + dut.unsent
            missing = self.flows - made
            return Establishment(sending, self.learnt, missing, 0, 0, 0, 0, 0, NONE, handshakes=shaken)
        plain = dut.untranslated if dut.filtered else made
        return Establishment(sending, made, self.flows - made, 0, dut.merged, 0, plain, 0, NONE)

    def validate(self, rate_fps: float, **_: Any) -> Validation:
        able, self.validated = self.dut.answer_fps, True
        back = self.learnt if rate_fps <= able else int(self.learnt * able / rate_fps)
        sending = self._sending(rate_fps, self.learnt, self.dut.responder_fps)
        return Validation(sending, self.learnt, back, 0, self.learnt - back, 0, NONE)

    def exchange(
        self,
        duration_s: float,
        *,
        initiator_fps: float = 0.0,
        responder_fps: float = 0.0,
        latency_every: int = 0,
        **_: Any,
    ) -> Exchange:
        assert self.validated or not self.is_tcp, "the scaled window is not announced"

        def way(load_pps: float) -> ExchangeDirection | None:
            if not load_pps:
                return None
            sending = self._sending(load_pps, load_pps * duration_s)
            able = self.dut.carried_pps if self.dut.filtered else self.dut.without
            back = sending.sent if load_pps <= able else int(able * duration_s)
            times = TIMES if latency_every else None
            remapped = self.dut.remapped if self.dut.filtered else 0
            missing, variation = sending.sent - back, VARIATION if latency_every == 1 else None
            return ExchangeDirection(sending, back, missing, 0, 0, 0, remapped, remapped, 0, 0, NONE, times, variation)

        return Exchange(way(initiator_fps), way(responder_fps), NONE)
