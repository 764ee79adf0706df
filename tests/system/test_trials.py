"""The short form of each trial (docs/develop/trials.md): `make trials` breaks things for half an hour."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from trials.isolation import refusal
from trials.registry import TRIALS
from trials.runner import SHORT_LIMIT_S

TREE = Path(__file__).parents[2]
REASON = refusal()
LONG = {
    **dict.fromkeys(
        ("kill-search", "kill-rfc2544", "kill-soak"),
        "eight starts of a measurement; test_loadtest_process.py has one kill",
    ),
    **dict.fromkeys(("kill-console", "kill-tui"), "eight starts of a console; test_console.py has others"),
    **dict.fromkeys(("kill-demo", "labs"), "demos, one after the other and side by side"),
    "kill-loadtest": "eight starts of a load test; test_loadtest_process.py has one kill",
    **dict.fromkeys(
        ("connects", "starts-stops"), "the changes of a session, again and again; test_trex_client.py has one"
    ),
    "interfaces": "interfaces come and go by the hundred; tests/dataplane has each kind",
    "kill-generator": "a generator is killed again and again; test_labs.py has one kill",
    "outputs": "some fifty commands, each with a disk of its own",
    "router-restarts": "two load tests of ten seconds",
    **dict.fromkeys(
        ("held-connections", "half-requests", "web-pages"),
        "four programs at a time, the generator polls; test_serving.py has the same clients in one process",
    ),
    "kill-router": "a router is killed again and again under load; test_loadtest_process.py has one kill",
    "packets": "200 000 wrong packets; the C tests and fuzz corpora have one of each kind",
    "control-fuzz": "700 wrong lines; tests/unit/test_router_fuzz.py has them without a socket",
    "many-links": "2 400 links; `make trials` has it with sanitizers",
}
MEASURES = ("rpc-fuzz",)
"""Trials that compare how many packets were late."""

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")


def trials(*words: str) -> subprocess.CompletedProcess[str]:
    command = [str(TREE / "tools" / "trials.sh"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=TREE)


def marked(name: str) -> object:
    marks = [pytest.mark.long(LONG[name])] if name in LONG else []
    marks += [pytest.mark.alone] if name in MEASURES else []
    return pytest.param(name, marks=marks)


@pytest.mark.timeout(SHORT_LIMIT_S + 60)
@pytest.mark.skipif(REASON is not None, reason=f"trials: {REASON}")
@pytest.mark.parametrize("name", [marked(name) for name in TRIALS])
def test_short(name: str) -> None:
    done = trials("--short", "--seed", "1", "--only", name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " held " in done.stdout


def test_a_name_that_is_none_is_refused() -> None:
    done = trials("--only", "nothing")
    assert done.returncode == 2
    assert "no trial 'nothing'; there are " in done.stderr
