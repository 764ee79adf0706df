"""The names that `from trex.stl.api import *` gives with T-Rex's own client, each with the module it comes from.

A child process, since that client brings a scapy of its own. Prints JSON.
"""

from __future__ import annotations

import contextlib
import io
import json
from types import ModuleType
from typing import Any

import lbr_trex_client  # noqa: F401 - makes trex importable


def origin(value: Any) -> str:
    if isinstance(value, ModuleType):
        return value.__name__
    return str(getattr(value, "__module__", None) or "")


if __name__ == "__main__":
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("from trex.stl.api import *", names)
    print(json.dumps({name: origin(value) for name, value in names.items() if not name.startswith("__")}))
