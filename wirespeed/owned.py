"""Things that a process makes outside itself and removes at its end, so that others can tell if it was killed.

Names contain the maker's PID and start time, and the maker holds a lock (flock), which the kernel releases however the
process ends. A thing is ownerless if nobody has locked it and its maker is gone. The lock works across PID namespaces,
in which numbers differ; the number covers the time between making and locking."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_OWNER = re.compile(r"(\d+)-(\d+)")


def owner(pid: int | None = None) -> str:
    """`PID-START` of a process, else of this one; START is in the kernel's ticks since boot. OSError without one, or
    when it has ended and only waits for its parent to ask."""
    number = os.getpid() if pid is None else pid
    stat = (_PROC / str(number) / "stat").read_text(errors="replace")
    state, *rest = stat.rpartition(")")[2].split()  # from field 3 on; the name before it may hold anything
    if state in "ZX":
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    return f"{number}-{rest[18]}"


def is_running(pid: int) -> bool:
    """True if there is a process with that number, whichever it is."""
    try:
        owner(pid)
    except OSError:
        return False
    return True


def is_gone(name: str) -> bool:
    """True if the process that `owner` names has ended, even if its number is used again. False for another text."""
    match = _OWNER.fullmatch(name)
    if match is None:
        return False
    try:
        return owner(int(match[1])) != name
    except OSError:
        return True


def lock(path: Path) -> int:
    """Lock what this process has made; the descriptor holds the lock until it is closed. OSError when it cannot."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def is_ownerless(path: Path, name: str) -> bool:
    """True if `path`, made by the process of that name, is left over and may be removed."""
    try:
        if not is_gone(name) or path.lstat().st_uid != os.geteuid():
            return False
        os.close(lock(path))
    except OSError:
        return False
    return True


class OwnedDirectory:
    """A directory of this process in `parent`, called `wirespeed-KIND-PID-START-…`; those of its kind that ended
    processes have left there go first."""

    def __init__(self, kind: str, parent: Path) -> None:
        prefix = f"wirespeed-{kind}-"
        sweep_directories(prefix, parent)
        self.path = Path(tempfile.mkdtemp(prefix=f"{prefix}{owner()}-", dir=parent))
        self._lock = lock(self.path)

    def remove(self) -> None:
        """With all that is in it. Harmless when it is gone."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()

    def release(self) -> None:
        """Hold it no longer, since it is gone or about to be."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def sweep_directories(prefix: str, parent: Path) -> None:
    """Remove the ownerless directories of `parent` that are called so; what cannot be removed stays."""
    with suppress(OSError):
        for path in parent.glob(f"{prefix}*"):
            made_by, _, _ = path.name.removeprefix(prefix).rpartition("-")
            if path.is_dir() and not path.is_symlink() and is_ownerless(path, made_by):
                shutil.rmtree(path, ignore_errors=True)
