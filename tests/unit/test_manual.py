"""Documents generated from the programs: man pages, completions and the site's pages cover each command, and work."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from manual.commands import Page, pages
from manual.completion import bash, zsh
from manual.man import exit_codes, man_pages
from manual.markdown import causes_page, command_page, overview_page, router_commands_page
from manual.profiles import profiles_page
from manual.site import links, missing_links, page_order, write_site
from wirespeed import errors
from wirespeed.cli.main import COMMANDS, main
from wirespeed.explain.causes import causes
from wirespeed.profiles.builtin import PROFILES, TUNABLES
from wirespeed.profiles.loading import BUILTIN_NAMES
from wirespeed.router.commands import GRAMMAR
from wirespeed.router.commands.groups import GROUPS
from wirespeed.router.commands.path_words import PATHS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def written() -> tuple[Page, ...]:
    return pages()


def test_each_command_has_a_page_with_all_that_its_help_tells(
    written: tuple[Page, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert [page.name for page in written] == list(COMMANDS)
    for page in written:
        assert page.paragraphs and page.summary
        for part in page.parts:
            assert main([*part.name.split(), "--help"]) == 0
            told = capsys.readouterr().out.partition("\nOptions:")[2]
            options = set(re.findall(r"^  (?:-\w+, )?(--[\w-]+)", told, re.MULTILINE))
            assert options <= {name for option in part.options for name in option.names}, part.name
            assert part.paragraphs and part.summary


def test_what_stands_behind_an_option_is_known(written: tuple[Page, ...]) -> None:
    router = next(page for page in written if page.name == "router")
    options = {name: option for option in router.options for name in option.names}
    assert options["--march"].choices == ("auto", "v2", "v3", "v4")
    assert options["-c"].is_file and options["--config"].value == "FILE"
    assert not options["--no-api"].value
    config = next(page for page in written if page.name == "config")
    assert [verb.name for verb in config.verbs][:2] == ["config check", "config plan"]
    assert config.verbs[3].usage == "wirespeed config diff [OPTIONS] A B"
    search = next(page for page in written if page.name == "search")
    assert ("--repeat-disturbed", "--no-repeat-disturbed") in [option.names for option in search.options]


def test_man_pages(written: tuple[Page, ...]) -> None:
    made = man_pages(written)
    assert set(made) == {"wirespeed.1", *(f"wirespeed-{name}.1" for name in COMMANDS)}
    requests = {"TH", "SH", "SS", "PP", "TP", "B", "BR"}
    for name, text in made.items():
        # A line of text that begins like this would be taken as a request and disappear.
        assert {line[1:].split()[0] for line in text.splitlines() if line[0] in ".'"} <= requests, name
        assert all(f".SH {part}" in text for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS")), name
    assert r"\fB\-s, \-\-socket PATH\fR" in made["wirespeed-ctl.1"]


def test_the_man_page_tells_the_exit_codes_of_the_errors() -> None:
    codes, others = exit_codes()
    assert set(codes) == {"0", *map(str, range(1, 7))}
    assert str(errors.FileFault.exit_code) in codes and "7" in others and "130" in others


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["conf"], {"config"}),
        (["config", "pl"], {"plan"}),
        (["config", "check", "--form"], {"--format"}),
        (["config", "dump", "--roll"], set()),
        (["config", "check", "--format", ""], {"text", "json"}),
        (["router", "--march", "v"], {"v2", "v3", "v4"}),
        (["router", "--soc"], {"--socket"}),
        (["report", "LIC"], {"LICENSE"}),
        (["router", "--config", "LIC"], {"LICENSE"}),
        (["loadtest", "--line", ""], set()),
    ],
)
def test_bash_completes(words: list[str], found: set[str], written: tuple[Page, ...], tmp_path: Path) -> None:
    script = tmp_path / "wirespeed.bash"
    script.write_text(bash(written))
    ask = f'. {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wirespeed; printf "%s\\n" "${{COMPREPLY[@]}}"'
    asked = subprocess.run(
        ["bash", "-c", ask, "bash", "wirespeed", *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(asked.stdout.split()) == found
    assert not asked.stderr


def test_zsh_has_each_command_verb_and_option(written: tuple[Page, ...]) -> None:
    text = zsh(written)
    assert text.startswith("#compdef wirespeed\n")
    for part in (part for page in written for part in (page, *page.verbs)):
        assert f"'{part.name.rpartition(' ')[2]}:{part.summary}'".replace("'s ", "'\\''s ") in text
        assert f"\n\t'{part.name}')\n" in text
        for option in part.options:
            assert all(name in text for name in option.names)


def test_the_routers_commands_are_written_from_the_code() -> None:
    """`python -m manual references docs` writes them."""
    text = router_commands_page(GRAMMAR.commands())
    assert (ROOT / "docs" / "router-commands.md").read_text() == text
    plain = text.replace("\\|", "|").replace("<paths>", PATHS)
    assert [syntax for syntax, _ in GRAMMAR.commands() if f"`{syntax}`" not in plain] == []
    assert len(re.findall("^## ", text, re.MULTILINE)) == len(GROUPS)


def test_the_sites_pages_have_the_options_and_the_causes(written: tuple[Page, ...]) -> None:
    assert all(f"## {name}\n" in causes_page() for name in causes())
    for page in written:
        assert all(f"| `{option.text}` |" in command_page(page) for part in page.parts for option in part.options)


def test_the_list_of_commands_is_written_from_the_code(written: tuple[Page, ...]) -> None:
    """`python -m manual references docs` writes it."""
    assert (ROOT / "docs" / "commands.md").read_text() == overview_page(written)


def test_the_page_of_profiles_is_written_from_the_code() -> None:
    assert (ROOT / "docs" / "profiles.md").read_text() == profiles_page()
    assert {tunable for one in PROFILES.values() for tunable in one.tunables} == set(TUNABLES)
    assert tuple(PROFILES) == BUILTIN_NAMES


def test_links_of_pages_lead_to_files() -> None:
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md")]
    assert {str(page): missing for page in found if (missing := missing_links(page))} == {}


def test_a_link_to_nothing_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](page.md#x) [b](gone.md) `[c](no.md)` [d](https://e.invalid/) [f](#here)\n")
    assert list(links(page.read_text())) == ["page.md", "gone.md"]
    assert missing_links(page) == ["gone.md"]


def test_each_page_is_in_the_list_of_pages() -> None:
    told = (ROOT / "docs" / "README.md").read_text()
    assert [name for name in page_order(ROOT) if f"]({name})" not in told] == []


def test_the_site_is_made_of_them_and_no_link_in_it_is_dead(written: tuple[Page, ...], tmp_path: Path) -> None:
    write_site(ROOT, tmp_path, written)
    settings = yaml.safe_load((tmp_path / "mkdocs.yml").read_text())
    assert set(settings["validation"]["links"].values()) == {"warn"}
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", tmp_path / "mkdocs.yml"], check=True
    )
    assert (tmp_path / "html" / "reference" / "commands" / "router" / "index.html").exists()
