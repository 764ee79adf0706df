"""Error responses of the API."""

from __future__ import annotations

from wirespeed.errors import UsageError


class ModelFault(UsageError):
    """One place of a request that is wrong; `path` is as in `flows[0].packet[1].ipv4.src`."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{path}: {text}" if path else text)
