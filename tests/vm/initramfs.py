"""What a guest boots: an uncompressed kernel, and an initramfs that mounts the host's root as its own.

The host's `/` comes over 9p, read-only, with a tmpfs over it, so that the guest runs the programs of this checkout.
"""

from __future__ import annotations

import lzma
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

# Drivers of NICs are left out: nobody holds these when they are bound to vfio-pci.
_MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_console", "vfio_pci", "vfio_iommu_type1")
# Offsets of the x86 boot protocol: sectors of the setup code, place and length of the payload.
_SETUP_SECTORS, _PAYLOAD = 0x1F1, 0x248

_INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mkdir -p /proc /lower /tmpfs /root
$b mount -t proc proc /proc
for module in @MODULES@; do $b insmod /modules/$module || echo "no module $module"; done
$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose hostroot /lower || echo "no root"
$b mount -t tmpfs -o size=1g tmpfs /tmpfs
$b mkdir /tmpfs/upper /tmpfs/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/tmpfs/upper,workdir=/tmpfs/work overlay /root
for place in proc sys dev run; do $b mkdir -p /root/$place; done
$b mount -t proc proc /root/proc
$b mount -t sysfs sysfs /root/sys
$b mount -t devtmpfs devtmpfs /root/dev
$b mount -t tmpfs tmpfs /root/run
$b mkdir -p /root/dev/shm /root/dev/hugepages
$b mount -t tmpfs tmpfs /root/dev/shm
$b mount -t hugetlbfs hugetlbfs /root/dev/hugepages
set -- $($b cat /proc/cmdline)
for word; do case $word in program=*) program=${word#program=} ;; esac; done
exec $b switch_root /root /bin/sh "$program"
"""


class Boot:
    """The files that QEMU boots from, made in `folder` out of an unpacked kernel package."""

    def __init__(self, folder: Path, kernel: Path) -> None:
        modules = next((kernel / "lib/modules").iterdir())
        self.kernel = folder / "vmlinux"
        self.initrd = folder / "initrd"
        if not self.kernel.exists():
            self.kernel.write_bytes(_uncompressed((kernel / f"boot/vmlinuz-{modules.name}").read_bytes()))
        self.initrd.write_bytes(b"".join(_initrd(modules, kernel / "bin/busybox")))


def _uncompressed(image: bytes) -> bytes:
    """The kernel's ELF file, which QEMU starts by PVH: unpacking it is the longest part of a boot without KVM."""
    place, length = struct.unpack_from("<II", image, _PAYLOAD)
    start = ((image[_SETUP_SECTORS] or 4) + 1) * 512 + place
    return lzma.LZMADecompressor().decompress(image[start : start + length])


def depends_on(module: bytes) -> list[str]:
    """What the `depends=` of a module's .modinfo names."""
    at = module.find(b"\0depends=")
    names = module[at + 9 : module.index(b"\0", at + 1)].decode() if at >= 0 else ""
    return [name.replace("-", "_") for name in names.split(",") if name]


def load_order(modules: Path, wanted: tuple[str, ...]) -> list[Path]:
    """The files of the modules that `wanted` need, those needed before those that need them."""
    paths = {path.stem.replace("-", "_"): path for path in (modules / "kernel").rglob("*.ko")}
    order: list[Path] = []

    def add(name: str) -> None:
        path = paths.get(name)  # None: built in
        if path is None or path in order:
            return
        for needed in depends_on(path.read_bytes()):
            add(needed)
        order.append(path)

    for name in wanted:
        add(name)
    return order


def _initrd(modules: Path, busybox: Path) -> Iterator[bytes]:
    files = load_order(modules, _MODULES)
    init = _INIT.replace("@MODULES@", " ".join(path.name for path in files))
    for folder in ("bin", "modules", "dev"):
        yield _entry(folder, stat.S_IFDIR | 0o755, b"")
    yield _entry("dev/console", stat.S_IFCHR | 0o600, b"", device=(5, 1))
    yield _entry("bin/busybox", stat.S_IFREG | 0o755, busybox.read_bytes())
    yield _entry("init", stat.S_IFREG | 0o755, init.encode())
    for path in files:
        yield _entry(f"modules/{path.name}", stat.S_IFREG | 0o644, path.read_bytes())
    yield _entry("TRAILER!!!", 0, b"")


def _entry(name: str, mode: int, data: bytes, device: tuple[int, int] = (0, 0)) -> bytes:
    """One file of a cpio archive of the kind "newc": a header of hexadecimal numbers, name and data, each padded."""
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)
