"""Samples in a result file: the fields of trex-loadtest, and those of wirespeed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from wirespeed.results.codec import channel_of, from_json, placed, to_json
from wirespeed.results.json_values import as_number, as_object
from wirespeed.results.order import Order
from wirespeed.results.phases import PhaseTimes, phases_of
from wirespeed.results.sample import Latency, PortSample, Preemption, Sample
from wirespeed.units import L1_OVERHEAD_BYTES

_RATES = ("tx_pps", "rx_pps", "tx_bps", "rx_bps", "tx_util", "rx_util")
_COUNTERS = (
    *("opackets", "ipackets", "obytes", "ibytes", "oerrors", "ierrors"),
    *("intended", "refused", "no_buffer", "late", "rx_missed", "rx_pause_frames", "foreign"),
)
FORMER = {
    "intended": "asked",
    "intended_pps": "asked_pps",
    "longest_preemption": "longest_absent",
    "preempted": "absent",
    "preemption": "machine",
    "test_frames": "ours",
}
"""Keys of older files."""
_PORT = re.compile(r"\d{1,3}", re.ASCII)
_ORDER = tuple(one.name for one in fields(Order))


_COUNTS = ", ".join(f"`{name}`" for name in ("test_frames", *_ORDER))
KEYS: Mapping[str, str] = {
    "t": "end of the interval in seconds since the start of traffic; one second per sample in files without it",
    "interval": "length in seconds",
    "phase": "`warm-up`, `ramp`, `hold`, `step`, `trial` or `drain`; the middle four are measurements",
    "0": "the port of that number, also `1` and so on: PortSample, and `tx_bps_L1` and `rx_bps_L1` of layer 1",
    "global": "global statistics as T-Rex names them",
    "dut": "DutTelemetry, if the DUT was read",
    "channels": f"object: direction → {_COUNTS} since the start (Order), and `latency` (Latency)",
    "preemption": "Preemption, if known",
    "links_down": "ports that lost their link at any time of the interval, if any",
}
"""The keys of a sample, for docs/result-format.md."""


def sample_to_json(sample: Sample) -> dict[str, Any]:
    raw: dict[str, Any] = {"t": sample.t_s, "interval": sample.interval_s, "phase": sample.phase}
    raw |= {str(port): _port_to_json(values) for port, values in sample.ports.items()}
    raw["global"] = dict(sample.global_stats)
    if sample.dut:
        raw["dut"] = dict(sample.dut)
    channels = {
        str(channel): ({"test_frames": sample.test_frames[channel]} if channel in sample.test_frames else {})
        | (asdict(sample.order[channel]) if channel in sample.order else {})
        | ({"latency": to_json(sample.latency[channel])} if channel in sample.latency else {})
        for channel in sorted({*sample.test_frames, *sample.latency})
    }
    if channels:
        raw["channels"] = channels
    if sample.preemption is not None:
        raw["preemption"] = to_json(sample.preemption)
    if sample.links_down:
        raw["links_down"] = list(sample.links_down)
    return raw


def _port_to_json(values: PortSample) -> dict[str, Any]:
    rates = {key: float(getattr(values, key)) for key in _RATES}
    layer1 = {
        f"{way}_bps_L1": rates[f"{way}_bps"] + rates[f"{way}_pps"] * L1_OVERHEAD_BYTES * 8 for way in ("tx", "rx")
    }
    totals = {key: getattr(values, key) for key in (*_COUNTERS, "intended_pps") if getattr(values, key) is not None}
    return rates | layer1 | totals | ({"kinds": dict(values.kinds)} if values.kinds else {})


def samples_to_json(samples: Iterable[Sample]) -> dict[str, Any]:
    return {str(index): sample_to_json(sample) for index, sample in enumerate(samples)}


def samples_from_json(raw: Any) -> tuple[Sample, ...]:
    """All samples of a file; as sample_from_json."""
    return tuple(sample_from_json(index, one) for index, one in enumerate(raw.values()))


def with_phases(samples: tuple[Sample, ...], times: PhaseTimes) -> tuple[Sample, ...]:
    """The samples, with the phases that the file does not have."""
    loads_pps = [sum(port.tx_pps for port in sample.ports.values()) for sample in samples]
    phases = phases_of([sample.t_s for sample in samples], loads_pps, times)
    return tuple(
        sample if sample.phase else replace(sample, phase=phase) for sample, phase in zip(samples, phases, strict=True)
    )


def _present(raw: dict[str, Any]) -> dict[str, Any]:
    """An object with the present names of its keys."""
    former = {key: old for key, old in FORMER.items() if old in raw}
    if not former:
        return raw
    kept = {key: value for key, value in raw.items() if key not in former.values()}
    return {key: raw[old] for key, old in former.items()} | kept


def sample_from_json(index: int, raw: Any) -> Sample:
    """Sample `index` of a file. KeyError or ValueError for a missing or invalid value, with its place. `phase` is empty
    if the file does not have it."""
    here = f"sample {index}"
    raw = _present(as_object(raw, here))
    ports = {int(key): _port_from_json(raw[key], f"port {key} in {here}") for key in raw if _PORT.fullmatch(key)}
    if len(ports) < 2:
        raise KeyError(f"port 0 or 1 in {here}")
    interval_s = as_number(raw.get("interval", 1), f"interval in {here}")
    if interval_s <= 0:
        raise ValueError(f"interval in {here} is {interval_s:g} s, not above 0")
    channels = {
        placed(here, channel_of, name): _present(as_object(value, f"channel {name} in {here}"))
        for name, value in as_object(raw.get("channels", {}), f"channels in {here}").items()
    }
    return Sample(
        t_s=as_number(raw.get("t", index + 1), f"t in {here}"),
        interval_s=interval_s,
        phase=str(raw.get("phase") or ""),
        ports=ports,
        global_stats=as_object(raw.get("global", {}), f"global in {here}"),
        dut=_dut_from_json(as_object(raw.get("dut", {}), f"dut in {here}")),
        test_frames={
            channel: int(as_number(value["test_frames"], f"test frames of {channel} in {here}"))
            for channel, value in channels.items()
            if "test_frames" in value
        },
        order={
            channel: Order(
                **{key: int(as_number(value.get(key, 0), f"{key} of {channel} in {here}")) for key in _ORDER}
            )
            for channel, value in channels.items()
            if "duplicates" in value
        },
        latency={
            channel: from_json(Latency, value["latency"], f"latency of {channel} in {here}")
            for channel, value in channels.items()
            if "latency" in value
        },
        preemption=from_json(Preemption, raw["preemption"], f"preemption in {here}") if "preemption" in raw else None,
        links_down=tuple(int(as_number(port, f"links_down in {here}")) for port in raw.get("links_down", ())),
    )


def _dut_from_json(raw: dict[str, Any]) -> dict[str, Any]:
    """Telemetry as stored, with the present names of its keys; `DutTelemetry` checks it."""
    workers = raw.get("workers")
    if not isinstance(workers, list):
        return raw
    return raw | {"workers": [_present(one) if isinstance(one, dict) else one for one in workers]}


def _port_from_json(raw: Any, where: str) -> PortSample:
    raw = _present(as_object(raw, where))

    for key in ("tx_pps", "rx_pps"):
        if key not in raw:
            raise KeyError(f"{key} of {where}")

    def rate(key: str) -> float:
        return as_number(raw.get(key, 0), f"{key} of {where}")

    kinds = as_object(raw.get("kinds", {}), f"kinds of {where}")
    known: dict[str, Any] = {key: rate(key) for key in _RATES}
    known |= {key: int(rate(key)) for key in _COUNTERS if raw.get(key) is not None}
    return PortSample(
        **known,
        intended_pps=None if raw.get("intended_pps") is None else rate("intended_pps"),
        kinds={str(kind): int(as_number(count, f"{kind} of {where}")) for kind, count in kinds.items()},
    )
