"""How the program starts: without its build tree, for whoever may read it, and without what it does not need."""

import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from wirespeed import __version__
from wirespeed.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
# Each takes longer to import than everything that --version needs. (The option parser brings pydantic in.)
HEAVY = {"hdrh", "jinja2", "markupsafe", "matplotlib", "numpy", "prompt_toolkit", "pyroute2", "scapy"}
HEAVY |= {"textual", "yaml", "zmq", "wirespeed._native._core"}
_LIST = "import sys; from wirespeed.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
_NOBODY = 65534
_AS_NOBODY = ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups")


def imported(*arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", _LIST, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_version_is_told_without_the_option_parser() -> None:
    modules = imported("--version")
    assert "wirespeed.cli.main" in modules
    assert not modules & {*HEAVY, "pydantic", "typer", "click", "rich", "inspect", "_wirespeed_editable_loader"}


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_imports_nothing_heavy(command: str) -> None:
    assert not imported(*command.split(), "--help") & HEAVY


@pytest.fixture
def read_only_copy() -> Iterator[Path]:
    """The package alone, where nobody may write, without build tree."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv, to be somebody else")
    if subprocess.run([*_AS_NOBODY, sys.executable, "-c", ""], capture_output=True, check=False).returncode:
        pytest.skip(f"user {_NOBODY} cannot run {sys.executable}: a folder above is closed to others")
    directory = Path(tempfile.mkdtemp(prefix="start-test-"))
    try:
        shutil.copytree(ROOT / "wirespeed", directory / "wirespeed", ignore=shutil.ignore_patterns("__pycache__"))
        directory.chmod(0o755)
        yield directory
    finally:
        shutil.rmtree(directory)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-m", "wirespeed", "--version"), f"wirespeed {__version__}"),
        (("-m", "wirespeed", "--help"), "Usage: wirespeed"),
        (("-c", "from wirespeed._native import _core, _pcap; print(_core.__file__)"), "/wirespeed/_native/_core."),
    ],
)
def test_another_user_starts_a_read_only_copy_without_build_tree(
    read_only_copy: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = subprocess.run(
        [*_AS_NOBODY, sys.executable, *arguments], cwd=read_only_copy, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout


def test_what_was_built_last_is_what_runs() -> None:
    built = list((ROOT / "build" / "wirespeed" / "_native").glob("*.so"))
    if not built:
        pytest.skip("there is no build tree: this is an installed package")
    for module in built:
        assert filecmp.cmp(module, ROOT / "wirespeed" / "_native" / module.name, shallow=False), "run tools/setup.sh"
