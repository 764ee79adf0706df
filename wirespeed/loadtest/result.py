"""The result of a load test as a value, and the file it is kept in.

The file is a strict superset of trex-loadtest's: `vars` and `stats` as that program wrote them, and beside them
`schema`, `versions`, `lab`, `dut` and `outcome`; each sample adds `t`, `phase` and counter totals. Files of that
program load (one second a sample is assumed); files of ours load in its viewer.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirespeed.errors import FileFault
from wirespeed.files import write_atomically
from wirespeed.units import L1_OVERHEAD_BYTES

SCHEMA = "wirespeed-loadtest/1"
REQUIRED_VARS = ("warmup_mult", "warmup_duration", "rampup_target", "rampup_duration", "hold_duration")
PHASES = ("warm-up", "ramp", "hold", "drain")


@dataclass(frozen=True)
class PortSample:
    """One port over one interval. Rates are counter deltas over real time; whole numbers are totals since the start.

    `asked_pps` is what the load called for, `refused` counts packets that the medium would not take (on a virtual
    wire: the other side did not drain its ring) and `late` those that the tester itself was too slow to send;
    neither was transmitted. None where the file or the server does not say.
    """

    tx_pps: float
    rx_pps: float
    tx_bps: float
    rx_bps: float
    tx_util: float
    rx_util: float
    opackets: int | None = None
    ipackets: int | None = None
    obytes: int | None = None
    ibytes: int | None = None
    oerrors: int | None = None
    ierrors: int | None = None
    asked_pps: float | None = None
    refused: int | None = None
    late: int | None = None
    rx_missed: int | None = None


@dataclass(frozen=True)
class Sample:
    """One interval of a test; `t_s` is its end, in seconds from the start of traffic."""

    t_s: float
    interval_s: float
    phase: str
    ports: dict[int, PortSample]
    global_stats: dict[str, Any] = field(default_factory=dict)
    dut: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Channel:
    """Traffic sent on port `tx` and received on port `rx`."""

    tx: int
    rx: int

    def __str__(self) -> str:
        return f"{self.tx}→{self.rx}"


@dataclass(frozen=True)
class Result:
    """A whole test. `outcome["status"]` is complete, interrupted or failed; `reason` says why."""

    name: str
    variables: dict[str, Any]
    samples: tuple[Sample, ...]
    versions: dict[str, str] = field(default_factory=dict)
    lab: dict[str, Any] = field(default_factory=dict)
    dut: dict[str, Any] = field(default_factory=dict)
    outcome: dict[str, Any] = field(default_factory=lambda: {"status": "complete"})
    native: bool = True

    @property
    def profile(self) -> str:
        return str(self.variables.get("profile_file") or "unknown")

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Ports are cabled in pairs: 0 and 1, 2 and 3 and so on; a unidirectional test sends from the even ones."""
        ports = self.samples[0].ports if self.samples else {0: None, 1: None}
        pairs = [(port, port + 1) for port in sorted(ports) if port % 2 == 0 and port + 1 in ports]
        forward = [Channel(even, odd) for even, odd in pairs]
        backward = [Channel(odd, even) for even, odd in pairs]
        return tuple(forward) if self.variables.get("unidirectional") else tuple(forward + backward)


def write_result(result: Result, path: Path) -> None:
    """Write `path` atomically. FileFault when it cannot be written, ValueError when a value is not finite."""
    write_atomically(path, json.dumps(to_json(result), allow_nan=False) + "\n", "result file")


def read_result(path: Path) -> Result:
    """Read a result file of ours or of trex-loadtest. FileFault names what is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FileFault(f"result file {path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise FileFault(f"{path} is no load-test result: it is not text") from None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileFault(f"result file {path} is truncated or no JSON: {error}") from None
    try:
        return from_json(document, name=path.stem)
    except (KeyError, ValueError) as error:
        raise FileFault(f"{path} is no load-test result: {_why(error)}") from None


def to_json(result: Result) -> dict[str, Any]:
    """The document as written to disk."""
    return {
        "schema": SCHEMA,
        "versions": result.versions,
        "vars": result.variables,
        "lab": result.lab,
        "dut": result.dut,
        "outcome": result.outcome,
        "stats": {str(index): _sample_to_json(sample) for index, sample in enumerate(result.samples)},
    }


def from_json(document: Any, name: str) -> Result:
    """A Result from a document; ValueError or KeyError says what is wrong or missing."""
    document = _object(document, "its top level")
    variables, stats = _object(document["vars"], "vars"), _object(document["stats"], "stats")
    for key in REQUIRED_VARS:
        if key not in variables:
            raise KeyError(f"vars.{key}")
    if not stats:
        raise ValueError("it holds no samples")
    native = "schema" in document
    if native and document["schema"] != SCHEMA:
        raise ValueError(f"its schema is {document['schema']!r}, this program reads {SCHEMA!r}")
    samples = tuple(_sample_from_json(index, raw, variables) for index, raw in enumerate(stats.values()))
    for index, sample in enumerate(samples):
        if sample.ports.keys() != samples[0].ports.keys():
            raise ValueError(f"sample {index} has other ports than the first")
    versions = _object(document.get("versions", {}), "versions")
    return Result(
        name=name,
        variables=variables,
        samples=samples,
        versions={program: str(version) for program, version in versions.items()},
        lab=_object(document.get("lab", {}), "lab"),
        dut=_object(document.get("dut", {}), "dut"),
        outcome=_object(document.get("outcome", {"status": "complete"}), "outcome"),
        native=native,
    )


_COUNTERS = ("opackets", "ipackets", "obytes", "ibytes", "oerrors", "ierrors", "refused", "late", "rx_missed")
_LARGEST = 1e18  # a 64-bit counter that ran for a century at 1 Tb/s stays below
_PORT = re.compile(r"\d{1,3}", re.ASCII)


def _sample_to_json(sample: Sample) -> dict[str, Any]:
    raw: dict[str, Any] = {"t": sample.t_s, "interval": sample.interval_s, "phase": sample.phase}
    for port, values in sample.ports.items():
        rates = {
            "tx_pps": float(values.tx_pps),
            "rx_pps": float(values.rx_pps),
            "tx_bps": float(values.tx_bps),
            "rx_bps": float(values.rx_bps),
            "tx_bps_L1": values.tx_bps + values.tx_pps * L1_OVERHEAD_BYTES * 8,
            "rx_bps_L1": values.rx_bps + values.rx_pps * L1_OVERHEAD_BYTES * 8,
            "tx_util": float(values.tx_util),
            "rx_util": float(values.rx_util),
        }
        totals = {key: getattr(values, key) for key in (*_COUNTERS, "asked_pps") if getattr(values, key) is not None}
        raw[str(port)] = rates | totals
    raw["global"] = sample.global_stats
    if sample.dut:
        raw["dut"] = sample.dut
    return raw


def _sample_from_json(index: int, raw: Any, variables: dict[str, Any]) -> Sample:
    here = f"sample {index}"
    raw = _object(raw, here)
    ports = {int(key): _port_from_json(raw[key], f"port {key} in {here}") for key in raw if _PORT.fullmatch(key)}
    if not {0, 1} <= set(ports):
        raise KeyError(f"port 0 or 1 in {here}")
    interval_s = _number(raw.get("interval", 1), f"interval in {here}")
    if interval_s <= 0:
        raise ValueError(f"interval in {here} is {interval_s:g} s")
    return Sample(
        t_s=_number(raw.get("t", index + 1), f"t in {here}"),
        interval_s=interval_s,
        phase=str(raw.get("phase") or _phase_by_time(index + 1, variables)),
        ports=ports,
        global_stats=_object(raw.get("global", {}), f"global in {here}"),
        dut=_object(raw.get("dut", {}), f"dut in {here}"),
    )


def _port_from_json(raw: Any, where: str) -> PortSample:
    raw = _object(raw, where)

    for key in ("tx_pps", "rx_pps"):
        if key not in raw:
            raise KeyError(f"{key} of {where}")

    def rate(key: str) -> float:
        return _number(raw.get(key, 0), f"{key} of {where}")

    return PortSample(
        tx_pps=rate("tx_pps"),
        rx_pps=rate("rx_pps"),
        tx_bps=rate("tx_bps"),
        rx_bps=rate("rx_bps"),
        tx_util=rate("tx_util"),
        rx_util=rate("rx_util"),
        asked_pps=None if raw.get("asked_pps") is None else rate("asked_pps"),
        **{key: int(rate(key)) for key in _COUNTERS if raw.get(key) is not None},
    )


def _phase_by_time(t_s: float, variables: dict[str, Any]) -> str:
    ramp_start = _number(variables["warmup_duration"], "vars.warmup_duration")
    hold_start = ramp_start + _number(variables["rampup_duration"], "vars.rampup_duration")
    return PHASES[0] if t_s <= ramp_start else PHASES[1] if t_s <= hold_start else PHASES[2]


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is not an object")
    return value


def _number(value: Any, where: str) -> float:
    """A finite number, also when it was written as a string as command-line values are."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or abs(number) > _LARGEST:
        raise ValueError(f"{where} is {str(value)[:40]!r}, not a sensible number")
    return number


def _why(error: Exception) -> str:
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
