"""Chromium without a screen, as tests look at pages with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.waiting import PATIENCE_S

CHROMIUM, CHROMEDRIVER = shutil.which("chromium"), shutil.which("chromedriver")
EVIL = "evil.example"
"""The name of an attacker's site; it leads to this machine."""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
    f"--host-resolver-rules=MAP {EVIL} 127.0.0.1",
)


def needs_chromium(what: str) -> pytest.MarkDecorator:
    """Marker: without Chromium `what` is not tested."""
    return pytest.mark.skipif(
        not (CHROMIUM and CHROMEDRIVER),
        reason=f"{what} was NOT looked at in a browser: apt-get install chromium chromium-driver",
    )


@contextmanager
def headless(profile: Path) -> Iterator[Any]:
    """A browser with a log; `profile` is its directory."""
    from selenium import webdriver  # noqa: PLC0415 - slow
    from selenium.webdriver.chrome.service import Service  # noqa: PLC0415

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    driver.set_script_timeout(PATIENCE_S)
    try:
        yield driver
    finally:
        driver.quit()


def fresh(browser: Any) -> None:
    """Reset the browser: an empty page of the default size, the system's theme, an empty log."""
    browser.get("about:blank")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.get_log("browser")


def screen_of(browser: Any, width_px: int, scheme: str = "light") -> None:
    """Set the width of the screen; below 640 px it is that of a phone."""
    look_in(browser, scheme)
    metrics = {"width": width_px, "height": 900, "deviceScaleFactor": 1, "mobile": width_px < 640}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def until(browser: Any, condition: Callable[[], Any]) -> Any:
    """Value of `condition` once it is true; missing elements are waited for."""
    from selenium.webdriver.support.ui import WebDriverWait  # noqa: PLC0415 - slow

    return WebDriverWait(browser, PATIENCE_S).until(lambda _: condition())


def assert_says_that_it_scrolls(browser: Any, hint: str, table: str) -> None:
    """The open page shows `hint` only once `table` is wider than the screen; both are CSS selectors."""
    from selenium.webdriver.common.by import By  # noqa: PLC0415 - slow

    shown = browser.find_element(By.CSS_SELECTOR, hint)
    assert not shown.is_displayed()
    browser.execute_script("document.querySelector(arguments[0]).style.minWidth = '900px'", table)
    screen_of(browser, 700)
    until(browser, shown.is_displayed)
    assert shown.text == "This table scrolls sideways."


def look_in(browser: Any, scheme: str) -> None:
    """Set the reader's theme to `light` or `dark`."""
    medium = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", medium)


# A page may forbid axe-core to fetch stylesheets. Skipping the list of rules that pass saves four fifths of the time.
# `Axe.run` waits forever if the page is empty. Tables are cut to 99 rows: the other rows have the same form, and a
# thousand take most of a minute.
_AXE = """
    const [selector, done] = arguments;
    const context = { include: [selector || "html"], exclude: ["tbody tr:nth-child(n+100)"] };
    axe.run(context, { preload: false, resultTypes: ["violations"] })
        .then(({ violations }) => done([violations, ""]), (error) => done([[], String(error)]));
"""


def faults_of(browser: Any, selector: str = "") -> list[str]:
    """Complaints of axe-core about the accessibility of the page, or of the part that `selector` finds, which must
    exist.
    """
    from selenium_axe_python import Axe  # noqa: PLC0415 - slow

    Axe(browser).inject()
    faults, error = browser.execute_async_script(_AXE, selector)
    assert error == "", error
    return [f"{fault['id']}: {fault['nodes'][0]['html'][:200]} ({len(fault['nodes'])})" for fault in faults]
