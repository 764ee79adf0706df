"""The first command of each how-to, run on shared labs and recorded results; its output has the lines of the page."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from harness.programs import run_wirespeed
from sandbox import needs

from wirespeed.lab.embedded import EmbeddedLab

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RECORDED = ROOT / "tests" / "golden" / "report" / "wirespeed.json"
LAB = ["--lab", "embedded"]
DONE = (0, 5)
"""5: the test ran, and a busy host disturbed its figures."""


def first_example(page: str) -> tuple[list[str], list[str]]:
    """The first command of a page behind `wirespeed`, and the lines that the page shows below it."""
    found = re.search(r"^```console\n\$ wirespeed (.*)\n((?:.*\n)*?)```$", (DOCS / page).read_text(), re.MULTILINE)
    assert found, f"docs/{page} has no example"
    return shlex.split(found[1]), [line for line in found[2].splitlines() if line.strip() != "…"]


def heads(lines: list[str]) -> list[str]:
    """The first word of each line."""
    return [line.split()[0] for line in lines if line.strip()]


def assert_shape(page: str, shown: list[str], printed: str) -> None:
    """The lines of the page begin like lines of what was printed, in the same order."""
    assert len(shown) > 3
    rest = iter(heads(printed.splitlines()))
    missing = [head for head in heads(shown) if head not in rest]
    assert not missing, f"docs/{page} shows lines that were not printed: {missing}\n{printed}"


@pytest.mark.parametrize("page", ["loadtest.md", "search.md", "rfc2544.md", "soak.md"])
def test_the_first_test_of_a_page_prints_its_lines(page: str, lab: EmbeddedLab, tmp_path: Path) -> None:
    words, shown = first_example(page)
    at = words.index("--lab")
    assert words[at : at + 2] == LAB
    words[at : at + 2] = ["-s", lab.rpc, "--dut", f"router:{lab.control_socket}"]
    done = run_wirespeed(*words, cwd=tmp_path)
    assert done.returncode in DONE, done.stderr
    assert_shape(page, shown, done.stderr)
    assert (tmp_path / words[words.index("-o") + 1]).exists()


def test_explain_prints_the_lines_of_its_page(tmp_path: Path) -> None:
    words, shown = first_example("explain.md")
    shutil.copy(RECORDED, tmp_path / words[1])
    done = run_wirespeed(*words, cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[:8] == shown[:8]
    assert_shape("explain.md", shown, done.stdout)


@needs()
def test_a_look_at_a_device_prints_the_lines_of_its_page(tmp_path: Path) -> None:
    words, shown = first_example("dut.md")
    done = run_wirespeed(*words, cwd=tmp_path, check=True)
    assert_shape("dut.md", shown, done.stdout)
