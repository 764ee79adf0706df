"""Every page on every kind of data in headless Chromium: no text is cut or lies over another, no page scrolls sideways,
and axe-core finds nothing that is hard to read or to reach."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from harness.page_results import LONG, all_kinds, one_result, two_hundred, written
from harness.serving import served
from headless import faults_of, fresh, needs_chromium, screen_of, until
from page_text import struck_words, text_faults

from wirespeed.corpus.opening import open_corpus
from wirespeed.measurement.loadtest.result import Result
from wirespeed.report.render import render
from wirespeed.results.journal import Journal, journal_path
from wirespeed.serving.http import HttpServer
from wirespeed.site.build import build
from wirespeed.web.app import Where, application
from wirespeed.web.folder import Folder

pytestmark = needs_chromium("every page")
WIDTHS = (400, 800, 1280)
OTHERS = pytest.mark.long("one result and 200, half a minute of Chromium; eighteen have every kind of data")
DRAWN = "return document.documentElement.dataset.drawn === 'yes'"


@dataclass(frozen=True)
class Pages:
    """Addresses of one set of data: those of files, by what they are, and the web index with its live pages."""

    files: dict[str, str]
    web: str
    live: dict[str, str]

    @property
    def every(self) -> list[tuple[str, str, bool]]:
        """Name, address and whether it is a live page."""
        still = {**self.files, "web": self.web}
        return [*((*one, False) for one in still.items()), *((*one, True) for one in self.live.items())]


@pytest.fixture(
    scope="module",
    params=[pytest.param(one_result, marks=OTHERS), all_kinds, pytest.param(two_hundred, marks=OTHERS)],
    ids=["one", "eighteen", "two hundred"],
)
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    make: Callable[[], list[Result]] = request.param
    folder = tmp_path_factory.mktemp("pages")
    results = make()
    paths = written(results, folder / "results")
    with open_corpus(str(folder / "corpus")) as corpus:
        corpus.add(paths)
        build(corpus, folder / "site", "Routers")
    (folder / "report.html").write_text(render(paths[:40], title="Routers", date="2026-11-22").text)
    running = _running(results[-1], folder / "results" / f"{LONG}-running.json")
    (folder / "results" / "broken.json").write_text("{")
    app = application([folder / "results"], Where())
    with served(HttpServer(app, "web page")) as port:
        tests = Folder([folder / "results"]).tests
        yield Pages(
            {name: page.as_uri() for name, page in _first_of_each_kind(folder / "site")}
            | {"report": (folder / "report.html").as_uri()},
            f"http://127.0.0.1:{port}/",
            {
                name: f"http://127.0.0.1:{port}/test/{found[0].id}"
                for name in LIVE_NAMES
                if (found := [test for test in tests if name in test.name])
            },
        )
    running.remove()


def _running(result: Result, file: Path) -> Journal:
    """A test that is under way: half of its samples are in its journal."""
    document: dict[str, Any] = json.loads(json.dumps(result.to_json()))
    samples = list(document.pop("stats").values())
    document.pop("outcome")
    journal = Journal(journal_path(file))
    journal.most_s = 2.0 * len(samples)
    journal.begin("loadtest", {"name": file.stem, "started": result.ending.started, **document})
    for sample in samples[: len(samples) // 2]:
        journal.add(sample)
    return journal


def _first_of_each_kind(site: Path) -> list[tuple[str, Path]]:
    found = [(page.name, page) for page in sorted(site.glob("*.html"))]
    for kind in ("boxes", "tests", "results"):
        every = sorted((site / kind).glob("*.html"), key=lambda page: (LONG not in page.name, -page.stat().st_size))
        found.append((kind, every[0]))
    return found


def opened(browser: Any, address: str, *, is_live: bool = False) -> None:
    browser.get(address)
    if is_live:
        until(
            browser,
            lambda: browser.execute_script("return document.querySelector('#rates .stage :is(canvas, svg)') !== null"),
        )
    elif address.startswith("file:"):
        until(browser, lambda: browser.execute_script(DRAWN))


@pytest.fixture
def browser(chromium: Any) -> Any:
    """With an empty log: axe-core asks for stylesheets that a page from a file may not read."""
    fresh(chromium)
    return chromium


LIVE_NAMES = ("running", "slow-box", "fast-box", "latency", "loses all", "disturbed")


def test_no_text_is_cut_or_over_another_and_no_page_scrolls_sideways(browser: Any, pages: Pages) -> None:
    """A page is laid out anew for each width, as when a phone is turned."""
    faults = []
    for name, address, is_live in pages.every:
        screen_of(browser, WIDTHS[0])
        opened(browser, address, is_live=is_live)
        for width_px in WIDTHS:
            screen_of(browser, width_px)
            found = text_faults(browser) + (struck_words(browser)[1] if is_live or name == "report" else [])
            faults += [f"{name}, {width_px} px: {fault}" for fault in found]
    assert "\n".join(faults) == ""
    assert browser.get_log("browser") == []


@pytest.mark.long(
    "each page by axe-core in both themes, a minute of Chromium; one of each is in the tests of these pages"
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_hard_to_read_or_to_reach(browser: Any, pages: Pages, scheme: str) -> None:
    faults = []
    screen_of(browser, 400 if scheme == "light" else 1280, scheme)
    for name, address, is_live in pages.every:
        opened(browser, address, is_live=is_live)
        faults += [f"{name}: {fault}" for fault in faults_of(browser)]
    assert "\n".join(faults) == ""
