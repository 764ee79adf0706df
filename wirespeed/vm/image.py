"""A user's disk image: its existence and its format."""

from __future__ import annotations

from pathlib import Path

from wirespeed.errors import FileFault
from wirespeed.files import open_regular

# The first bytes of what QEMU reads; another file is raw, sector by sector.
_MAGIC = {b"QFI\xfb": "qcow2", b"KDMV": "vmdk", b"vhdxfile": "vhdx", b"conectix": "vpc", b"\x7f\x10\xda\xbe": "vdi"}
_COMPRESSED = {
    b"\x1f\x8b": "gzip -d",
    b"\xfd7zXZ": "xz -d",
    b"BZh": "bzip2 -d",
    b"\x28\xb5\x2f\xfd": "zstd -d",
    b"PK\x03\x04": "unzip",
}
_SECTOR = 512


def image_format(path: Path) -> str:
    """QEMU's name for the format of a disk image. FileFault for what cannot be booted from as it is."""
    with open_regular(path, "disk image") as file:
        first = file.read(8)
        # VirtualBox's stands behind a line of text.
        file.seek(64)
        at_64 = file.read(4)
        size = path.stat().st_size
    for magic, tool in _COMPRESSED.items():
        if first.startswith(magic):
            raise FileFault(f"disk image {path} is compressed: decompress it with {tool}")
    for magic, name in _MAGIC.items():
        if (at_64 if name == "vdi" else first).startswith(magic):
            return name
    if size < _SECTOR:
        raise FileFault(f"disk image {path} has {size} bytes, less than a sector")
    return "raw"
