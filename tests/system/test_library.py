"""The examples of docs/ci.md, run with less load and shorter times."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.waiting import wait_for

from wirespeed import BurstResult, LoadTestResult, SearchResult, read_result
from wirespeed.lab.embedded import SHALLOW_SLOTS, EmbeddedLab
from wirespeed.router.client import ask

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).parents[2] / "docs" / "ci.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
QUICK = {
    "1mpps": "2kpps",  # rings hold all of it: a preempted worker loses no packet
    "10kpps": "1kpps",
    "warmup_s=1": "warmup_s=0.5",
    "hold_s=10)": "hold_s=1)",
    "<= 600": "<= 10_000_000",
    "Timer(3.0, stop.set).start()": "when_traffic_flows(stop.set)",
    "range(3)": "range(2)",
    "longest_s=0.5": "longest_s=1e-5, rest_s=0, tries=1",
    "Search(": "Search(least='1kpps', most='2kpps', ",
    "embedded_lab()": f"embedded_lab(descriptors={SHALLOW_SLOTS})",
}

TESTBED = """\
tester: {{server: '{server}'}}
links:
  - {{port: 0, interface: e0, speed: 10G}}
  - {{port: 1, interface: e1, speed: 10G}}
dut: {{kind: wirespeed, reach: local, socket: {socket}}}
"""
"""The page's testbed file, for a generator and a router that run."""


def quick(*words: str) -> list[str]:
    """The examples that contain these words, with less load and shorter times."""
    found = [one for one in EXAMPLES if all(word in one for word in words)]
    for long, short in QUICK.items():
        found = [one.replace(long, short) for one in found]
    assert found
    return found


def test_each_example_is_run_here() -> None:
    run = {*quick("def test_"), *quick("embedded_lab("), *quick("connect(")}
    assert len(run) == len(EXAMPLES) == 6
    assert all(any(long in one for one in EXAMPLES) for long in QUICK)


def test_the_lab_comes_up_in_any_thread(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = quick("embedded_lab(")
    ended: list[dict[str, Any]] = []

    def run() -> None:
        scope: dict[str, Any] = {}
        exec(example, scope)
        ended.append(scope)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert len(ended) == 1
    result = ended[0]["result"]
    assert isinstance(result, LoadTestResult)
    assert (result.ending.status, result.lost) == ("complete", 0)
    assert f"0 packets lost, {result.cycles_per_packet:.0f} cycles of work per packet" in capsys.readouterr().out


def test_a_testbed_that_exists(
    lab: EmbeddedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "testbed.yaml").write_text(TESTBED.format(server=lab.rpc, socket=lab.control_socket))
    search, burst, stopped = quick("connect(")

    def forwarded() -> int:
        return sum(map(int, re.findall(r"rx packets\s+(\d+)", ask(lab.control_socket, "show interface"))))

    def when_traffic_flows(then: Callable[[], None]) -> None:
        def wait() -> None:
            wait_for(lambda: forwarded() > before + 300, "traffic of the load test")
            then()

        before = forwarded()
        threading.Thread(target=wait).start()

    scope: dict[str, Any] = {"when_traffic_flows": when_traffic_flows}
    exec(search, scope)
    assert isinstance(scope["found"], SearchResult)
    assert read_result("ndr.json") == scope["found"]
    assert {path.name for path in tmp_path.iterdir()} == {"ndr.json", "testbed.yaml"}
    exec(burst, scope)
    assert isinstance(scope["found"], BurstResult)
    assert scope["found"].ending.status == "complete" and scope["found"].trials[0].frames == 64
    exec(stopped, scope)
    assert scope["result"].ending.status == "interrupted"
    shown = capsys.readouterr().out
    assert "NDR" in shown and "longest burst" in shown
    assert "interrupted" in shown and "vector rates" in shown


def test_the_plugin(pytester: pytest.Pytester) -> None:
    folder = pytester.path
    (folder / "test_page.py").write_text("\n\n".join(quick("def test_")))
    lab = f"embedded,descriptors={SHALLOW_SLOTS}"
    pytester.runpytest_subprocess("--wirespeed-lab", lab, "--wirespeed-renew").assert_outcomes(passed=2)
    kept = [read_result(path) for path in sorted((folder / "baseline").iterdir())]
    assert [type(one) for one in kept] == [SearchResult] * 2
