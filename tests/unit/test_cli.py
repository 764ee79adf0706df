"""The command line's frame: listing, unknown words, exit codes."""

import os
import subprocess
from pathlib import Path

import pytest
from harness.programs import wirespeed

from wirespeed import __version__
from wirespeed.cli.main import COMMANDS, main
from wirespeed.profiles.loading import BUILTIN_NAMES


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"wirespeed {__version__}\n"


@pytest.mark.parametrize("args", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(args, capsys):
    main(args)
    said = "".join(capsys.readouterr())
    assert all(name in said for name in COMMANDS)


@pytest.mark.parametrize("args", [["--help"], ["demo", "--help"]])
def test_help_counts_no_tests_of_the_demo(args, capsys):
    main(args)
    said = capsys.readouterr().out
    assert "load tests" in said
    assert "ten load" not in said
    assert "eight" not in said


def test_the_list_of_commands_ends_no_line_early(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    assert "..." not in capsys.readouterr().out.partition("Commands:")[2]


def test_help_of_a_load_test_names_the_built_in_profiles(capsys: pytest.CaptureFixture[str]) -> None:
    main(["loadtest", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join(BUILTIN_NAMES)}, or a .py" in said


@pytest.mark.parametrize("args", [["nonsense"], ["report", "--nonsense"], ["loadtest", "-wd", "soon"]])
def test_a_wrong_word_is_one_line_and_exit_code_2(args, capsys):
    assert main(args) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert said.err.startswith("wirespeed: ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name, capsys):
    assert main([name, "--help"]) == 0
    assert "Usage: wirespeed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "words", "code"),
    [
        ("console frobnicate", "unknown command 'frobnicate'", 2),
        ("console -z", "see wirespeed console --help", 2),
        ("console start", "the following arguments are required: -f", 2),
        ("loadtest -p nope.py", "'nope.py' is not a file", 2),
        ("loadtest -p bench -t size=7", "size is a number from 64", 2),
        ("report /nonexistent.json", "cannot be read: No such file", 6),
    ],
)
def test_what_is_wrong_in_itself_is_told_without_a_server(
    line: str, words: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is no server at this address, which takes four seconds to find out and would be exit code 4."""
    command, *rest = line.split()
    where = [] if command == "report" else ["-s", "127.0.0.1:1"]
    assert main([command, *where, *rest, *(["-o", "-"] if command == "loadtest" else [])]) == code
    told = capsys.readouterr().err
    assert words in told and told.startswith("wirespeed: ") and told.count("\n") == 1


TOO_LONG = f"/tmp/{'x' * 300}.json"
"""The kernel refuses each question about this file, as it does for a file in a folder that is closed to this user."""


@pytest.mark.parametrize(
    "line",
    [
        "report FILE",
        "explain FILE",
        "compare FILE FILE",
        "loadtest -s 127.0.0.1:1 -o FILE",
        "search -s 127.0.0.1:1 -o FILE",
        "loadtest --recover FILE",
        "loadtest -s 127.0.0.1:1 -p FILE",
        "loadtest -s 127.0.0.1:1 --testbed FILE",
        "web FILE",
        "results list --archive FILE",
        "results add --archive FILE x.json",
        "results site site --archive FILE",
        "campaign run FILE",
        "config check FILE",
        "config plan FILE --socket /nonexistent",
    ],
)
def test_a_file_that_cannot_be_accessed_is_one_line(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word.replace("FILE", TOO_LONG) for word in line.split()]) == 6
    told = capsys.readouterr().err
    assert TOO_LONG in told and "File name too long" in told
    assert told.startswith("wirespeed: ") and told.count("\n") == 1


@pytest.mark.parametrize("option", ["--socket", "--api-socket"])
def test_a_socket_in_no_folder_is_refused(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "nosuch" / "x.sock"
    assert main(["router", "-i", "e0=null", option, str(place)]) == 6
    assert capsys.readouterr().err.startswith(f"wirespeed: {option} {place}: there is no folder {place.parent}; ")
    assert not place.parent.exists()


def test_help_of_the_console_needs_no_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["console", "-s", "127.0.0.1:1", "help", "push"]) == 0
    assert "usage: push -f FILE" in capsys.readouterr().out


# For each way of printing: by the option parser, by rich, by print, and in pieces.
PRINTING = ("--help", "--version", "console --help", "loadtest --help", "console stats --help", "console help")


@pytest.mark.parametrize("line", PRINTING)
def test_a_full_output_is_one_line_and_code_6(line: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(wirespeed(*line.split()), stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    said = "wirespeed: standard output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (6, said)


@pytest.mark.parametrize("line", PRINTING)
def test_a_closed_pipe_ends_silently(line: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(wirespeed(*line.split()), stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")
