"""Pure parts of a site: stable names, prices, the figure that stands for a DUT, steps, commands of results."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import OURS
from report_kinds import search_of, soak_of, suite_of

from wirespeed.charts.colours import ALARM, REFERENCE
from wirespeed.compare.judgement import Word
from wirespeed.measurement.loadtest.document import result_of
from wirespeed.measurement.rerun import command_of
from wirespeed.pages.loads import directions_title, load_title
from wirespeed.results.subjects import Value
from wirespeed.results.verdict import FORWARDED, FULL_LOAD, Mark
from wirespeed.site import names
from wirespeed.site.across import matrix
from wirespeed.site.bars import build_bars, side_by_side
from wirespeed.site.builds import against_before, changed, since_the_last_step
from wirespeed.site.dut import LimitOfTest as Limited
from wirespeed.site.dut import dut_page, once
from wirespeed.site.entries import Catalogue, ResultDetails, SiteEntry, SiteFigure, catalogue
from wirespeed.site.figures import answer, chosen, rate_of, telling, trust
from wirespeed.site.home import MOST_CARDS, duts_page, home
from wirespeed.site.pages import pages
from wirespeed.site.parts import SiteTable, answer_of, number, per_price_cell, per_watt_cell, text
from wirespeed.site.review import review
from wirespeed.site.trends import TrendStep, change, trends
from wirespeed.site.worth import parse_price, per_price_text


def entry(digest: str = "0", **said: object) -> SiteEntry:
    known = {
        "kind": "search",
        "title": "t",
        "dut": "router",
        "version": "",
        "cpu": "",
        "load": "bench size=64",
        "directions": "0→1",
        "started": "2026-11-22T10:00:00+00:00",
        "status": "complete",
        "limited_by": "workers",
        "watts": None,
        "is_missing": False,
    }
    return SiteEntry(digest=digest.rjust(64, "0"), **{**known, **said})  # type: ignore[arg-type]


def figure(
    rate: float, name: str = "NDR", *, irregular: str = "", bound: str = "", mark: Mark = "held", **said: object
) -> SiteFigure:
    value = Value(rate, bool(bound), irregular, bound, mark)
    return SiteFigure(entry(**said), name, value, None)  # type: ignore[arg-type]


@given(st.lists(st.text(), unique=True, max_size=40))
def test_no_two_names_share_a_file(said: list[str]) -> None:
    found = [names.slug(one) for one in said]
    assert len(set(found)) == len(said)
    assert all(one.isascii() and "/" not in one and not one.startswith(".") and len(one) < 80 for one in found)
    assert len({one.lower() for one in found}) == len(said)  # where a file system does not tell A from a


def test_a_plain_name_stands_for_itself_and_none_that_was_made_is_one() -> None:
    assert names.slug("fitlet2") == "fitlet2"
    made = names.slug("GoWin R86S")
    assert made.startswith("gowin-r86s--") and names.slug(made) != made
    assert names.slug("..") != names.slug(".") and "/" not in names.dut_page("../../x").removeprefix("boxes/")


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("400 EUR", 400, "EUR"),
        ("$400", 400, "USD"),
        ("CHF 314,-", 314, "CHF"),
        ("CHF 1’314.50", 1314.5, "CHF"),
        ("1.299,50 €", 1299.5, "EUR"),
        ("1,299 USD", 1299, "USD"),
        ("about 80 EUR second hand", 80, "EUR"),
    ],
)
def test_prices(text: str, amount: float, unit: str) -> None:
    found = parse_price(text)
    assert found is not None and (found.amount, found.unit) == (amount, unit)


@pytest.mark.parametrize("text", ["", "free", "400", "0 EUR", "-", "€"])
def test_what_is_no_price(text: str) -> None:
    assert parse_price(text) is None


def test_packets_for_a_price() -> None:
    price = parse_price("400 EUR")
    assert price is not None and per_price_text(2.98e6, price) == "7.45 kpps per EUR"


def test_the_figure_that_says_most() -> None:
    held, most = figure(3e6, "forwarded", mark="estimate"), figure(4e6, "at full load", mark="lossy")
    assert chosen([most, held]) is held and telling([most, held]) == [held]
    assert chosen([held, figure(2e6, irregular="noisy")]) is held
    old, new = figure(1e6, started="2026-01"), figure(2e6, started="2026-02")
    assert chosen([old, new]) is new and chosen([]) is None
    big = figure(9e5, load="bench size=1514", directions="0→1, 1→0")
    small = figure(1e6, load="bench size=64,vm=var2")
    assert answer([big, figure(2e6), small]) is small
    bounded = figure(1e6, bound="tester-limited", mark="at least")
    assert [trust(one).word for one in (held, most, figure(1e6), bounded)] == [
        "estimate",
        "lossy",
        "held",
        "tester-limited: at least this",
    ]
    assert trust(figure(1e6, irregular="a reason")).why == "A reason."


def series(*rates: float, **said: object) -> list[SiteFigure]:
    return [
        figure(rate, digest=str(number), started=f"2026-11-{number + 1:02d}", **said)
        for number, rate in enumerate(rates)
    ]


def test_steps_are_found_and_told_with_their_build() -> None:
    before, after = series(7e6, 7.01e6, 6.99e6, 7e6), series(*[7e6] * 4, 6.1e6, 6.11e6, 6.1e6, version="bbbb")[4:]
    (trend,) = trends([*after, *before]).values()
    assert [step.at for step in trend.steps] == [4]
    assert trend.steps[0].text == "since version bbbb: ▼\u00a012.8\u00a0%, worse"
    assert since_the_last_step([*before, *after]) == after
    (flat,) = trends(series(7e6, 7e6, 1e6)).values()
    assert flat.steps == () and flat.plateaus == ()  # too few to tell
    assert trends([figure(1e6, irregular="noisy")]) == {}


@pytest.mark.parametrize(
    ("version", "before", "word", "text"),
    [
        ("1.3", "1.2", "worse", "since version 1.3: ▼\u00a012.0\u00a0%, worse than 1.2"),
        ("1.3", "1.2", "same", "since version 1.3: ▼\u00a012.0\u00a0%, same as 1.2 within 1 %"),
        ("1.3", "1.2", "cannot tell", "since version 1.3: ▼\u00a012.0\u00a0% against 1.2, cannot be judged"),
        ("1.3", "", "worse", "since version 1.3: ▼\u00a012.0\u00a0%, worse"),
        ("1.3", "1.3", "worse", "version 1.3, since 2026-11-13: ▼\u00a012.0\u00a0%, worse"),
        ("", "", "cannot tell", "since 2026-11-13: ▼\u00a012.0\u00a0%, cannot be judged"),
    ],
)
def test_a_step_says_with_which_version_it_came_and_against_which(
    version: str, before: str, word: Word, text: str
) -> None:
    assert TrendStep(4, -0.12, "2026-11-13", version, before, word).text == text


def test_a_step_that_cannot_be_judged_has_no_colour() -> None:
    """The spread of a single result after the step is unknown."""
    rates = [7e6, 7.01e6, 6.99e6, 7e6, 5e6]
    one = shelf(*(figure(rate, started=f"2026-11-{10 + at}", version=f"1.{at}") for at, rate in enumerate(rates)))
    assert change(one.of(one.entries)) == (
        "since version 1.4: ▼\u00a028.6\u00a0% against 1.3, cannot be judged",
        False,
    )
    page = dut_page("router", one.entries, one)
    (trend,) = page.trends
    assert [(band.name, band.colour) for band in trend.chart.bands] == [("1.4: ▼\u00a028.6\u00a0%", REFERENCE)]
    sparks = [cell.spark for row in page.tests.rows for cell in row if cell.spark]
    assert [dot[2] for spark in sparks for dot in spark.dots] == [False]
    two = shelf(
        *(figure(rate, started=f"2026-11-{10 + at}", version=f"1.{at}") for at, rate in enumerate([*rates, 5.001e6]))
    )
    assert change(two.of(two.entries)) == ("since version 1.4: ▼\u00a028.6\u00a0%, worse than 1.3", True)
    (trend,) = dut_page("router", two.entries, two).trends
    assert [(band.name, band.colour) for band in trend.chart.bands] == [("1.4: ▼\u00a028.6\u00a0%, worse", ALARM)]


def test_a_trend_names_its_dut() -> None:
    found = shelf(*series(7e6, 7.01e6, 6.99e6, 7e6))
    (trend,) = dut_page("router", found.entries, found).trends
    chart = trend.chart
    assert (trend.test, trend.said) == ("NDR of 64b one flow, 0→1", "steady over 4 results")
    assert [entry.name for entry in chart.legend] == ["each result", "mean"]
    assert chart.panels[0].title == "router: NDR of 64b one flow, 0→1 (Mpps)"
    assert chart.sentence == "router: NDR of 64b one flow, 0→1: no step"


def test_a_build_against_the_one_before() -> None:
    old = series(7e6, 7.01e6, 6.99e6, version="aaaa")
    new = [
        replace(one, entry=replace(one.entry, version="bbbb", started=f"2026-12-0{at}"))
        for at, one in enumerate(series(6e6, 6.01e6, 5.99e6))
    ]
    assert against_before([*old, *new]) == "worse (-14.29 %) than aaaa"
    assert against_before(old) == ""
    assert against_before([old[0], new[0]]) == "against aaaa: -14.29 %, one run each: cannot be judged"
    assert changed([*old, *new]) == "worse (-14.29 %) than aaaa"
    assert changed([old[0], new[0]]) == against_before([old[0], new[0]])
    apart = [replace(one, entry=replace(one.entry, version=f"a{at}")) for at, one in enumerate([*old, *new])]
    assert changed(apart) == "since version a3: ▼\u00a014.3\u00a0%, worse than a2"
    assert changed(old) == ""


def test_rates_are_of_all_directions_together() -> None:
    row = {
        **{
            name: getattr(entry(directions="0→1, 1→0"), name)
            for name in SiteEntry.__dataclass_fields__
            if name not in ("told", "dut")
        },
        "dut": "router",
        "build": "",
    }
    rate = {
        "digest": row["digest"],
        "figure": "NDR",
        "rate_pps": 1e6,
        "at_least": False,
        "irregular": "",
        "per_watt": 5.0,
        "bound": "tester-limited",
        "mark": "at least",
        "loss_ratio": 0.0,
        "upper_pps": None,
        "line_percent": 3.36,
        "samples": 0,
        "low_pps": None,
        "high_pps": None,
    }
    (found,) = catalogue([row], [rate], {}).figures[row["digest"]]
    assert (rate_of(found), found.per_watt) == ("≥ 1.00 Mpps (tester-limited)", 5.0)
    assert found.told.share_text == "3.36 % of 2 lines"
    assert catalogue([], [rate], {}).figures == {}  # a result that came later


def test_ten_thousand_duts() -> None:
    entries = tuple(entry(str(number), dut=f"Box {number}", title=f"t{number}") for number in range(10_000))
    found = Catalogue(entries, {one.digest: (SiteFigure(one, "NDR", Value(1e6), None),) for one in entries})
    first, all_duts = home(found, "many"), duts_page(found, "many")
    assert len(first.cards) == MOST_CARDS and first.more_duts == 10_000 - MOST_CARDS
    assert len(first.rows) == len(all_duts.table.rows) == 10_000
    assert len({row[0].page for row in all_duts.table.rows}) == 10_000


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("worker", "DUT: worker"),
        ("dut", "DUT"),
        ("line-rate", "line"),
        ("preemption", "host"),
        ("steal", "host"),
        ("nothing", "nothing"),
        ("", ""),
    ],
)
def test_what_limited_a_result_is_said_in_the_words_of_reports(word: str, text: str) -> None:
    assert entry(limited_by=word).limit == text


def test_duts_of_which_no_rate_is_known_come_last() -> None:
    found = shelf(figure(1e6, dut="measured", started="2026-01"))
    inspected = replace(entry("f", dut="inspected", kind="inspect", started="2026-02"))
    both = replace(found, entries=(inspected, *found.entries))
    assert [card.name for card in home(both, "x").cards] == ["measured", "inspected"]
    assert [row[0].text for row in duts_page(both, "x").table.rows] == ["measured", "inspected"]


def test_results_without_a_file_lead_nowhere() -> None:
    gone = ResultDetails(fault="gone")
    found = shelf(*series(1e6, 2e6, 1e6, 2e6, told=gone))
    (trend,) = dut_page("router", found.entries, found).trends
    assert set(trend.chart.panels[0].curves[0].links) == {""}
    lost = entry(told=gone)
    assert lost.page == "" and entry(is_missing=True).page == "" and entry().page.startswith("results/")


def test_the_command_of_a_result_is_one_that_can_be_given() -> None:
    ours = command_of(result_of(OURS, "ours"))
    assert ours.startswith("wirespeed loadtest -s ") and "-rd" in shlex.split(ours)
    assert command_of(search_of()).startswith("wirespeed search ")
    assert "-p" not in shlex.split(command_of(suite_of()))
    assert command_of(soak_of(seconds=3)).startswith("wirespeed soak ")
    hostile = search_of(tunables="size=64; rm -rf /")
    assert shlex.split(command_of(hostile)).count("size=64; rm -rf /") == 1


def test_nothing_of_the_pages_is_fetched_from_elsewhere() -> None:
    folder = Path(names.__file__).parent
    for file in [*folder.glob("templates/*"), *folder.glob("site.*")]:
        assert "://" not in file.read_text()


def test_a_table_has_no_column_in_which_nothing_is_known() -> None:
    rows = ((text("a"), number(None, ""), text("x")), (text("b"), number(None, ""), text("")))
    headings = (("DUT", False), ("Mpps/W", True), ("version", False))
    assert SiteTable("t", headings, rows).known == SiteTable(
        "t", (headings[0], headings[2]), tuple((row[0], row[2]) for row in rows)
    )
    assert SiteTable("t", headings, ()).known.headings == headings


@pytest.mark.parametrize(
    ("load", "title"),
    [
        ("bench size=64,vm=var2", "64b many flows"),
        ("bench size=64", "64b one flow"),
        ("bench size=imix,vm=none", "imix one flow"),
        ("bench vm=var1,size=64,prefixes=internet:900000", "64b, vm=var1, prefixes=internet:900000"),
        ("mpls size=64", "64b MPLS"),
        ("mpls size=64,vm=var2", "64b MPLS, vm=var2"),
        ("bench", "bench"),
        ("own size=64", "own size=64"),
        ("bench size=64; rm -rf /", "64; rm -rf / one flow"),
        ("", ""),
    ],
)
def test_loads_have_the_names_of_the_command_line(load: str, title: str) -> None:
    assert load_title(load) == title


def test_directions_in_words() -> None:
    assert directions_title("0→1, 1→0") == "bidirectional"
    assert directions_title("0→1") == "0→1" and directions_title("0→1, 2→3") == "0→1 2→3"


def shelf(*figures: SiteFigure) -> Catalogue:
    """A catalogue of results with one figure each."""
    entries = [replace(one.entry, digest=f"{number:064d}") for number, one in enumerate(figures)]
    told = [replace(one, entry=entry) for one, entry in zip(figures, entries, strict=True)]
    return Catalogue(tuple(entries), {one.entry.digest: (one,) for one in told})


def test_duts_stand_side_by_side_by_rate_and_those_without_a_name_last() -> None:
    found = shelf(
        *(figure(rate, dut=dut) for rate, dut in ((5e4, "slow"), (38e6, "fast"), (50e6, "unnamed"))),
        figure(1e6, dut="slow", load="bench size=1514"),  # there is nothing to compare with one DUT
    )
    (bars,) = side_by_side(found, 4)
    assert [(bar.name, bar.text) for bar in bars.bars] == [
        ("fast", "38.0 ●"),
        ("slow", "0.0500 ●"),
        ("unnamed", "50.0 ●"),
    ]
    assert (bars.title, bars.of) == ("64b one flow, 0→1", "NDR, Mpps; a full bar is 50.0")
    assert [bar.filled_percent for bar in bars.bars] == ["76.0", "0.1", "100.0"]
    assert list(found.duts)[-1] == "unnamed"
    assert side_by_side(found, 4, by_watt=True) == ()


def test_one_test_of_each_frame_size_comes_before_a_second_one() -> None:
    loads = ("size=64", "size=64,vm=var2", "size=1514", "size=imix")
    found = shelf(*(figure(1e6, dut=dut, load=f"bench {load}") for load in loads for dut in ("a", "b")))
    titles = [bars.title.partition(",")[0] for bars in side_by_side(found, 4)]
    assert titles == ["64b many flows", "imix one flow", "1514b one flow", "64b one flow"]


def test_bars_by_version_tell_of_the_step() -> None:
    rates = [1e6, 1.001e6, 1e6, 0.8e6, 0.801e6, 0.8e6]
    found = shelf(
        *(
            figure(rate, version="1.1" if number > 2 else "1.0", started=f"2026-11-{number + 1:02d}T10:00:00+00:00")
            for number, rate in enumerate(rates)
        )
    )
    newest = found.of(found.entries)[-1]
    bars = build_bars(found, newest, "router")
    assert bars is not None
    assert [(bar.name, bar.text, bar.change, bar.is_down) for bar in bars.bars] == [
        ("1.0", "1.00 ●", "", False),
        ("1.1", "0.800 ●", "▼\u00a020.0\u00a0%, worse than 1.0", True),
    ]
    assert bars.of == "NDR, Mpps; a full bar is 1.00"
    assert change(found.of(found.entries)) == ("since version 1.1: ▼\u00a020.0\u00a0%, worse than 1.0", True)
    assert change(found.of(found.entries[:2])) == ("", False)


def test_duts_for_each_watt() -> None:
    """DUTs without a name last, each with the certainty mark of its rate."""
    big = figure(5e6, dut="big", bound="tester-limited", mark="at least", version="1.4", watts=50.0)
    small, unknown = figure(1e6, dut="small", mark="estimate"), figure(9e6, dut="unnamed")
    metered = [replace(one, per_watt=each) for one, each in ((big, 1e5), (small, 4e5), (unknown, 8e5))]
    (bars,) = side_by_side(shelf(*metered), 4, by_watt=True)
    told = [(bar.name, bar.text, bar.version, bar.filled_percent) for bar in bars.bars]
    assert told == [
        ("small", "0.400 ◆", "", "50.0"),
        ("big", "≥ 0.100 ▲", "1.4", "12.5"),
        ("unnamed", "0.800 ●", "", "100.0"),
    ]
    assert bars.of == "Mpps/W of the whole DUT; a full bar is 0.800"
    assert per_watt_cell(metered[0]).text == "≥ 0.100 ▲"
    assert per_price_cell(metered[0], "400 EUR", "").text == "≥ 12.5 kpps per EUR ▲"
    assert per_price_cell(metered[1], "400 EUR", "").text == "2.50 kpps per EUR ◆"


def test_a_figure_stands_beside_the_version_that_it_is_of() -> None:
    tests = (("size=64", "1.0"), ("size=1514", "1.0"), ("size=64", "1.1"))
    found = shelf(
        *(figure(1e6, dut=dut, load=f"bench {load}", version=version) for dut in "ab" for load, version in tests[:2]),
        figure(2e6, dut="b", load="bench size=imix", version="1.1"),
    )
    (bars,) = side_by_side(found, 1)
    assert bars.of == "NDR, Mpps; version 1.0; a full bar is 1.00" and {bar.version for bar in bars.bars} == {""}
    told = {row[0].text: (row[0].note, [cell.note for cell in row[1:]]) for row in matrix(found, "x").table.rows}
    assert told == {"a": ("version 1.0", ["", "", ""]), "b": ("", ["1.0", "1.1", "1.0"])}
    duts = duts_page(found, "x").table
    at = [text for text, _ in duts.headings].index("version")
    assert [row[at].text for row in duts.rows] == ["1.0", "1.0"]
    one = answer_of(found.of(found.duts["b"])[0], found.duts["b"], found)
    assert one is not None and one.edition == "version 1.0, 2026-11-22"


def test_a_dut_has_the_table_that_a_review_ends_with() -> None:
    """Loads from the easiest to the hardest, one direction before both."""
    loads = ("mpls size=64", "bench size=64", "bench size=imix,vm=var2", "bench size=64,vm=var2", "bench size=1514")
    both = "0→1, 1→0"
    figures = [figure(1e6, load=load, directions=way, version="1.4") for load in loads for way in (both, "0→1")]
    lined = [replace(one, value=replace(one.value, line_percent=7.5)) for one in figures]
    found = review(lined)
    assert found is not None and found.of == ("NDR", "version 1.4")
    assert [text for text, _ in found.table.headings] == ["load", "0→1, Mpps", "bidirectional, Mpps"]
    assert [row[0].text for row in found.table.rows] == [
        *("1514b one flow", "imix many flows", "64b many flows", "64b one flow", "64b MPLS")
    ]
    assert {row[2].text for row in found.table.rows} == {"1.00 ●"}
    assert {row[2].note for row in found.table.rows} == {"7.50 % of 2 lines, limited by DUT: workers"}
    other = review([*lined, figure(2e6, "PDR", load="bench size=128", limited_by="", version="1.5")])
    assert other is not None and other.of == ()
    (row,) = (row for row in other.table.rows if row[0].text == "128b one flow")
    assert (row[1].note, row[2].text) == ("PDR, version 1.5", "–")
    assert review(lined[:1]) is None  # the card says it all


def test_a_sentence_that_holds_for_several_tests_stands_once() -> None:
    told = [
        Limited("a", ("limited by DUT", "next: RSS"), "p", "1"),
        Limited("b", ("limited by line", "next: RSS"), "q", "1"),
        Limited("c", ("next: RSS",), "r", "1"),
    ]
    apart, several = once(told)
    assert [(one.test, one.sentences) for one in apart] == [("a", ("limited by DUT",)), ("b", ("limited by line",))]
    assert [(one.sentence, one.tests) for one in several] == [("next: RSS", tuple(told))]


def test_sentences_that_hold_for_all_tests_stand_on_the_page_too() -> None:
    told = ResultDetails(sentences=("limited by DUT", "next: RSS"))
    found = shelf(figure(1e6, told=told), figure(1e6, load="bench size=1514", told=told))
    (page,) = (one for one in pages(found, "x", lambda entries: {}) if one.path == names.dut_page("router"))
    text = page.render()
    assert text.count("limited by DUT</p><details><summary>2 results</summary>") == 1
    folded = text.partition("next: RSS</p><details><summary>2 results</summary>")[2].partition("</details>")[0]
    assert "1514b one flow, 0→1</a>" in folded and "64b one flow, 0→1</a>" in folded


def test_equal_estimates_stand_in_the_order_of_their_rates_at_full_load() -> None:
    held = [figure(2e6, FORWARDED, dut=dut, mark="estimate") for dut in ("a", "b")]
    full = [SiteFigure(one.entry, FULL_LOAD, Value(rate), None) for one, rate in zip(held, (3e6, 4e6), strict=True)]
    entries = tuple(replace(one.entry, digest=f"{place}") for place, one in enumerate(held))
    figures = {
        entry.digest: (replace(a, entry=entry), replace(b, entry=entry))
        for entry, a, b in zip(entries, held, full, strict=True)
    }
    (bars,) = side_by_side(Catalogue(entries, figures), 1)
    assert [bar.name for bar in bars.bars] == ["b", "a"]


def test_a_dut_without_a_rate_has_the_words_of_the_list_of_results() -> None:
    shown = (
        "–",
        "not measured: disturbed",
        "",
        "forwarded",
        "◌",
        "disturbed: 30 of 30 samples",
        "The host took CPUs away.",
    )
    lost = entry("e", dut="a", told=ResultDetails(shown=shown))
    (card,) = home(Catalogue((lost, entry("f", dut="a", kind="inspect")), {}), "x").cards
    assert card.answer is not None
    assert (card.answer.rate, card.answer.of, card.answer.shape, card.answer.word) == (shown[1], *shown[3:6])
    (row,) = duts_page(Catalogue((lost,), {}), "x").table.rows
    assert (row[1].text, row[1].why) == ("– ◌", "forwarded not measured: disturbed, disturbed: 30 of 30 samples")


def test_a_dut_that_lost_all_is_in_the_table_of_duts() -> None:
    """A dash is for what was not measured."""
    shown = ("0", "0", "pps", "forwarded", "◇", "lossy", "More was lost than is allowed.")
    rated = shelf(figure(1e6, dut="a"), figure(2e6, dut="b", load="bench size=1514"))
    lost = entry("e", dut="c", told=ResultDetails(shown=shown))
    found = matrix(replace(rated, entries=(*rated.entries, lost, entry("f", dut="d", kind="inspect", load=""))), "x")
    assert found.counted == "2 of 4 DUTs have a rate of these 2 tests"
    assert [[cell.text for cell in row] for row in found.table.rows] == [
        ["a", "–", "1.00 ●"],
        ["b", "2.00 ●", "–"],
        ["c", "–", "0 ◇"],
    ]


def test_an_inspection_makes_no_dut_the_newest() -> None:
    old = figure(1e6, dut="a", started="2026-11-01T10:00:00+00:00")
    new = figure(1e6, dut="b", started="2026-11-02T10:00:00+00:00")
    seen = entry("f", dut="a", kind="inspect", started="2026-11-03T10:00:00+00:00")
    found = Catalogue((seen, new.entry, old.entry), {one.entry.digest: (one,) for one in (old, new)})
    assert list(found.duts) == ["b", "a"]
    assert home(found, "x").meta[-1] == "newest 2026-11-02"
    assert [card.foot for card in home(found, "x").cards] == [
        "1 result · newest 2026-11-02",
        "1 result, 1 inspection · newest 2026-11-01",
    ]


FALLS = (7e6, 7.01e6, 6.99e6, 7e6, 5e6, 5.001e6)


def test_pages_say_of_how_many_duts_they_are() -> None:
    rated = shelf(figure(1e6, dut="a"), figure(2e6, dut="b"), figure(3e6, dut="c", load="bench size=1514"))
    inspected = entry("f", dut="d", kind="inspect")
    found = replace(rated, entries=(*rated.entries, inspected))
    view = home(found, "x")
    assert view.meta[:3] == ("3 results, 1 inspection", "4 DUTs, 3 of them with a rate", "2 tests")
    assert [card.foot for card in view.cards][-1] == "1 inspection · inspected 2026-11-22"
    (bars,) = view.rates
    assert bars.of == "NDR, Mpps; 2 of 4 DUTs; a full bar is 2.00"
    assert matrix(found, "x").counted == "3 of 4 DUTs have a rate of these 2 tests"
    (page,) = (one for one in pages(found, "x", lambda entries: {}) if one.path == "index.html")
    assert "the highest first; irregular" in page.render() and "step of its ramp" not in page.render()
    fallen = shelf(
        figure(2e6, dut="b"),
        *(figure(rate, dut="a", version=f"1.{at}", started=f"2026-11-{10 + at}") for at, rate in enumerate(FALLS)),
    )
    (page,) = (one for one in pages(fallen, "x", lambda entries: {}) if one.path == "index.html")
    assert "step of its ramp" in page.render()
    assert "2 more DUTs" in side_by_side(shelf(*(figure(1e6, dut=str(one)) for one in range(10))), 1)[0].more


def test_a_card_says_which_test_it_is_of_and_what_was_forwarded_at_full_load() -> None:
    best = figure(1e6, FORWARDED, version="1.4", load="bench size=64")
    full = SiteFigure(best.entry, FULL_LOAD, Value(2e6, mark="lossy", line_percent=20.0), None)
    found = Catalogue((best.entry,), {best.entry.digest: (best, full)})
    (card,) = home(found, "x").cards
    assert card.answer is not None
    assert (card.answer.test, card.answer.of, card.answer.more) == (
        "64b one flow, 0→1",
        "forwarded",
        "at full load 2.00 Mpps, 20.0 % of line",
    )
    assert card.answer.edition == "version 1.4, 2026-11-22"
    (page,) = (one for one in pages(found, "x", lambda entries: {}) if one.path == "index.html")
    assert "at full load 2.00\N{NO-BREAK SPACE}Mpps, 20.0\N{NO-BREAK SPACE}% of line" in page.render()
    assert "<b>◇\N{NO-BREAK SPACE}lossy</b>" in page.render()
    assert dut_page("router", found.entries, found).answer_title == "Its only test"


def test_a_trend_begins_at_0_unless_its_values_are_alike() -> None:
    def axis(*rates: float) -> tuple[float, float]:
        found = shelf(*series(*rates))
        (trend,) = dut_page("router", found.entries, found).trends
        scale = trend.chart.panels[0].scale
        assert scale is not None
        return scale.low, scale.high

    assert axis(1e6, 2e6, 1e6, 2e6) == (0.0, pytest.approx(2.2))
    assert axis(1e6, 1.01e6, 1e6, 1.01e6)[0] == pytest.approx(0.98, abs=0.01)
