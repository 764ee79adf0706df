"""A trial as it stands in result files and journals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypedDict

from pydantic import TypeAdapter

from wirespeed.results.balance_json import balance_from_json, balance_to_json
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.json_values import as_number, as_object
from wirespeed.results.rfc2544 import SuiteTrial
from wirespeed.results.sample import Latency, Moment
from wirespeed.results.sample_json import channel_of, valid
from wirespeed.results.search import SearchTrial
from wirespeed.results.trial import ChannelTrial, Drain, TrialResult
from wirespeed.units import Rate

_RATE = TypeAdapter(Rate)
_DRAIN = TypeAdapter(Drain)
_LATENCY = TypeAdapter(Latency)
_MOMENT = TypeAdapter(Moment)


def trial_to_json(trial: TrialResult) -> dict[str, Any]:
    told = {"before": trial.dut_before, "under_load": trial.dut, "after": trial.dut_after}
    dut = {when: telemetry.to_json() for when, telemetry in told.items() if telemetry != DutTelemetry()}
    raw: dict[str, Any] = {
        "rate": asdict(trial.rate),
        "began": trial.began_s,
        "ended": trial.ended_s,
        "channels": {str(wire): _channel_to_json(channel) for wire, channel in trial.channels.items()},
        "drain": asdict(trial.drain),
    }
    if trial.moment is not None:
        raw["machine"] = {key: value for key, value in asdict(trial.moment).items() if value is not None}
    if trial.links_down:
        raw["links_down"] = list(trial.links_down)
    return raw | ({"dut": dut} if dut else {})


def _channel_to_json(channel: ChannelTrial) -> dict[str, Any]:
    raw: dict[str, Any] = {
        "balance": balance_to_json(channel.balance),
        "offered_pps": channel.offered_pps,
        "received_pps": channel.received_pps,
        "tester_limited": channel.tester_limited,
    }
    raw |= {} if channel.most_by_absence is None else {"most_by_absence": channel.most_by_absence}
    raw |= {} if channel.spoilt is None else {"spoilt": channel.spoilt}
    return raw | ({} if channel.latency is None else {"latency": asdict(channel.latency)})


def trial_from_json(raw: Any, where: str) -> TrialResult:
    """ValueError or KeyError says what is wrong or missing, and `where`."""
    raw = as_object(raw, where)
    dut = as_object(raw.get("dut", {}), f"dut of {where}")
    before, under, after = (
        DutTelemetry.from_json(dut[when], f"dut of {where}") if when in dut else DutTelemetry()
        for when in ("before", "under_load", "after")
    )
    channels = as_object(raw.get("channels"), f"channels of {where}")
    return TrialResult(
        rate=valid(_RATE, raw.get("rate"), f"rate of {where}"),
        began_s=as_number(raw.get("began"), f"began of {where}"),
        ended_s=as_number(raw.get("ended"), f"ended of {where}"),
        channels={
            channel_of(name, where): _channel_from_json(value, f"{name} of {where}") for name, value in channels.items()
        },
        drain=valid(_DRAIN, raw.get("drain"), f"drain of {where}"),
        moment=valid(_MOMENT, raw["machine"], f"machine of {where}") if "machine" in raw else None,
        links_down=tuple(int(as_number(port, f"links_down of {where}")) for port in raw.get("links_down", ())),
        dut_before=before,
        dut=under,
        dut_after=after,
    )


class Asked(TypedDict):
    """What trials of searches and of RFC 2544 have besides what each was for."""

    number: int
    load_pps: float
    intended_s: float
    trial: TrialResult
    label: str
    set_aside: str


def asked_to_json(trial: SearchTrial | SuiteTrial, what: Sequence[str], loss_ratio: float) -> dict[str, Any]:
    """What was asked for (`what` are names of fields that only this kind of trial has) and what came of it; beside it
    the loss ratio that it is judged by."""
    names = ("number", *what, "load_pps", "intended_s", "label", "set_aside")
    asked = {key: getattr(trial, key) for key in names if getattr(trial, key) != ""}
    return {**asked, "loss_ratio": loss_ratio, **trial_to_json(trial.trial)}


def asked_from_json(raw: dict[str, Any], where: str) -> Asked:
    """ValueError or KeyError says what is wrong or missing, and `where`."""
    return Asked(
        number=int(as_number(raw.get("number"), f"number of {where}")),
        load_pps=as_number(raw.get("load_pps"), f"load_pps of {where}"),
        intended_s=as_number(raw.get("intended_s"), f"intended_s of {where}"),
        trial=trial_from_json(raw, where),
        label=str(raw.get("label", "")),
        set_aside=str(raw.get("set_aside", "")),
    )


def _channel_from_json(raw: Any, where: str) -> ChannelTrial:
    raw = as_object(raw, where)
    return ChannelTrial(
        balance=balance_from_json(raw.get("balance"), where),
        offered_pps=as_number(raw.get("offered_pps"), f"offered_pps of {where}"),
        received_pps=as_number(raw.get("received_pps"), f"received_pps of {where}"),
        latency=valid(_LATENCY, raw["latency"], f"latency of {where}") if "latency" in raw else None,
        tester_limited=bool(raw.get("tester_limited")),
        most_by_absence=as_number(raw["most_by_absence"], f"most_by_absence of {where}")
        if "most_by_absence" in raw
        else None,
        spoilt=None if raw.get("spoilt") is None else str(raw["spoilt"]),
    )
