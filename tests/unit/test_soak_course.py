"""The end of a soak's traffic: packets that arrived during the drain were not lost."""

from __future__ import annotations

from typing import Any

from report_kinds import soak_of

from wirespeed.measurement.soak.chronicle import Chronicle
from wirespeed.measurement.soak.course import Course, ObservedSecond
from wirespeed.measurement.soak.result import CounterReading, Gap, ResumeMark
from wirespeed.results.balance import Balance
from wirespeed.trial.reading import TrialReading


def test_events_are_taken_back_when_their_packets_come_in_the_drain() -> None:
    found = soak_of(seconds=5, lossy=((2, 100), (4, 30)))
    lost = {wire: sum(event.lost for event in found.events if event.channel == wire) for wire in found.directions}
    one, *_ = (wire for wire, count in lost.items() if count)
    chronicle, settled = Chronicle(found), list[Any]()
    none = CounterReading(0.0, {}, {})
    course = Course(chronicle, ResumeMark(1, 0.0, none, none, dict(lost), dict.fromkeys(lost, 0)), settled.append)
    missing = {wire: Balance(1_000_000, 1_000_000 - count) for wire, count in lost.items()}
    course.see(ObservedSecond(5.0, missing, TrialReading(5.0, {}), gap=Gap(5.0, 1.0, "controller")))
    came = lost[one] - 10
    drained = missing | {one: Balance(1_000_000, 1_000_000 - 10)}
    assert course.finish(drained) == (-came, 0)
    left = {wire: sum(event.lost for event in chronicle.events.values() if event.channel == wire) for wire in lost}
    assert left == {one: 10, **{wire: lost[wire] for wire in lost if wire != one}}
    assert all(event.lost for event in chronicle.events.values())
