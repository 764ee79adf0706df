"""A plugin of pytest (docs/ci.md): a lab for tests, and results compared with a baseline.

Every run of pytest on a machine with wirespeed imports this module, so it imports the library in its fixtures only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from wirespeed import Testbed
    from wirespeed.results.measurement import MeasurementResult


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("wirespeed")
    group.addoption(
        "--wirespeed-lab",
        metavar="LAB|FILE",
        default="embedded",
        help="Lab of the fixture wirespeed_lab: embedded, linux …, or a testbed file (.yaml).",
    )
    group.addoption(
        "--wirespeed-renew", action="store_true", help="Write new baselines of assert_not_slower; compare nothing."
    )


@pytest.fixture(scope="session")
def wirespeed_lab(request: pytest.FixtureRequest) -> Iterator[Testbed]:
    """The lab or testbed of `--wirespeed-lab`, up from the first test that asks for it to the end of the run. The tests
    fail with the reason if this machine cannot bring it up."""
    from contextlib import ExitStack  # noqa: PLC0415 - see the top

    from wirespeed import bring_up, connect  # noqa: PLC0415

    name = request.config.getoption("--wirespeed-lab")
    with ExitStack() as stack:
        with _failing():
            is_file = name.endswith((".yaml", ".yml"))
            lab = stack.enter_context(connect(testbed=name) if is_file else bring_up(name))
        yield lab


@contextmanager
def _failing() -> Iterator[None]:
    """An error of wirespeed fails the test with its one line, without a traceback."""
    from wirespeed import WirespeedError  # noqa: PLC0415 - see the top

    try:
        yield
    except WirespeedError as error:
        pytest.fail(f"{error}", pytrace=False)


@pytest.fixture
def assert_not_slower(request: pytest.FixtureRequest) -> NotSlower:
    """A function that compares results with a baseline."""
    return NotSlower(request.path.parent, renews=request.config.getoption("--wirespeed-renew"))


class NotSlower:
    """Compares results with the files of a baseline; `folder` is that of the test."""

    def __init__(self, folder: Path, *, renews: bool) -> None:
        self._folder, self._renews = folder, renews

    def __call__(
        self,
        results: Sequence[MeasurementResult],
        baseline: str | PathLike[str],
        *,
        within: float = 0.01,
        confidence: float = 0.95,
        strict: bool = False,
    ) -> None:
        """AssertionError, with the table of `wirespeed compare`, if a figure of `results` is worse than in `baseline`,
        missing, or had fewer than two runs on a side; with `strict` also if the verdict is "cannot tell".

        `baseline` is a folder of result files beside the test. `within` is the ratio that counts as no difference,
        `confidence` that of the intervals, both between 0 and 1. With `--wirespeed-renew` the results become the
        baseline. The test fails, with the reason in one line, for a missing or worthless baseline, and for results that
        cannot become one.
        """
        __tracebackhide__ = True
        from wirespeed.compare.baseline import faults, renew  # noqa: PLC0415 - see the top

        if not isinstance(results, list | tuple):
            pytest.fail(
                f"assert_not_slower compares a list of results; give [result, …], not {results!r}", pytrace=False
            )
        place, why = self._folder / baseline, ""
        with _failing():
            if self._renews:
                renew(place, results)
            else:
                why = faults(place, results, within, confidence, strict=strict)
        if why:
            raise AssertionError(why)
