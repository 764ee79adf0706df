"""The counts of a phase in a result: flows by outcome, and the balance of a trial. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wirespeed.measurement.stateful.result import PhaseCounts
from wirespeed.results.balance import Balance
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.sample import Preemption, Sample
from wirespeed.results.states import StateTable
from wirespeed.results.trial import ChannelTrial
from wirespeed.trial.flow_session import NO_HANDSHAKES
from wirespeed.trial.reading import TrialReading

if TYPE_CHECKING:
    from wirespeed.trial.flow_session import Establishment, ExchangeDirection, Sending, Validation


_FULL = 0.95
_ALPHA_SLACK = 0.1
"""Share by which validation may be slower than intended: alpha is a choice, not a measure."""
_REFUSALS = ("drop", "early_drop", "insert_failed")
"""Linux' counters of flows that got no entry, and of entries deleted to make room."""


@dataclass(frozen=True)
class Phase:
    """Counters other than those of the phase's frames, between two readings."""

    began: TrialReading
    ended: TrialReading
    dut: DutTelemetry
    preemption: Preemption | None
    links_down: tuple[int, ...]

    @property
    def sample(self) -> Sample:
        return Sample(
            t_s=self.ended.at_s,
            interval_s=self.ended.at_s - self.began.at_s,
            phase="trial",
            ports={},
            dut=self.dut.to_json(),
            preemption=self.preemption,
            links_down=self.links_down,
        )


def opened(phase: Establishment, flows: int) -> PhaseCounts:
    """Phase 1. A flow that shares its tuple or changed it is not established."""
    shaken = phase.handshakes or NO_HANDSHAKES
    return PhaseCounts(
        flows=flows,
        established=phase.lasting,
        missing=phase.missing,
        unanswered=shaken.unanswered,
        unconfirmed=shaken.unconfirmed,
        unsent=phase.sending.unsent + shaken.unsent,
        misdelivered=shaken.wrong_destination,
        merged=phase.merged,
        remapped=phase.remapped,
        untranslated=phase.untranslated,
        duplicates=phase.duplicates,
        late=phase.others.late,
        unknown=phase.others.foreign,
        icmp_errors=phase.others.icmp_errors,
    )


def validated(phase: Validation) -> PhaseCounts:
    return PhaseCounts(
        flows=phase.learnt,
        established=phase.established,
        missing=phase.missing,
        unsent=phase.sending.unsent,
        misdelivered=phase.wrong_destination,
        duplicates=phase.duplicates,
        late=phase.others.late,
        unknown=phase.others.foreign,
        icmp_errors=phase.others.icmp_errors,
    )


def exchanged(phase: ExchangeDirection, flows: int) -> PhaseCounts:
    """Phase 2: many frames share a flow, so `missing` and `misdelivered` count frames."""
    return PhaseCounts(
        flows=flows,
        established=flows - phase.remapped,
        missing=phase.missing,
        remapped=phase.remapped,
        misdelivered=phase.wrong_destination,
        duplicates=phase.duplicates,
        late=phase.others.late,
        unopened=phase.unlearnt,
        unknown=phase.others.foreign,
        icmp_errors=phase.others.icmp_errors,
    )


def rate_balance(first: Establishment, second: Validation | None, counted: Balance, slow_share: float) -> Balance:
    """Phase 1 and validation as one balance of flows. A flow is lost if it did not arrive, or if its reply did not. It
    is late if the responder did not send over it, or if the tester did not answer its handshake. If phase 1 was slower
    than intended by more than `slow_share`, or validation by more than a tenth, the frames that should have been sent
    meanwhile are late too."""
    good, sending = first.lasting, first.sending
    unsent = _sent_too_late(sending, slow_share)
    if second is not None:
        good -= second.sending.sent - second.established
        unsent = max(unsent, second.sending.unsent, _sent_too_late(second.sending, max(slow_share, _ALPHA_SLACK)))
    shaken = (first.handshakes or NO_HANDSHAKES).unsent
    sending = replace(sending, sent=sending.sent - shaken)
    return _balance(sending, max(0, good), first.duplicates, counted, unsent + shaken)


def _sent_too_late(sending: Sending, slow_share: float) -> int:
    if not 0 < sending.rate_fps < (1 - slow_share) * sending.asked_fps:
        return 0
    return round(sending.sent * (sending.asked_fps / sending.rate_fps - 1))


def exchange_balance(phase: ExchangeDirection, counted: Balance) -> Balance:
    """Frames of remapped or unopened flows, and frames at a wrong host or port, count as lost."""
    wrong = phase.remapped_frames + phase.unlearnt + phase.wrong_destination
    good = max(0, phase.received - wrong)
    return _balance(phase.sending, good, phase.duplicates + phase.received - good, counted)


def _balance(sending: Sending, good: int, extraneous: int, counted: Balance, more_late: int = 0) -> Balance:
    """Unsent frames: those that the port counted as refused or without buffer, and the rest as late."""
    refused = min(sending.unsent, counted.refused)
    no_buffer = min(sending.unsent - refused, counted.no_buffer)
    late = sending.unsent - refused - no_buffer + more_late
    return Balance(
        sent=sending.sent,
        received=good + extraneous,
        intended=sending.sent + refused + no_buffer + late,
        refused=refused,
        no_buffer=no_buffer,
        late=late,
        missed=counted.missed,
        extraneous=extraneous,
        medium=counted.medium,
        paused=counted.paused,
    )


def refused_flows(table: StateTable) -> bool:
    """True if the DUT's table had no room, so that preemption does not explain the loss. Linux keeps 95 % of a full
    table."""
    is_full = table.limit is not None and table.used >= _FULL * table.limit
    return is_full or any(table.counters.get(name) for name in _REFUSALS)


def without_excuse(one: ChannelTrial) -> ChannelTrial:
    return replace(one, most_by_preemption=0.0, disturbed=None)
