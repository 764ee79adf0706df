"""Each `wirespeed …` line of each page names an existing command, with options that it has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from manual.commands import Page, pages

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINE = re.compile(
    r"^(?:    |\$ |> +)?(?:sudo |nice |COLUMNS=\d+ )*(?:wirespeed|\$\(command -v wirespeed\)) +(\S.*)$", re.MULTILINE
)
_QUOTED = re.compile(r"`wirespeed +([^`]+)`")
_CONTINUED = re.compile(r"\\\n\s*")
_IN_QUOTES = re.compile(r"'[^']*'|\"[^\"]*\"")
_OF_SHELL = re.compile(r"[a-z_][<>]|=\*")
_WHOLE = {"--help", "-h", "--version"}


@pytest.fixture(scope="module")
def commands() -> dict[str, Page]:
    return {page.name: page for page in pages()}


def lines(text: str) -> Iterator[str]:
    """The arguments of `wirespeed` in code blocks and in backquotes."""
    blocks = "".join(block for block in re.findall(r"^```.*?^```|^(?:    .*\n)+", text, re.MULTILINE | re.DOTALL))
    yield from _LINE.findall(_CONTINUED.sub("", blocks))
    yield from _QUOTED.findall(text)


def faults(line: str, commands: dict[str, Page]) -> Iterator[str]:
    """Arguments of `wirespeed` that do not exist, and those that a shell would read as something else."""
    if taken := _OF_SHELL.search(_IN_QUOTES.sub("", line)):
        yield f"a shell takes {taken[0]!r} for itself: {line}"
    line = re.split(r" [|&>#] ?|;|  +", line)[0]
    name, *words = line.replace(",", " ").split()
    if name in _WHOLE or name == "COMMAND":
        return
    if name not in commands:
        yield f"no command {name!r}: {line}"
        return
    if name == "console":
        return  # its own commands have options, and pages name T-Rex options that it refuses
    page = commands[name]
    called = line.replace(",", " ")
    part = max(
        (one for one in page.verbs if f"{called} ".startswith(f"{one.name} ")),
        key=lambda one: len(one.name),
        default=page,
    )
    if part is page and not page.options and words and not words[0].startswith(("-", "VERB")):
        yield f"{name} has no verb {words[0]!r}: {line}"
    taking = [part] if part is not page else [*page.parts]
    known = {option for one in taking for entry in one.options for option in entry.names} | _WHOLE
    for word in words:
        found = re.match(r"--[a-z][\w-]*", word)
        if found and found[0] not in known:
            yield f"{part.name} has no option {found[0]}: {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_are_there(page: Path, commands: dict[str, Page]) -> None:
    assert [fault for line in lines(page.read_text()) for fault in faults(line, commands)] == []


def test_lines_are_found_and_judged(commands: dict[str, Page]) -> None:
    text = "`wirespeed plan hardware`\n\n    wirespeed loadtest -u \\\n        --signature\n\n"
    text += (
        "```\n$ wirespeed soak --fro 3\n$ wirespeed results list rate>=5M\n$ wirespeed results list 'rate>=5M'\n```\n"
    )
    assert len(list(lines(text))) == 5
    found = [fault for line in lines(text) for fault in faults(line, commands)]
    assert [fault.split(":")[0] for fault in found] == [
        "soak has no option --fro",
        "a shell takes 'e>' for itself",
        "no command 'plan'",
    ]
