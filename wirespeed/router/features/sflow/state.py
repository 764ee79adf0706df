"""Samples in `show state`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wirespeed.router.console import Console


def objects(console: Console) -> Iterator[dict[str, Any]]:
    settings, _ = console.core.sflow.get()
    rest = {"polling_interval": console.sflow.polling_interval_s, "header_bytes": settings.header_bytes}
    yield {"sflow": {"sampling_rate": settings.sampling_rate, **rest}}


def interfaces(console: Console, names: Mapping[int, str]) -> dict[int, dict[str, Any]]:
    return {index: {"sflow": True} for index in console.sflow.ports}
