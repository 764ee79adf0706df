"""Files of users: opened only where they are files, and written so that a reader sees the old one or the whole new
one, never a part, even after a power loss."""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from wirespeed.errors import FileFault

_LOOKED_AT_BYTES = 4096
_FOLDER = "is a directory; name a file in it"


def open_regular(path: Path, what: str = "file") -> BinaryIO:
    """Open a regular file for reading; FileFault names `what` and says whether it is a directory, something else that
    is not a file (a pipe, a device), absent or not readable by this user."""
    try:
        opened = open(path, "rb", opener=_opener)  # noqa: SIM115 - the caller closes it
    except IsADirectoryError:
        raise FileFault(f"{what} {path} {_FOLDER}") from None
    except PermissionError:
        raise FileFault(f"{what} {path} cannot be read: this user lacks the permission") from None
    except ValueError:  # a character that no file name can have
        raise FileFault(f"{what} {path} cannot be read: {os.strerror(errno.ENOENT)}") from None
    except OSError as error:
        raise FileFault(f"{what} {path} cannot be read: {error.strerror}") from None
    mode = os.fstat(opened.fileno()).st_mode
    if not stat.S_ISREG(mode):
        opened.close()
        fault = _FOLDER if stat.S_ISDIR(mode) else "cannot be read: it is not a regular file"
        raise FileFault(f"{what} {path} {fault}")
    return opened


def read_text_file(path: Path, what: str, most_bytes: int, hint: str = "") -> bytes:
    """The bytes of a file that holds text, looked at before it is read whole; FileFault with `hint` when its first
    bytes are none of a text, when it has more than `most_bytes`, and when it cannot be read."""
    with open_regular(path, what) as file:
        size_bytes = os.fstat(file.fileno()).st_size
        first = file.read(_LOOKED_AT_BYTES)
        if b"\0" in first:
            raise FileFault(f"{what} {path} is not text{hint and '; '}{hint}")
        if size_bytes > most_bytes:
            raise FileFault(f"{what} {path} has {size_bytes >> 20} MB; at most {most_bytes >> 20} MB are read")
        try:
            return first + file.read(most_bytes - len(first))
        except OSError as error:
            raise FileFault(f"{what} {path} cannot be read: {error.strerror}") from None


def json_of(content: bytes | str, path: Path, what: str = "") -> Any:
    """The JSON document that a file with this content holds; FileFault names `path`, after `what` it is, and the
    fault. Documents that are nested too deeply for the reader are refused as well."""
    if not content.strip():
        raise FileFault(f"{what}{what and ' '}{path} is empty")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileFault(f"{what}{what and ' '}{path} is not valid JSON (truncated?): {error}") from None


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # else a pipe would wait for its writer


def write_atomically(path: Path, content: str | bytes, what: str = "file") -> None:
    """Write `content` to `path` by a temporary file in the same folder; FileFault, which names `what`, if that fails.

    A symbolic link is followed. A path that is not a regular file (a device, a pipe) is written to directly.
    """
    target, data = path.resolve(), content.encode() if isinstance(content, str) else content
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise FileFault(f"{what} {path} cannot be written: {error.strerror or error}") from None


def _replace(target: Path, data: bytes) -> None:
    # The rename would only fail at the end of the work, and its error names no cause a user recognises.
    if target.is_dir():
        raise IsADirectoryError(None, "it is a directory; name a file in it")
    handle = tempfile.NamedTemporaryFile(  # noqa: SIM115 - renamed into place below
        "wb", dir=target.parent, prefix=".wirespeed-", suffix=".part", delete=False
    )
    try:
        with handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(handle.name).chmod(mode)
        Path(handle.name).replace(target)
        sync_directory(target.parent)
    except BaseException:
        Path(handle.name).unlink(missing_ok=True)
        raise


def sync_directory(directory: Path) -> None:
    """Have the names in `directory` survive a power loss; where it cannot be done they may not."""
    try:
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass  # some network file systems have no such thing
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
