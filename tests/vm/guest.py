"""A guest with NICs of chosen kinds, which runs one program of ours and tells what it finds.

The program's messages come as lines of JSON over a virtio-serial port. One that asks for something of the machine, as
`{"qmp": "set_link", "arguments": {…}}`, is carried out by QEMU's monitor, and its answer goes back as a line.
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
# Without KVM and with others on the CPUs a boot takes a minute; without any sign of life for so long, it hangs.
SILENCE_S = 300.0
_NODES = " ".join(
    f"-object memory-backend-ram,id=node{node},size={_MEMORY_MB // 2}M -numa node,cpus={node},memdev=node{node}"
    for node in (0, 1)
)


# The guest's first process: a shell, in the host's files.
_FIRST = """
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
ip link set lo up
{command}
echo "the program ended with code $?"
echo o >/proc/sysrq-trigger
sleep 60
"""


READY = "intel_iommu=on hugepages=500"
"""Words for the kernel that make a guest a tester."""


class GuestFailed(Exception):
    """The guest ended or fell silent; holds the end of its console."""


@dataclass(frozen=True)
class Nic:
    """One NIC: of QEMU's kind (`e1000e`), by the MAC address that the program knows it by, on a wire shared with the
    NICs of the same number."""

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
        """`wire` is QEMU's network behind a NIC, without its name: those of a number are joined in the guest itself.
        With `numa` each of its two CPUs is a node, with half of the memory."""
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
        # As the articles' boxes have it: an IOMMU, and each NIC behind a port of its own.
        # A busy host gives the kernel's look at its timer too little time.
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
        """What the program says, until it ends; what it asks of the machine is answered in between."""
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
        """A line to the program, which waits for one."""
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
        """The clock starts afresh whenever the guest prints something: it is progress that counts, not time."""
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
