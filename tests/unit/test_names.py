"""A name that lives longer than three lines says what it stands for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import wirespeed

ROOT = Path(wirespeed.__file__).parent
VAGUE = frozenset({"one", "found", "told", "given"})
MOST_LINES = 3

_SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES += (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def long_lived(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of vague variables whose first and last use are more than three lines apart."""
    tree = ast.parse(source)
    for scope in ast.walk(tree):
        if not isinstance(scope, (ast.Module, *_SCOPES)) or isinstance(scope, ast.ClassDef):
            continue
        for name in _bound(scope) & VAGUE:
            lines = list(_uses(scope, name))
            if max(lines) - min(lines) > MOST_LINES:
                yield min(lines), name


def _bound(scope: ast.AST) -> set[str]:
    """The names that a scope itself binds."""
    own = list(_within(scope))
    arguments = {node.arg for node in own if isinstance(node, ast.arg)}
    return arguments | {node.id for node in own if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _uses(scope: ast.AST, name: str) -> Iterator[int]:
    for node in _within(scope):
        if (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.arg) and node.arg == name):
            yield node.lineno
        if isinstance(node, _SCOPES) and node is not scope and name not in _bound(node):
            yield from _uses(node, name)


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope; of inner scopes only the node itself."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _within(child)


@pytest.mark.parametrize(
    "source",
    [
        "def f(found):\n    a = 1\n    b = 2\n    c = 3\n    return found\n",
        "for one in x:\n    a = 1\n    b = 2\n    c = 3\n    print([one + 1 for a in x])\n",
        "a = [\n    one\n    for one in x\n    if 1\n    or 2\n    or 3\n    or one\n]\n",
    ],
    ids=["argument", "variable", "comprehension"],
)
def test_a_vague_name_that_lives_long_is_seen(source: str) -> None:
    assert len(list(long_lived(source))) == 1


def test_a_vague_name_may_live_for_three_lines() -> None:
    assert not list(
        long_lived("found = 1\na = 1\nb = 2\nprint(found)\nc = [one for one in x]\nd = [one for one in x]\n")
    )


def test_no_vague_name_lives_long() -> None:
    files = {path: path.read_text() for path in ROOT.rglob("*.py")}
    assert not [f"{path}:{line} {name}" for path, text in files.items() for line, name in long_lived(text)]
