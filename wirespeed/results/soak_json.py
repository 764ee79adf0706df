"""The result of a soak as a JSON document (docs/result-format.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from wirespeed.results.channel import Channel
from wirespeed.results.head_json import ending_from_json, head_from_json, of_schema
from wirespeed.results.head_json import head_to_json as common_head_to_json
from wirespeed.results.json_values import as_number, as_object, list_at
from wirespeed.results.sample_json import channel_of, valid
from wirespeed.results.soak import (
    Counters,
    Drift,
    DutSpan,
    Flow,
    Gap,
    LossEvent,
    Mark,
    SoakResult,
    Span,
    Verdict,
)
from wirespeed.units import Rate

KIND = "soak"
SCHEMA = "wirespeed-soak/1"

_RATE = TypeAdapter(Rate)
_FLOW = TypeAdapter(Flow)
_DUT = TypeAdapter(DutSpan)
_GAP = TypeAdapter(Gap)
_DRIFT = TypeAdapter(Drift)
_COUNTS = TypeAdapter(dict[int, dict[str, int]])


def to_json(result: SoakResult) -> dict[str, Any]:
    """The document as written to disk."""
    document = {
        **head_to_json(result),
        "verdict": verdict_to_json(result.verdict),
        "total": None if result.total is None else span_to_json(result.total),
        "hours": [span_to_json(span) for span in result.hours],
        "minutes": [span_to_json(span) for span in result.minutes],
        "seconds": [span_to_json(span) for span in result.seconds],
        "events": [event_to_json(event) for event in result.events],
        "gaps": [asdict(gap) for gap in result.gaps],
        "ending": asdict(result.ending),
    }
    return document if result.mark is None else {**document, "mark": mark_to_json(result.mark)}


def head_to_json(result: SoakResult) -> dict[str, Any]:
    """What is known when a soak begins."""
    return {
        **common_head_to_json(result, SCHEMA),
        "load": asdict(result.load),
        "load_pps": result.load_pps,
        "intended_s": result.intended_s,
        "frame_bytes": {str(port): length for port, length in result.frame_bytes.items()},
    }


def span_to_json(span: Span) -> dict[str, Any]:
    """What is nothing is left out: most seconds of a day lose nothing."""
    raw: dict[str, Any] = {"at_s": span.at_s, "watched_s": span.watched_s}
    raw["flows"] = {str(wire): _flow_to_json(flow) for wire, flow in span.flows.items()}
    rest = {"lossy_s": span.lossy_s or None, "away_s": span.away_s, "steal_s": span.steal_s}
    raw |= {key: value for key, value in rest.items() if value is not None}
    dut = {key: value for key, value in asdict(span.dut).items() if value not in (None, {}, "")}
    return raw | ({"dut": dut} if dut else {})


def event_to_json(event: LossEvent) -> dict[str, Any]:
    return {**asdict(event), "channel": str(event.channel)}


def mark_to_json(mark: Mark) -> dict[str, Any]:
    return {
        "session_id": mark.session_id,
        "began_s": mark.began_s,
        "origin": counters_to_json(mark.origin),
        "latest": counters_to_json(mark.latest),
        "placed": _by_name(mark.placed),
        "under_way": _by_name(mark.under_way),
    }


def counters_to_json(counters: Counters) -> dict[str, Any]:
    ports = {str(port): dict(counts) for port, counts in counters.ports.items()}
    return {"at_s": counters.at_s, "ports": ports, "ours": _by_name(counters.ours)}


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """The loss ratio follows from the counts and stands there for readers of the file."""
    latency = {str(wire): asdict(drift) for wire, drift in verdict.latency_us.items()}
    fields = {key: getattr(verdict, key) for key in Verdict.__dataclass_fields__ if key not in _DEEP}
    deep = {key: None if (one := getattr(verdict, key)) is None else asdict(one) for key in _DEEP[1:]}
    return {**fields, "loss_ratio": verdict.loss_ratio, **deep, "latency_us": latency}


_DEEP = ("latency_us", "worst_minute", "cycles_per_packet", "memory_bytes")


def from_json(document: Any, name: str) -> SoakResult:
    """A SoakResult from a document; ValueError or KeyError says what is wrong or missing."""
    document = of_schema(document, SCHEMA)
    lengths = as_object(document.get("frame_bytes", {}), "frame_bytes")
    total, mark = document.get("total"), document.get("mark")
    return SoakResult(
        name=name,
        **head_from_json(document),
        load=valid(_RATE, document.get("load"), "load"),
        load_pps=as_number(document.get("load_pps"), "load_pps"),
        intended_s=as_number(document.get("intended_s"), "intended_s"),
        verdict=_verdict(document.get("verdict")),
        seconds=_spans(document, "seconds"),
        minutes=_spans(document, "minutes"),
        hours=_spans(document, "hours"),
        total=None if total is None else span_from_json(total, "total"),
        events=tuple(event_from_json(raw, "events") for raw in list_at(document, "events")),
        gaps=tuple(valid(_GAP, raw, "gaps") for raw in list_at(document, "gaps")),
        frame_bytes={int(port): as_number(length, "frame_bytes") for port, length in lengths.items()},
        mark=None if mark is None else mark_from_json(mark, "mark"),
        ending=ending_from_json(document),
    )


def span_from_json(raw: Any, where: str) -> Span:
    raw = as_object(raw, where)

    def told(key: str) -> float | None:
        return None if raw.get(key) is None else as_number(raw[key], f"{key} of {where}")

    return Span(
        at_s=as_number(raw.get("at_s"), f"at_s of {where}"),
        watched_s=as_number(raw.get("watched_s"), f"watched_s of {where}"),
        flows={
            channel_of(name, where): valid(_FLOW, flow, f"{name} of {where}")
            for name, flow in as_object(raw.get("flows"), f"flows of {where}").items()
        },
        lossy_s=as_number(raw.get("lossy_s", 0), f"lossy_s of {where}"),
        away_s=told("away_s"),
        steal_s=told("steal_s"),
        dut=valid(_DUT, raw.get("dut", {}), f"dut of {where}"),
    )


def event_from_json(raw: Any, where: str) -> LossEvent:
    raw = as_object(raw, where)
    return valid(_EVENT, {**raw, "channel": _pair(raw.get("channel"), where)}, where)  # type: ignore[no-any-return]


def mark_from_json(raw: Any, where: str) -> Mark:
    raw = as_object(raw, where)
    return Mark(
        session_id=int(as_number(raw.get("session_id"), f"session_id of {where}")),
        began_s=as_number(raw.get("began_s"), f"began_s of {where}"),
        origin=counters_from_json(raw.get("origin"), f"origin of {where}"),
        latest=counters_from_json(raw.get("latest"), f"latest of {where}"),
        placed=_by_channel(raw.get("placed", {}), f"placed of {where}"),
        under_way=_by_channel(raw.get("under_way", {}), f"under_way of {where}"),
    )


def counters_from_json(raw: Any, where: str) -> Counters:
    raw = as_object(raw, where)
    return Counters(
        at_s=as_number(raw.get("at_s"), f"at_s of {where}"),
        ports=valid(_COUNTS, raw.get("ports"), f"ports of {where}"),
        ours=_by_channel(raw.get("ours", {}), f"ours of {where}"),
    )


_EVENT = TypeAdapter(LossEvent)
_VERDICT = TypeAdapter(Verdict)


def _verdict(raw: Any) -> Verdict:
    raw = as_object(raw, "verdict")
    latency = {
        channel_of(name, "verdict"): valid(_DRIFT, drift, f"latency of {name} in verdict")
        for name, drift in as_object(raw.get("latency_us", {}), "latency_us of verdict").items()
    }
    return valid(_VERDICT, {**raw, "latency_us": latency}, "verdict")  # type: ignore[no-any-return]


def _spans(document: dict[str, Any], key: str) -> tuple[Span, ...]:
    return tuple(span_from_json(raw, f"{key} {index}") for index, raw in enumerate(list_at(document, key)))


def _pair(text: object, where: str) -> dict[str, int]:
    return asdict(channel_of(text, where))


def _by_name(counts: Mapping[Channel, int]) -> dict[str, int]:
    return {str(wire): count for wire, count in counts.items()}


def _by_channel(raw: Any, where: str) -> dict[Channel, int]:
    return {channel_of(name, where): int(as_number(count, where)) for name, count in as_object(raw, where).items()}


def _flow_to_json(flow: Flow) -> dict[str, Any]:
    return {key: value for key, value in asdict(flow).items() if value or key in ("offered", "received")}
