"""Profile files through T-Rex's own client, and streams of both clients in a comparable form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from trex_library import need_trex_library

ORACLE = Path(__file__).with_name("trex_oracle.py")

Case = tuple[str, dict[str, str], int, int]
"""Path, tunables, port and direction."""


def by_trex(cases: dict[str, Case]) -> dict[str, Any]:
    """Streams of each case, or the text of T-Rex's error."""
    need_trex_library()
    command = [sys.executable, "-W", "ignore", str(ORACLE)]
    request = json.dumps(list(cases.values()))
    done = subprocess.run(command, input=request, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(cases, json.loads(done.stdout), strict=True))


def canonical(streams: Any) -> Any:
    """Flow variables are numbered in the order of their definition, since their names do not matter."""
    assert isinstance(streams, list), streams
    for each in streams:
        stream = each["stream"]
        stream.pop("name", None)
        stream.pop("next", None)
        steps = stream["vm"]["instructions"]
        names = {
            step["name"]: str(at) for at, step in enumerate(steps) if "name" in step and "write" not in step["type"]
        }
        for step in steps:
            for key in ("name", "next_var"):
                if step.get(key) is not None:
                    variable, dot, part = step[key].partition(".")
                    step[key] = names.get(variable, variable) + dot + part
    return streams
