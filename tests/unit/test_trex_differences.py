"""The tables of docs/from-trex.md are those of their lists (`python tests/unit/trex_differences.py` writes them)."""

from __future__ import annotations

import shlex
import textwrap
from pathlib import Path

import pytest
from trex_differences import BEHAVIOURS, DIFFERENCES, DOCUMENT, KEYS, Behaviour, between, differences, keys

from wirespeed.generator.trex_cfg import read_trex_cfg
from wirespeed.model import parse_port_spec

TESTS = Path(__file__).parents[1]


def test_the_keys_of_the_platform_file() -> None:
    assert between(KEYS) == keys()


def test_what_remains_different() -> None:
    assert between(DIFFERENCES) == differences()


def test_the_example_of_a_file_and_its_command_are_the_same(tmp_path: Path) -> None:
    example = DOCUMENT.read_text().partition("Two ports of\n")[2].partition(KEYS[0])[0]
    text, _, command = example.partition("are the same as\n")
    (tmp_path / "trex_cfg.yaml").write_text(textwrap.dedent(text))
    config = read_trex_cfg(tmp_path / "trex_cfg.yaml", range(4))
    words = shlex.split(command.replace("\\\n", " "))
    given = [(words[at], words[at + 1]) for at in range(2, len(words), 2)]
    assert [("--main-cpu", config.main_cpu), ("--cpu", config.cpu)] == given[:2]
    assert list(config.ports) == [parse_port_spec(value) for name, value in given if name == "--port"]
    assert list(config.dest_macs) == [value for name, value in given if name == "--dest-mac"]


@pytest.mark.parametrize("one", BEHAVIOURS, ids=lambda one: one.what)
def test_a_difference_is_shown_by_a_test(one: Behaviour) -> None:
    file, _, name = one.shown_by.partition("::")
    assert f"def {name}(" in (TESTS / file).read_text()
