"""A campaign on several nodes of a real Ray cluster, all on loopback; one of them is killed while its
test case runs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from campaign_process import CampaignProcess, suite
from harness.ports import free_port
from harness.programs import wirespeed
from harness.waiting import wait_for

from wirespeed.corpus.opening import open_corpus

CAMPAIGN = """\
campaign: 1
name: spread
testbeds: [embedded]
spread: any
duts: [{name: one}, {name: two}]
tests:
  - {name: few, command: loadtest, profile: bench, tunables: size=64, warmup_s: 0.1, ramp_s: 0, hold_s: 1,
     ramp_target: 5kpps, interval_s: 0.25}
"""


@contextmanager
def served(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A running node of the cluster."""
    node = subprocess.Popen(
        wirespeed("campaign", "worker", *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert node.stdout is not None
        line = node.stdout.readline()
        assert line.startswith("ready: "), line
        yield node
    finally:
        node.terminate()
        node.wait(60)
        node.stdout.close()  # type: ignore[union-attr]


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], stdout=subprocess.PIPE, text=True, check=False)
    direct = [int(word) for word in found.stdout.split()]
    return [*direct, *(below for child in direct for below in children(child))]


@pytest.mark.long("a cluster of Ray takes minutes to start and to miss a node")
def test_a_node_that_is_killed_loses_no_cell_and_none_is_done_twice(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    file = tmp_path / "suite.yaml"
    # Both nodes run the first cells at once until there is a file; the cell of the killed one goes to the other.
    go = tmp_path / "go"
    text = CAMPAIGN
    for name in ("one", "two"):
        waits = f"touch {go}.{name}; while [ ! -e {go} ]; do sleep 0.1; done"
        text = text.replace(f"{{name: {name}}}", f"{{name: {name}, before: ['{waits}']}}")
    file.write_text(text)
    head = f"127.0.0.1:{free_port()}"
    with ExitStack() as stack:
        stack.enter_context(served("embedded", "--name", "a", "--port", head.partition(":")[2]))
        lost = stack.enter_context(served("embedded", "--name", "b", "--join", head))
        at = ("--ray", head, "--archive", tmp_path / "corpus")
        run = CampaignProcess("run", file, "--testbeds", "a,b", *at, directory=tmp_path)
        run.until(lambda: len(list(tmp_path.glob("go.*"))) == 2)
        for pid in (lost.pid, *children(lost.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        run.wait_for("its testbed is unreachable")
        go.touch()
        assert run.end() == 0, run.text
        assert "2 of 2 test cases are done" in run.text
        results = list((tmp_path / "wirespeed-campaign" / "spread" / "results").iterdir())
        tries = (tmp_path / "wirespeed-campaign" / "spread" / "tries.jsonl").read_text()
        with open_corpus(str(tmp_path / "corpus")) as corpus:
            assert corpus.index.results(()).total == 2
        assert len(results) == 2 and tries.count('"status": "done"') == 2 and "lost" in tries

        def without_the_killed_node() -> tuple[int, str] | None:
            asked = suite("run", file, "--testbeds", "a,c", "--ray", head, "--wait", "0", directory=tmp_path)
            return None if "there are a, b" in asked[1] else asked

        code, said = wait_for(without_the_killed_node, "the news that the node is dead", 90.0)
        assert code == 4 and "testbed c is unreachable: no worker serves it; there are a (" in said, said


@pytest.mark.long("starts of a campaign with Ray")
def test_without_ray_several_benches_are_one_line() -> None:
    """A machine without the extra: its folder is not on this program's path."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "suite.yaml"
        file.write_text(CAMPAIGN)
        program = (
            "import importlib.util, sys\n"
            "real = importlib.util.find_spec\n"
            "importlib.util.find_spec = lambda name, *rest: None if name == 'ray' else real(name, *rest)\n"
            "from wirespeed.cli.main import main\n"
            f"sys.exit(main(['campaign', 'run', {str(file)!r}, '--testbeds', 'a,b']))"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr == (
        "wirespeed: several testbeds at once need Ray, which is not installed: "
        "pip install 'wirespeed[ray]', or tools/setup.sh ray in a checkout\n"
    )
