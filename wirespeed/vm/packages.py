"""QEMU, a kernel and a small system for guests, out of Debian packages that are unpacked beside the system and never
installed.

QEMU 10 of bookworm-backports: the 7.2 of bookworm has no igb, loses e1000e's link interrupts under VFIO and crashes on
vhost-user with MSI-X. The kernel is the full one: the -cloud flavour has neither e1000e nor igb nor 9p.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import EnvironmentFault

SUITES = {
    "https://deb.debian.org/debian": ("bookworm", "bookworm-updates", "bookworm-backports"),
    "https://deb.debian.org/debian-security": ("bookworm-security",),
}
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_VERSION = "2"
"""Raised when what lies in a folder is made otherwise than before."""


@dataclass(frozen=True)
class Bundle:
    """Packages that are unpacked into one folder with what they depend on, but those whose names begin as `without`
    says."""

    name: str
    suite: str
    packages: tuple[str, ...]
    without: tuple[str, ...]


_WITH_KERNEL = ("initramfs-tools", "linux-base", "klibc", "libklibc", "cpio", "kmod", "linux-image-amd64_")
# Packages that configure others at installation, which is not run here.
_INSTALLERS = ("perl", "libperl", "debconf", "usrmerge", "dpkg_", "ucf", "runit", "adduser", "gcc-12", "lsb-base")
QEMU = Bundle("qemu", "bookworm-backports", ("qemu-system-x86", "libfuse3-3"), ())
KERNEL = Bundle("kernel", "bookworm", ("linux-image-amd64", "busybox-static"), _WITH_KERNEL)
SYSTEM = Bundle(
    "system",
    "bookworm",
    (
        *("base-files", "bash", "coreutils", "dash", "diffutils", "findutils", "grep", "gzip", "hostname", "libc-bin"),
        *("mawk", "mount", "procps", "sed", "tar", "util-linux", "kmod", "busybox-static"),
        *("openssh-server", "iproute2", "ethtool", "nftables", "conntrack", "iputils-ping", "tcpdump"),
    ),
    _INSTALLERS,
)


def cache_folder() -> Path:
    """Cache folder of the images and packages: about 800 MB."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "wirespeed-vm"


def fetch(folder: Path, *bundles: Bundle, say: Callable[[str], None] = lambda _: None) -> None:
    """Fill `folder` with a folder for each of `bundles`; a no-op the second time. `say` hears what takes long.

    Several processes may ask at once: one of them does it, the others wait. EnvironmentFault when Debian is out of
    reach, or this is not Debian.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        missing = [bundle for bundle in bundles if not _is_there(folder, bundle)]
        if not missing:
            return
        if shutil.which("apt-get") is None or not Path(KEYRING).exists():
            raise EnvironmentFault("guests are made of Debian packages; install apt and debian-archive-keyring")
        apt = _Apt(folder / "apt")
        say("reading Debian's lists of packages")
        apt.update()
        for bundle in missing:
            say(f"fetching {', '.join(bundle.packages[:2])} … from {bundle.suite}, into {folder / bundle.name}")
            archives = apt.download(bundle.suite, bundle.packages)
            wanted = [archive for archive in archives if not archive.name.startswith(bundle.without)]
            say(f"unpacking {len(wanted)} packages")
            _unpack(wanted, folder / bundle.name)
            _stamp(folder, bundle).write_text(_wanted(bundle))
        shutil.rmtree(folder / "apt")


def _is_there(folder: Path, bundle: Bundle) -> bool:
    stamp = _stamp(folder, bundle)
    return stamp.exists() and stamp.read_text() == _wanted(bundle)


def _stamp(folder: Path, bundle: Bundle) -> Path:
    return folder / f"{bundle.name}.stamp"


def _wanted(bundle: Bundle) -> str:
    return f"{_VERSION} {bundle.suite} {' '.join(bundle.packages)}"


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
            said = (done.stderr or done.stdout).strip().splitlines()
            raise EnvironmentFault(
                f"apt-get {arguments[0]} failed ({said[-1] if said else done.returncode}); the first time, a guest's "
                "packages come from Debian's archive: check the network"
            )


def _unpack(archives: Sequence[Path], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for archive in archives:
        subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
