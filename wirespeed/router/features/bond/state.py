"""Bonds in `show state`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wirespeed.router.features.bond.commands import bonds, mode_word
from wirespeed.router.features.bond.core import BALANCED, Bond

if TYPE_CHECKING:
    from wirespeed.router.console import Console


def interfaces(console: Console, names: Mapping[int, str]) -> dict[int, dict[str, Any]]:
    return {
        index: {"bond": _settings(bond), "members": [names[port] for port in bond.members]}
        for index, bond in bonds(console)
    }


def _settings(bond: Bond) -> dict[str, Any]:
    balance = bond.balance.name.lower() if bond.mode in BALANCED else None
    return {"mode": mode_word(bond.mode), "load_balance": balance}
