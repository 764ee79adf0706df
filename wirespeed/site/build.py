"""A site written: what the last build made stays where nothing changed, and the new one takes its place as a whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.corpus.corpus import Corpus
from wirespeed.corpus.words import Condition
from wirespeed.errors import FileFault
from wirespeed.results.inspection import Inspection
from wirespeed.site import manifest, names
from wirespeed.site.archive import write_archive
from wirespeed.site.entries import Catalogue, SiteEntry, catalogue
from wirespeed.site.folder import NewFolder, replaced
from wirespeed.site.making import WORK, ResultToMake, maker
from wirespeed.site.manifest import Made, Manifest, source_of
from wirespeed.site.pages import pages
from wirespeed.site.parts import counted
from wirespeed.site.templates import assets


@dataclass(frozen=True)
class Built:
    """`counted` says how many results and inspections are in it, of which `made` were new; `pages` made of several
    results. `lost` say which have no file."""

    counted: str
    made: int
    pages: int
    lost: tuple[str, ...]


def build(
    corpus: Corpus,
    target: Path,
    title: str,
    conditions: Sequence[Condition] = (),
    on_result: Callable[[int, int], None] = lambda done, total: None,
) -> Built:
    """Write the results that meet the conditions into the folder `target`; what stood there before goes when the new
    site is whole, and stays when it cannot be made. What `replaced` raises, and the corpus."""
    rows = corpus.index.results(conditions, "-started").rows
    figures = corpus.index.figures(()).rows
    corpus.index.close()  # processes that are forks would share its connection
    with replaced(target, manifest.is_site) as folder:
        old = manifest.read(folder.old) if folder.old is not None else Manifest()
        for name, text in assets().items():
            folder.write(name, text.encode())
        made, new = _results(corpus, folder, old, rows, on_result)
        site = catalogue(rows, figures, {digest: one.told for digest, one in made.items()})
        sources, written = _pages(corpus, folder, old, site, title)
        archives = _archives(corpus, folder, old, site, made)
        manifest.write(folder.path, Manifest(manifest.program(), made, sources, archives))
    lost = tuple(one.told.fault for one in made.values() if one.told.fault)
    return Built(counted(site.entries), new, written, lost)


def _results(
    corpus: Corpus,
    folder: NewFolder,
    old: Manifest,
    rows: Sequence[Mapping[str, Any]],
    on_result: Callable[[int, int], None],
) -> tuple[dict[str, Made], int]:
    wanted = [_wanted(row) for row in rows]
    there = {one.digest: kept for one in wanted if (kept := _kept(folder, old, one)) is not None}
    missing = [one for one in wanted if one.digest not in there]
    with maker(corpus.store, folder, len(missing)) as make:
        for number, (one, made) in enumerate(make(missing), start=1):
            there[one.digest] = made
            on_result(number, len(missing))
    shutil.rmtree(folder.path / WORK, ignore_errors=True)
    return {one.digest: there[one.digest] for one in wanted}, len(missing)


def _wanted(row: Mapping[str, Any]) -> ResultToMake:
    title = row["title"] or row["digest"][:12]
    load, directions = ("", "") if row["kind"] == "inspect" else (row["load"], row["directions"])
    return ResultToMake(row["digest"], title, row["dut"], load, directions, row["started"], row["is_missing"])


def _kept(folder: NewFolder, old: Manifest, one: ResultToMake) -> Made | None:
    """The result as the last build made it; one whose file was not there is looked for again."""
    made = old.results.get(one.digest)
    if made is None or made.source != one.source or made.told.fault or not folder.keep(made.files):
        return None
    return made


def _pages(corpus: Corpus, folder: NewFolder, old: Manifest, site: Catalogue, title: str) -> tuple[dict[str, str], int]:
    def inspections(entries: Sequence[SiteEntry]) -> dict[str, Inspection]:
        read: dict[str, Inspection] = {}
        for entry in entries:
            if not entry.is_test and not entry.told.fault:
                with suppress(FileFault):
                    kept = corpus.read(entry.digest)
                    if isinstance(kept, Inspection):
                        read[entry.digest] = kept
        return read

    sources, written = {}, 0
    for page in pages(site, title, inspections):
        sources[page.path] = page.source
        if old.pages.get(page.path) != page.source or not folder.keep((page.path,)):
            folder.write(page.path, page.render().encode(errors="replace"))
            written += 1
    return sources, written


def _archives(
    corpus: Corpus, folder: NewFolder, old: Manifest, found: Catalogue, made: Mapping[str, Made]
) -> dict[str, tuple[str, ...]]:
    archives: dict[str, tuple[str, ...]] = {}
    for dut, entries in found.duts.items():
        whole = [entry for entry in entries if not entry.told.fault]
        if not whole:
            continue
        name = names.archive(dut)
        archives[name] = tuple(source_of(entry.digest, made[entry.digest].source, entry.version) for entry in whole)
        there = old.archives.get(name, ())
        if set(there) != set(archives[name]) or not folder.keep((name,)):
            write_archive(folder, name, dict(zip(archives[name], whole, strict=True)), there, corpus.store)
    return archives
