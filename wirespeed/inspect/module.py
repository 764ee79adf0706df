"""A pluggable module (SFP, QSFP) as a value, and how fields of its memory are read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Thresholds of alarm and warning, in the reading's own unit."""

    high_alarm: float
    low_alarm: float
    high_warning: float
    low_warning: float


@dataclass(frozen=True)
class Lane:
    """One laser and one receiver. Milliamperes and milliwatts; None where the module does not tell."""

    bias_ma: float | None
    tx_mw: float | None
    rx_mw: float | None


@dataclass(frozen=True)
class Diagnostics:
    """Measurements of a module. Degrees Celsius, volts; `limits` by temperature, voltage, bias, tx and rx."""

    temperature_c: float
    voltage_v: float
    lanes: tuple[Lane, ...]
    limits: dict[str, Limits]
    flags: tuple[str, ...] = ()
    states: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpticalModule:
    """`reaches` are distances in metres by medium; `remarks` are errors in its data."""

    kind: str
    connector: str
    compliance: tuple[str, ...]
    encoding: str
    rate_mbd: int
    wavelength_nm: float | None
    reaches: dict[str, int]
    vendor: str
    oui: str
    part: str
    revision: str
    serial: str
    date: str
    diagnostics: Diagnostics | None
    remarks: tuple[str, ...] = ()


def dbm(milliwatts: float) -> float | None:
    """None of no power at all, whose logarithm has no end."""
    return 10 * math.log10(milliwatts) if milliwatts > 0 else None


def power_text(milliwatts: float | None) -> str:
    """`0.5511 mW / -2.59 dBm`; a dash if unknown."""
    if milliwatts is None:
        return "–"
    level = dbm(milliwatts)
    return f"{milliwatts:.4f} mW / {'no light' if level is None else f'{level:.2f} dBm'}"


def words(data: bytes) -> str:
    """A name in ASCII padded with spaces; other bytes are shown as dots."""
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data.rstrip(b" \0\xff")).strip()


def date_of(data: bytes) -> str:
    """`20YY-MM-DD` and what follows of a lot; as it stands when it is not a number."""
    text = words(data)
    if len(text) >= 6 and text[:6].isdigit():
        lot = text[6:].strip()
        return f"20{text[:2]}-{text[2:4]}-{text[4:6]}" + (f" lot {lot}" if lot else "")
    return text


def date_is_plausible(data: bytes) -> bool:
    text = words(data)
    return len(text) >= 6 and text[:6].isdigit() and 1 <= int(text[2:4]) <= 12 and 1 <= int(text[4:6]) <= 31


def u16(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big")


def s16(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big", signed=True)


def wrong_checksums(data: bytes, *parts: tuple[int, int]) -> Iterator[str]:
    """Remarks on the base and the extended identity, which begin and have their checksums at these places."""
    for (first, at), what in zip(parts, ("base identity", "extended identity"), strict=True):
        total = sum(data[first:at]) & 0xFF
        if total != data[at]:
            yield f"checksum of its {what} is {data[at]:#04x} and ought to be {total:#04x}"
