"""The test suite's stages: every test belongs to exactly one."""

from __future__ import annotations

import itertools
from pathlib import Path

from harness.stages import FOLDERS, REST, STAGES, TEST

TESTS = Path(__file__).resolve().parents[1]


def test_each_folder_with_tests_is_known_to_the_stages() -> None:
    assert {file.parent.relative_to(TESTS).as_posix() for file in TESTS.rglob("test_*.py")} == set(FOLDERS)


def test_each_test_belongs_to_exactly_one_stage_whatever_its_markers_are() -> None:
    for folder, alone, long in itertools.product(FOLDERS, (False, True), (False, True)):
        takers = [stage.name for stage in STAGES if stage.takes(folder, alone=alone, long=long)]
        assert len(takers) == 1, f"a test of {folder} with alone={alone}, long={long} belongs to {takers}"


def test_long_tests_are_left_to_test_all() -> None:
    for stage in STAGES:
        assert stage.tier in (TEST, REST)
        assert stage.long is False or stage.tier == REST, stage.name
