"""T-Rex's own client, unchanged, with wirespeed's generator: looped on a ring, and through a wirespeed router."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.stopping import stop_process
from harness.waiting import PATIENCE_S, wait_for
from shared_labs import RingLab, connected
from trex_library import need_trex_library

from wirespeed.lab.embedded import EmbeddedLab

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")
need_trex_library()

SESSION = Path(__file__).with_name("trex_client_session.py")
EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = re.findall(r"^@case\ndef (\w+)", SESSION.read_text(), re.MULTILINE)


class Client:
    """T-Rex's client in a separate process, which runs one case after another."""

    def __init__(self, log: Path) -> None:
        self._log = log
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, str(SESSION)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                text=True,
            )

    def run(self, rpc: str, case: str) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(port_of(rpc), case, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        assert answer, self._log.read_text()
        fault = json.loads(answer)
        assert not fault, fault

    def end(self) -> None:
        self._process.communicate(timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    made = Client(tmp_path_factory.mktemp("trex") / "log")
    yield made
    made.end()


def port_of(rpc: str) -> str:
    return rpc.rpartition(":")[2]


@pytest.fixture
def router(lab: EmbeddedLab) -> str:
    """RPC port of a generator whose ports a wirespeed router connects."""
    return port_of(lab.rpc)


def run(*words: str) -> str:
    """Output of a script, which must succeed."""
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", CASES)
def test_on_a_ring(client: Client, ring: RingLab, name: str) -> None:
    client.run(ring.rpc, name)


@pytest.mark.long("test_on_a_ring has the same cases without the router")
@pytest.mark.parametrize("name", CASES)
def test_through_the_router(client: Client, lab: EmbeddedLab, name: str) -> None:
    client.run(lab.rpc, name)


def test_example_two_ways(router: str) -> None:
    words = ["--port", router, "--rate", "2kpps", "--duration", "1", "--patience", str(PATIENCE_S)]
    printed = run(str(EXAMPLES / "two_ways.py"), *words)
    assert re.findall(r"^(\d) to (\d): (\d+) sent, \3 received, 0 lost$", printed, re.MULTILINE)[1][:2] == ("1", "0")


def test_example_two_ways_counts_no_packet_on_its_way_as_lost(lab: EmbeddedLab) -> None:
    """The router is stopped from before the first packet until after the last one."""
    words = ["--port", port_of(lab.rpc), "--rate", "200pps", "--duration", "0.5", "--patience", str(PATIENCE_S)]
    with connected(lab.rpc) as client:

        def sent() -> int:
            return sum(port.opackets for port in client.snapshot([0, 1]).ports.values())

        before = sent()
        stop_process(lab.router.pid)
        try:
            script = subprocess.Popen([sys.executable, str(EXAMPLES / "two_ways.py"), *words], stdout=subprocess.PIPE)
            wait_for(lambda: sent() - before == 200 and script.poll() is None, "both ports to send")
            wait_for(lambda: all(port.state != "TX" for port in client.port_status([0, 1]).values()), "the end")
        finally:
            os.kill(lab.router.pid, signal.SIGCONT)
    printed, _ = script.communicate(timeout=PATIENCE_S)
    assert printed.count(b": 100 sent, 100 received, 0 lost\n") == 2, printed


@pytest.mark.long("three loads one after the other; two_ways.py is in `make test`")
def test_example_climb(router: str) -> None:
    steps = ["--steps", "1kpps,2kpps,4kpps", "--hold", "0.5"]
    printed = run(str(EXAMPLES / "climb.py"), "--port", router, *steps, "-t", "size=imix,flows=10")
    assert re.findall(r"^ +(\w+): +[\d.-]+ % lost", printed, re.MULTILINE) == ["1kpps", "2kpps", "4kpps"]


@pytest.mark.long("test_on_a_ring has latency streams; two_ways.py is in `make test`")
def test_example_latency(router: str) -> None:
    printed = run(str(EXAMPLES / "latency.py"), "--port", router, "--rate", "3kpps", "--duration", "1")
    assert re.search(r"group 7: (\d+) sent, \1 received\ngroup 8: (\d+) sent, \2 received\n", printed), printed
    assert "sequence: no errors" in printed
