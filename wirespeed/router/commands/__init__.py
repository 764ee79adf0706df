"""The router's commands, by group: a group is a module of this package, and `GRAMMAR` imports it on first use."""

from wirespeed.router.commands.registry import GRAMMAR

__all__ = ["GRAMMAR"]
