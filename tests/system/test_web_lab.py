"""A test that is shown in the browser while it runs."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from built_lab import built_lab
from harness.programs import wirespeed
from harness.waiting import wait_for
from headless import needs_chromium, until
from selenium.webdriver.common.by import By
from test_web import ask, web
from web_events import Events

from wirespeed.cli.main import main
from wirespeed.lab.embedded import EmbeddedLab

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


SAID = """
    window.said = [];
    const shown = ["state", "time"].map((id) => document.getElementById(id));
    const note = () => window.said.push(shown.map((one) => one.textContent));
    const observer = new MutationObserver(note);
    for (const one of shown) observer.observe(one, { childList: true, characterData: true, subtree: true });
    note();
"""
"""Records all states and times that the page shows, even briefly."""


@needs_chromium("the live page of a real test")
@pytest.mark.parametrize(
    ("hold_s", "is_stopped"),
    [(300, True), pytest.param(15, False, marks=pytest.mark.long("a load test of 15 seconds that ends by itself"))],
)
def test_in_a_browser_a_test_is_followed_past_its_end(
    lab: EmbeddedLab, tmp_path: Path, chromium: Any, hold_s: int, is_stopped: bool
) -> None:
    words = ["loadtest", "-s", lab.rpc, "--dut", f"router:{lab.control_socket}", "-p", "bench", "-t", "size=64"]
    words += ["-wd", "0.2", "-rt", "5kpps", "-rd", "0", "-hd", str(hold_s)]
    words += ["-o", str(tmp_path / "own.json"), "--web", "--web-grace", "120s"]
    process = subprocess.Popen(wirespeed(*words), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    try:
        address = next(line.split()[1] for line in process.stderr if line.startswith("live: "))
        chromium.get(address)
        chromium.execute_script(SAID)

        def said() -> list[list[str]]:
            return list(chromium.execute_script("return window.said"))

        def left_s() -> list[int]:
            found = [re.search(r", at most (?:(\d+):)?(\d+):(\d\d) left", time) for _, time in said()]
            return [3600 * int(one[1] or 0) + 60 * int(one[2]) + int(one[3]) for one in found if one]

        until(chromium, lambda: len(set(left_s())) > 2)
        assert left_s() == sorted(left_s(), reverse=True)
        assert chromium.find_element(By.CSS_SELECTOR, "#now #received").text.endswith("pps")
        if is_stopped:
            until(chromium, lambda: chromium.find_elements(By.CSS_SELECTOR, "#verdicts li"))
            assert chromium.find_element(By.ID, "verdict").text == "So far"
            process.send_signal(signal.SIGINT)
        process.stderr.read()
        assert process.wait(60) == (130 if is_stopped else 0)
        until(chromium, lambda: chromium.find_elements(By.CSS_SELECTOR, "#figures .card"))
        state = "interrupted" if is_stopped else "complete"
        assert chromium.find_element(By.ID, "state").text.startswith(state)
        assert chromium.find_element(By.ID, "verdict").text == "Verdict"
        assert chromium.find_elements(By.CSS_SELECTOR, "#verdicts li")
        assert not [one for one, _ in said() if "connection lost" in one or "has ended" in one]
        assert not chromium.find_element(By.ID, "progress").is_displayed()
        chromium.find_element(By.LINK_TEXT, "Report of this test").click()
        until(chromium, lambda: "own" in chromium.title and chromium.find_elements(By.CSS_SELECTOR, "#answers .rate"))
        assert chromium.get_log("browser") == []
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        chromium.get("about:blank")
    wait_for(lambda: _is_refused(address), "the server of the pages to end with the last one")


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
