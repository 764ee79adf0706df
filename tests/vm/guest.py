"""A guest with NICs of selected kinds, which runs one test program and reports its results.

The program's messages are lines of JSON over a virtio-serial port. A request such as `{"qmp": "set_link", "arguments":
{…}}` is passed to QEMU's monitor, whose answer is returned as a line.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.bound_child import bound_to_parent
from wirespeed.vm.initramfs import Boot
from wirespeed.vm.monitor import QemuMonitor
from wirespeed.vm.qemu import Qemu

Json = dict[str, Any]

_MEMORY_MB = 3072
_LINE_BYTES = 1 << 16
# Without KVM, on a busy host, a boot takes a minute; a guest that prints nothing for this long hangs.
SILENCE_S = 300.0
_NODES = " ".join(
    f"-object memory-backend-ram,id=node{node},size={_MEMORY_MB // 2}M -numa node,cpus={node},memdev=node{node}"
    for node in (0, 1)
)


# The guest's first process: a shell from the host's files.
_FIRST = """
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
ip link set lo up
{command}
echo "the program ended with code $?"
echo o >/proc/sysrq-trigger
sleep 60
"""


READY = "intel_iommu=on hugepages=500"
"""Kernel parameters of a guest that is a tester."""


class GuestFailed(Exception):
    """The guest ended or printed nothing for too long; contains the end of its console."""


@dataclass(frozen=True)
class Nic:
    """One NIC: of QEMU's kind (`e1000e`), with the MAC address by which the program knows it, on a link shared by all
    NICs with the same number.
    """

    kind: str
    mac: str
    wire: int

    @property
    def ident(self) -> str:
        return f"nic{self.mac.replace(':', '')[-4:]}"


def device_of(kind: str) -> str:
    """QEMU's name of a NIC of the kind."""
    return "virtio-net-pci" if kind == "virtio" else kind


class Guest:
    """Runs from entry to exit of the `with` statement."""

    def __init__(
        self,
        qemu: Qemu,
        boot: Boot,
        nics: Sequence[Nic],
        program: Sequence[str],
        log: Path,
        kernel: str = READY,
        wire: Callable[[Nic], str] = lambda nic: f"hubport,hubid={nic.wire}",
        numa: bool = False,
    ) -> None:
        """`wire` is the QEMU network behind a NIC, without its name; by default NICs with the same number are connected
        within the guest. With `numa` each of the two CPUs is a node with half of the memory.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="wirespeed-vm-")
        folder = Path(self._folder.name)
        self._log = log
        self._qmp = _listener(folder / "qmp")
        self._talk = _listener(folder / "talk")
        self._nodes = tuple(_NODES.split()) if numa else ()
        first = folder / "first"
        first.write_text(_FIRST.format(command=shlex.join(program)))
        arguments = [*self._machine(qemu, boot, folder, first, kernel), *_wires(nics, wire)]
        with log.open("wb") as console:
            self.process = subprocess.Popen(
                arguments,
                env=qemu.environment,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                preexec_fn=bound_to_parent(os.sched_getaffinity(0), signal.SIGKILL),  # noqa: PLW1509 - one thread
            )

    def _machine(self, qemu: Qemu, boot: Boot, folder: Path, program: Path, kernel: str) -> list[str]:
        # As in published tests: an IOMMU, and each NIC behind a port of its own.
        # On a busy host the kernel's check of its timer would fail.
        command = f"console=ttyS0 quiet panic=-1 no_timer_check {kernel} program={program}"
        words = f"""
            -machine q35,kernel-irqchip=split -smp 2 -m {_MEMORY_MB} -nodefaults -display none -no-reboot
            -serial stdio -kernel {boot.kernel} -initrd {boot.initrd}
            -device intel-iommu,intremap=on,caching-mode=on,device-iotlb=on
            -virtfs local,path=/,mount_tag=hostroot,security_model=none,readonly=on,multidevs=remap
            -chardev socket,id=talk,path={folder / "talk"} -device virtio-serial-pci
            -device virtserialport,chardev=talk,name=wirespeed
            -chardev socket,id=qmp,path={folder / "qmp"} -mon qmp,mode=control
        """
        machine = [*qemu.accelerator().words, *words.split(), *self._nodes]
        return [str(qemu.program), *qemu.data, *machine, "-append", command]

    def __enter__(self) -> Guest:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._qmp.close()
        self._talk.close()
        self._folder.cleanup()

    def messages(self) -> Iterator[Json]:
        """The program's messages, until it ends; its requests to QEMU are answered in between."""
        with self._accept(self._qmp) as monitor, self._accept(self._talk) as talk:
            qmp, self._program = QemuMonitor(monitor), talk
            for line in self._lines(talk):
                message: Json = json.loads(line)
                if "qmp" in message:
                    answer = qmp.execute(message["qmp"], message.get("arguments", {}))
                    talk.sendall(json.dumps(answer).encode() + b"\n")
                    continue
                if "end" in message:
                    return
                yield message

    def tell(self, **message: Any) -> None:
        """Send a line to the program, which waits for it."""
        self._program.sendall(json.dumps(message).encode() + b"\n")

    def _accept(self, listener: socket.socket) -> socket.socket:
        self._wait_for(listener)
        return listener.accept()[0]

    def _lines(self, talk: socket.socket) -> Iterator[bytes]:
        rest = b""
        while True:
            self._wait_for(talk)
            piece = talk.recv(_LINE_BYTES)
            if not piece:
                raise self._failure("it ended")
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines

    def _wait_for(self, handle: socket.socket) -> None:
        """The timeout restarts whenever the guest prints something: only a guest without progress is ended."""
        printed, waited_s = -1, 0.0
        while not select.select([handle], [], [], 1.0)[0]:
            if self.process.poll() is not None:
                raise self._failure(f"QEMU ended with code {self.process.returncode}")
            now = self._log.stat().st_size
            waited_s = waited_s + 1.0 if now == printed else 0.0
            printed = now
            if waited_s > SILENCE_S:
                raise self._failure(f"it said nothing for {SILENCE_S:.0f} s")

    def _failure(self, what: str) -> GuestFailed:
        tail = self._log.read_text(errors="replace")[-3000:]
        return GuestFailed(f"{what}; the end of its console:\n{tail}")


def _listener(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(1)
    return listener


def _wires(nics: Sequence[Nic], wire: Callable[[Nic], str]) -> Iterator[str]:
    for number, nic in enumerate(nics):
        iommu = ",iommu_platform=on,ats=on,disable-legacy=on" if nic.kind == "virtio" else ""
        yield from ("-netdev", f"{wire(nic)},id=wire-{nic.ident}")
        yield from ("-device", f"pcie-root-port,id=port-{nic.ident},chassis={number + 1},slot={number + 1}")
        yield from (
            "-device",
            f"{device_of(nic.kind)},id={nic.ident},netdev=wire-{nic.ident},mac={nic.mac},bus=port-{nic.ident},romfile={iommu}",
        )
