"""Frame sizes of a flow: one, a range, or a mix, of which each size is a part of its own. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wirespeed.otg.faults import ModelFault
from wirespeed.otg.flow_model import OtgSize
from wirespeed.otg.patterns import Pattern, fixed
from wirespeed.units import FCS_BYTES, L1_OVERHEAD_BYTES

MIXES: dict[str, tuple[tuple[int, int], ...]] = {
    "imix": ((64, 7), (570, 4), (1518, 1)),
    "ipsec_imix": ((90, 5867), (92, 200), (594, 2366), (1418, 1567)),
    "ipv6_imix": ((64, 5867), (496, 200), (594, 2366), (1518, 1567)),
    "standard_imix": ((64, 5867), (64, 200), (594, 2366), (1518, 1567)),
    "tcp_imix": ((90, 5867), (92, 200), (594, 2366), (1518, 1567)),
}
"""Frame sizes with FCS and their weights, as the model lists them; its 58 to 62 are the least that Ethernet has."""


@dataclass(frozen=True)
class SizePart:
    """Frames of one size, or of one range of them, without FCS; `share` is of the flow's packets."""

    size: Pattern
    share: float

    @property
    def line_bytes(self) -> float:
        """Mean share of the line per packet."""
        return (self.size.low + self.size.high) / 2 + FCS_BYTES + L1_OVERHEAD_BYTES


def parts(path: str, size: OtgSize) -> list[SizePart]:
    """`path` is the flow's."""
    if size.choice == "fixed":
        return [SizePart(fixed(size.fixed - FCS_BYTES), 1.0)]
    if size.choice == "weight_pairs":
        return _mix(path, size)
    random = size.choice == "random"
    low, high = (size.random.min, size.random.max) if random else (size.increment.start, size.increment.end)
    if low > high:
        raise ModelFault(f"{path}.size.{size.choice}", f"goes from {low} to {high}; give the smaller size first")
    values = range(low - FCS_BYTES, high - FCS_BYTES + 1, 1 if random else size.increment.step)
    choice: Literal["random", "increment"] = "random" if random else "increment"
    one = Pattern(choice, values[0], step=values.step, count=len(values), low=values[0], high=values[-1])
    return [SizePart(one if one.varies else fixed(values[0]), 1.0)]


def _mix(path: str, size: OtgSize) -> list[SizePart]:
    given = size.weight_pairs
    pairs = [(one.size, one.weight) for one in given.custom]
    if given.choice == "predefined":
        pairs = list(MIXES[given.predefined])
    if not pairs:
        raise ModelFault(f"{path}.size.weight_pairs.custom", "has no sizes")
    weights = sum(weight for _, weight in pairs)
    return [SizePart(fixed(frame - FCS_BYTES), weight / weights) for frame, weight in pairs]
