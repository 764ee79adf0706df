"""Power that a device draws at one load."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Draw:
    """One load: packets per second of all directions together, as offered and as they came back, and the watts then,
    over `readings` samples or trials; `gaps` had none."""

    load: str
    offered_pps: float
    received_pps: float
    watts: float | None
    readings: int
    gaps: int = 0

    @property
    def packet_uj(self) -> float | None:
        """Microjoules of each packet that was forwarded, with the watts of the whole machine."""
        return self.watts / self.received_pps * 1e6 if self.watts is not None and self.received_pps > 0 else None

    def marginal_uj(self, idle_w: float | None) -> float | None:
        """Microjoules per forwarded packet, without the idle power; None if a power or the rate is not known."""
        if self.watts is None or idle_w is None or self.received_pps <= 0:
            return None
        return max(0.0, self.watts - idle_w) / self.received_pps * 1e6
