"""The server itself: its settings and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.generator.parameters import Name
from wirespeed.generator.registry import method
from wirespeed.generator.rpc import Json, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server


@method("shutdown")
def shutdown(server: Server, user: Name = "", force: bool = False) -> Json:
    """End the process, unless ports are owned by others and `force` is not given."""
    others = [port for port in server.ports if port.owner is not None and port.owner.user != user]
    if others and not force:
        owner = others[0].owner
        raise failed(f"port {others[0].index} is owned by '{owner.user if owner else ''}'; shut down with force")
    server.ending = f"shut down by '{user}'"
    return {}


@method("get_global_cfg")
def get_global_cfg(server: Server) -> Json:
    return server.settings


@method("set_global_cfg")
def set_global_cfg(
    server: Server,
    sched_max_stretch: float | None = None,
    process_at_cp: bool | None = None,
    do_mbuf_cache: bool | None = None,
) -> None:
    """T-Rex's settings tune parts that this server does not have: they are stored without effect."""
    asked = {"sched_max_stretch": sched_max_stretch, "process_at_cp": process_at_cp, "do_mbuf_cache": do_mbuf_cache}
    server.settings |= {name: value for name, value in asked.items() if value is not None}
