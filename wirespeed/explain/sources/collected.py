"""A case from a file of `wirespeed dut collect -o FILE`, with or without a test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from wirespeed.cases.facts import Case, CaseLoad
from wirespeed.cases.telemetry import (
    case_dut,
    cpus_told,
    cycles_of,
    drops_told,
    events_told,
    machine_told,
    workers_told,
)
from wirespeed.results.collection import Collected


def case_of(collected: Collected) -> Case:
    """A case by the device's own counters; the offered load is unknown."""
    told = [collected.whole]
    place = f"{collected.source}: {collected.whole.interval_s:.3g} s"
    workers = workers_told(told, place)
    load = CaseLoad(
        name=Path(collected.source).stem,
        received_pps=collected.whole.out_pps or 0.0,
        source=place,
        cycles=cycles_of(workers),
    )
    quiet = () if load.received_pps else (f"{collected.source}: the DUT sent nothing in that time",)
    case = Case(load=load, interval_s=collected.whole.interval_s, remarks=quiet)
    known = with_collected(case, collected)
    return replace(known, dut=case_dut(collected.dut, workers, collected.source))


def with_collected(case: Case, collected: Collected) -> Case:
    """The case with what the device told; nothing changes of one whose test asked it itself."""
    if case.tells_drops or case.workers or case.cpus:
        return case
    readings = [collected.whole]
    place = f"{collected.source}: {collected.whole.interval_s:.3g} s"
    workers = workers_told(readings, place)
    return replace(
        case,
        load=replace(case.load, cycles=case.load.cycles or cycles_of(workers)),
        dut=replace(case_dut(collected.dut, workers, collected.source), has_nics=case.dut.has_nics),
        workers=workers,
        drops=drops_told(readings),
        events={**case.events, **events_told(readings)},
        cpus=cpus_told(readings),
        tells_drops=True,
        machine=machine_told(readings, collected.dut, place),
    )
