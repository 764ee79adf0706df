"""Settings of a campaign's tests are options of the commands."""

from __future__ import annotations

import pytest
import typer
import typer.main

from wirespeed.campaign.tests import TESTS
from wirespeed.cli.kinds import module_of
from wirespeed.measurement.option import settings


@pytest.mark.parametrize("name", TESTS)
def test_every_setting_is_a_flag_of_its_command(name: str) -> None:
    app = typer.Typer()
    app.command()(module_of(name).command)
    options = {option for one in typer.main.get_command(app).params for option in one.opts}
    flags = {one.option.flag for one in settings(TESTS[name].options)} - {""}
    assert flags and flags <= options


def test_flags_are_what_was_said() -> None:
    test = TESTS["search"].model_validate(
        {
            "name": "a",
            "command": "search",
            "goal": ["ndr", "pdr=1%"],
            "latency": "9kpps",
            "signature": True,
            "time_s": 9,
        }
    )
    assert test.flags("both") == (
        "--goal",
        "ndr",
        "--goal",
        "pdr=1%",
        "--time",
        "9.0",
        "--latency",
        "9kpps",
        "--signature",
    )
    assert test.most_s == 9
