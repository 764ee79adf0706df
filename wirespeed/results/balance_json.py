"""A balance as it stands in result files: what was counted, and beside it what follows from that."""

from __future__ import annotations

from typing import Any

from wirespeed.results.balance import Balance, Medium
from wirespeed.results.json_values import as_number, as_object
from wirespeed.results.order import Order

_ORDER = {"duplicates": "duplicate_packets", "reordered": "reordered_packets", "unplaced": "unplaced_packets"}
_COUNTED = ("asked", "sent", "refused", "no_buffer", "late", "received", "missed", "surplus")


def balance_to_json(balance: Balance) -> dict[str, Any]:
    counted = {f"{key}_packets": getattr(balance, key) for key in _COUNTED}
    derived = {"offered_packets": balance.offered, "lost_packets": balance.lost}
    ratios = {"loss_ratio": balance.loss_ratio, "tester_share": balance.tester_share}
    return (
        counted | derived | ratios | {"medium": str(balance.medium), "paused": balance.paused} | _order(balance.order)
    )


def _order(order: Order | None) -> dict[str, Any]:
    return {} if order is None else {key: getattr(order, name) for name, key in _ORDER.items()}


def balance_from_json(raw: Any, where: str) -> Balance:
    """What was counted; the rest is worked out anew. ValueError says what is wrong, and `where`."""
    raw = as_object(raw, f"{where}.balance")
    counts = {key: raw.get(f"{key}_packets") for key in _COUNTED}
    counted: dict[str, Any] = {
        key: None if value is None and key == "asked" else as_count(value, f"{key}_packets of {where}")
        for key, value in counts.items()
    }
    try:
        medium = Medium(str(raw.get("medium", Medium.QUEUE)))
    except ValueError:
        raise ValueError(f"medium of {where} is {str(raw['medium'])[:40]!r}, not {' or '.join(Medium)}") from None
    order = None
    if "duplicate_packets" in raw:
        order = Order(**{name: int(as_count(raw.get(key), f"{key} of {where}")) for name, key in _ORDER.items()})
    return Balance(**counted, medium=medium, paused=bool(raw.get("paused", False)), order=order)


def as_count(value: Any, where: str) -> float:
    """Packets, whole where they are; none is 0."""
    number = as_number(value or 0, where)
    return int(number) if number.is_integer() else number
