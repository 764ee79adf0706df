"""Location of a router's statistics segment: always in memory, on whatever file system the run directory is.

A shared mapping of a file on a disk would make a worker wait whenever the kernel writes it back. So a file that is not
on a tmpfs is a link to one in /dev/shm."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from wirespeed.errors import EnvironmentFault
from wirespeed.owned import OwnedDirectory

_SHARED_MEMORY = Path("/dev/shm")
_KIND = "stats"


def default_stats_file(control_socket: Path) -> Path:
    """Beside the control socket: router.sock has router.stats."""
    return control_socket.with_suffix(".stats")


class StatsFile:
    """Makes way for the core to create `made`; `publish` then puts it in the place of `path` in one step."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_link = not _is_in_memory(path.parent)
        self._owned = OwnedDirectory(_KIND, _SHARED_MEMORY if self._is_link else path.parent)
        self._directory = self._owned.path
        self.made = self._directory / "block"

    def __enter__(self) -> StatsFile:
        return self

    def publish(self) -> None:
        try:
            before = self._old_target()
            if self._is_link:
                self._directory.chmod(0o755)
                link = self._path.with_name(f".{self._path.name}.{os.getpid()}")
                link.symlink_to(self.made)
                link.replace(self._path)
            else:
                self.made.replace(self._path)
                self._owned.remove()
        except OSError as error:
            raise EnvironmentFault(f"statistics file {self._path} cannot be made: {error.strerror}") from None
        if before is not None:
            _remove(before)

    def __exit__(self, *error: object) -> None:
        """The file goes, unless another router has put its own there."""
        if self._is_link:
            if self._path.is_symlink() and self._path.readlink() == self.made:
                self._path.unlink()
        elif not self._directory.exists():
            self._path.unlink(missing_ok=True)
        self._owned.remove()

    def _old_target(self) -> Path | None:
        """Directory in shared memory that a killed router has left; None if there is none."""
        if not self._path.is_symlink():
            return None
        directory = self._path.readlink().parent
        return (
            directory
            if directory.parent == _SHARED_MEMORY and directory.name.startswith(f"wirespeed-{_KIND}-")
            else None
        )


def _remove(directory: Path) -> None:
    with contextlib.suppress(OSError):
        (directory / "block").unlink(missing_ok=True)
        directory.rmdir()


def _is_in_memory(directory: Path) -> bool:
    """True if the directory is on a tmpfs."""
    device = directory.stat().st_dev
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        major, _, minor = fields.split()[2].partition(":")
        if os.makedev(int(major), int(minor)) == device:
            return rest.split()[0] in ("tmpfs", "ramfs")
    return False
