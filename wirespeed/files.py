"""Writing a file so that a reader sees the old one or the whole new one, never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from wirespeed.errors import FileFault


def write_atomically(path: Path, text: str, what: str = "file") -> None:
    """Write `text` to `path` by way of a temporary file beside it; FileFault names `what` when it cannot be done.

    A symbolic link is followed. What is no regular file (a device, a pipe) cannot be replaced and is written to.
    """
    target = path.resolve()
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_text(text, encoding="utf-8")
        else:
            _replace(target, text)
    except OSError as error:
        raise FileFault(f"{what} {path} cannot be written: {error.strerror or error}") from None


def _replace(target: Path, text: str) -> None:
    # The rename would only fail at the end of the work, and its error names no cause a user recognises.
    if target.is_dir():
        raise IsADirectoryError(None, "it is a directory; name a file in it")
    handle = tempfile.NamedTemporaryFile(  # noqa: SIM115 - renamed into place below
        "w", dir=target.parent, prefix=".wirespeed-", suffix=".part", delete=False, encoding="utf-8"
    )
    try:
        with handle:
            handle.write(text)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(handle.name).chmod(mode)
        Path(handle.name).replace(target)
    except BaseException:
        Path(handle.name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
