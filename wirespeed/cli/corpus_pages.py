"""`wirespeed results site` and `article`: what a corpus has, for readers."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.errors import FileFault

if TYPE_CHECKING:
    from wirespeed.corpus.corpus import Corpus

_TITLE = "Load tests"


def write_site(corpus: Corpus, directory: Path, words: Sequence[str], title: str) -> None:
    from wirespeed.corpus.words import parse_words  # noqa: PLC0415 - a command starts fast
    from wirespeed.pages.words import count  # noqa: PLC0415
    from wirespeed.site.build import build  # noqa: PLC0415

    def on_result(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {total} results", end="" if done < total else "\n", file=sys.stderr, flush=True)

    began = time.monotonic()
    built = build(corpus, directory, title or _TITLE, parse_words(words), on_result)
    print(
        f"{directory / 'index.html'}: {built.counted}, {built.made} new; {count(built.pages, 'page')} "
        f"written in {time.monotonic() - began:.1f} s"
    )
    if built.lost:
        more = f" and {len(built.lost) - 1} more" if len(built.lost) > 1 else ""
        raise FileFault(f"{built.lost[0]}{more}: the site lists them without links; wirespeed results verify names all")


def write_article(corpus: Corpus, dut: str, against: str, title: str, output: str, images: Path | None) -> None:
    from wirespeed.article.build import article  # noqa: PLC0415 - a command starts fast
    from wirespeed.files import write_atomically  # noqa: PLC0415

    beside = Path() if output == "-" else Path(output).parent
    text = article(corpus, dut, against, title, images, beside)
    if output == "-":
        sys.stdout.write(text)
    else:
        write_atomically(Path(output), text, "article")
        print(f"article written to {output}", file=sys.stderr)
