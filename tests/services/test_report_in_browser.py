"""The report in headless Chromium: charts draw, toggle, zoom and follow the theme, without script errors."""

import base64
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from headless import faults_of, look_in, needs_chromium, until
from report_charts import unpacked
from report_kinds import FORWARD, search_of, soak_of, suite_of
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from simulated_dut import SimulatedDut
from simulated_dut import step as up_to

from wirespeed.charts import dygraphs
from wirespeed.cli.main import main
from wirespeed.measurement.file import write_file
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.results.balance import Medium
from wirespeed.results.codec import from_json
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import COMPLETE, INTERRUPTED, Ending
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import PortSample, Sample
from wirespeed.units import l1_bits

pytestmark = needs_chromium("the report")
LOADS = {
    "1514": (1514, "size=1514,vm=var2"),
    "imix": (362.5, "size=imix"),
    "64var2": (64, "size=64,vm=var2"),
    "64": (64, ""),
}
TITLE = "Eight </title></script><script>window.hostile = 1</script> <b>tests</b>"
UNI = f"{TITLE} 0→1"
"""Name of a unidirectional test's curve: device and direction."""
COMMANDS = ["set interface state e0 up", "  <b>ip route add 16.0.0.0/8</b>"]
SPEED_BPS, CAPACITY_PPS, STEPS = 10e9, 5.01e6, 20


def simulated(size_bytes, tunables, both_ways):
    """A ramp to the line rate against a router that forwards 5.01 Mpps in total and refuses the rest."""
    line_pps = SPEED_BPS / l1_bits(size_bytes)
    senders = 2 if both_ways else 1
    samples, refused = [], 0
    for step in range(1, STEPS + 1):
        load = line_pps * step / STEPS
        got = min(load, CAPACITY_PPS / senders)
        refused += round(load - got)
        used = got / line_pps * 100

        def port(tx, rx, load=load, got=got, used=used, refused=refused):
            bps = got * size_bytes * 8
            return PortSample(
                got * tx,
                got * rx,
                bps * tx,
                bps * rx,
                used * tx,
                used * rx,
                intended_pps=load * tx,
                refused=refused * tx,
                late=0,
            )

        telemetry = {"cycles_per_packet": 4953 / step, "vectors_per_call": 256 * got / CAPACITY_PPS}
        ports = {0: port(1, senders - 1), 1: port(senders - 1, 1)}
        samples.append(Sample(float(step), 1.0, "ramp", ports, dut=telemetry))
    variables = {
        "warmup_mult": "1kpps",
        "warmup_duration": 0,
        "rampup_target": 100,
        "rampup_duration": STEPS,
        "hold_duration": 0,
        "profile_file": "bench",
        "tunables": tunables,
        "unidirectional": not both_ways,
        "note": TITLE,
    }
    ending = Ending(status=COMPLETE if both_ways else INTERRUPTED, reason=TITLE)
    ports = {port: PortFacts(port, speed_bps=SPEED_BPS, medium=Medium.RING) for port in (0, 1)}
    dut = from_json(DutFacts, {"name": TITLE, "commands": COMMANDS})
    return Result("", from_json(LoadTestSettings, variables), tuple(samples), dut=dut, ports=ports, ending=ending)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    paths = []
    for name, (size_bytes, tunables) in LOADS.items():
        for both_ways in (False, True):
            paths.append(folder / f"<i>{name}-{'bi' if both_ways else 'uni'}.json")
            write_file(simulated(size_bytes, tunables, both_ways), paths[-1])
    assert main(["report", *map(str, paths), "-t", TITLE, "-o", str(folder / "report.html")]) == 0
    return folder / "report.html"


@pytest.fixture
def browser(chromium, page):
    """The page freshly loaded and drawn; afterwards the log must be empty and nothing may have been fetched."""
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    chromium.get(page.as_uri())
    until(chromium, lambda: chromium.execute_script("return document.documentElement.dataset.drawn === 'yes'"))
    yield chromium
    assert chromium.get_log("browser") == []
    assert chromium.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)") == []


def drawn(browser, chart):
    """By panel, the names of the curves whose colour is on the canvas."""
    return browser.execute_script(
        """
        const chart = Charts.of(document.getElementById(arguments[0]));
        return chart.graphs.map((graph) => {
            const canvas = graph.hidden_, { width, height } = canvas;
            const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
            copy.drawImage(canvas, 0, 0);
            const data = copy.getImageData(0, 0, width, height).data, seen = new Set();
            for (let at = 0; at < data.length; at += 4) {
                if (data[at + 3] > 200) seen.add((data[at] << 16) + (data[at + 1] << 8) + data[at + 2]);
            }
            const near = (colour) => [...seen].some((one) => [16, 8, 0].every((bits) =>
                Math.abs(((one >> bits) & 255) - ((colour >> bits) & 255)) < 12));
            return graph.panel.curves.filter((curve, number) => graph.visibility()[number] &&
                near(parseInt(curve.colour.slice(1), 16))).map((curve) => curve.name);
        });
        """,
        chart,
    )


def expected(page):
    """The names of the curves of each chart that are visible at first, by panel."""
    figures = unpacked(page.read_text(encoding="utf-8"))["figures"]
    off = {
        chart: {one["key"] for one in figure.get("legend", ()) if one.get("off")} for chart, figure in figures.items()
    }
    return {
        chart: [
            [curve["name"] for curve in panel.get("curves", ()) if curve.get("key") not in off[chart]]
            for panel in figure["panels"]
        ]
        for chart, figure in figures.items()
    }


def seen(browser, chart):
    """Scroll to a chart and wait until it is drawn."""
    browser.execute_script("document.getElementById(arguments[0]).scrollIntoView()", chart)
    is_drawn = f"return Charts.of(document.getElementById('{chart}')).drawn === true"
    until(browser, lambda: browser.execute_script(is_drawn))


def unfolded(browser, chart):
    """Scroll to a chart and open all its panels."""
    seen(browser, chart)
    for button in browser.find_elements(By.CSS_SELECTOR, f"#{chart} .doors button[aria-pressed=false]"):
        browser.execute_script("arguments[0].click()", button)


def legend_entry(browser, chart, text):
    for button in browser.find_elements(By.CSS_SELECTOR, f"#{chart} .legend button"):
        if button.text.removesuffix(button.find_element(By.TAG_NAME, "span").text).rstrip("\u202f ") == text:
            return button
    raise AssertionError(f"{chart} has no legend entry {text!r}")


def test_every_chart_draws_all_its_curves(browser, page):
    names = expected(page)
    assert list(names) == [f"{kind}-{number}" for number in range(4) for kind in ("load", "time")]
    assert len(names["load-0"]) == 4
    browser.execute_script("document.querySelectorAll('.over-time').forEach((fold) => { fold.open = true; })")
    for chart, panels in names.items():
        unfolded(browser, chart)
        until(browser, lambda chart=chart, panels=panels: drawn(browser, chart) == panels)


def test_a_chart_is_drawn_when_it_comes_into_sight(browser):
    drawn_ones = "return [...document.querySelectorAll('.chart')].filter((node) => Charts.of(node).drawn).length"
    assert browser.execute_script(drawn_ones) < 3
    seen(browser, "load-3")


def test_a_legend_entry_hides_and_shows_its_curves_in_all_panels(browser):
    seen(browser, "load-2")
    before = drawn(browser, "load-2")
    legend_entry(browser, "load-2", UNI).click()
    without = [[name for name in panel if not name.startswith(UNI)] for panel in before]
    until(browser, lambda: drawn(browser, "load-2") == without)
    assert legend_entry(browser, "load-2", UNI).get_attribute("aria-pressed") == "false"
    legend_entry(browser, "load-2", UNI).click()
    until(browser, lambda: drawn(browser, "load-2") == before)
    legend_entry(browser, "load-2", "sums of all directions").click()
    until(browser, lambda: f"{TITLE} sum" in drawn(browser, "load-2")[0])


def titles(browser, chart):
    return [one.text for one in browser.find_elements(By.CSS_SELECTOR, f"#{chart} figcaption")]


def test_panels_beyond_the_third_are_opened_by_a_button_and_the_address_keeps_them(browser):
    seen(browser, "load-0")
    first = titles(browser, "load-0")
    assert len(first) == 3 and first[0].startswith("received") and first[2].startswith("cycles / packet")
    door = browser.find_element(By.CSS_SELECTOR, "#load-0 .doors button")
    assert door.text not in first
    door.send_keys(Keys.ENTER)
    assert titles(browser, "load-0") == [*first, door.text]
    paper = browser.execute_script("return Charts.of(document.getElementById('load-0')).svg()")
    assert f">{door.text}</text>" in paper
    assert "open.load-0=3" in browser.current_url
    browser.refresh()
    until(browser, lambda: browser.execute_script("return document.documentElement.dataset.drawn === 'yes'"))
    seen(browser, "load-0")
    assert len(titles(browser, "load-0")) == 4


def test_a_chart_in_percent_stays_so_by_its_address_and_on_paper(browser):
    seen(browser, "load-2")
    whole = x_ranges(browser, "load-2")[0]
    (switch,) = [one for one in browser.find_elements(By.CSS_SELECTOR, "#load-2 .tools button") if one.text == "%"]
    switch.send_keys(Keys.ENTER)
    title = "received (% of the test's highest received load)"
    assert titles(browser, "load-2")[0] == title
    assert x_ranges(browser, "load-2")[0][1] > 10 * whole[1]  # of 5.01 Mpps, in percent
    assert "percent.load-2=1" in browser.current_url
    browser.refresh()
    until(browser, lambda: browser.execute_script("return document.documentElement.dataset.drawn === 'yes'"))
    seen(browser, "load-2")
    assert titles(browser, "load-2")[0] == title
    assert title in browser.execute_script("return Charts.of(document.getElementById('load-2')).svg()").replace(
        "&#39;", "'"
    )
    highest = (
        "return Charts.of(document.getElementById('load-2')).figure.panels[0].curves.map((one) => Math.max(...one.y))"
    )
    assert max(browser.execute_script(highest)[:2]) == pytest.approx(100, rel=0.01)


LABELS = """
    return [...document.querySelectorAll(`#${arguments[0]} .labels`)].map((layer) => {
        const box = layer.getBoundingClientRect();
        return [box.width, box.height, [...layer.children].map((one) => {
            const { left, right, top, bottom } = one.getBoundingClientRect();
            return [one.textContent, left - box.left, right - box.left, top - box.top, bottom - box.top];
        })];
    })
"""
"""Size of each panel's layer, and text and edges of its labels."""


@pytest.mark.parametrize("width_px", [400, 1280])
def test_labels_are_text_and_none_lies_over_another(kinds, width_px):
    metrics = {"width": width_px, "height": 900, "deviceScaleFactor": 1, "mobile": width_px < 640}
    kinds.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        some = 0
        for chart in ("load-0", "search-0", "soak-0"):
            unfolded(kinds, chart)
            for width, height, panel in kinds.execute_script(LABELS, chart):
                some += len(panel)
                for text, left, right, top, bottom in panel:
                    assert left >= 0 and right <= width + 1 and top >= -1 and bottom <= height + 1, text
                for one, other in combinations(panel, 2):
                    beside = one[2] <= other[1] or other[2] <= one[1]
                    assert beside or one[4] <= other[3] + 1 or other[4] <= one[3] + 1, (one, other)
        assert some > 3
    finally:
        kinds.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_point_tells_what_it_is(browser):
    seen(browser, "load-2")
    plot = browser.find_element(By.CSS_SELECTOR, "#load-2 .plot")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    ActionChains(browser).move_to_element(plot).perform()
    tip = browser.find_element(By.CSS_SELECTOR, "#load-2 .tip")
    until(browser, tip.is_displayed)
    assert tip.text.startswith(TITLE)
    assert "saturation point" in tip.text or "loss onset" in tip.text or "of line, loss" in tip.text


def x_ranges(browser, chart):
    return browser.execute_script(
        f"return Charts.of(document.getElementById('{chart}')).graphs.map((graph) => graph.xAxisRange())"
    )


def test_dragging_zooms_all_panels_and_a_double_click_returns(browser):
    seen(browser, "load-2")
    whole = x_ranges(browser, "load-2")
    plot = browser.find_element(By.CSS_SELECTOR, "#load-2 .plot")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    ActionChains(browser).move_to_element(plot).click_and_hold().move_by_offset(200, 2).release().perform()
    until(browser, lambda: x_ranges(browser, "load-2") != whole)
    ranges = x_ranges(browser, "load-2")
    assert all(one == ranges[0] for one in ranges)
    assert ranges[0][1] - ranges[0][0] < (whole[0][1] - whole[0][0]) / 2
    ActionChains(browser).move_to_element(plot).double_click().perform()
    until(browser, lambda: x_ranges(browser, "load-2") == whole)


def test_the_keyboard_zooms_toggles_and_opens_the_table(browser):
    seen(browser, "load-0")
    whole = x_ranges(browser, "load-0")[0]
    (zoom,) = [one for one in browser.find_elements(By.CSS_SELECTOR, "#load-0 .tools button") if one.text == "+"]
    zoom.send_keys(Keys.ENTER)
    until(browser, lambda: x_ranges(browser, "load-0")[0] != whole)
    entry = legend_entry(browser, "load-0", UNI)
    entry.send_keys(Keys.SPACE)
    focused = browser.switch_to.active_element
    assert focused.text.startswith(UNI) and focused.get_attribute("aria-pressed") == "false"
    browser.find_element(By.CSS_SELECTOR, "#load-0 .twin summary").send_keys(Keys.ENTER)
    until(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, "#load-0 .twin tbody tr")) > 10)
    assert all(not head.text.startswith(UNI) for head in browser.find_elements(By.CSS_SELECTOR, ".twin th"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_follow_the_theme_and_keep_what_is_hidden(browser, scheme):
    seen(browser, "load-0")
    before = drawn(browser, "load-0")
    legend_entry(browser, "load-0", UNI).click()
    until(browser, lambda: drawn(browser, "load-0") != before)
    hidden = drawn(browser, "load-0")
    look_in(browser, scheme)
    papers = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 31)"}
    until(browser, lambda: background(browser, "body", "backgroundColor") == papers[scheme])
    assert drawn(browser, "load-0") == hidden
    # The switch overrides the system's theme.
    other = "dark" if scheme == "light" else "light"
    theme = browser.find_element(By.ID, "theme")
    until(browser, lambda: theme.click() or theme.text == f"Theme: {other}")
    assert background(browser, "body", "backgroundColor") == papers[other]


def test_words_choose_results_everywhere_and_the_address_keeps_it(browser):
    browser.find_element(By.ID, "filter").send_keys("1514")
    chosen = browser.find_element(By.ID, "chosen")
    until(browser, lambda: chosen.text == "2 of 8 results")
    loads = browser.find_elements(By.CSS_SELECTOR, "section.load")
    assert [load.is_displayed() for load in loads] == [True, False, False, False]
    assert len([row for row in browser.find_elements(By.CSS_SELECTOR, "#matrix tbody tr") if row.is_displayed()]) == 1
    whys = browser.find_elements(By.CSS_SELECTOR, "details.why")
    assert len([why for why in whys if why.is_displayed()]) == 2
    seen(browser, "load-0")
    legend_entry(browser, "load-0", UNI).click()
    (zoom,) = [one for one in browser.find_elements(By.CSS_SELECTOR, "#load-0 .tools button") if one.text == "+"]
    zoom.click()
    ranges, curves, address = x_ranges(browser, "load-0"), drawn(browser, "load-0"), browser.current_url
    assert "show=1514" in address
    browser.get("about:blank")
    browser.get(address)
    until(browser, lambda: browser.execute_script("return document.documentElement.dataset.drawn === 'yes'"))
    assert browser.find_element(By.ID, "chosen").text == "2 of 8 results"
    seen(browser, "load-0")
    assert drawn(browser, "load-0") == curves
    assert x_ranges(browser, "load-0")[0] == pytest.approx(ranges[0], rel=1e-4)
    browser.find_element(By.ID, "all").click()
    assert browser.find_element(By.ID, "chosen").text == "8 results"


def test_what_is_ticked_is_compared_with_the_first(browser):
    browser.find_element(By.CSS_SELECTOR, "#pick summary").click()
    boxes = browser.find_elements(By.CSS_SELECTOR, "#pick input")
    for number in (4, 6):
        boxes[number].click()
    rows = browser.find_elements(By.CSS_SELECTOR, "#compared tbody tr")
    assert [row.text.split()[0] for row in rows] == ["<i>64var2-uni", "<i>64-uni"]
    assert rows[0].text.endswith("–")
    assert rows[1].text.endswith("0.00 %")


def test_a_chart_is_saved_as_svg_and_as_png(browser, tmp_path):
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    seen(browser, "load-2")
    buttons = {one.text: one for one in browser.find_elements(By.CSS_SELECTOR, "#load-2 .tools button")}
    buttons["SVG"].click()
    (vector,) = until(browser, lambda: list(tmp_path.glob("*.svg")))
    root = ElementTree.fromstring(vector.read_text(encoding="utf-8"))
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"received (Mpps)", "offered load per direction (Mpps)", "saturation point, bar: its bounds"} <= set(words)
    assert f"{UNI}: loss onset between 4.46 and 5.21, saturation point 5.01 Mpps" in words
    assert "".join(words).startswith("Load test, 64b many flows: Eight")
    buttons["PNG"].click()
    (picture,) = until(browser, lambda: list(tmp_path.glob("*.png")))
    head = until(browser, lambda: picture.read_bytes()[:24])
    assert head.startswith(b"\x89PNG")
    assert int.from_bytes(head[16:20]) >= 2000  # sharp on any screen


def background(browser, selector, name):
    script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    return browser.execute_script(script, selector, name)


def test_the_table_sorts_by_any_column(browser):
    def column(number):
        cells = browser.find_elements(By.CSS_SELECTOR, f"#summary tbody td:nth-child({number})")
        return [cell.get_attribute("data-key") for cell in cells]

    def press(number):
        browser.find_element(By.CSS_SELECTOR, f"#summary thead th:nth-child({number}) button").click()

    browser.find_element(By.CSS_SELECTOR, "#summary summary").click()
    rows = column(1)
    assert len(rows) == 4 * (1 + 3)
    press(5)
    highest_first = [float(value) for value in column(5)]
    assert highest_first == sorted(highest_first, reverse=True)
    press(5)
    assert [float(value) for value in column(5)] == highest_first[::-1]
    press(9)
    known = [value for value in column(9) if value]
    assert column(9) == sorted(known, key=float, reverse=True) + [""] * (len(rows) - len(known))
    assert "" in column(9)
    press(1)
    assert sorted(rows) == sorted(column(1))


def test_remarks_are_folded_below_the_charts_and_open_into_their_tests(browser):
    (remark,) = browser.find_elements(By.CSS_SELECTOR, "#remarks details")
    assert remark.find_element(By.TAG_NAME, "summary").text.startswith("4 of 8 results not complete")
    first = remark.find_element(By.TAG_NAME, "li")
    assert not first.is_displayed()
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert browser.execute_script(top, "#remarks") > browser.execute_script(top, "#load-3")
    browser.find_element(By.CSS_SELECTOR, ".meta a").click()
    until(browser, lambda: browser.execute_script(top, "#remarks") < 900)
    remark.find_element(By.TAG_NAME, "summary").click()
    assert first.text == f"<i>1514-uni: interrupted: {TITLE}"


def test_a_listing_is_copied_as_it_stands(browser, page):
    permission = {"name": "clipboard-read"}
    browser.execute_cdp_cmd("Browser.setPermission", {"permission": permission, "setting": "granted"})
    browser.find_element(By.CSS_SELECTOR, "#everything > summary").click()
    browser.find_element(By.CSS_SELECTOR, ".listing summary").click()
    button = browser.find_element(By.CSS_SELECTOR, ".listing .copy")
    button.click()
    until(browser, lambda: button.text == "Copied")
    assert browser.execute_script("return navigator.clipboard.readText()") == "".join(f"{line}\n" for line in COMMANDS)


@pytest.mark.parametrize("width_px", [400, 1280])
def test_only_tables_scroll_sideways(browser, width_px):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width_px, "height": 800, "deviceScaleFactor": 1, "mobile": width_px < 640},
    )
    try:
        browser.execute_script("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        page = "document.documentElement"
        until(browser, lambda: browser.execute_script(f"return {page}.scrollWidth <= {page}.clientWidth"))
        # The answer is on the first screen at any width.
        rate = browser.find_element(By.CSS_SELECTOR, "#answers .rate")
        assert rate.rect["y"] + rate.rect["height"] < 800
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_text_stays_text(browser):
    assert browser.title == TITLE
    assert browser.find_element(By.TAG_NAME, "h1").text == TITLE
    assert browser.execute_script("return window.hostile") is None


def test_printing_draws_dark_on_white(browser):
    look_in(browser, "dark")
    browser.execute_script(
        """
        window.printed = [];
        addEventListener("beforeprint", () => {
            for (const svg of document.querySelectorAll(".chart .paper svg")) {
                printed.push([svg.querySelector("rect").getAttribute("fill"), svg.querySelectorAll("path").length]);
            }
        });
        """
    )
    done = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
    assert base64.b64decode(done["data"]).startswith(b"%PDF")
    printed = browser.execute_script("return window.printed")
    assert len(printed) == 4  # those over time are folded
    assert all(paper == "#ffffff" and paths > 10 for paper, paths in printed)
    assert browser.find_elements(By.CSS_SELECTOR, ".chart .paper") == []


def test_the_page_is_one_file(page):
    assert [path.name for path in Path(page.parent).glob("*") if path.suffix != ".json"] == ["report.html"]


def test_without_dygraphs_charts_are_pictures(chromium, page, tmp_path, monkeypatch):
    monkeypatch.setattr(dygraphs, "FOLDER", tmp_path)
    still = tmp_path / "still.html"
    assert main(["report", *map(str, page.parent.glob("*.json")), "-o", str(still)]) == 0
    assert "charts drawn by dygraphs" not in still.read_text(encoding="utf-8")
    chromium.get(still.as_uri())
    chromium.execute_script("document.getElementById('load-0').scrollIntoView()")
    picture = until(chromium, lambda: chromium.find_elements(By.CSS_SELECTOR, "#load-0 .stage svg"))[0]
    assert len(picture.find_elements(By.TAG_NAME, "path")) > 20
    curves = len(picture.find_elements(By.CSS_SELECTOR, "path[stroke-width='2']"))
    chromium.find_element(By.CSS_SELECTOR, "#load-0 .legend button[aria-pressed=true]").click()
    picture = chromium.find_element(By.CSS_SELECTOR, "#load-0 .stage svg")
    assert len(picture.find_elements(By.CSS_SELECTOR, "path[stroke-width='2']")) < curves
    assert chromium.get_log("browser") == []


def polled(result, dut):
    """A result whose router has one worker and reports the cost of its nodes: 400 ticks per packet at 2.6 GHz."""
    samples = []
    for sample in result.samples:
        packets, polls = round(sample.ports[1].rx_pps), 2_000_000
        nodes = {
            "memif-input": [polls, packets, 2_600_000_000 - 300 * packets, 0],
            "ethernet-input": [packets // 64, packets, 100 * packets, 0],
            "ip4-lookup": [packets // 64, packets, 120 * packets, 0],
            "e1-tx": [packets // 64, packets, 80 * packets, 0],
        }
        worker = {"name": "ws_wk_0", "interval": 1.0, "tsc_hz": 2_600_000_000, "clocks": 2_600_000_000, "nodes": nodes}
        samples.append(replace(sample, dut={"interval": 1.0, "workers": [worker]}))
    return replace(result, samples=tuple(samples), dut=from_json(DutFacts, dut))


@pytest.fixture(scope="module")
def kinds_page(tmp_path_factory):
    """A load test with the search of the same test, another search, RFC 2544 and a soak on one page."""
    folder = tmp_path_factory.mktemp("kinds")
    described = {"name": "router"}
    ramp = replace(simulated(64, "size=64", both_ways=False), dut=from_json(DutFacts, described))
    results = {
        "ramp": ramp,
        "polled": polled(simulated(512, "size=512", both_ways=False), described),
        "ramp-search": search_of(
            dut=SimulatedDut(up_to(5e6)), directions=(FORWARD,), described=described, latency=True
        ),
        "limited": search_of("limited", SimulatedDut(up_to(9e6), tester_pps=6e6), described={"name": TITLE}, mrr=3),
        "suite": suite_of(),
        "soak": soak_of(seconds=400, lossy=[(100, 50)], gap=300.0),
    }
    for name, result in results.items():
        write_file(result, folder / f"<i>{name}.json")
    paths = [str(folder / f"<i>{name}.json") for name in results]
    assert main(["report", *paths, "-t", TITLE, "-o", str(folder / "report.html")]) == 0
    return folder / "report.html"


@pytest.fixture
def kinds(chromium, kinds_page):
    """That page, with the checks of the other one."""
    chromium.get(kinds_page.as_uri())
    until(chromium, lambda: chromium.execute_script("return document.documentElement.dataset.drawn === 'yes'"))
    yield chromium
    assert chromium.get_log("browser") == []
    assert chromium.execute_script("return window.hostile") is None


def test_every_kind_of_result_draws_its_charts(kinds, kinds_page):
    names = {chart: panels for chart, panels in expected(kinds_page).items() if not chart.startswith("time-")}
    assert {"load-0", "search-0", "search-1", "rfc2544-0-throughput", "rfc2544-0-latency", "soak-0"} <= set(names)
    for chart, panels in names.items():
        unfolded(kinds, chart)
        found = drawn(kinds, chart)
        # One curve may cover another.
        assert all(set(some) <= set(names) for some, names in zip(found, panels, strict=True)), chart
        assert [bool(some) for some in found] == [bool(names) for names in panels], chart


def test_bounds_of_a_search_can_be_hidden_on_the_ramp(kinds):
    seen(kinds, "load-0")
    entries = [entry.text for entry in kinds.find_elements(By.CSS_SELECTOR, "#load-0 .legend button")]
    (name,) = [entry for entry in entries if entry.startswith("NDR of <i>ramp-search")]
    assert "limited" not in " ".join(entries)
    bands = "const chart = Charts.of(document.getElementById('load-0')); "
    bands += "return chart.figure.bands.filter((band) => chart.shows(band)).length"
    before = kinds.execute_script(bands)
    legend_entry(kinds, "load-0", name).click()
    assert kinds.execute_script(bands) == before - 1


@pytest.mark.parametrize("width_px", [400, 1280])
def test_all_kinds_fit_the_screen(kinds, width_px):
    kinds.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width_px, "height": 800, "deviceScaleFactor": 1, "mobile": width_px < 640},
    )
    try:
        kinds.execute_script("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        page = "document.documentElement"
        until(kinds, lambda: kinds.execute_script(f"return {page}.scrollWidth <= {page}.clientWidth"))
        assert kinds.find_elements(By.CSS_SELECTOR, "tr.irregular")
    finally:
        kinds.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_tables_and_the_text_to_paste_are_reached_by_the_keyboard(kinds):
    """Everything that scrolls, opens or copies can get the focus, in document order."""
    kinds.find_element(By.CSS_SELECTOR, ".rfc2544 details summary").send_keys(Keys.ENTER)
    text = kinds.find_element(By.CSS_SELECTOR, ".rfc2544 details pre").text
    assert text.startswith("# RFC 2544: <i>suite")
    assert "Conformance: RFC 2544 §26.1 except: trials of 2 s" in text
    kinds.switch_to.active_element.send_keys(Keys.TAB)
    assert kinds.switch_to.active_element.tag_name == "pre"
    kinds.switch_to.active_element.send_keys(Keys.TAB)
    assert kinds.switch_to.active_element.text == "Copy"
    boxes = kinds.find_elements(By.CSS_SELECTOR, "#searches .scroll, .rfc2544 .scroll, #soaks .scroll")
    assert len(boxes) > 8
    assert all(box.get_attribute("tabindex") == "0" and box.get_attribute("aria-label") for box in boxes)


@pytest.mark.parametrize("width_px", [400, 1280])
def test_the_cpus_time_is_a_picture_that_fits(kinds, width_px):
    """Bars are as wide as the picture, the load is above each, and each part has its own colour in both themes."""
    kinds.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width_px, "height": 800, "deviceScaleFactor": 1, "mobile": width_px < 640},
    )
    try:
        (fold,) = [one for one in kinds.find_elements(By.CSS_SELECTOR, "details.why") if "polled" in one.text]
        fold.find_element(By.TAG_NAME, "summary").click()
        (picture,) = until(kinds, lambda: fold.find_elements(By.CSS_SELECTOR, ".budget svg"))
        assert "most of the work was" in picture.get_attribute("aria-label")
        widths = kinds.execute_script(
            """
            const rows = {};
            for (const part of arguments[0].querySelectorAll("rect")) {
                const box = part.getBoundingClientRect();
                rows[box.top] = (rows[box.top] || 0) + box.width;
            }
            return Object.values(rows).map((width) => width / arguments[0].getBoundingClientRect().width);
            """,
            picture,
        )
        assert len(widths) == 8
        assert widths == pytest.approx([1.0] * 8, abs=0.02)
        fills = {part.value_of_css_property("fill") for part in picture.find_elements(By.TAG_NAME, "rect")}
        assert len(fills) == 4  # input, lookup, tx, idle
    finally:
        kinds.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_figure_of_the_evidence_leads_to_its_point_of_the_chart(kinds):
    (fold,) = [one for one in kinds.find_elements(By.CSS_SELECTOR, "details.why") if "polled" in one.text]
    fold.find_element(By.TAG_NAME, "summary").click()
    link = until(kinds, lambda: fold.find_elements(By.CSS_SELECTOR, "a[data-at]"))[0]
    chart, at = link.get_attribute("hash")[1:], float(link.get_attribute("data-at"))
    link.click()
    marked = f"return Charts.of(document.getElementById('{chart}')).at"
    until(kinds, lambda: kinds.execute_script(marked) == at)
    assert 2.0 < at < 2.35  # Mpps: the highest loads, of 512 bytes on 10 Gb/s


OTHER_PAIRS = pytest.mark.long("the other pairs of scheme and width, 10 s of Chromium each")


@pytest.mark.parametrize(
    ("scheme", "width_px"),
    [
        ("light", 400),
        ("dark", 1280),
        pytest.param("light", 1280, marks=OTHER_PAIRS),
        pytest.param("dark", 400, marks=OTHER_PAIRS),
    ],
)
def test_nothing_is_hard_to_read_or_to_reach(kinds, width_px, scheme):
    """Contrast, names, roles and order by axe-core, with every fold open and a chart drawn."""
    look_in(kinds, scheme)
    kinds.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width_px, "height": 800, "deviceScaleFactor": 1, "mobile": width_px < 640},
    )
    try:
        kinds.execute_script("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        for chart in ("load-0", "search-0", "soak-0"):
            seen(kinds, chart)
        assert faults_of(kinds) == []
    finally:
        kinds.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
