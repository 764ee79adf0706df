"""The files of one result: its report, its file as it was, its texts. On all CPUs where there are many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from wirespeed.all_cpus import on_all_cpus
from wirespeed.corpus.keeping import read_result
from wirespeed.corpus.store import Store
from wirespeed.errors import FileFault
from wirespeed.pages.words import harmless
from wirespeed.results.inspection import Inspection
from wirespeed.site.entries import ResultDetails
from wirespeed.site.folder import NewFolder
from wirespeed.site.manifest import Made, source_of
from wirespeed.site.names import dut_page, raw_file, result_page, stem, test_page
from wirespeed.site.reports import report_page
from wirespeed.site.templates import page_head
from wirespeed.site.told import ALONE, told_of

_MANY = 40
"""Fewer are made before other processes would have begun."""
_CHUNK = 8
WORK = ".work"
"""Part of the new folder that is not part of the site and is removed at the end."""


@dataclass(frozen=True)
class ResultToMake:
    """A result whose files are to be made: what its page says besides the report."""

    digest: str
    title: str
    dut: str
    load: str
    directions: str
    started: str
    is_missing: bool

    @property
    def source(self) -> str:
        return source_of(self.digest, self.title, self.dut, self.load, self.directions, self.started)


Make = Callable[[Iterable[ResultToMake]], Iterator[tuple[ResultToMake, Made]]]


def maker(store: Store, folder: NewFolder, count: int) -> AbstractContextManager[Make]:
    """The function that makes the files of `count` results."""
    return on_all_cpus(partial(make, store, folder), are_many=count >= _MANY, chunk=_CHUNK)


def make(store: Store, folder: NewFolder, wanted: ResultToMake) -> tuple[ResultToMake, Made]:
    """A result with a missing or damaged file has no files, and is reported."""
    raw, page = raw_file(wanted.digest, wanted.title), result_page(wanted.digest)
    try:
        content, _ = store.get(wanted.digest)
        named = f"{WORK}/{os.getpid()}/{stem(wanted.title)}.json"  # a report calls per test by its file
        folder.write(named, content)
        found = read_result(content, folder.path / named)
        details, texts = told_of(found, wanted.digest)
        title = harmless(wanted.title)
        head = _head(wanted, raw, "" if isinstance(found, Inspection) else ALONE)
        report = report_page(folder.path / named, title, wanted.started[:16].replace("T", " "), head, "../assets/")
    except FileFault as fault:
        return wanted, Made(wanted.source, (), ResultDetails(fault=_fault(fault, wanted)))
    folder.move(named, raw)
    for file, text in texts.items():
        folder.write(file, text.encode(errors="replace"))
    assets = {f"assets/{name}": text for name, text in report.assets.items()}
    for file, text in assets.items():
        if not (folder.path / file).exists():
            folder.write(file, text.encode())
    folder.write(page, report.text.encode(errors="replace"))
    return wanted, Made(wanted.source, (page, raw, *texts, *assets), details)


def _head(wanted: ResultToMake, raw: str, note: str) -> str:
    links = [("all DUTs and results", "index.html"), (wanted.dut, dut_page(wanted.dut))]
    if wanted.load or wanted.directions:
        links.append(("this test, all DUTs", test_page(wanted.load, wanted.directions)))
    return page_head([*links, ("the file", raw)], "../", note)


def _fault(fault: FileFault, wanted: ResultToMake) -> str:
    """Without the path of the machine that made the site."""
    return f"the file of {wanted.title} is missing or damaged" if "/" in str(fault) else str(fault)
