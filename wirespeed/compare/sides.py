"""The two sides of a comparison: result files, and folders of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wirespeed.compare.comparison import Values
from wirespeed.errors import FileFault, UsageError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import read_file
from wirespeed.results.dut_names import UNNAMED, DutNames
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.subjects import Subject, Value, dut_of, rates


@dataclass(frozen=True)
class Side:
    """Figures of some results, in their order, by DUT."""

    by_dut: Mapping[str, Mapping[Subject, Sequence[Value]]]

    def values(self, *, by_name: bool) -> dict[Subject, list[Value]]:
        """Values of all DUTs together, or with `by_name` of each."""
        by_subject: dict[Subject, list[Value]] = {}
        for dut, subjects in self.by_dut.items():
            for subject, values in subjects.items():
                by_subject.setdefault(replace(subject, dut=dut) if by_name else subject, []).extend(values)
        return by_subject


def read_side(where: Path, names: DutNames = UNNAMED) -> Side:
    """Figures in a file, or in all files of a folder, in the order of their names. UsageError if there is nothing to
    compare, FileFault for a file that is not a result. `names` are for unnamed DUTs."""
    return side_of(str(where), (names.named(read_file(file), file) for file in files_of(where)))


def side_of(name: str, results: Iterable[MeasurementResult]) -> Side:
    """Figures of these results. UsageError, with `name` for them, if there is nothing to compare."""
    by_dut: dict[str, dict[Subject, list[Value]]] = {}
    number = 0
    for result in results:
        number += 1
        for subject, value in rates(result, verdict_of(result)):
            by_dut.setdefault(dut_of(result), {}).setdefault(subject, []).append(value)
    if not by_dut:
        each = "its result did not find" if number == 1 else f"none of its {number} results found"
        found = f": {each} one, see `wirespeed explain`" if number else ""
        raise UsageError(
            f"{name} has no rate to compare{found}; give results of load tests, searches or RFC 2544 tests"
        )
    return Side(by_dut)


def facing(a: Side, b: Side) -> tuple[Values, Values]:
    """Values of both sides. If each side has one DUT, the two are compared, whatever their names. Otherwise each DUT is
    compared with itself."""
    by_name = len(a.by_dut) > 1 or len(b.by_dut) > 1
    return a.values(by_name=by_name), b.values(by_name=by_name)


def files_of(path: Path, *, below: bool = False) -> list[Path]:
    """The results of a folder, and of those `below` it, by name; or the file itself. FileFault if there is none."""
    if not path.is_dir():
        return [path]
    try:
        files = sorted(path.rglob("*.json") if below else path.glob("*.json"))
    except OSError as error:
        raise FileFault(f"folder {path} cannot be read: {error.strerror}") from None
    if not files:
        raise FileFault(f"folder {path} contains no result file (*.json); give another folder, or files")
    return files
