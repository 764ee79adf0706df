"""The configuration as text: flat, without JSON, common settings separate from differing ones."""

import math

import pytest
from report_cases import test_of as analysis_of

from wirespeed.pages.words import harmless, words
from wirespeed.report.configuration import DUT, SETTINGS, TESTBED, VERSIONS, Key, configuration, listings, settings
from wirespeed.results.figures import MEGA, Scaler, fitting, three_digits


def result_of(name, **changes):
    return analysis_of(name, **changes)


def with_dut(**dut):
    return lambda document: document.update(dut={"name": "router", **dut})


def test_settings_are_flat_words_with_lab_router_and_versions():
    found = settings(
        result_of("a", nested={"a": [1, 2.0], "b": {"c": None}}, ports=[{"speed_bps": 10**10}, {"up": False}])
    )
    assert found[Key(SETTINGS, "rampup target")] == "100"
    assert found[Key(SETTINGS, "unidirectional")] == "yes"
    assert found[Key(SETTINGS, "nested a")] == "1, 2"
    assert found[Key(SETTINGS, "nested b c")] == "–"
    assert found[Key(SETTINGS, "ports 0 speed bps")] == "10.00 Gbps"
    assert found[Key(SETTINGS, "ports 1 up")] == "no"
    assert found[Key("Testbed", "kind")] == "embedded" and Key(TESTBED, "kind").heading == "testbed kind"
    assert found[Key(DUT, "name")] == "router"
    assert found[Key(VERSIONS, "wirespeed")] == "0.1.0"
    assert found[Key(SETTINGS, "started")] == "2026-11-21T20:00:00+00:00"


def test_the_name_of_the_file_is_no_setting():
    assert not [key for key in settings(result_of("a")) if key.name == "output file"]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, True, "10G"])
def test_a_rate_that_is_none_stays_what_it_was(value):
    assert settings(result_of("a", speed_bps=value))[Key(SETTINGS, "speed bps")] == words(value)


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"a": inner}, lambda inner: [{"a": inner}]])
def test_nothing_nests_without_end(wrap):
    deep = 1
    for _ in range(900):
        deep = wrap(deep)
    ((_, text),) = [item for item in settings(result_of("a", deep=deep)).items() if item[0].name.startswith("deep")]
    assert text.endswith("…")
    assert len(text) < 20


def test_what_differs_stands_apart_from_what_is_shared():
    found = configuration([result_of("a"), result_of("b", hold_duration=9, change=with_dut(version="2"))])
    shared = {section: dict(pairs) for section, pairs in found.shared}
    assert list(shared) == [TESTBED, DUT, VERSIONS, SETTINGS]
    assert shared[DUT] == {"name": "router"}
    assert "hold duration" not in shared[SETTINGS]
    assert [key.heading for key in found.apart] == ["DUT version", "hold duration"]
    assert found.rows == (("–", "1"), ("2", "9"))


def test_commands_are_a_listing_once_for_all_tests_that_had_them():
    commands = ["set interface state e0 up", "ip route add 16.0.0.0/8 via 100.64.1.2"]
    tests = [result_of(name, change=with_dut(commands=commands)) for name in ("a", "b")]
    (listing,) = configuration([*tests, result_of("c")]).listings
    assert listing.key.heading == "DUT commands"
    assert listing.lines == tuple(commands)
    assert listing.tests == ("a", "b")
    assert not [key for test in tests for key in settings(test) if key.name == "commands"]


def test_text_of_several_lines_is_a_listing():
    assert listings(result_of("a", change=with_dut(config="one\n  two\n"))) == {Key(DUT, "config"): ("one", "  two")}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 שלום →", "plain é 漢 שלום →"),
        ("a\u202egpj.exe", "a�gpj.exe"),
        ("\u2066a\u2069\u200f\u061c", "�a���"),
        ("\x1b[31mred\x07\x9b", "�[31mred��"),
        ("a\r\n\twarning: b", "a warning: b"),
    ],
)
def test_text_does_not_act_on_the_screen(text, shown):
    assert harmless(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (9.265, "9.27"),
        (0.01234, "0.0123"),
        (31.14, "31.1"),
        (203.7, "204"),
        (99.97, "100"),
        (0.9996, "1.00"),
        (999_600, "1,000,000"),
        (14_880_952, "14,900,000"),
    ],
)
def test_three_digits_are_enough(value, shown):
    assert three_digits(value) == shown


def test_rates_side_by_side_have_the_unit_of_the_highest():
    assert fitting([990e3, None, 1.01e6]) == MEGA
    assert fitting([990e3, 12.0]) == Scaler(1e3, "k")
    assert fitting([]) == fitting([0.0, None]) == Scaler(1.0, "")


def test_what_has_no_size_is_still_shown():
    assert three_digits(math.inf) == "inf"
