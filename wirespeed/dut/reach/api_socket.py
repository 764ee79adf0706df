"""The API socket of a router, here or on a DUT: `PATH` or `ssh://user@host[:port]/run/vpp/api.sock`.

Over SSH the socket is forwarded, and the DUT lists its messages: nothing has to be installed there.
Who logs in must be allowed to open the socket.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from wirespeed.dut.reach.spec import parse_reach
from wirespeed.dut.reach.ssh import SshReach
from wirespeed.errors import UsageError
from wirespeed.vpp_api.papi import VPP_DEFINITIONS, connected

_REMOTE = re.compile(r"(?P<reach>ssh://[^/\s]+)(?P<path>/\S+)")


@contextmanager
def connected_api(where: str, name: str = "wirespeed") -> Iterator[Any]:
    """A `vpp_papi.VPPApiClient` at that place, until the block ends. UsageError for an invalid place, ConnectionFault
    if it is unreachable or does not answer."""
    if not where.startswith("ssh:"):
        with connected(Path(where), name) as client:
            yield client
        return
    match = _REMOTE.fullmatch(where)
    reach = parse_reach(match["reach"]) if match else None
    if match is None or not isinstance(reach, SshReach):
        raise UsageError(f"{where} is not an API socket; give PATH or ssh://user@host[:port]/run/vpp/api.sock")
    with closing(reach), tempfile.TemporaryDirectory(prefix="wirespeed-api-") as kept:
        local = Path(kept) / "api.sock"
        reach.forward(match["path"], local)

        def fetched() -> Path:
            reach.fetch(VPP_DEFINITIONS, Path(kept) / "definitions")
            return Path(kept) / "definitions"

        with connected(local, name, shown_as=where, definitions=fetched) as client:
            yield client
