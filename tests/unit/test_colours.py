"""Colours of devices."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from wirespeed.charts.colours import COLOURS, HUES, MARKS, SPARE, colours_by_name

NAMES = ("Linux over veth", "wirespeed over memif", "wirespeed over veth", "VPP")


def test_the_order_of_names_changes_no_colour() -> None:
    assert len({tuple(sorted(colours_by_name(names).items())) for names in permutations(NAMES)}) == 1


@given(st.sets(st.text(min_size=1), max_size=len(COLOURS) + len(SPARE)))
def test_colours_differ_while_there_are_as_many(names: set[str]) -> None:
    assert len(set(colours_by_name(names).values())) == len(names)


@given(st.sets(st.text(min_size=1), max_size=len(HUES[0])))
def test_a_name_has_the_same_hue_on_every_page(names: set[str]) -> None:
    hues = {shade: hue for hue in HUES for shade in hue}
    alone = {name: colours_by_name([name])[name] for name in names}
    assert all(hues[colour] == hues[alone[name]] for name, colour in colours_by_name(names).items())


@given(st.sets(st.text(min_size=1), min_size=1, max_size=4), st.text(min_size=1))
def test_one_more_name_changes_a_colour_only_where_both_want_the_same(names: set[str], more: str) -> None:
    alone = {name: colours_by_name([name])[name] for name in {*names, more}}
    if len(set(alone.values())) == len(alone):
        assert colours_by_name({*names, more}) == alone


@given(st.sets(st.text(min_size=1), min_size=1, max_size=len(COLOURS)))
def test_a_name_has_its_own_colour_unless_another_name_wants_the_same(names: set[str]) -> None:
    alone = {name: colours_by_name([name])[name] for name in names}
    found = colours_by_name(names)
    for name, colour in alone.items():
        others = [other for other in names if other != name and alone[other] == colour]
        assert found[name] == colour or min(others) < name


def test_each_colour_has_a_mark_of_its_own() -> None:
    assert len({MARKS[colour] for colour in (*COLOURS, *SPARE)}) == len(COLOURS) + len(SPARE)
    assert all(len({MARKS[shade] for shade in hue}) == len(hue) for hue in HUES)
    names = [f"device {number}" for number in range(24)]
    looks = {(colour[:-1], MARKS[colour]) for colour in colours_by_name(names).values()}
    assert len(looks) == len(names)
