"""The page and its figures as data: valid for plotly, complete, self-contained, and safe whatever the names are."""

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import plotly.graph_objects as go
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plotly.offline import get_plotlyjs

from wirespeed.pages.templates import script_json
from wirespeed.report.charts import load_figure, time_figure
from wirespeed.report.comparison import compare, read_all, select_channels
from wirespeed.report.dots import HELD_PX, RAMP_PX
from wirespeed.report.layout import log_axis
from wirespeed.report.page import to_html
from wirespeed.report.table import cells, rows, to_csv, to_json, to_markdown
from wirespeed.report.views import page_of
from wirespeed.results.analysis import analyse
from wirespeed.results.figures import MEGA
from wirespeed.results.loadtest_json import REQUIRED_VARS, from_json

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
    """Elements, text outside script and style, scripts, and whether tags nest."""

    VOID = ("meta", "link", "br")

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text, self.scripts = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        {"script": self.scripts, "style": []}.get(self.open[-1] if self.open else "", self.text).append(data)

    def figures(self):
        return json.loads(self.scripts[1])


def figure(tests, number=0, channels=frozenset({"0→1", "1→0"})):
    return load_figure(compare(tests).groups[number], channels, MEGA)


def traces(drawn, name, axis="y"):
    return [trace for trace in drawn["data"] if trace["name"] == name and trace.get("yaxis", "y") == axis]


def test_figures_are_what_plotly_knows(tests):
    for group in compare(tests).groups:
        for drawn in (
            load_figure(group, frozenset({"0→1"}), MEGA),
            time_figure(group, frozenset({"0→1"}), MEGA),
        ):
            assert len(go.Figure(drawn).data) == len(drawn["data"]) > 0


def drawn(values):
    """What is not a gap."""
    return [value for value in values if value is not None]


def test_received_is_drawn_over_offered_without_the_warm_up(tests):
    line, mark = traces(figure(tests, 1), "wirespeed")
    assert drawn(line["x"]) == pytest.approx([1.488096 * step for step in range(1, 11)] + [14.88096] * 2, rel=1e-5)
    assert drawn(line["y"]) == pytest.approx([1.488096, 2.976192, 4.464288] + [5.01] * 9, rel=1e-5)
    assert (mark["x"], mark["y"]) == ([5.01], [5.01])
    assert mark["error_x"]["arrayminus"][0] == pytest.approx(5.01 - 4.464288, abs=0.03)
    assert mark["error_x"]["array"][0] == pytest.approx(5.952384 - 5.01, abs=0.04)


def test_held_samples_are_dots_of_their_own(tests):
    """All at one load: a line through them would be a knot."""
    line, _ = traces(figure(tests, 1), "wirespeed")
    assert [x is None for x in line["x"]] == [False] * 10 + [True, False] * 2
    assert [size for size, x in zip(line["marker"]["size"], line["x"], strict=True) if x is not None] == [
        RAMP_PX
    ] * 10 + [HELD_PX] * 2
    assert not line["connectgaps"]


def test_line_rate_ideal_and_threshold_are_drawn(tests):
    drawn = figure(tests, 1)
    (line,) = traces(drawn, "line rate 14.881 Mpps")
    (ideal,) = traces(drawn, "received = offered")
    (limit,) = traces(drawn, "loss 0.1 %", "y2")
    assert line["y"] == [14.881, 14.881]
    assert ideal["x"] == ideal["y"]
    assert limit["y"] == [0.001, 0.001]


def test_loss_has_a_log_axis_and_samples_without_loss_a_place_on_it(tests):
    found = figure(tests, 1)
    (loss,) = traces(found, "wirespeed", "y2")
    axis = found["layout"]["yaxis2"]
    assert axis["type"] == "log"
    assert loss["y"][:3] == [1e-4] * 3
    assert loss["y"][3] == pytest.approx(1 - 5_010_000 / 5_952_384, rel=1e-5)
    assert dict(zip(axis["tickvals"], axis["ticktext"], strict=True)) == {
        1e-4: "none", 1e-3: "0.1 %", 1e-2: "1 %", 0.1: "10 %", 1.0: "100 %",
    }  # fmt: skip
    assert all(value > 0 for value in drawn(loss["y"]))


def test_each_channel_can_be_toggled_and_the_sum_waits_hidden(tests):
    drawn = figure(tests)
    for name, groups in (("0→1", {"0.0"}), ("1→0", {"0.1"}), ("sum", {"0.2"})):
        both = [trace for axis in ("y", "y2") for trace in traces(drawn, f"trex-loadtest {name}", axis)]
        assert {trace["legendgroup"] for trace in both} == groups
        assert [trace.get("showlegend", True) for trace in both].count(True) == 1
        assert {trace.get("visible", True) for trace in both} == ({"legendonly"} if name == "sum" else {True})


def test_only_the_channels_asked_for_are_drawn(tests):
    names = {trace["name"] for trace in figure(tests, channels=frozenset({"sum"}))["data"]}
    assert "trex-loadtest sum" in names
    assert not names & {"trex-loadtest 0→1", "trex-loadtest 1→0"}


def test_telemetry_is_drawn_over_the_load_of_a_channel(tests):
    drawn = figure(tests, 1)
    (cycles,) = traces(drawn, "wirespeed", "y3")
    (vectors,) = traces(drawn, "wirespeed", "y4")
    assert (cycles["y"][0], cycles["y"][-1]) == (620.0, 438.0)
    assert (vectors["y"][0], vectors["y"][-1]) == (18.6, 256.0)
    assert cycles["x"] == vectors["x"] == traces(drawn, "wirespeed")[0]["x"]
    assert drawn["layout"]["yaxis3"]["type"] == "log"
    assert drawn["layout"]["yaxis4"]["rangemode"] == "tozero"


def test_telemetry_of_a_router_is_over_the_mean_of_both_channels(tests):
    result = tests[0].result
    samples = tuple(replace(sample, dut={"vectors_per_call": 8.0}) for sample in result.samples)
    drawn = figure([analyse(replace(result, samples=samples), 0.001)])
    (vectors,) = traces(drawn, "trex-loadtest", "y3")
    assert vectors["x"][0] == 0.14881
    assert [y for y in vectors["y"] if y is not None] == [8.0] * 12


@pytest.mark.parametrize(
    ("least", "most", "ticks"),
    [
        (180, 620, ["200", "500"]),
        (180, 8800, ["300", "1,000", "3,000", "10,000"]),
        (0.5, 2e6, ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"]),
    ],
)
def test_a_log_axis_has_few_round_ticks(least, most, ticks):
    axis = log_axis(least, most)
    low, high = axis["range"]
    pairs = zip(axis["tickvals"], axis["ticktext"], strict=True)
    assert [text for value, text in pairs if low <= math.log10(value) <= high] == ticks


@pytest.mark.parametrize("value", [None, "438", True, math.nan, math.inf, [1], 10**400])
def test_telemetry_that_is_no_number_is_left_out(tests, value):
    result = tests[1].result
    samples = tuple(replace(sample, dut={"cycles_per_packet": value}) for sample in result.samples)
    assert "yaxis3" not in figure([analyse(replace(result, samples=samples), 0.001)])["layout"]


def test_time_holds_the_whole_run(tests):
    drawn = time_figure(compare(tests).groups[1], frozenset({"0→1"}), MEGA)
    received, offered = drawn["data"]
    assert received["x"] == [step / 2 for step in range(1, 16)]
    assert (offered["y"][0], offered["y"][-1]) == (0.001, 0)


def test_the_page_holds_everything_and_loads_nothing(tests):
    text = page(tests)
    read = Reader(text)
    assert read.open == []
    assert text.count(get_plotlyjs()) == 1
    for tag, attributes in read.elements:
        assert tag not in ("link", "img", "iframe", "object", "base", "form")
        assert not {"src", "action", "srcset", "ping"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")
    assert "url(" not in text.partition("</style>")[0]
    (policy,) = [item["content"] for tag, item in read.elements if item.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")


def test_the_page_shows_table_charts_remarks_and_configuration(tests):
    read = Reader(page(tests))
    shown = " ".join(read.text)
    for row in rows(compare(tests)):
        assert all(cell in shown for cell in cells(row, MEGA))
    charts = [item["id"] for tag, item in read.elements if item.get("class") == "chart"]
    assert charts == list(read.figures()) == ["load-0", "time-0", "load-1", "time-1"]
    for text in (
        "2 tests of different length",
        "rampup duration",
        "bench kind",
        "version of wirespeed",
        "2026-11-21T20:00:00",
    ):
        assert text in shown
    for remark in compare(tests).remarks:
        assert {remark.sentence, *remark.tests} <= set(read.text)


def test_answers_open_the_page_and_remarks_stand_below_the_charts(tests):
    ids = [item["id"] for tag, item in Reader(page(tests)).elements if tag in ("section", "div") and "id" in item]
    assert ids == [
        "answers",
        "matrix",
        "summary",
        "why",
        "load-0",
        "time-0",
        "load-1",
        "time-1",
        "remarks",
        "configuration",
    ]


def test_cells_of_the_matrix_lead_to_their_charts(tests):
    written = page(tests)
    assert '<a href="#load-1">5.010 (33.67 %)</a>' in written
    assert '<a href="#load-0">0.900 (60.48 %)~</a>' in written
    assert "~ smoothed rates, as trex-loadtest writes them." in written
    assert "(160.48 of 200 %)" in page(tests, both="sum200")
    assert 'id="matrix"' not in page(tests[1:])  # one test is no comparison


def test_a_page_without_remarks_has_no_place_for_them(tests):
    assert 'href="#remarks"' in page(tests)
    assert "#remarks" not in page(tests[1:]).partition("</style>")[2]
    assert 'id="remarks"' not in page(tests[1:])


def test_a_page_without_traffic_has_no_answers(tests):
    silent = replace(tests[1].result, samples=tests[1].result.samples[:1])
    text = page([analyse(silent, 0.001)])
    assert 'id="answers"' not in text
    assert "without traffic in ramp and hold" in text


def test_no_json_is_shown(tests):
    dut = {
        "name": "x",
        "commands": ["set a b", "set c d"],
        "nics": [{"queues": [1, 2], "up": True}],
        "fit": {"a": None},
    }
    test = analyse(replace(tests[1].result, dut=dut, lab={"cpus": [0, 1], "empty": [], "none": {}}), 0.001)
    read = Reader(page([test]))
    for text in read.text:
        assert not re.search(r'[\[\]{}"]', text)
    for text in ("nics 0 queues", "1, 2", "cpus", "0, 1", "DUT commands of 1 test", "set a b\nset c d\n"):
        assert text in read.text


def test_routers_that_have_no_room_are_counted(tests):
    many = [replace(tests[1], result=replace(tests[1].result, name=f"t{n}", dut={"name": f"r{n}"})) for n in range(11)]
    read = Reader(page(many))
    assert [item.get("class") for _, item in read.elements].count("card") == 8
    assert "3 more routers in the summary." in read.text
    assert "r0, r1, r2, r3 and 7 more" in read.text


def hostile(test, text):
    """A result that says `text` wherever a file can say something."""
    variables = {key: text if isinstance(value, str) else value for key, value in test.result.variables.items()}
    result = replace(
        test.result,
        name=text,
        variables=variables | {text: text, "profile_file": text, "tunables": {text: text}},
        versions={text: text},
        lab={text: [text], "ports": [{text: {text: text}}]},
        dut={"name": text, "commands": [text, text], "config": f"{text}\n{text}"},
        outcome=replace(test.result.outcome, status="failed", reason=text, started=text),
    )
    return analyse(result, 0.001)


def test_text_from_files_stays_text(tests):
    dirty = [hostile(test, f"{HOSTILE}{number}") for number, test in enumerate(tests)]
    plain, read = Reader(page(tests)), Reader(page(dirty, title=HOSTILE, date=HOSTILE))
    assert len(read.scripts) == len(plain.scripts) == 3
    assert read.open == []
    assert [tag for tag, _ in read.elements].count("script") == 3
    assert read.scripts[0] == plain.scripts[0]
    assert read.scripts[2] == plain.scripts[2]
    titles = [text for text in read.text if text == HOSTILE]
    assert len(titles) == 3  # of the window, at the head, and the date
    allowed = {
        "class",
        "data-at",
        "data-key",
        "id",
        "aria-label",
        "aria-hidden",
        "style",
        "role",
        "tabindex",
        "href",
        "scope",
        "type",
        "lang",
    }
    for tag, attributes in read.elements:
        assert tag == "meta" or set(attributes) <= allowed
    # As text in: card, table row, remark, configuration (heading, value, listing).
    for number in (0, 1):
        assert sum(f"{HOSTILE}{number}" in text for text in read.text) > 8
    assert any(trace["name"].startswith("&lt;/script&gt;") for trace in read.figures()["load-0"]["data"])


def test_text_from_files_does_not_turn_around_what_stands_beside_it(tests):
    text = page([hostile(test, f"{ACTING}{number}") for number, test in enumerate(tests)], title=ACTING)
    own, _, rest = text.partition(get_plotlyjs())
    for letter in ("\u202e", "\u2066", "\x1b", "\x00"):
        assert letter not in own + rest
    assert "�gnp.exe��[2J�0" in own


def test_lone_surrogates_do_not_stop_the_page(tests):
    assert "caf\udce9" in page([hostile(test, "caf\udce9") for test in tests], title="\ud800")


numbers = st.floats(-1e18, 1e18)
MORE = ("tx_bps", "rx_bps", "tx_util", "rx_util", "asked_pps", "opackets", "ipackets", "late")
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
    comparison = compare([analyse(from_json(document, "any"), 0.001)])
    to_html(page_of(comparison, title="T", scaler=MEGA, channels=frozenset({"0→1", "sum"}), date="today"))
    assert to_markdown(comparison, MEGA).count("\n") == 2 + 3
    assert to_csv(rows(comparison)).count("\n") == 1 + 3
    assert len(json.loads(to_json(comparison, "T"))["rows"]) == 3


@given(st.text() | st.sampled_from([HOSTILE, "<!--<script>", "]]>"]))
def test_json_in_a_script_cannot_leave_it(text):
    written = script_json({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert not re.search("[<>&\u2028\u2029]", written)
