"""The generator of a test process that serves the OTG API: two ports connected by a ring."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory


class _Process:
    """Addresses of this process's generator, once a test has used it."""

    served: tuple[str, str] | None = None
    undo = ExitStack()


def shared_otg() -> tuple[str, str]:
    """Addresses of the RPC and the API. The generator starts at the first call; `end_shared_otg` ends it."""
    if _Process.served is None:
        from otg_api import serving  # noqa: PLC0415 - few tests of this folder need the client

        directory = Path(_Process.undo.enter_context(TemporaryDirectory(prefix="wirespeed-otg-")))
        _Process.served = _Process.undo.enter_context(serving(directory / "log", ["ring:loop,speed=10G"] * 2))
    return _Process.served


def end_shared_otg() -> None:
    """End the generator, if there is one; it must exit with 0."""
    _Process.served = None
    _Process.undo.close()
