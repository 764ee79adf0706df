"""Cases from result and evidence files, completed by inspections and collected telemetry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from wirespeed.cases.facts import Case, CaseLoad
from wirespeed.explain.sources.collected import case_of, with_collected
from wirespeed.measurement.file import read_file
from wirespeed.measurement.registry import part_of
from wirespeed.results.collection import Collected, is_collected, read_collected
from wirespeed.results.dut_names import UNNAMED, DutNames
from wirespeed.results.inspection import Inspection, is_inspection, read_inspection
from wirespeed.results.measurement import MeasurementResult

YAML = (".yaml", ".yml")
T = TypeVar("T")


@dataclass(frozen=True)
class _Beside:
    """Files about the DUT that are not tests."""

    inspections: tuple[Inspection, ...] = ()
    collected: tuple[Collected, ...] = ()


def read_cases(paths: Sequence[Path], against: Sequence[Path] = (), names: DutNames = UNNAMED) -> tuple[Case, ...]:
    """A case for each test of `paths`; it also has all other tests of the same DUT, those of `against` too, and the
    inspections and collections of that DUT among the files. A collection without a test is explained itself.
    """
    inspected = [path for path in paths if is_inspection(path)]
    collected = [path for path in paths if path not in inspected and is_collected(path)]
    tests = [path for path in paths if path not in inspected and path not in collected]
    beside = _Beside(
        tuple(read_inspection(path) for path in inspected), tuple(read_collected(path) for path in collected)
    )
    wanted = [case for path in tests for case in _cases(path, names)]
    if not tests:
        wanted = [case_of(one) for one in beside.collected]
    wanted = [_known(case, beside, is_only=True) for case in wanted]
    return side_by_side(wanted, [case for path in against for case in _cases(path, names)])


def is_result(path: Path) -> bool:
    """True if `read_cases` reads the file as a test's result: not as evidence, inspection or collection."""
    return path.suffix not in YAML and not is_inspection(path) and not is_collected(path)


def cases_of_results(results: Sequence[MeasurementResult], inspections: Sequence[Inspection] = ()) -> tuple[Case, ...]:
    """A case for each test of results, each under its name. Only inspections with the DUT's name are used, since others
    may be of the tester."""
    found = [case for one in results for case in cases_of(one, one.name)]
    return side_by_side([_known(case, _Beside(tuple(inspections)), is_only=False) for case in found])


def cases_of(found: MeasurementResult, source: str) -> tuple[Case, ...]:
    """Cases of one file. All are of one device, whatever its name, so each is compared with the others."""
    cases: tuple[Case, ...] = part_of(found, "case").cases_of(found, source)
    return tuple(
        replace(case, others=(*case.others, *(other.load for other in cases if other is not case))) for case in cases
    )


def side_by_side(cases: Sequence[Case], beside: Sequence[Case] = ()) -> tuple[Case, ...]:
    """Each case with the loads of the others on the same DUT; those of `beside` on another DUT get a remark. Tests of
    unnamed DUTs are only compared with `beside`, whose DUT is the same according to the user."""
    return tuple(
        replace(
            case,
            others=(
                *case.others,
                *(
                    other.load
                    for other in (*(one for one in cases if case.dut.name), *beside)
                    if other is not case and _is_same_dut(other, case) and other.load not in case.others
                ),
            ),
            remarks=(*case.remarks, *_of_other_duts(case, beside), *_nameless(case, cases)),
        )
        for case in cases
    )


def _is_same_dut(one: Case, other: Case) -> bool:
    """True for the same device with the same system, if both systems are known."""
    systems = {one.dut.system, other.dut.system} - {""}
    return one.dut.name == other.dut.name and len(systems) < 2


def _of_other_duts(case: Case, beside: Sequence[Case]) -> tuple[str, ...]:
    strange = dict.fromkeys(
        f"{other.load.name} is of another DUT ({_named(other)}, here {_named(case)}): it is not compared with"
        for other in beside
        if not _is_same_dut(other, case)
    )
    return tuple(strange)


def _named(case: Case) -> str:
    name = case.dut.name or "without a name"
    return f"{name}, {case.dut.system}" if case.dut.system else name


def _nameless(case: Case, cases: Sequence[Case]) -> tuple[str, ...]:
    """Remark that tests which may be of one DUT are not compared, since they do not name it."""
    strange = [one for one in cases if one is not case and not one.dut.name and one.load not in case.others]
    count = sum(one.load.received_pps > 0 for one in strange)
    if case.dut.name or not case.load.received_pps or not count:
        return ()
    tests = "one other test names" if count == 1 else f"{count} other tests name"
    return (f"{tests} no DUT either, and may be of another one: name them by --dut-name or --name",)


def _known(case: Case, beside: _Beside, *, is_only: bool) -> Case:
    """The case with the facts about its DUT, found by name, or with `is_only` if only one can be meant."""
    for one in _of_dut(case, beside.collected, [one.dut.name for one in beside.collected], is_only):
        case = with_collected(case, one)
    for found in _of_dut(case, beside.inspections, [one.machine for one in beside.inspections], is_only):
        from wirespeed.explain.sources.inspection import with_inspection  # noqa: PLC0415 - pydantic is slow to import

        case = with_inspection(case, found)
    return case


def _of_dut(case: Case, found: Sequence[T], names: Sequence[object], is_only: bool) -> list[T]:
    named = [one for one, name in zip(found, names, strict=True) if name == case.dut.name]
    return named or (list(found) if is_only and len(found) == 1 else [])


def _cases(path: Path, names: DutNames) -> tuple[Case, ...]:
    if path.suffix in YAML:
        from wirespeed.explain.sources.evidence_file import read_evidence  # noqa: PLC0415 - as above

        return read_evidence(path)
    found = names.named(read_file(path), path)
    nothing = Case(CaseLoad(found.name, 0.0, path.name), remarks=(f"{path.name}: no load was held in it",))
    return cases_of(found, path.name) or (nothing,)
