"""Boot files of a guest: an uncompressed kernel, and an initramfs of busybox that loads modules and mounts the guest's
root."""

from __future__ import annotations

import lzma
import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Offsets of the x86 boot protocol: sectors of the setup code, place and length of the payload.
_SETUP_SECTORS, _PAYLOAD = 0x1F1, 0x248


@dataclass(frozen=True)
class Way:
    """Path of a guest to its root: the modules for it, and a busybox script in which `@MODULES@` stands for their
    files, in load order."""

    name: str
    modules: tuple[str, ...]
    init: str


class Boot:
    """The files that QEMU boots from, made in `folder` out of an unpacked kernel package; several processes may make
    them at once."""

    def __init__(self, folder: Path, kernel: Path, way: Way) -> None:
        modules = modules_of(kernel)
        self.kernel = folder / f"vmlinux-{modules.name}"
        self.initrd = folder / f"initrd-{way.name}"
        if not self.kernel.exists():
            _put(self.kernel, _uncompressed((kernel / f"boot/vmlinuz-{modules.name}").read_bytes()))
        _put(self.initrd, b"".join(_initrd(modules, kernel / "bin/busybox", way)))


def modules_of(kernel: Path) -> Path:
    """The folder of the modules in an unpacked kernel package; its name is the kernel's version."""
    return next((kernel / "lib/modules").iterdir())


def _put(path: Path, content: bytes) -> None:
    """In one piece, under readers of the one before."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_bytes(content)
    new.replace(path)


def _uncompressed(image: bytes) -> bytes:
    """The kernel's ELF file, which QEMU starts by PVH: unpacking it is the longest part of a boot without KVM."""
    place, length = struct.unpack_from("<II", image, _PAYLOAD)
    start = ((image[_SETUP_SECTORS] or 4) + 1) * 512 + place
    return lzma.LZMADecompressor().decompress(image[start : start + length])


def depends_on(module: bytes) -> list[str]:
    """Names in the `depends=` of a module's .modinfo."""
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


def _initrd(modules: Path, busybox: Path, way: Way) -> Iterator[bytes]:
    files = load_order(modules, way.modules)
    init = way.init.replace("@MODULES@", " ".join(path.name for path in files))
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
