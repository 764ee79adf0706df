"""Imports between the packages of wirespeed go one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import wirespeed

ROOT = Path(wirespeed.__file__).parent


def _modules() -> dict[str, Path]:
    """Each module of wirespeed by its name."""
    files = ROOT.rglob("*.py")
    return {".".join(("wirespeed", *path.relative_to(ROOT).with_suffix("").parts)): path for path in files}


def _imported(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """Modules of wirespeed that a file imports anywhere, also in functions and for types."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in modules or f"{name}.__init__" in modules else node.module for name in inner)


def _arrows() -> dict[str, set[str]]:
    """The packages that each package imports; a module beside the packages counts as one."""
    modules = _modules()
    arrows: dict[str, set[str]] = {}
    for name, path in modules.items():
        package = name.split(".")[1]
        for imported in _imported(path, modules):
            parts = imported.split(".")
            if parts[0] == "wirespeed" and len(parts) > 1 and parts[1] != package and package != "__init__":
                arrows.setdefault(package, set()).add(parts[1])
    return arrows


def test_packages_have_an_order() -> None:
    try:
        TopologicalSorter(_arrows()).prepare()
    except CycleError as error:
        raise AssertionError(f"packages import each other in a circle: {' -> '.join(error.args[1])}") from None


def _used_elsewhere() -> dict[str, set[str]]:
    """The modules and packages in each package that other packages import."""
    modules, used = _modules(), dict[str, set[str]]()
    for name, path in modules.items():
        for imported in _imported(path, modules):
            parts = imported.split(".")
            if parts[0] == "wirespeed" and name.split(".")[1] not in (*parts[1:2], "__init__"):
                for depth in range(2, len(parts)):
                    used.setdefault(".".join(parts[:depth]), set()).add(parts[depth])
    return used


def _named(package: str) -> tuple[set[str], set[str]]:
    """The names in `__all__` of a package, and those that it imports itself."""
    tree = ast.parse(ROOT.joinpath(*package.split(".")[1:], "__init__.py").read_text())
    values = [
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets) == "__all__"
    ]
    own = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return {name for value in values for name in ast.literal_eval(value)}, own


def test_a_package_names_what_others_import_of_it() -> None:
    used = _used_elsewhere()
    named = {package: _named(package) for package in used}
    assert {package: names - own for package, (names, own) in named.items()} == {
        package: modules - named[package][1] for package, modules in used.items()
    }


def test_the_option_parser_is_known_to_the_command_line_only() -> None:
    words = {path: path.read_text() for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] != "cli"}
    assert not [path for path, text in words.items() if "import typer" in text or "from typer" in text]
