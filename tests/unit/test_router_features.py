"""Nothing needs a feature of the router but its own folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import wirespeed
from wirespeed.router.features import features

PACKAGE = Path(wirespeed.__file__).parent
FEATURES = PACKAGE / "router" / "features"


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports when it runs, anywhere in it."""
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
        folder = path.relative_to(FEATURES).parts[0] if path.is_relative_to(FEATURES) else ""
        if own[:-1] not in path.read_text():
            continue
        named = {one.removeprefix(own).partition(".")[0] for one in imports(path) if one.startswith(own)}
        assert not named & {*features()} - {folder}, path


def test_features_are_found_by_their_folders() -> None:
    assert set(features()) == {path.parent.name for path in FEATURES.glob("*/__init__.py")}
