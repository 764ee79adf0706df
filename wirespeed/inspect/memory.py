"""The memory of a module decoded by the standard that its first byte names (SFF-8024, table 4-1).

`ethtool` does not decode it for us: version 6.1 of Debian 12 refuses `--json -m`, and dumps of i2cdump, SONiC or
FreeBSD are read where there is no ethtool.
"""

from __future__ import annotations

from wirespeed.inspect import cmis, sff8636
from wirespeed.inspect.cmis import decode_cmis
from wirespeed.inspect.module import OpticalModule
from wirespeed.inspect.sff8472 import decode_sfp
from wirespeed.inspect.sff8636 import decode_qsfp

_NOT_READ = {
    **{0x01: "GBIC", 0x05: "XENPAK", 0x06: "XFP", 0x08: "XFP-E", 0x09: "XPAK", 0x0A: "X2", 0x0E: "CXP", 0x12: "CXP2"},
    **{0x13: "CDFP", 0x16: "CDFP", 0x17: "microQSFP", 0x1A: "SFP-DD", 0x1C: "x4 MiniLink/OcuLink", 0x1D: "x8 MiniLink"},
}


def decode_module(data: bytes) -> OpticalModule:
    """An SFP, a QSFP or a CMIS module. ValueError says why it is none."""
    if not data:
        raise ValueError("it is empty")
    if data[0] in _NOT_READ:
        raise ValueError(f"its kind is {_NOT_READ[data[0]]} ({data[0]:#04x}); SFP, QSFP and CMIS modules are read")
    if data[0] in sff8636.KINDS:
        return decode_qsfp(data)
    if data[0] in cmis.KINDS:
        return decode_cmis(data)
    return decode_sfp(data)
