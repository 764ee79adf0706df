"""A router without the Python folders of its features."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from api_by_hand import ByHand
from router_run import router

import wirespeed
from wirespeed.errors import UsageError
from wirespeed.router.features import features


def test_a_router_without_the_folders_of_features_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = tmp_path / "wirespeed"
    shutil.copytree(Path(wirespeed.__file__).parent, copied)
    for feature in features():
        shutil.rmtree(copied / "router" / "features" / feature)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    api = tmp_path / "api.sock"
    with router(tmp_path, ("e0=ring:features",), "", "--api-socket", str(api)) as running:
        running.ask("set interface state e0 up")
        running.ask("set interface ip address e0 10.0.0.1/24")
        assert "10.0.0.0/24" in running.ask("show ip fib")
        assert "e0" in running.ask("show interface")
        with pytest.raises(UsageError, match="urpf"):
            running.ask("show urpf")
        with ByHand(api) as client:
            assert b"wirespeed" in client.ask("show_version_51077d14")[1]
