"""The result of a load test as a value."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.balance import Medium, medium_of_driver
from wirespeed.results.channel import Channel
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.outcome import Outcome
from wirespeed.results.sample import Sample

PHASES = ("warm-up", "ramp", "hold", "drain")
"""Of a ramp; a test by steps has `step` in place of the second and third."""


@dataclass(frozen=True)
class Result(MeasurementResult):
    """A whole test, without `directions` where the file does not say. `native` is false of a file that trex-loadtest
    wrote."""

    kind = "loadtest"

    samples: tuple[Sample, ...]
    outcome: Outcome = Outcome()  # noqa: RUF009 - frozen
    native: bool = True

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
    def is_empty(self) -> bool:
        return not self.samples

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
