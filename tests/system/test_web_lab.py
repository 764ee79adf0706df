"""A test that shows itself in the browser while it runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from built_lab import built_lab
from harness.programs import wirespeed
from harness.waiting import wait_for
from test_web import ask, web
from web_events import Events

from wirespeed.cli.main import main
from wirespeed.lab.embedded import EmbeddedLab

pytestmark = pytest.mark.usefixtures("both_cpus")

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")


def test_a_load_test_shows_itself_while_it_runs(lab: EmbeddedLab, tmp_path: Path) -> None:
    words = ["loadtest", "-s", lab.rpc, "--dut", f"router:{lab.control_socket}", "-p", "bench", "-t", "size=64"]
    words += ["-wd", "0.2", "-rt", "5kpps", "-rd", "0", "-hd", "1", "--interval", "0.5"]
    words += ["-o", str(tmp_path / "own.json"), "--web", "--web-grace", "60s"]
    process = subprocess.Popen(wirespeed(*words), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    address = next(line.split()[1] for line in process.stderr if line.startswith("live: "))
    try:
        with Events(address.removesuffix("live") + "events", patience_s=30.0) as events:
            number = events.until("head")[1]["id"]
            frames = events.until("frames")[1]
            assert frames[-1]["ways"]["0→1"][1] > 0
            assert frames[-1]["cost"]["classes"]["lookup"] > 0
            process.stderr.read()
            assert process.wait(60) == 0
            while (state := events.until("state")[1])["running"]:
                pass
            assert state["figures"]
            assert ask(address.removesuffix("live"), f"report/{number}")[0] == 200
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    wait_for(lambda: _is_refused(address), "the server of the pages to end with the last one")
    assert main(["loadtest", "--web", "-o", "-", "--lab", "embedded"]) == 2


@pytest.mark.long("a load test of eight seconds; the other test shows a load test itself")
def test_a_router_and_a_generator_are_watched_while_traffic_runs(tmp_path: Path) -> None:
    with built_lab() as lab:
        words = ["--router", f"dut={lab.control_socket}", "--generator", f"tester={lab.rpc}", tmp_path]
        with web(*words) as address:
            page = ask(address)[1]
            router, generator = (_machine(page, name) for name in ("dut", "tester"))
            assert ask(address, f"machine/{router}")[0] == 200
            assert ask(address, "machine/0123456789abcdef")[0] == 404
            test = ["loadtest", "-q", "-s", lab.rpc, "-p", "bench", "-t", "size=64", "-wd", "0.2", "-rd", "0"]
            test += ["-hd", "8", "-rt", "20kpps", "-o", str(tmp_path / "x.json")]
            with subprocess.Popen(wirespeed(*test)) as process:
                for machine, names in ((router, ("e0", "e1")), (generator, ("port 0", "port 1"))):
                    with Events(f"{address}events/{machine}", patience_s=30.0) as events:
                        frame = _under_load(events)
                        assert all(min(frame["ways"][name][:2]) > 1000 for name in names)
                        assert ("cost" in frame) == (machine == router)
                        if machine == router:
                            assert frame["cost"]["classes"]["lookup"] > 0
                assert process.wait(60) == 0
            lab.router.stop()
            with Events(f"{address}events/{router}", patience_s=30.0) as events:
                state = next(data for name, data, _ in events if name == "state" and not data["running"])
                assert state["fault"]
            lab.router.start()


def _is_refused(address: str) -> bool:
    try:
        ask(address)
    except ConnectionRefusedError:
        return True
    except ConnectionError:
        return False  # it ends just now
    return False


def _machine(page: str, name: str) -> str:
    found = re.search(rf'href="machine/([0-9a-f]+)">{name}<', page)
    assert found is not None
    return found[1]


def _under_load(events: Events) -> dict[str, Any]:
    """The first frame in which every port sends and receives."""
    for name, data, _ in events:
        for frame in data if name == "frames" else ():
            if all(min(way[:2]) > 1000 for way in frame["ways"].values()):
                return dict(frame)
    raise AssertionError("no frame had traffic")
