"""`wirespeed rfc2544` on a lab of its own: every test with real packets, on a line that a busy machine carries.

test_first_commands.py has a short one for `make test`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cli.main import main
from wirespeed.measurement.file import read_file
from wirespeed.measurement.rfc2544.result import Rfc2544Result


@pytest.mark.parametrize(
    ("test", "family"),
    [
        pytest.param("reset", ["--sizes", "64"], marks=pytest.mark.long("a router that starts anew under load")),
        pytest.param("all", ["--sizes", "64"], marks=pytest.mark.long("all tests; one needs throughput and a reset")),
        pytest.param("all", ["--ip6", "--sizes", "82"], marks=pytest.mark.long("the same tests with IPv6")),
    ],
)
def test_every_test_ends_with_a_number_or_a_reason(test: str, family: list[str], tmp_path: Path) -> None:
    file = tmp_path / "lab.json"
    flags = ["--lab", "embedded", "--line", "10M", "--trial", "0.2", "--repeats", "1", "--repeat-disturbed", "-q"]
    assert main(["rfc2544", test, *family, *flags, "-o", str(file)]) == 0
    result = read_file(file)
    assert isinstance(result, Rfc2544Result)
    (throughput,) = result.throughput
    assert throughput.throughput_pps is not None
    assert throughput.is_line or throughput.irregular, "10 Mb/s are the line, or the machine was away"
    if test == "all":
        assert result.frame_loss[0].points
        assert result.back_to_back[0].skipped or result.back_to_back[0].lengths
        assert {row.direction for row in result.latency} == {"0→1", "1→0"}
        assert any(row.tagged for row in result.latency)
    (reset,) = result.reset
    assert reset.times_s[0] > 0, "a router that starts anew forwards nothing meanwhile"
    assert reset.lost[0] > 0
