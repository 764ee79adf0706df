"""No code outside of a feature's own folder requires the feature."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from fake_router import FakeRouterCore

import wirespeed
from wirespeed.errors import WirespeedError
from wirespeed.router import features as registry
from wirespeed.router.api import HANDLERS
from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.retvals import Refusal
from wirespeed.router.commands import GRAMMAR
from wirespeed.router.console import Console
from wirespeed.router.features import features
from wirespeed.vpp_api.codec import coder
from wirespeed.vpp_api.table import TABLE

PACKAGE = Path(wirespeed.__file__).parent
FEATURES = PACKAGE / "router" / "features"


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports at run time, anywhere in it."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_only_its_own_folder_imports_a_feature() -> None:
    """`features/__init__.py` finds the folders by their names."""
    own = "wirespeed.router.features."
    for path in PACKAGE.rglob("*.py"):
        if "router.features" not in path.read_text():
            continue
        folder = path.relative_to(FEATURES).parts[0] if path.is_relative_to(FEATURES) else ""
        if own[:-1] not in path.read_text():
            continue
        named = {one.removeprefix(own).partition(".")[0] for one in imports(path) if one.startswith(own)}
        assert not named & {*features()} - {folder}, path


def test_features_are_found_by_their_folders() -> None:
    assert set(features()) == {path.parent.name for path in FEATURES.glob("*/__init__.py")}


@pytest.mark.parametrize("feature", features())
def test_nothing_that_others_show_needs_a_feature(feature: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its part of the core and its control are missing, as without its folder."""
    others = tuple(name for name in features() if name != feature)
    monkeypatch.setattr(registry, "features", lambda: others)
    core = FakeRouterCore()
    delattr(core, feature)
    console = Console(core)
    own = f"wirespeed.router.features.{feature}."
    shown = [
        (re.sub(r"\((\w+)\|[^)]*\)", r"\1", re.sub(r" \[.*", "", syntax)), command.function)
        for syntax, command in GRAMMAR.commands()
        if syntax.startswith("show ") and not command.function.__module__.startswith(own)
    ]
    for line in {line for line, _ in shown if "<" not in line}:
        lines = console.run(line)
        with suppress(WirespeedError):
            list(lines)
    assert "show interface" in dict(shown)
    client = Client(console, 1, "test", is_greeted=True)
    for name, handler in HANDLERS.items():
        if TABLE.messages[name].stream and not handler.function.__module__.startswith(own):
            every = dict.fromkeys(("sw_if_index", "hw_if_index", "bd_id", "acl_index"), ALL)
            request = coder(name).unpack(coder(name).pack(every))
            with suppress(Refusal, WirespeedError):
                list(handler.function(client, request) or ())  # type: ignore[arg-type]
    console.close()
    core.close()
