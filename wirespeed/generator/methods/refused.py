"""Methods of T-Rex that this server does not have: refused with the reason, and not listed among the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed.generator.registry import OwnedPort, method
from wirespeed.generator.rpc import failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

_NAMESPACES = "network namespaces need T-Rex's linux stack; a port of this server is one host, see set_l3 and conf_ipv6"
_CAPTURE_PORT = "a port cannot be joined to a socket; use capture and push_pkts"

REFUSED = {
    "start_capture_port": _CAPTURE_PORT,
    "stop_capture_port": _CAPTURE_PORT,
    "set_capture_port_bpf": _CAPTURE_PORT,
}


def _refuse(name: str, reason: str) -> None:
    @method(name, listed=False)
    def refuse(server: Server) -> Any:
        raise failed(reason)


@method("conf_ns_batch", listed=False)
def conf_ns_batch(server: Server, port: OwnedPort, batch: str) -> Any:
    raise failed(_NAMESPACES)


for _name, _reason in REFUSED.items():
    _refuse(_name, _reason)
