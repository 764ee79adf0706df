"""Boards and rules use only names, types and labels that are in the exporter's table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import telemetry
from telemetry.rehearsal.queries import boards
from wirespeed.exporter.families import FAMILIES, Family

RULES = Path(telemetry.__file__).parent / "prometheus" / "rules"
BUILT_IN = {"le", "class", "job", "instance"}
"""Prometheus' own labels, and the one that boards derive from a node's name."""


def asked() -> Iterator[tuple[str, str]]:
    """(place, expression) of all queries."""
    for board in boards():
        for panel in board.panels:
            yield from ((f"{board.name}: {panel.title}", target.expr) for target in panel.targets)
        yield from ((f"{board.name}: ${name}", f"{of} by ({label})") for name, (of, label) in board.variables.items())
        yield from ((f"{board.name}: {each['name']}", each["expr"]) for each in board.annotations)
    for path in sorted(RULES.glob("*.yml")):
        for group in yaml.safe_load(path.read_text())["groups"]:
            yield from ((rule.get("alert") or rule["record"], rule["expr"]) for rule in group["rules"])


def families_in(expr: str) -> list[Family | None]:
    names = re.findall(r"\bwirespeed_\w+", expr)
    return [FAMILIES.get(re.sub(r"_(bucket|sum|count)$", "", name)) or FAMILIES.get(name) for name in names]


@pytest.mark.parametrize("where, expr", list(asked()), ids=lambda value: str(value)[:40])
def test_what_is_asked_for_is_exported(where: str, expr: str) -> None:
    families = families_in(expr)
    assert None not in families, (where, expr)
    known = {label for family in families if family for label in family.labels} | BUILT_IN
    known |= {"target", "thread", "node", "test", "direction"} if "wirespeed:" in expr else set()
    for inside in re.findall(r"\bby \(([^)]*)\)|\bon \(([^)]*)\)", expr):
        assert {label.strip() for part in inside for label in part.split(",") if label} <= known, where
    for selector in re.findall(r"{([^}]*)}", expr.replace("${class:raw}", "")):
        assert set(re.findall(r'(\w+)\s*[=!]~?"', selector)) <= known, where


def test_rates_are_of_counters_alone() -> None:
    for where, expr in asked():
        for name in re.findall(r"rate\((wirespeed_\w+)", expr):
            family = FAMILIES.get(name) or FAMILIES[re.sub(r"_bucket$", "", name)]
            assert family.kind == ("histogram" if name.endswith("_bucket") else "counter"), where


def test_a_misspelt_name_is_found() -> None:
    assert families_in("rate(wirespeed_router_node_clock_total[4s])") == [None]
