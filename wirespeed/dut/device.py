"""A device as a kind and a way to it: `linux:ssh://root@10.0.0.1`, `vpp:local`, `router:/run/router.sock`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wirespeed.dut.kinds.danos import DanosKind
from wirespeed.dut.kinds.freebsd import FreebsdKind
from wirespeed.dut.kinds.linux import LinuxKind
from wirespeed.dut.kinds.openbsd import OpenbsdKind
from wirespeed.dut.kinds.vpp import VppKind, api_socket
from wirespeed.dut.kinds.wirespeed import WirespeedKind
from wirespeed.dut.plan import DutKind
from wirespeed.dut.reach.api_reach import ApiReach
from wirespeed.dut.reach.reach import Reach
from wirespeed.dut.reach.spec import FORMS as WAYS
from wirespeed.dut.reach.spec import parse_reach
from wirespeed.errors import UsageError

KINDS: dict[str, Callable[[], DutKind]] = {
    "linux": LinuxKind,
    "freebsd": FreebsdKind,
    "openbsd": OpenbsdKind,
    "danos": DanosKind,
    "vpp": VppKind,
    "wirespeed": WirespeedKind,
}
WITH_SOCKET: dict[str, Callable[[str], DutKind]] = {"vpp": VppKind, "wirespeed": WirespeedKind}
FORMS = f"TYPE:ACCESS; types are {', '.join(KINDS)}, accesses {WAYS}"


@dataclass(frozen=True)
class DutDevice:
    """`name` as it was given."""

    name: str
    kind: DutKind
    reach: Reach


def parse_device(text: str) -> DutDevice:
    """The device that `text` names, not yet tried: a kind, a way, and for some the socket of their commands. UsageError
    for another."""
    name, colon, rest = text.partition(":")
    way, comma, socket = rest.partition(",socket=")
    if name == "router" and rest.startswith("/"):
        return DutDevice(text, WITH_SOCKET["wirespeed"](rest), parse_reach("local"))
    make, with_socket = KINDS.get(name), WITH_SOCKET.get(name)
    if make is None or not colon or not way or (comma and (with_socket is None or not socket)):
        raise UsageError(f"--dut {text}: there is no such device; give {FORMS}")
    reach = parse_reach(way)
    if name == "vpp":
        path = api_socket(socket)
        reach = ApiReach(reach, f"{way.rstrip('/')}{path}" if way.startswith("ssh:") else path)
    return DutDevice(text, with_socket(socket) if with_socket and socket else make(), reach)
