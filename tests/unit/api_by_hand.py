"""A client of VPP's API, written from the description of its framing, without wirespeed's table or vpp_papi."""

from __future__ import annotations

import socket
import struct
from pathlib import Path

PATIENCE_S = 60.0


class ByHand:
    """`numbers` are the router's numbers of its messages, by name and CRC."""

    def __init__(self, path: Path, name: bytes = b"by hand") -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(str(path))
        self.numbers: dict[str, int] = {}
        self.send_raw(struct.pack(">HI64s", 15, 0xABCD, name))
        reply = self.receive()
        number, self.index, context, response, _, count = struct.unpack_from(">HIIiIH", reply)
        assert (number, context, response) == (16, 0xABCD, 0)
        for at in range(20, 20 + count * 66, 66):
            index, text = struct.unpack_from(">H64s", reply, at)
            self.numbers[text.rstrip(b"\0").decode()] = index
        assert at + 66 == len(reply)

    def __enter__(self) -> ByHand:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send_raw(self, message: bytes) -> None:
        self.socket.sendall(struct.pack(">QII", 0, len(message), 0) + message)

    def send(self, name: str, body: bytes = b"", context: int = 1) -> None:
        self.send_raw(struct.pack(">HII", self.numbers[name], self.index, context) + body)

    def receive(self) -> bytes:
        _, length, _ = struct.unpack(">QII", self._exactly(16))
        return self._exactly(length)

    def ask(self, name: str, body: bytes = b"", context: int = 1) -> tuple[int, bytes]:
        """The number of the reply, and its bytes after the context."""
        self.send(name, body, context)
        reply = self.receive()
        number, came = struct.unpack_from(">HI", reply)
        assert came == context
        return number, reply[6:]

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data
