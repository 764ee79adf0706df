"""Meaning of console lines, errors in them, and completions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wirespeed.client.stateless_client import Multiplier, ProfileTarget
from wirespeed.console.commands import ALIASES, COMMANDS
from wirespeed.console.completion import candidates
from wirespeed.console.grammar import Parsed, commands_of, help_text, parse
from wirespeed.console.loads import parse_load, parse_load_change, share
from wirespeed.errors import UsageError


def read(line: str) -> Parsed:
    [words] = commands_of(line)
    return parse(words, COMMANDS, ALIASES)


def given(line: str) -> Any:
    return read(line).given


def error(line: str) -> str:
    with pytest.raises(UsageError) as caught:
        read(line)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_line_of_the_articles() -> None:
    line = given("start -f stl/bench.py -m 1.48mpps -p 0 1 -t size=64,vm=var2 -d 10 --force")
    assert line.file == "stl/bench.py"
    assert line.mult == Multiplier("pps", "abs", 1_480_000.0)
    assert line.ports == [ProfileTarget(0), ProfileTarget(1)]
    assert line.tunables == {"size": "64", "vm": "var2"}
    assert line.duration == 10
    assert line.force and not line.total


def test_tunables_in_the_newer_style_end_the_line() -> None:
    line = given("start -f stl/bench.py -m 1kpps -p 0 -d 3 -t --size 64 --vm var2 --flow=fs")
    assert line.tunables == {"size": "64", "vm": "var2", "flow": "fs"}
    assert line.duration == 3


def test_a_start_needs_only_a_file() -> None:
    line = given("start -f bench")
    assert (line.mult, line.ports, line.tunables) == (Multiplier("raw", "abs", 1.0), None, {})


@pytest.mark.parametrize("text", ["-p 0 1", "-p 0,1", "--port 0 1", "--ports 0,1 0"])
def test_ports_with_blanks_or_commas(text: str) -> None:
    assert given(f"stop {text}").ports == [ProfileTarget(0), ProfileTarget(1)]


def test_ports_with_profiles() -> None:
    assert given("stop -p 0.a 1.*").ports == [ProfileTarget(0, "a"), ProfileTarget(1, "*")]


def test_quotes_comments_and_aliases() -> None:
    assert given("capture record start --rx 0 -f 'udp and port 53' # dns").filter == "udp and port 53"
    assert read("exit").command.name == "quit"


def test_a_comment_begins_at_the_start_of_a_word() -> None:
    assert given("start -f x -t a=b#c,d='e #f' # g").tunables == {"a": "b#c", "d": "e #f"}
    assert commands_of("#stats") == commands_of("  # stats") == []


def test_help_is_asked_for_by_an_option() -> None:
    parsed = read("update --help")
    assert parsed.wants_help
    text = help_text(parsed.command, COMMANDS)
    assert text.startswith("update - ")
    assert "usage: update -m LOAD[+|-] [-p PORT[.PROFILE]…]" in text


def test_help_names_the_longer_commands() -> None:
    assert "capture record start" in help_text(COMMANDS["capture"], COMMANDS)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("strat", ["'strat'", "did you mean", "start"]),
        ("xyzzy", ["'xyzzy'", "`help`"]),
        ("start", ["start:", "-f", "required", "usage: start -f FILE"]),
        ("start -f bench -m fast", ["'fast'", "pps", "%"]),
        ("start -f bench -m 5kpps+", ["5kpps+", "update"]),
        ("start -f bench -m 0", ["'0'", "above zero"]),
        ("start -f bench -p x", ["'x'", "port numbers"]),
        ("start -f bench -p 0.", ["'0.'", "0._"]),
        ("start -f bench -d soon", ["duration", "'soon'", "0.001"]),
        ("start -f bench --core_mask all", ["'all'", "0x3"]),
        ("start -f bench -d nan", ["duration", "'nan'"]),
        ("start -f bench -t", ["-t", "size=64,vm=var2"]),
        ("start -f bench -t size", ["'size'", "KEY=VALUE"]),
        ("start -f bench -t --size", ["--size", "one value"]),
        ("start -f bench --froce", ["'--froce'", "did you mean --force", "--total"]),
        ("quit now", ["'now'", "no options"]),
        ("portattr --prom of", ["'of'", "on|off"]),
        ("capture recrod", ["recrod", "`capture record start`"]),
        ("capture record", ["recor", "`capture record stop`"]),
        ("vlan 4095 -p 0", ["'4095'", "1 to 4094"]),
        ("l2 -p 0 --dst nonsense", ["nonsense"]),
        ("l3 -p 0 --src 1.2.3 --dst 1.2.3.4", ["'1.2.3'", "10.0.0.1"]),
        ("ping -n 0", ["count", "'0'"]),
        ("start -f 'bench", ["closing quotation"]),
    ],
)
def test_what_is_wrong_is_said_with_what_is_allowed(line: str, parts: list[str]) -> None:
    said = error(line)
    assert all(part in said for part in parts), said


@pytest.mark.parametrize(
    ("text", "load"),
    [
        ("10kpps", ("pps", "abs", 10e3)),
        ("1.48mpps", ("pps", "abs", 1.48e6)),
        ("2gbps", ("bps", "abs", 2e9)),
        ("10gbpsl1", ("bpsl1", "abs", 10e9)),
        ("50%", ("percentage", "abs", 50.0)),
        ("1", ("raw", "abs", 1.0)),
        ("0.5", ("raw", "abs", 0.5)),
    ],
)
def test_loads(text: str, load: tuple[str, str, float]) -> None:
    assert parse_load(text) == Multiplier(*load)


@pytest.mark.parametrize(
    ("text", "load"),
    [("5kpps+", ("pps", "add", 5e3)), ("50%-", ("percentage", "sub", 50.0)), ("20kpps", ("pps", "abs", 20e3))],
)
def test_changes_of_a_load(text: str, load: tuple[str, str, float]) -> None:
    assert parse_load_change(text) == Multiplier(*load)


def test_a_total_is_shared() -> None:
    assert share(parse_load("10kpps"), 4).value == 2500


def test_completion_of_commands_and_their_second_words() -> None:
    assert candidates("st") == ["start", "stats", "stop", "streams"]
    assert candidates("capture ") == ["clear", "monitor", "record", "show"]
    assert candidates("capture record ") == ["start", "stop"]
    assert candidates("xyzzy ") == []


def test_completion_of_options_leaves_out_the_given_ones() -> None:
    found = candidates("start -f bench -m 1kpps -")
    assert "-p" in found and "--force" in found
    assert "-f" not in found and "-m" not in found


def test_completion_of_values() -> None:
    assert candidates("portattr --prom ") == ["on", "off"]
    assert candidates("stop -p ", ports=(0, 1)) == ["0", "1"]
    assert set(candidates("stop -p 0 ", ports=(0, 1))) >= {"0", "1", "-a"}
    assert "update" in candidates("help ")
    assert candidates("update -m ") == []


def test_completion_of_profiles_offers_the_built_in_ones_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").touch()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "stl").mkdir()
    (tmp_path / "stl" / "own.py").touch()
    assert candidates("start -f ") == [
        "stl/bench.py",
        "stl/imix.py",
        "stl/udp_1pkt_simple.py",
        "stl/mpls.py",
        "mine.py",
        "stl/",
    ]
    assert candidates("start -f stl/o") == ["stl/own.py"]
    assert candidates("start -f nowhere/") == []


def test_every_command_has_a_summary_that_is_a_sentence() -> None:
    assert all(command.summary[0].isupper() and command.summary.endswith((".", ")")) for command in COMMANDS.values())
