#!/usr/bin/env python3
"""Draw docs/pictures/report-*.webp: a report in Chromium: its answers, wide and light, narrow and dark, and one of its
charts.

    tools/report-pictures.py [RESULT.json...]

Without results a quick demo runs first.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SCREENS = {
    "report-answers": (1280, 490, "light", ""),
    "report-wide": (1280, 900, "light", ""),
    "report-narrow": (400, 800, "dark", ""),
    "report-chart": (1000, 860, "light", "load-0"),
}


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="wirespeed-report-pictures-"))
    try:
        results = sys.argv[1:] or _demo(folder)
        page = folder / "report.html"
        subprocess.run([*_wirespeed(), "report", *results, "-t", "A demo", "-o", str(page)], check=True)
        browser = _browser(folder)
        try:
            for name, screen in SCREENS.items():
                (PICTURES / f"{name}.webp").write_bytes(_picture(browser, page, *screen))
        finally:
            browser.quit()
    finally:
        shutil.rmtree(folder)


def _wirespeed() -> list[str]:
    return [sys.executable, "-m", "wirespeed"]


def _demo(folder: Path) -> list[str]:
    subprocess.run([*_wirespeed(), "demo", "--quick", "--out", str(folder / "demo")], check=True)
    return [str(path) for path in sorted((folder / "demo").glob("*.json"))]


def _browser(folder: Path) -> Any:
    options = webdriver.ChromeOptions()
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run")
    for flag in (*flags, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def _picture(browser: Any, page: Path, width: int, height: int, theme: str, chart: str) -> bytes:
    """A screen of the page, from its top or from a chart on."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 640}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    browser.get(page.as_uri())
    WebDriverWait(browser, 20).until(lambda one: one.execute_script("return document.documentElement.dataset.drawn"))
    if chart:
        top = "const node = document.getElementById(arguments[0]); node.previousElementSibling.scrollIntoView();"
        browser.execute_script(top, chart)
        drawn = "return Charts.of(document.getElementById(arguments[0])).drawn"
        WebDriverWait(browser, 20).until(lambda one: one.execute_script(drawn, chart))
    return base64.b64decode(
        browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": 80})["data"]
    )


if __name__ == "__main__":
    main()
