"""Starting the program: without its build tree, for any user who may read it, and without unneeded imports."""

import filecmp
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.ports import free_port

from wirespeed import __version__
from wirespeed.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
# Each takes longer to import than everything that --version needs.
HEAVY = {"hdrh", "jinja2", "markupsafe", "matplotlib", "numpy", "prompt_toolkit", "pyroute2", "scapy"}
HEAVY |= {"textual", "yaml", "zmq", "wirespeed._native._core"}
_LIST = "import sys; from wirespeed.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
_NOBODY = 65534
# `env` is in between, since setpriv starts its program with root's rights: a closed folder would not stop it.
_AS_NOBODY = ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "env")
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


def imported(*arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", _LIST, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


PARSER = {"pydantic", "typer", "click", "rich", "inspect", "_wirespeed_editable_loader"}
# Commands, handlers of the binary API, its table of messages, RPC methods: each is imported at its first use.
ON_DEMAND = ("wirespeed.router.commands.", "wirespeed.router.api.", "wirespeed.vpp_api", "wirespeed.router.startup.s")
READY = {
    "router": ("-i", "e0=ring:start-test", "--hugepages", "never", "-s", "router.sock"),
    "generator": ("--port", "ring:start-test", "--hugepages", "never"),
}


@pytest.mark.parametrize("option", ["--version", "--help", "-h"])
def test_what_is_asked_first_needs_no_option_parser(option: str) -> None:
    modules = imported(option)
    assert "wirespeed.cli.main" in modules
    assert not modules & (HEAVY | PARSER)


def imported_until_ready(program: str, directory: Path) -> set[str]:
    """The modules that a program of the data plane has imported when it is ready, and at its end."""
    words = [*READY[program], *(("--rpc", f"127.0.0.1:{free_port()}") if program == "generator" else ())]
    command = [sys.executable, "-v", "-m", "wirespeed", program, *words]
    log = directory / "imports"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command,
            cwd=directory,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        said = next((line for line in process.stdout if line.startswith("ready")), "")
        process.terminate()
    assert said, log.read_text()
    return {line.split("'")[1] for line in log.read_text().splitlines() if line.startswith("import '")}


@pytest.mark.parametrize("program", READY)
def test_a_data_plane_starts_without_what_is_used_later(program: str, tmp_path: Path) -> None:
    modules = imported_until_ready(program, tmp_path)
    assert f"wirespeed.cli.{program}" in modules
    assert not modules & (HEAVY - {"zmq", "wirespeed._native._core"} | {"pydantic", "rich"})
    assert not [name for name in modules if name.startswith(ON_DEMAND)]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_imports_nothing_heavy(command: str) -> None:
    assert not imported(*command.split(), "--help") & HEAVY


@dataclass(frozen=True)
class Copy:
    """The files that the program needs, in a folder that all users may read and only its owner may write."""

    directory: Path
    python: Path

    def run_as_nobody(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        places = {
            "PYTHONPATH": str(self.directory / "packages"),
            "LD_LIBRARY_PATH": str(self.python.parents[1] / "lib"),
        }
        command = [*_AS_NOBODY, self.python, "-s", *arguments]
        return subprocess.run(
            command, cwd=self.directory, env=os.environ | places, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def read_only_copy() -> Iterator[Copy]:
    """The package and what it imports, without build tree: the checkout may lie in a folder that is closed to others,
    or have modes of a umask that closes its files. The interpreter is copied too if it lies in such a place."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv, to be somebody else")
    directory = Path(tempfile.mkdtemp(prefix="start-test-", dir="/tmp"))
    try:
        copy_tree(ROOT / "wirespeed", directory / "wirespeed")
        (directory / "packages").mkdir()
        for package in imported_packages():
            copy_tree(package, directory / "packages" / package.name)
        python = Path(sys.base_prefix, "bin", _PYTHON)
        if subprocess.run([*_AS_NOBODY, python, "-c", ""], capture_output=True, check=False).returncode:
            python = copied_interpreter(directory / "python")
        for path in (directory, *directory.rglob("*")):
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        yield Copy(directory, python)
    finally:
        shutil.rmtree(directory)


def imported_packages() -> set[Path]:
    """The packages, and modules outside of one, that `--help` and the native modules import from the venv."""
    program = f"{_LIST}; from wirespeed._native import _core, _pcap"
    listing = "import json; print(json.dumps([getattr(one, '__file__', None) for one in sys.modules.values()]))"
    command = [sys.executable, "-c", f"{program}; {listing}", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    venv = Path(sysconfig.get_path("platlib"))
    files = [Path(file) for file in json.loads(done.stdout.splitlines()[-1]) if file]
    return {venv / file.relative_to(venv).parts[0] for file in files if file.is_relative_to(venv)}


def copied_interpreter(prefix: Path) -> Path:
    (prefix / "bin").mkdir(parents=True)
    library = Path(sysconfig.get_path("stdlib"))
    copy_tree(library, prefix / "lib" / library.name, "site-packages", "test", "config-*", "idlelib", "ensurepip")
    for shared in library.parent.glob("libpython*.so*"):
        shutil.copy(shared, prefix / "lib")
    return Path(shutil.copy(Path(sys.base_prefix, "bin", _PYTHON), prefix / "bin"))


def copy_tree(source: Path, target: Path, *left_out: str) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", *left_out))
    else:
        shutil.copy(source, target)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-m", "wirespeed", "--version"), f"wirespeed {__version__}"),
        (("-m", "wirespeed", "--help"), "Usage: wirespeed"),
        (("-c", "from wirespeed._native import _core, _pcap; print(_core.__file__)"), "/wirespeed/_native/_core."),
    ],
)
def test_another_user_starts_a_read_only_copy_without_build_tree(
    read_only_copy: Copy, arguments: tuple[str, ...], said: str
) -> None:
    done = read_only_copy.run_as_nobody(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout


def test_what_was_built_last_is_what_runs() -> None:
    built = list((ROOT / "build" / "wirespeed" / "_native").glob("*.so"))
    if not built:
        pytest.skip("there is no build tree: this is an installed package")
    for module in built:
        assert filecmp.cmp(module, ROOT / "wirespeed" / "_native" / module.name, shallow=False), "run tools/setup.sh"
