"""The result of a load test as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from wirespeed.results.balance import Medium, medium_of_driver, total
from wirespeed.results.channel import Channel
from wirespeed.results.ending import Ending
from wirespeed.results.outcome import Outcome, PortFacts
from wirespeed.results.sample import Sample

PHASES = ("warm-up", "ramp", "hold", "drain")
"""Of a ramp; a test by steps has `step` in place of the second and third."""


@dataclass(frozen=True)
class Result:
    """A whole test. `ports` are the tester's, by number; `directions` those that it sent in, or none where the file
    does not say. `native` is false of a file that trex-loadtest wrote."""

    name: str
    variables: Mapping[str, Any]
    samples: tuple[Sample, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    lab: Mapping[str, Any] = field(default_factory=dict)
    dut: Mapping[str, Any] = field(default_factory=dict)
    ports: Mapping[int, PortFacts] = field(default_factory=dict)
    directions: tuple[Channel, ...] = ()
    outcome: Outcome = Outcome()  # noqa: RUF009 - frozen
    native: bool = True

    @property
    def profile(self) -> str:
        return str(self.variables.get("profile_file") or "unknown")

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The directions; unless the file says, ports are cabled in pairs, 0 and 1, 2 and 3 and so on, and a
        unidirectional test sends from the even ones."""
        if self.directions:
            return self.directions
        ports = self.samples[0].ports if self.samples else {0: None, 1: None}
        forward = [Channel(port, port + 1) for port in sorted(ports) if port % 2 == 0 and port + 1 in ports]
        return tuple(forward + ([] if self.variables.get("unidirectional") else [one.reverse for one in forward]))

    @property
    def ending(self) -> Ending:
        """How the test ended, as results of all kinds say it."""
        one = self.outcome
        return Ending(one.status, one.reason, one.exit_code, one.started, one.notes)

    @property
    def lost(self) -> float:
        """Packets of all directions that were offered and did not come back, over the whole test."""
        return total(one.balance for one in self.outcome.channels.values()).lost

    @property
    def cycles_per_packet(self) -> float | None:
        """CPU cycles (TSC ticks) of the DUT a packet, with polling: the mean of the samples of full load or of steps.
        None if the DUT did not tell them."""
        return self.cost("cycles_per_packet")

    def cost(self, figure: str) -> float | None:
        """The mean of a flat figure of the DUT (results/dut.py, FLAT) over the samples of full load or of steps; None
        if the DUT did not tell it."""
        told = [one.dut[figure] for one in self.samples if one.phase in ("hold", "step") and figure in one.dut]
        return fmean(told) if told else None

    @property
    def is_empty(self) -> bool:
        return not self.samples

    def noted(self, note: str) -> Result:
        """The same with one more sentence about the whole test."""
        return replace(self, outcome=replace(self.outcome, notes=(*self.outcome.notes, note)))

    def medium(self, port: int) -> Medium:
        """Who is to blame for packets that `port` could not send."""
        facts = self.ports.get(port)
        if facts is not None:
            return facts.medium
        return Medium.RING if self.lab.get("kind") == "embedded" else medium_of_driver("")

    def line_bps(self, port: int) -> float | None:
        """The line of `port` as the tester gave it; None where the file does not say."""
        facts = self.ports.get(port)
        return facts.speed_bps if facts is not None else None
