"""The language check: each habit by its own examples, and the texts that are read from each kind of file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import words  # noqa: E402 - from tools/

BY_BAD = {habit.bad: habit for habit in words.HABITS}


@pytest.mark.parametrize("habit", BY_BAD.values(), ids=BY_BAD)
def test_a_habit_is_found_in_its_bad_example_and_not_in_its_good_one(habit: words.Habit) -> None:
    assert list(habit.found_in(habit.bad))
    assert not list(habit.found_in(habit.good))


def test_the_good_examples_have_no_other_habit() -> None:
    pieces = [words.Piece(ROOT / "x", 1, habit.good) for habit in words.HABITS]
    assert list(words.findings(pieces)) == []


def test_what_is_allowed_is_short_and_has_a_reason() -> None:
    assert len(words.ALLOWED) <= 20
    assert all(reason for _, _, reason in words.ALLOWED)


def texts(path: Path) -> list[str]:
    reads = {
        ".md": words.page_pieces,
        ".py": words.python_pieces,
        ".html": words.template_pieces,
        ".c": words.c_pieces,
        ".yml": words.yaml_pieces,
    }
    return [f"{piece.line}: {piece.text}" for piece in reads[path.suffix](path)]


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_page_is_read_without_code(tmp_path: Path) -> None:
    page = (
        "# Head\n\nTwo lines\nof *text* with `x y` and [a link](b.md).\n\n    code\n\n```\nfence\n```\n- item\n"
        "  goes on\n\n| a | b `c|d` |\n|---|---|\n| e f | g |\n"
    )
    assert texts(written(tmp_path / "page.md", page)) == [
        "1: Head",
        "3: Two lines of text with X and a link.",
        "11: item goes on",
        "14: a",
        "14: b X",
        "16: e f",
        "16: g",
    ]


def test_strings_of_python_are_whole_and_docstrings_those_of_commands(tmp_path: Path) -> None:
    source = (
        '"""A module."""\n\n\ndef command():\n    """What it does."""\n    fail(f"{a} is no "\n'
        '         f"number {b:d}")\n    "a note"\n    key = "word"\n'
    )
    assert texts(written(tmp_path / "other" / "x.py", source)) == ["6: {} is no number {}"]
    assert texts(written(tmp_path / "cli" / "x.py", source)) == ["5: What it does.", "6: {} is no number {}"]


def test_messages_are_what_is_raised_and_what_help_says(tmp_path: Path) -> None:
    path = tmp_path / "cli" / "x.py"
    path.parent.mkdir()
    path.write_text(
        'def check(file: Annotated[str, typer.Argument(help="The file.")]) -> None:\n    """Check it."""\n'
        '    say("not a message")\n    raise UsageError(f"{file} is empty; " "give another")\n'
        'LOAD = Option("--load", "The load.")\n'
    )
    told = [("help", "The file."), ("help", "Check it."), ("error", "{} is empty; give another"), ("help", "The load.")]
    assert sorted((kind, text) for _, kind, text in words.python_messages(path)) == sorted(told)
    source = tmp_path / "x.c"
    source.write_text(
        '/* fail("no") */\nstatic void f(void) { return wire_fail(error, "a port has " "%d queues", 1); }\n'
    )
    assert [text for _, _, text in words.c_messages(source)][-1] == "a port has %d queues"


def test_a_template_is_read_without_its_tags(tmp_path: Path) -> None:
    page = (
        "<p>{# no #}What <b>{{ x }}</b> is\nlost</p>{% if a b %}\n<script>var a b;</script><p>one</p><p>two words</p>"
    )
    assert texts(written(tmp_path / "x.html", page)) == ["1: What {} is lost", "3: two words"]


def test_strings_of_c_are_joined_and_comments_left_out(tmp_path: Path) -> None:
    source = '/* "not this" */\nfail(-1, "%s is "\n\t"no link", x); // "nor this"\nchar c = \'"\';\nputs("word");\n'
    assert texts(written(tmp_path / "x.c", source)) == ["2: %s is no link"]


def test_texts_of_yaml_are_read_without_queries(tmp_path: Path) -> None:
    source = "# not this\nrules:\n  - {alert: Loss, expr: a > b}\n  - summary: |\n      two\n      lines\n    for: 3s\n"
    assert texts(written(tmp_path / "x.yml", source)) == ["4: two lines"]
