"""The pictures of an article: the charts of load that the report of the same results has, as files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed.charts.images import write_images
from wirespeed.corpus.corpus import Corpus
from wirespeed.report.render import render

_OVER_TIME = "time"
"""Beginnings of the names of charts over time; a review shows those over load."""


@dataclass(frozen=True)
class Picture:
    """`link` as it stands in the article, `sentence` for who does not see it."""

    link: str
    sentence: str


def draw(corpus: Corpus, digests: Sequence[str], folder: Path, beside: Path) -> tuple[Picture, ...]:
    """Write pictures into `folder`, linked from a file in `beside`. Raises the errors of `write_images` and of the
    report."""
    with tempfile.TemporaryDirectory(prefix="wirespeed-article-") as files:
        corpus.export(digests, Path(files))
        report = render(sorted(Path(files).glob("*.json")), title="", date="")
    charts = [chart for chart in report.charts if not chart.identity.startswith(_OVER_TIME)]
    written = [path for path in write_images(charts, folder) if path.suffix == ".png"][: len(charts)]
    at = Path(os.path.relpath(folder.absolute(), beside.absolute())).as_posix()
    return tuple(Picture(f"{at}/{path.name}", chart.sentence) for path, chart in zip(written, charts, strict=True))
