"""Rows of an archive as `wirespeed results` prints them."""

from __future__ import annotations

import pytest

from wirespeed.corpus.text import figures_grid, results_grid, shown

ROW = {
    **{"digest": "d" * 64, "figure": "forwarded", "mark": "held", "dut": "router", "version": "", "build": ""},
    **{"load": "bench size=64", "directions": "0→1", "limited_by": "worker"},
    **{"rate_pps": 5e4, "bound": "", "upper_pps": None, "irregular": "", "per_watt": 7690.0},
}
RESULT = dict.fromkeys(("title", "kind", "started", "status", "cpu", "lab", "watts", "is_missing"), "") | {
    **ROW,
    "tags": (),
}


@pytest.mark.parametrize(
    ("said", "rate", "per_watt"),
    [
        ({}, "0.0500", "0.00769"),
        ({"rate_pps": 38e6, "bound": "tester-limited"}, "≥ 38.0", "0.00769"),
        ({"rate_pps": 7.77e6, "upper_pps": 7.808e6, "irregular": "busy", "per_watt": None}, "7.77 to 7.81?", "–"),
    ],
)
def test_figures_that_are_compared_have_one_unit(said: dict[str, object], rate: str, per_watt: str) -> None:
    """A slow DUT beside a fast one."""
    table = figures_grid([ROW | said])
    (row,) = table.rows
    assert (table.headings[2:4], row[2:4]) == (("Mpps", "Mpps/W"), (rate, per_watt))


@pytest.mark.parametrize(
    ("said", "cells"),
    [
        (
            {"figure": "NDR", "rate_pps": 38e6, "bound": "tester-limited", "mark": "at least"},
            ("NDR", "≥ 38.0", "at least"),
        ),
        ({"mark": "estimate"}, ("forwarded", "0.0500", "estimate")),
        ({"irregular": "the test is interrupted"}, ("forwarded", "0.0500", "irregular")),
        (None, ("–", "–", "–")),
    ],
)
def test_a_listed_result_has_the_figure_of_its_verdict_and_its_mark(
    said: dict[str, object] | None, cells: tuple[str, ...]
) -> None:
    table = results_grid([RESULT | {"headline": None if said is None else ROW | said}])
    place = table.headings.index("figure")
    assert (table.headings[place : place + 3], table.rows[0][place : place + 3]) == (("figure", "Mpps", "mark"), cells)


def test_a_result_by_itself_has_units_beside_its_figures() -> None:
    assert shown(RESULT, [ROW], "x")[-1] == "forwarded    50.0 kpps, 7.69 kpps per watt"
