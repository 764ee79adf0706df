"""The first commands of how-to pages, run as they stand there: they print what the page shows, with other figures.

Tests of a lab run on the shared one. Their lines begin as the page's do; a busy host decides how they go on.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from urllib.request import urlopen

import pytest
from harness.ports import free_port
from harness.programs import run_wirespeed, started, wirespeed
from harness.waiting import wait_for
from sandbox import needs

from wirespeed.cli.main import main
from wirespeed.lab.embedded import EmbeddedLab

ROOT = Path(__file__).parents[2]
PAGES = ("campaigns.md", "results.md")
PAGES_OF_TESTS = (
    "loadtest.md",
    "search.md",
    "rfc2544.md",
    "burst.md",
    pytest.param("soak.md", marks=pytest.mark.long("test_soak_process.py has a soak of a lab")),
)
RECORDED = ROOT / "tests" / "golden" / "report" / "wirespeed.json"
DONE = (0, 5)
"""5: the test ran, and a busy host disturbed its figures."""
_FIGURE = re.compile(r"\d[\d,.]*")


def consoles(page: str) -> list[str]:
    """The blocks of a console."""
    return re.findall(r"^```console\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)


def first_block(page: str) -> str:
    return consoles(page)[0]


def shape(line: str) -> str:
    """A line without its figures and blanks."""
    return " ".join(_FIGURE.sub("N", line).split())


def missing(shown: list[str], printed: list[str]) -> list[str]:
    """The shown lines that were not printed in this order. `…` stands for any lines, or the rest of a line."""
    rest = iter(map(shape, printed))
    return [
        line
        for line in shown
        if line.strip() != "…"
        and not any(one.startswith(shape(line[:-1])) if line.endswith("…") else one == shape(line) for one in rest)
    ]


def command_of(page: str) -> tuple[list[str], list[str]]:
    """The arguments of `wirespeed` in a page's only first command, and the output shown below it."""
    line, *shown = first_block(page).splitlines()
    program, *words = shlex.split(line.removeprefix("$ "))
    assert program == "wirespeed" and shown
    return words, shown


def begun_otherwise(shown: list[str], printed: str) -> list[str]:
    """The first words of shown lines with which no printed line, in this order, begins."""
    rest = (line.split()[0] for line in printed.splitlines() if line.strip())
    return [line for line in (one.split()[0] for one in shown) if line != "…" and line not in rest]


def on(lab: EmbeddedLab, words: list[str]) -> list[str]:
    """The arguments with `lab` in place of a lab of their own."""
    at = words.index("--lab")
    assert words[at + 1] == "embedded"
    return [*words[:at], "-s", lab.rpc, "--dut", f"router:{lab.control_socket}", *words[at + 2 :]]


@pytest.mark.parametrize("page", PAGES)
def test_the_first_commands_print_what_the_page_shows(
    page: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "campaigns").symlink_to(ROOT / "campaigns")
    monkeypatch.chdir(tmp_path)
    commands = re.split(r"^\$ wirespeed ", first_block(page), flags=re.MULTILINE)
    assert len(commands) > 1 and commands[0] == ""
    for part in commands[1:]:
        command, *shown = part.splitlines()
        words = shlex.split(command)
        code = main(on(request.getfixturevalue("lab"), words) if "--lab" in words else words)
        printed = capsys.readouterr()
        assert code == 0, printed.err
        assert missing(shown, printed.out.splitlines() + printed.err.splitlines()) == [], printed.out


@pytest.mark.parametrize("page", PAGES_OF_TESTS)
def test_the_first_test_of_a_page_prints_its_lines(
    page: str,
    lab: EmbeddedLab,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words, shown = command_of(page)
    monkeypatch.chdir(tmp_path)
    code = main(on(lab, words))
    printed = capsys.readouterr().err
    assert code in DONE, printed
    assert begun_otherwise(shown, printed) == [], printed
    assert (tmp_path / words[words.index("-o") + 1]).exists()


def test_explain_prints_the_lines_of_its_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, shown = command_of("explain.md")
    shutil.copy(RECORDED, tmp_path / words[1])
    assert main([words[0], str(tmp_path / words[1]), *words[2:]]) == 0
    printed = capsys.readouterr().out
    assert missing(shown, printed.splitlines()) == [], printed


def test_an_exporter_prints_and_serves_the_lines_of_its_page(lab: EmbeddedLab) -> None:
    words, shown = command_of("telemetry.md")
    sources = {"--router": f"dut={lab.control_socket}", "--generator": f"tester={lab.rpc}"}
    for option, source in sources.items():
        words[words.index(option) + 1] = source
    _, *served = consoles("telemetry.md")[1].splitlines()
    with started(wirespeed(*words, "--listen", "127.0.0.1:0")) as exporter:
        try:
            assert exporter.stdout is not None
            printed = exporter.stdout.readline()
            assert missing(shown, [printed]) == [], printed
            url = printed.partition(": ")[0]
            wait_for(lambda: set(served) <= set(urlopen(url).read().decode().splitlines()), f"{served} at {url}")
        finally:
            exporter.terminate()


def test_a_generator_prints_its_lines_and_takes_the_console_s() -> None:
    words, shown = command_of("generator.md")
    rpc = f"127.0.0.1:{free_port()}"
    with started(wirespeed(*words, "--rpc", rpc, "--hugepages", "never")) as generator:
        try:
            assert generator.stdout is not None
            printed = []
            while not printed or (printed[-1] and not printed[-1].startswith("ready")):
                printed.append(generator.stdout.readline())
            assert missing(shown, printed) == [], printed
            start, *typed = consoles("generator.md")[1].splitlines()
            assert start == "$ wirespeed console"
            commands = "".join(f"{line.removeprefix('wirespeed> ')}\n" for line in typed)
            done = run_wirespeed("console", "-s", rpc, input=commands)
            assert done.returncode == 0, done.stdout + done.stderr
        finally:
            generator.terminate()


@needs()
def test_a_look_at_a_device_prints_the_lines_of_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words, shown = command_of("dut.md")
    monkeypatch.chdir(tmp_path)
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert begun_otherwise(shown, printed) == [], printed


def test_a_line_that_was_not_printed_is_found() -> None:
    assert missing(["1 result added", "…", "cells …"], ["12 result added", "x", "cells are done"]) == []
    assert missing(["b", "a"], ["a", "b"]) == ["a"]
    assert begun_otherwise(["lost 1", "…", "worth: x"], "lost 2 of 3\n\n  worth: y\n") == []
    assert begun_otherwise(["lost 1", "next: x"], "next: y\nlost 2\n") == ["next:"]
    assert missing(["1 result added"], ["nothing added"]) == ["1 result added"]
