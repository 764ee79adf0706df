"""Pairs with Linux in `show state`: `is_host` is a TAP that a pair made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wirespeed.router.console import Console


def interfaces(console: Console, names: Mapping[int, str]) -> dict[int, dict[str, Any]]:
    pairs = console.lcp.pairs.values()
    ends = {pair.index: {"host_if": pair.host_if, "netns": pair.netns} for pair in pairs}
    return {**ends, **{pair.tap: {"is_host": True} for pair in pairs}}
