"""A hand-made statistics segment in VPP's layout."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from struct import pack

from wirespeed.statseg.layout import Type

BASE = 0x7F00_0000_0000
HEADER_BYTES = 64
Content = int | tuple[int, int] | Sequence[str | None] | Sequence[Sequence[int]] | Sequence[Sequence[tuple[int, int]]]
Row = tuple[str, Type, Content]


class Segment:
    """`at[name]` is where the entry of that name begins."""

    def __init__(self, rows: Iterable[Row], *, epoch: int = 2, in_progress: int = 0, version: int = 2) -> None:
        self._body = bytearray(HEADER_BYTES)
        rows = list(rows)
        values = [self._value(kind, content) for _, kind, content in rows]
        entries = b"".join(
            pack("<I4x", kind) + value + name.encode().ljust(128, b"\0")
            for (name, kind, _), value in zip(rows, values, strict=True)
        )
        directory = self._vector(len(rows), entries)
        self.at = {name: directory - BASE + 144 * index for index, (name, *_) in enumerate(rows)}
        self._body[:40] = pack("<5Q", version, BASE, epoch, in_progress, directory)

    def __bytes__(self) -> bytes:
        return bytes(self._body)

    def _vector(self, count: int, content: bytes) -> int:
        self._body += pack("<II", count, 0)
        address = BASE + len(self._body)
        self._body += content.ljust(-(-len(content) // 8) * 8, b"\0")
        return address

    def _value(self, kind: Type, content: Content) -> bytes:
        if isinstance(content, int):
            return pack("<Q", content)
        if kind is Type.SYMLINK:
            entry, index = content
            return pack("<II", entry, index)
        if kind is Type.NAMES:
            pointers = [0 if name is None else self._text(str(name)) for name in content]
        else:
            pointers = [self._row(row) for row in content]  # type: ignore[arg-type]
        return pack("<Q", self._vector(len(pointers), pack(f"<{len(pointers)}Q", *pointers)))

    def _text(self, name: str) -> int:
        return self._vector(len(name) + 1, name.encode() + b"\0")

    def _row(self, row: Sequence[int] | Sequence[tuple[int, int]]) -> int:
        words = [word for value in row for word in (value if isinstance(value, tuple) else (value,))]
        return self._vector(len(row), pack(f"<{len(words)}Q", *words))


def alive(pid: int | None = None, updated_s: float | None = None) -> list[Row]:
    """Entries of a wirespeed router about itself."""
    updated_ns = int((time.time() if updated_s is None else updated_s) * 1e9)
    return [
        ("/sys/pid", Type.GAUGE, os.getpid() if pid is None else pid),
        ("/sys/updated-ns", Type.GAUGE, updated_ns),
        ("/sys/started-ns", Type.GAUGE, 17),
        ("/sys/tsc-hz", Type.GAUGE, 10**9),
    ]


def put(path: Path, segment: Segment) -> None:
    """Replace the file by a new one, as a router does."""
    (path.parent / "new").write_bytes(bytes(segment))
    (path.parent / "new").replace(path)
