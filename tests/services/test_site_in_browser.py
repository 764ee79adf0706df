"""A site in headless Chromium, from files: search, sort and comparison by keyboard, the reader's theme, no error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from headless import assert_says_that_it_scrolls, look_in, needs_chromium, screen_of, until
from report_cases import OURS
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from wirespeed.corpus.opening import open_corpus
from wirespeed.site import names
from wirespeed.site.build import build

pytestmark = needs_chromium("a site")
RESULTS, DUTS = 130, 7
HOSTILE = "<img src=x onerror='window.hostile = 1'>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More results than the first page has rows. Only a seventh of them have a file, since making all reports takes
    long.
    """
    folder = tmp_path_factory.mktemp("site")
    document = json.loads(json.dumps(OURS))
    (folder / "new").mkdir()
    for number in range(RESULTS):
        document["outcome"]["started"] = f"2026-11-22T{number // 60:02d}:{number % 60:02d}:00+00:00"
        document["dut"]["name"] = f"box{number % DUTS}" if number else HOSTILE
        (folder / "new" / f"test-{number:03d}.json").write_text(json.dumps(document))
    with open_corpus(str(folder / "corpus")) as corpus:
        corpus.add(sorted((folder / "new").iterdir()))
        for number in range(1, RESULTS):
            if number % DUTS != 1:
                corpus.store.path(corpus.the_only(f"test-{number:03d}")).unlink()
        build(corpus, folder / "site", "Seven boxes")
    return folder / "site"


@pytest.fixture
def browser(chromium, site: Path):
    """The first page, drawn; afterwards the log must be empty, and only files of the site may have been fetched."""
    opened(chromium, site / "index.html")
    yield chromium
    assert chromium.get_log("browser") == []
    fetched = chromium.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert all(one.startswith(site.as_uri()) for one in fetched)
    assert chromium.execute_script("return window.hostile") is None


def opened(chromium, page: Path) -> None:
    screen_of(chromium, 1280)
    chromium.get(page.as_uri())
    until(chromium, lambda: chromium.execute_script("return document.documentElement.dataset.drawn === 'yes'"))


def rows(browser, table: str = "#all") -> list[list[str]]:
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].filter((row) => !row.hidden)"
        ".map((row) => [...row.cells].map((cell) => cell.textContent.trim()))",
        table,
    )


def test_a_table_that_is_wider_than_the_page_says_so(chromium, site: Path) -> None:
    opened(chromium, site / "index.html")
    assert_says_that_it_scrolls(chromium, "#results .aside", "#all")


def test_search_as_one_types_goes_over_all_results(browser) -> None:
    assert len(rows(browser)) == 100
    find = browser.find_element(By.ID, "words")
    find.send_keys("BOX3 test-1")
    until(browser, lambda: 0 < len(rows(browser)) < 100)
    wanted = [number for number in range(1, RESULTS) if number % DUTS == 3 and f"{number:03d}".startswith("1")]
    assert [row[1] for row in rows(browser)] == [f"test-{number:03d}" for number in sorted(wanted, reverse=True)]
    assert browser.find_element(By.ID, "found").text == f"{len(wanted)} of {RESULTS} results"
    find.send_keys(Keys.CONTROL, "a")
    find.send_keys("no such thing")
    until(browser, lambda: rows(browser) == [])
    find.send_keys(Keys.CONTROL, "a")
    find.send_keys(Keys.DELETE)
    until(browser, lambda: len(rows(browser)) == 100)
    browser.find_element(By.ID, "more").click()
    until(browser, lambda: len(rows(browser)) == RESULTS)


def test_heads_sort_by_keyboard(browser) -> None:
    button = browser.find_element(By.CSS_SELECTOR, "#all thead button[data-field='title']")
    button.send_keys(Keys.ENTER)
    until(browser, lambda: rows(browser)[0][1] == "test-000")
    assert button.find_element(By.XPATH, "..").get_attribute("aria-sort") == "ascending"
    button.send_keys(Keys.SPACE)
    until(browser, lambda: rows(browser)[0][1] == f"test-{RESULTS - 1:03d}")
    assert browser.execute_script("return document.activeElement === arguments[0]", button)


def test_ticked_results_stand_side_by_side(browser) -> None:
    ticks = browser.find_elements(By.CSS_SELECTOR, "#all tbody input")
    ticks[0].send_keys(Keys.SPACE)
    ticks[2].send_keys(Keys.SPACE)
    until(browser, lambda: len(rows(browser, "#ticked")) == 2)
    assert [row[2] for row in rows(browser, "#ticked")] == ["100 %", "100 %"]
    find = browser.find_element(By.ID, "words")
    find.send_keys("box3")  # ticked results stay ticked under any filter
    until(browser, lambda: len(rows(browser)) < 100)
    assert len(rows(browser, "#ticked")) == 2


def test_a_choice_of_a_dut(browser) -> None:
    """A filter with a single value is not shown."""
    dut, limit = browser.find_elements(By.CSS_SELECTOR, "#finder select")
    assert [one.get_attribute("data-field") for one in (dut, limit)] == ["dut", "limit"]
    dut.send_keys("box3")
    wanted = len([number for number in range(RESULTS) if number % DUTS == 3])
    until(browser, lambda: len(rows(browser)) == wanted)


def test_the_table_of_duts_is_searched_and_sorted(browser, site: Path) -> None:
    opened(browser, site / "boxes.html")
    assert len(rows(browser, "table.sortable")) == DUTS + 1
    browser.find_element(By.CSS_SELECTOR, "p.find input").send_keys("box5")
    until(browser, lambda: [row[0] for row in rows(browser, "table.sortable")] == ["box5"])
    browser.find_element(By.CSS_SELECTOR, "thead button").send_keys(Keys.ENTER)


def test_a_trend_is_a_chart_whose_points_lead_to_their_results(browser, site: Path) -> None:
    opened(browser, site / names.dut_page("box1"))
    browser.execute_script("document.getElementById('trend-0').scrollIntoView()")
    until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#trend-0 canvas"))
    legend = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#trend-0 .legend button")]
    assert legend == ["each result", "mean"]
    browser.find_element(By.CSS_SELECTOR, "#trend-0 .twin summary").send_keys(Keys.ENTER)
    links = until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#trend-0 .twin td a"))
    assert len(links) == RESULTS // DUTS + 1
    links[0].send_keys(Keys.ENTER)
    until(browser, lambda: "/results/" in browser.current_url)


def test_pages_have_the_readers_theme_and_one_that_is_chosen_holds_on_the_next_page(browser, site: Path) -> None:
    paper = "return getComputedStyle(document.body).backgroundColor"
    for scheme, colour in (("dark", "rgb(20, 24, 31)"), ("light", "rgb(255, 255, 255)")):
        look_in(browser, scheme)
        assert browser.execute_script(paper) == colour
    browser.find_element(By.ID, "theme").send_keys(Keys.ENTER)
    until(browser, lambda: browser.execute_script(paper) == "rgb(20, 24, 31)")
    opened(browser, site / "boxes.html")
    assert browser.execute_script(paper) == "rgb(20, 24, 31)"
    browser.execute_script("localStorage.clear()")


def test_a_report_draws_with_what_lies_beside_it(browser, site: Path) -> None:
    opened(browser, next((site / "results").iterdir()))
    assert len(browser.find_elements(By.CSS_SELECTOR, "head link[rel='stylesheet']")) >= 1
    until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "canvas"))
    assert browser.find_element(By.LINK_TEXT, "the file").get_attribute("href").startswith(site.as_uri())
