"""Meters that the kernel shows: RAPL's energy counters, and sensors that measure power."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.power.meter import MeterFault

SYS = Path("/sys")
_LEAST_S = 0.1
"""Minimum interval: the counters change about a thousand times per second, so over a shorter time their steps
dominate."""


@dataclass(frozen=True)
class _Zone:
    energy: Path
    range_uj: int


class Rapl:
    """The processors' own count of energy, of all packages and their memory: not of NICs, board and power supply."""

    of = "CPU packages and memory, without board, NICs and power supply"

    def __init__(
        self,
        sys: Path = SYS,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._zones = [
            _Zone(folder / "energy_uj", _number(folder / "max_energy_range_uj"))
            for folder in sorted((sys / "class/powercap").glob("intel-rapl:*"))
            if _text(folder / "name").startswith(("package-", "dram"))
        ]
        if not self._zones:
            raise EnvironmentFault("--power rapl: this machine shows no RAPL counters (virtual machines have none)")
        self.name = "rapl"
        self._clock, self._pause = clock, pause
        try:
            self._before = self._read()
        except MeterFault as error:
            raise EnvironmentFault(f"--power rapl: {error}") from None

    def _read(self) -> tuple[float, list[int]]:
        return self._clock(), [_counter(zone.energy) for zone in self._zones]

    def watts(self) -> float:
        before = self._before
        if (short_s := _LEAST_S - (self._clock() - before[0])) > 0:
            self._pause(short_s)
        self._before = now = self._read()
        if now[0] <= before[0]:
            raise MeterFault("no time passed between two readings")
        energy_uj = 0
        for zone, old, new in zip(self._zones, before[1], now[1], strict=True):
            energy_uj += new - old if new >= old else new - old + zone.range_uj
        return energy_uj / 1e6 / (now[0] - before[0])


class Hwmon:
    """A sensor that measures power, by the name of its driver: numbers of hwmon change from start to start."""

    of = "what its board wired it to"

    def __init__(self, wanted: str = "", sys: Path = SYS) -> None:
        sensors = {
            _text(folder / "name"): files
            for folder in sorted((sys / "class/hwmon").glob("hwmon*"))
            if (files := sorted(folder.glob("power*_average")) or sorted(folder.glob("power*_input")))
        }
        names = ", ".join(sorted(sensors)) or "none"
        if wanted and wanted not in sensors:
            raise EnvironmentFault(f"--power hwmon:{wanted}: no sensor of that name measures power; there are: {names}")
        if not sensors:
            raise EnvironmentFault("--power hwmon: no sensor of this machine measures power")
        if not wanted and len(sensors) > 1:
            raise UsageError(f"--power hwmon: several sensors measure power; give one of hwmon:{names}")
        name = wanted or next(iter(sensors))
        self.name = f"hwmon:{name}"
        self._files = sensors[name]

    def watts(self) -> float:
        return sum(_counter(path) for path in self._files) / 1e6


def _counter(path: Path) -> int:
    try:
        return int(path.read_text())
    except PermissionError:
        raise MeterFault(f"{path} is for root only; run this with sudo, or let its group read it") from None
    except OSError as error:
        raise MeterFault(f"{path}: {error.strerror}") from None
    except ValueError:
        raise MeterFault(f"{path} holds no number") from None


def _number(path: Path) -> int:
    text = _text(path)
    return int(text) if text.isdigit() else 1 << 32


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
