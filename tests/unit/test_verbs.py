"""Verbs of commands: each takes its own options, and names the verbs that take another one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wirespeed.cli.main import COMMANDS, RENAMED, main
from wirespeed.cli.plain import options_of
from wirespeed.cli.tree import CliCommand, commands_of
from wirespeed.renamed import COMMANDS as COMMANDS_BEFORE
from wirespeed.renamed import OPTIONS, present_options

VERBS = [one for name in COMMANDS for one in commands_of(name) if len(one.words) > 1]


def foreign() -> Iterator[tuple[CliCommand, str]]:
    """Each verb with each option that it does not take and another verb of its command does."""
    for verb in VERBS:
        others = (one for one in VERBS if one.words[:-1] == verb.words[:-1])
        options = {option: None for other in others for option in options_of(other.call)}
        yield from ((verb, option) for option in options if option not in options_of(verb.call))


@pytest.mark.parametrize(("verb", "option"), [*foreign()], ids=lambda one: getattr(one, "name", one))
def test_an_option_of_another_verb_is_refused(
    verb: CliCommand, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    takers = [one.name for one in VERBS if one.words[:-1] == verb.words[:-1] and option in options_of(one.call)]
    takes_value = any(options_of(one.call).get(option) for one in VERBS if one.words[:-1] == verb.words[:-1])
    given = [option, *(["1"] if takes_value else [])]
    for line in ([*verb.words, *given], [*verb.words[:-1], *given, verb.words[-1]]):
        assert main(line) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith(f"wirespeed: {verb.name} takes no {option}, which is an option of {takers[0]}")
        assert all(taker in captured.err for taker in takers) and captured.err.count("\n") == 1


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_help_of_a_verb_has_its_options_only(verb: CliCommand, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*verb.words, "--help"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"Usage: wirespeed {verb.name} ")
    options = {*options_of(verb.call)}
    others = {option for one in VERBS if one.words[0] == verb.words[0] for option in options_of(one.call)} - options
    entries = " ".join(line[:30] for line in told.partition("\nOptions:")[2].splitlines() if line.startswith("  -"))
    assert all(option in told for option in options)
    assert not {*entries.replace(",", " ").split()} & {one for one in others if one.startswith("--")}


@pytest.mark.parametrize("command", dict.fromkeys(" ".join(verb.words[:-1]) for verb in VERBS))
def test_a_command_with_verbs_lists_them(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    verbs = [verb.words[-1] for verb in VERBS if " ".join(verb.words[:-1]) == command]
    assert main([*command.split(), "--help"]) == 0
    told = capsys.readouterr().out
    assert [line.split()[0] for line in told.partition("\nVerbs:\n")[2].splitlines()[: len(verbs)]] == verbs
    assert all(len(line) <= 80 for line in told.splitlines())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("results", "results needs a verb: add, list,"),
        ("results lst", "results has no verb 'lst'; did you mean 'list'?"),
        ("results --rows 3", "results needs a verb"),
        ("testbed nothing-like-it", "testbed has no verb 'nothing-like-it': check, schema or example"),
        ("loadtst", "no command 'loadtst'; did you mean 'loadtest'?; see wirespeed --help"),
        ("--verson", "no option '--verson'"),
    ],
)
def test_a_word_that_is_no_verb_is_told_what_to_type(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"wirespeed: {said}") and captured.err.count("\n") == 1


@pytest.mark.parametrize("old", COMMANDS_BEFORE)
def test_a_former_name_of_a_command_still_works(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    new = COMMANDS_BEFORE[old]
    assert main([*old.split(), "--help"]) == 0
    told = capsys.readouterr()
    assert told.err == f"wirespeed: `wirespeed {old}` is now `wirespeed {new}`\n"
    assert main([*new.split(), "--help"]) == 0
    assert capsys.readouterr() == (told.out, "")


def renamed() -> Iterator[tuple[CliCommand, str]]:
    """Each command with the former name of each of its options."""
    for command in (one for name in COMMANDS for one in commands_of(name)):
        options = options_of(command.call)
        yield from ((command, old) for old, new in OPTIONS.items() if new in options and old not in options)


def test_every_former_name_of_an_option_has_a_command() -> None:
    assert {old for _, old in renamed()} == {*OPTIONS}


@pytest.mark.parametrize(("command", "old"), [*renamed()], ids=lambda one: getattr(one, "name", one))
def test_a_former_name_of_an_option_still_works(
    command: CliCommand, old: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flag = not options_of(command.call)[OPTIONS[old]]
    given = [OPTIONS[old] if flag else f"{OPTIONS[old]}=1"]
    line = [*command.words, old, *([] if flag else ["1"]), "--help"]
    assert main(line) == 0
    assert capsys.readouterr().err == f"wirespeed: `{old}` is now `{OPTIONS[old]}`\n"
    assert present_options([old if flag else f"{old}=1", "--", old], options_of(command.call)) == [*given, "--", old]


@pytest.mark.parametrize("old", RENAMED)
def test_a_former_name_tells_the_present_one(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*old.split(), "--help"]) == 2
    assert capsys.readouterr() == ("", f"wirespeed: {old!r} is now `wirespeed {RENAMED[old]}`\n")
    assert main([*RENAMED[old].split(), "--help"]) == 0


def test_counters_of_a_router_are_read_beside_its_socket(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["stats", "ls", "-s", str(tmp_path / "r.sock")], ["-s", str(tmp_path / "r.sock"), "stats", "ls"]):
        assert main(["ctl", *words]) == 4
        assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    ["results --archive DIR list --json", "results --json list --archive=DIR", "results list --archive DIR --json"],
)
def test_options_of_a_verb_may_stand_before_it(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.replace("DIR", str(tmp_path)).split()) == 0
    assert capsys.readouterr().out.strip() == "[]"
