"""Common parts of results of tests by an RFC: each trial is of a test, and each test has rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Protocol, Self, TypeVar

from wirespeed.measurement.rfc.method import Conforming
from wirespeed.results.codec import INLINE, SPARSE, Stored
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.search_trial import SearchTrial
from wirespeed.results.trial import TrialResult


class RfcRow(Protocol):
    """A figure of a test. `subject` is what differs between the rows of a test, `remark` the reason why there is no
    figure, or why the figure is not the DUT's alone."""

    @property
    def subject(self) -> str: ...
    @property
    def irregular(self) -> str: ...
    @property
    def remark(self) -> str: ...


@dataclass(frozen=True)
class RfcTrial:
    """A trial of a test, as MLRsearch and reports see it."""

    also_stored: ClassVar[Mapping[str, str]] = {"loss_ratio": "judged.loss_ratio"}

    number: int
    test: Any
    load_pps: float
    intended_s: float
    trial: Annotated[TrialResult, INLINE]
    label: Annotated[str, SPARSE] = field(default="", kw_only=True)
    excluded: Annotated[str, Stored(sparse=True, former="set_aside")] = field(default="", kw_only=True)

    @property
    def subject(self) -> str:
        """Frames or flows that the test is of."""
        raise NotImplementedError

    @property
    def remark(self) -> str:
        """The reason why the outcome is not the DUT's alone; empty if it is."""
        raise NotImplementedError

    @property
    def judged(self) -> SearchTrial:
        """The trial in the form that a search judges: by all packets that were due."""
        return SearchTrial(self.number, "search", self.load_pps, self.intended_s, self.trial, self.label, self.excluded)


class RfcResult(MeasurementResult):
    """A whole run. A test that was not run has no rows. `conformance` has, by test, its sections and its deviations;
    nothing outside the RFC."""

    also_stored: ClassVar[Mapping[str, str]] = {"conformance": "conformance"}

    method: Any
    trials: Any
    spent_s: float

    @property
    def judged_trials(self) -> tuple[tuple[str, SearchTrial], ...]:
        return tuple((f"{one.test} {one.subject}", one.judged) for one in self.trials)

    @property
    def is_empty(self) -> bool:
        return not self.trials

    @property
    def conformance(self) -> dict[str, str]:
        """By test, the sections that it follows and the deviations from them."""
        method: Conforming = self.method
        return {test: line for test in method.tests if (line := method.conformance(test))}

    def rows(self, test: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] = getattr(self, attribute_of(test))
        return found

    @classmethod
    def _replayed(cls, head: dict[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> tuple[Self, str]:
        """Rows stand between the trials: {"row_of": "latency", "row": …}."""
        trials = [entry for entry in entries if "row_of" not in entry]
        document: dict[str, Any] = {**head, "trials": trials}
        for entry in entries:
            if "row_of" in entry:
                document.setdefault(attribute_of(entry["row_of"]), []).append(entry.get("row"))
        result = cls.from_json(document, name)
        reason = f"the tests did not end by themselves; {len(trials)} trials are from their journal"
        spent: Any = {"spent_s": sum(one.trial.effective_s for one in result.trials)}
        return replace(result, **spent), reason


AResult = TypeVar("AResult", bound=RfcResult)


def attribute_of(test: str) -> str:
    """Name of a test's rows in a result and in its file."""
    return test.replace("-", "_")
