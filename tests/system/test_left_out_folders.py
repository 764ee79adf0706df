"""The router builds and forwards with each feature folder deleted, one at a time."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Where tools/setup.sh puts meson and ninja.
PATH = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
PARTS = ("meson.build", "meson.options", "native", "tools/version.py", "wirespeed/__init__.py")


def copied(tree: Path) -> None:
    """Copy the files that a build without Python reads."""
    for part in PARTS:
        (tree / part).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, tree / part)


def run(tree: Path, *command: str) -> None:
    environment = {**os.environ, "PATH": PATH, "MARCH": "1"}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"


def forwards(tree: Path) -> None:
    run(tree, "ninja", "-C", "build", "--quiet", "native/tests/test_ip4")
    run(tree, "build/native/tests/test_ip4")


@pytest.mark.timeout(1800)
@pytest.mark.long("a build of the router, and a link of it without each feature")
def test_each_feature_folder_can_be_deleted(tmp_path: Path) -> None:
    if not shutil.which("meson", path=PATH) or not shutil.which("ninja", path=PATH):
        pytest.skip("meson and ninja are needed; tools/setup.sh installs them")
    copied(tmp_path)
    options = ("-Dpython=false", "-Dtests=true", "-Dlevels=false", "-Dbuildtype=plain", "-Dwerror=false")
    run(tmp_path, "meson", "setup", "build", *options)
    forwards(tmp_path)
    listing = tmp_path / "native/router/meson.build"
    whole = listing.read_text()
    named = {path.parent.name: path.read_text() for path in listing.parent.glob("*/meson.build")}
    features = [name for name, text in named.items() if f"features += '{name}'" in text]
    assert len(features) > 5
    for feature in features:
        folder = listing.parent / feature
        folder.rename(tmp_path / feature)
        assert f"subdir('{feature}')\n" in whole
        listing.write_text(whole.replace(f"subdir('{feature}')\n", ""))
        forwards(tmp_path)
        (tmp_path / feature).rename(folder)
