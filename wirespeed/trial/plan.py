"""Common parts of the plans of all kinds of measurement: directions, DUT, lab, and their description."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from wirespeed.errors import UsageError
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutFacts
from wirespeed.results.lab import ROBUST_NOTE, LabFacts
from wirespeed.results.settings import Settings, SettingsHead
from wirespeed.trial.directions import pair_directions


@dataclass(frozen=True, kw_only=True)
class MeasurementPlan:
    """`profile` with its `tunables` is sent in the `directions`; `line_bps` replaces the ports' own line rate in
    percentages. `signature` identifies test frames by their signature. With `force`, ports are acquired from other
    users, and loads are sent even if a link is down. `lab`, `dut` and `versions` describe the setup and are stored in
    the result. `group` is the usual name of the load, such as `64b many flows`. `output_file` is only recorded."""

    profile: str = field(kw_only=False)
    tunables: dict[str, str] = field(default_factory=dict, kw_only=False)
    directions: tuple[Channel, ...] = pair_directions()
    line_bps: float | None = None
    signature: bool = False
    force: bool = False
    name: str = ""
    group: str = ""
    output_file: str = "-"
    lab: LabFacts = LabFacts()  # noqa: RUF009 - frozen
    dut: DutFacts | None = None
    versions: dict[str, str] = field(default_factory=dict)

    def on(self, lab: LabFacts, dut: DutFacts | None) -> Self:
        """The plan, for the given lab and device."""
        return replace(self, lab=lab, dut=dut)

    def variables(self, server: str) -> Settings:
        """The `vars` of the result file, by the names that trex-loadtest has for those of a load test."""
        raise NotImplementedError

    def settings_head(self, server: str) -> SettingsHead:
        """The `vars` that all kinds have."""
        return SettingsHead(
            server=server,
            profile_file=self.profile,
            tunables=tunables_text(self.tunables),
            group=self.group,
            output_file=self.output_file,
            signature=self.signature or None,
            line=self.line_bps or None,
        )

    @property
    def title(self) -> str:
        return self.titled("unidirectional" if self.unidirectional else "bidirectional")

    def titled(self, *more: str) -> str:
        """The profile with its tunables, and `more` behind commas."""
        return ", ".join((f"{self.profile} {tunables_text(self.tunables)}".strip(), *more))

    @property
    def senders(self) -> tuple[int, ...]:
        return tuple(wire.tx for wire in self.directions)

    @property
    def unidirectional(self) -> bool:
        """True if no direction has its reverse."""
        return not any(wire.reverse in self.directions for wire in self.directions)


@dataclass(frozen=True, kw_only=True)
class RepeatingPlan(MeasurementPlan):
    """`robust` repeats disturbed trials; None does so in a lab whose control processes share CPUs with tester or
    DUT."""

    robust: bool | None = None

    @property
    def is_robust(self) -> bool:
        return self.lab.shares_cpus if self.robust is None else self.robust

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on settings that the program chose."""
        return (ROBUST_NOTE,) if self.is_robust and self.robust is None else ()


def tunables_text(tunables: dict[str, str]) -> str:
    """Tunables in the form of `-t`."""
    return ",".join(f"{key}={value}" for key, value in tunables.items())


def parse_tunables(text: str) -> dict[str, str]:
    """`size=64,vm=var2` as a dictionary."""
    tunables: dict[str, str] = {}
    for word in filter(None, (word.strip() for word in text.split(","))):
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise UsageError(f"tunables {text!r}: {word!r} is not KEY=VALUE; write them as size=64,vm=var2")
        tunables[key] = value
    return tunables
