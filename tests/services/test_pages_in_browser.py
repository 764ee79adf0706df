"""Every page with every kind of data in headless Chromium: no text is cut or overlaps other text, no page scrolls
sideways, and axe-core finds no problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from harness.page_results import INSPECTED, LONG, all_kinds, one_result, running, site_pages, two_hundred, written
from harness.serving import served
from headless import assert_says_that_it_scrolls, faults_of, fresh, needs_chromium, screen_of, until
from page_text import struck_words, text_faults
from selenium.webdriver.common.by import By

from wirespeed.corpus.opening import open_corpus
from wirespeed.exporter.options import TargetOptions, targets_of
from wirespeed.measurement.loadtest.result import Result
from wirespeed.report.render import render
from wirespeed.results.inspection import inspection_to_json
from wirespeed.serving.http import HttpServer
from wirespeed.site.build import build
from wirespeed.web.app import Where, application
from wirespeed.web.folder import Folder
from wirespeed.web.machine import FollowedMachine

pytestmark = needs_chromium("every page")
LOOKS = ((400, "light"), (1280, "dark"), (400, "dark"), (1280, "light"))
"""Width of the screen and the reader's theme."""
OTHERS = pytest.mark.long("one result and 200, half a minute of Chromium; eighteen have every kind of data")
FOUR_LOOKS = pytest.mark.long("each page in four looks, minutes of Chromium; each kind is seen in one without")
DRAWN = "return document.documentElement.dataset.drawn === 'yes'"
CURVES = "return document.querySelector('#rates .stage :is(canvas, svg)') !== null"
FAULT = "return document.getElementById('state').textContent.length > 20"
UNFOLD = 'document.querySelectorAll("main details").forEach((fold) => { fold.open = true; })'
FILLED = "return document.querySelector('details[open] > [data-fold]') === null"
DRAW = """
    const all = [...document.querySelectorAll(".chart")].filter((node) => !node.closest("details:not([open])"));
    all.forEach((node) => Charts.of(node)?.draw());
"""
"""Draws charts below the screen, too."""
FOLDED = ("#summary", "section.load", "#why", "#remarks", "#everything")
"""Parts of a report with folds; a report without warnings has no remarks."""
LIVE_NAMES = ("running", "latency", "slow-box", "fast-box", "loses all", "disturbed")


@dataclass(frozen=True)
class Page:
    """Name and address of a page. The script `drawn` returns true once the page is complete. `is_another`: an earlier
    page of the list has the same kind.
    """

    name: str
    address: str
    drawn: str = ""
    is_another: bool = False


@pytest.fixture(
    scope="module",
    params=[pytest.param(one_result, marks=OTHERS), all_kinds, pytest.param(two_hundred, marks=OTHERS)],
    ids=["one", "eighteen", "two hundred"],
)
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Page]]:
    """A page of each kind of site, report, index and live page; live pages of each kind of test last."""
    make: Callable[[], list[Result]] = request.param
    folder = tmp_path_factory.mktemp("pages")
    results = make()
    paths = written(results, folder / "results")
    (folder / "inspected.json").write_text(inspection_to_json(INSPECTED))
    with open_corpus(str(folder / "corpus")) as corpus:
        corpus.add([*paths, folder / "inspected.json"])
        build(corpus, folder / "site", "Routers")
    (folder / "report.html").write_text(render(paths[:40], title="Routers", date="2026-11-22").text)
    journal = running(results[-1], folder / "results" / f"{LONG}-running.json", 0.5)
    (folder / "results" / "broken.json").write_text("{")
    silent = targets_of(TargetOptions(routers=(f"silent={folder}/no.sock",)))
    app = application([folder / "results"], Where(), silent)
    with served(HttpServer(app, "web page")) as port:
        web = f"http://127.0.0.1:{port}/"
        tests = Folder([folder / "results"]).tests
        ids = {name: found[0].id for name in LIVE_NAMES if (found := [test for test in tests if name in test.name])}
        (broken,) = (test.id for test in tests if test.name == "broken")
        yield [
            *(Page(name, page.as_uri(), DRAWN) for name, page in site_pages(folder / "site").items()),
            Page("report", (folder / "report.html").as_uri(), DRAWN),
            Page("web index", web),
            Page("report of a broken file", f"{web}report/{broken}"),
            Page("live page of a broken file", f"{web}test/{broken}", FAULT),
            Page("live page of a router that is silent", f"{web}machine/{FollowedMachine(silent[0]).id}", FAULT),
            *(
                Page(f"live, {name}", f"{web}test/{each}", CURVES, place > 1)
                for place, (name, each) in enumerate(ids.items())
            ),
        ]
    journal.remove()


@pytest.fixture
def browser(chromium: Any) -> Any:
    """The browser, with an empty log: axe-core requests stylesheets that a page from a file may not read."""
    fresh(chromium)
    return chromium


def opened(browser: Any, page: Page, *, unfold: bool = True) -> None:
    browser.get(page.address)
    if page.drawn:
        until(browser, lambda: browser.execute_script(page.drawn))
    if unfold:
        browser.execute_script(UNFOLD)
        until(browser, lambda: browser.execute_script(FILLED))
    browser.execute_script(DRAW)


@pytest.mark.parametrize(
    "widths", [(400, 1280), pytest.param((800,), marks=pytest.mark.long("a width between those of `make test`"))]
)
def test_no_text_is_cut_or_over_another_and_no_page_scrolls_sideways(
    browser: Any, pages: list[Page], widths: tuple[int, ...]
) -> None:
    """Each page is laid out again for each width, as when a phone is turned."""
    faults = []
    for page in pages:
        screen_of(browser, widths[0])
        opened(browser, page)
        for width_px in widths:
            screen_of(browser, width_px)
            found = text_faults(browser) + (
                struck_words(browser)[1] if page.name.startswith(("report", "live")) else []
            )
            faults += [f"{page.name}, {width_px} px: {fault}" for fault in found]
    assert "\n".join(faults) == ""
    logged = [line["message"] for line in browser.get_log("browser")]
    assert [one for one in logged if "422 (Unprocessable" not in one] == []  # the report of the broken file


def test_the_index_says_that_its_table_scrolls(browser: Any, pages: list[Page]) -> None:
    (index,) = (page for page in pages if page.name == "web index")
    screen_of(browser, 1280)
    opened(browser, index)
    assert_says_that_it_scrolls(browser, ".aside", ".tests")


@pytest.mark.parametrize("look", [None, *(pytest.param(look, marks=FOUR_LOOKS, id=f"{look}") for look in LOOKS)])
def test_nothing_is_hard_to_read_or_to_reach(browser: Any, pages: list[Page], look: tuple[int, str] | None) -> None:
    """By axe-core: each kind of page in one look, alternating; or all pages, unfolded, in one look. The folds of a
    report, which take axe-core a minute, have a separate test.
    """
    faults = []
    for place, page in enumerate(page for page in pages if look or not page.is_another):
        width_px, scheme = look or LOOKS[place % len(LOOKS)]
        screen_of(browser, width_px, scheme)
        opened(browser, page, unfold=bool(look) and page.name != "report")
        faults += [f"{page.name}, {width_px} px, {scheme}: {fault}" for fault in faults_of(browser)]
    assert "\n".join(faults) == ""


@pytest.mark.long("twelve seconds of axe-core; test_report_in_browser opens the folds of three kinds of result")
def test_nothing_in_the_folds_of_a_report_is_hard_to_read_or_to_reach(browser: Any, pages: list[Page]) -> None:
    """By axe-core, one part of the page after the other, with all folds open and charts drawn."""
    (report,) = (page for page in pages if page.name == "report")
    screen_of(browser, 1280)
    opened(browser, report)
    parts = [part for part in FOLDED if part != "#remarks" or browser.find_elements(By.CSS_SELECTOR, part)]
    faults = [f"{part}: {fault}" for part in parts for fault in faults_of(browser, part)]
    assert "\n".join(faults) == ""
