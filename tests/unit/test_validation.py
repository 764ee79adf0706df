"""docs/validation.md and the README's lines are as the data has them; `python -m manual references docs` writes them
so. Programs say where they rest on recorded texts only."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from report_cases import test_of

from wirespeed.dut.device import KINDS, WITH_SOCKET
from wirespeed.report.comparison import compare
from wirespeed.validation import proved as validation
from wirespeed.validation.proved import PROOFS, caution, page, proved, readme_lines, with_readme_lines

ROOT = Path(__file__).parents[2]
PAGE, README = ROOT / "docs" / "validation.md", ROOT / "README.md"


def test_the_page_and_the_readme_are_what_the_data_says() -> None:
    assert PAGE.read_text() == page()
    text = README.read_text()
    assert readme_lines() in text and with_readme_lines(text) == text
    assert readme_lines().count("\n") == 5


def test_each_row_is_whole_and_its_tests_are_there() -> None:
    rows = tomllib.loads((Path(validation.__file__).parent / "proved.toml").read_text())["proved"]
    assert len({row["on"] for row in rows}) == len(rows) == len(proved())
    for one in proved():
        assert one.proof in PROOFS and one.tried and one.when and one.command
        for path in re.findall(r"\b(?:tests|tools)/\S+", one.command):
            assert (ROOT / path).exists(), path


def test_each_kind_of_device_is_in_the_table() -> None:
    kinds = {*KINDS, *WITH_SOCKET} - {"none"}
    assert kinds <= {one.on for one in proved()}


@pytest.mark.parametrize("kind", ["freebsd", "openbsd", "danos", "vpp"])
def test_a_report_marks_devices_that_were_tried_on_recorded_texts_only(kind: str) -> None:
    def change(document: dict[str, object]) -> None:
        document["dut"] = {"name": "box", "kind": kind}

    (remark,) = [one for one in compare([test_of("a", change=change)]).remarks if one.cause == "recorded-only"]
    assert remark.sentence == f"{caution(kind)}." and remark.tests == ("a",)


@pytest.mark.parametrize("kind", ["linux", "wirespeed", "router", "unheard of"])
def test_what_was_tried_for_real_is_not_marked(kind: str) -> None:
    def change(document: dict[str, object]) -> None:
        document["dut"] = {"name": "box", "kind": kind}

    assert not [one for one in compare([test_of("a", change=change)]).remarks if one.cause == "recorded-only"]
