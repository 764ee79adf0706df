"""Runs a load test against a generator: take the ports, load them step by step, drain, give the ports back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from wirespeed import __version__
from wirespeed.errors import EnvironmentFault, MeasurementError, RemoteError, WirespeedError
from wirespeed.generator.client import GeneratorClient, PortStatus, ServerInfo, Snapshot
from wirespeed.generator.profiles import load_profile
from wirespeed.loadtest.outcome import (
    COMPLETE,
    FAILED,
    INTERRUPTED,
    channel_outcome,
    channel_totals,
    sent_too_little,
    silent,
)
from wirespeed.loadtest.plan import LoadPlan, Step, check_plan, check_rate, steps
from wirespeed.loadtest.result import Channel, Result, Sample
from wirespeed.loadtest.samples import sample_between
from wirespeed.loadtest.saturation import MEASURED_PHASES, ChannelPoint, channel_points, saturation_index
from wirespeed.loadtest.streams import Mix, mix_of

PORTS = (0, 1)
SILENCE_S = 3.0
"""Without a warm-up, the time a DUT has to return its first packet."""

_LEAST_PART = 0.2
"""An interrupted step gives a sample when this much of it has passed; rates over less are noise."""

_DRAIN_MOST_S = 2.0
_DRAIN_POLL_S = 0.05
_QUIET_S = 0.2
_QUIET_CACHED_S = 1.1
"""Counters at rest for so long have settled; some servers refresh them only twice a second."""

DutProbe = Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Progress:
    """What a watcher learns after each sample; `saturation` is the first point that each channel fails from, if any."""

    plan: LoadPlan
    step: Step
    sample: Sample
    saturation: dict[Channel, ChannelPoint | None]

    @property
    def remaining_s(self) -> float:
        return max(0.0, self.plan.total_s - self.step.end_s)


@dataclass
class _Course:
    """The state of a running test."""

    plan: LoadPlan
    mixes: dict[int, Mix]
    speeds_bps: dict[int, float | None]
    stop: threading.Event
    origin: Snapshot
    last: Snapshot
    samples: list[Sample] = field(default_factory=list)
    done: list[tuple[Sample, Step]] = field(default_factory=list)
    points: dict[Channel, list[ChannelPoint]] = field(default_factory=dict)
    end: Snapshot | None = None
    drain: dict[str, Any] = field(default_factory=dict)


Streams = dict[int, list[dict[str, Any]]]
"""Streams to add, by port."""


def streams_of(plan: LoadPlan) -> Streams:
    """The profile's streams for every sending port; UsageError or FileFault for one that cannot be used."""
    return {port: load_profile(plan.profile, plan.tunables, port, port % 2) for port in plan.senders}


def run_loadtest(
    plan: LoadPlan,
    client: GeneratorClient,
    on_sample: Callable[[Progress], None] | None = None,
    dut_probe: DutProbe | None = None,
    stop: threading.Event | None = None,
    streams: Streams | None = None,
) -> Result:
    """Run `plan` on ports 0 and 1 of the connected `client` and return what was measured.

    Raises when the test cannot start: UsageError (plan, profile, rate above the line), EnvironmentFault (too few
    ports, no link), RemoteError (port taken, start refused). Once traffic runs it always returns a Result, whose
    `outcome["status"]` is complete, interrupted (`stop` was set, or Ctrl-C) or failed, with `reason` and `exit_code`;
    `raise_for_outcome` raises that. Whatever happens, traffic is stopped and the ports are released.

    `dut_probe` is called after each sample; what it returns becomes `Sample.dut`. `streams` are those of `streams_of`
    where they are loaded already.
    """
    check_plan(plan)
    info = client.server_info()
    if info.port_count < len(PORTS):
        raise EnvironmentFault(f"generator {client.server} has {info.port_count} port; a load test needs two")
    streams = streams_of(plan) if streams is None else streams
    mixes = {port: mix_of(items) for port, items in streams.items()}
    statuses = client.port_status(PORTS)
    for port in plan.senders:
        for what, rate in (("warm-up rate", plan.warmup_rate), ("ramp target", plan.ramp_target)):
            check_rate(what, rate, port, mixes[port].mean_frame_bytes, statuses[port].speed_bps)
    for port, status in statuses.items():
        if not (status.link_up or plan.force):
            raise EnvironmentFault(
                f"port {port} of generator {client.server} has no link: connect the DUT to it, or give --force"
            )
    _take_ports(client, statuses, plan.force)
    try:
        client.reset(PORTS)
        for port, items in streams.items():
            client.add_streams(port, items)
        started = datetime.now(UTC)
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
        origin = client.snapshot(PORTS)
        speeds = {port: status.speed_bps for port, status in statuses.items()}
        course = _Course(plan, mixes, speeds, stop or threading.Event(), origin, origin)
        outcome = _drive(course, client, on_sample, dut_probe)
    finally:
        with suppress(WirespeedError):  # what ended the test matters more, and a dead generator holds no ports
            client.release(PORTS)
    return _result(course, client, info, statuses, outcome | {"started": started.isoformat(timespec="seconds")})


def _take_ports(client: GeneratorClient, statuses: dict[int, PortStatus], force: bool) -> None:
    """Own both ports. One that we left behind idle in an earlier session is ours to take; others need `force`."""
    taken: list[int] = []
    try:
        for port, status in statuses.items():
            ours = status.owner == client.user and status.state not in ("TX", "PAUSE", "PCAP_TX")
            try:
                client.acquire([port], force or ours)
            except RemoteError as error:
                raise RemoteError(f"{error}; --force takes it away from its owner", error.code) from None
            taken.append(port)
    except BaseException:
        with suppress(WirespeedError):
            client.release(taken)
        raise


def _drive(
    course: _Course,
    client: GeneratorClient,
    on_sample: Callable[[Progress], None] | None,
    dut_probe: DutProbe | None,
) -> dict[str, Any]:
    """Load, sample and drain; the return value is how it ended. Raises only when traffic could not be started."""
    schedule = steps(course.plan)
    client.start(course.plan.senders, schedule[0].rate, course.plan.force)
    try:
        if _load(course, client, schedule, on_sample, dut_probe):
            return {"status": INTERRUPTED, "reason": "interrupted by the user"}
        return {"status": COMPLETE}
    except KeyboardInterrupt:
        return {"status": INTERRUPTED, "reason": "interrupted by the user"}
    except WirespeedError as error:
        return {"status": FAILED, "reason": str(error), "exit_code": error.exit_code}
    finally:
        with suppress(WirespeedError):
            _drain(course, client)


def _load(
    course: _Course,
    client: GeneratorClient,
    schedule: Sequence[Step],
    on_sample: Callable[[Progress], None] | None,
    dut_probe: DutProbe | None,
) -> bool:
    """Walk the schedule; True when it was cut short by `stop`."""
    plan = course.plan
    grace_s = plan.warmup_s or min(SILENCE_S, plan.total_s)
    began = time.monotonic()
    rate = schedule[0].rate
    for step in schedule:
        if step.rate != rate:
            client.update(plan.senders, step.rate, plan.force)
            rate = step.rate
        width_s = step.end_s - step.start_s
        behind_s = time.monotonic() - began - step.start_s
        if behind_s > width_s:
            began += behind_s  # a server that stalled: go on from here rather than rush through the rest
        cut_short = course.stop.wait(max(0.0, began + step.end_s - time.monotonic()))
        if cut_short and time.monotonic() - began - step.start_s < _LEAST_PART * width_s:
            return True
        sample = _sample(course, client, step, dut_probe)
        if on_sample is not None:
            on_sample(Progress(plan, step, sample, _saturated(course)))
        if course.stop.is_set():
            return True
        if step.end_s >= grace_s * 0.999 and step.start_s < grace_s:
            reason = silent(course.origin, course.last, plan, sample.t_s)
            if reason is not None:
                raise MeasurementError(reason)
    return False


def _sample(course: _Course, client: GeneratorClient, step: Step, dut_probe: DutProbe | None) -> Sample:
    now = client.snapshot(PORTS)
    sample = sample_between(
        course.last,
        now,
        origin=course.origin,
        phase=step.phase,
        speeds_bps=course.speeds_bps,
        dut=_probe(dut_probe),
    )
    course.last = now
    course.samples.append(sample)
    if step.phase in MEASURED_PHASES:
        course.done.append((sample, step))
        for channel in course.plan.channels:
            course.points.setdefault(channel, []).append(channel_points(course.samples[-2:], channel)[-1])
    return sample


def _probe(dut_probe: DutProbe | None) -> dict[str, Any]:
    """What the DUT says of itself. A DUT too busy or too broken to answer is part of the measurement, not its end."""
    try:
        return dut_probe() if dut_probe is not None else {}
    except WirespeedError as error:
        return {"error": str(error)}


def _saturated(course: _Course) -> dict[Channel, ChannelPoint | None]:
    saturation: dict[Channel, ChannelPoint | None] = {}
    for channel in course.plan.channels:
        points = course.points.get(channel, [])
        loads, losses = [point.offered_pps for point in points], [point.loss_ratio for point in points]
        index = saturation_index(loads, losses, course.plan.threshold, complete=False)
        saturation[channel] = None if index is None else points[index]
    return saturation


def _drain(course: _Course, client: GeneratorClient) -> None:
    """Stop traffic and wait until nothing is under way any more, so that the balance of packets is exact.

    No sample comes of it: viewers of older files take the last sample for a load that the DUT has passed.
    """
    client.stop(course.plan.senders)
    began = changed = time.monotonic()
    end = client.snapshot(PORTS)
    quiet_s = _QUIET_S if end.instant else _QUIET_CACHED_S
    while settling := _missing(course, end) and time.monotonic() - changed < quiet_s:
        if time.monotonic() - began > _DRAIN_MOST_S:
            break
        time.sleep(_DRAIN_POLL_S)
        now = client.snapshot(PORTS)
        if now.ports != end.ports:
            changed = time.monotonic()
        end = now
    course.end = end
    course.drain = {"duration": time.monotonic() - began, "settled": not settling}


def _missing(course: _Course, end: Snapshot) -> bool:
    return any(channel_totals(course.origin, end, channel)["lost_packets"] > 0 for channel in course.plan.channels)


def _result(
    course: _Course,
    client: GeneratorClient,
    info: ServerInfo,
    statuses: dict[int, PortStatus],
    outcome: dict[str, Any],
) -> Result:
    plan = course.plan
    channels = {}
    for channel in plan.channels:
        mix, speed_bps = course.mixes[channel.tx], course.speeds_bps[channel.tx]
        totals = channel_totals(course.origin, course.end or course.last, channel)
        ended = channel_outcome(
            plan,
            channel,
            course.samples,
            mix=mix,
            speed_bps=speed_bps,
            totals=totals,
            complete=outcome["status"] == COMPLETE,
        )
        ended["tester_limited"] |= sent_too_little(course.done, channel, mix, speed_bps)
        channels[str(channel)] = ended
    ports = [
        {
            "index": port,
            "driver": raw.get("driver", ""),
            "mac": raw.get("hw_mac", ""),
            "speed_bps": statuses[port].speed_bps,
        }
        for port, raw in zip(PORTS, info.ports, strict=False)
    ]
    return Result(
        name=plan.name or plan.profile,
        variables=plan.variables(client.server),
        samples=tuple(course.samples),
        versions={"wirespeed": __version__, "generator": info.program, **plan.versions},
        lab={"generator": client.server, "ports": ports, **plan.lab},
        dut=plan.dut,
        outcome={**outcome, "threshold": plan.threshold, "drain": course.drain, "channels": channels},
    )
