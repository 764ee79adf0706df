"""The page and its charts as data: complete, self-contained, and safe for any names."""

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_charts import curves, opened, over_load, over_time, unpacked

from wirespeed.charts import dygraphs
from wirespeed.charts.page_parts import Cards, VerdictCard
from wirespeed.charts.scales import log_scale
from wirespeed.measurement.loadtest.document import REQUIRED_VARS, result_of
from wirespeed.measurement.loadtest.result import Judging, LoadTestSettings
from wirespeed.measurement.loadtest.rows import table_of
from wirespeed.pages.templates import environment, script_json
from wirespeed.pages.trust import Trust
from wirespeed.report.comparison import compare, read_all, select_channels
from wirespeed.report.listing import to_csv, to_json, to_markdown
from wirespeed.report.page import to_html
from wirespeed.report.views import page_of
from wirespeed.results.codec import from_json
from wirespeed.results.codec import to_json as document_of
from wirespeed.results.dut import DutFacts
from wirespeed.results.figures import MEGA
from wirespeed.results.lab import LabFacts

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
HOSTILE = "</script><script>alert(1)</script>\u2028'\"<b>&amp;%{x}{{ 7 * 6 }}{% raw %}{# gone #}-->"
ACTING = "\u202egnp.exe\u2066\x1b[2J\x00"


@pytest.fixture(scope="module")
def tests():
    return read_all([GOLDEN / "trex-loadtest.json", GOLDEN / "wirespeed.json"], 0.001)


def page(tests, **changes):
    how = {"title": "T", "scaler": MEGA, "channels": select_channels(tests, []), "date": "today"} | changes
    return to_html(page_of(compare(tests), **how))


class Reader(HTMLParser):
    """Elements, text outside of script and style, scripts, and whether tags nest."""

    VOID = ("meta", "link", "br", "input")

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text, self.scripts = [], [], [], []
        self.feed(opened(text))
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        {"script": self.scripts, "style": []}.get(self.open[-1] if self.open else "", self.text).append(data)


def chart(tests, number=0, channels=frozenset({"0→1", "1→0"})):
    return over_load(compare(tests), number, channels)


def test_received_is_drawn_over_offered_without_the_warm_up(tests):
    line, held, mark, lossy = curves(chart(tests, 1), "router 0→1")
    assert line.x == pytest.approx([1.488096 * step for step in range(1, 11)], rel=1e-4)
    assert line.y == pytest.approx([1.488096, 2.976192, 4.464288] + [5.01] * 7, rel=1e-4)
    assert held.y == pytest.approx([5.01] * 2)
    assert (mark.x, mark.y, mark.symbol, mark.note) == ((5.01,), (5.01,), "diamond", "saturation point")
    assert mark.left[0] == pytest.approx(4.464288, abs=0.03)
    assert mark.right[0] == pytest.approx(5.952384, abs=0.04)
    assert (lossy.x[0], lossy.symbol, lossy.is_open, lossy.note) == (
        *(pytest.approx(5.9524), "diamond", True),
        "loss onset",
    )
    assert (lossy.left, lossy.right) == ((pytest.approx(4.4643),), lossy.x)
    assert line.value == "loss onset between 4.46 and 5.95, saturation point 5.01 Mpps"


def test_held_samples_are_dots_of_their_own(tests):
    """All are at one load: a line through them would be unreadable."""
    line, held, *_ = curves(chart(tests, 1), "router 0→1")
    assert (line.dots, len(line.x)) == (False, 10)
    assert (held.dots, held.x) == (True, pytest.approx([14.88096] * 2, rel=1e-4))


def test_line_rate_ideal_and_threshold_are_drawn(tests):
    received, lost = chart(tests, 1).panels[:2]
    assert [(rule.name, rule.value) for rule in received.rules] == [("line rate 14.88 Mpps", 14.881)]
    assert received.diagonal == "received = offered"
    assert [(rule.name, rule.value, rule.alarm) for rule in lost.rules] == [("loss 0.1 %", 0.001, True)]


def test_loss_has_a_log_axis_and_samples_without_loss_a_place_on_it(tests):
    lost = chart(tests, 1).panels[1]
    loss = lost.curves[0]
    assert lost.scale.logarithmic
    assert loss.y[:3] == (1e-4,) * 3
    assert loss.y[3] == pytest.approx(1 - 5_010_000 / 5_952_384, rel=1e-4)
    assert dict(lost.scale.ticks) == {1e-4: "none", 1e-3: "0.1 %", 1e-2: "1 %", 0.1: "10 %", 1.0: "100 %"}
    assert all(value > 0 for curve in lost.curves for value in curve.y)


def test_each_channel_can_be_toggled_and_the_sum_waits_hidden(tests):
    drawn = chart(tests)
    entries = {entry.name: entry for entry in drawn.legend}
    assert [name for name, entry in entries.items() if entry.on] == [
        "unnamed (trex-loadtest) 0→1",
        "unnamed (trex-loadtest) 1→0",
    ]
    assert list(entries)[-1] == "sums of all directions" and not entries["sums of all directions"].on
    names = {**dict.fromkeys(entries), "sums of all directions": "unnamed (trex-loadtest) sum"}
    for name, entry in entries.items():
        assert all(
            {curve.key for curve in curves(drawn, names[name] or name, panel)} == {entry.key} for panel in (0, 1)
        )


def test_a_device_has_one_colour_and_of_its_tests_in_one_direction_one_is_drawn(tests):
    again = replace(tests[1], name="again")
    other = replace(tests[1], name="other", dut=DutFacts("other"))
    entries = {entry.name: entry for entry in chart([tests[1], again, other]).legend}
    assert [name for name, entry in entries.items() if entry.on] == ["router 0→1 (wirespeed)", "other 0→1"]
    first, other, again = ((entry.colour, entry.symbol) for entry in entries.values())
    assert first == again and first[0] != other[0] and first[1] != other[1]


def test_only_the_channels_asked_for_are_drawn(tests):
    names = {entry.name for entry in chart(tests, channels=frozenset({"sum"})).legend if entry.on}
    assert names == {"unnamed (trex-loadtest) sum"}


def test_telemetry_is_drawn_over_the_load_of_a_channel(tests):
    drawn = chart(tests, 1)
    cycles, vectors = (drawn.panels[number].curves for number in (2, 3))
    assert (cycles[0].y[0], cycles[-1].y[-1]) == (620.0, 438.0)
    assert (vectors[0].y[0], vectors[-1].y[-1]) == (18.6, 256.0)
    assert cycles[0].x == vectors[0].x == drawn.panels[0].curves[0].x
    assert [panel.scale.logarithmic for panel in drawn.panels[:4]] == [False, True, True, False]


def test_telemetry_of_a_router_is_over_the_mean_of_both_channels(tests):
    result = tests[0]
    samples = tuple(replace(sample, dut={"vectors_per_call": 8.0}) for sample in result.samples)
    drawn = chart([replace(result, samples=samples)])
    line, held = drawn.panels[2].curves
    assert line.x[0] == 0.14881
    assert (*line.y, *held.y) == (8.0,) * 12


@pytest.mark.parametrize(
    ("least", "most", "ticks"),
    [
        (180, 620, ["200", "500"]),
        (180, 8800, ["300", "1,000", "3,000", "10,000"]),
        (0.5, 2e6, ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"]),
    ],
)
def test_a_log_axis_has_few_round_ticks(least, most, ticks):
    scale = log_scale([least, most])
    assert [text for value, text in scale.ticks if scale.low <= value <= scale.high] == ticks


@pytest.mark.parametrize("value", [None, "438", True, math.nan, math.inf, [1], 10**400])
def test_telemetry_that_is_no_number_is_left_out(tests, value):
    result = tests[1]
    samples = tuple(replace(sample, dut={"cycles_per_packet": value}) for sample in result.samples)
    assert len(chart([replace(result, samples=samples)]).panels) == 2


def test_time_holds_the_whole_run(tests):
    received, offered = over_time(compare(tests), 1, frozenset({"0→1"})).panels[0].curves
    assert received.x == tuple(step / 2 for step in range(1, 16))
    assert (offered.y[0], offered.y[-1]) == (0.001, 0)


def test_the_page_holds_everything_and_loads_nothing(tests):
    text = page(tests)
    read = Reader(text)
    assert read.open == []
    assert unpacked(text)["scripts"].count(dygraphs.script()) == 1
    for tag, attributes in read.elements:
        assert tag not in ("link", "img", "iframe", "object", "base")
        assert not {"src", "action", "srcset", "ping"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")
    assert "url(" not in text.partition("</style>")[0]
    (policy,) = [item["content"] for tag, item in read.elements if item.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")


def test_the_page_shows_table_charts_remarks_and_configuration(tests):
    read = Reader(page(tests))
    shown = " ".join(read.text)
    found = compare(tests)
    for row in table_of(found.results, found.verdicts, MEGA).rows:
        assert all(cell in shown for cell in row)
    charts = [item["id"] for tag, item in read.elements if item.get("class") == "chart"]
    assert charts == list(unpacked(page(tests))["figures"]) == ["load-0", "time-0", "load-1", "time-1"]
    for text in (
        "2 results of different length",
        "rampup duration",
        "testbed kind",
        "version of wirespeed",
        "2026-11-21T20:00:00",
    ):
        assert text in shown
    for remark in compare(tests).remarks:
        assert {remark.sentence, *remark.tests} <= set(read.text)


def test_answers_open_the_page_and_remarks_stand_below_the_charts(tests):
    ids = [item["id"] for tag, item in Reader(page(tests)).elements if tag in ("section", "div") and "id" in item]
    assert ids == [
        *("answers", "compared", "matrix", "summary"),
        *("load-0", "time-0", "load-1", "time-1", "why", "remarks", "configuration"),
    ]


def test_cells_of_the_matrix_lead_to_their_charts(tests):
    written = page(tests)
    found = re.findall(
        r'<a class="cell limit-\w+" href="(#[^"]+)"[^>]*>\s*(?:<svg.*?</svg>\s*)?<span>(.*?)</span>', written
    )
    assert ("#load-1", "<b>2.98\u00a0◆</b> 20.0\u00a0% of line, limited by DUT") in found
    assert ("#load-0", "<b>0.744~\u00a0◆</b> 50.0\u00a0% of line, limit unknown") in found
    assert (
        written.count("<b>◆\u00a0estimate</b>") == 1 and "<b>●\u00a0held</b>" not in written
    )  # the marks that cells have
    assert "~ smoothed rates, as trex-loadtest writes them." in written
    assert "100 of 200\u00a0%" in page(tests, both="sum200")


def test_a_cell_says_what_limited_it_and_shows_the_ramp(tests):
    (cell,) = re.findall(r'<a class="cell (limit-\w+)".*?</a>', page(tests[1:]), re.DOTALL)
    assert cell == "limit-DUT"
    (path,) = re.findall(r'<path d="(M[^"]+)"></path></svg>', page(tests[1:]))
    heights = [float(pair.split(" ")[1]) for pair in path[1:].split("L")]
    assert heights[0] > heights[3] == heights[-1]  # rising, then flat


def test_a_page_without_remarks_has_no_place_for_them(tests):
    assert 'href="#remarks"' in page(tests)
    assert "#remarks" not in page(tests[1:]).partition("</style>")[2]
    assert 'id="remarks"' not in page(tests[1:])


def test_a_page_without_traffic_has_no_answers(tests):
    silent = replace(tests[1], samples=tests[1].samples[:1])
    text = page([silent])
    assert 'id="answers"' not in text
    assert "without traffic in ramp and hold" in text


def test_no_json_is_shown(tests):
    dut = {
        "name": "x",
        "commands": ["set a b", "set c d"],
        "nics": [{"queues": [1, 2], "up": True}],
        "fit": {"a": None},
    }
    lab = from_json(LabFacts, {"cpus": [0, 1], "empty": [], "none": {}})
    test = replace(tests[1], dut=from_json(DutFacts, dut), lab=lab)
    read = Reader(page([test]))
    for text in read.text:
        assert not re.search(r'[\[\]{}"]', text)
    for text in ("nics 0 queues", "1, 2", "cpus", "0, 1", "DUT commands of 1 result", "set a b\nset c d\n"):
        assert text in read.text


def test_routers_that_have_no_room_are_counted(tests):
    many = [replace(tests[1], name=f"t{n}", dut=DutFacts(f"r{n}")) for n in range(11)]
    read = Reader(page(many))
    assert [item.get("class") for _, item in read.elements].count("card") == 8
    assert "3 more DUTs in “Side by side”." in read.text
    assert "r0, r1, r2, r3 and 7 more" in read.text
    unnamed = Reader(page([*many, replace(tests[1], name="nobody", dut=DutFacts())]))
    assert {"4 more DUTs in “Side by side”.", "r0, r1, r2, r3 and 8 more"} <= set(unnamed.text)


def hostile(test, text):
    """A result with `text` in every text field."""
    variables = {key: text if isinstance(value, str) else value for key, value in document_of(test.variables).items()}
    variables |= {text: text, "profile_file": text, "tunables": {text: text}}
    return replace(
        test,
        name=text,
        variables=from_json(LoadTestSettings, variables),
        versions={text: text},
        lab=from_json(LabFacts, {text: [text], "ports": [{text: {text: text}}]}),
        dut=from_json(DutFacts, {"name": text, "commands": [text, text], "config": f"{text}\n{text}"}),
        ending=replace(test.ending, status="failed", reason=text, started=text),
    )


def test_text_from_files_stays_text(tests):
    dirty = [hostile(test, f"{HOSTILE}{number}") for number, test in enumerate(tests)]
    plain, read = Reader(page(tests)), Reader(page(dirty, title=HOSTILE, date=HOSTILE))
    assert len(read.scripts) == len(plain.scripts) == 2
    assert read.open == []
    assert [tag for tag, _ in read.elements].count("script") == 2
    assert read.scripts[1] == plain.scripts[1]
    assert unpacked(page(dirty))["scripts"] == unpacked(page(tests))["scripts"]
    titles = [text for text in read.text if text == HOSTILE]
    assert len(titles) == 3  # of the window, at the head, and the date
    own = {(tag, name) for tag, attributes in plain.elements for name in attributes} | {("pre", "tabindex")}
    for tag, attributes in read.elements:
        assert {(tag, name) for name in attributes} <= own
    # As text in: card, table row, remark, configuration (heading, value, listing).
    for number in (0, 1):
        assert sum(f"{HOSTILE}{number}" in text for text in read.text) > 8
    figures = unpacked(page(dirty))["figures"]
    assert any(HOSTILE in entry["name"] for entry in figures["load-0"]["legend"])


def test_text_from_files_does_not_turn_around_what_stands_beside_it(tests):
    text = page([hostile(test, f"{ACTING}{number}") for number, test in enumerate(tests)], title=ACTING)
    for letter in ("\u202e", "\u2066", "\x1b", "\x00"):
        assert letter not in text
    assert "�gnp.exe��[2J�0" in text


def test_lone_surrogates_do_not_stop_the_page(tests):
    assert "caf\udce9" in page([hostile(test, "caf\udce9") for test in tests], title="\ud800")


numbers = st.floats(-1e18, 1e18)
MORE = ("tx_bps", "rx_bps", "tx_util", "rx_util", "intended_pps", "opackets", "ipackets", "late")
ports = st.fixed_dictionaries({"tx_pps": numbers, "rx_pps": numbers}, optional=dict.fromkeys(MORE, numbers))
documents = st.fixed_dictionaries(
    {
        "vars": st.just(dict.fromkeys(REQUIRED_VARS, 1)),
        "stats": st.lists(
            st.fixed_dictionaries({"0": ports, "1": ports, "interval": st.floats(1e-6, 1e6)}), min_size=1
        ).map(lambda samples: {str(index): sample for index, sample in enumerate(samples)}),
    }
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(documents)
def test_whatever_can_be_read_can_be_reported(document):
    comparison = compare([replace(result_of(document, "any"), judging=Judging(0.001))])
    to_html(page_of(comparison, title="T", scaler=MEGA, channels=frozenset({"0→1", "sum"}), date="today"))
    assert to_markdown(comparison, MEGA).count("\n") == 2 + 3
    assert to_csv(comparison).count("\n") == 1 + 3
    assert len(json.loads(to_json(comparison, "T"))["rows"]) == 3


@given(st.text() | st.sampled_from([HOSTILE, "<!--<script>", "]]>"]))
def test_json_in_a_script_cannot_leave_it(text):
    written = script_json({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert not re.search("[<>&\u2028\u2029]", written)


def test_why_a_mark_is_there_is_said_once_for_all_cards():
    held, alone = Trust("●", "held", "Loss stayed below."), Trust("◆", "estimate", "A mean of samples.")
    cards = Cards(
        "64b one flow",
        tuple(
            VerdictCard(f"box {number}", "1", "Mpps", "", trust, ()) for number, trust in enumerate((held, held, alone))
        ),
    )
    assert cards.shared == {held: 2}
    page = environment("wirespeed.report").get_template("cards.html").render(page=SimpleNamespace(cards=(cards,)))
    words = re.sub(r"<[^>]*>", "", page)
    assert words.count("Loss stayed below.") == words.count("A mean of samples.") == 1
    assert "held, 2 cards: Loss stayed below." in words
