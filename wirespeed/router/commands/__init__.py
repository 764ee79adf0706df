"""The router's commands: importing a module of this package adds its commands to the grammar."""

from wirespeed.router.commands import interfaces, machine, neighbors, routes, runtime, session, show_interfaces, trace
from wirespeed.router.commands.registry import GRAMMAR

__all__ = ["GRAMMAR", "interfaces", "machine", "neighbors", "routes", "runtime", "session", "show_interfaces", "trace"]
