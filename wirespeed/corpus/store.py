"""The files of a corpus: each result under the SHA-256 of its bytes, so that the same one is there once.

files/ab/abcdef….json.gz   the bytes, and in gzip's header the name that the file had
damaged/                   what no longer is what its name says
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import os
import re
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

from wirespeed.errors import FileFault

_DIGEST = re.compile(r"[0-9a-f]{64}")
_SUFFIX, _PART = ".json.gz", ".part"
_LEVEL = 1
"""Level of gzip: results shrink to a ninth, and higher levels gain little."""
_STALE_S = 3600.0
_NAME_FLAG = 0x08  # FNAME of RFC 1952
_FIXED_HEADER = 10


class Damaged(FileFault):
    """A file of the archive is damaged or missing."""


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Store:
    """Below `folder`, which is made when the first file comes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = folder / "files"

    def path(self, digest: str) -> Path:
        return self._files / digest[:2] / f"{digest}{_SUFFIX}"

    def put(self, content: bytes, name: str) -> str:
        """Store the bytes and return their digest; they are durable after `settle`. FileFault if the disk is full."""
        digest = digest_of(content)
        path = self.path(digest)
        if path.exists():
            return digest
        part = path.with_name(f"{digest}-{os.getpid()}-{time.monotonic_ns()}{_PART}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("xb") as file, gzip.GzipFile(name, "wb", _LEVEL, file, mtime=0) as packed:
                packed.write(content)
            part.replace(path)
        except OSError as error:
            part.unlink(missing_ok=True)
            hint = "; make room and add it again" if error.errno == errno.ENOSPC else ""
            raise FileFault(f"archive {self.folder} cannot be written: {error.strerror}{hint}") from None
        return digest

    @staticmethod
    def settle() -> None:
        """Make everything stored so far survive a power loss. Call it once for many files: for each one it would take
        longer than all else."""
        os.sync()

    def get(self, digest: str) -> tuple[bytes, str]:
        """The bytes, and the original name of the file. Damaged if it is missing or changed."""
        path = self.path(digest)
        try:
            packed = path.read_bytes()
            content = gzip.decompress(packed)
        except FileNotFoundError:
            raise Damaged(f"{path} is missing; wirespeed results verify lists all missing files") from None
        except (OSError, EOFError, zlib.error) as error:
            raise Damaged(f"{path} is damaged: {error}") from None
        if digest_of(content) != digest:
            raise Damaged(f"{path} is damaged: its SHA-256 digest is not that of its name")
        return content, _name(packed)

    def digests(self) -> Iterator[str]:
        """Digests of all stored files, whatever their content."""
        for path in sorted(self._files.glob(f"??/*{_SUFFIX}")):
            digest = path.name.removesuffix(_SUFFIX)
            if _DIGEST.fullmatch(digest) and path.parent.name == digest[:2]:
                yield digest

    def set_aside(self, digest: str) -> Path:
        """Move a damaged file out of the way, where it can be looked at; its new path."""
        target = self.folder / "damaged" / self.path(digest).name
        target.parent.mkdir(exist_ok=True)
        self.path(digest).replace(target)
        return target

    def remove(self, digest: str) -> None:
        self.path(digest).unlink(missing_ok=True)

    def sweep(self) -> int:
        """Remove what writers that were killed have left; how many files."""
        stale = [path for path in self._files.glob(f"??/*{_PART}") if time.time() - path.stat().st_mtime > _STALE_S]
        for path in stale:
            path.unlink(missing_ok=True)
        return len(stale)


def _name(packed: bytes) -> str:
    """The name in the header that Store writes, which has no other field."""
    header = io.BytesIO(packed)
    flags = header.read(_FIXED_HEADER)[3]
    if not flags & _NAME_FLAG:
        return ""
    return packed[_FIXED_HEADER : packed.index(b"\0", _FIXED_HEADER)].decode("latin-1")
