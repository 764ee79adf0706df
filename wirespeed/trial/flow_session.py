"""The phases of RFC 9693 over a flow set of a generator: flows are opened, validated, and sent over.

    with FlowSession(client, flow_set) as session:
        opened = session.establish(rate_fps=100_000)
        proved = session.validate(rate_fps=80_000)
        used = session.exchange(10.0, initiator_fps=50_000, responder_fps=50_000)

The caller owns both ports. Addresses of the set lie behind the ports: the device has a route to them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Any, Self

from wirespeed.client.flow_sets import FlowCounts, FlowRole, FlowSet, HandshakeStep
from wirespeed.client.generator_client import GeneratorClient
from wirespeed.client.readings import RUNNING_STATES
from wirespeed.errors import WirespeedError
from wirespeed.results.sample import DelayVariation, Latency
from wirespeed.seam.flow_sets import FlowsLearnt
from wirespeed.trial.latency import latency_between, latency_reading

DRAIN_S = 0.2
"""Time for frames in flight to arrive after the last one was sent. RFC 9693 leaves it to the tester."""


_PROFILE = "flow_set"
"""Name of a separate profile, so that the streams of a trial stay loaded."""

_ANSWERS = "flow_set_answers"
_STEPS: dict[FlowRole, HandshakeStep] = {"initiator": "ack", "responder": "syn-ack"}
"""The handshake step that each role answers with."""

_SLOW_S = 60.0
"""Timeout of requests that create or compare the tables of many flows, which takes seconds."""
_POLL_S = 0.05
_HEARTBEAT_S = 1.0
_STRETCH, _STRETCH_MORE_S = 2.0, 1.0
"""Sending is aborted after this multiple of its planned duration, plus a constant."""


@dataclass(frozen=True)
class Sending:
    """Frames that the driver accepted, and the time from the first burst to the last. `unsent` were refused, had no
    buffer, or were late."""

    asked_fps: float
    asked: float
    sent: int
    sending_s: float
    unsent: int = 0

    @property
    def rate_fps(self) -> float:
        return (self.sent - 1) / self.sending_s if self.sent > 1 and self.sending_s > 0 else 0.0


@dataclass(frozen=True)
class Others:
    """Frames that are none of the phase's, see `FlowCounts`: at both ports, or of one direction."""

    late: int
    bad: int
    unknown: int
    icmp_errors: int

    @property
    def foreign(self) -> int:
        """Frames of no flow of the set."""
        return self.bad + self.unknown


@dataclass(frozen=True)
class Handshakes:
    """What became of the TCP flows whose SYN arrived: `unanswered` ones, whose SYN-ACK never arrived;
    `wrong_destination`: it arrived elsewhere only; `unconfirmed`: the ACK never arrived. `unsent`: the tester did not
    send the SYN-ACK or the ACK."""

    unanswered: int
    wrong_destination: int
    unconfirmed: int
    unsent: int


NO_HANDSHAKES = Handshakes(0, 0, 0, 0)


@dataclass(frozen=True)
class Establishment:
    """Phase 1, in flows: each was sent once. `duplicates` are frames beyond the first of their flow. `merged` flows
    have a tuple that another flow has, too; `untranslated` ones the source that they were sent with;
    `destination_changed` another destination. `missing` flows were sent and did not arrive, over TCP their SYN.
    `established` flows of TCP had their SYN-ACK and their ACK arrive, with the same tuple."""

    sending: Sending
    established: int
    missing: int
    duplicates: int
    merged: int
    remapped: int
    untranslated: int
    destination_changed: int
    others: Others
    latency: Latency | None = None
    handshakes: Handshakes | None = None
    """Over TCP."""

    @property
    def lasting(self) -> int:
        """Established flows with a tuple of their own that they kept."""
        if self.handshakes is not None:
            return self.established
        return max(0, self.established - self.merged - self.remapped)

    @property
    def is_whole(self) -> bool:
        """True if each flow that was sent was established, with a tuple of its own that it kept."""
        return self.lasting == self.sending.sent


@dataclass(frozen=True)
class Validation:
    """The responder sent once over each of `learnt` flows. `established` ones arrived at the host and port that opened
    them, from those they were opened to; `wrong_destination` ones arrived elsewhere only."""

    sending: Sending
    learnt: int
    established: int
    wrong_destination: int
    missing: int
    duplicates: int
    others: Others
    latency: Latency | None = None

    @property
    def is_whole(self) -> bool:
        """True if each learnt flow, and there are some, arrived where it should."""
        return 0 < self.established == self.learnt


@dataclass(frozen=True)
class ExchangeDirection:
    """One direction of an exchange, in frames but for `remapped`, which are flows. `missing` frames were sent and did
    not arrive; `duplicates` came again; `unplaced` came so late that they may be either."""

    sending: Sending
    received: int
    missing: int
    duplicates: int
    reordered: int
    unplaced: int
    remapped: int
    remapped_frames: int
    unlearnt: int
    wrong_destination: int
    others: Others
    """At its receiver, but ICMP errors at its sender."""
    latency: Latency | None = None
    variation: DelayVariation | None = None
    """Where all latencies are taken."""


@dataclass(frozen=True)
class Exchange:
    """Phase 2. A direction is None if it was not to send."""

    to_responder: ExchangeDirection | None
    to_initiator: ExchangeDirection | None
    others: Others


class FlowSession:
    """A flow set on two ports of a generator, which the session of `client` owns; enter it to make its tables.

    RemoteError if the generator has no memory for the flows, or is no wirespeed generator. `frame_bytes` are with FCS.
    With `force` rates above the line's are sent, too, and ports that have not found their next hop."""

    def __init__(
        self,
        client: GeneratorClient,
        flow_set: FlowSet,
        *,
        initiator: int = 0,
        responder: int = 1,
        frame_bytes: int | None = None,
        force: bool = False,
    ) -> None:
        self.client, self.flow_set = client, flow_set
        self.ports: dict[FlowRole, int] = {"initiator": initiator, "responder": responder}
        self.frame_bytes = flow_set.smallest_frame_bytes if frame_bytes is None else frame_bytes
        self.learnt = FlowsLearnt()
        """Counts of the last establishment."""
        self._force = force
        self._asked: dict[FlowRole, tuple[float, float]] = {}
        flow_set.frame(self.frame_bytes)

    def __enter__(self) -> Self:
        responder = self.ports["responder"]
        self._ask(
            "open_flow_set",
            responder=responder,
            responder_handler=self.client.handler(responder),
            **self.flow_set.to_json(),
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Ports that were lost have no set any more, and what was raised tells of that.
        with nullcontext() if error is None else suppress(WirespeedError):
            self._ask("close_flow_set")

    def establish(
        self,
        rate_fps: float,
        *,
        drain_s: float = DRAIN_S,
        latency_every: int = 0,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Establishment:
        """Phase 1 of a new trial: the initiator sends each flow once; over TCP that is its SYN, and SYN-ACK and ACK
        follow as soon as they can. What was learnt before is forgotten. Of each `latency_every`-th datagram the latency
        is taken, a power of 2; 0: of none. Ends early once `is_cancelled`."""
        initiator, responder = self._each("learn", "initiator", self.flow_set.flows, rate_fps, drain_s, latency_every,
                                          is_cancelled)  # fmt: skip
        sending = self._sending("initiator", initiator)
        return Establishment(
            sending=sending,
            established=responder.confirmed if self._is_tcp else responder.flows,
            missing=sending.sent - responder.flows,
            duplicates=responder.duplicates,
            merged=responder.flows - self.learnt.distinct,
            remapped=responder.remapped_flows,
            untranslated=self.learnt.same_source,
            destination_changed=self.learnt.changed_destination,
            others=_others(initiator, responder),
            latency=_latency(responder),
            handshakes=_handshakes(initiator, responder, self.learnt) if self._is_tcp else None,
        )

    def validate(
        self,
        rate_fps: float,
        *,
        drain_s: float = DRAIN_S,
        latency_every: int = 0,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Validation:
        """The responder sends once over each learnt flow, in a pseudorandom order; nothing if there is none."""
        learnt = self.learnt.flows
        if not learnt:
            nothing = FlowCounts()
            return Validation(Sending(rate_fps, 0, 0, 0.0), 0, 0, 0, 0, 0, _others(nothing))
        initiator, responder = self._each("validate", "responder", learnt, rate_fps, drain_s, latency_every,
                                          is_cancelled)  # fmt: skip
        sending = self._sending("responder", responder)
        return Validation(
            sending=sending,
            learnt=learnt,
            established=initiator.flows,
            wrong_destination=initiator.wrong_flows,
            missing=sending.sent - initiator.flows - initiator.wrong_flows,
            duplicates=initiator.duplicates,
            others=_others(initiator, responder),
            latency=_latency(initiator),
        )

    # ---- phase 2

    def begin_exchange(self, latency_every: int = 0) -> None:
        """Phase 2 counts from here on; streams of `streams` may be sent then, by whatever holds loads."""
        self._asked = {}
        self._ask("begin_flow_phase", phase="exchange", latency_every=latency_every)

    def streams(self, rate_pps: float = 1.0) -> list[dict[str, Any]]:
        """Streams of phase 2 for either port, as they are added to it: an endless one of random flows.

        A `Trial` of them is entered before this session: it releases the ports, with which the set ends."""
        return [{"stream_id": 1, "stream": self.flow_set.stream("random", self.frame_bytes, rate_pps)}]

    def end_exchange(self) -> Exchange:
        """Counts of phase 2. Call it when sending has ended and all frames under way have arrived."""
        initiator, responder = self._end()
        return Exchange(
            to_responder=self._direction("initiator", initiator, responder),
            to_initiator=self._direction("responder", responder, initiator),
            others=_others(initiator, responder),
        )

    def exchange(
        self,
        duration_s: float,
        *,
        initiator_fps: float = 0.0,
        responder_fps: float = 0.0,
        drain_s: float = DRAIN_S,
        latency_every: int = 0,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Exchange:
        """Phase 2 with loads held for `duration_s`; a rate of 0 sends nothing."""
        rates: dict[FlowRole, float] = {"initiator": initiator_fps, "responder": responder_fps}
        sends: list[FlowRole] = [role for role, rate_fps in rates.items() if rate_fps]
        self.begin_exchange(latency_every)
        self._asked = {role: (rates[role], rates[role] * duration_s) for role in sends}
        try:
            for role in sends:
                self._add(role, self.flow_set.stream("random", self.frame_bytes, rates[role]))
            for role in sends:
                self._start(role, duration_s)
            self._wait(partial(self._is_idle, sends), duration_s, is_cancelled)
        finally:
            self._remove(sends)
        time.sleep(drain_s)
        return self.end_exchange()

    # ----

    def _each(
        self,
        phase: str,
        role: FlowRole,
        flows: int,
        rate_fps: float,
        drain_s: float,
        latency_every: int,
        is_cancelled: Callable[[], bool] | None,
    ) -> tuple[FlowCounts, FlowCounts]:
        self._ask("begin_flow_phase", phase=phase, latency_every=latency_every)
        self._asked = {role: (rate_fps, flows)}
        opens = self._is_tcp and phase == "learn"
        try:
            if opens:
                self._answer(flows, rate_fps)
            step: HandshakeStep | None = "syn" if opens else None
            self._add(role, self.flow_set.stream("each", self.frame_bytes, rate_fps, packets=flows, step=step))
            # The port's line is checked with the answers' rate, which is an upper bound.
            self._start(role, -1, force=opens)
            has_ended = partial(self._is_opened, flows) if opens else partial(self._is_idle, [role])
            self._wait(has_ended, flows / rate_fps, is_cancelled)
            if opens:
                time.sleep(drain_s)
        finally:
            self._remove([role])
            if opens:
                self._remove(_STEPS, _ANSWERS)
        time.sleep(drain_s)
        return self._end()

    @property
    def _is_tcp(self) -> bool:
        return self.flow_set.protocol == "tcp"

    def _answer(self, flows: int, rate_fps: float) -> None:
        """Both sides answer what arrives, faster than it is sent, so that they catch up after a pause."""
        for role, step in _STEPS.items():
            stream = self.flow_set.stream("answer", self.frame_bytes, 2 * rate_fps, packets=flows, step=step)
            self._add(role, stream, _ANSWERS)
            self._start(role, -1, _ANSWERS, force=True)

    def _is_opened(self, flows: int) -> bool:
        """True once each SYN was sent, and each answer to what arrived."""
        told = self.client.call("get_flow_set", port_id=self.ports["initiator"])
        counts = [FlowCounts.from_json(told[role]) for role in _STEPS]
        sent = sum(one.sent for one in counts)
        return sent >= flows and all(one.answered >= one.to_answer for one in counts)

    def _is_idle(self, roles: Sequence[FlowRole]) -> bool:
        status = self.client.port_status([self.ports[role] for role in roles])
        return all(one.state not in RUNNING_STATES for one in status.values())

    def _ask(self, method: str, **params: Any) -> Any:
        return self.client.ask_as_owner(method, self.ports["initiator"], _SLOW_S, **params)

    def _end(self) -> tuple[FlowCounts, FlowCounts]:
        told = self._ask("end_flow_phase")
        self.learnt = FlowsLearnt(**told["learnt"])
        return FlowCounts.from_json(told["initiator"]), FlowCounts.from_json(told["responder"])

    def _add(self, role: FlowRole, stream: dict[str, Any], profile: str = _PROFILE) -> None:
        self.client.ask_as_owner("add_stream", self.ports[role], profile_id=profile, stream_id=1, stream=stream)

    def _start(self, role: FlowRole, duration_s: float, profile: str = _PROFILE, *, force: bool = False) -> None:
        mul = {"type": "raw", "op": "abs", "value": 1}
        self.client.ask_as_owner(
            "start_traffic",
            self.ports[role],
            _SLOW_S,
            profile_id=profile,
            mul=mul,
            duration=duration_s,
            force=self._force or force,
        )

    def _wait(self, has_ended: Callable[[], bool], planned_s: float, is_cancelled: Callable[[], bool] | None) -> None:
        """Until the ports have sent all, or take far too long for it. The generator is asked once a second until they
        should have: on two CPUs its answers take the time of its workers."""
        begun_s = asked_s = time.monotonic()
        while not (is_cancelled and is_cancelled()):
            now_s = time.monotonic()
            left_s = begun_s + planned_s - now_s
            if left_s < -planned_s * (_STRETCH - 1) - _STRETCH_MORE_S:
                return
            if left_s <= 0 or now_s - asked_s >= _HEARTBEAT_S:
                asked_s = now_s
                if has_ended():
                    return
            time.sleep(min(max(left_s, _POLL_S / 10), _POLL_S))

    def _remove(self, roles: Iterable[FlowRole], profile: str = _PROFILE) -> None:
        for role in roles:
            for method in ("stop_traffic", "remove_all_streams"):
                self.client.ask_as_owner(method, self.ports[role], profile_id=profile)

    def _sending(self, role: FlowRole, counts: FlowCounts) -> Sending:
        asked_fps, asked = self._asked.get(role, (0.0, 0.0))
        unsent = max(0, round(asked) - counts.sent)
        return Sending(asked_fps, asked, counts.sent, counts.sending_s, unsent)

    def _direction(self, role: FlowRole, sender: FlowCounts, receiver: FlowCounts) -> ExchangeDirection | None:
        if not sender.sent and role not in self._asked:
            return None
        return ExchangeDirection(
            sending=self._sending(role, sender),
            received=receiver.received,
            missing=sender.sent - receiver.received,
            duplicates=receiver.duplicates,
            reordered=receiver.reordered,
            unplaced=receiver.unplaced,
            remapped=receiver.remapped_flows,
            remapped_frames=receiver.remapped,
            unlearnt=receiver.unlearnt,
            wrong_destination=receiver.wrong,
            others=replace(_others(receiver), icmp_errors=sender.icmp_errors),
            latency=_latency(receiver),
            variation=delay_variation(receiver),
        )


def _others(*ports: FlowCounts) -> Others:
    return Others(
        late=sum(one.late for one in ports),
        bad=sum(one.bad for one in ports),
        unknown=sum(one.unknown for one in ports),
        icmp_errors=sum(one.icmp_errors for one in ports),
    )


def _handshakes(initiator: FlowCounts, responder: FlowCounts, learnt: FlowsLearnt) -> Handshakes:
    return Handshakes(
        unanswered=responder.answered - initiator.flows - initiator.wrong_flows,
        wrong_destination=initiator.wrong_flows,
        unconfirmed=initiator.answered - learnt.flows,
        unsent=sum(one.to_answer - one.answered for one in (initiator, responder)),
    )


def _latency(counts: FlowCounts) -> Latency | None:
    if not counts.hdrh_ns:
        return None
    times = {
        "hdrh_ns": counts.hdrh_ns,
        "total_min": counts.latency_min_ns / 1000,
        "total_max": counts.latency_max_ns / 1000,
    }
    return latency_between(None, latency_reading({"lat": times}))


def delay_variation(counts: FlowCounts) -> DelayVariation | None:
    """None if no two frames that follow each other had their latencies taken."""
    more, less = ({} if not text else _histogram(text) for text in (counts.more_hdrh_ns, counts.less_hdrh_ns))
    signed = sorted([*((-ns, count) for ns, count in less.items()), *more.items()])
    packets = sum(count for _, count in signed)
    if not packets:
        return None
    least_ns = -counts.less_max_ns if less else signed[0][0]
    most_ns = counts.more_max_ns if more else signed[-1][0]
    seen, median_ns = 0, 0
    for ns, count in signed:
        seen += count
        if 2 * seen >= packets:
            median_ns = ns
            break
    return DelayVariation(packets, least_ns / 1000, median_ns / 1000, most_ns / 1000)


def _histogram(text: str) -> Mapping[int, int]:
    return latency_reading({"lat": {"hdrh_ns": text}}).counts
