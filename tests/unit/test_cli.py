"""The command line's frame: listing, unknown words, exit codes."""

import pytest

from wirespeed import __version__
from wirespeed.cli.main import COMMANDS, main


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"wirespeed {__version__}\n"


@pytest.mark.parametrize("args", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(args, capsys):
    main(args)
    said = "".join(capsys.readouterr())
    assert all(name in said for name in COMMANDS)


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
