"""One guest: two NICs by vhost-user, one to reach it by, a disk that no run changes."""

from __future__ import annotations

import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed.bound_child import bound_to_parent
from wirespeed.errors import EnvironmentFault
from wirespeed.vm.debian import MANAGEMENT_MAC
from wirespeed.vm.initramfs import Boot
from wirespeed.vm.monitor import execute_at
from wirespeed.vm.qemu import Accelerator, Qemu

_SOCKETS_S = 60.0
_SHOWN = 5
"""Last lines of the console, where a guest did not do as it should."""

# Offloads that the other side of vhost-user would have to complete for the guest: checksums, segments.
_PLAIN = (
    "csum=off,gso=off,host_tso4=off,host_tso6=off,host_ufo=off,host_ecn=off,"
    "guest_csum=off,guest_tso4=off,guest_tso6=off,guest_ufo=off,guest_ecn=off"
)


@dataclass(frozen=True)
class VmNic:
    """A link to `socket`, where QEMU listens and a `vhost:` port of the generator connects."""

    socket: Path
    mac: str


@dataclass(frozen=True)
class VmHardware:
    """`boot` starts the kernel of our own disk; without one the firmware boots the disk. `extra` are words for QEMU."""

    disk: Path
    disk_format: str = "raw"
    boot: Boot | None = None
    memory_mb: int = 512
    cpus: int = 1
    extra: Sequence[str] = ()


class VirtualMachine:
    """Runs from `start` to `stop`, or to the end of this process, however that comes about. Its console and monitor are
    sockets in `folder`; `ssh_port` of 127.0.0.1 leads to the guest's port 22."""

    def __init__(
        self,
        qemu: Qemu,
        accelerator: Accelerator,
        hardware: VmHardware,
        nics: Sequence[VmNic],
        folder: Path,
        ssh_port: int,
        host_cpus: frozenset[int],
    ) -> None:
        self._qemu = qemu
        self._folder = folder
        self._cpus = host_cpus
        self._nics = tuple(nics)
        self._process: subprocess.Popen[bytes] | None = None
        self.ssh_port = ssh_port
        self.console = folder / "console.sock"
        self.monitor = folder / "qmp"
        self._arguments = [
            str(qemu.program),
            *qemu.data,
            *accelerator.words,
            *self._board(hardware),
            *_wires(nics),
            *hardware.extra,
        ]

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Return once the sockets of its NICs are there; QEMU itself goes on when both are connected. EnvironmentFault
        with QEMU's own words when it does not come so far."""
        with (self._folder / "qemu.log").open("wb") as log:
            self._process = subprocess.Popen(
                self._arguments,
                env=self._qemu.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,  # as in machine.child
                preexec_fn=bound_to_parent(self._cpus, signal.SIGKILL),  # noqa: PLW1509 - no other thread holds a lock that it needs
            )
        self.wait_for(self._nics[0].socket.exists, _SOCKETS_S, "no NIC of the guest came to be")

    def wait_for(self, condition: Callable[[], bool], patience_s: float, otherwise: str) -> None:
        """EnvironmentFault when it has not come about in that time, or QEMU has ended."""
        deadline = time.monotonic() + patience_s
        while not condition():
            self.check()
            if time.monotonic() > deadline:
                raise EnvironmentFault(f"{otherwise} in {patience_s:.0f} s{self.last_words()}")
            time.sleep(0.1)

    def check(self) -> None:
        """EnvironmentFault when QEMU has ended."""
        if not self.alive:
            code = self._process.returncode if self._process is not None else None
            raise EnvironmentFault(f"QEMU ended with code {code}{self.last_words()}")

    def last_words(self) -> str:
        """Output of QEMU, otherwise the end of the guest's output, for an error message."""
        complaints = [line for line in _lines(self._folder / "qemu.log") if ": info: " not in line]
        said = complaints or _lines(self._folder / "console.log")
        return f": {' | '.join(said[-_SHOWN:])}" if said else ""

    def reset(self) -> None:
        """Press the reset button: the guest boots again from its current disk."""
        execute_at(self.monitor, "system_reset")

    def stop(self) -> None:
        """Harmless when it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _board(self, hardware: VmHardware) -> list[str]:
        words = f"""
            -machine q35,memory-backend=memory
            -object memory-backend-memfd,id=memory,size={hardware.memory_mb}M,share=on
            -m {hardware.memory_mb} -smp {hardware.cpus} -nodefaults -display none
            -device virtio-rng-pci
            -chardev socket,id=console,path={self.console},server=on,wait=off,logfile={self._folder}/console.log
            -serial chardev:console
            -qmp unix:{self.monitor},server=on,wait=off
            -drive if=none,id=disk,snapshot=on,format={hardware.disk_format},file={_escaped(hardware.disk)}
            -device virtio-blk-pci,drive=disk,bootindex=1
            -netdev user,id=mgmt,hostfwd=tcp:127.0.0.1:{self.ssh_port}-:22
            -device virtio-net-pci,netdev=mgmt,mac={MANAGEMENT_MAC},romfile=
        """
        if hardware.boot is None:
            return shlex.split(words)
        # A busy host gives the kernel's look at its timer too little time.
        command = "console=ttyS0 quiet panic=-1 no_timer_check nokaslr random.trust_cpu=on"
        kernel = ["-kernel", str(hardware.boot.kernel), "-initrd", str(hardware.boot.initrd)]
        return [*shlex.split(words), *kernel, "-append", command]


def free_tcp_port() -> int:
    """A port of 127.0.0.1 without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wires(nics: Sequence[VmNic]) -> list[str]:
    words = []
    for number, nic in enumerate(nics):
        words += ["-chardev", f"socket,id=wire{number},path={nic.socket},server=on"]
        words += ["-netdev", f"vhost-user,id=net{number},chardev=wire{number}"]
        words += ["-device", f"virtio-net-pci,netdev=net{number},mac={nic.mac},mrg_rxbuf=on,romfile=,{_PLAIN}"]
    return words


def _escaped(path: Path) -> str:
    return shlex.quote(str(path.absolute()).replace(",", ",,"))


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip()]
