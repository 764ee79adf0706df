"""An article from a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from wirespeed.article.chapters import written
from wirespeed.article.material import Expected, Material, figures_of, newest
from wirespeed.article.pictures import draw
from wirespeed.corpus.corpus import Corpus
from wirespeed.demo.suite import STANDARD_SUITE
from wirespeed.errors import FileFault, UsageError
from wirespeed.pages.words import harmless
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult
from wirespeed.site.entries import Catalogue, ResultDetails, SiteEntry, catalogue
from wirespeed.site.told import told_of


def article(
    corpus: Corpus,
    dut: str,
    against: str = "",
    title: str = "",
    images: Path | None = None,
    beside: Path = Path(),
) -> str:
    """A draft of a review in markdown, for the folder `beside`; its pictures go into `images`. UsageError for a DUT
    that the archive does not have; also the errors of `draw`."""
    listing = catalogue(corpus.index.results((), "-started").rows, corpus.index.figures(()).rows, {})
    material = _material(corpus, listing, dut)
    if against:
        if against == dut:
            raise UsageError(f"--against {against} is the reviewed DUT itself; name another")
        material = replace(material, against=_material(corpus, listing, against))
    if images is not None:
        both = [*material.results, *(material.against.results if material.against else ())]
        material = replace(material, pictures=draw(corpus, both, images, beside) if both else ())
    # Control characters of a terminal are removed from the whole text.
    text = "\n".join(map(harmless, written(material, title).split("\n")))
    return text.encode(errors="replace").decode()


def _material(corpus: Corpus, listing: Catalogue, dut: str) -> Material:
    if dut not in listing.duts:
        near = get_close_matches(dut, listing.duts, 1, cutoff=0.5)
        hint = f", did you mean {near[0]}?" if near else "; wirespeed results list shows what there is"
        raise UsageError(f"archive {corpus.place.name} has no DUT {dut!r}{hint}")
    entries = listing.duts[dut]
    wanted = newest(entries)
    read = {entry.digest: one for entry in wanted if isinstance(one := _read(corpus, entry), MeasurementResult)}
    details = {digest: told_of(one, digest)[0] for digest, one in read.items()}
    inspections = [
        one for entry in entries if not entry.is_test and isinstance(one := _read(corpus, entry), Inspection)
    ]
    kept = tuple(
        replace(entry, told=details.get(entry.digest, ResultDetails())) for entry in wanted if entry.digest in read
    )
    return Material(
        dut=dut,
        entries=kept,
        results=_named(kept, read),
        inspections=tuple(inspections[:1]),
        figures=tuple(replace(one, entry=entry) for entry in kept for one in figures_of(listing, [entry])),
        left_out=sum(entry.is_test for entry in entries) - len(wanted),
        lost=len(wanted) - len(read),
        expected=tuple(Expected(one.label, one.profile, one.tunables, len(one.directions)) for one in STANDARD_SUITE),
    )


def _named(entries: tuple[SiteEntry, ...], read: Mapping[str, MeasurementResult]) -> dict[str, MeasurementResult]:
    """Names by title; if several have the same title, with a part of the digest."""
    titles = [entry.title for entry in entries]
    return {
        entry.digest: replace(
            read[entry.digest],
            name=entry.title if titles.count(entry.title) == 1 else f"{entry.title} {entry.digest[:8]}",
        )
        for entry in entries
    }


def _read(corpus: Corpus, entry: SiteEntry) -> MeasurementResult | Inspection | None:
    try:
        return corpus.read(entry.digest)
    except FileFault:
        return None
