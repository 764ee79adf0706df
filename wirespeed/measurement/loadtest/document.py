"""The result of a load test as a JSON document.

It is a strict superset of trex-loadtest's: `vars` and `stats` as that program writes them, and also `schema`,
`versions`, `lab`, `ports`, `directions`, `dut` and `outcome`; each sample adds `t`, `phase`, counter totals and
telemetry. Files of trex-loadtest can be read (assuming one sample per second), its viewer reads wirespeed's files, and
older schemas can be read. docs/result-format.md lists every field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

from wirespeed.measurement.loadtest.analysis import judged
from wirespeed.measurement.loadtest.result import Result
from wirespeed.results.balance import Balance, medium_of_driver
from wirespeed.results.codec import Count, Stored, as_object, channel_of, from_json, placed, reader_of
from wirespeed.results.json_values import as_number
from wirespeed.results.lab import LabFacts
from wirespeed.results.outcome import ChannelOutcome, PortFacts
from wirespeed.results.phases import PhaseTimes
from wirespeed.results.sample_json import with_phases

OLD_SCHEMAS = (None, "wirespeed-loadtest/1")
"""Schemas of files whose stored outcome has other figures than today's. Files of trex-loadtest have no schema."""
REQUIRED_VARS = ("warmup_mult", "warmup_duration", "rampup_target", "rampup_duration", "hold_duration")


def result_of(document: Any, name: str) -> Result:
    """A Result from a document; ValueError or KeyError for invalid or missing values."""
    document = placed("its top level", as_object, document)
    schema = document.get("schema")
    if schema is not None:
        Result.check_schema(schema)
    variables, stats = placed("vars", as_object, document["vars"]), placed("stats", as_object, document["stats"])
    for key in REQUIRED_VARS:
        if key not in variables:
            raise KeyError(f"vars.{key}")
    if not stats:
        raise ValueError("it holds no samples")
    outcome = placed("outcome", as_object, document.get("outcome", {}))
    channels = placed("channels of outcome", as_object, outcome.get("channels", {}))
    document = {**document, "name": name, "ending": outcome}
    if schema in OLD_SCHEMAS:
        document |= {"ports": [], "outcome": {key: value for key, value in outcome.items() if key == "threshold"}}
    result = from_json(Result, document)
    samples = result.samples
    if not all(sample.phase for sample in samples):
        samples = with_phases(samples, _phase_times(variables))
    result = replace(result, samples=samples, native=schema is not None)
    for index, sample in enumerate(result.samples):
        if sample.ports.keys() != result.samples[0].ports.keys():
            raise ValueError(f"sample {index} has other ports than the first")
    for channel in result.directions:
        if not {channel.tx, channel.rx} <= set(result.samples[0].ports):
            raise ValueError(f"direction {channel} has a port that is not in the samples")
    if schema not in OLD_SCHEMAS:
        return _with_means(result) if any("full_load" not in one for one in channels.values()) else result
    result = replace(result, ports={port.index: port for port in _old_ports(result.lab)})
    old = {
        key: placed(f"{key} of channels of outcome", partial(_old_outcome, result, key), raw)
        for key, raw in channels.items()
    }
    return replace(result, outcome=replace(result.outcome, channels=old))


def _phase_times(variables: Mapping[str, Any]) -> PhaseTimes:
    """ValueError names a duration that is not a number."""
    warmup_s, rampup_s, hold_s = (
        as_number(variables[f"{name}_duration"], f"vars.{name}_duration") for name in ("warmup", "rampup", "hold")
    )
    return PhaseTimes(warmup_s, rampup_s, hold_s, str(variables["warmup_mult"]))


def _with_means(result: Result) -> Result:
    """The result in an early file of this schema. Its figures of single samples (`maximum`, and `held` of one sample)
    are replaced by means; counts stay as in the file."""
    figures = judged(result).outcome.channels
    channels = {
        name: replace(
            channel,
            full_load=figures[name].full_load,
            forwarded=figures[name].forwarded,
            loss_onset=figures[name].loss_onset,
            saturation=figures[name].saturation,
        )
        if name in figures
        else channel
        for name, channel in result.outcome.channels.items()
    }
    return replace(result, outcome=replace(result.outcome, channels=channels))


@dataclass(frozen=True)
class _OldPort:
    """A port of a file of schema 1, whose `lab` listed them without their medium."""

    index: int
    driver: str = ""
    mac: str = ""
    speed_bps: float | None = None


def _old_ports(lab: LabFacts) -> Iterator[PortFacts]:
    for one in placed("ports of lab", reader_of(tuple[_OldPort, ...]), lab.as_read.get("ports", [])):
        yield PortFacts(one.index, one.driver, one.mac, one.speed_bps, medium_of_driver(one.driver))


@dataclass(frozen=True)
class _OldChannel:
    """The outcome of a direction in a file of schema 1. Its rates are not stored; they are calculated from the samples
    when needed."""

    sent_packets: Count = 0
    received_packets: Count = 0
    asked_packets: Count | None = None
    refused_packets: Count = 0
    late_packets: Count = 0
    rx_missed_packets: Count = 0
    mean_frame_bytes: float | None = None
    tester_limited: Annotated[bool, Stored(read=lambda raw: raw is True)] = False


def _old_outcome(result: Result, name: str, raw: Any) -> ChannelOutcome:
    former, port = from_json(_OldChannel, raw), channel_of(name).tx
    balance = Balance(
        sent=former.sent_packets,
        received=former.received_packets,
        intended=former.asked_packets,
        refused=former.refused_packets,
        late=former.late_packets,
        missed=former.rx_missed_packets,
        extraneous=max(0, former.received_packets - former.sent_packets - former.refused_packets),
        medium=result.medium(port),
    )
    line_bps = result.line_bps(port)
    return ChannelOutcome(
        balance, former.mean_frame_bytes, None, line_bps, None, None, None, None, former.tester_limited
    )
