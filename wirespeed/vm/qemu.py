"""QEMU: the program and its capabilities on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import EnvironmentFault

PROGRAM = "qemu-system-x86_64"
LEAST_VERSION = 8
"""The 7.2 of Debian 12 crashes on vhost-user NICs with MSI-X, which is what drivers of guests use."""
_TRIAL_S = 20.0


@dataclass(frozen=True)
class Qemu:
    """The QEMU of the system, or one unpacked in `folder`: its program, libraries and ROMs."""

    folder: Path | None = None

    @property
    def program(self) -> Path:
        return Path(shutil.which(PROGRAM) or PROGRAM) if self.folder is None else self.folder / "usr/bin" / PROGRAM

    @property
    def environment(self) -> dict[str, str]:
        if self.folder is None:
            return dict(os.environ)
        libraries = (self.folder / place / "x86_64-linux-gnu" for place in ("usr/lib", "lib"))
        return {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, libraries))}

    @property
    def data(self) -> list[str]:
        if self.folder is None:
            return []
        return [word for place in ("qemu", "seabios") for word in ("-L", str(self.folder / "usr/share" / place))]

    def version(self) -> int | None:
        """The major version; None without such a program, or if it does not start."""
        try:
            said = self._run("--version").stdout
        except OSError:
            return None
        found = re.search(r"version (\d+)\.", said)
        return int(found[1]) if found else None

    def has(self, device: str) -> bool:
        """True if it supports the device; the 7.2 of Debian 12 has no igb."""
        return not self._run(*self.data, "-device", f"{device},help").returncode

    def accelerator(self) -> Accelerator:
        """KVM where it works for a guest, else translation."""
        if not os.access("/dev/kvm", os.R_OK | os.W_OK):
            why = "may not be opened by this user" if Path("/dev/kvm").exists() else "is not there"
            return Accelerator(_TCG, f"QEMU translates the guest's code (TCG): /dev/kvm {why}")
        # A software KVM (nested, without the CPU's own support) starts, and kernels die in it.
        flags = Path("/proc/cpuinfo").read_text()
        if not re.search(r"\b(vmx|svm)\b", flags):
            return Accelerator(
                _TCG, "QEMU translates the guest's code (TCG): /dev/kvm is there, but this CPU has neither vmx nor svm"
            )
        if fault := self._kvm_fault():
            return Accelerator(_TCG, f"QEMU translates the guest's code (TCG): KVM was tried, and {fault}")
        return Accelerator(_KVM, "the guest runs by KVM")

    def _kvm_fault(self) -> str | None:
        """Why a machine without a disk does not come as far as its firmware."""
        words = [*self.data, *_KVM, "-machine", "q35", "-nodefaults", "-display", "none", "-m", "64", "-S"]
        process = subprocess.Popen(
            [self.program, *words, "-monitor", "stdio"],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            _, said = process.communicate("cont\nquit\n", timeout=_TRIAL_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "it did not answer"
        return None if process.returncode == 0 else (said.strip().splitlines() or [f"code {process.returncode}"])[-1]

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.program, *words], env=self.environment, capture_output=True, text=True, check=False)


@dataclass(frozen=True)
class Accelerator:
    """QEMU's words for it, and what a user should know of it."""

    words: tuple[str, ...]
    said: str


_KVM = ("-accel", "kvm", "-cpu", "host")
_TCG = ("-accel", "tcg,thread=multi", "-cpu", "max")


def system_qemu() -> Qemu | None:
    """The installed QEMU, if it is new enough for vhost-user NICs."""
    installed = Qemu()
    version = installed.version() if shutil.which(PROGRAM) else None
    return installed if version is not None and version >= LEAST_VERSION else None


def check_architecture() -> None:
    """EnvironmentFault where guests of x86-64 cannot be."""
    if os.uname().machine != "x86_64":
        raise EnvironmentFault(f"guests are x86-64 machines, and this one is {os.uname().machine}")
