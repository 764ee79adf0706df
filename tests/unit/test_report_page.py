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

from wirespeed.loadtest.result import REQUIRED_VARS, from_json
from wirespeed.report.analysis import analyse
from wirespeed.report.charts import HELD_PX, RAMP_PX, load_figure, time_figure
from wirespeed.report.comparison import compare, read_all, select_channels
from wirespeed.report.layout import log_axis
from wirespeed.report.page import script_json, to_html
from wirespeed.report.table import Scaler, cells, rows, to_csv, to_json, to_markdown

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
MEGA = Scaler(1e6, "M")
HOSTILE = "</script><script>alert(1)</script>\u2028'\"<b>&amp;%{x}"


@pytest.fixture(scope="module")
def tests():
    return read_all([GOLDEN / "trex-loadtest.json", GOLDEN / "wirespeed.json"], 0.001)


def page(tests, **changes):
    how = {"title": "T", "scaler": MEGA, "channels": select_channels(tests, []), "date": "today"} | changes
    return to_html(compare(tests, 0.001), **how)


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
    return load_figure(compare(tests, 0.001).groups[number], channels, MEGA, 0.001)


def traces(drawn, name, axis="y"):
    return [trace for trace in drawn["data"] if trace["name"] == name and trace.get("yaxis", "y") == axis]


def test_figures_are_what_plotly_knows(tests):
    for group in compare(tests, 0.001).groups:
        for drawn in (
            load_figure(group, frozenset({"0→1"}), MEGA, 0.001),
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
    assert (mark["x"], mark["y"]) == ([pytest.approx(5.952384, rel=1e-5)], [5.01])


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
    drawn = time_figure(compare(tests, 0.001).groups[1], frozenset({"0→1"}), MEGA)
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
        assert not {"src", "href", "action"} & set(attributes)
    assert "url(" not in text.partition("</style>")[0]
    (policy,) = [item["content"] for tag, item in read.elements if item.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")


def test_the_page_shows_table_charts_warnings_and_configuration(tests):
    read = Reader(page(tests))
    shown = " ".join(read.text)
    for row in rows(compare(tests, 0.001)):
        assert all(cell in shown for cell in cells(row, MEGA))
    charts = [item["id"] for tag, item in read.elements if item.get("class") == "chart"]
    assert charts == list(read.figures()) == ["load-0", "time-0", "load-1", "time-1"]
    for text in ("Tests differ in length", "rampup_duration", "lab kind", "version wirespeed", "2026-11-21T20:00:00"):
        assert text in shown


def test_a_page_without_warnings_has_no_place_for_them(tests):
    assert 'id="warnings"' in page(tests)
    assert 'id="warnings"' not in page(tests[1:])


def hostile(test):
    variables = {key: HOSTILE if isinstance(value, str) else value for key, value in test.result.variables.items()}
    result = replace(
        test.result,
        name=HOSTILE,
        variables=variables | {HOSTILE: HOSTILE},
        versions={HOSTILE: HOSTILE},
        lab={HOSTILE: [HOSTILE]},
        outcome={"status": HOSTILE, "reason": HOSTILE},
    )
    return analyse(result, 0.001)


def test_text_from_files_stays_text(tests):
    plain, read = Reader(page(tests)), Reader(page([hostile(test) for test in tests], title=HOSTILE, date=HOSTILE))
    assert len(read.scripts) == len(plain.scripts) == 3
    assert [tag for tag, _ in read.elements].count("script") == 3
    assert "b" not in {tag for tag, _ in read.elements}
    assert HOSTILE in read.text
    assert any(trace["name"].startswith("&lt;/script&gt;") for trace in read.figures()["load-0"]["data"])


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
    comparison = compare([analyse(from_json(document, "any"), 0.001)], 0.001)
    to_html(comparison, title="T", scaler=MEGA, channels=frozenset({"0→1", "sum"}), date="today")
    assert to_markdown(comparison, MEGA).count("\n") == 2 + 3
    assert to_csv(comparison).count("\n") == 1 + 3
    assert len(json.loads(to_json(comparison, "T"))["rows"]) == 3


@given(st.text() | st.sampled_from([HOSTILE, "<!--<script>", "]]>"]))
def test_json_in_a_script_cannot_leave_it(text):
    written = script_json({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert not re.search("[<>&\u2028\u2029]", written)
