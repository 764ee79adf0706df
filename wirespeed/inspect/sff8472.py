"""SFP modules by SFF-8472: the identity at I2C address 0x50 (A0h) and the diagnostics at 0x51 (A2h)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from wirespeed.inspect.module import (
    Diagnostics,
    Lane,
    Limits,
    OpticalModule,
    date_is_plausible,
    date_of,
    s16,
    u16,
    words,
    wrong_checksums,
)

IDENTITY_BYTES = 96
A2_AT = 256
DIAGNOSTICS_BYTES = 120

CONNECTORS = {0x01: "SC", 0x07: "LC", 0x0B: "optical pigtail", 0x0C: "MPO", 0x21: "copper pigtail", 0x22: "RJ45"}
CONNECTORS |= {0x23: "none", 0x00: "unspecified"}
ENCODINGS = {0x01: "8b/10b", 0x02: "4b/5b", 0x03: "NRZ", 0x04: "Manchester", 0x05: "SONET scrambled", 0x06: "64b/66b"}
_COMPLIANCE = (
    *((3, 0x10, "10GBASE-SR"), (3, 0x20, "10GBASE-LR"), (3, 0x40, "10GBASE-LRM"), (3, 0x80, "10GBASE-ER")),
    *((6, 0x01, "1000BASE-SX"), (6, 0x02, "1000BASE-LX"), (6, 0x04, "1000BASE-CX"), (6, 0x08, "1000BASE-T")),
    *((6, 0x10, "100BASE-LX"), (6, 0x20, "100BASE-FX"), (6, 0x40, "BASE-BX10"), (6, 0x80, "BASE-PX")),
    *((8, 0x04, "passive cable"), (8, 0x08, "active cable")),
)
EXTENDED = {
    **{0x01: "100G AOC", 0x02: "100GBASE-SR4 or 25GBASE-SR", 0x03: "100GBASE-LR4 or 25GBASE-LR"},
    **{0x04: "100GBASE-ER4 or 25GBASE-ER", 0x08: "100G ACC", 0x0B: "100GBASE-CR4 or 25GBASE-CR CA-L"},
    **{0x0C: "25GBASE-CR CA-S", 0x0D: "25GBASE-CR CA-N", 0x16: "10GBASE-T", 0x1C: "10GBASE-T short reach"},
}
_REACHES = ((14, 1000, "SMF"), (15, 100, "SMF"), (16, 10, "OM2"), (17, 10, "OM1"), (19, 10, "OM3"))
_QUANTITIES = ("temperature", "voltage", "bias", "tx", "rx")
_NM = range(600, 1701)
_MOST_FACTOR = 1e6


@dataclass(frozen=True)
class _Scale:
    """Physical values of raw ones, with the module's own calibration if that is external."""

    temperature: Callable[[int], float]
    voltage: Callable[[int], float]
    bias: Callable[[int], float]
    tx: Callable[[int], float]
    rx: Callable[[int], float]


def decode_sfp(data: bytes) -> OpticalModule:
    """The module by A0h, and by A2h after its 256 bytes if the dump has it. ValueError for a shorter dump, and for
    another type of module."""
    if len(data) < IDENTITY_BYTES:
        raise ValueError(f"it has {len(data)} bytes, the identity of an SFP takes {IDENTITY_BYTES}")
    if data[0] not in (0x02, 0x03, 0x0B):
        raise ValueError(f"its first byte is {data[0]:#04x}; an SFP says 0x03")
    a2 = data[A2_AT:]
    remarks = _checks(data)
    has_diagnostics = bool(data[92] & 0x40)
    diagnostics = None
    if has_diagnostics and len(a2) >= DIAGNOSTICS_BYTES:
        external = bool(data[92] & 0x10)
        diagnostics = _diagnostics(a2, external)
        if external and _rx_polynomial(a2) is None:
            remarks.append("its calibration of RX power is not a number; raw values are shown")
        if sum(a2[:95]) & 0xFF != a2[95]:
            remarks.append(f"checksum of its diagnostics is {a2[95]:#04x} and ought to be {sum(a2[:95]) & 0xFF:#04x}")
    elif has_diagnostics:
        remarks.append(f"it has diagnostics, and the dump ends before them ({len(data)} bytes)")
    copper = bool(data[8] & 0x0C)
    wavelength = None if copper or data[2] in (0x21, 0x22) else u16(data, 60) or None
    if wavelength is not None and wavelength not in _NM:
        remarks.append(f"wavelength of {wavelength} nm is implausible")
    return OpticalModule(
        kind="SFP",
        connector=CONNECTORS.get(data[2], f"{data[2]:#04x}"),
        compliance=_compliance(data),
        encoding=ENCODINGS.get(data[11], f"{data[11]:#04x}"),
        rate_mbd=data[66] * 250 if data[12] == 0xFF else data[12] * 100,
        wavelength_nm=wavelength,
        reaches=_reaches(data, copper),
        vendor=words(data[20:36]),
        oui=data[37:40].hex(":"),
        part=words(data[40:56]),
        revision=words(data[56:60]),
        serial=words(data[68:84]),
        date=date_of(data[84:92]),
        diagnostics=diagnostics,
        remarks=tuple(remarks),
    )


def _checks(data: bytes) -> list[str]:
    remarks = list(wrong_checksums(data, (0, 63), (64, 95)))
    if not date_is_plausible(data[84:92]):
        remarks.append(f"date of {date_of(data[84:92]) or 'nothing'} is not in the calendar")
    return remarks


def _compliance(data: bytes) -> tuple[str, ...]:
    found = [name for at, bit, name in _COMPLIANCE if data[at] & bit]
    if data[36]:
        found.append(EXTENDED.get(data[36], f"extended {data[36]:#04x}"))
    return tuple(found)


def _reaches(data: bytes, copper: bool) -> dict[str, int]:
    reaches: dict[str, int] = {}
    for at, metres, medium in _REACHES:
        if data[at]:
            reaches[medium] = max(reaches.get(medium, 0), data[at] * metres)
    if data[18]:
        reaches["copper" if copper else "OM4"] = data[18] * (1 if copper else 10)
    return reaches


def _diagnostics(a2: bytes, external: bool) -> Diagnostics:
    scale = _external(a2) if external else _INTERNAL
    limits = {}
    for number, quantity in enumerate(_QUANTITIES):
        raw = s16 if quantity == "temperature" else u16
        convert = getattr(scale, quantity)
        limits[quantity] = Limits(*(convert(raw(a2, 8 * number + 2 * at)) for at in range(4)))
    lane = Lane(scale.bias(u16(a2, 100)), scale.tx(u16(a2, 102)), scale.rx(u16(a2, 104)))
    return Diagnostics(
        temperature_c=scale.temperature(s16(a2, 96)),
        voltage_v=scale.voltage(u16(a2, 98)),
        lanes=(lane,),
        limits=limits,
        flags=tuple(
            f"{quantity} {side} {what}"
            for at, what in ((112, "alarm"), (116, "warning"))
            for number, quantity in enumerate(_QUANTITIES)
            for bit, side in ((0, "high"), (1, "low"))
            if u16(a2, at) >> (15 - 2 * number - bit) & 1
        ),
        states=tuple(
            name
            for bit, name in ((7, "TX disabled"), (2, "TX fault"), (1, "RX loss of signal"), (0, "not ready"))
            if a2[110] >> bit & 1
        ),
    )


_INTERNAL = _Scale(
    temperature=lambda raw: raw / 256,
    voltage=lambda raw: raw / 10_000,
    bias=lambda raw: raw / 500,
    tx=lambda raw: raw / 10_000,
    rx=lambda raw: raw / 10_000,
)


def _external(a2: bytes) -> _Scale:
    """By the constants in A2h 56–91: slopes of 8.8 bits and offsets; RX power is a polynomial of the fourth degree."""

    def line(at: int) -> Callable[[int], float]:
        slope, offset = u16(a2, at) / 256, s16(a2, at + 2)
        return lambda raw: slope * raw + offset

    polynomial = _rx_polynomial(a2) or (0.0, 1.0)
    bias, tx, temperature, voltage = (line(at) for at in (76, 80, 84, 88))
    return _Scale(
        temperature=lambda raw: temperature(raw) / 256,
        voltage=lambda raw: voltage(raw) / 10_000,
        bias=lambda raw: bias(raw) / 500,
        tx=lambda raw: tx(raw) / 10_000,
        rx=lambda raw: sum(factor * raw**power for power, factor in enumerate(polynomial)) / 10_000,
    )


def _rx_polynomial(a2: bytes) -> tuple[float, ...] | None:
    """Its coefficients, the constant first; None where they are none of a calibration."""
    found = struct.unpack_from(">5f", a2, 56)[::-1]
    return found if all(abs(factor) < _MOST_FACTOR for factor in found) else None  # not so NaN
