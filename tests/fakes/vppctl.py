"""VPP's client, following its source: it waits for the query about its terminal, sends a line and a NUL byte, and asks
the router to close once a NUL byte was answered; at the end of its standard input it does so at each piece.
"""

from __future__ import annotations

import socket
from pathlib import Path

from harness.waiting import PATIENCE_S

_ASK_TERMINAL = bytes((255, 250, 24, 1, 255, 240))
_IS_SCRIPT = bytes((255, 250, 24, 0)) + b"vppctl" + bytes((255, 240))


def vppctl(place: Path | tuple[str, int], line: str) -> str:
    """The output of `vppctl -s PLACE LINE`; PLACE is a path or a TCP port; several lines are its standard input."""
    with socket.socket(socket.AF_UNIX if isinstance(place, Path) else socket.AF_INET) as router:
        router.settimeout(PATIENCE_S)
        router.connect(str(place) if isinstance(place, Path) else place)
        said = b""
        while _ASK_TERMINAL not in said:
            said += router.recv(100)
        router.sendall(_IS_SCRIPT)
        router.sendall(f"{line} \n\0".encode())
        said, is_input, has_quit = b"", "\n" in line, False
        while piece := router.recv(100):
            said += piece
            if b"\0" in said and (is_input or not has_quit):
                router.sendall(b"quit\n")
                has_quit = True
    return without_telnet(said).replace(b"\0", b"").decode()


def without_telnet(said: bytes) -> bytes:
    """The router's text without telnet commands: three bytes each, or up to IAC SE."""
    kept, at = bytearray(), 0
    while at < len(said):
        if said[at] != 255:
            kept.append(said[at])
            at += 1
        elif said[at + 1] == 250:
            at = said.index(bytes((255, 240)), at) + 2
        else:
            at += 3
    return bytes(kept)
