"""Arrows between the files of native/: no circles at link level but those in LEFT, which have yet to be taken apart,
and no includes of a feature from outside its folder."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import arrows  # noqa: E402

LEFT = {
    "generator/control": {"flows", "latency"},
    "generator/program": {"program_spread", "program_variable"},
    "linux": {"intake", "intake_labels", "intake_routes", "message", "nexthop_message", "route_message"},
    "router/bond": {"bond_lacp", "bond_member", "bond_spread"},
    "router/fib": {"load_balance", "own_balance"},
    "router/interface": {"interface", "ip6_interface"},
    "router/neighbor": {"neighbor", "neighbor_age", "neighbor_room"},
    "router/observe": {
        "observe",
        "pcap",
        "stats_backing",
        "stats_forwarding",
        "stats_interfaces",
        "stats_pairs",
        "stats_segment",
    },
    "router/worker": {"pause", "placement", "rest", "run"},
}


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


def test_no_circle_is_new(built: arrows.Arrows) -> None:
    assert built["dev/port.c"]["dev/pool.c"] >= {"pool_make"}
    known = {f"{folder}/{name}.c" for folder, names in LEFT.items() for name in names}
    assert {file for group in arrows.circles(built) for file in group} == known


def test_folders_form_no_circles(built: arrows.Arrows) -> None:
    between: arrows.Arrows = defaultdict(lambda: defaultdict(set))
    for user, used in built.items():
        for file, symbols in used.items():
            if (a := str(Path(user).parent)) != (b := str(Path(file).parent)):
                between[a][b] |= symbols
    assert "dev" in between["router/worker"]
    assert arrows.circles(between) == []


def features() -> list[str]:
    """The folders without which C tests link a router, as `native/router/meson.build` lists them."""
    listed = re.search(r"^features = \[(.*)\]$", (ROOT / "native/router/meson.build").read_text(), re.MULTILINE)
    assert listed
    return re.findall(r"\w+", listed[1])


@pytest.mark.parametrize("feature", features())
def test_only_its_own_folder_includes_a_feature(feature: str) -> None:
    sources = [path for part in arrows.PARTS for path in (ROOT / "native" / part).rglob("*.[ch]")]
    users = {path.parent.name for path in sources if f'#include "router/{feature}/' in path.read_text()}
    assert users == {feature}
