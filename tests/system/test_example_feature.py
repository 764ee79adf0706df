"""The feature in examples/feature/ is built and used in a copy of the tree.

Besides its own files, only the line that builds its folder and a line of the seam's umbrella header change.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.programs import started, wirespeed
from harness.waiting import wait_for
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from wirespeed.router.client import ask

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "feature"
# Where tools/setup.sh puts meson and ninja.
PATH = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
LINES = {
    "native/router/meson.build": ("subdir('lcp')\n", "subdir('dscp')\n"),
    "native/include/wirespeed.h": ('#include "wirespeed/dad.h"\n', '#include "wirespeed/dscp.h"\n'),
}
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
MODULES = [f"wirespeed/_native/{name}{SUFFIX}" for name in ("_core", "_pcap")]
# Tests that inspect each feature, and the example's own.
_UNITS = "command_groups core_protocols documented_commands native_arrows router_dscp router_features"
UNIT_TESTS = [f"tests/unit/test_{name}.py" for name in _UNITS.split()]
PROGRAMS = ["native/tests/test_dscp", "native/tests/test_churn", "native/bench/bench_nodes"]
MAC = "02:fe:00:00:00:00"
START = f"""\
set interface mac address e0 {MAC}
set interface ip address e0 10.0.0.1/24
set dscp counting on e0
set interface state e0 up
"""
EXPEDITED = 46


def run(tree: Path, *command: object) -> str:
    environment = {**os.environ, "PATH": PATH, "MARCH": "1"}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


def files_of_the_example() -> list[str]:
    paths = [path for part in ("native", "tests", "wirespeed") for path in (EXAMPLE / part).rglob("*")]
    files = [path for path in paths if path.is_file() and "__pycache__" not in path.parts]
    return sorted(str(path.relative_to(EXAMPLE)) for path in files)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The files under version control, and the example among them."""
    if not shutil.which("meson", path=PATH) or not shutil.which("ninja", path=PATH):
        pytest.skip("meson and ninja are needed; tools/setup.sh installs them")
    copy = tmp_path / "tree"
    for name in subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(
        b"\0"
    ):
        source = ROOT / os.fsdecode(name)
        if name and source.is_file():
            (target := copy / os.fsdecode(name)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target, follow_symlinks=False)
    run(copy, "git", "init", "--quiet")
    run(copy, "git", "add", "--all")
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    run(copy, "git", *identity, "commit", "--quiet", "--message", "tree: without the example")
    for name in files_of_the_example():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLE / name, copy / name)
    for name, (before, added) in LINES.items():
        text = (copy / name).read_text()
        assert before in text
        (copy / name).write_text(text.replace(before, before + added))
    return copy


def counted(socket: Path) -> Iterator[tuple[int, int]]:
    """DSCP and packets of `show dscp`."""
    for line in ask(socket, "show dscp").splitlines():
        if line.lstrip()[0].isdigit():
            value, packets = line.split()
            yield int(value), int(packets)


@pytest.mark.timeout(1800)
@pytest.mark.long("a build of the router with its Python module")
def test_a_feature_is_its_own_folders_and_two_lines(tree: Path) -> None:
    run(tree, "meson", "setup", "build", "-Dtests=true", "-Dlevels=false", "-Dbuildtype=plain", "-Dwerror=false")
    run(tree, "ninja", "-C", "build", "--quiet", *MODULES, *PROGRAMS)
    run(tree, "build/native/tests/test_dscp")
    run(tree, "build/native/tests/test_churn", 2, 20)
    assert "dscp 10" in run(tree, "build/native/bench/bench_nodes", "--list").splitlines()
    run(tree, "build/native/bench/bench_nodes", "--once", 256, "--path", "dscp", "--routes", 10)
    for module in MODULES:
        shutil.copy(tree / "build" / module, tree / module)
    run(tree, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *UNIT_TESTS)
    uses_its_commands(tree)
    assert run(tree, "git", "diff", "--numstat").splitlines() == [f"1\t0\t{name}" for name in sorted(LINES)]
    changed = run(tree, "git", "status", "--porcelain", "--untracked-files=all").splitlines()
    assert sorted(line[3:] for line in changed if line.startswith("??")) == files_of_the_example()
    assert len(changed) == len(LINES) + len(files_of_the_example())


def uses_its_commands(tree: Path) -> None:
    """In a router process: packets of two values arrive, and `show dscp` has them."""
    directory = tree.parent
    socket = directory / "router.sock"
    frames = [Ether(dst=MAC) / IP(src="10.0.0.2", dst="10.9.9.9", tos=dscp << 2) / UDP() for dscp in (0, EXPEDITED, 0)]
    wrpcap(str(directory / "in.pcap"), frames)
    (directory / "start.conf").write_text(START)
    port = f"e0=pcap:{directory}/in.pcap,{directory}/out.pcap"
    cpu = max(os.sched_getaffinity(0))
    words = ("--cpu", cpu, "--socket", socket, "--interface", port, "--exec", directory / "start.conf")
    # The package of the copy precedes that of the tests' own tree.
    command = ["env", "-C", str(tree), f"PYTHONPATH={tree}", *wirespeed("router", *words, "--max-routes", "20000")]
    with started(command) as process:
        assert process.stdout is not None and process.stderr is not None
        if not any(line.startswith("ready") for line in process.stdout):
            raise AssertionError(f"the router is not ready: {process.stderr.read()}")
        try:
            wait_for(lambda: dict(counted(socket)) == {0: 2, EXPEDITED: 1}, "the counts of three packets")
            assert ask(socket, "show dscp").splitlines()[0] == "e0 counts"
            assert "packets counted" in ask(socket, "show errors")
            ask(socket, "set dscp counting off e0")
            assert "e0 counts" not in ask(socket, "show dscp")
        finally:
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate()
    assert process.returncode == 0, errors
