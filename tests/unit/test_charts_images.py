"""Charts as files without a browser: their names, completeness, and agreement with the page."""

from __future__ import annotations

import builtins
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from harness.page_results import IMIX, LONG, PLAIN, all_kinds, loadtest, written
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from report_kinds import search_of, soak_of, suite_of

from wirespeed.charts.chart import Chart, Curve, Panel
from wirespeed.charts.images import GRID, stems, write_images
from wirespeed.cli.main import main
from wirespeed.measurement.file import write_file
from wirespeed.report.render import render

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
OLD, OURS = str(GOLDEN / "trex-loadtest.json"), str(GOLDEN / "wirespeed.json")
SVG = "{http://www.w3.org/2000/svg}"


def words(path: Path) -> set[str]:
    return {text.text or "" for text in ElementTree.fromstring(path.read_text(encoding="utf-8")).iter(f"{SVG}text")}


def test_every_kind_of_result_becomes_pictures(tmp_path, capsys):
    paths = [OURS, OLD]
    for name, result in {"search": search_of(latency=True), "suite": suite_of(), "soak": soak_of(gap=20.0)}.items():
        paths.append(str(tmp_path / f"{name}.json"))
        write_file(result, Path(paths[-1]))
    folder = tmp_path / "new" / "pictures"
    assert main(["report", *paths, "-o", str(tmp_path / "page.html"), "--images", str(folder)]) == 0
    stems_of = {path.stem.removesuffix("-85mm") for path in folder.iterdir()}
    assert {"load-64b-one-flow", "time-64b-one-flow", "search-search", "soak-soak"} <= stems_of
    assert {"rfc2544-throughput-suite", "rfc2544-latency-suite", "rfc2544-frame-loss-suite"} <= stems_of
    assert len(list(folder.iterdir())) == 4 * len(stems_of)
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f"{4 * len(stems_of)} pictures of {len(stems_of)} charts written to {folder}"
    for path in folder.iterdir():
        fits_a_column(path, 85 if path.stem.endswith("-85mm") else 175)
    told = words(folder / "load-64b-one-flow.svg")
    assert {"received (Mpps)", "↑ line rate 14.88 Mpps", "saturation point", "router 0→1", "loss 0.1 %"} <= told
    assert {
        stem: title_of(folder / f"{stem}.svg")
        for stem in ("load-64b-one-flow", "search-search", "soak-soak", "rfc2544-latency-suite")
    } == {
        "load-64b-one-flow": "Load test, 64b one flow: router",
        "search-search": "Search, 64b one flow: router",
        "soak-soak": "Soak, 64b one flow: router",
        "rfc2544-latency-suite": "RFC 2544, latency: router",
    }


def title_of(path: Path) -> str:
    """The words at the top of a picture."""
    texts = ElementTree.parse(path).iter(f"{SVG}text")
    return min(texts, key=lambda text: place_of(text)[1]).text or ""


def width_of(text: ElementTree.Element) -> float:
    size = float(re.search(r"([\d.]+)px", text.attrib["style"])[1])
    font = FontProperties(size=size, weight="bold" if "700" in text.attrib["style"] else "normal")
    return float(text_to_path.get_text_width_height_descent(text.text or "", font, ismath=False)[0])


def place_of(text: ElementTree.Element) -> tuple[float, float]:
    """Left and baseline of a text, in points."""
    found = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", text.attrib["transform"])
    at = (found[1], found[2]) if found else (text.attrib["x"], text.attrib["y"])
    return float(at[0]), float(at[1])


def test_every_curve_is_named_and_no_word_is_struck(tmp_path):
    """In one column too: a curve without room for its name is in the panel's legend."""
    results = [*all_kinds()[10:16], loadtest(PLAIN, IMIX, both=False)]
    drawn = render(written(results, tmp_path / "results"), title="x", date="").charts
    charts = [chart for chart in drawn if chart.identity.startswith("load")]
    write_images(charts, tmp_path)
    some = 0
    for stem, chart in zip(stems(charts), charts, strict=True):
        for ending in ("", "-85mm"):
            root = ElementTree.parse(tmp_path / f"{stem}{ending}.svg").getroot()
            told = [text.text or "" for text in root.iter(f"{SVG}text")]
            panels = [panel for panel in chart.panels if not panel.folded]
            curves = [curve for panel in panels for curve in panel.curves if curve.key not in chart.off]
            for curve in curves:
                names = (curve.name, f"{chart.called.get(curve.key, curve.name)}:")
                assert any(text == names[0] or text.startswith(names) for text in told), (stem, ending, curve.name)
            struck, beside = struck_in(root)
            assert struck == [], (stem, ending)
            some += beside
    assert some > 20


@pytest.mark.parametrize(
    ("heights", "named"),
    [((1.0, 2.0, 3.0), [3.0, 2.0, 1.0]), ((1.0, 1.02, 3.0), []), ((1.0, 1.02, 1.04, 2.0, 3.0, 4.0), [])],
)
def test_names_stand_at_their_curves_or_all_in_one_key(heights, named, tmp_path):
    """A name next to two close curves could belong to either."""
    curves = tuple(Curve(f"at {y}", "#0072b2", (0.0, 5.0, 10.0), (y, y, y), of=f"{y}") for y in heights)
    write_images([Chart("load-0", "a", "x", "", (Panel("y", "", 300, curves),))], tmp_path)
    root = ElementTree.parse(tmp_path / "load-a.svg").getroot()
    places = {text.text: place_of(text)[1] for text in root.iter(f"{SVG}text") if (text.text or "").startswith("at ")}
    highest = min(place_of(text)[1] for text in root.iter(f"{SVG}text") if "end" in anchor(text.attrib["style"]))
    assert set(places) == {f"at {y}" for y in heights}
    found = [float(name.removeprefix("at ")) for name in sorted(places, key=places.get) if places[name] > highest - 15]
    assert found == named


@pytest.mark.parametrize("key", ["", "key"])
def test_a_key_has_the_order_of_the_right_ends(key, tmp_path):
    """The key is the chart's for curves with a `key`, and the panel's for curves without one."""
    ends = (1.0, 1.04, 1.02, 1.06, 1.08)
    curves = tuple(
        Curve(f"at {end} {'x' * 40}", "#0072b2", (0.0, 10.0), (2.0 - end, end), key=key and f"{end}", of=f"{end}")
        for end in ends
    )
    write_images([Chart("load-0", "a", "x", "", (Panel("y", "", 300, curves),))], tmp_path)
    root = ElementTree.parse(tmp_path / "load-a-85mm.svg").getroot()
    named = [text for text in root.iter(f"{SVG}text") if (text.text or "").startswith("at ")]
    named.sort(key=lambda text: place_of(text)[1])
    assert [float((text.text or "").split()[1]) for text in named] == sorted(ends, reverse=True)


def struck_in(root: ElementTree.Element) -> tuple[list[str], int]:
    """Words that a curve or level of their colour crosses, and the number of words in panels."""
    lines, struck, some = [], [], 0
    for path in root.iter(f"{SVG}path"):
        style = path.attrib.get("style", "")
        if "clip-path" not in path.attrib or f"stroke: {GRID}" in style or "fill: none" not in style:
            continue
        for part in path.attrib["d"].split("M")[1:]:
            points = [tuple(map(float, found)) for found in re.findall(r"([-\d.]+) ([-\d.]+)", part)]
            lines += pairwise(points)
    boxes = [
        (*place_of(text), place_of(text)[0] + width_of(text))
        for text in root.iter(f"{SVG}text")
        if "text-anchor: start; fill" in text.attrib["style"]
    ]
    for left, base, right in boxes:
        beside = [line for line in lines if min(line[0][0], line[1][0]) < right and max(line[0][0], line[1][0]) > left]
        some += bool(beside)
        for (x, y), (u, v) in beside:
            steps = [(x + part / 40 * (u - x), y + part / 40 * (v - y)) for part in range(41)]
            if any(left < across < right and base - 5 < down < base for across, down in steps):
                struck.append(f"{left:.0f} {base:.0f}")
    return struck, some


def test_the_same_results_give_the_same_vectors(tmp_path):
    for name in ("a", "b"):
        write_images(render([Path(OURS)], title="x", date="").charts[:1], tmp_path / name)
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.svg")} for name in "ab")
    assert first and first == second


def fits_a_column(path: Path, width_mm: float) -> None:
    """A picture has that width, at 300 dpi or as a vector; its letters have at least 7 pt, and none is cut."""
    if path.suffix == ".png":
        data = path.read_bytes()
        at = data.index(b"pHYs") + 4
        assert data.startswith(b"\x89PNG") and round(int.from_bytes(data[at : at + 4]) * 0.0254) == 300
        assert int.from_bytes(data[16:20]) == pytest.approx(width_mm / 25.4 * 300, abs=1)
        return
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    width_pt = float(root.attrib["width"].removesuffix("pt"))
    assert width_pt == pytest.approx(width_mm / 25.4 * 72, abs=0.1)
    for text in root.iter(f"{SVG}text"):
        style = text.attrib["style"]
        size = float(re.search(r"([\d.]+)px", style)[1])
        (left, _), wide = place_of(text), width_of(text)
        left -= {"text-anchor: middle": wide / 2, "text-anchor: end": wide}.get(anchor(style), 0.0)
        assert size >= 7, text.text
        assert left >= -0.5 and left + wide <= width_pt + 0.5, (path.name, text.text, left, wide)


def anchor(style: str) -> str:
    found = re.search(r"text-anchor: \w+", style)
    return found[0] if found else ""


def chart(identity: str, sentence: str, name: str = "a") -> Chart:
    curve = Curve(name, "#0072b2", (0.0, 1.0), (0.0, 1.0), key=name)
    return Chart(identity, sentence, "x", "", (Panel("y", "", 100, (curve,)),))


def test_names_that_collide_or_act_are_files_of_their_own(tmp_path):
    charts = [
        chart("load-0", "../a b: c"),
        chart("load-1", "..//a/b: d"),
        chart("load-2", "$x$ \u202e<&"),
        chart("x", ""),
    ]
    assert list(stems(charts)) == ["load-a-b", "load-a-b-2", "load-x", "x"]
    written = write_images([*charts, chart("load-3", "z", "$\\frac{$ \x1b[2J <b>")], tmp_path)
    assert all(path.parent == tmp_path for path in written)
    assert "$\\frac{$ �[2J <b>" in words(tmp_path / "load-z.svg")


def test_a_chart_without_points_is_drawn(tmp_path):
    empty = Chart("load-0", "nothing", "x", "", (Panel("y", "", 100, ()),))
    assert len(write_images([empty], tmp_path)) == 4


def test_legends_are_whole_and_as_wide_as_the_picture_at_most(tmp_path):
    names = [f"{'long ' * length}{'x' * 60} {length}" for length in range(12)]
    curves = tuple(Curve(name, "#0072b2", (0.0, 1.0), (0.0, 1.0), key=name) for name in names)
    write_images([Chart("load-0", "a", "x", "", (Panel("y" * 200, "", 100, curves),))], tmp_path)
    for path in tmp_path.iterdir():
        fits_a_column(path, 85 if path.stem.endswith("-85mm") else 175)
    for path in tmp_path.glob("*.svg"):
        told = "".join(text.text or "" for text in ElementTree.parse(path).iter(f"{SVG}text")).replace(" ", "")
        assert all(name.replace(" ", "") in told for name in names)


def test_a_line_has_no_comma_alone(tmp_path):
    """A name of 60 characters is nearly as wide as the picture, and with what follows it is wider."""
    write_images([Chart("load-0", f"a: {LONG}, b", "x", "", (Panel("y", "", 100, ()),), title=f"{LONG}, b")], tmp_path)
    told = {text.text for text in ElementTree.parse(tmp_path / "load-a-85mm.svg").iter(f"{SVG}text")}
    assert {LONG.removesuffix("any"), "any, b"} <= told


def test_pictures_are_of_the_page_alone(tmp_path, capsys):
    assert main(["report", OURS, "--format", "md", "--images", str(tmp_path / "x")]) == 2
    assert "--images writes the charts of the page, and --format md has none" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_without_matplotlib_one_line_says_what_to_install(tmp_path, capsys, monkeypatch):
    genuine = builtins.__import__

    def without(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return genuine(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["report", OURS, "-o", str(tmp_path / "page.html"), "--images", str(tmp_path / "x")]) == 3
    assert "pip install 'wirespeed[images]'" in capsys.readouterr().err.splitlines()[-1]
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize("name", ["file", "file/in"])
def test_a_folder_that_cannot_be_is_told(tmp_path, name, capsys):
    (tmp_path / "file").write_text("")
    assert main(["report", OURS, "-o", str(tmp_path / "page.html"), "--images", str(tmp_path / name)]) == 6
    assert "cannot be made" in capsys.readouterr().err.splitlines()[-1]
