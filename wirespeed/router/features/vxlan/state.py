"""VXLAN tunnels in `show state`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wirespeed.router.features.vxlan.commands import tunnels

if TYPE_CHECKING:
    from wirespeed.router.console import Console


def interfaces(console: Console, names: Mapping[int, str]) -> dict[int, dict[str, Any]]:
    return {
        index: {"vxlan": {"local": str(tunnel.source), "remote": str(tunnel.destination), "vni": tunnel.vni}}
        for index, tunnel in tunnels(console)
    }
