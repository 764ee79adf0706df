"""`wirespeed corpus`: results of all kinds kept for good, and asked."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wirespeed.cli.options import BoxOption, NameOption
from wirespeed.cli.verbs import refuse_other_options
from wirespeed.errors import FileFault, UsageError

if TYPE_CHECKING:
    from wirespeed.corpus.corpus import Corpus
    from wirespeed.corpus.index import Found
    from wirespeed.results.box_names import BoxNames

_SHOWN = 50
_PIPED_COLUMNS = 160
_UNWANTED = "discard"
OPTION_VERBS = {
    "build": ("add",),
    "tag": ("add",),
    "remove": ("tag",),
    "sort": ("list", "query"),
    "best": ("query",),
    "rows": ("list", "query"),
    "title": ("site", "article"),
    "against": ("article",),
    "output": ("article",),
    "images": ("article",),
    "json": ("list", "query", "show"),
    "box": ("add",),
    "name": ("add",),
}
"""Verbs that take an option; the other options are for all of them."""


def command(
    what: Annotated[
        Literal["add", "list", "show", "query", "tag", "export", "site", "article", "verify", "gc"],
        typer.Argument(
            help="add FILE...: keep results, folders of them too; list [WORD...]: results; query [WORD...]: their "
            "figures; show ID: one result; tag TAG ID...; export DIR [WORD...]: the files again; site DIR "
            "[WORD...]: pages of them all; article BOX: a review of it, to be filled in; verify: look at every "
            f"file, and mend; gc: remove results tagged {_UNWANTED}, and leftovers."
        ),
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD...]", help="Of list, query, export, site: box=x limit=tester rate>=10M imix"),
    ] = None,
    *,
    corpus: Annotated[
        str,
        typer.Option(
            "--corpus",
            metavar="URL",
            help="A folder, or postgresql://USER@HOST/DATABASE?files=FOLDER.",
            show_default="$WIRESPEED_CORPUS or ~/.local/share/wirespeed/corpus",
        ),
    ] = "",
    build: Annotated[
        str, typer.Option("--build", metavar="NAME", help="add: what the box ran, such as a commit.")
    ] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="add: also tag them.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="tag: take the tag away.")] = False,
    sort: Annotated[
        str, typer.Option("--sort", metavar="[-]KEY", help="list, query: by this key, with - the most first.")
    ] = "",
    best: Annotated[
        str, typer.Option("--best", metavar="KEY", help="query: only the first of each box, version and so on.")
    ] = "",
    rows: Annotated[
        int | None, typer.Option("--rows", metavar="N", help="list, query: so many, 0 for all.", min=0)
    ] = None,
    title: Annotated[str, typer.Option("--title", help="site, article: its title.")] = "",
    against: Annotated[
        str, typer.Option("--against", metavar="BOX", help="article: another box to compare with.", show_default=False)
    ] = "",
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="article: file to write, - for standard output.", show_default="-"
        ),
    ] = "",
    images: Annotated[
        Path | None,
        typer.Option(
            "--images", metavar="DIR", help="article: draw its charts there, as PNG and SVG.", show_default=False
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="list, query, show: as JSON.")] = False,
    box: BoxOption = "",
    name: NameOption = None,
) -> int:
    """Keep results of all kinds for good, each once, and ask them.

    Exit codes: 2 a word that cannot be used; 4 the database is away (what was to be added waits in a spool and lands
    with the next command); 6 a file that is no result, or a corpus that is damaged or cannot be written.
    """
    from wirespeed.cli import corpus_pages as pages  # noqa: PLC0415 - a command starts fast
    from wirespeed.corpus.opening import open_corpus  # noqa: PLC0415
    from wirespeed.results.box_names import parse_names  # noqa: PLC0415

    refuse_other_options(command, OPTION_VERBS, what, locals())
    given = words or []
    _check(what, given)
    with open_corpus(corpus) as opened:
        match what:
            case "add":
                _add(opened, given, build, tuple(tag or ()), parse_names(box, name or ()))
            case "list" | "query":
                _print(what, _found(opened, what, given, sort, best, _SHOWN if rows is None else rows), json)
            case "show":
                _show(opened, given[0], json)
            case "tag":
                _tag(opened, given[0], given[1:], remove=remove)
            case "export":
                _export(opened, Path(given[0]), given[1:])
            case "site":
                pages.write_site(opened, Path(given[0]), given[1:], title)
            case "article":
                pages.write_article(opened, given[0], against, title, output or "-", images)
            case "verify":
                return _verify(opened)
            case "gc":
                removed, swept = opened.collect_garbage(_UNWANTED)
                print(f"{_count(removed, 'result')} tagged {_UNWANTED} and {_count(swept, 'leftover')} removed")
    return 0


def _check(what: str, given: Sequence[str]) -> None:
    least = {"add": 1, "show": 1, "tag": 2, "export": 1, "site": 1, "article": 1}.get(what, 0)
    most = {"show": 1, "article": 1, "verify": 0, "gc": 0}.get(what)
    takes = {
        "add": "FILE...",
        "show": "ID",
        "tag": "TAG ID...",
        "export": "DIR [WORD...]",
        "site": "DIR [WORD...]",
        "article": "BOX",
    }.get(what, "no word")
    if len(given) < least or (most is not None and len(given) > most):
        raise UsageError(f"corpus {what} takes {takes}; see wirespeed corpus --help")


def _add(corpus: Corpus, given: Sequence[str], build: str, tags: tuple[str, ...], names: BoxNames) -> None:
    from wirespeed.errors import ConnectionFault  # noqa: PLC0415

    def on_batch(behind: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{behind} files", end="", file=sys.stderr, flush=True)

    added = corpus.add(_files(given), build, tags, names, on_batch)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    for reason in added.refused:
        print(reason, file=sys.stderr)
    print(f"{_count(added.new, 'result')} added to {corpus.place.name}, {added.known} were there")
    if added.waiting:
        raise ConnectionFault(f"{added.why}; {_count(added.waiting, 'result')} wait in {corpus.place.folder / 'spool'}")
    if added.refused:
        raise FileFault(f"{_count(len(added.refused), 'file')} could not be added")


def _files(given: Sequence[str]) -> Iterator[Path]:
    """The files named, and of a folder the results in it and below."""
    for path in map(Path, given):
        if path.is_dir():
            yield from sorted(path.rglob("*.json"))
        else:
            yield path


def _found(corpus: Corpus, what: str, words: Sequence[str], sort: str, best: str, rows: int) -> Found:
    from wirespeed.corpus.words import OF_FIGURES, parse_key, parse_words  # noqa: PLC0415

    conditions = parse_words(words)
    key = parse_key(sort.removeprefix("-"), "--sort") if sort else ""
    if what == "list":
        if key in OF_FIGURES:
            raise UsageError(f"--sort {key}: a list is of results; sort figures with query")
        return corpus.index.results(conditions, sort or "-started", rows or None)
    return corpus.index.figures(conditions, sort or "-rate", best and parse_key(best, "--best"), rows or None)


def _print(what: str, found: Found, as_json: bool) -> None:
    from wirespeed.corpus import text  # noqa: PLC0415
    from wirespeed.tables import print_table  # noqa: PLC0415

    if as_json:
        print(text.as_json(found.rows))
        return
    if what == "list":
        print_table(text.RESULT_HEAD, map(text.result_cells, found.rows), whole="id", piped=_PIPED_COLUMNS)
    else:
        print_table(text.FIGURE_HEAD, map(text.figure_cells, found.rows), ("rate", "pps/W"), "id", _PIPED_COLUMNS)
    left = found.total - len(found.rows)
    print(f"{len(found.rows)} of {found.total}{'; --rows 0 shows all' if left else ''}")


def _show(corpus: Corpus, name: str, as_json: bool) -> None:
    from wirespeed.corpus import text  # noqa: PLC0415
    from wirespeed.corpus.words import Condition  # noqa: PLC0415

    digest = corpus.the_only(name)
    condition = (Condition("id", "=", digest),)
    row: Mapping[str, Any] = corpus.index.results(condition).rows[0]
    figures = corpus.index.figures(condition).rows
    if as_json:
        print(text.as_json(figures or [row]))
        return
    for line in text.shown(row, figures, str(corpus.store.path(digest))):
        print(line)


def _tag(corpus: Corpus, tag: str, names: Sequence[str], *, remove: bool) -> None:
    digests = [corpus.the_only(name) for name in names]
    if remove:
        corpus.index.untag(digests, tag)
    else:
        corpus.index.tag(digests, tag)
    print(f"{_count(len(digests), 'result')} {'without' if remove else 'tagged'} {tag}")


def _export(corpus: Corpus, directory: Path, words: Sequence[str]) -> None:
    from wirespeed.corpus.words import parse_words  # noqa: PLC0415

    digests = [row["digest"] for row in corpus.index.results(parse_words(words), "started").rows]
    print(f"{_count(corpus.export(digests, directory), 'result')} written to {directory}")


def _verify(corpus: Corpus) -> int:
    found = corpus.verify()
    for title in found.unindexed:
        print(f"{title} was in no index; it is now")
    for digest in found.returned:
        print(f"{digest[:12]} has its file again")
    for reason in found.damaged:
        print(reason, file=sys.stderr)
    for digest in found.missing:
        print(f"{digest[:12]}: its file {corpus.store.path(digest)} is missing", file=sys.stderr)
    print(f"{_count(found.results, 'result')} of {corpus.place.name} are whole")
    if not found.is_whole:
        raise FileFault(
            f"{len(found.missing)} files are missing and {len(found.damaged)} were damaged: put them back from a copy "
            "and verify again, or add the results again"
        )
    return 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
