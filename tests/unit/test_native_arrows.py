"""Arrows between the files of native/: no circles at link level, no includes of a feature from outside its folder."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import arrows  # noqa: E402


def test_circles_are_found_with_all_their_files() -> None:
    to: arrows.Arrows = {"a": {"b": {"x"}}, "b": {"c": {"y"}}, "c": {"a": {"z"}}, "d": {"a": {"x"}}, "e": {}}
    assert arrows.circles(to) == [["a", "b", "c"]]
    assert arrows.circles({"a": {"b": {"x"}}, "b": {"c": {"y"}}}) == []


def test_the_picture_has_an_arrow_between_folders() -> None:
    lines = arrows.picture({"dev/port.c": {"wire/mac.c": {"x", "y"}, "dev/pool.c": {"z"}}}).splitlines()
    assert lines[2:-1] == ['  "dev" -> "wire" [label=2]']


@pytest.fixture(scope="module")
def built() -> arrows.Arrows:
    try:
        return arrows.arrows(ROOT / "build")
    except FileNotFoundError as missing:
        pytest.skip(str(missing))


def test_files_form_no_circles(built: arrows.Arrows) -> None:
    assert built["dev/port.c"]["dev/pool.c"] >= {"pool_make"}
    assert arrows.circles(built) == []


def test_folders_form_no_circles(built: arrows.Arrows) -> None:
    between: arrows.Arrows = defaultdict(lambda: defaultdict(set))
    for user, used in built.items():
        for file, symbols in used.items():
            if (a := str(Path(user).parent)) != (b := str(Path(file).parent)):
                between[a][b] |= symbols
    assert "dev" in between["router/worker"]
    assert arrows.circles(between) == []


def test_only_the_binding_includes_the_umbrella() -> None:
    sources = [*(ROOT / "native").rglob("*.[ch]")]
    assert len(sources) > 500
    assert [path for path in sources if '#include "wirespeed.h"' in path.read_text()] == []


def features() -> list[str]:
    """The folders without which C tests link a router; each declares this in its `meson.build`."""
    listings = (ROOT / "native/router").glob("*/meson.build")
    found = [path.parent.name for path in listings if f"features += '{path.parent.name}'" in path.read_text()]
    assert len(found) > 5
    return sorted(found)


@pytest.mark.parametrize("feature", features())
def test_only_its_own_folder_includes_a_feature(feature: str) -> None:
    sources = [path for part in arrows.PARTS for path in (ROOT / "native" / part).rglob("*.[ch]")]
    users = {path.parent.name for path in sources if f'#include "router/{feature}/' in path.read_text()}
    assert (ROOT / "native/router" / feature).is_dir()
    assert users <= {feature}
