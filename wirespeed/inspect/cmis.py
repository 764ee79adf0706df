"""Modules by CMIS 5 (QSFP-DD, OSFP and others of 2 to 16 lanes): the lower page and page 00h, and page 01h's lengths.

Powers and currents of lanes are in page 11h, which a linear dump does not reach: they are not read.
"""

from __future__ import annotations

from wirespeed.inspect.module import Diagnostics, Module, date_is_plausible, date_of, s16, u16, words
from wirespeed.inspect.sff8472 import CONNECTORS

IDENTITY_BYTES = 256
_PAGE_01_AT, _LENGTHS_END = 256, 268
KINDS = {0x18: "QSFP-DD", 0x19: "OSFP", 0x1B: "DSFP", 0x1E: "QSFP CMIS", 0x1F: "SFP-DD CMIS", 0x20: "SFP+ CMIS"}
_MEDIA = {1: "multi-mode fibre", 2: "single-mode fibre", 3: "passive copper", 4: "active cable", 5: "BASE-T"}
_CABLES = (3, 4)
_LENGTHS = ((5, 2, "OM5"), (6, 2, "OM4"), (7, 2, "OM3"), (8, 1, "OM2"))
"""Bytes of page 01h, their unit in metres, the fibre."""


def decode_cmis(data: bytes) -> Module:
    """The module by a linear dump: lower page, 00h and where it is there 01h. ValueError for less than the first two
    and for another kind of module."""
    if len(data) < IDENTITY_BYTES:
        raise ValueError(f"it has {len(data)} bytes, the identity of a CMIS module takes {IDENTITY_BYTES}")
    if data[0] not in KINDS:
        raise ValueError(f"its first byte is {data[0]:#04x}; a CMIS module says 0x18, 0x19, 0x1b, 0x1e, 0x1f or 0x20")
    media = data[85]
    page_01 = data[_PAGE_01_AT:_LENGTHS_END] if media not in _CABLES and not data[2] & 0x80 else b""
    has_lengths = len(page_01) == _LENGTHS_END - _PAGE_01_AT
    return Module(
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
        diagnostics=None if media == 3 else Diagnostics(s16(data, 14) / 256, u16(data, 16) / 10_000, (), {}),
        remarks=tuple(_checks(data)),
    )


def _checks(data: bytes) -> list[str]:
    remarks = []
    total = sum(data[128:222]) & 0xFF
    if total != data[222]:
        remarks.append(f"checksum of its identity is {data[222]:#04x} and ought to be {total:#04x}")
    if words(data[182:190]) and not date_is_plausible(data[182:190]):
        remarks.append(f"date of {date_of(data[182:190])} is none of a calendar")
    return remarks


def _reaches(page_01: bytes) -> dict[str, int]:
    single_mode = round((page_01[4] & 0x3F) * (100, 1000, 10_000, 0)[page_01[4] >> 6])
    found = {"SMF": single_mode} | {fibre: page_01[at] * unit for at, unit, fibre in _LENGTHS}
    return {fibre: metres for fibre, metres in found.items() if metres}


def _cable(length: int) -> dict[str, int]:
    """Metres of a cable, at least 1."""
    metres = round((length & 0x3F) * (0.1, 1, 10, 100)[length >> 6])
    return {"cable": max(1, metres)} if length else {}
