"""The result file: written data are read back, old files load, and other files are refused in one line."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.errors import FileFault
from wirespeed.measurement.file import read_as, write_file
from wirespeed.measurement.loadtest.document import result_of
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.results.channel import Channel
from wirespeed.results.sample import PortSample, Sample

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
VARIABLES = {
    "warmup_mult": "1kpps",
    "warmup_duration": 2,
    "rampup_target": 100,
    "rampup_duration": 3,
    "hold_duration": 1,
}

rates = st.floats(0, 1e12)
counters = st.none() | st.integers(0, 2**53)
port_samples = st.builds(
    PortSample,
    *[rates] * 6,
    *[counters] * 6,
    intended_pps=st.none() | rates,
    refused=counters,
    late=counters,
    rx_missed=counters,
)
samples = st.builds(
    Sample,
    t_s=st.floats(0, 1e6),
    interval_s=st.floats(1e-3, 1e3),
    phase=st.sampled_from(["warm-up", "ramp", "hold", "drain"]),
    ports=st.fixed_dictionaries({0: port_samples, 1: port_samples}),
    dut=st.dictionaries(st.text(), st.floats(0, 1e6), max_size=3),
)
results = st.builds(
    Result,
    name=st.just("name"),
    variables=st.just(LoadTestSettings(**VARIABLES)),
    samples=st.lists(samples, min_size=1, max_size=4).map(tuple),
    versions=st.dictionaries(st.text(), st.text(), max_size=2),
)


@given(results)
def test_what_is_written_comes_back(result):
    assert result_of(json.loads(json.dumps(result.to_json())), name="name") == result


def test_an_old_file_gets_times_and_phases():
    document = json.loads((GOLDEN / "trex-loadtest.json").read_text())
    result = result_of(document, name="old")
    assert not result.native
    assert [sample.t_s for sample in result.samples] == list(range(1, 15))
    assert [sample.phase for sample in result.samples] == ["warm-up"] * 2 + ["ramp"] * 10 + ["hold"] * 2
    assert result.channels == (Channel(0, 1), Channel(1, 0))
    assert result.samples[0].ports[0].intended_pps is None


def test_ours_carries_what_the_old_viewer_reads(tmp_path):
    path = tmp_path / "ours.json"
    write_file(read_as(Result, GOLDEN / "wirespeed.json"), path)
    document = json.loads(path.read_text())
    assert set(VARIABLES) <= set(document["vars"])
    for sample in document["stats"].values():
        for port in ("0", "1"):
            assert all(isinstance(sample[port][key], float) for key in ("tx_pps", "rx_pps", "tx_util", "rx_util"))
        assert "global" in sample


def test_four_ports_are_two_pairs():
    port = {"tx_pps": 1.0, "rx_pps": 1.0}
    document = {"vars": VARIABLES, "stats": {"0": dict.fromkeys("0123", port)}}
    assert [str(channel) for channel in result_of(document, "x").channels] == ["0→1", "2→3", "1→0", "3→2"]
    one_way = {**document, "vars": VARIABLES | {"unidirectional": True}}
    assert [str(channel) for channel in result_of(one_way, "x").channels] == ["0→1", "2→3"]


def sample(**changes):
    port = {"tx_pps": 1.0, "rx_pps": 1.0}
    return {"0": port | changes, "1": port}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "its top level is not an object"),
        ({}, "vars is missing"),
        ({"vars": VARIABLES}, "stats is missing"),
        ({"vars": VARIABLES, "stats": {}}, "it holds no samples"),
        ({"vars": {"warmup_mult": "1kpps"}, "stats": {"0": sample()}}, "vars.warmup_duration is missing"),
        ({"vars": VARIABLES, "stats": {"0": {"0": {}}}}, "tx_pps of port 0 in sample 0 is missing"),
        ({"vars": VARIABLES, "stats": {"0": {"0": sample()["0"]}}}, "port 0 or 1 in sample 0 is missing"),
        ({"vars": VARIABLES, "stats": {"0": 5}}, "sample 0 is not an object"),
        ({"vars": VARIABLES, "stats": {"0": sample(tx_pps="fast")}}, "tx_pps of port 0 in sample 0 is 'fast'"),
        ({"vars": VARIABLES, "stats": {"0": sample(tx_util=1e300)}}, "tx_util of port 0 in sample 0 is '1e+300'"),
        ({"vars": VARIABLES, "stats": {"0": sample(late=math.nan)}}, "late of port 0 in sample 0 is 'nan'"),
        ({"vars": VARIABLES, "stats": {"0": sample() | {"interval": 0}}}, "interval in sample 0 is 0 s"),
        (
            {"vars": VARIABLES, "stats": {"0": sample(), "1": sample() | {"2": {"tx_pps": 1, "rx_pps": 1}}}},
            "other ports",
        ),
        ({"vars": VARIABLES, "stats": {"0": sample()}, "schema": "wirespeed-loadtest/9"}, "'wirespeed-loadtest/9'"),
    ],
)
def test_what_is_no_result_is_named(document, said, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    with pytest.raises(FileFault) as raised:
        read_as(Result, path)
    assert said in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "content", [b"", b'{"vars": {', b"\xff\xfe\x00", b"[" * 100_000, b'{"vars": ' + b"9" * 5000 + b"}"]
)
def test_what_is_no_json_is_refused(content, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(FileFault, match=r"x\.json"):
        read_as(Result, path)


@pytest.mark.parametrize(
    ("name", "said"), [("missing.json", "cannot be read"), (".", "is a directory; name a file in it")]
)
def test_what_cannot_be_read_is_refused(name, said, tmp_path):
    with pytest.raises(FileFault, match=said):
        read_as(Result, tmp_path / name)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["0", "1", "tx_pps", "rx_pps", "t"]), inner)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["schema", "versions", "lab", "dut", "outcome"]), json_values), json_values)
def test_any_document_is_read_or_refused(extra, stats):
    document = extra | {"vars": VARIABLES, "stats": stats}
    try:
        result = result_of(document, name="x")
    except (KeyError, ValueError):
        return
    assert result.samples
