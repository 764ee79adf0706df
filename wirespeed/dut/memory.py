"""Memory of the process behind a Unix socket."""

from __future__ import annotations

import os
import socket
import struct
from pathlib import Path

_PEER = struct.Struct("iII")
_TIMEOUT_S = 0.5


def resident_bytes(path: Path) -> int | None:
    """Resident set, without hugepages, of the process that listens on the socket `path` (proc(5), statm). None if no
    process listens, or if the process is not visible on this machine."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(_TIMEOUT_S)
        try:
            peer.connect(str(path))
            pid, _, _ = _PEER.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
            pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return None
    return int(pages) * os.sysconf("SC_PAGESIZE")
