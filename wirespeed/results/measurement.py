"""Common parts of the results of all kinds of measurement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from wirespeed.results.channel import Channel
from wirespeed.results.codec import SPARSE, Stored, as_object, from_json, placed, reader_of, to_json
from wirespeed.results.draw import Draw
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import INTERRUPTED, Ending
from wirespeed.results.lab import LabFacts
from wirespeed.results.outcome import PortFacts
from wirespeed.results.settings import Settings
from wirespeed.units import line_rate_pps

if TYPE_CHECKING:
    from wirespeed.results.search_trial import SearchTrial


def _ports_to_json(ports: Mapping[int, PortFacts]) -> list[Any]:
    return [to_json(port) for port in ports.values()]


def _ports(raw: Any) -> dict[int, PortFacts]:
    return {port.index: port for port in reader_of(tuple[PortFacts, ...])(raw)}


@dataclass(frozen=True)
class MeasurementResult(ABC):
    """The head of a result. `vars` are the settings; of a load test they have trex-loadtest's names. `ports` are the
    tester's, `directions` those that sent; `frame_bytes` are the mean lengths that each port sent, with FCS, if the
    kind of result has them."""

    kind: ClassVar[str]
    """The command that measures."""
    schema: ClassVar[str]
    """`wirespeed-KIND/NUMBER`; files of all lower numbers are read, too."""
    noun: ClassVar[str]
    """The word for such a result in messages; `journal_noun` is that for its journal."""
    journal_noun: ClassVar[str]
    finds_limit: ClassVar[bool] = True
    """False where the load was chosen: the figures are not the most that the device forwards."""
    needs_end: ClassVar[bool] = False
    """True where the figures of a measurement that was broken off do not stand."""
    is_of_one_load: ClassVar[bool] = False
    """True if the first figure, a load, represents the result."""

    name: str
    variables: Annotated[Settings, Stored("vars")]
    directions: tuple[Channel, ...] = field(default=(), kw_only=True)
    versions: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    lab: LabFacts = field(default=LabFacts(), kw_only=True)
    dut: DutFacts = field(default=DutFacts(), kw_only=True)
    ports: Annotated[
        Mapping[int, PortFacts], Stored(write=_ports_to_json, read=_ports, shape=tuple[PortFacts, ...])
    ] = field(default_factory=dict, kw_only=True)
    frame_bytes: Annotated[Mapping[int, float], SPARSE] = field(default_factory=dict, kw_only=True)
    ending: Ending = field(default=Ending(), kw_only=True)

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """True where nothing was measured."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The directions, or what they are taken for where the file does not say."""
        return self.directions

    @property
    def draws(self) -> tuple[Draw, ...]:
        """Power of the device at each load; () without a meter."""
        return ()

    @property
    def sample_draws(self) -> tuple[Draw, ...]:
        """Power of the device at loads as fine as they were measured."""
        return self.draws

    @property
    def judged_trials(self) -> tuple[tuple[str, SearchTrial], ...]:
        """Its trials, as a search judges them, behind the word for each; () of a kind that has none."""
        return ()

    @property
    def profile(self) -> str:
        return self.variables.profile_file or "unknown"

    @property
    def line_pps(self) -> float | None:
        """Packets per second of the slowest link, at the size of the frames sent on it; None without a line speed."""
        lines = [
            line_rate_pps(self.frame_bytes[wire.tx], speed)
            for wire in self.directions
            if wire.tx in self.ports and (speed := self.ports[wire.tx].speed_bps) and wire.tx in self.frame_bytes
        ]
        return min(lines) if lines else None

    @property
    def mean_frame_bytes(self) -> float | None:
        """Mean size of the frames sent, FCS included; None if unknown."""
        sizes = [self.frame_bytes[wire.tx] for wire in self.directions if wire.tx in self.frame_bytes]
        return sum(sizes) / len(sizes) if sizes else None

    def noted(self, note: str) -> Self:
        """The result with one more note about the whole measurement."""
        return replace(self, ending=replace(self.ending, notes=(*self.ending.notes, note)))

    def to_json(self) -> dict[str, Any]:
        """The document as written to disk."""
        document: dict[str, Any] = {"schema": self.schema} | to_json(self)
        del document["name"]  # which is the file's
        return document

    @classmethod
    def from_json(cls, document: Any, name: str) -> Self:
        """The result of a document; ValueError for an invalid or missing value."""
        found = placed("its top level", as_object, document)
        cls.check_schema(found.get("schema"))
        result = from_json(cls, found | {"name": name})
        if not result.directions:
            raise ValueError("directions is empty")
        return result

    @classmethod
    def check_schema(cls, schema: object) -> None:
        """ValueError unless this program reads documents of `schema`."""
        name, _, newest = cls.schema.partition("/")
        if schema not in [f"{name}/{number}" for number in range(1, int(newest) + 1)]:
            raise ValueError(f"its schema is {schema!r}, this program reads {cls.schema!r} and older")

    @classmethod
    def of_journal(cls, head: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> Self:
        """The result that a journal makes of itself; ValueError for an invalid or missing value.

        The ending of a head may be in its keys `started` and `notes` alone."""
        told = {"started": head.get("started", ""), "notes": head.get("notes", [])}
        result, reason = cls._replayed({"ending": told, **head}, entries, str(head.get("name") or name))
        return replace(result, ending=replace(result.ending, status=INTERRUPTED, reason=reason))

    @classmethod
    @abstractmethod
    def _replayed(cls, head: dict[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> tuple[Self, str]:
        """The result of a journal, and the reason of its end."""
