"""Rows of an archive as `wirespeed results` prints them."""

from __future__ import annotations

import pytest

from wirespeed.corpus.text import figures_grid, shown

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


def test_a_result_by_itself_has_units_beside_its_figures() -> None:
    assert shown(RESULT, [ROW], "x")[-1] == "forwarded    50.0 kpps, 7.69 kpps per watt"
