"""A trial: it acquires ports, loads streams once, holds one load after another, and counts received packets.

Ramp, search, the tests of RFC 2544 and soak are schedules over it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from wirespeed.client.readings import RUNNING_STATES, PortStatus
from wirespeed.dut.dut import Dut, TellsLater
from wirespeed.dut.none import NoDut
from wirespeed.errors import ConnectionFault, EnvironmentFault, RemoteError, WirespeedError
from wirespeed.results.balance import Balance, Medium
from wirespeed.results.channel import Channel
from wirespeed.results.machine import can_excuse, most_lost, preempted_share, why_trial_disturbed
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import Latency, Preemption, Sample
from wirespeed.results.tester import UNSENT_SHARE
from wirespeed.results.trial import ChannelTrial, Drain, TrialResult
from wirespeed.trial.directions import check_directions
from wirespeed.trial.guard import SENDING, links_lost, why_begun_anew, why_not_ours
from wirespeed.trial.latency import latency_between
from wirespeed.trial.load import TrialLoad
from wirespeed.trial.machine import preemption_between
from wirespeed.trial.rates import check_rate, of_line
from wirespeed.trial.reading import TrialReading, balance_between
from wirespeed.trial.samples import Basis, sample_between
from wirespeed.trial.tester import Tester
from wirespeed.units import Rate

HEARTBEAT_S = 1.0
"""Interval of port readings while a load is held. A longer link failure is noticed, and the generator's owner timeout
does not expire."""

TESTER_SHARE = 0.001
"""Share of the intended load: if more than this is not offered, the trial did not have the intended load."""

_LEAD_S = 0.02
"""Delay from the reading before a trial until a wirespeed generator begins it: all requests are sent by then."""

_END_MOST_S = 5.0
_END_POLL_S = 0.01
_DRAIN_MOST_S = 2.0
_DRAIN_LONGEST_S = 10.0
"""The same if workers were preempted meanwhile: they get that time in addition, up to this limit."""
_DRAIN_POLL_S = 0.05
_QUIET_S = 0.2
_QUIET_CACHED_S = 1.1
"""Counters that did not change for this time have settled; some servers refresh them only twice per second."""
_QUIET_APART_S = 0.6
"""The same if nothing is missing, for servers that read sent and received counters at different times: right after the
load, received packets of the later reading can hide missing ones."""


class Trial:
    """Context manager: it acquires the ports, and in any case stops their traffic and releases them at its end.

    Entering raises EnvironmentFault (a port without a link), RemoteError (a port of another user, a stream that the
    server refuses), UsageError. Under load, `snapshot`, `heartbeat` and `wait` raise ConnectionFault if a port was
    acquired by another user, does not send, or lost its link; `latest` is then the last valid reading.

    `line_bps` replaces the line rate in percentages. A drain waits until all packets in flight arrived or the counters
    rest, and at least `residual_s`. `ring_slots` is the number of packets that wait in each direction for a preempted
    worker, 0 if unknown. With `force`, ports are acquired from other users, and loads are sent even if a link was down
    from the beginning. With `ignore_link_down` the trial continues if a link goes down later; otherwise `link_hint` is
    the remedy in the error. With `go_on`, ports that the same session still owns, as after a restart of its program,
    keep their counts; `ours_already` is then set. If they still send, their traffic is left alone, and `adopted` is
    set."""

    def __init__(
        self,
        tester: Tester,
        load: TrialLoad,
        *,
        dut: Dut | None = None,
        line_bps: float | None = None,
        force: bool = False,
        ignore_link_down: bool = False,
        link_hint: str = "",
        residual_s: float = 0.0,
        ring_slots: int = 0,
        go_on: bool = False,
        stop: threading.Event | None = None,
    ) -> None:
        self.tester = tester
        self.load = load
        self.dut: Dut = dut or NoDut()
        self.stop = stop or threading.Event()
        self.notes: tuple[str, ...] = ()
        self._force, self._ignore_link_down, self._go_on = force, ignore_link_down, go_on
        self.ours_already = self.adopted = False
        self._line_bps = line_bps
        self._residual_s = residual_s
        self._ring_slots, self._link_hint = ring_slots, link_hint
        self._statuses = tester.status()
        self.facts: Mapping[int, PortFacts] = tester.facts(self._statuses, line_bps)
        self._linked: set[int] = set()
        self._looked: dict[int, PortStatus] = {}
        self._down: set[int] = set()
        self._sending = False
        self._taken = False
        self.origin: TrialReading | None = None
        self._rested: TrialReading | None = None
        self.latest: TrialReading | None = None
        check_directions(tester.wires, load.has_signature)

    # ---- before and after

    def check_rate(self, what: str, rate: Rate) -> None:
        """UsageError when a sender's line cannot carry `rate` of its frames."""
        for port in self.tester.senders:
            speed_bps = self._statuses[port].speed_bps
            check_rate(what, self._meant(rate), port, self.load.ports[port].mix.mean_frame_bytes, speed_bps)

    def __enter__(self) -> Self:
        for port, status in self._statuses.items():
            if not (status.link_up or self._force):
                raise EnvironmentFault(
                    f"port {port} of generator {self.tester.server} has no link: connect the DUT to it, or give --force"
                )
        if self._go_on:
            self._take_again()
        if not self.adopted:
            self.tester.take(self._statuses, self._force)
        self._taken = True
        try:
            if not self.adopted:
                self.tester.reset()
                self.tester.flow_control_off()
                self.tester.receive_all()
            self._statuses = self.tester.status()
            self.facts = self.tester.facts(self._statuses, self._line_bps)
            self.notes = tuple(_flow_control_notes(self.facts))
            self._linked = {port for port, status in self._statuses.items() if status.link_up}
            self._looked = dict(self._statuses)
            if not self.adopted:
                self.tester.load(self.load)
            self.origin = self._rested = self.snapshot()
        except BaseException:
            self._leave()
            raise
        return self

    def _take_again(self) -> None:
        """Take over the ports that this session still owns, without touching the traffic."""
        if any(status.owner != self.tester.user for status in self._statuses.values()):
            return
        try:
            self.tester.take_own()
        except RemoteError:
            return  # another session of ours
        self.ours_already = True
        self.adopted = self._sending = all(self._statuses[port].state == SENDING for port in self.tester.senders)

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._leave()

    def _leave(self) -> None:
        if self._taken:
            self._taken = self._sending = False
            self.tester.release()

    # ---- while it is on

    def medium(self, port: int) -> Medium:
        return self.facts[port].medium

    @property
    def basis(self) -> Basis:
        """The basis that the samples of all loads count from."""
        assert self.origin is not None, "the trial was not entered"
        return Basis(self.origin, {port: one.speed_bps for port, one in self.facts.items()}, self.load.kinds)

    def set_rate(self, rate: Rate) -> None:
        """Send at `rate` from now on, each port by its own line; traffic begins if there was none. RemoteError when the
        server refuses."""
        rates = {port: self._intended(port, rate) for port in self.tester.senders}
        if self._sending:
            try:
                self.tester.update(rates, self._force)
            except RemoteError:
                self._look()  # a port that is not ours any more is told of as such
                raise
        else:
            self.tester.start(rates, self._force or self._ignore_link_down)
        self._sending = True

    def _meant(self, rate: Rate) -> Rate:
        return of_line(rate, self._line_bps)

    def _intended(self, port: int, rate: Rate) -> Rate:
        return self.load.ports[port].intended(self._meant(rate), self._statuses[port].speed_bps)

    def intended_pps(self, rate: Rate) -> dict[int, float]:
        """Packets per second that `rate` means for each sender that it moves, whose frames have one size and whose
        line is known."""
        rates = {}
        for port in self.tester.senders:
            load, speed_bps, intended = (
                self.load.ports[port],
                self._statuses[port].speed_bps,
                self._intended(port, rate),
            )
            if load.mix.moves and load.mix.fixed_size and (speed_bps is not None or intended.unit != "percentage"):
                rates[port] = intended.pps(load.mix.mean_frame_bytes, speed_bps or 0)
        return rates

    def snapshot(self) -> TrialReading:
        """Everything that there is to read, now; proved to be our own."""
        return self._with_dut(self._look())

    def heartbeat(self) -> None:
        """Verify that the ports are owned, send and have links; this also resets the owner timeout."""
        self._look()

    def wait(self, seconds: float) -> bool:
        """Wait for the given time, with heartbeats. True if `stop` ended it early."""
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 2 * HEARTBEAT_S:
            if self.stop.wait(min(HEARTBEAT_S, left_s)):
                return True
            self.heartbeat()
        return self.stop.wait(max(0.0, left_s))

    def take_links_down(self) -> tuple[int, ...]:
        """Ports that were seen without a link since the last call."""
        down = tuple(sorted(self._down))
        self._down.clear()
        return down

    def _look(self) -> TrialReading:
        look = self.tester.look(self.load, self._sending)
        self._check_owner(look.status, look.refused)
        if self.latest is not None and (why := why_begun_anew(self.latest, look.reading)) is not None:
            raise ConnectionFault(why)
        self.latest = look.reading
        self._check_links(look.status)
        return look.reading

    def _check_owner(self, statuses: Mapping[int, PortStatus], refused: Mapping[int, str] | None = None) -> None:
        for port, status in statuses.items():
            sends = self._sending and port in self.load.ports
            why = why_not_ours(status, (refused or {}).get(port), user=self.tester.user, sends=sends)
            if why is not None:
                raise ConnectionFault(why)

    def _check_links(self, statuses: Mapping[int, PortStatus]) -> None:
        down = links_lost(self._looked, statuses, self._linked)
        self._looked.update(statuses)
        self._down.update(down)
        if down and self._sending and not self._ignore_link_down:
            raise ConnectionFault(
                f"port {down[0]} lost its link during the test" + (f"; {self._link_hint}" if self._link_hint else "")
            )

    def _with_dut(self, reading: TrialReading) -> TrialReading:
        return replace(reading, dut=self.dut.reading())

    def sample(self, before: TrialReading, now: TrialReading, phase: str, rate: Rate) -> Sample:
        """The sample that two readings under one load make."""
        return sample_between(
            self.basis,
            before,
            now,
            phase=phase,
            intended_pps=self.intended_pps(rate),
            dut=self.dut.telemetry(before.dut, now.dut),
            links_down=self.take_links_down(),
        )

    def balance(self, before: TrialReading, after: TrialReading, wire: Channel) -> Balance:
        return balance_between(before, after, wire, self.medium(wire.tx), self.load.kinds)

    # ---- the end of a load

    def stop_sending(self) -> None:
        if self._sending:
            self._sending = False
            self.tester.stop()

    def drain(self, since: TrialReading | None = None) -> tuple[TrialReading, Drain]:
        """Stop the traffic and wait until nothing is under way any more, so that the balance since `since` (the start
        of the trial) is exact."""
        first = since or self.origin
        assert first is not None, "the trial was not entered"
        self.stop_sending()
        began = asked = time.monotonic()
        most_s, end = _DRAIN_MOST_S, self._look()
        # An answer may take longer than the counters have to stand still: time counts from it to the next request.
        still, still_s = self._with_dut(end), time.monotonic()
        at_rest = True
        while (quiet_s := self._quiet_s(first, end)) > 0:
            if asked - still_s >= quiet_s:
                absent_s = self._absent_s(still, end)
                if absent_s <= quiet_s / 2:
                    break
                most_s += absent_s
                still, still_s = self._with_dut(end), time.monotonic()
            if time.monotonic() - began > min(most_s, _DRAIN_LONGEST_S):
                at_rest = False
                break
            time.sleep(_DRAIN_POLL_S)
            asked = time.monotonic()
            now = self._look()
            if now.ports != end.ports:
                still, still_s = self._with_dut(now), time.monotonic()
            end = now
        if (left_s := self._residual_s - (time.monotonic() - began)) > 0:
            time.sleep(left_s)
            end = self._look()
        self._rested = self._with_dut(end)
        return self._rested, Drain(time.monotonic() - began, at_rest)

    def _absent_s(self, still: TrialReading, end: TrialReading) -> float:
        """Seconds since `still` in which a worker of tester or DUT was preempted. Packets wait during that time, so
        unchanged counters prove nothing."""
        told = self.dut.telemetry(still.dut, self.dut.reading())
        found = preemption_between(still.machine, end.machine, told) or Preemption()
        return max(found.tester_preempted_s or 0.0, found.dut_preempted_s or 0.0)

    def _quiet_s(self, first: TrialReading, end: TrialReading) -> float:
        """Seconds for which the counters have to be constant at `end` before they are final."""
        balances = (self.balance(first, end, wire) for wire in self.tester.wires)
        if any(balance.test_frames < balance.sent for balance in balances):
            return _QUIET_S if end.instant else _QUIET_CACHED_S
        return 0.0 if end.instant else _QUIET_APART_S

    def measure(self, rate: Rate, duration_s: float) -> TrialResult:
        """Hold `rate` for `duration_s` by the server's own clock, drain, and count. This program is idle meanwhile,
        since it may share a CPU with the tester; a wirespeed generator also begins by itself, shortly after the
        request. ConnectionFault if the server does not end the load, or a port was acquired by another user or lost its
        link; KeyboardInterrupt if `stop` is set."""
        before = self.snapshot()
        read_s = time.monotonic()
        self.take_links_down()
        rates = {port: self._intended(port, rate) for port in self.tester.senders}
        lead_s = _LEAD_S if before.instant else 0.0
        try:
            self._sending = True
            self.tester.start(rates, self._force or self._ignore_link_down, duration_s, lead_s and before.at_s + lead_s)
            began, dut_began = self.tester.machine(), self.dut.reading()
            self._await_end(max(read_s + lead_s, 0.0 if lead_s else time.monotonic()) + duration_s)
            ended, dut_ended = self.tester.machine(), self.dut.reading()
            self._await_idle(duration_s)
            loaded = self.snapshot()
        except BaseException:
            with suppress(WirespeedError):
                self.stop_sending()
            raise
        held = preemption_between(began, ended, self.dut.telemetry(dut_began, dut_ended))
        return self._result(rate, before, loaded, duration_s, duration_s, held)

    def _await_end(self, end_s: float) -> None:
        """Let the load be until its end, with a look at the ports now and then, which keeps their owner alive too."""
        while (left_s := end_s - time.monotonic()) > 2 * HEARTBEAT_S:
            if self.stop.wait(HEARTBEAT_S):
                raise KeyboardInterrupt
            statuses = self.tester.status()
            self._check_owner(statuses)
            self._check_links(statuses)
        if self.stop.wait(max(0.0, left_s)):
            raise KeyboardInterrupt

    def _await_idle(self, duration_s: float) -> None:
        """Wait until all ports have stopped by themselves, and check that they still have their links."""
        end_s = time.monotonic() + _END_MOST_S
        while True:
            statuses = self.tester.status()
            running = [port for port, one in statuses.items() if one.state in RUNNING_STATES]
            if not running:
                break
            if time.monotonic() > end_s:
                raise ConnectionFault(
                    f"port {running[0]} still sends {_END_MOST_S:g} s after the {duration_s:g} s it was set to send; "
                    "restart the generator"
                )
            if self.stop.wait(_END_POLL_S):
                raise KeyboardInterrupt
        self._check_links(statuses)
        self._sending = False

    def result(self, rate: Rate, before: TrialReading, loaded: TrialReading, planned_s: float) -> TrialResult:
        """Drain, and count the packets sent since `before`: at `rate`, for `planned_s` if a server without a count of
        intended packets is judged by it. `loaded` is the last reading under load."""
        return self._result(rate, before, loaded, planned_s, loaded.at_s - before.at_s)

    def _result(
        self,
        rate: Rate,
        before: TrialReading,
        loaded: TrialReading,
        planned_s: float,
        seconds: float,
        held: Preemption | None = None,
    ) -> TrialResult:
        """The load lasted `seconds`, if the server ended it before `loaded` was read; `held` has the workers' counters
        of exactly that time."""
        idle = self._rested
        assert idle is not None, "the trial was not entered"
        sample = self.sample(before, loaded, "trial", rate)
        after, drained = self.drain(before)
        if isinstance(self.dut, TellsLater):
            self.dut.fetch()
        drained = replace(drained, duration_s=drained.duration_s + sample.interval_s - seconds)
        under_load = self.dut.telemetry(before.dut, loaded.dut)
        sample = replace(sample, interval_s=seconds, preemption=held or sample.preemption, dut=under_load.to_json())
        planned = {port: pps * planned_s for port, pps in self.intended_pps(rate).items()}
        return TrialResult(
            rate=rate,
            began_s=before.at_s - self.basis.origin.at_s,
            ended_s=before.at_s + seconds - self.basis.origin.at_s,
            channels={
                wire: self._channel(wire, sample, (before, after), planned.get(wire.tx, 0.0), seconds)
                for wire in self.tester.wires
            },
            drain=drained,
            preemption=sample.preemption,
            links_down=sample.links_down,
            dut_before=self.dut.telemetry(idle.dut, before.dut),
            dut=under_load,
            dut_after=self.dut.telemetry(loaded.dut, after.dut),
        )

    def _channel(
        self, wire: Channel, sample: Sample, ends: tuple[TrialReading, TrialReading], planned: float, seconds: float
    ) -> ChannelTrial:
        """`ends` are from before the load and after the drain; at least `planned` packets were to be sent."""
        before, after = ends
        latency = latency_between(before.latency.get(wire), after.latency.get(wire))
        balance = self.balance(before, after, wire)
        return channel_trial(sample, wire, balance, seconds, self._ring_slots, latency, planned)


def channel_trial(
    sample: Sample,
    wire: Channel,
    balance: Balance,
    seconds: float,
    ring_slots: int,
    latency: Latency | None = None,
    planned: float = 0.0,
) -> ChannelTrial:
    """A direction of a trial, with the largest loss that preemption can explain. `sample` covers the time that the load
    was on, rates are over `seconds`; at least `planned` packets were to be sent."""
    called_for = balance.sent if balance.intended is None else balance.intended
    away = sample.preemption
    cost = None if away is None else most_lost(away, called_for / seconds, ring_slots)
    if cost and not can_excuse(sample, preempted_share(None, sample) or 0.0, balance.loss_ratio):
        cost = 0.0
    return ChannelTrial(
        balance=balance,
        offered_pps=balance.offered / seconds,
        received_pps=min(balance.test_frames, balance.offered) / seconds,
        latency=latency,
        tester_limited=called_for < (1 - UNSENT_SHARE) * planned or balance.tester_share > TESTER_SHARE,
        most_by_preemption=cost,
        disturbed=why_trial_disturbed(sample, wire, balance.shortfall, cost),
    )


def _flow_control_notes(facts: Mapping[int, PortFacts]) -> Iterator[str]:
    on = [str(port) for port, one in facts.items() if one.flow_control == "on"]
    if on:
        ports = f"port{'s' if len(on) > 1 else ''} {', '.join(on)}"
        yield f"flow control of {ports} is on and could not be switched off: a DUT can throttle the tester"
