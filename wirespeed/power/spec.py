"""A power meter as the command line names it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from wirespeed.errors import UsageError
from wirespeed.power.meter import PowerMeter
from wirespeed.power.plugs import Plug, Shelly, Tasmota
from wirespeed.power.programs import Constant, Ipmi, MeterCommand
from wirespeed.power.sysfs import Hwmon, Rapl

FORMS = (
    "rapl, hwmon[:NAME], ipmi, shelly:HOST, tasmota:HOST, command:TEXT or constant:WATTS, each with ,idle=WATTS after"
)
_IDLE = re.compile(r"(.*),idle=(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class PowerSpec:
    """`idle_w` is what the user says that the DUT takes with its router stopped; None to measure it before the load."""

    meter: PowerMeter
    idle_w: float | None = None


def parse_power(text: str) -> PowerSpec:
    """UsageError for a text that names no meter, EnvironmentFault for a meter that this machine does not have."""
    match = _IDLE.fullmatch(text)
    body = match[1] if match else text
    kind, _, rest = body.partition(":")
    make = _KINDS.get(kind)
    if make is None or bool(rest) < (kind in _WITH_REST) or (rest and kind in ("rapl", "ipmi")):
        raise UsageError(f"--power {_shown(text)}: there is no such meter; give {FORMS}")
    try:
        return PowerSpec(make(rest), float(match[2]) if match else None)
    except ValueError:
        raise UsageError(
            f"--power {_shown(text)}: {rest and 'what follows the colon'} cannot be read; give {FORMS}"
        ) from None


def _shown(text: str) -> str:
    """Without a password."""
    return re.sub(r":[^:@/]+:[^@]+@", ":…@", text)


_WITH_REST = ("shelly", "tasmota", "command", "constant")
_KINDS: dict[str, Callable[[str], PowerMeter]] = {
    "rapl": lambda rest: Rapl(),
    "hwmon": Hwmon,
    "ipmi": lambda rest: Ipmi(),
    "shelly": lambda rest: Shelly(Plug(rest)),
    "tasmota": lambda rest: Tasmota(Plug(rest)),
    "command": MeterCommand,
    "constant": lambda rest: Constant(float(rest)),
}
