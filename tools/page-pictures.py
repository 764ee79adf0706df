#!/usr/bin/env python3
"""Pictures of the pages in Chromium: report, live page, index and site, with the recorded results of the tests.

tools/page-pictures.py FOLDER [PAGE]...    PNGs of each page (default: all; PAGE is such as index or site) with each set
                                           of results, at 400, 800 and 1 280 px, light and dark
tools/page-pictures.py                     draw docs/pictures/*.webp again
"""

from __future__ import annotations

import argparse
import base64
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from harness import page_results as recorded  # noqa: E402
from PIL import Image  # noqa: E402
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

from wirespeed.results.inspection import inspection_to_json  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
WIDTHS, THEMES = (400, 800, 1280), ("light", "dark")
SETS = {"one": recorded.one_result, "eighteen": recorded.all_kinds, "two-hundred": recorded.two_hundred}
SLOW_AND_FAST = [
    recorded.loadtest(dut, load, both=both)
    for load in recorded.LOADS
    for both in (False, True)
    for dut in (recorded.PLAIN, recorded.EIGHT[2])
]
"""Results in the pictures of the documentation: two devices, eight tests each."""
KEPT = {
    "report-answers": ("report", 1280, 600, "light", ""),
    "report-wide": ("report", 1280, 900, "light", ""),
    "report-narrow": ("report", 400, 800, "dark", ""),
    "report-chart": ("report", 1000, 860, "light", "load-0"),
    "live-wide": ("live", 1280, 1000, "light", ""),
    "live-narrow": ("live", 400, 800, "dark", ""),
    "index-wide": ("index", 1280, 620, "light", ""),
    "site-wide": ("site-index", 1280, 900, "light", ""),
    "box-wide": ("site-boxes-page", 1280, 900, "dark", "trend-0"),
}
"""Page, width and height in pixels, theme, and the chart to scroll to, by picture of the documentation."""
WAIT_S = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("into", nargs="?", type=Path, metavar="FOLDER")
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wirespeed-pages-"))
    try:
        with _browser(folder) as browser:
            if given.into:
                _all(browser, folder, given.into, given.pages)
            else:
                _kept(browser, folder)
    finally:
        shutil.rmtree(folder)


def _kept(browser: Any, folder: Path) -> None:
    with _pages(folder / "two", SLOW_AND_FAST) as pages, _pages(folder / "many", recorded.two_hundred()) as many:
        pages |= {name: address for name, address in many.items() if name.startswith("site")}
        for name, (page, width, height, theme, chart) in KEPT.items():
            _open(browser, pages[page], width, height, theme, chart)
            (PICTURES / f"{name}.webp").write_bytes(_small(_taken(browser)))


def _all(browser: Any, folder: Path, into: Path, wanted: list[str]) -> None:
    into.mkdir(parents=True, exist_ok=True)
    for name, results in SETS.items():
        with _pages(folder / name, results()) as pages:
            for page, address in pages.items():
                if wanted and page.partition("-")[0] not in wanted:
                    continue
                for width in WIDTHS:
                    for theme in THEMES:
                        _open(browser, address, width, 900, theme, "")
                        _open(browser, address, width, min(6000, _height(browser)), theme, "")
                        (into / f"{name}-{page}-{width}-{theme}.png").write_bytes(_taken(browser))


@contextmanager
def _pages(folder: Path, results: list[Any]) -> Iterator[dict[str, str]]:
    """Addresses of all kinds of pages of these results; `live` is a test that runs, `ended` one that has ended."""
    files = recorded.written(results, folder / "results")
    tests = [str(file) for file in files]
    wirespeed = (sys.executable, "-m", "wirespeed")
    _run(*wirespeed, "report", *tests, "-t", "Standard load tests", "-o", str(folder / "report.html"))
    (folder / "inspected.json").write_text(inspection_to_json(recorded.INSPECTED))
    _run(*wirespeed, "results", "add", *tests, str(folder / "inspected.json"), "--archive", str(folder / "corpus"))
    _run(*wirespeed, "results", "site", str(folder / "site"), "--archive", str(folder / "corpus"))
    running = recorded.running(results[0], folder / "results" / "64b-second-run.json", 0.8, left_s=600.0)
    command = (*wirespeed, "web", str(folder / "results"), "--listen", "127.0.0.1:0")
    web = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert web.stdout is not None
        address = web.stdout.readline().split()[0]
        with urlopen(address) as page:
            ended = page.read().decode().split('href="test/')[-1].partition('"')[0]
        yield {
            "report": (folder / "report.html").as_uri(),
            "live": f"{address}live",
            "ended": f"{address}test/{ended}",
            "index": address,
            **{
                f"site-{name.replace(' ', '-')}": page.as_uri()
                for name, page in recorded.site_pages(folder / "site").items()
            },
        }
    finally:
        web.terminate()
        web.wait()
        running.remove()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def _browser(folder: Path) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars")
    for flag in (*flags, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        yield browser
    finally:
        browser.quit()


def _open(browser: Any, address: str, width: int, height: int, theme: str, chart: str) -> None:
    """The page in a browser window, scrolled to its top or to a chart, with all visible charts drawn."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 640}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    browser.get(address)
    if chart:
        _wait(browser, "return document.documentElement.dataset.drawn")
        browser.execute_script(
            "const node = document.getElementById(arguments[0]);"
            "(node.previousElementSibling || node).scrollIntoView({ behavior: 'instant' });",
            chart,
        )
    _wait(browser, _DRAWN)


_DRAWN = """
    if (document.getElementById("live")) return document.querySelector("#rates .stage canvas, #rates .stage svg");
    if (document.querySelector("script[src$='live.js']") || !document.querySelector(".chart")) return true;
    if (!document.documentElement.dataset.drawn) return false;
    return [...document.querySelectorAll(".chart")].every((node) => {
        const box = node.getBoundingClientRect();
        const away = node.closest("details:not([open]), [hidden]") || box.top > innerHeight || box.bottom < 0;
        return away || Charts.of(node).drawn;
    });
"""


def _wait(browser: Any, condition: str) -> None:
    WebDriverWait(browser, WAIT_S).until(lambda one: one.execute_script(condition))


def _height(browser: Any) -> int:
    return int(browser.execute_script("return document.documentElement.scrollHeight"))


def _taken(browser: Any) -> bytes:
    """PNG."""
    return base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])


def _small(png: bytes) -> bytes:
    """Lossless WebP of 256 colours: half the size of lossy WebP, and letters stay sharp."""
    few = Image.open(io.BytesIO(png)).convert("RGB").quantize(method=Image.Quantize.FASTOCTREE).convert("RGB")
    data = io.BytesIO()
    few.save(data, "WEBP", lossless=True, quality=100, method=6)
    return data.getvalue()


if __name__ == "__main__":
    main()
