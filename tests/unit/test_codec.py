"""Dataclasses as documents: written values are read back, and errors name their place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal

import pytest

from wirespeed.results.channel import Channel
from wirespeed.results.codec import INLINE, SPARSE, Misfit, Stored, from_json, to_json
from wirespeed.results.dut import DutFacts
from wirespeed.results.lab import CpuRoles, LabFacts, MeterFacts, Topology


@dataclass(frozen=True)
class Inner:
    speed: float
    colour: Literal["red", "blue"] = "red"


@dataclass(frozen=True)
class Outer:
    also_stored: ClassVar[Mapping[str, str]] = {"twice": "twice"}

    count: Annotated[int, Stored("packets")]
    parts: tuple[Inner, ...] = ()
    by_way: Mapping[Channel, int] = field(default_factory=dict)
    by_port: Mapping[int, float] = field(default_factory=dict)
    early: Annotated[float | None, Stored("times.early", sparse=True)] = None
    late: Annotated[float | None, Stored("times.late", sparse=True)] = None
    note: Annotated[str, SPARSE] = ""
    flat: Annotated[Inner | None, INLINE] = None
    own: Annotated[int, Stored(is_kept=False)] = 7

    @property
    def twice(self) -> int | None:
        return self.count * 2 if self.count else None


FULL = Outer(3, (Inner(1.0, "blue"),), {Channel(0, 1): 4}, {2: 64.5}, early=0.5, late=2.0, flat=Inner(9.0))


def test_what_is_written_comes_back() -> None:
    document = to_json(FULL)
    assert document == {
        "packets": 3,
        "parts": [{"speed": 1.0, "colour": "blue"}],
        "by_way": {"0→1": 4},
        "by_port": {"2": 64.5},
        "times": {"early": 0.5, "late": 2.0},
        "speed": 9.0,
        "colour": "red",
        "twice": 6,
    }
    assert from_json(Outer, json.loads(json.dumps(document)) | {"unknown": [1]}) == FULL
    assert to_json(Outer(0)) == {"packets": 0, "parts": [], "by_way": {}, "by_port": {}}
    assert from_json(Outer, {"packets": 0}) == Outer(0)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ([], "a file is not an object"),
        ({}, "packets of a file is missing"),
        ({"packets": 1.5}, "packets of a file is '1.5', not a whole number"),
        ({"packets": True}, "packets of a file is 'True', not a whole number"),
        ({"packets": 1, "parts": {}}, "parts of a file is not a list"),
        ({"packets": 1, "parts": [{"speed": 1}, {}]}, "speed of part 1 of a file is missing"),
        ({"packets": 1, "parts": [{"speed": math.nan}]}, "speed of part 0 of a file is 'nan', not a valid number"),
        ({"packets": 1, "parts": [{"speed": 1, "colour": 5}]}, "colour of part 0 of a file is '5', not red or blue"),
        ({"packets": 1, "by_way": {"0": 1}}, "by_way of a file has '0': direction '0' cannot be read"),
        ({"packets": 1, "by_port": {"a": 1}}, "by_port of a file has 'a', not the number of a port"),
        ({"packets": 1, "times": 1}, "times of a file is not an object"),
        ({"packets": 1, "times": {"late": "x"}}, "times.late of a file is 'x', not a valid number"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(raw: Any, words: str) -> None:
    with pytest.raises(Misfit) as fault:
        from_json(Outer, raw, "a file")
    assert str(fault.value).startswith(words)


FOREIGN = {"ports": [1], "mtu": None, "kind": "bench", "cpus": "0-3", "power": {"meter": "x", "idle_watts": 12}}


def test_what_another_program_wrote_is_written_again_to_the_letter() -> None:
    lab = from_json(LabFacts, FOREIGN)
    assert (lab.kind, lab.cpus, lab.power) == ("bench", None, MeterFacts("x", idle_watts=12))
    assert json.dumps(to_json(lab)) == json.dumps(FOREIGN)


def test_a_value_that_changes_takes_the_place_of_what_was_read() -> None:
    lab = replace(from_json(LabFacts, FOREIGN), kind="embedded", mtu=1500, cpus=CpuRoles((0,)), power=None)
    cpus = {"tester": [0], "dut": [], "control": []}
    assert to_json(lab) == {"ports": [1], "mtu": 1500, "kind": "embedded", "cpus": cpus}


def test_our_own_document_is_kept_once() -> None:
    lab = LabFacts(kind="embedded", cpus=CpuRoles((0,), (1,), (0,)), topology=Topology("x"), latency_baseline={})
    assert from_json(LabFacts, json.loads(json.dumps(to_json(lab)))) == lab
    with pytest.raises(Misfit, match="name is not a text"):
        from_json(DutFacts, {"name": []})
