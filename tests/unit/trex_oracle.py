"""What T-Rex's own client makes of profile files: a child process, since it brings a scapy of its own.

Reads a list of [path, tunables, port, direction] as JSON from stdin, prints a list of each one's streams, or the error.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import Any

import lbr_trex_client  # noqa: F401 - makes trex importable
from trex.stl.api import STLError, STLProfile

from wirespeed.profiles.loading import number_streams


def streams(path: str, tunables: dict[str, str], port_id: int, direction: int) -> Any:
    words = [word for name, value in tunables.items() for word in (f"--{name}", value)]
    quiet = io.StringIO()
    try:
        with contextlib.redirect_stdout(quiet):
            profile = STLProfile.load_py(path, direction, port_id, tunables=words)
    except STLError as error:
        return str(error)
    return number_streams(profile.get_streams(), path)


if __name__ == "__main__":
    print(json.dumps([streams(*case) for case in json.load(sys.stdin)]))
