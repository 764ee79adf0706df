"""The live page: a growing test, followed by clients that connect, disconnect and reconnect; and refused clients."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from harness.programs import wirespeed
from headless import needs_chromium
from headless import until as until_in
from report_cases import OURS
from report_kinds import search_of, soak_of
from web_events import Events

from wirespeed.cli.main import main
from wirespeed.measurement.file import write_file
from wirespeed.results.journal import Journal, journal_path
from wirespeed.web.app import PAGE


@contextmanager
def web(*words: object, port: int = 0, ended_by: signal.Signals = signal.SIGINT) -> Iterator[str]:
    """The address of a page that is served."""
    with web_process(*words, port=port) as (address, process):
        yield address
        process.send_signal(ended_by)
    assert process.returncode == (-ended_by if ended_by == signal.SIGKILL else 0)


@contextmanager
def web_process(*words: object, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The same with its process, which ends with the block."""
    process = subprocess.Popen(
        wirespeed("web", "--listen", f"127.0.0.1:{port}", *words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("http"), line
            yield line.split()[0], process
            process.wait(60)
        except BaseException:
            process.kill()
            raise


def ask(address: str, path: str = "", method: str = "GET", **headers: str) -> tuple[int, str, dict[str, str]]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    try:
        connection.request(method, parts.path + path, headers=headers)
        response = connection.getresponse()
        return response.status, response.read().decode(), dict(response.getheaders())
    finally:
        connection.close()


class Growing:
    """A load test that appends a sample to its journal on request."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.journal = Journal(journal_path(file))
        document = {key: value for key, value in OURS.items() if key not in ("stats", "outcome")}
        self.samples: list[Any] = list(OURS["stats"].values())
        self.written = 0
        self.journal.most_s = 151.0
        self.journal.begin(
            "loadtest", {"name": file.stem, "started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}+00:00", **document}
        )

    def grow(self, count: int) -> None:
        for sample in self.samples[self.written : self.written + count]:
            self.journal.add(sample)
        self.written += count

    def end(self) -> None:
        self.file.write_text(json.dumps(OURS))
        self.journal.remove()


def test_a_test_is_followed_as_it_grows_by_who_comes_late_and_who_comes_back(tmp_path: Path) -> None:
    growing = Growing(tmp_path / "night.json")
    with web(tmp_path) as address:
        growing.grow(3)
        with Events(f"{address}events") as first:
            _, head, _ = first.until("head")
            assert (head["name"], head["kind"], head["fresh"]) == ("night", "loadtest", True)
            _, frames, number = first.until("frames")
            assert len(frames) == 3 and all(way[0] > 0 for way in frames[-1]["ways"].values())
            growing.grow(2)
            _, more, number = first.until("frames")
            assert len(more) == 2 and more[0]["t"] > frames[-1]["t"]
        growing.grow(1)
        with Events(f"{address}events", last_id=number) as again:
            _, head, _ = again.until("head")
            assert not head["fresh"]
            _, rest, _ = again.until("frames")
            assert len(rest) == 1
        with Events(f"{address}events") as late:
            _, whole, _ = late.until("frames")
            assert len(whole) == 6
            state = late.until("state")[1]
            assert state["running"] and state["verdicts"][1].startswith("limited by")
            _, page, _ = ask(address)
            assert (
                re.search(r"▶ running</b> for 0:\d\d, at most 2:\d\d left<", page)
                and 'data-label="DUT">router<' in page
            )
            assert f">{datetime.now(UTC):%Y}-" in page
            growing.end()
            while (state := late.until("state")[1])["running"]:
                pass
            assert state["status"] == "complete" and state["verdicts"]


def test_searches_and_soaks_have_frames_too(tmp_path: Path) -> None:
    write_file(search_of(), tmp_path / "search.json")
    with web(tmp_path / "search.json") as address, Events(f"{address}events") as events:
        assert events.until("head")[1]["kind"] == "search"
        frames = events.until("frames")[1]
        assert all(frame["load"] > 0 and frame["ways"] for frame in frames)
    write_file(soak_of(seconds=5, lossy=((2, 100),)), tmp_path / "soak.json")
    with web(tmp_path / "soak.json") as address, Events(f"{address}events") as events:
        assert events.until("head")[1]["kind"] == "soak"
        frames = events.until("frames")[1]
        assert [frame["ways"]["0→1"][2] > 0 for frame in frames] == [False, False, True, False, False]


HOSTILE = "<img src=x onerror=alert(1)> & \"'\u202e"


def test_names_are_only_names(tmp_path: Path) -> None:
    (tmp_path / f"{HOSTILE}.json").write_text(json.dumps(OURS))
    with web(tmp_path) as address:
        status, page, headers = ask(address)
        assert status == 200 and "<img" not in page and "&lt;img" in page and "\u202e" not in page
        assert "script-src 'self'" in headers["content-security-policy"] and "set-cookie" not in headers
        number = re.search(r"test/([0-9a-f]{16})", page)
        assert number is not None
        for kind in ("test", "report"):
            status, page, headers = ask(address, f"{kind}/{number[1]}")
            assert status == 200 and "<img src=x" not in page, kind
            assert "content-security-policy" in headers
        _, page, _ = ask(address, '?q="><script>alert(1)</script>&page=9999999999999')
        assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        ("", "GET", {"Host": "evil.example"}, 421),
        ("", "GET", {"Host": "evil.example:80"}, 421),
        ("", "GET", {"Host": "127.0.0.1.evil.example"}, 421),
        ("", "GET", {"Host": "192.0.2.7"}, 421),
        ("", "GET", {"Host": "LOCALHOST:1"}, 200),
        ("", "GET", {"Host": "[::1]:1"}, 200),
        ("", "POST", {}, 405),
        ("", "DELETE", {}, 405),
        ("events", "PUT", {}, 405),
        ("report/../../../../etc/passwd", "GET", {}, 404),
        ("report/..%2f..%2f..%2fetc%2fpasswd", "GET", {}, 404),
        ("static/..%2flive.html", "GET", {}, 404),
        ("static//etc/passwd", "GET", {}, 404),
        ("test/0123456789abcdef", "GET", {}, 404),
        ("events/0123456789abcdef", "GET", {}, 404),
        ("%00", "GET", {}, 404),
    ],
)
def test_who_is_not_let_in(served: str, path: str, method: str, headers: dict[str, str], status: int) -> None:
    found, page, told = ask(served, path, method, **headers)
    assert found == status and "root:" not in page
    assert "access-control-allow-origin" not in told


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("web")
    (folder / "one.json").write_text(json.dumps(OURS))
    with web(folder) as address:
        yield address


def test_a_token_is_needed_where_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps(OURS))
    with web(tmp_path, "--token", "new") as address:
        bare = f"http://{urlsplit(address).netloc}/"
        assert ask(address)[0] == 200 and ask(address, "static/live.js")[0] == 200
        assert [ask(bare)[0], ask(bare, "static/live.js")[0], ask(bare, "x" * 24)[0]] == [404, 404, 404]


@pytest.mark.parametrize("tests", [1_000, pytest.param(10_000, marks=pytest.mark.long("10 000 files, 10 s of CPU"))])
def test_thousands_of_results_of_which_some_are_broken(tmp_path: Path, tests: int) -> None:
    text = json.dumps(OURS)
    for number in range(tests):
        (tmp_path / f"test-{number:05d}.json").write_text("{" if number else text)
    (tmp_path / "future.json").write_text('{"schema": "wirespeed-loadtest/99", "stats": {}}')
    (tmp_path / "half.json").write_text(text[: len(text) // 2])
    with web(tmp_path) as address:
        status, page, _ = ask(address, "?q=test-00000")
        assert status == 200 and f"{tests + 2} results; 1 with" in page
        assert "estimate" in page and 'class="spark"' in page
        assert ">the newest test</a>" in page and ">64b one flow, 0→1</span>" in page
        assert "This table scrolls sideways." in page and 'src="static/wide_tables.js"' in page
        assert "WideTables.watch(document)" in ask(address, "static/wide_tables.js")[1]
        last = tests // PAGE + 1
        status, page, _ = ask(address, f"?page={last}")
        assert status == 200 and f"page {last} of {last}" in page and page.count("<tr>") == 3
        for name in ("half", "future"):
            _, page, _ = ask(address, f"?q={name}")
            number = re.search(r"test/([0-9a-f]{16})", page)
            assert number is not None and "<b>broken:</b>" in page
            status, page, _ = ask(address, f"report/{number[1]}")
            told = re.search(r'class="marked">([^<]*)<', page)
            assert status == 422 and told is not None and "\n" not in told[1]
            with Events(f"{address}events/{number[1]}") as events:
                assert events.until("state")[1]["fault"]


def test_a_browser_that_never_reads_costs_nothing(tmp_path: Path) -> None:
    """It gets as much as its connection buffers; other clients are served in the meantime."""
    growing = Growing(tmp_path / "long.json")
    sample = growing.samples[0]
    for number in range(8_000):
        growing.journal.add({**sample, "t": number * 0.25})
    with web(tmp_path) as address:
        parts = urlsplit(address)
        with socket.create_connection((parts.hostname, parts.port or 0)) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with Events(f"{address}events") as events:
                assert sum(len(events.until("frames")[1]) for _ in range(4)) == 8_000
            assert ask(address)[0] == 200
    growing.journal.remove()


def test_pages_of_a_test_stay_until_the_last_one_is_closed_or_the_grace_period_ends(tmp_path: Path) -> None:
    growing = Growing(tmp_path / "seen.json")
    growing.grow(3)
    with web_process(tmp_path, "--grace", "60") as (address, process), Events(f"{address}events") as events:
        head = events.until("head")[1]
        assert head["most_s"] == 151.0
        assert process.stdin is not None
        process.stdin.close()  # the test's command has ended
        growing.end()
        while (state := events.until("state")[1])["running"]:
            pass
        assert state["figures"][0]["name"] == "load with loss ≤ 0.1 %, estimated" and state["verdicts"]
        assert ask(address, f"report/{head['id']}")[0] == 200
        assert process.poll() is None
        events.close()
        assert process.wait(60) == 0
    with web_process(tmp_path, "--grace", "0.5") as (address, process), Events(f"{address}events") as events:
        assert process.stdin is not None
        process.stdin.close()
        assert events.until("over")[1] == {"file": str(tmp_path / "seen.json")}
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--listen", "0.0.0.0:8480"], 2, "--token new"),
        (["--listen", "nowhere"], 2, "give HOST:PORT"),
        (["--listen", "127.0.0.1:99999"], 2, "give HOST:PORT"),
        (["--listen", "127.0.0.1:0", "--token", "short"], 2, "12 to 128"),
        (["--listen", "127.0.0.1:0", "/nothing/x.json"], 6, "in a folder that does not exist"),
        (["--listen", "127.0.0.1:0", "notes.txt"], 2, "neither a result file"),
    ],
)
def test_words_that_cannot_be_used(words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["web", *words]) == code
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_a_port_that_is_taken_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["web", str(tmp_path), "--listen", f"127.0.0.1:{taken.getsockname()[1]}"]) == 3
    assert "(Address already in use); give another --listen" in capsys.readouterr().err


@needs_chromium("the live page")
def test_in_a_browser_charts_grow_and_a_lost_connection_is_shown_and_mended(tmp_path: Path, chromium: Any) -> None:
    from selenium.webdriver.common.by import By  # noqa: PLC0415 - slow

    growing = Growing(tmp_path / "seen.json")
    growing.grow(4)
    browser, until = chromium, partial(until_in, chromium)
    drawn = "const c = document.querySelector('#rates canvas'); return c ? c.toDataURL() : ''"

    with web(tmp_path, ended_by=signal.SIGKILL) as address:
        browser.get(f"{address}live")
        until(lambda: "running" in browser.find_element(By.ID, "state").text)
        first = until(lambda: browser.execute_script(drawn))
        growing.grow(3)
        until(lambda: browser.execute_script(drawn) != first)
        assert "pps" in browser.find_element(By.ID, "received").text
        assert browser.find_element(By.ID, "name").text == "64b one flow through router"
        assert browser.title == "▶ 64b one flow through router"
        assert browser.find_element(By.ID, "what").text.startswith(f"loadtest · seen · {datetime.now(UTC):%Y}-")
        legend = browser.find_element(By.CSS_SELECTOR, "#rates .legend").text
        assert re.fullmatch(r"0→1 received\s*[\d.]+.Mpps\n0→1 offered as intended\s*[\d.]+.Mpps", legend), legend
        assert re.fullmatch(
            r"for 0:0\d, at most 2:2\d left; Ctrl-C in its terminal ends the test",
            browser.find_element(By.ID, "time").text,
        )
        width = browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
        assert width <= 0
        assert browser.get_log("browser") == []
        port = urlsplit(address).port or 0
    until(lambda: "connection lost" in browser.find_element(By.ID, "state").text)
    assert "pps" in browser.find_element(By.ID, "received").text  # the last figures stay on the page
    with web(tmp_path, port=port):
        until(lambda: "running" in browser.find_element(By.ID, "state").text)
        growing.end()
        until(lambda: browser.find_elements(By.CSS_SELECTOR, "#figures .card"))
        assert browser.find_elements(By.CSS_SELECTOR, "#verdicts li")
        assert not browser.find_element(By.ID, "now").is_displayed()
        live = browser.current_url
        browser.find_element(By.CSS_SELECTOR, "#report a").click()
        until(lambda: "seen" in browser.title and browser.find_elements(By.TAG_NAME, "table"))
        until(lambda: browser.execute_script("return document.readyState") == "complete")
        severe = [line for line in browser.get_log("browser") if "ERR_CONNECTION_REFUSED" not in line["message"]]
        assert [line for line in severe if "ERR_INCOMPLETE_CHUNKED" not in line["message"]] == []
        browser.get(live)
        until(lambda: browser.find_elements(By.CSS_SELECTOR, "#figures .card"))
    until(lambda: "server of this page has ended" in browser.find_element(By.ID, "state").text)
    assert f"wirespeed report {tmp_path / 'seen.json'}" in browser.find_element(By.ID, "report").text
    browser.get("about:blank")  # it no longer polls its server
