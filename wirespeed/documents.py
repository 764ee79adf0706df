"""YAML read with its line numbers, and within bounds: whatever the file is, it costs no more than its size allows.

Events of the parser are gathered into a tree without recursion; an alias is the node of its anchor, not a copy, and
counts as many nodes as that has. PyYAML's own loaders would recurse, expand without bound, and keep the last of two
equal keys silently.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import yaml

from wirespeed.errors import FileFault
from wirespeed.findings import FileFinding, Path, shown

if TYPE_CHECKING:
    from pydantic import BaseModel

_Model = TypeVar("_Model", bound="BaseModel")

MOST_NODES = 1_000_000
"""A configuration of 10 000 interfaces with five settings each has a tenth of it."""
MOST_DEPTH = 32
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_DEFAULT_TAGS = {f"{_TAG}{name}" for name in ("str", "int", "bool", "float", "null", "map", "seq", "timestamp")}


@dataclass(slots=True)
class Node:
    """`value` is what PyYAML's safe loader would make of it; `children` hold the nodes below by key or index."""

    value: Any
    line: int
    size: int = 1
    children: dict[Any, Node] = field(default_factory=dict)
    key_lines: dict[Any, int] = field(default_factory=dict)
    written: str = ""
    """A scalar as it stands in the file."""


@dataclass(frozen=True)
class Document:
    root: Node
    findings: tuple[FileFinding, ...]
    """Keys that stand twice."""

    def line(self, path: Path, skips: bool = False) -> int:
        """Line of the node at `path`, or of the nearest existing one above it. `skips` passes over parts that the file
        does not have, such as the kind that pydantic puts into the path of a union's member."""
        node, line = self.root, self.root.line
        for part in path:
            if part not in node.children:
                if skips:
                    continue
                break
            line, node = node.key_lines.get(part, node.children[part].line), node.children[part]
        return line

    def written(self, path: Path) -> str:
        """The scalar at `path` as written in the file; "" without one."""
        node: Node | None = self.root
        for part in path:
            node = None if node is None else node.children.get(part)
        return "" if node is None else node.written


def parse(text: bytes, name: str) -> Document:
    """The document in `text`; FileFault, with `name`, line and cause, for invalid YAML or a document beyond the
    limits."""
    builder = _Builder(name)
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise FileFault(f"{name}:{line}: this is not UTF-8 text; save it as UTF-8") from None
    try:
        builder.take(yaml.parse(decoded, _LOADER))
    except (yaml.YAMLError, RecursionError) as error:
        raise FileFault(_syntax(error, decoded, name)) from None
    return Document(builder.root or Node(None, 1), tuple(builder.findings))


def mapping_of(text: str | bytes, name: str, empty: str) -> tuple[Document, dict[str, Any]]:
    """The document in `text` and its keys; FileFault as `parse`, for a duplicate key, and with the text `empty` for a
    document that is not a mapping."""
    document = parse(text.encode(errors="replace") if isinstance(text, str) else text, name)
    for one in document.findings:
        raise FileFault(f"{name}:{one.line}: {'.'.join(map(str, one.path))}: {one.message}; {one.fix}")
    if not isinstance(document.root.value, dict):
        raise FileFault(f"{name} {empty if text.strip() else 'is empty: it ' + empty}")
    return document, document.root.value


def validated(
    model: type[_Model],
    document: Document,
    name: str,
    whole: str,
    words: Callable[[Any], str] | None = None,
    place: Callable[[Any], Path] = lambda error: tuple(error["loc"]),
    kinds: Mapping[str, type[BaseModel]] | None = None,
) -> _Model:
    """The document as `model`, a pydantic one. FileFault with `LINE: PATH: WORDS` of the error that stands first in the
    file, the others counted. `whole` is what the document is called where the path is empty; `words` may have other
    words for some errors, "" for the others; `place` is an error's path. An unknown key is told with the nearest of its
    place; `kinds` are the members of unions, by the word that pydantic puts into paths for them."""
    from pydantic import ValidationError  # noqa: PLC0415 - slow, and seldom needed

    try:
        return model.model_validate(document.root.value)
    except ValidationError as error:
        errors = error.errors()
    places = [(place(one), one) for one in errors]
    # A list whose member is wrong is called too short as well.
    told = [(at, one) for at, one in places if not any(at == other[: len(at)] != other for other, _ in places)]
    found = sorted(((document.line(at, skips=True), at, one) for at, one in told), key=lambda row: row[0])
    line, at, first = found[0]
    rest = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    said = (words(first) if words else "") or _wrong(first, model, kinds or {})
    raise FileFault(f"{name}:{line}: {'.'.join(map(str, at)) or whole}: {said}{rest}")


def _wrong(error: Any, model: type[BaseModel], kinds: Mapping[str, type[BaseModel]]) -> str:
    """Message of pydantic about a value, with the value if the message lacks it."""
    match error["type"]:
        case "extra_forbidden":
            return f"there is no such key{_nearest(error['loc'], model, kinds)}"
        case "missing":
            return "it is needed and not there"
    message = str(error["msg"]).removeprefix("Value error, ")
    given = error["input"]
    told = f", not {given!r}" if isinstance(given, str | int | float | bool) and repr(given) not in message else ""
    return f"{message}{told}" if error["type"] != "value_error" else message


def _nearest(loc: Path, model: type[BaseModel], kinds: Mapping[str, type[BaseModel]]) -> str:
    keys = _keys_at(loc[:-1], model, kinds)
    near = difflib.get_close_matches(str(loc[-1]), keys, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(keys)}"


def _keys_at(loc: Path, model: type[BaseModel], kinds: Mapping[str, type[BaseModel]]) -> list[str]:
    for part in loc:
        named = {field.alias or name: field for name, field in model.model_fields.items()}
        if part in kinds:
            model = kinds[str(part)]
        elif part in named:
            model = _model_in(named[str(part)].annotation) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    from pydantic import BaseModel  # noqa: PLC0415 - as in `validated`

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for one in get_args(annotation) if (found := _model_in(one))), None)


def _syntax(error: Exception, text: str, name: str) -> str:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return f"{name}: this is not YAML: {shown(str(error), 120)}; look for a character that no text has"
    lines = text.splitlines()
    row = lines[mark.line] if mark.line < len(lines) else ""
    where = f"{name}:{min(mark.line, text.count(chr(10))) + 1}"  # libyaml's end is a line below the last
    if "\t" in row[: len(row) - len(row.lstrip())]:
        return f"{where}: a tab indents this line, and YAML takes none; indent with spaces"
    why = getattr(error, "problem", None) or str(error)
    at = f"this line and the one above: {shown(row.strip())!r}" if row.strip() else "what is not closed above"
    return f"{where}: this is not YAML: {shown(why, 120)}; look at {at}"


class _Open:
    """A mapping or list that is not complete yet."""

    def __init__(self, node: Node, anchor: str | None) -> None:
        self.node, self.anchor = node, anchor
        self.key: Node | None = None
        self.merged: list[Node] = []


class _Builder:
    def __init__(self, name: str) -> None:
        self.root: Node | None = None
        self.findings: list[FileFinding] = []
        self._name = name
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}

    def take(self, events: Iterable[yaml.Event]) -> None:
        for event in events:
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._add(self._scalar(event), event.anchor)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._open(event, {} if kind is yaml.MappingStartEvent else [])
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close()
            elif kind is yaml.AliasEvent:
                self._alias(event)

    def _fault(self, line: int, text: str) -> FileFault:
        return FileFault(f"{self._name}:{line}: {text}")

    def _scalar(self, event: yaml.ScalarEvent) -> Node:
        line = event.start_mark.line + 1
        self._check_tag(event, line)
        return Node(_value(event.value, event.tag, tuple(event.implicit)), line, written=event.value)

    def _check_tag(self, event: yaml.NodeEvent, line: int) -> None:
        if event.tag not in (None, "!") and event.tag not in _DEFAULT_TAGS:
            raise self._fault(line, f"a configuration has no YAML tags such as {shown(event.tag)}; remove it")

    def _open(self, event: yaml.NodeEvent, value: Any) -> None:
        line = event.start_mark.line + 1
        self._check_tag(event, line)
        if len(self._stack) >= MOST_DEPTH:
            raise self._fault(
                line,
                f"nested deeper than {MOST_DEPTH} levels, and a configuration has 6; look for an unclosed bracket",
            )
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Open(Node(value, line), event.anchor))

    def _close(self) -> None:
        top = self._stack.pop()
        for other in top.merged:
            for key, child in other.children.items():
                if key not in top.node.children:
                    self._hang(top.node, key, child, top.node.line)
        self._add(top.node, top.anchor)

    def _alias(self, event: yaml.AliasEvent) -> None:
        line = event.start_mark.line + 1
        if event.anchor not in self._anchors:
            raise self._fault(
                line, f"*{shown(event.anchor)} has no anchor &{shown(event.anchor)} above it; define it first"
            )
        node = self._anchors[event.anchor]
        if node is None:
            raise self._fault(line, f"*{shown(event.anchor)} refers to itself; write out the value")
        self._add(node, None)

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._stack:
            if self.root is not None:
                raise self._fault(
                    node.line, "a second YAML document begins here; a file holds one configuration: split it"
                )
            self.root = node
            return
        top = self._stack[-1]
        if isinstance(top.node.value, list):
            self._hang(top.node, len(top.node.value), node, node.line)
        elif top.key is None:
            if isinstance(node.value, dict | list):
                raise self._fault(node.line, "a list or mapping cannot be a key; give a name or a number")
            top.key = node
        else:
            key, top.key = top.key, None
            self._pair(top, key, node)

    def _pair(self, top: _Open, key: Node, node: Node) -> None:
        if key.written == "<<" and key.value == "<<":
            top.merged += list(node.children.values()) if isinstance(node.value, list) else [node]
            if not all(isinstance(other.value, dict) for other in top.merged):
                raise self._fault(key.line, "<< needs a mapping or a list of mappings; give their anchors")
            return
        first = top.node.key_lines.get(key.value)
        if first is not None:
            says = f"key {shown(key.written)} stands here again, first in line {first}"
            path = (*self._path(), str(key.value))
            self.findings.append(FileFinding(path, says, "keep one of the two", "duplicate-key", key.line))
        self._hang(top.node, key.value, node, key.line)

    def _path(self) -> Path:
        parts: list[str | int] = []
        for one in self._stack[:-1]:
            parts.append(
                len(one.node.value) if isinstance(one.node.value, list) else shown(one.key.written if one.key else "")
            )
        return tuple(parts)

    def _hang(self, parent: Node, key: Any, node: Node, line: int) -> None:
        parent.size += node.size + 1
        if parent.size > MOST_NODES:
            raise self._fault(
                line, f"with its aliases this has more than {MOST_NODES} values, the most of a configuration; split it"
            )
        parent.children[key] = node
        parent.key_lines[key] = line
        if isinstance(parent.value, list):
            parent.value.append(node.value)
        else:
            parent.value[key] = node.value


_RESOLVER = yaml.resolver.Resolver()
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_NUMBERS = {"int": _CONSTRUCTOR.construct_yaml_int, "float": _CONSTRUCTOR.construct_yaml_float}


@functools.lru_cache(maxsize=4096)
def _value(text: str, tag: str | None, implicit: tuple[bool, bool]) -> Any:
    """Value of a scalar by YAML 1.1; dates, and scalars without a valid value, stay text."""
    if tag is None or tag == "!":
        tag = _RESOLVER.resolve(yaml.ScalarNode, text, implicit if tag is None else (False, True))
    kind = str(tag).removeprefix(_TAG)
    try:
        if kind in _NUMBERS:
            return _NUMBERS[kind](yaml.ScalarNode(tag, text))
        if kind == "bool":
            return _CONSTRUCTOR.construct_yaml_bool(yaml.ScalarNode(tag, text))
    except (ValueError, KeyError, IndexError):
        return text
    return None if kind == "null" else text
