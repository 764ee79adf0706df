"""docs/result-format.md: the fields of result files, tables and evidence files, by the types that hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from manual.markdown import to_section
from wirespeed.explain.sources.evidence_file import SCHEMA, Bps, Bytes, EvidenceText, Pps
from wirespeed.measurement.loadtest.result import Result as LoadTestResult
from wirespeed.measurement.registry import about_of, class_of, kinds, report_of
from wirespeed.results.channel import Channel
from wirespeed.results.codec import Stored
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.order import Order
from wirespeed.results.sample import Latency, PortSample, Preemption, Sample
from wirespeed.results.sample_json import FORMER, KEYS
from wirespeed.results.verdict import Figure, Verdict

INTRO = """\
# Result files

Result files are JSON. `schema` names the kind and the version. The format of load tests is a strict superset
of trex-loadtest's: its viewer reads them. wirespeed reads trex-loadtest's files and all older ones of its own.

```console
$ wirespeed loadtest --lab embedded -p bench -wd 1 -rd 5 -hd 2 -o 64b.json
$ jq '.outcome.channels["0→1"].forwarded.received_pps' 64b.json
```

- Rates are per second, `bps` is layer 2 unless the name has L1, and lengths include the FCS.
- Loads are packets per second of each direction; ratios are 0 to 1. [What the figures mean](measurement.md).
- *Optional* fields are omitted if they have no value. Unknown keys of a file are ignored.
- During a test the entries are in `FILE.part`: JSON lines after a header. `report` and `--recover` read it.
- From Python: `read_result` and `write_result` ([names](ci.md#names)).
"""

FORMER_KEYS = """\
wirespeed reads files with a lower schema number, too. They have the former keys, `machine` for
the limit or cause `host`, and `box` in place of `dut` in `description`. Outputs of `results` and `compare`
(`wirespeed-compare/3`) have `dut` in place of `box`. A generator sends its counters under both names
([protocol](develop/protocol.md)), and so does the router's [statistics segment](develop/statistics.md).
"""

TABLES = """\
## Tables of a report

`report --format csv|json` writes a row per direction, and one for the sum of several, with plain values. JSON also has
the verdict on each result in `verdicts`, by name. With results of several kinds, CSV has `kind` as its first column
and the columns of all kinds. JSON has a list per kind beside `rows`, Markdown a table per kind.

- `-f`, `--line`, `--only-channels` and `--include-disturbed` apply to load tests.
- `--layout matrix` has loads down and DUT × direction across, with a column per goal of a search.
- `--both each|sum200|sum100` selects how bidirectional tests are shown. `--row-label '64b=bench size=64'` or
  `'{size}b {vm}'` names the rows; `--charts PAGE.html` is the page that Markdown cells link to.
- `--layout nodes` has the cost of each node of each worker at each step, or at a tenth, half and all of a ramp. A
  worker's rows, including *outside nodes*, add up to 100 %.
"""

EVIDENCE = f"""\
## Evidence files

A YAML file of `schema: {SCHEMA}` holds figures from an article or a notebook, for
[`wirespeed explain`](explain.md). Contradicting figures are reported. Older files have `box` in place of `dut`.

Printed texts may contain quote marks of mails, HTML, Markdown tables, terminal colours, wrapped rows and blank lines.
`show runtime` is read in the forms of all VPP releases, with and without workers and rates. An unreadable row is
reported by line number, and a text of another kind under a key is refused. In a YAML block (`softirqs: |`) begin with
the command line (`$ cat /proc/softirqs`), since YAML takes the indent from the first line.
"""

_PLAIN: tuple[tuple[Any, str], ...] = (
    (Pps, "packets per second, e.g. `1.48Mpps`"),
    (Bps, "bits per second, e.g. `10G`"),
    (Bytes, "bytes, or `imix`"),
    (float, "number"),
    (int, "integer"),
    (str, "text"),
    (bool, "boolean"),
    (Any, "any value"),
    (Channel, "direction, e.g. `0→1`"),
)
_KEYS = {int: "port", Channel: "direction"}


@dataclass(frozen=True)
class _Field:
    """One key of a document. `name` is the attribute, by which docstrings refer to it."""

    key: str
    name: str
    hint: Any
    is_optional: bool = False


def result_format_page() -> str:
    sections = [
        "All kinds",
        *(about_of(name).file for name in kinds()),
        "Keys of older files",
        "Tables of a report",
        "Evidence files",
    ]
    lines = [INTRO, f"Sections: {', '.join(map(to_section, sections))}.", ""]
    told: set[type] = {Sample, MeasurementResult}
    head = {one.name for one in fields(MeasurementResult)} - {"variables"}
    lines += ["## All kinds", "", *_section(MeasurementResult, told)]
    for name in kinds():
        kind, about = class_of(name), about_of(name)
        lines += [f"## {about.file}", "", f"`schema` is `{kind.schema}`. {about.more}".rstrip(), ""]
        lines += _section(kind, told, without=head)
        if kind is LoadTestResult:
            lines += _sample(told)
    lines += [*_former(told), TABLES, *_tables(), EVIDENCE, *_section(EvidenceText, told)]
    return "\n".join([*lines, "`python -m manual references docs` writes this page from the code.", ""])


def _sample(told: set[type]) -> list[str]:
    lines = ["### Sample", "", "One interval of a test, and an entry of the journal.", "", *_head()]
    lines += [f"| `{key}` | {_linked(text)} |" for key, text in KEYS.items()]
    lines.append("")
    for kind in (PortSample, Order, Latency, Preemption, DutTelemetry):
        lines += _part(kind, told)
    return lines


def _former(kinds: Iterable[type]) -> list[str]:
    """Section on the keys of older files, and the present keys for them."""
    names = dict(FORMER)
    for kind in kinds:
        for name, hint in get_type_hints(kind, include_extras=True).items():
            if (stored := _stored(hint)).former:
                names[stored.key or name] = stored.former
    rows = [f"| `{old}` | `{new}` |" for new, old in sorted(names.items(), key=lambda one: one[::-1])]
    return ["## Keys of older files", "", FORMER_KEYS, "| older files | key |", "|---|---|", *rows, ""]


def _linked(text: str) -> str:
    return re.sub(r"\b(PortSample|DutTelemetry|Order|Latency|Preemption)\b", lambda at: _link(at[0]), text)


def _tables() -> Iterator[str]:
    lead, *others = (report_of(kind) for kind in kinds())
    ((row, _),) = lead.row_kinds.values()
    yield from ("Columns of a load test:", "", _columns(row), "", *_docstring(row), "")
    yield from ("| `kind` | JSON | row | columns in addition to `test` and `outcome` |", "|---|---|---|---|")
    rows = {name: row for shown in others for name, row in shown.row_kinds.items()}
    for name, (kind, about) in rows.items():
        yield f"| `{name}` | `{name}_rows` | {about} | {_columns(kind, ('test', 'outcome'))} |"
    yield ""
    for kind, _ in rows.values():
        yield from (*_docstring(kind), "")
    figure = Figure("forwarded", "held")
    verdict = Verdict("loadtest", "", (figure,))
    for title, value in (("A verdict", verdict), ("Each of its `figures`", figure)):
        yield from (f"{title} has `{' '.join(value.to_json())}`.", "")


def _columns(kind: type, without: Sequence[str] = ()) -> str:
    return f"`{' '.join(name for name in kind.__dataclass_fields__ if name not in without)}`"  # type: ignore[attr-defined]


def _section(kind: type, told: set[type], without: set[str] | None = None) -> list[str]:
    """Fields of a type at the top of a file, then a part for each type in them."""
    members = [one for one in _fields(kind) if one.name not in (without or ()) and one.name != "name"]
    lines = [*_docstring(kind), "", *_rows(members), ""]
    for one in members:
        for inner in _types_in(one.hint):
            lines += _part(inner, told)
    return lines


def _part(kind: type, told: set[type]) -> list[str]:
    if kind in told:
        return []
    told.add(kind)
    base = next((one for one in kind.__mro__[1:] if one in told), None)
    inherited = {one.name for one in fields(base)} if base is not None else set()
    members = [one for one in _fields(kind) if one.name not in inherited]
    lines = [f"### {kind.__name__}", "", *_docstring(kind), "", *_rows(members), ""]
    for one in members:
        for inner in _types_in(one.hint):
            lines += _part(inner, told)
    return lines


def _head() -> list[str]:
    return ["| key | value |", "|---|---|"]


def _rows(members: Sequence[_Field]) -> list[str]:
    return [*_head(), *map(_row, members)]


def _row(one: _Field) -> str:
    value = _value(one.hint)
    return (
        f"| `{one.key}` | {value.removesuffix(' or null')}; optional |"
        if one.is_optional
        else f"| `{one.key}` | {value} |"
    )


def _docstring(kind: type) -> list[str]:
    """Paragraphs of the docstring, in which keys of the file replace the names of attributes."""
    keys = {one.name: one.key for one in _fields(kind)}
    text = re.sub(r"`(\w+)`", lambda at: f"`{keys.get(at[1], at[1])}`", kind.__doc__ or "").replace("None", "null")
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    paragraphs += [" ".join((inner.__doc__ or "").split()) for inner in _inline(kind)]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph).split("\n")


def _fields(kind: type) -> Iterator[_Field]:
    hints = get_type_hints(kind, include_extras=True)
    if issubclass(kind, BaseModel):
        for name, one in kind.model_fields.items():
            yield _Field(one.alias or name, name, hints[name], not one.is_required())
        return
    for member in fields(kind):  # type: ignore[arg-type]
        hint, stored = hints[member.name], _stored(hints[member.name])
        if not stored.is_kept or stored.original:
            continue
        if stored.inline:
            inner = _without_none(get_args(hint)[0])
            yield from _fields(inner)
            continue
        yield _Field(stored.key or member.name, member.name, stored.shape or hint, stored.sparse)
    for key, attribute in getattr(kind, "also_stored", {}).items():
        yield _Field(key, key, _type_of(kind, attribute))


def _stored(hint: Any) -> Stored:
    marks = [mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Stored)]
    return marks[-1] if marks else Stored()


def _inline(kind: type) -> Iterator[type]:
    """Types of fields that are stored inline: their keys are keys of this type."""
    for hint in get_type_hints(kind, include_extras=True).values():
        if _stored(hint).inline:
            yield _without_none(get_args(hint)[0])


def _type_of(kind: type, attribute: str) -> Any:
    """Type of a property; `attribute` may name a property of a property (`a.b`)."""
    for name in attribute.split("."):
        kind = get_type_hints(getattr(kind, name).fget)["return"]
    return kind


def _types_in(hint: Any) -> Iterator[type]:
    """Types within `hint` that have fields."""
    if isinstance(hint, type) and (is_dataclass(hint) or issubclass(hint, BaseModel)) and hint is not Channel:
        yield hint
        return
    for inner in get_args(hint):
        yield from _types_in(inner)


def _value(hint: Any) -> str:
    origin, args = get_origin(hint), get_args(hint)
    for plain, text in _PLAIN:
        if hint == plain:
            return text
    if origin is Annotated:
        return _value(args[0])
    if origin in (Union, UnionType):
        return " or ".join("null" if one is NoneType else _value(one) for one in args)
    if origin is Literal:
        return _one_of(args)
    if origin is tuple:
        kinds = set(args) - {...}
        of = _value(kinds.pop())
        of = f"{of}s" if of in ("integer", "number", "text") else of
        return f"list of {of}" if args[-1] is ... else f"list of {len(args)} {of}"
    if origin is not None and issubclass(origin, Mapping):
        key = _one_of(get_args(args[0])) if get_origin(args[0]) is Literal else _KEYS.get(args[0], "name")
        return f"object: {key} → {_value(args[1])}"
    if issubclass(hint, StrEnum):
        return _one_of([one.value for one in hint])
    return _link(hint.__name__)


def _one_of(choices: Sequence[str]) -> str:
    *first, last = (f"`{one}`" for one in choices if one)
    return f"{', '.join(first)} or {last}" if first else last


def _without_none(hint: Any) -> Any:
    return next((one for one in get_args(hint) if one is not NoneType), hint) if NoneType in get_args(hint) else hint


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"
