"""QEMU and a kernel for the guests, out of Debian packages that are unpacked beside the system and never installed.

QEMU 10 of bookworm-backports: the 7.2 of bookworm has no igb and loses e1000e's link interrupts under VFIO. The kernel
is the full one: the -cloud flavour has neither e1000e nor igb nor 9p.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

SUITES = {
    "https://deb.debian.org/debian": ("bookworm", "bookworm-updates", "bookworm-backports"),
    "https://deb.debian.org/debian-security": ("bookworm-security",),
}
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
QEMU_PACKAGES = ("qemu-system-x86", "libfuse3-3")
KERNEL_PACKAGES = ("linux-image-amd64", "busybox-static")
_NOT_UNPACKED = ("initramfs-tools", "linux-base", "klibc", "libklibc", "cpio", "kmod", "linux-image-amd64_")
# Raised when what lies in the folder is made otherwise than before.
_VERSION = "1"


class NoPackages(Exception):
    """What the guests are made of cannot be had; says why."""


def cache_folder() -> Path:
    """Where it all is kept between runs: about 600 MB."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "wirespeed-vm"


def is_fetched(folder: Path) -> bool:
    stamp = folder / "stamp"
    return stamp.exists() and stamp.read_text() == _VERSION


def fetch(folder: Path) -> None:
    """Fill `folder` with `qemu/` and `kernel/`; a no-op the second time. NoPackages when Debian is out of reach."""
    if is_fetched(folder):
        return
    if shutil.which("apt-get") is None or not Path(KEYRING).exists():
        raise NoPackages("the guests are made of Debian packages; this system has no apt-get with Debian's keys")
    folder.mkdir(parents=True, exist_ok=True)
    apt = _Apt(folder / "apt")
    apt.update()
    _unpack(apt.download("bookworm-backports", QEMU_PACKAGES), folder / "qemu")
    _unpack(apt.download("bookworm", KERNEL_PACKAGES), folder / "kernel")
    shutil.rmtree(folder / "apt")
    (folder / "stamp").write_text(_VERSION)


class _Apt:
    """apt-get with sources, lists and a cache of its own: the system's stay as they are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for part in ("lists/partial", "archives/partial"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        sources = folder / "sources.list"
        sources.write_text(
            "".join(
                f"deb [signed-by={KEYRING}] {url} {suite} main\n" for url, suites in SUITES.items() for suite in suites
            )
        )
        # Nothing counts as installed, so that what is downloaded is whole whatever the system has.
        (folder / "status").touch()
        settings = {
            "Dir::Etc::sourcelist": sources,
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::State::lists": folder / "lists",
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder,
            "APT::Sandbox::User": "",
            "Debug::NoLocking": "true",
        }
        self._options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]

    def update(self) -> None:
        self._run("update")

    def download(self, suite: str, packages: Sequence[str]) -> list[Path]:
        self._run("install", "--yes", "--download-only", "--no-install-recommends", "-t", suite, *packages)
        archives = list((self._folder / "archives").glob("*.deb"))
        done = self._folder / suite
        done.mkdir(exist_ok=True)
        return [archive.rename(done / archive.name) for archive in archives]

    def _run(self, *arguments: str) -> None:
        done = subprocess.run(
            ["apt-get", "-q", *self._options, *arguments], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NoPackages(f"apt-get {arguments[0]} failed: {(done.stderr or done.stdout).strip().splitlines()[-1]}")


def _unpack(archives: Sequence[Path], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for archive in archives:
        if not archive.name.startswith(_NOT_UNPACKED):
            subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
