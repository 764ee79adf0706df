"""Findings of pydantic about a document, in words for users: one for each place."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ValidationError

from wirespeed.config.schema import Config
from wirespeed.documents import Document, Node
from wirespeed.findings import FileFinding, Path, shown

RULE = "schema"
_WANTED = {
    "int_type": "a whole number",
    "bool_type": "true or false",
    "string_type": "text",
    "dict_type": "a mapping of keys and values",
    "model_type": "a mapping of keys and values",
    "model_attributes_type": "a mapping of keys and values",
    "list_type": "a list",
    "int_from_float": "a whole number",
}
_NAMES = {
    "bondethernets": "BondEthernetN",
    "loopbacks": "loopN",
    "bridgedomains": "bdN",
    "vxlan_tunnels": "vxlan_tunnelN",
    "taps": "tapN",
    "prefixlists": "a lower-case letter, then at most 63 of a-z, 0-9 and -",
    "acls": "a lower-case letter, then at most 55 of a-z, 0-9 and -",
    "sub-interfaces": "a whole number from 1 to 4294967295",
}


def schema_findings(error: ValidationError, document: Document) -> list[FileFinding]:
    """Findings of a failed validation, in the order of the file."""
    findings: dict[Path, FileFinding] = {}
    kinds: dict[Path, str] = {}
    for fault in error.errors():
        path, is_key = _place(fault["loc"], document.root)
        if path not in findings:
            findings[path], kinds[path] = _finding(fault, path, is_key, document), fault["type"]
        elif {kinds[path], fault["type"]} == {"int_type", "string_type"}:  # neither member of the union fits
            message = f"{_described(fault['input'], document.written(path))} is neither a number nor text"
            findings[path] = replace(findings[path], message=message, fix="give a number or text")
    return sorted(findings.values(), key=lambda finding: finding.line)


def _place(location: tuple[str | int, ...], root: Node) -> tuple[Path, bool]:
    """The path without parts that name a member of a union, and whether it means a key and not its value."""
    parts: list[str | int] = []
    node = root
    for place, part in enumerate(location):
        if part == "[key]":
            return tuple(parts), True
        if part in node.children:
            node = node.children[part]
            parts.append(part)
        elif isinstance(node.value, dict) and place == len(location) - 1:
            parts.append(part)  # one that is missing
    return tuple(parts), False


def _finding(fault: Any, path: Path, is_key: bool, document: Document) -> FileFinding:
    line = document.line(path)
    if is_key or (
        path and not isinstance(path[-1], str) and fault["type"] == "int_type" and fault["loc"][-1] == "[key]"
    ):
        section = str(path[-2]) if len(path) > 1 else ""
        message = f"{shown(path[-1])!r} is not a name of this section"
        return FileFinding(
            path, message, f"a name here is {_NAMES.get(section, 'text of one letter or more')}", RULE, line
        )
    message, fix = _words(fault, path, document)
    return FileFinding(path, message, fix, RULE, line)


def _words(fault: Any, path: Path, document: Document) -> tuple[str, str]:
    kind, context, value_given = fault["type"], fault.get("ctx") or {}, fault["input"]
    if kind == "extra_forbidden":
        return _unknown(path)
    if kind == "missing":
        return "it is needed and not there", f"give {path[-1]} here"
    value = document.written(path) or shown(value_given)
    if value_given is None:
        return "nothing stands here", "write {} for one that has all defaults"
    if kind == "string_type" and not isinstance(value_given, dict | list):
        return f"{shown(value)} without quotes is not text to YAML", f'put it in quotes: "{shown(value)}"'
    if kind in _WANTED:
        return f"{_described(value_given, value)} is not {_WANTED[kind]}", f"give {_WANTED[kind]}"
    match kind:
        case "greater_than_equal" | "less_than_equal":
            least, most = _bounds(path)
            return f"{value} is not between {least} and {most}", "give a number within that"
        case "literal_error":
            return f"{shown(value)} is not one of {context['expected']}", "give one of these"
        case "too_short" | "too_long":
            least, most = context.get("min_length", 1), context.get("max_length")
            many = f"at most {most}" if most else f"at least {least}"
            return f"the list has {context.get('actual_length')}, and takes {many}", "shorten it, or leave the key out"
        case "string_too_long" | "string_too_short":
            many = f"at most {context['max_length']}" if "max_length" in context else "at least one"
            return (
                f"{shown(value)!r} has {len(str(value_given))} letters, and {many} may stand here",
                "give another name",
            )
        case "string_pattern_mismatch":
            return f"{shown(value)!r} does not have the form of {path[-1]}", _FORMS.get(str(path[-1]), "give another")
    return f"{shown(value)!r} cannot stand here", str(fault["msg"]).removeprefix("Value error, ")


_FORMS = {
    "lcp": "a lower-case letter, then at most 14 of a-z, 0-9, dot and -",
    "description": "leave the quotes within it out",
    "bvi": "name a loopback, such as loop1",
    "name": "a name of Linux has no spaces and no slash",
    "bridge": "a name of Linux has no spaces and no slash",
    "namespace": "a name of Linux has no spaces and no slash",
}


def _described(raw: Any, value: str) -> str:
    if isinstance(raw, dict):
        return "a mapping"
    if isinstance(raw, list):
        return "a list"
    return f"{value!r}" if isinstance(raw, str) else value


def _unknown(path: Path) -> tuple[str, str]:
    known = sorted(_keys_at(path[:-1]))
    near = difflib.get_close_matches(str(path[-1]), known, n=1, cutoff=0.5)
    fix = f"did you mean {near[0]}?" if near else f"those there are: {', '.join(known)}"
    return f"there is no key {shown(path[-1])!r}", fix


def _keys_at(path: Path) -> list[str]:
    model = _model_at(path)
    return [field.alias or name for name, field in model.model_fields.items()] if model else []


def _bounds(path: Path) -> tuple[Any, Any]:
    """Bounds of the number at `path`."""
    model = _model_at(path[:-1])
    fields = {} if model is None else {field.alias or name: field for name, field in model.model_fields.items()}
    field = fields.get(str(path[-1]))
    least = most = None
    for one in _metadata(field):
        least, most = getattr(one, "ge", least), getattr(one, "le", most)
    return least, most


def _metadata(field: Any) -> Iterator[Any]:
    if field is None:
        return
    yield from field.metadata
    for inner in (field.annotation, *typing.get_args(field.annotation)):
        for one in getattr(inner, "__metadata__", ()):
            yield from getattr(one, "metadata", [one])


def _model_at(path: Path) -> type[BaseModel] | None:
    """The model of what stands at `path`."""
    model: Any = Config
    for part in path:
        if isinstance(model, type) and issubclass(model, BaseModel):
            fields: Mapping[str, Any] = {field.alias or name: field for name, field in model.model_fields.items()}
            model = fields[str(part)].annotation if str(part) in fields else None
        else:
            model = typing.get_args(model)[-1] if typing.get_origin(model) in (dict, list) else None
        model = _bare(model)
    return model if isinstance(model, type) and issubclass(model, BaseModel) else None


def _bare(annotation: Any) -> Any:
    """Without Annotated and None."""
    while True:
        if hasattr(annotation, "__metadata__"):
            annotation = annotation.__origin__
        elif isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
            annotation = next(one for one in typing.get_args(annotation) if one is not type(None))
        else:
            return annotation
