"""The DUT's telemetry: cost per packet, vector size, CPU time by class, drops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from wirespeed.charts.chart import DASHES, Dash
from wirespeed.pages.words import harmless
from wirespeed.results.trial import TrialResult

MOST_DRAWN = 1e18
PANEL_PX = 150


@dataclass(frozen=True)
class Quantity:
    """A key of `Sample.dut`, its unit in words, and its line style. With `group` it is a key of that object there; with
    `per_s` a count, drawn as a rate."""

    key: str
    words: str
    dash: Dash = "solid"
    group: str = ""
    per_s: bool = False

    def of(self, dut: Mapping[str, Any]) -> Any:
        """Its value in a sample's `dut`; what is not there is None, but for a count that a device did not name then."""
        if not self.group:
            return dut.get(self.key)
        group = dut.get(self.group)
        if not isinstance(group, Mapping):
            group = {}
        if not self.per_s:
            return group.get(self.key)
        interval_s, count = dut.get("interval"), group.get(self.key, 0)
        both = _is_number(interval_s) and interval_s > 0 and _is_number(count)
        return count / interval_s if both else None


@dataclass(frozen=True)
class DutPanel:
    """Quantities that share a y axis, in `unit`."""

    title: str
    unit: str
    quantities: tuple[Quantity, ...]
    logarithmic: bool = False


PANELS = (
    # An idle worker polls all the time and its polls are paid by few packets: from 10 000 cycles down to a few hundred.
    DutPanel(
        "cycles / packet", "cycles / packet", (Quantity("cycles_per_packet", "cycles / packet"),), logarithmic=True
    ),
    DutPanel(
        "cycles / packet without polling",
        "cycles / packet",
        (Quantity("cycles_per_packet_without_input", "cycles / packet without polling"),),
        logarithmic=True,
    ),
    DutPanel("vectors / call", "vectors / call", (Quantity("vectors_per_call", "vectors / call"),)),
    DutPanel("power (W)", "W", (Quantity("watts", "W"),)),
)


@dataclass(frozen=True)
class DutSample:
    """Telemetry of a device in one sample or trial: `at` is its place on the x axis (packets per second of a channel,
    or seconds). `held`: its load was held; such dots stand alone, others are connected by a line."""

    held: bool
    at: float
    dut: Mapping[str, Any]


@dataclass(frozen=True)
class Account:
    """All that the device of one test said, whatever kind of test it was."""

    name: str
    told: tuple[DutSample, ...]


@dataclass(frozen=True)
class PanelReading:
    """One quantity of one sample."""

    held: bool
    at: float
    value: float


def account_of_trials(name: str, trials: Iterable[tuple[float, TrialResult]]) -> Account:
    """The account of trials, each with its load in packets per second per direction."""
    return Account(name, tuple(DutSample(True, load_pps, trial.dut.to_json()) for load_pps, trial in trials))


def values(account: Account, quantity: Quantity) -> list[PanelReading]:
    """Readings with a number."""
    found = [(told.held, told.at, quantity.of(told.dut)) for told in account.told]
    return [PanelReading(held, at, float(value)) for held, at, value in found if _is_number(value)]


def panels_of(accounts: Sequence[Account]) -> list[DutPanel]:
    """The panels for which any device has data."""
    panels = (*PANELS, *_grouped(accounts))
    return [
        panel for panel in panels if any(values(one, quantity) for one in accounts for quantity in panel.quantities)
    ]


_MOST_PLACES = 6
_IDLE = ("idle", "iowait")


def _grouped(accounts: Sequence[Account]) -> list[DutPanel]:
    """The device's CPUs by class, and its drops by place: those of which there were most."""
    classes, places = (_totals(accounts, group) for group in ("cpu_percent", "drops"))
    busy = [name for name in sorted(classes, key=classes.__getitem__, reverse=True) if name not in _IDLE]
    most = sorted((name for name in places if places[name] > 0), key=places.__getitem__, reverse=True)
    panels = []
    if busy:
        shares = tuple(
            Quantity(name, f"in {harmless(name)}", DASHES[place % len(DASHES)], "cpu_percent")
            for place, name in enumerate(busy[:_MOST_PLACES])
        )
        panels.append(DutPanel(f"CPU of the DUT (%): {_named(shares)}", "% of its CPUs", shares))
    if most:
        rates = tuple(
            Quantity(name, f"dropped: {harmless(name)}", DASHES[place % len(DASHES)], "drops", per_s=True)
            for place, name in enumerate(most[:_MOST_PLACES])
        )
        panels.append(DutPanel(f"drops / s of the DUT: {_named(rates)}", "/ s", rates))
    return panels


def _named(quantities: tuple[Quantity, ...]) -> str:
    return harmless(", ".join(f"{quantity.key} ({quantity.dash})" for quantity in quantities))


def _totals(accounts: Sequence[Account], group: str) -> dict[str, float]:
    """The numbers of a group summed over all that was told."""
    totals: dict[str, float] = {}
    for told in (told for account in accounts for told in account.told):
        numbers = told.dut.get(group)
        for name, value in numbers.items() if isinstance(numbers, Mapping) else ():
            if _is_number(value):
                totals[str(name)] = totals.get(str(name), 0.0) + value
    return {name: total for name, total in totals.items() if total > 0}


def _is_number(value: Any) -> TypeGuard[float]:
    """True if the value can be drawn: telemetry is shown as it is in the file."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST_DRAWN
