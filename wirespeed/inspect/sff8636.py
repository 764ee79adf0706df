"""QSFP modules by SFF-8636: the lower page and upper page 00h, and page 03h with its limits."""

from __future__ import annotations

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
from wirespeed.inspect.sff8472 import CONNECTORS, EXTENDED

IDENTITY_BYTES = 256
PAGE_03_AT = 0x200
_ALL_BYTES = 640
LANES = 4
KINDS = {0x0C: "QSFP", 0x0D: "QSFP+", 0x11: "QSFP28"}
ENCODINGS = {0x01: "8b/10b", 0x02: "4b/5b", 0x03: "NRZ", 0x04: "SONET scrambled", 0x05: "64b/66b", 0x06: "Manchester"}
_COMPLIANCE = (
    *((0x01, "40G AOC"), (0x02, "40GBASE-LR4"), (0x04, "40GBASE-SR4"), (0x08, "40GBASE-CR4")),
    *((0x10, "10GBASE-SR"), (0x20, "10GBASE-LR"), (0x40, "10GBASE-LRM")),
)
_REACHES = ((142, 1000, "SMF"), (143, 2, "OM3"), (144, 1, "OM2"), (145, 1, "OM1"))
_FIRST_COPPER = 0xA
_COMMON_FLAGS = ((6, 7, "temperature high"), (6, 6, "temperature low"), (7, 7, "voltage high"), (7, 6, "voltage low"))
_LIMITS_AT = {"temperature": 128, "voltage": 144, "rx": 176, "bias": 184, "tx": 192}


def decode_qsfp(data: bytes) -> OpticalModule:
    """The module by a linear dump: lower page, 00h, and with 640 bytes 01h, 02h and 03h. ValueError for a shorter dump,
    and for another type of module."""
    if len(data) < IDENTITY_BYTES:
        raise ValueError(f"it has {len(data)} bytes, the identity of a QSFP takes {IDENTITY_BYTES}")
    if data[0] not in KINDS:
        raise ValueError(f"its first byte is {data[0]:#04x}; a QSFP says 0x0c, 0x0d or 0x11")
    copper = data[147] >> 4 >= _FIRST_COPPER
    remarks = _checks(data)
    wavelength = None if copper else u16(data, 186) * 0.05 or None
    reaches = {medium: data[at] * metres for at, metres, medium in _REACHES if data[at]}
    if data[146]:
        reaches["copper" if copper else "OM4"] = data[146] * (1 if copper else 2)
    return OpticalModule(
        kind=KINDS[data[0]],
        connector=CONNECTORS.get(data[130], f"{data[130]:#04x}"),
        compliance=_compliance(data),
        encoding=ENCODINGS.get(data[139], f"{data[139]:#04x}"),
        rate_mbd=data[222] * 250 if data[140] == 0xFF else data[140] * 100,
        wavelength_nm=wavelength,
        reaches=reaches,
        vendor=words(data[148:164]),
        oui=data[165:168].hex(":"),
        part=words(data[168:184]),
        revision=words(data[184:186]),
        serial=words(data[196:212]),
        date=date_of(data[212:220]),
        # A copper cable has nothing to measure with: what stands there is not to be plotted.
        diagnostics=None if copper else _diagnostics(data),
        remarks=tuple(remarks),
    )


def _checks(data: bytes) -> list[str]:
    remarks = list(wrong_checksums(data, (128, 191), (192, 223)))
    if data[2] & 1:
        remarks.append("it says that its data are not ready")
    if words(data[212:220]) and not date_is_plausible(data[212:220]):
        remarks.append(f"date of {date_of(data[212:220])} is not in the calendar")
    return remarks


def _compliance(data: bytes) -> tuple[str, ...]:
    found = [name for bit, name in _COMPLIANCE if data[131] & bit]
    if data[131] & 0x80:
        found.append(EXTENDED.get(data[192], f"extended {data[192]:#04x}"))
    return tuple(found)


def _diagnostics(data: bytes) -> Diagnostics:
    lanes = tuple(
        Lane(u16(data, 42 + 2 * lane) / 500, u16(data, 50 + 2 * lane) / 10_000, u16(data, 34 + 2 * lane) / 10_000)
        for lane in range(LANES)
    )
    flat = bool(data[2] & 4)
    return Diagnostics(
        temperature_c=s16(data, 22) / 256,
        voltage_v=u16(data, 26) / 10_000,
        lanes=lanes,
        limits=_limits(data[PAGE_03_AT - 128 :]) if len(data) >= _ALL_BYTES and not flat else {},
        flags=tuple(_flags(data)),
        states=tuple(
            f"{name} of lane {lane + 1}"
            for at, first, name in ((3, 0, "RX loss of signal"), (3, 4, "TX loss of signal"), (4, 0, "TX fault"))
            for lane in range(LANES)
            if data[at] >> (first + lane) & 1
        ),
    )


def _flags(data: bytes) -> list[str]:
    flags = []
    for at, bit, name in _COMMON_FLAGS:
        flags += [f"{name} {what}" for shift, what in ((0, "alarm"), (2, "warning")) if data[at] >> (bit - shift) & 1]
    for at, quantity in ((9, "rx"), (11, "bias"), (13, "tx")):
        for lane in range(LANES):
            bits = data[at + lane // 2] >> (0 if lane % 2 else 4)
            names = ("low warning", "high warning", "low alarm", "high alarm")
            flags += [f"{quantity} {name} of lane {lane + 1}" for bit, name in enumerate(names) if bits >> bit & 1]
    return flags


def _limits(page: bytes) -> dict[str, Limits]:
    """By page 03h, whose own addresses begin at 128; zeros where a dump lacks it."""
    limits = {}
    for quantity, at in _LIMITS_AT.items() if any(page) else ():
        read = s16 if quantity == "temperature" else u16
        divisor = {"temperature": 256, "voltage": 10_000, "bias": 500}.get(quantity, 10_000)
        limits[quantity] = Limits(*(read(page, at + 2 * number) / divisor for number in range(4)))
    return limits
