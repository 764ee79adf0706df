"""The router's binary API: importing a module of this package adds its handlers to those that the server calls."""

from wirespeed.router.api import (
    acls,
    addresses,
    bond,
    bridge,
    interfaces,
    l2,
    lcp,
    machine,
    memif,
    mpls,
    neighbors,
    queues,
    routes,
    session,
    settings,
    subinterfaces,
    tap,
)
from wirespeed.router.api.registry import HANDLERS

__all__ = [
    "HANDLERS",
    "acls",
    "addresses",
    "bond",
    "bridge",
    "interfaces",
    "l2",
    "lcp",
    "machine",
    "memif",
    "mpls",
    "neighbors",
    "queues",
    "routes",
    "session",
    "settings",
    "subinterfaces",
    "tap",
]
