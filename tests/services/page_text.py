"""Faults of a page's text in a browser: cut off, overlapping, or wider than the screen."""

from __future__ import annotations

from typing import Any

_TEXT = """
    const page = document.documentElement, faults = new Set(), shown = [];
    const isClipped = (one) => one && (getComputedStyle(one).clipPath !== "none" || isClipped(one.parentElement));
    const isSeen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
        !one.closest("option, noscript, script, style") && !isClipped(one);
    const named = (node) => JSON.stringify(node.data.trim().slice(0, 60));
    const scrolls = (value) => value === "auto" || value === "scroll";

    // Boxes that cut what does not fit into them, up to one that scrolls; and all that scroll.
    function around(node) {
        const found = [], windows = [];
        for (let above = node; above && above !== document.body; above = above.parentElement) {
            const { overflowX, overflowY } = getComputedStyle(above);
            const box = above.getBoundingClientRect();
            if (scrolls(overflowX) || scrolls(overflowY)) windows.push(box);
            else if (!windows.length && overflowX !== "visible" && above.clientWidth) found.push(box);
        }
        return [found, windows];
    }

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!node.data.trim() || !isSeen(parent)) continue;
        const range = document.createRange(), [clips, windows] = around(parent);
        range.selectNodeContents(node);
        for (const { left, right, top, bottom, width, height } of range.getClientRects()) {
            if (width < 1 || height < 1) continue;
            const isOff = !windows.length && (right > page.clientWidth + 1 || left < -1);
            if (isOff) faults.add(`off the screen: ${named(node)}`);
            const isCut = (clip) => left < clip.left - 1 || right > clip.right + 1 || top < clip.top - 2 ||
                bottom > clip.bottom + 2;
            if (clips.some(isCut)) faults.add(`cut: ${named(node)}`);
            const air = height * 0.18; // a line is taller than its letters
            const seen = { node, left, right, top: top + air, bottom: bottom - air };
            for (const one of windows) {
                for (const side of ["left", "top"]) seen[side] = Math.max(seen[side], one[side]);
                for (const side of ["right", "bottom"]) seen[side] = Math.min(seen[side], one[side]);
            }
            if (seen.left < seen.right && seen.top < seen.bottom) shown.push(seen);
        }
    }
    shown.sort((a, b) => a.top - b.top);
    shown.forEach((one, place) => {
        for (const other of shown.slice(place + 1)) {
            if (other.top >= one.bottom - 1) break;
            if (other.node !== one.node && other.left < one.right - 1 && one.left < other.right - 1)
                faults.add(`over another: ${named(one.node)} and ${named(other.node)}`);
        }
    });
    const beyond = page.scrollWidth - page.clientWidth;
    if (beyond > 0) faults.add(`the page scrolls sideways by ${beyond} px`);
    return [shown.length, [...faults].slice(0, 10)];
"""


def text_faults(browser: Any) -> list[str]:
    """All visible text, including that of charts. Text in a box that scrolls may be wider than the box."""
    shown, faults = browser.execute_script(_TEXT)
    assert shown > 3, "the page has no text"
    return list(faults)


_STRUCK = """
    if (typeof Charts === "undefined") return [0, []];
    const struck = [];
    for (const node of document.querySelectorAll(".chart")) {
        for (const graph of Charts.of(node)?.graphs ?? []) {
            const plot = graph.graphDiv.getBoundingClientRect();
            const lines = graph.panel.curves.filter((curve, number) => graph.visibility()[number] && !curve.dots);
            for (const label of graph.graphDiv.closest(".stand").querySelectorAll(".label")) {
                const box = label.getBoundingClientRect();
                const [left, right] = [box.left - plot.left, box.right - plot.left];
                const [top, bottom] = [box.top + 3 - plot.top, box.bottom - 3 - plot.top];
                const through = lines.filter((curve) => curve.x.some((x, place) => {
                    if (!place || curve.y[place] === null || curve.y[place - 1] === null) return false;
                    const isAt = (at) => curve.y[at] <= graph.panel.floor; // no line leads up from there
                    if (isAt(place) !== isAt(place - 1)) return false;
                    const pixel = (at) => [graph.toDomXCoord(curve.x[at]), graph.toDomYCoord(curve.y[at])];
                    const [a, b] = [pixel(place - 1), pixel(place)];
                    return Array.from({ length: 41 }, (_, step) => step / 40).some((part) => {
                        const [u, v] = [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])];
                        return u > left && u < right && v > top && v < bottom;
                    });
                }));
                if (through.length) struck.push(`${graph.panel.title}: ${label.textContent} by ${through[0].name}`);
            }
        }
    }
    return [document.querySelectorAll(".chart .label").length, struck];
"""


def struck_words(browser: Any) -> tuple[int, list[str]]:
    """Number of words in charts, and those that a curve crosses."""
    labels, struck = browser.execute_script(_STRUCK)
    return labels, list(struck)
