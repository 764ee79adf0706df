"""Modules by CMIS 5 (QSFP-DD, OSFP and others): the lower page and page 00h; lengths and measured values of page 01h,
limits of page 02h, and lanes of page 11h (bank 0), if the dump has them. A page of zeros counts as missing.
"""

from __future__ import annotations

from collections.abc import Iterator

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
)
from wirespeed.inspect.sff8472 import CONNECTORS

IDENTITY_BYTES = 256
_PAGE = 128
_LANES = {0x18: 8, 0x19: 8, 0x1B: 2, 0x1E: 4, 0x1F: 2, 0x20: 1}
KINDS = {0x18: "QSFP-DD", 0x19: "OSFP", 0x1B: "DSFP", 0x1E: "QSFP CMIS", 0x1F: "SFP-DD CMIS", 0x20: "SFP+ CMIS"}
_MEDIA = {1: "multi-mode fibre", 2: "single-mode fibre", 3: "passive copper", 4: "active cable", 5: "BASE-T"}
_CABLES = (3, 4)
_LENGTHS = ((5, 2, "OM5"), (6, 2, "OM4"), (7, 2, "OM3"), (8, 1, "OM2"))
"""Bytes of page 01h from its 80h on, their unit in metres, the fibre."""
_LIMITS = (
    ("temperature", 128, 256),
    ("voltage", 136, 10_000),
    ("tx", 176, 10_000),
    ("bias", 184, 500),
    ("rx", 192, 10_000),
)
"""Bytes of page 02h, and what one unit is divided by: high alarm, low alarm, high warning, low warning."""
_LANE_STATES = ((135, "TX fault"), (136, "TX loss of signal"), (147, "RX loss of signal"))
_LANE_FLAGS = (("tx", 139), ("bias", 143), ("rx", 149))
"""Bytes of page 11h with a bit for each lane; of flags four, for high and low alarm, high and low warning."""


def decode_cmis(data: bytes) -> OpticalModule:
    """The module by a linear dump: lower page, 00h and optionally 01h. ValueError for a shorter dump or another type of
    module."""
    if len(data) < IDENTITY_BYTES:
        raise ValueError(f"it has {len(data)} bytes, the identity of a CMIS module takes {IDENTITY_BYTES}")
    if data[0] not in KINDS:
        raise ValueError(f"its first byte is {data[0]:#04x}; a CMIS module says 0x18, 0x19, 0x1b, 0x1e, 0x1f or 0x20")
    media = data[85]
    page_01 = _page(data, 0x01)[_PAGE:] if media not in _CABLES else b""
    has_lengths = bool(page_01)
    return OpticalModule(
        kind=KINDS[data[0]],
        connector=CONNECTORS.get(data[203], f"{data[203]:#04x}"),
        compliance=(f"CMIS {data[1] >> 4}.{data[1] & 15}", _MEDIA.get(media, f"medium {media:#04x}")),
        encoding="",
        rate_mbd=0,
        wavelength_nm=(u16(page_01, 10) * 0.05 or None) if has_lengths else None,
        reaches=_reaches(page_01) if has_lengths else _cable(data[202]),
        vendor=words(data[129:145]),
        oui=data[145:148].hex(":"),
        part=words(data[148:164]),
        revision=words(data[164:166]),
        serial=words(data[166:182]),
        date=date_of(data[182:190]),
        # A copper cable has nothing to measure with.
        diagnostics=None if media == 3 else _diagnostics(data),
        remarks=tuple(_checks(data)),
    )


def _page(data: bytes, number: int) -> bytes:
    """The upper page by its own addresses, which begin at 80h. Empty where the dump or the module has none."""
    page = data[_PAGE * (number + 1) : _PAGE * (number + 2)]
    is_flat = bool(data[2] & 0x80)
    return bytes(_PAGE) + page if len(page) == _PAGE and any(page) and not is_flat else b""


def _diagnostics(data: bytes) -> Diagnostics:
    lanes, lane_count = _page(data, 0x11), _LANES[data[0]]
    bits = [(at, f"{name} of lane {lane + 1}", lane) for at, name in _LANE_STATES for lane in range(lane_count)]
    names = ("high alarm", "low alarm", "high warning", "low warning")
    flags = [
        f"{quantity} {name} of lane {lane + 1}"
        for quantity, first in _LANE_FLAGS
        for at, name in enumerate(names, first)
        for lane in range(lane_count)
        if lanes and lanes[at] >> lane & 1
    ]
    return Diagnostics(
        s16(data, 14) / 256,
        u16(data, 16) / 10_000,
        tuple(_lanes(lanes, _page(data, 0x01), lane_count)) if lanes else (),
        _limits(_page(data, 0x02), _bias_scale(_page(data, 0x01))),
        tuple(flags),
        tuple(text for at, text, lane in bits if lanes and lanes[at] >> lane & 1),
    )


def _bias_scale(page_01: bytes) -> int:
    """Currents are in units of 2 µA times this."""
    return (1, 2, 4, 1)[page_01[160] >> 3 & 3] if page_01 else 1


def _lanes(page: bytes, page_01: bytes, count: int) -> Iterator[Lane]:
    """Quantities that the module says that it does not measure are None; without page 01h all are taken as measured."""
    measured = page_01[160] if page_01 else 0b111
    scale = _bias_scale(page_01)
    for at in range(0, 2 * count, 2):
        yield Lane(
            u16(page, 170 + at) * scale / 500 if measured & 1 else None,
            u16(page, 154 + at) / 10_000 if measured & 2 else None,
            u16(page, 186 + at) / 10_000 if measured & 4 else None,
        )


def _limits(page: bytes, bias_scale: int) -> dict[str, Limits]:
    limits = {}
    for quantity, at, divisor in _LIMITS if page else ():
        read = s16 if quantity == "temperature" else u16
        scale = bias_scale if quantity == "bias" else 1
        values = [read(page, at + 2 * number) * scale / divisor for number in range(4)]
        if any(values):
            limits[quantity] = Limits(*values)
    return limits


def _checks(data: bytes) -> list[str]:
    remarks = []
    total = sum(data[128:222]) & 0xFF
    if total != data[222]:
        remarks.append(f"checksum of its identity is {data[222]:#04x} and ought to be {total:#04x}")
    if words(data[182:190]) and not date_is_plausible(data[182:190]):
        remarks.append(f"date of {date_of(data[182:190])} is not in the calendar")
    return remarks


def _reaches(page_01: bytes) -> dict[str, int]:
    single_mode = round((page_01[4] & 0x3F) * (100, 1000, 10_000, 0)[page_01[4] >> 6])
    found = {"SMF": single_mode} | {fibre: page_01[at] * unit for at, unit, fibre in _LENGTHS}
    return {fibre: metres for fibre, metres in found.items() if metres}


def _cable(length: int) -> dict[str, int]:
    """Metres of a cable, at least 1."""
    metres = round((length & 0x3F) * (0.1, 1, 10, 100)[length >> 6])
    return {"cable": max(1, metres)} if length else {}
