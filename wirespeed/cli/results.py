"""`wirespeed results`: a searchable archive of results of all kinds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wirespeed.cli.options import DutNameOption, NameOption
from wirespeed.errors import FileFault, UsageError
from wirespeed.pages.words import count

if TYPE_CHECKING:
    from wirespeed.corpus.corpus import Corpus
    from wirespeed.corpus.index import Found
    from wirespeed.results.dut_names import DutNames

_SHOWN = 50
_PIPED_COLUMNS = 160
_UNWANTED = "discard"
HELP = """Store results of all kinds in an archive, each once, and search it.

Exit codes: 2 an invalid argument; 4 the database is unreachable (new results wait in a spool, and the next command
stores them); 6 a file that is not a result, or an archive that is damaged or cannot be written."""

_Place = Annotated[
    str,
    typer.Option(
        "--archive",
        metavar="URL",
        help="A folder, or postgresql://USER@HOST/DATABASE?files=FOLDER.",
        show_default="$WIRESPEED_RESULTS or ~/.local/share/wirespeed/corpus",
    ),
]
_Words = Annotated[
    list[str] | None, typer.Argument(metavar="[WORD...]", help="Filters, e.g. dut=x limit=tester rate>=10M imix.")
]
_Sort = Annotated[str, typer.Option("--sort", metavar="[-]KEY", help="Sort by this key; with -, highest first.")]
_Rows = Annotated[int, typer.Option("--rows", metavar="N", help="Number of rows; 0 shows all.", min=0)]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Title = Annotated[str, typer.Option("--title", metavar="TEXT", help="Title of the page.")]


def add(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Result files, or folders of them.")],
    *,
    corpus: _Place = "",
    build: Annotated[str, typer.Option("--build", metavar="NAME", help="Build that the DUT ran, e.g. a commit.")] = "",
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Tag for the results; repeatable.")
    ] = None,
    dut_name: DutNameOption = "",
    name: NameOption = None,
) -> None:
    """Store results."""
    from wirespeed.results.dut_names import parse_names  # noqa: PLC0415 - a command starts fast

    with _opened(corpus, make=True) as opened:
        _add(opened, files, build, tuple(tag or ()), parse_names(dut_name, name or ()))


def list_results(
    words: _Words = None, *, corpus: _Place = "", sort: _Sort = "", rows: _Rows = _SHOWN, json: _Json = False
) -> None:
    """List results, each with the figure and mark of its verdict."""
    with _opened(corpus) as opened:
        _print("list", _found(opened, "list", words or [], sort, "", rows), json)


def query(
    words: _Words = None,
    *,
    corpus: _Place = "",
    sort: _Sort = "",
    best: Annotated[
        str, typer.Option("--best", metavar="KEY", help="Show only the first row per value of this key, e.g. version.")
    ] = "",
    rows: _Rows = _SHOWN,
    json: _Json = False,
) -> None:
    """List the figures of results."""
    with _opened(corpus) as opened:
        _print("query", _found(opened, "query", words or [], sort, best, rows), json)


def show(
    result: Annotated[str, typer.Argument(metavar="ID", help="Id of the result.")],
    *,
    corpus: _Place = "",
    json: _Json = False,
) -> None:
    """Show one result."""
    with _opened(corpus) as opened:
        _show(opened, result, json)


def tag(
    tag: Annotated[str, typer.Argument(metavar="TAG", help=f"The tag. `gc` removes results tagged {_UNWANTED}.")],
    results: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of the results.")],
    *,
    corpus: _Place = "",
    remove: Annotated[bool, typer.Option("--remove", help="Remove the tag.")] = False,
) -> None:
    """Tag results."""
    with _opened(corpus) as opened:
        _tag(opened, tag, results, remove=remove)


def export(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the files.")],
    words: _Words = None,
    *,
    corpus: _Place = "",
) -> None:
    """Write the files of results to a folder."""
    with _opened(corpus) as opened:
        _export(opened, directory, words or [])


def site(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the site.")],
    words: _Words = None,
    *,
    corpus: _Place = "",
    title: _Title = "",
) -> None:
    """Write a static site of results."""
    from wirespeed.cli import corpus_pages as pages  # noqa: PLC0415 - a command starts fast

    with _opened(corpus) as opened:
        pages.write_site(opened, directory, words or [], title)


def article(
    dut: Annotated[str, typer.Argument(metavar="DUT", help="Name of the DUT.")],
    *,
    corpus: _Place = "",
    title: _Title = "",
    against: Annotated[
        str, typer.Option("--against", metavar="DUT", help="Another DUT to compare with.", show_default=False)
    ] = "",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="File to write, - for standard output.")
    ] = "-",
    images: Annotated[
        Path | None,
        typer.Option(
            "--images", metavar="DIR", help="Write its charts to this folder, as PNG and SVG.", show_default=False
        ),
    ] = None,
) -> None:
    """Write the draft of a review of a DUT."""
    from wirespeed.cli import corpus_pages as pages  # noqa: PLC0415 - a command starts fast

    with _opened(corpus) as opened:
        pages.write_article(opened, dut, against, title, output, images)


def verify(*, corpus: _Place = "") -> int:
    """Check every file, and repair the index."""
    with _opened(corpus) as opened:
        return _verify(opened)


def collect_garbage(*, corpus: _Place = "") -> None:
    """Remove results tagged discard, and leftovers."""
    with _opened(corpus) as opened:
        removed, swept = opened.collect_garbage(_UNWANTED)
    print(f"{count(removed, 'result')} tagged {_UNWANTED} and {count(swept, 'leftover')} removed")


VERBS: dict[str, Callable[..., Any]] = {
    "add": add,
    "list": list_results,
    "query": query,
    "show": show,
    "tag": tag,
    "export": export,
    "site": site,
    "article": article,
    "verify": verify,
    "gc": collect_garbage,
}


def _opened(corpus: str, *, make: bool = False) -> AbstractContextManager[Corpus]:
    from wirespeed.corpus.opening import open_corpus  # noqa: PLC0415 - a command starts fast

    return open_corpus(corpus, make=make)


def _add(corpus: Corpus, paths: Sequence[str], build: str, tags: tuple[str, ...], names: DutNames) -> None:
    from wirespeed.compare.sides import files_of  # noqa: PLC0415
    from wirespeed.errors import ConnectionFault  # noqa: PLC0415

    def on_batch(behind: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{behind} files", end="", file=sys.stderr, flush=True)

    files = [file for path in paths for file in files_of(Path(path), below=True)]
    added = corpus.add(files, build, tags, names, on_batch)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    for reason in added.refused:
        print(reason, file=sys.stderr)
    print(f"{count(added.new, 'result')} added to {corpus.place.name}, {added.known} were there")
    if added.waiting:
        raise ConnectionFault(
            f"{added.why}; {count(added.waiting, 'result')} wait in {corpus.place.folder / 'spool'}; the next command "
            "stores them"
        )
    if added.refused:
        raise FileFault(f"{count(len(added.refused), 'file')} could not be added")


def _found(corpus: Corpus, what: str, words: Sequence[str], sort: str, best: str, rows: int) -> Found:
    from wirespeed.corpus.words import OF_FIGURES, parse_key, parse_words  # noqa: PLC0415

    conditions = parse_words(words)
    key = parse_key(sort.removeprefix("-"), "--sort") if sort else ""
    sort = f"-{key}" if sort.startswith("-") else key
    if what == "list":
        if key in OF_FIGURES:
            raise UsageError(f"--sort {key} sorts figures, and list shows results; use wirespeed results query")
        return corpus.index.listed(conditions, sort or "-started", rows or None)
    return corpus.index.figures(conditions, sort or "-rate", best and parse_key(best, "--best"), rows or None)


def _print(what: str, listing: Found, as_json: bool) -> None:
    from wirespeed.corpus import text  # noqa: PLC0415
    from wirespeed.tables import print_grid  # noqa: PLC0415

    if as_json:
        print(text.as_json(listing.rows))
        return
    if what == "list":
        print_grid(text.results_grid(listing.rows), whole="id", piped=_PIPED_COLUMNS)
    else:
        print_grid(text.figures_grid(listing.rows), whole="id", piped=_PIPED_COLUMNS)
    left = listing.total - len(listing.rows)
    print(f"{len(listing.rows)} of {listing.total}{'; --rows 0 shows all' if left else ''}")


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
    print(f"{count(len(digests), 'result')} {'without' if remove else 'tagged'} {tag}")


def _export(corpus: Corpus, directory: Path, words: Sequence[str]) -> None:
    from wirespeed.corpus.words import parse_words  # noqa: PLC0415

    digests = [row["digest"] for row in corpus.index.results(parse_words(words), "started").rows]
    print(f"{count(corpus.export(digests, directory), 'result')} written to {directory}")


def _verify(corpus: Corpus) -> int:
    check = corpus.verify()
    for title in check.unindexed:
        print(f"{title} was in no index; it is now")
    for digest in check.returned:
        print(f"{digest[:12]} has its file again")
    for reason in check.damaged:
        print(reason, file=sys.stderr)
    for digest in check.missing:
        print(f"{digest[:12]}: its file {corpus.store.path(digest)} is missing", file=sys.stderr)
    print(f"{count(check.results, 'result')} of {corpus.place.name} are whole")
    if not check.is_whole:
        raise FileFault(
            f"{len(check.missing)} files are missing and {len(check.damaged)} were damaged: restore them from a copy "
            "and verify again, or add the results again"
        )
    return 0
