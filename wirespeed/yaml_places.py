"""Values of YAML texts, and where in a file something stands, so that an error can name the line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wirespeed.errors import FileFault


def value_of(text: str, loader: Any = None) -> Any:
    """The value of a text by PyYAML's `loader`, its safe one if not given.

    YAMLError for what is not YAML, and for a scalar that its tag cannot have (`!!bool x`, the day 2026-02-30), of which
    PyYAML raises whatever comes; RecursionError for what is too deep.
    """
    import yaml  # noqa: PLC0415 - slow, and seldom needed

    try:
        return yaml.load(text, loader or yaml.SafeLoader)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        why = f": {error}" if isinstance(error, ValueError) else ""
        raise yaml.YAMLError(f"a value is not what its tag says{why}") from None


def parsed(text: str, name: str) -> tuple[Any, Any]:
    """The tree of nodes and the plain values of a text; FileFault with its line for what is not YAML. `name` is the
    file's."""
    import yaml  # noqa: PLC0415 - slow, and seldom needed

    try:
        return yaml.compose(text, yaml.SafeLoader), value_of(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark else ""
        why = "it is too deep" if isinstance(error, RecursionError) else getattr(error, "problem", None) or str(error)
        raise FileFault(f"{name}{where}: this is not YAML: {why}") from None


def line_of(tree: Any, where: Sequence[str | int]) -> int:
    """The line of the node at `where`, or of the nearest one above it that there is; from 1."""
    import yaml  # noqa: PLC0415

    node, line = tree, int(tree.start_mark.line) + 1
    for part in where:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
            if pair is None:
                continue
            line, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


def first_error(
    errors: Sequence[Any],
    tree: Any,
    whole: str,
    place: Callable[[Any], tuple[str | int, ...]],
    words: Callable[[Any], str],
) -> str:
    """`LINE: PATH: WORDS` of the one of pydantic's `errors` that stands first in the file, the others counted; `whole`
    is what the document is called where the path is empty."""
    places = [(place(one), one) for one in errors]
    # A list whose member is wrong is called too short as well.
    told = [(at, one) for at, one in places if not any(at == other[: len(at)] != other for other, _ in places)]
    found = sorted(((line_of(tree, at), at, one) for at, one in told), key=lambda row: row[0])
    line, at, first = found[0]
    rest = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{line}: {'.'.join(map(str, at)) or whole}: {words(first)}{rest}"


def wrong_value(error: Any) -> str:
    """What pydantic says of a value, and the value, unless it says it itself."""
    message = str(error["msg"]).removeprefix("Value error, ")
    given = error["input"]
    shown = f", not {given!r}" if isinstance(given, str | int | float | bool) and repr(given) not in message else ""
    return f"{message}{shown}" if error["type"] != "value_error" else message
