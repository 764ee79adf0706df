"""The short form of each trial (docs/trials.md): `make trials` breaks things for half an hour."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from trials.isolation import refusal
from trials.registry import TRIALS
from trials.runner import SHORT_LIMIT_S

pytestmark = pytest.mark.alone

TREE = Path(__file__).parents[2]
REASON = refusal()

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")


def trials(*words: str) -> subprocess.CompletedProcess[str]:
    command = [str(TREE / "tools" / "trials.sh"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=TREE)


@pytest.mark.timeout(SHORT_LIMIT_S + 60)
@pytest.mark.skipif(REASON is not None, reason=f"trials: {REASON}")
@pytest.mark.parametrize("name", list(TRIALS))
def test_short(name: str) -> None:
    done = trials("--short", "--seed", "1", "--only", name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " held " in done.stdout


def test_a_name_that_is_none_is_refused() -> None:
    done = trials("--only", "nothing")
    assert done.returncode == 2
    assert "no trial 'nothing'; there are " in done.stderr
