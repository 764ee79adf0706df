"""The result of a load test as a value, and the file it is kept in.

The file is a strict superset of trex-loadtest's: `vars` and `stats` as that program wrote them, and beside them
`schema`, `versions`, `lab`, `dut` and `outcome`; each sample adds `t`, `phase` and counter totals. Files of that
program load (one second a sample is assumed); files of ours load in its viewer.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirespeed.errors import FileFault
from wirespeed.units import L1_OVERHEAD_BYTES

SCHEMA = "wirespeed-loadtest/1"
REQUIRED_VARS = ("warmup_mult", "warmup_duration", "rampup_target", "rampup_duration", "hold_duration")
PHASES = ("warm-up", "ramp", "hold", "drain")


@dataclass(frozen=True)
class PortSample:
    """One port over one interval. Rates are counter deltas over real time; counters are totals since the start.

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
        if self.variables.get("unidirectional"):
            return (Channel(0, 1),)
        return (Channel(0, 1), Channel(1, 0))


def write_result(result: Result, path: Path) -> None:
    """Write `path` atomically: a reader sees the old file or the whole new one. FileFault when it cannot be."""
    try:
        handle = tempfile.NamedTemporaryFile(  # noqa: SIM115 - renamed into place below
            "w", dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False, encoding="utf-8"
        )
        try:
            with handle:
                json.dump(to_json(result), handle, allow_nan=False)
                handle.write("\n")
            Path(handle.name).chmod(0o666 & ~_umask())
            Path(handle.name).replace(path)
        except BaseException:
            Path(handle.name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileFault(f"result file {path} cannot be written: {error.strerror or error}") from None


def read_result(path: Path) -> Result:
    """Read a result file of ours or of trex-loadtest. FileFault names what is wrong with it."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileFault(f"result file {path} cannot be read: {error.strerror or error}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FileFault(f"result file {path} is truncated or no JSON: {error}") from None
    try:
        return from_json(document, name=path.stem)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
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


def from_json(document: dict[str, Any], name: str) -> Result:
    """A Result from a document; ValueError or KeyError says what is missing."""
    if not isinstance(document, dict):
        raise ValueError("its top level is not an object")
    variables, stats = document["vars"], document["stats"]
    for key in REQUIRED_VARS:
        if key not in variables:
            raise KeyError(f"vars.{key}")
    if not stats:
        raise ValueError("it holds no samples")
    native = "schema" in document
    if native and document["schema"] != SCHEMA:
        raise ValueError(f"its schema is {document['schema']!r}, this program reads {SCHEMA!r}")
    samples = tuple(_sample_from_json(index, raw, variables) for index, raw in enumerate(stats.values()))
    return Result(
        name=name,
        variables=variables,
        samples=samples,
        versions=document.get("versions", {}),
        lab=document.get("lab", {}),
        dut=document.get("dut", {}),
        outcome=document.get("outcome", {"status": "complete"}),
        native=native,
    )


_COUNTERS = ("opackets", "ipackets", "obytes", "ibytes", "oerrors", "ierrors", "refused", "late", "rx_missed")


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


def _sample_from_json(index: int, raw: dict[str, Any], variables: dict[str, Any]) -> Sample:
    ports = {int(key): _port_from_json(values) for key, values in raw.items() if key.isdigit()}
    if not {0, 1} <= set(ports):
        raise KeyError(f"ports 0 and 1 in sample {index}")
    return Sample(
        t_s=float(raw.get("t", index + 1)),
        interval_s=float(raw.get("interval", 1.0)),
        phase=str(raw.get("phase") or _phase_by_time(index + 1, variables)),
        ports=ports,
        global_stats=raw.get("global", {}),
        dut=raw.get("dut", {}),
    )


def _port_from_json(raw: dict[str, Any]) -> PortSample:
    return PortSample(
        tx_pps=float(raw["tx_pps"]),
        rx_pps=float(raw["rx_pps"]),
        tx_bps=float(raw.get("tx_bps", 0.0)),
        rx_bps=float(raw.get("rx_bps", 0.0)),
        tx_util=float(raw.get("tx_util", 0.0)),
        rx_util=float(raw.get("rx_util", 0.0)),
        asked_pps=raw.get("asked_pps"),
        **{key: raw.get(key) for key in _COUNTERS},
    )


def _phase_by_time(t_s: float, variables: dict[str, Any]) -> str:
    ramp_start = float(variables["warmup_duration"])
    hold_start = ramp_start + float(variables["rampup_duration"])
    return PHASES[0] if t_s <= ramp_start else PHASES[1] if t_s <= hold_start else PHASES[2]


def _why(error: Exception) -> str:
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
