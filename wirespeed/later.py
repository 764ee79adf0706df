"""Modules that are imported when something of them is first used, so that a program starts with what its start needs.

if TYPE_CHECKING:
    from wirespeed.router.api import server as api_server
else:
    api_server = Later("wirespeed.router.api.server")
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """Stands for the module `name`; its attributes are those of the module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)
