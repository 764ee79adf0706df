"""QEMU's machine protocol (QMP): one command at a time; events are passed over."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from wirespeed.errors import ConnectionFault

_ANSWER_S = 30.0


class QemuMonitor:
    """On a connection to QEMU's `-qmp` socket; ConnectionFault once QEMU is gone."""

    def __init__(self, connection: socket.socket) -> None:
        self._file = connection.makefile("rwb")
        self._line()
        self.execute("qmp_capabilities", {})

    def execute(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer as it comes, with `return` or `error` in it."""
        try:
            self._file.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
            self._file.flush()
            while True:
                answer: dict[str, Any] = json.loads(self._line())
                if "return" in answer or "error" in answer:
                    return answer
        except OSError as error:
            raise ConnectionFault(f"QEMU does not answer {command}: {error}") from None

    def _line(self) -> bytes:
        line = self._file.readline()
        if not line:
            raise ConnectionFault("QEMU has ended")
        return line


def execute_at(path: Path, command: str, **arguments: Any) -> dict[str, Any]:
    """One command by the socket at `path`."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_ANSWER_S)
        try:
            connection.connect(str(path))
        except OSError as error:
            raise ConnectionFault(f"QEMU's monitor {path} does not answer: {error.strerror}") from None
        return QemuMonitor(connection).execute(command, arguments)
