"""Labels and marks of charts in headless Chromium: DUT and direction of each curve, also without colours, the onset of
loss, and labels that no line crosses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from harness.page_results import EIGHT, all_kinds, loadtest, written
from headless import fresh, needs_chromium, screen_of, until
from page_text import struck_words
from selenium.webdriver.common.by import By

from wirespeed.charts.scales import loss_floor, loss_scale
from wirespeed.report.render import render

pytestmark = needs_chromium("charts")
SVG = "{http://www.w3.org/2000/svg}"


def page_of(results: list[Any], folder: Path) -> str:
    (folder / "report.html").write_text(render(written(results, folder / "results"), title="Routers", date="-").text)
    return (folder / "report.html").as_uri()


@pytest.fixture(scope="module")
def eighteen(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_of(all_kinds(), tmp_path_factory.mktemp("eighteen"))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two DUTs, each tested in both directions: four curves."""
    return page_of([loadtest(EIGHT[0]), loadtest(EIGHT[5])], tmp_path_factory.mktemp("two"))


@pytest.fixture
def browser(chromium: Any) -> Iterator[Any]:
    fresh(chromium)
    yield chromium
    assert chromium.get_log("browser") == []


def opened(browser: Any, page: str, width_px: int = 1280, scheme: str = "light") -> None:
    screen_of(browser, width_px, scheme)
    browser.get("about:blank")
    browser.get(page)
    until(browser, lambda: browser.execute_script("return document.documentElement.dataset.drawn === 'yes'"))
    browser.execute_script(
        "for (const node of document.querySelectorAll('section.load > .chart')) Charts.of(node).draw();"
        "for (const door of document.querySelectorAll('section.load > .chart .doors button')) door.click();"
    )


@pytest.mark.parametrize(
    "width_px",
    [400, *(pytest.param(wide, marks=pytest.mark.long("more room than 400 pixels")) for wide in (800, 1280))],
)
def test_no_line_goes_through_a_word(browser: Any, eighteen: str, width_px: int) -> None:
    opened(browser, eighteen, width_px)
    labels, struck = struck_words(browser)
    assert labels > 20 and struck == []


def test_directions_that_agree_are_one_curve_with_the_marks_of_both(browser: Any, two: str) -> None:
    opened(browser, two)
    labels = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#load-0 .panel:first-child .label")]
    assert {"box 1 0→1 and 1→0, alike", "box 6 0→1 and 1→0, alike"} <= set(labels)
    # Heights of the plateau of DUT 1 in columns of pixels between its marks: one line of 2 px.
    heights = browser.execute_script(
        """
        const graph = Charts.of(document.getElementById("load-0")).graphs[0];
        const curve = graph.panel.curves.find((one) => one.name === "box 1 0→1");
        const y = graph.toDomYCoord(curve.y.at(-1)), colour = parseInt(curve.colour.slice(1), 16);
        const canvas = graph.hidden_, scale = canvas.width / canvas.clientWidth;
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const parts = [16, 8, 0].map((bits) => (colour >> bits) & 255);
        const [top, high] = [Math.round((y - 4) * scale), Math.round(8 * scale)];
        const heights = [];
        for (let x = graph.toDomXCoord(4); x < graph.toDomXCoord(14); x++) {
            const { data } = copy.getImageData(Math.round(x * scale), top, 1, high);
            const isNear = (at) => parts.every((value, part) => Math.abs(data[at + part] - value) < 40);
            const isIt = (at) => data[at + 3] > 120 && isNear(at);
            heights.push(Array.from({ length: high }, (_, row) => isIt(4 * row)).filter(Boolean).length / scale);
        }
        return heights;
        """
    )
    assert sum(1.5 <= height <= 3 for height in heights) > 500
    (legend,) = (looks for name, looks in legend_of(browser, "load-0") if name.startswith("box 1 0→1 and 1→0"))
    assert re.findall(r'fill="([^"]*)" stroke', legend)[-2:] == ["", "var(--paper)"]


def legend_of(browser: Any, chart: str) -> list[tuple[str, str]]:
    """Names of the curves in the legend, and their line styles without colours."""
    found = browser.execute_script(
        """
        const on = document.querySelectorAll(`#${arguments[0]} .legend:not(.names) button[aria-pressed=true]`);
        return [...on].map((one) => [one.textContent, one.querySelector("svg").innerHTML.replace(/#[0-9a-f]{6}/g, "")]);
        """,
        chart,
    )
    return [(name, looks) for name, looks in found]


def test_curves_differ_without_colours_on_screen_and_on_paper(browser: Any, eighteen: str) -> None:
    opened(browser, eighteen)
    looks_of = {
        chart: [look for _, look in legend_of(browser, chart)]
        for chart in ("load-0", "load-1", "load-1-2", "load-2", "load-3")
    }
    assert [len(looks) for looks in looks_of.values()] == [9, 1, 2, 2, 2]
    assert all(len(set(looks)) == len(looks) for looks in looks_of.values())
    paper = ElementTree.fromstring(
        browser.execute_script("return Charts.of(document.getElementById('load-0')).svg()").replace("&#39;", "'")
    )
    shapes: dict[str, set[Any]] = {}
    for mark in paper.iter(f"{SVG}path"):
        points = re.findall(r"-?[\d.]+ -?[\d.]+", mark.attrib["d"])
        if mark.attrib["stroke-width"] == "1.6" and len(points) > 3:
            x, y = map(float, points[0].split())
            offsets = tuple((round(float(p.split()[0]) - x), round(float(p.split()[1]) - y)) for p in points)
            shapes.setdefault(mark.attrib["stroke"], set()).add(offsets)
    outlines = [frozenset(found) for colour, found in shapes.items()]
    assert len(outlines) > 9 and len({*outlines}) == len(outlines)


def test_each_curve_of_many_says_where_loss_begins_and_where_it_saturates(browser: Any, eighteen: str) -> None:
    """The same figures as in the table, in the legend next to each name, and on paper."""
    opened(browser, eighteen)
    told = [name for name, _ in legend_of(browser, "load-0")]
    assert len(told) == 9
    onsets = re.compile(r"loss onset between [\d.]+ and [\d.]+, saturation point [\d.]+ Mpps$")
    assert all(onsets.search(name) for name in told), told
    heads = browser.execute_script(
        "return [...document.querySelectorAll('#summary thead th')].map((one) => one.textContent.trim())"
    )
    onset, point = heads.index("Loss onset (Mpps)"), heads.index("Saturation point (Mpps)")
    row = browser.execute_script(
        "return [...document.querySelectorAll('#summary tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
        ".find(([test, , channel]) => test.includes('box 3') && channel === '1→0')"
    )
    between = "between {} and {}".format(*row[onset].split("–"))
    assert f"box 3 0→1 and 1→0loss onset {between}, saturation point {row[point].split()[0]} Mpps" in told
    paper = browser.execute_script("return Charts.of(document.getElementById('load-0')).svg()")
    assert f"box 3 0→1 and 1→0: loss onset {between}, saturation point" in paper
    assert ">Load test, 64b one flow: box 1, box 2, box 3 and 6 more</text>" in paper
    keys = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#load-0 .key-mark")]
    assert keys == ["saturation point, bar: its bounds", "loss onset, bar: from the highest load that passed"]
    assert "line-through" not in browser.execute_script(
        "const buttons = [...document.querySelectorAll('.legend button')];"
        "return buttons.map((one) => getComputedStyle(one).textDecorationLine).join()"
    )


def test_titles_say_what_is_drawn_and_how_its_axis_begins(browser: Any, two: str) -> None:
    opened(browser, two)
    titles = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#load-0 figcaption")]
    assert titles[:3] == ["received (Mpps)", "loss of what was offered, log scale", "cycles / packet, log scale"]
    lows = browser.execute_script(
        "return Charts.of(document.getElementById('load-0')).graphs.map((graph) => graph.yAxisRange()[0])"
    )
    assert [("log scale" in title or "axis from" in title) for title in titles] == [low != 0 for low in lows]
    names = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#load-0 .panel:nth-child(3) .label")]
    assert names == ["box 1", "box 6"]


def test_a_card_says_which_figure_is_the_best_and_how_far_off_it_can_be(browser: Any, two: str) -> None:
    opened(browser, two)
    cards = browser.find_elements(By.CSS_SELECTOR, "#answers .card")
    rates = [float(card.find_element(By.CSS_SELECTOR, ".rate b").text) for card in cards]
    assert rates == sorted(rates, reverse=True)
    (card,) = (one for one in cards if one.text.startswith("box 1"))
    lines = card.text.splitlines()
    assert lines[:4] == ["box 1", "version 1.0, 2026-11-22", "load with loss ≤ 0.1 %, estimated", "2.23 Mpps"]
    assert "1.12 Mpps each way, 7.50 % of 2 lines" in lines
    assert "Loss begins between 2.98, the highest sample of the estimate, and 4.46 Mpps" in lines
    assert "Overloaded with 29.8 Mpps: still forwards 3.10 Mpps, loss 89.6 %" in lines
    assert lines[-2:] == ["◆ estimate", "Mean of 2 neighbouring samples, which forwarded 1.49 to 2.98 Mpps."]
    shape = card.find_element(By.CSS_SELECTOR, "svg path")
    assert shape.get_attribute("fill") == browser.execute_script(
        "const { legend } = Charts.of(document.getElementById('load-0')).figure;"
        "return legend.find(({ name }) => name.startsWith('box 1')).colour"
    )


def test_each_of_nine_devices_is_named_where_its_loss_begins(browser: Any, eighteen: str) -> None:
    opened(browser, eighteen)
    named = browser.execute_script(
        """
        const graph = Charts.of(document.getElementById("load-0")).graphs[1], { panel } = graph;
        const labels = [...graph.graphDiv.closest(".stand").querySelectorAll(".label:has(svg)")];
        return labels.map((label) => {
            const isOf = (curve) => curve.note === "loss onset" && curve.name.startsWith(label.textContent + " ");
            const mark = panel.curves.find(isOf);
            return [label.textContent, label.offsetLeft, label.offsetWidth, graph.toDomXCoord(mark.x[0])];
        });
        """
    )
    assert len(named) == 9 and all(left <= x <= left + wide for _, left, wide, x in named), named


@pytest.mark.parametrize("ratios", [(), (0.0, 0.02), (3e-6, 0.5), (1e-12,), (1.0,)])
def test_pages_that_grow_have_the_loss_axis_of_reports(browser: Any, two: str, ratios: tuple[float, ...]) -> None:
    opened(browser, two)
    grown = browser.execute_script("return ChartScales.losses(arguments[0], [0.001])", ratios)
    scale = loss_scale(loss_floor(ratios, [0.001]))
    assert grown["ticks"] == [[pytest.approx(at), text] for at, text in scale.ticks]
    assert (grown["floor"], grown["range"]) == (scale.floor, [pytest.approx(scale.low), pytest.approx(scale.high)])


@pytest.mark.parametrize(("width_px", "named"), [(1280, 9), (400, 0)])
def test_names_of_nine_curves_stand_in_a_column_behind_their_ends_or_in_the_legend_alone(
    browser: Any, eighteen: str, width_px: int, named: int
) -> None:
    opened(browser, eighteen, width_px)
    labels = browser.execute_script(
        """
        const graph = Charts.of(document.getElementById("load-0")).graphs[0];
        const labels = [...graph.graphDiv.closest(".stand").querySelectorAll(".label:has(svg)")];
        const lines = graph.panel.curves.filter((curve) => !curve.dots && curve.key !== "sums");
        const end = Math.max(...lines.map(({ x }) => x.at(-1)));
        return labels.map((label) => [label.textContent, label.offsetLeft, label.offsetTop, graph.toDomXCoord(end)]);
        """
    )
    assert len(labels) == named and len(legend_of(browser, "load-0")) == 9
    assert len({left for _, left, _, _ in labels}) <= 1 and all(left > end for _, left, _, end in labels), labels
    boxes = [name for name, _, top, _ in sorted(labels, key=lambda label: label[2]) if name.startswith("box")]
    assert boxes == ([f"box {number}" for number in range(8, 0, -1)] if named else [])


def test_names_at_one_height_stand_in_the_order_of_the_names(browser: Any, eighteen: str) -> None:
    """Costs of all devices end at 400 cycles."""
    opened(browser, eighteen)
    names, rounded = browser.execute_script(
        """
        const chart = Charts.of(document.getElementById("load-0"));
        const graph = chart.graphs.find(({ panel }) => panel.title.includes("ycles"));
        const labels = [...graph.graphDiv.closest(".stand").querySelectorAll(".label:has(svg)")];
        labels.sort((one, other) => one.offsetTop - other.offsetTop);
        const group = ([name, y]) => [{ curve: { name }, points: [[0, 50], [90, y]] }];
        const groups = [["box 10", 40], ["box 9", 40.3], ["box 2", 20], ["box 1", 39.8]].map(group);
        const places = chart.ends(groups, { x: 0, y: 0, w: 100, h: 100 });
        groups.sort((one, other) => places.get(one)[1] - places.get(other)[1]);
        return [labels.map((label) => label.textContent), groups.map(([{ curve }]) => curve.name)];
        """
    )
    assert rounded == ["box 2", "box 1", "box 9", "box 10"]
    boxes = [name for name in names if name.startswith("box")]
    assert boxes == [f"box {number}" for number in range(1, 9)], names


def test_no_mark_of_several_tests_has_a_word_without_a_device(browser: Any, two: str) -> None:
    opened(browser, two)
    words = browser.execute_script(
        "return [...document.querySelectorAll('#load-0 .label')].map((one) => one.textContent)"
    )
    assert words and not {"loss onset", "saturation point"} & set(words)


def test_no_line_leads_from_no_loss_to_some(browser: Any, two: str) -> None:
    """The bar of the loss onset is between the two samples, and its mark is at the second one."""
    opened(browser, two)
    gaps, floor, bar = browser.execute_script(
        """
        const { laid, panel } = Charts.of(document.getElementById("load-0")).graphs[1];
        const [line] = laid.lines, mark = panel.curves.find((one) => one.note && one.of === line.curve.of);
        const place = line.curve.y.findIndex((y) => y > panel.floor);
        const gaps = line.path.filter(([, y]) => y === null).length;
        const bar = [mark.left[0], mark.x[0]].map((x) => line.curve.x.indexOf(x) - place);
        return [gaps, panel.floor === line.curve.y[place - 1], bar];
        """
    )
    assert (gaps, floor, bar) == (1, True, [-1, 0])
