"""`wirespeed compare`: results against results, with how sure that is; a series as plateaus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wirespeed.cli.options import DutNameOption, NameOption
from wirespeed.corpus.place import own_corpus
from wirespeed.errors import FileFault, UsageError
from wirespeed.units import parse_percent

if TYPE_CHECKING:
    from wirespeed.compare.comparison import Comparison
    from wirespeed.compare.sides import Side
    from wirespeed.results.dut_names import DutNames
    from wirespeed.results.measurement import MeasurementResult

OPTIONAL_VALUES = {"--archive": own_corpus()}

WORSE, UNCLEAR = 7, 8
"""Exit codes: something is worse; something cannot be told, where --strict asks for that."""


def command(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="A B | FILE...",
            help="Two result files or folders of results, each with any number of repeats, or names in an archive: a "
            "tag, a build (such as a commit, or its beginning), a title. With --trend a series: files, or the archive.",
        ),
    ] = None,
    *,
    corpus: Annotated[
        str,
        typer.Option(
            "--archive",
            metavar="[URL]",
            help="Archive of the names. With --trend, the series is all of it, or what the filters select.",
            show_default="your own",
        ),
    ] = "",
    equivalence: Annotated[
        str, typer.Option("--equivalence", metavar="RATIO", help="Differences up to this ratio count as none.")
    ] = "1%",
    confidence: Annotated[
        str, typer.Option("--confidence", metavar="PERCENT", help="Confidence level of the intervals.")
    ] = "95%",
    control: Annotated[
        str,
        typer.Option(
            "--control",
            metavar="LOAD",
            help="Control tests have this text in their load. Their change is the testbed's; it is subtracted from the "
            "others.",
            show_default=False,
        ),
    ] = "",
    trend: Annotated[
        bool, typer.Option("--trend", help="Group a series, in the order given, into plateaus; name the steps.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 8 if a verdict is inconclusive.")] = False,
    form: Annotated[Literal["text", "md", "csv", "json"], typer.Option("--format", help="Output format.")] = "text",
    dut_name: DutNameOption = "",
    name: NameOption = None,
) -> int:
    """Report for each test whether B is better than A, worse or the same, or how many more repeats are needed. Exit
    code 7: a test is worse."""
    from wirespeed.results.dut_names import parse_names  # noqa: PLC0415 - a command starts fast

    same, sure = parse_percent(equivalence, "--equivalence"), parse_percent(confidence, "--confidence")
    if not 0.0001 <= same <= 0.5:
        raise UsageError(f"--equivalence {equivalence}: give 0.01% to 50%")
    if not 0.5 <= sure <= 0.9999:
        raise UsageError(f"--confidence {confidence}: give 50% to 99.99%")
    names, duts = what or [], parse_names(dut_name, name or ())
    if trend:
        return _trend(names, corpus, duts)
    if len(names) != 2:
        raise UsageError(f"give two results or folders of results to compare, not {len(names)}; a series takes --trend")
    from wirespeed.compare.comparison import compare  # noqa: PLC0415
    from wirespeed.compare.sides import facing  # noqa: PLC0415

    a, b = (_side(one, corpus, duts) for one in names)
    compared = compare(*facing(a, b), same, sure, control)
    _print(compared, form, same, sure)
    if compared.count("worse"):
        return WORSE
    return UNCLEAR if strict and compared.count("cannot tell") else 0


def _print(compared: Comparison, form: str, within: float, confidence: float) -> None:
    from wirespeed.compare import text  # noqa: PLC0415

    if form != "text":
        written = {
            "md": lambda: text.markdown(compared, within),
            "csv": lambda: text.as_csv(compared),
            "json": lambda: text.as_json(compared, within, confidence),
        }[form]()
        print(written, end="")
        return
    from wirespeed.results.figures import difference_text  # noqa: PLC0415
    from wirespeed.tables import print_grid  # noqa: PLC0415

    print_grid(text.table(compared, within))
    if compared.control is not None:
        print(f"the control moved by {difference_text(compared.control)}, which is taken off the others")


def _side(name: str, corpus: str, duts: DutNames) -> Side:
    """A file, a folder, or what a corpus has under a name."""
    from wirespeed.compare.sides import read_side, side_of  # noqa: PLC0415

    if Path(name).exists():
        return read_side(Path(name), duts)
    if not corpus and ("/" in name or name.endswith(".json")):
        return read_side(Path(name), duts)  # which says what is wrong with it
    from wirespeed.corpus.opening import open_corpus  # noqa: PLC0415

    with open_corpus(corpus, make=False) as opened:
        digests = opened.index.named(name)
        if not digests:
            raise FileFault(
                f"{name!r} is not a file, tag, build or title of archive {opened.place.name}; wirespeed results list "
                "shows what there is"
            )
        return side_of(name, opened.results(digests))


def _trend(names: list[str], corpus: str, duts: DutNames) -> int:
    from wirespeed.compare.plateaus import plateaus  # noqa: PLC0415
    from wirespeed.compare.text import trend_lines  # noqa: PLC0415
    from wirespeed.explain.verdicts import verdict_of  # noqa: PLC0415
    from wirespeed.results.subjects import dut_of, figures  # noqa: PLC0415

    series: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for name, result in _of_corpus(names, corpus) if corpus else _of_files(names, duts):
        for subject, value in figures(result, verdict_of(result)):
            if not value.irregular:
                series.setdefault((dut_of(result), subject.title), []).append((name, value.rate_pps))
    if not series:
        raise UsageError("give two or more results whose rates make a series")
    several = len({dut for dut, _ in series}) > 1
    for (dut, title), values in series.items():
        stems, rates = [stem for stem, _ in values], [rate for _, rate in values]
        print(f"{title}{f', through {dut}' if several else ''}")
        for line in trend_lines(stems, plateaus(rates)):
            print(f"  {line}")
    return 0


def _of_files(names: list[str], duts: DutNames) -> Iterator[tuple[str, MeasurementResult]]:
    from wirespeed.compare.sides import files_of  # noqa: PLC0415
    from wirespeed.measurement.file import read_file  # noqa: PLC0415

    for file in [file for name in names for file in files_of(Path(name))]:
        yield file.stem, duts.named(read_file(file), file)


def _of_corpus(words: list[str], corpus: str) -> Iterator[tuple[str, MeasurementResult]]:
    """In the order in which they were measured, each called by its build."""
    from wirespeed.corpus.opening import open_corpus  # noqa: PLC0415
    from wirespeed.corpus.words import parse_words  # noqa: PLC0415

    with open_corpus(corpus, make=False) as opened:
        rows = opened.index.results((*parse_words(words), *parse_words(["kind!=inspect"])), "started").rows
        for row, result in zip(rows, opened.results([row["digest"] for row in rows]), strict=True):
            yield row["build"] or row["title"], result
