"""Paths of earlier versions are still found, and current ones take precedence."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.campaign.campaign import folder_of
from wirespeed.corpus.place import default_folder, own_corpus


def test_a_campaign_goes_on_in_the_folder_of_an_earlier_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert folder_of("x") == Path("wirespeed-campaign/x")
    Path("wirespeed-suite/x").mkdir(parents=True)
    assert (folder_of("x"), folder_of("y")) == (Path("wirespeed-suite/x"), Path("wirespeed-campaign/y"))


def test_the_archive_is_found_by_both_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WIRESPEED_RESULTS", "WIRESPEED_CORPUS"):
        monkeypatch.delenv(name, raising=False)
    assert own_corpus() == str(default_folder())
    monkeypatch.setenv("WIRESPEED_CORPUS", "/former")
    assert own_corpus() == "/former"
    monkeypatch.setenv("WIRESPEED_RESULTS", "/present")
    assert own_corpus() == "/present"
