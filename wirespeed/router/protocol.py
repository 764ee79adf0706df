"""Protocol of a router's control socket: JSON objects, one per line, UTF-8, on a unix stream socket of mode 0600.

    client → router   {"command": "show runtime", "directory": "/where/relative/files/start"}
                      {"commands": ["set …", "set …"], "directory": …}
                      {"complete": "show int"}
    router → client   {"text": "…"} any number of times, then {"end": true}
                      {"words": ["interface"]}
                      {"error": "word 2, …", "exit_code": 2} in place of the end

A connection carries any number of requests, one after the other; an error ends the request, not the connection. A
line from the client has at most 65536 bytes.

A client begins at once. To one that says nothing for a fifth of a second the router speaks telnet, as VPP's `vppctl`
expects (`wirespeed.router.telnet`): bytes up to the first `{` are of that, and a client that was slow skips them.

Commands are run in their order, each answered as if it stood alone, up to the first error: none behind it is run. Nor
is any that has not begun when the client closes its end.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from wirespeed.errors import EnvironmentFault

MAX_REQUEST_BYTES = 65_536


def encode(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """One answer of the router; bytes before it are for VPP's client. ValueError for an invalid answer."""
    answer: dict[str, Any] = json.loads(line[max(line.find(b"{"), 0) :])
    return answer


def default_api_socket(control_socket: Path) -> Path:
    """Beside the control socket: router.sock has api.sock, other.sock has other-api.sock."""
    return _beside(control_socket, "api")


def default_stats_socket(control_socket: Path) -> Path:
    """The same as stats.sock and other-stats.sock."""
    return _beside(control_socket, "stats")


def _beside(control_socket: Path, name: str) -> Path:
    own = "" if control_socket.name == "router.sock" else f"{control_socket.stem}-"
    return control_socket.with_name(f"{own}{name}.sock")


def default_socket() -> Path:
    """Default path of the control socket: below /run for root, otherwise in the user's runtime directory."""
    if os.geteuid() == 0:
        return Path("/run/wirespeed/router.sock")
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if not runtime:
        raise EnvironmentFault("XDG_RUNTIME_DIR is not set, so the socket has no default path: give --socket")
    return Path(runtime) / "wirespeed" / "router.sock"
