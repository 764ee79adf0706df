"""A folder that is replaced as a whole: the new one is made next to it, and takes its place in one step.

Each maker works in a folder of its own beside the target, `.NAME.XXXXXXXX.new`, which it creates, locks and marks. The
next maker removes such a folder only if it bears the mark, or is a site, and nobody holds its lock. Nothing else beside
the target is followed, changed or removed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cffi import FFI

from wirespeed.errors import FileFault, UsageError

_MANY = 100
_MARK = ".wirespeed-making"
"""A file in each folder that is being made."""

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of linux/fcntl.h and linux/fs.h


@dataclass(frozen=True)
class NewFolder:
    """`old` is the existing folder, or None."""

    path: Path
    old: Path | None

    def write(self, name: str, content: bytes) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # it may be one with a file of the old folder
        path.write_bytes(content)

    def move(self, name: str, to: str) -> None:
        path = self.path / to
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).replace(path)

    def keep(self, names: tuple[str, ...]) -> bool:
        """Have files of the old folder in the new one too, without copying where the file system can do that; whether
        all were there."""
        if self.old is None:
            return False
        for name in names:
            new = self.path / name
            new.parent.mkdir(parents=True, exist_ok=True)
            try:
                _link(self.old / name, new)
            except FileNotFoundError:
                return False
        return True


def _link(old: Path, new: Path) -> None:
    try:
        os.link(old, new)
    except FileExistsError:
        pass  # two results share it
    except FileNotFoundError:
        raise
    except OSError:  # a file system without links, or too many of one file
        shutil.copyfile(old, new)


@contextmanager
def replaced(target: Path, is_ours: Callable[[Path], bool]) -> Iterator[NewFolder]:
    """A new folder that takes the place of `target` at the end, and goes when something is raised.

    UsageError where something else stands there (`is_ours` says no and it is not empty) or another process makes it
    now, FileFault where it cannot be written.
    """
    target = Path(os.path.abspath(target))  # noqa: PTH100 - without `..`, and not through links
    _check(target, is_ours)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        new = _made_beside(target, ".new")
    except OSError as error:
        raise FileFault(f"site {target} cannot be written: {error.strerror}") from None
    try:
        with _locked(new):
            (new / _MARK).touch()
            _sweep(target, new, is_ours)
            yield NewFolder(new, target if target.is_dir() and is_ours(target) else None)
            (new / _MARK).unlink()
            _settle(new)
            _exchange(new, target)
    except OSError as error:
        hint = "; make room and try again" if error.errno == errno.ENOSPC else ""
        raise FileFault(f"site {target} cannot be written: {error.strerror or error}{hint}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)  # an unfinished site, or the one that was replaced


def _made_beside(target: Path, ending: str) -> Path:
    """A new, empty folder next to the target, with the permissions of this process's umask."""
    made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=ending, dir=target.parent))
    mask = os.umask(0)
    os.umask(mask)
    made.chmod(0o777 & ~mask)
    return made


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """BlockingIOError if another process holds it, OSError if it is a link or not a folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _sweep(target: Path, own: Path, is_ours: Callable[[Path], bool]) -> None:
    """Remove what killed makers left. UsageError where another maker is at work."""
    pattern = re.compile(re.escape(f".{target.name}.") + r"\w{8}\.new")
    for folder in target.parent.iterdir():
        if folder == own or not pattern.fullmatch(folder.name) or folder.is_symlink():
            continue
        if not (folder / _MARK).is_file() and not is_ours(folder):
            continue
        try:
            with _locked(folder):
                shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            raise UsageError(f"site {target} is being written by another wirespeed: wait until it ends") from None


def _check(target: Path, is_ours: Callable[[Path], bool]) -> None:
    if not target.name:
        raise UsageError(f"site {target} cannot be a folder: give the path of a new one")
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"site {target} exists and is not a folder: give another path")
    with suppress(PermissionError):
        if target.is_dir() and not is_ours(target) and any(target.iterdir()):
            raise UsageError(
                f"folder {target} exists and is not a site of wirespeed, so it is not replaced: give a new or an "
                "empty folder"
            )


def _settle(folder: Path) -> None:
    """Have the new files outlive a power loss; those of the old folder do. Many at once, as each by itself takes long;
    few by themselves, as all includes what others write."""
    new = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_nlink == 1]
    if len(new) > _MANY:
        os.sync()
        return
    for path in new:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _exchange(new: Path, target: Path) -> None:
    """Swap them in one step; where the system cannot, in two."""
    if not target.exists():
        new.rename(target)
        return
    if _swapped(new, target):
        return
    aside = _made_beside(target, ".old")
    target.rename(aside)
    new.rename(target)
    shutil.rmtree(aside, ignore_errors=True)


def _swapped(new: Path, target: Path) -> bool:
    ffi = FFI()
    ffi.cdef("int renameat2(int, const char *, int, const char *, unsigned int);")
    try:
        call = ffi.dlopen(None).renameat2
    except AttributeError:
        return False  # a C library without it
    return bool(call(_AT_FDCWD, os.fsencode(new), _AT_FDCWD, os.fsencode(target), _RENAME_EXCHANGE) == 0)
