"""Source of a statistics segment: a file to map, or a socket that provides a descriptor of it."""

from __future__ import annotations

import array
import mmap
import os
import socket
import stat
from pathlib import Path

from wirespeed.errors import FileFault
from wirespeed.statseg.layout import HEADER

_PATIENCE_S = 5.0


def open_segment(path: Path) -> mmap.mmap:
    """Map what `path` is or hands out, read-only. OSError when nobody does, FileFault when it is something else."""
    mode = path.stat().st_mode
    if stat.S_ISSOCK(mode):
        descriptor = _receive(path)
    elif stat.S_ISREG(mode):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    else:
        raise FileFault(f"{path} is not a statistics segment: it is neither a regular file nor a socket")
    try:
        size = os.fstat(descriptor).st_size
        if size < HEADER.size:
            raise FileFault(f"{path} is not a statistics segment: it has {size} bytes")
        return mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
    finally:
        os.close(descriptor)


def _receive(path: Path) -> int:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.settimeout(_PATIENCE_S)
        client.connect(str(path))
        descriptors = array.array("i")
        _, messages, _, _ = client.recvmsg(0, socket.CMSG_SPACE(descriptors.itemsize))
        for level, kind, data in messages:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
    if not descriptors:
        raise FileFault(f"{path} is not a statistics socket: it sends no file descriptor")
    for spare in descriptors[1:]:
        os.close(spare)
    return descriptors[0]
