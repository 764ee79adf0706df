"""The result of a load test as a JSON document.

It is a strict superset of trex-loadtest's: `vars` and `stats` as that program wrote them, and beside them `schema`,
`versions`, `lab`, `ports`, `directions`, `dut` and `outcome`; each sample adds `t`, `phase`, counter totals and what
stood beside it. Files of that program load (one second a sample is assumed), files of ours load in its viewer, and
older ones of ours load here. docs/result-format.md lists every field.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter

from wirespeed.results.analysis import judged
from wirespeed.results.balance import Balance, medium_of_driver
from wirespeed.results.balance_json import as_count, balance_from_json, balance_to_json
from wirespeed.results.ending import Ending
from wirespeed.results.head_json import dut_from_json, ports_from_json
from wirespeed.results.head_json import head_to_json as common_head_to_json
from wirespeed.results.json_values import as_list, as_number, as_object, list_at
from wirespeed.results.loadtest import Result
from wirespeed.results.outcome import ChannelOutcome, Outcome, PortFacts
from wirespeed.results.sample_json import channel_of, sample_to_json, samples_from_json, valid

KIND = "loadtest"
SCHEMA = "wirespeed-loadtest/2"
OLD_SCHEMA = "wirespeed-loadtest/1"
REQUIRED_VARS = ("warmup_mult", "warmup_duration", "rampup_target", "rampup_duration", "hold_duration")

_ENDING = TypeAdapter(Ending)
_OUTCOME = TypeAdapter(Outcome)


def to_json(result: Result) -> dict[str, Any]:
    """The document as written to disk."""
    return {
        **head_to_json(result),
        "outcome": outcome_to_json(result),
        "stats": {str(index): sample_to_json(sample) for index, sample in enumerate(result.samples)},
    }


def head_to_json(result: Result) -> dict[str, Any]:
    """What is known when a test begins: everything but samples and outcome."""
    return common_head_to_json(result, SCHEMA)


def outcome_to_json(result: Result) -> dict[str, Any]:
    """Balances carry, beside what was counted, what follows from it: offered, lost, the loss ratio."""
    document = asdict(result.ending) | asdict(result.outcome)
    for name, channel in result.outcome.channels.items():
        document["channels"][name]["balance"] = balance_to_json(channel.balance)
    return document


def from_json(document: Any, name: str) -> Result:
    """A Result from a document; ValueError or KeyError says what is wrong or missing."""
    document = as_object(document, "its top level")
    variables, stats = as_object(document["vars"], "vars"), as_object(document["stats"], "stats")
    for key in REQUIRED_VARS:
        if key not in variables:
            raise KeyError(f"vars.{key}")
    if not stats:
        raise ValueError("it holds no samples")
    schema = document.get("schema")
    if schema not in (None, OLD_SCHEMA, SCHEMA):
        raise ValueError(f"its schema is {schema!r}, this program reads {SCHEMA!r} and {OLD_SCHEMA!r}")
    directions = tuple(channel_of(text, "directions") for text in list_at(document, "directions"))
    samples = samples_from_json(stats.values(), variables)
    for index, sample in enumerate(samples):
        if sample.ports.keys() != samples[0].ports.keys():
            raise ValueError(f"sample {index} has other ports than the first")
    for channel in directions:
        if not {channel.tx, channel.rx} <= set(samples[0].ports):
            raise ValueError(f"direction {channel} has a port that the samples have not")
    versions = as_object(document.get("versions", {}), "versions")
    lab = as_object(document.get("lab", {}), "lab")
    outcome = as_object(document.get("outcome", {}), "outcome")
    result = Result(
        name=name,
        variables=variables,
        samples=samples,
        versions={program: str(version) for program, version in versions.items()},
        lab=lab,
        dut=dut_from_json(document),
        directions=directions,
        native=schema is not None,
        ending=valid(_ENDING, outcome, "outcome"),
    )
    if schema == SCHEMA:
        read = replace(
            result,
            ports=ports_from_json(document),
            outcome=valid(_OUTCOME, _with_balances(outcome), "outcome"),
        )
        return _with_means(read) if _has_peaks(outcome) else read
    ports = _old_ports(lab)
    result = replace(result, ports={port.index: port for port in ports})
    return replace(result, outcome=_old_outcome(outcome, result))


def _with_balances(raw: dict[str, Any]) -> dict[str, Any]:
    """The outcome with its balances as the fields of Balance; what follows from those is worked out anew."""
    channels = {}
    for name, value in as_object(raw.get("channels", {}), "outcome.channels").items():
        where = f"outcome.channels.{name}"
        channel = as_object(value, where)
        channels[name] = {"full_load": None, **channel, "balance": balance_from_json(channel.get("balance"), where)}
    return raw | {"channels": channels}


def _has_peaks(raw: dict[str, Any]) -> bool:
    """Whether the outcome has figures of single samples (`maximum`, and `held` of one sample) as first files of this
    schema had, in place of means."""
    return any("full_load" not in channel for channel in raw.get("channels", {}).values())


def _with_means(result: Result) -> Result:
    """The result with means of its samples as its figures; what was counted stays as the file has it."""
    figures = judged(result).outcome.channels
    channels = {
        name: replace(
            channel,
            full_load=figures[name].full_load,
            held=figures[name].held,
            lossy_from=figures[name].lossy_from,
            saturated=figures[name].saturated,
        )
        if name in figures
        else channel
        for name, channel in result.outcome.channels.items()
    }
    return replace(result, outcome=replace(result.outcome, channels=channels))


def _old_ports(lab: dict[str, Any]) -> list[PortFacts]:
    """The ports of a file of schema 1, whose `lab` listed them without their medium."""
    ports = []
    for raw in as_list(lab.get("ports", []), "lab.ports"):
        port = as_object(raw, "lab.ports")
        speed, driver = port.get("speed_bps"), str(port.get("driver", ""))
        ports.append(
            PortFacts(
                index=int(as_number(port.get("index"), "index in lab.ports")),
                driver=driver,
                mac=str(port.get("mac", "")),
                speed_bps=None if speed is None else as_number(speed, "speed_bps in lab.ports"),
                medium=medium_of_driver(driver),
            )
        )
    return ports


def _old_outcome(raw: dict[str, Any], result: Result) -> Outcome:
    """What a file of schema 1 said of its end. Its rates are worked out anew from the samples by whoever wants them."""
    channels = {}
    for name, value in as_object(raw.get("channels", {}), "outcome.channels").items():
        found = as_object(value, f"outcome.channels.{name}")
        where = f"outcome.channels.{name}"

        def count(key: str, found: dict[str, Any] = found, where: str = where) -> float:
            return as_count(found.get(f"{key}_packets"), f"{key}_packets of {where}")

        asked = found.get("asked_packets")
        balance = Balance(
            sent=count("sent"),
            received=count("received"),
            asked=None if asked is None else count("asked"),
            refused=count("refused"),
            late=count("late"),
            missed=count("rx_missed"),
            surplus=max(0, count("received") - count("sent") - count("refused")),
            medium=result.medium(channel_of(name, "outcome.channels").tx),
        )
        frame = found.get("mean_frame_bytes")
        channels[name] = ChannelOutcome(
            balance=balance,
            frame_bytes=None if frame is None else as_number(frame, f"mean_frame_bytes of {where}"),
            received_frame_bytes=None,
            line_bps=result.line_bps(channel_of(name, "outcome.channels").tx),
            full_load=None,
            held=None,
            lossy_from=None,
            saturated=None,
            tester_limited=found.get("tester_limited") is True,
        )
    known = {"threshold": raw["threshold"]} if "threshold" in raw else {}
    judged_by: Outcome = valid(_OUTCOME, known, "outcome")
    return replace(judged_by, channels=channels)


def why(error: Exception) -> str:
    """What was wrong with a document, from what `from_json` raised."""
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
