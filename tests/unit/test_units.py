"""Arithmetic of DESIGN's section 2; the golden figures are those of published reviews."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.errors import UsageError
from wirespeed.units import (
    Rate,
    format_si,
    l1_bps,
    line_rate_pps,
    parse_duration,
    parse_minutes,
    parse_percent,
    parse_rate,
    parse_ratio,
    parse_speed,
    scale,
)


def test_line_rates_of_the_articles():
    assert int(line_rate_pps(64, 10e9)) == 14_880_952
    assert int(line_rate_pps(1514, 2.5e9)) == 203_715
    assert round(line_rate_pps(64, 2.5e9) / 1e6, 2) == 3.72
    imix = (28 * 68 + 16 * 590 + 4 * 1514) / 48
    assert round(line_rate_pps(imix, 10e9) / 1e6, 3) == 3.268


def test_layer_1_counts_twenty_bytes_a_frame_more():
    # The R86S article: 3.28 Mpps of 64 bytes are 1.679 Gb/s at layer 2 and 2.204 Gb/s at layer 1, 88.1 % of 2.5 Gb/s.
    pps = 3.28e6
    layer_1 = l1_bps(pps * 64 * 8, pps)
    assert layer_1 == pytest.approx(2.204e9, rel=1e-3)
    assert layer_1 / 2.5e9 == pytest.approx(0.881, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("1kpps", Rate(1000, "pps")),
        ("1.48mpps", Rate(1.48e6, "pps")),
        ("1.48Mpps", Rate(1.48e6, "pps")),
        ("10gbps", Rate(10e9, "bps")),
        ("10gbpsl1", Rate(10e9, "bpsl1")),
        ("50%", Rate(50, "percentage")),
        (" 7pps ", Rate(7, "pps")),
        (".5mpps", Rate(0.5e6, "pps")),
    ],
)
def test_rates_are_read_as_t_rex_reads_them(text, rate):
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["", "fast", "10", "-1kpps", "0pps", "1kpps+", "1xpps", "10g", "1e400pps%"])
def test_a_bad_rate_names_itself_and_what_is_allowed(text):
    with pytest.raises(UsageError) as caught:
        parse_rate(text)
    assert repr(text) in str(caught.value)


def test_rate_units_agree_about_one_load():
    pps = 1e6
    assert Rate(pps * 64 * 8, "bps").pps(64, 10e9) == pytest.approx(pps)
    assert Rate(pps * 84 * 8, "bpsl1").pps(64, 10e9) == pytest.approx(pps)
    assert Rate(100 * pps / line_rate_pps(64, 10e9), "percentage").pps(64, 10e9) == pytest.approx(pps)


@given(st.floats(1, 1e12), st.sampled_from(["pps", "bps", "bpsl1"]))
def test_a_printed_rate_reads_back(value, unit):
    assert parse_rate(str(Rate(value, unit))).value == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(("text", "bps"), [("10G", 10**10), ("2.5G", 25 * 10**8), ("100M", 10**8), ("1000", 1000)])
def test_speeds(text, bps):
    assert parse_speed(text) == bps


@pytest.mark.parametrize("text", ["", "0G", "ten", "10 G/s", "-1G"])
def test_bad_speeds(text):
    with pytest.raises(UsageError, match="10G, 2.5G or 100M"):
        parse_speed(text)


def test_formatting():
    assert format_si(14_880_952, "pps") == "14.88 Mpps"
    assert format_si(950, "pps") == "950 pps"
    assert format_si(3.37e9, "bps") == "3.37 Gbps"
    assert format_si(0, "pps") == "0 pps"
    assert scale(999.0) == (999.0, "")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("10", 10), ("0.5", 0.5), ("10s", 10), ("250ms", 0.25), ("5m", 300), ("1h", 3600), ("2 d", 172_800)],
)
def test_durations_have_a_unit_or_are_seconds(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "1w", "5 m s", "-1m", "m"])
def test_other_words_are_no_durations(text: str) -> None:
    with pytest.raises(UsageError, match="such as 10s or 5m"):
        parse_duration(text)


def test_ratios_are_numbers_or_percent() -> None:
    assert [parse_ratio(text) for text in ("0.001", "0.1%", "1e-7", "95%")] == pytest.approx([0.001, 0.001, 1e-7, 0.95])
    for text in ("little", "nan", "inf", "%", ""):
        with pytest.raises(UsageError, match="is not a ratio: give a number such as 0.001"):
            parse_ratio(text)


def test_percent_needs_its_sign_where_a_number_could_be_either() -> None:
    assert parse_percent("1%", "--equivalence") == pytest.approx(0.01)
    with pytest.raises(UsageError, match="--equivalence 1: give percent with its sign, such as --equivalence 1%"):
        parse_percent("1", "--equivalence")
    for text in ("1x", "%", "x%", "nan%"):
        with pytest.raises(
            UsageError, match=f"--equivalence {text}: .* is not a number; give percent, such as --equiv"
        ):
            parse_percent(text, "--equivalence")


def test_minutes_are_quoted_as_they_were_given() -> None:
    assert [parse_minutes(text) for text in ("90", "90m", "1.5h", "30s")] == [90, 90, 90, 0.5]
    with pytest.raises(UsageError, match="duration '5%' cannot be read"):
        parse_minutes("5%")
