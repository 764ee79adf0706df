"""The result of a load test as a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

from wirespeed.measurement.loadtest.draws import RAMP_PARTS, draws_of
from wirespeed.measurement.shown import short_repr
from wirespeed.pages.words import count
from wirespeed.results.balance import Medium, medium_of_driver, total
from wirespeed.results.channel import Channel
from wirespeed.results.codec import SPARSE, Number, Stored
from wirespeed.results.draw import Draw
from wirespeed.results.ending import INTERRUPTED
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.outcome import Outcome
from wirespeed.results.sample import Sample
from wirespeed.results.sample_json import samples_from_json, samples_to_json
from wirespeed.results.settings import Settings

if TYPE_CHECKING:
    from wirespeed.measurement.loadtest.analysis import Analysis

SAMPLES = Stored("stats", write=samples_to_json, read=samples_from_json, shape=Mapping[str, Sample])


@dataclass(frozen=True, kw_only=True)
class LoadTestSettings(Settings):
    """Rates are as on a command line, or in percent of the line rate; durations in seconds. `latency` is the rate of
    the latency streams in packets per second."""

    warmup_mult: Annotated[str, SPARSE] = ""
    warmup_duration: Annotated[Number | None, SPARSE] = None
    rampup_target: Annotated[str | float | None, Stored(sparse=True, read=lambda raw: raw)] = None
    rampup_duration: Annotated[Number | None, SPARSE] = None
    hold_duration: Annotated[Number | None, SPARSE] = None
    steps: Annotated[str, SPARSE] = ""
    latency: Annotated[Number | None, SPARSE] = None
    ignore_link_down: Annotated[bool | None, Stored(sparse=True, former="ride_link")] = None
    include_disturbed: Annotated[bool | None, Stored(sparse=True, read=bool, former="keep_spoilt")] = None


@dataclass(frozen=True)
class Judging:
    """Settings of the judgement that replace the test's own; None keeps those. `line_bps` replaces the tester's line
    speed in percentages."""

    threshold: float | None = None
    line_bps: float | None = None
    exclude_disturbed: bool | None = None


@dataclass(frozen=True)
class Result(MeasurementResult):
    """A whole load test; `directions` is empty if the file does not name them. `native` is false for a file of
    trex-loadtest."""

    __repr__ = short_repr

    kind = "loadtest"
    is_of_one_load = True
    needs_end = True
    schema = "wirespeed-loadtest/3"
    noun = "load-test result"
    journal_noun = "a load test"

    variables: Annotated[LoadTestSettings, Stored("vars")]
    samples: Annotated[tuple[Sample, ...], SAMPLES]
    outcome: Outcome = Outcome()  # noqa: RUF009 - frozen
    native: Annotated[bool, Stored(is_kept=False)] = True
    judging: Annotated[Judging, Stored(is_kept=False)] = Judging()

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The directions; unless the file says, ports are cabled in pairs, 0 and 1, 2 and 3 and so on, and a
        unidirectional test sends from the even ones."""
        if self.directions:
            return self.directions
        ports = self.samples[0].ports if self.samples else {0: None, 1: None}
        forward = [Channel(port, port + 1) for port in sorted(ports) if port % 2 == 0 and port + 1 in ports]
        return tuple(forward + ([] if self.variables.unidirectional else [one.reverse for one in forward]))

    @cached_property
    def analysis(self) -> Analysis:
        """The analysis of its samples, by `judging`."""
        from wirespeed.measurement.loadtest.analysis import analyse  # noqa: PLC0415 - it judges results of this class

        by = self.judging
        return analyse(self, by.threshold, line_bps=by.line_bps, exclude_disturbed=by.exclude_disturbed)

    @property
    def mean_frame_bytes(self) -> float | None:
        """By the bytes that the ports sent; None where the file holds no byte rates."""
        return self.analysis.frame_bytes

    @property
    def draws(self) -> tuple[Draw, ...]:
        return tuple(draws_of(self, RAMP_PARTS))

    @property
    def sample_draws(self) -> tuple[Draw, ...]:
        return tuple(draws_of(self, len(self.samples)))

    @property
    def lost(self) -> float:
        """Packets of all directions that were offered and did not come back, over the whole test."""
        return total(one.balance for one in self.outcome.channels.values()).lost

    @cached_property
    def cycles_per_packet(self) -> float | None:
        """CPU cycles (TSC ticks) of work of the DUT per packet at its highest load, as `explain` computes them: without
        polls that found nothing, and without preemption. None if the DUT does not count them, as Linux does not."""
        from wirespeed.measurement.loadtest.case import cases_of  # noqa: PLC0415 - it judges results of this class

        return next((case.work_cycles for case in cases_of(self, self.name)), None)

    def cost(self, figure: str) -> float | None:
        """The mean of a flat figure of the DUT (results/dut.py, FLAT) over the samples of full load or of steps; None
        if the DUT did not tell it."""
        told = [one.dut[figure] for one in self.samples if one.phase in ("hold", "step") and figure in one.dut]
        return fmean(told) if told else None

    @property
    def is_empty(self) -> bool:
        return not self.samples

    def medium(self, port: int) -> Medium:
        """Cause of packets that `port` could not send."""
        facts = self.ports.get(port)
        if facts is not None:
            return facts.medium
        return Medium.RING if self.lab.kind == "embedded" else medium_of_driver("")

    def line_bps(self, port: int) -> float | None:
        """The line of `port` as the tester gave it; None where the file does not say."""
        facts = self.ports.get(port)
        return facts.speed_bps if facts is not None else None

    def to_json(self) -> dict[str, Any]:
        """The document as written to disk; how the test ended stands in its outcome."""
        document = super().to_json()
        document["outcome"] |= document.pop("ending")
        return document

    @classmethod
    def from_json(cls, document: Any, name: str) -> Result:
        from wirespeed.measurement.loadtest.document import result_of  # noqa: PLC0415 - it judges results of this class

        return result_of(document, name)

    @classmethod
    def _replayed(cls, head: dict[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> tuple[Result, str]:
        """Heads of older journals have `threshold` by itself."""
        from wirespeed.measurement.loadtest.analysis import judged  # noqa: PLC0415 - it judges results of this class

        outcome = {"threshold": head["threshold"]} if "threshold" in head else {}
        stats = {str(index): sample for index, sample in enumerate(entries)}
        result = cls.from_json({"outcome": head["ending"] | outcome, **head, "stats": stats}, name)
        reason = f"the test did not end by itself; its journal has {count(len(entries), 'sample')}"
        return judged(replace(result, ending=replace(result.ending, status=INTERRUPTED)), {}), reason


RESULT = Result
