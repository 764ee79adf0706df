#!/usr/bin/env python3
"""Measure a report of eighteen tests: its size, and the time to its first paint in headless Chromium.

    tools/report-speed.py [RESULT.json...]

Default: a report of the recorded results of the tests. Chromium opens the file ten times;
the median is printed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from harness import page_results as recorded  # noqa: E402
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

OPENINGS, WAIT_S = 10, 60
FIRST_PAINT = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", metavar="RESULT.json")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wirespeed-report-speed-"))
    try:
        results = given.results or list(map(str, recorded.written(recorded.all_kinds(), folder / "results")))
        page = folder / "report.html"
        subprocess.run([sys.executable, "-m", "wirespeed", "report", *results, "-o", str(page)], check=True)
        browser = _browser(folder)
        try:
            paints_ms = [_first_paint_ms(browser, page) for _ in range(OPENINGS)]
        finally:
            browser.quit()
        print(f"size         {page.stat().st_size / 1e6:.2f} MB for {len(results)} results")
        ends = f"{min(paints_ms):.0f} to {max(paints_ms):.0f}"
        print(f"first paint  {median(paints_ms):.0f} ms, median of {OPENINGS} ({ends})")
    finally:
        shutil.rmtree(folder)


def _first_paint_ms(browser: Any, page: Path) -> float:
    browser.get("about:blank")
    browser.get(page.as_uri())
    return float(WebDriverWait(browser, WAIT_S).until(lambda one: one.execute_script(FIRST_PAINT)))


def _browser(folder: Path) -> Any:
    options = webdriver.ChromeOptions()
    for flag in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        f"--user-data-dir={folder / 'profile'}",
    ):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


if __name__ == "__main__":
    main()
