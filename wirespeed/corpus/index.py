"""The index of a corpus: rows of results, their figures and tags, asked by conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Select,
    Table,
    and_,
    delete,
    false,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import ColumnElement

from wirespeed.corpus.entry import IndexEntry
from wirespeed.corpus.place import CorpusPlace
from wirespeed.corpus.schema import fault_of, open_index, writing
from wirespeed.corpus.tables import FIGURES, RESULTS, TAGS, WORDS
from wirespeed.corpus.words import NUMBERS, OF_FIGURES, TEXTS, Condition, patterns_of

_BY_NUMBER = ("", "tag")
"""Keys of conditions that need no column of a result but its number: a word alone and a tag."""
_ESCAPE = "\\"
_MOST_IN = 500
"""Values of one IN: SQLite takes 32 766 parameters."""


@dataclass(frozen=True)
class IndexRow:
    """A result to be indexed. `build` is the commit or the like that the DUT ran, if known."""

    digest: str
    entry: IndexEntry
    build: str
    size: int
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """Result of a query: `rows` by column, and the number of rows in all."""

    rows: tuple[Mapping[str, Any], ...]
    total: int


class Index:
    def __init__(self, place: CorpusPlace) -> None:
        """Raises the errors of open_index."""
        self.place = place
        self._engine: Engine = open_index(place)

    def close(self) -> None:
        self._engine.dispose()

    def add(self, rows: Sequence[IndexRow]) -> int:
        """Index results, each once; returns the number of new ones. An existing result gets the build, if it has none,
        and the tags."""
        rows = sorted({row.digest: row for row in rows}.values(), key=lambda row: row.digest)
        with self._writing() as connection:
            new: dict[str, int] = {}
            if rows:
                made = self._insert(RESULTS).on_conflict_do_nothing().returning(RESULTS.c.digest, RESULTS.c.id)
                found = connection.execute(made, list(map(_values, rows)))
                new = {row.digest: row.id for row in found}
            figures = [
                {"result_id": new[row.digest], **_figure(figure)}
                for row in rows
                if row.digest in new
                for figure in row.entry.figures
            ]
            if figures:
                connection.execute(insert(FIGURES), figures)
            words = [{"result_id": new[row.digest], "text": _words(row)} for row in rows if row.digest in new]
            if words:
                connection.execute(insert(WORDS), words)
            known = [row for row in rows if row.digest not in new]
            for build in sorted({row.build for row in known}):
                self._complete(connection, [row.digest for row in known if row.build == build], build)
            self._tag(connection, [(row.digest, tag) for row in rows for tag in row.tags])
        return len(new)

    def complete(self, digests: Sequence[str], build: str, tags: Sequence[str]) -> None:
        """Results that the index has get the build, if they have none, and the tags."""
        with self._writing() as connection:
            self._complete(connection, digests, build)
            self._tag(connection, [(digest, tag) for digest in digests for tag in tags])

    def _complete(self, connection: Connection, digests: Sequence[str], build: str) -> None:
        """Results that were there now have their file, and their build if it was unknown."""
        for some in _pieces(digests):
            there = RESULTS.c.digest.in_(some)
            if build:
                unbuilt = and_(there, RESULTS.c.build == "")
                text = update(WORDS).where(WORDS.c.result_id.in_(select(RESULTS.c.id).where(unbuilt)))
                connection.execute(text.values(text=WORDS.c.text + f"\n{build.lower()}"))
                connection.execute(update(RESULTS).where(unbuilt).values(build=build))
            connection.execute(update(RESULTS).where(there, RESULTS.c.is_missing).values(is_missing=False))

    def tag(self, digests: Sequence[str], tag: str) -> None:
        with self._writing() as connection:
            self._tag(connection, [(digest, tag) for digest in digests])

    def untag(self, digests: Sequence[str], tag: str) -> None:
        with self._writing() as connection:
            for some in _pieces(digests):
                ids = select(RESULTS.c.id).where(RESULTS.c.digest.in_(some))
                connection.execute(delete(TAGS).where(TAGS.c.tag == tag, TAGS.c.result_id.in_(ids)))

    def _tag(self, connection: Connection, wanted: Sequence[tuple[str, str]]) -> None:
        for some in _pieces(wanted):
            asked = select(RESULTS.c.digest, RESULTS.c.id).where(RESULTS.c.digest.in_([digest for digest, _ in some]))
            ids = {row.digest: row.id for row in connection.execute(asked)}
            rows = [{"result_id": ids[digest], "tag": tag} for digest, tag in some if digest in ids]
            if rows:
                connection.execute(self._insert(TAGS).on_conflict_do_nothing(), rows)

    def results(self, conditions: Sequence[Condition], sort: str = "-started", most: int | None = None) -> Found:
        """Results that meet all conditions, those of figures by any of theirs; each with its `tags`."""
        number = RESULTS.c.id
        of_figures = [_clause(one, number) for one in conditions if one.key in OF_FIGURES]
        keys = select(number).where(*(_clause(one, number) for one in conditions if one.key not in OF_FIGURES))
        if of_figures:
            keys = keys.where(select(FIGURES.c.id).where(FIGURES.c.result_id == number, *of_figures).exists())
        return self._found(select(RESULTS), keys, _order(sort, number), most)

    def listed(self, conditions: Sequence[Condition], sort: str = "-started", most: int | None = None) -> Found:
        """Results as `results` finds them; `headline` is the first of the figures of each, None without a rate."""
        listing, first = self.results(conditions, sort, most), dict[int, Mapping[str, Any]]()
        columns = [column for column in FIGURES.c if column.name != "id"]
        with self._reading() as connection:
            for some in _pieces([row["id"] for row in listing.rows]):
                of_these = select(func.min(FIGURES.c.id)).where(FIGURES.c.result_id.in_(some))
                asked = select(*columns).where(FIGURES.c.id.in_(of_these.group_by(FIGURES.c.result_id)))
                for row in connection.execute(asked).mappings():
                    figure = dict(row)
                    first[figure.pop("result_id")] = figure
        return Found(tuple({**row, "headline": first.get(row["id"])} for row in listing.rows), listing.total)

    def figures(
        self, conditions: Sequence[Condition], sort: str = "-rate", best: str = "", most: int | None = None
    ) -> Found:
        """Figures whose results and themselves meet all conditions; with `best` only the first of each value of that
        key."""
        columns = [*RESULTS.c, *(column for column in FIGURES.c if column.name not in ("id", "result_id"))]
        number = FIGURES.c.result_id
        every = select(FIGURES.c.id)
        if {sort.lstrip("-"), best, *(one.key for one in conditions)} - {*OF_FIGURES, *_BY_NUMBER}:
            every = every.join_from(FIGURES, RESULTS)
        keys = every.where(*(_clause(one, number) for one in conditions))
        order = [*_order(sort, number), FIGURES.c.id]
        if best:
            place = func.row_number().over(partition_by=_column(best), order_by=order).label("place")
            ranked = keys.add_columns(place).subquery()
            keys = every.where(FIGURES.c.id.in_(select(ranked.c.id).where(ranked.c.place == 1)))
        return self._found(select(*columns).join_from(RESULTS, FIGURES), keys, order, most)

    def digests(self, *, missing: bool | None = None) -> set[str]:
        """Digests of all results, or only of those whose file is missing, or is not."""
        asked = select(RESULTS.c.digest)
        with self._reading() as connection:
            return set(
                connection.execute(asked if missing is None else asked.where(RESULTS.c.is_missing == missing)).scalars()
            )

    def indexed(self, digests: Sequence[str]) -> set[str]:
        """The digests among these whose results are in the index."""
        with self._reading() as connection:
            asked = (select(RESULTS.c.digest).where(RESULTS.c.digest.in_(some)) for some in _pieces(digests))
            return {digest for some in asked for digest in connection.execute(some).scalars()}

    def named(self, name: str) -> list[str]:
        """Digests of the results with this tag, build, beginning of a build (as of a commit), title, or beginning of a
        digest: of the first of these that there are, the oldest first."""
        tagged = RESULTS.c.id.in_(select(TAGS.c.result_id).where(TAGS.c.tag == name))
        begins = len(name) >= 4
        ways = [
            tagged,
            RESULTS.c.build == name,
            RESULTS.c.build.startswith(name, autoescape=True) if begins else false(),
            RESULTS.c.title == name,
            RESULTS.c.digest.startswith(name, autoescape=True) if begins else false(),
        ]
        with self._reading() as connection:
            for way in ways:
                asked = select(RESULTS.c.digest).where(way).order_by(RESULTS.c.started, RESULTS.c.id)
                if found := list(connection.execute(asked).scalars()):
                    return found
        return []

    def mark_missing(self, digests: Iterable[str]) -> None:
        with self._writing() as connection:
            for some in _pieces(sorted(digests)):
                connection.execute(update(RESULTS).where(RESULTS.c.digest.in_(some)).values(is_missing=True))

    def remove(self, digests: Sequence[str]) -> None:
        """Forget results, their figures and tags."""
        with self._writing() as connection:
            for some in _pieces(digests):
                connection.execute(delete(RESULTS).where(RESULTS.c.digest.in_(some)))

    def _found(
        self, every: Select[Any], keys: Select[Any], order: Sequence[ColumnElement[Any]], most: int | None
    ) -> Found:
        """The first `most` rows of `every` that have one of `keys`, which are found by themselves: rows are long."""
        (key,) = keys.selected_columns
        total = select(func.count()).select_from(keys.subquery()).scalar_subquery().label("total")
        asked = every.add_columns(total).where(key.in_(keys.order_by(*order).limit(most))).order_by(*order)
        with self._reading() as connection:
            rows = [dict(row) for row in connection.execute(asked).mappings()]
            tags = self._tags(connection, [row["id"] for row in rows])
        totals = [row.pop("total") for row in rows]
        return Found(tuple(row | {"tags": tags.get(row["id"], ())} for row in rows), max(totals, default=0))

    def _tags(self, connection: Connection, ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
        tags: dict[int, tuple[str, ...]] = {}
        for some in _pieces(sorted(set(ids))):
            asked = select(TAGS.c.result_id, TAGS.c.tag).where(TAGS.c.result_id.in_(some)).order_by(TAGS.c.tag)
            for number, tag in connection.execute(asked):
                tags[number] = (*tags.get(number, ()), tag)
        return tags

    def _insert(self, table: Table) -> Any:
        """An INSERT of the dialect, which can say what to do about an existing row."""
        return import_module(f"sqlalchemy.dialects.{self._engine.dialect.name}").insert(table)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        try:
            with writing(self._engine) as connection:
                yield connection
        except DBAPIError as error:
            raise fault_of(error, self.place) from None

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except DBAPIError as error:
            raise fault_of(error, self.place) from None


def _values(row: IndexRow) -> dict[str, Any]:
    facts = {name: value for name, value in vars(row.entry).items() if name != "figures"}
    return {**facts, "digest": row.digest, "build": row.build, "bytes": row.size, "is_missing": False}


def _words(row: IndexRow) -> str:
    """Text in which `results list WORD` searches, besides tags."""
    entry = row.entry
    return "\n".join((entry.title, entry.dut, entry.version, row.build, entry.load)).lower()


def _figure(figure: Any) -> dict[str, Any]:
    return {("figure" if name == "name" else name): value for name, value in vars(figure).items()}


def _column(key: str) -> Column[Any]:
    name = TEXTS.get(key) or NUMBERS[key]
    return FIGURES.c[name] if key in OF_FIGURES else RESULTS.c[name]


def _order(sort: str, number: Column[Any]) -> list[ColumnElement[Any]]:
    """By a key, from the most down with a leading minus; what has none comes last, and ties stand as they came."""
    column = _column(sort.lstrip("-"))
    first: ColumnElement[Any] = column.desc() if sort.startswith("-") else column.asc()
    return [first.nulls_last(), number]


def _clause(condition: Condition, number: Column[Any]) -> ColumnElement[bool]:
    """`number` is the column of the result's number: RESULTS.c.id, or that of figures."""
    if not condition.key:
        word = str(condition.value)
        named = select(WORDS.c.result_id).where(WORDS.c.text.contains(word.lower(), autoescape=True))
        return number.in_(select(named.union_all(_tagged(f"%{_escaped(word)}%")).cte()))
    if condition.key in NUMBERS:
        return _compared(_column(condition.key), condition)
    if condition.key == "tag":
        tagged = number.in_(_tagged(_pattern(str(condition.value))))
        return not_(tagged) if condition.relation == "!=" else tagged
    column = _column(condition.key)
    if condition.key == "id":
        starts = column.startswith(str(condition.value).lower(), autoescape=True)
        return not_(starts) if condition.relation == "!=" else starts
    if condition.relation in (">=", "<="):
        return _compared(column, condition)
    alike = or_(*(column.ilike(_pattern(text), escape=_ESCAPE) for text in patterns_of(condition)))
    return not_(alike) if condition.relation == "!=" else alike


def _compared(column: Column[Any], condition: Condition) -> ColumnElement[bool]:
    match condition.relation:
        case ">=":
            return column >= condition.value
        case "<=":
            # To the end of a day that is given: 2026-11-23 is before 2026-11-23T09:00.
            return column <= (f"{condition.value}~" if isinstance(condition.value, str) else condition.value)
        case "!=":
            return column != condition.value
        case _:
            return and_(column >= condition.value, column <= condition.value)


def _tagged(pattern: str) -> Select[Any]:
    """Numbers of the results with such a tag. Each tag is looked up once, by its index: many results have the same."""
    tags = select(func.min(TAGS.c.tag).label("tag")).cte(recursive=True)
    following = select(func.min(TAGS.c.tag)).where(TAGS.c.tag > tags.c.tag).scalar_subquery()
    tags = tags.union_all(select(following).where(tags.c.tag.is_not(None)))
    alike = select(tags.c.tag).where(tags.c.tag.ilike(pattern, escape=_ESCAPE))
    return select(TAGS.c.result_id).where(TAGS.c.tag.in_(alike))


def _pattern(glob: str) -> str:
    return _escaped(glob).replace("*", "%")


def _escaped(value: str) -> str:
    return value.replace(_ESCAPE, _ESCAPE * 2).replace("%", f"{_ESCAPE}%").replace("_", f"{_ESCAPE}_")


def _pieces(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for first in range(0, len(values), _MOST_IN):
        yield values[first : first + _MOST_IN]
