"""All files of a DUT in one zip, each with the commands that made it. Results that come later are added at its end."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from wirespeed.corpus.store import Store
from wirespeed.errors import FileFault
from wirespeed.pages.words import harmless
from wirespeed.site.entries import SiteEntry
from wirespeed.site.folder import NewFolder
from wirespeed.site.names import key, stem

_LEVEL = 1
_FIRST = (1980, 1, 1, 0, 0, 0)
"""The oldest time that a zip can say."""


def write_archive(
    folder: NewFolder, name: str, entries: Mapping[str, SiteEntry], there: Collection[str], store: Store
) -> None:
    """`entries` are those that belong into it by what they are made from, `there` what the old one has of that: where
    it has one too many, all is written anew."""
    path = folder.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    new = list(entries.values())
    if there and folder.old is not None and entries.keys() >= set(there):
        with suppress(OSError, zipfile.BadZipFile):
            shutil.copyfile(folder.old / name, path)
            with zipfile.ZipFile(path) as old:
                old.namelist()
            new = [entry for source, entry in entries.items() if source not in there]
    if len(new) == len(entries):
        path.unlink(missing_ok=True)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for entry in new:
            for member, content in _members(entry, store):
                archive.writestr(zipfile.ZipInfo(member, _FIRST), content, zipfile.ZIP_DEFLATED, _LEVEL)


def _members(entry: SiteEntry, store: Store) -> Iterator[tuple[str, bytes]]:
    name = f"{stem(entry.title)}-{key(entry.digest)}"
    try:
        content, _ = store.get(entry.digest)
    except FileFault:
        return  # it went while the site was made; the page tells of it next time
    yield f"{name}.json", content
    yield f"{name}.commands.txt", commands(entry).encode(errors="replace")


def commands(entry: SiteEntry) -> str:
    """The command that measured it, the commands of the DUT, and its texts."""
    told = entry.told
    lines = [f"# {harmless(entry.title)}: {harmless(entry.dut)}, {entry.started}", told.command]
    if told.device:
        lines += ["", "# what the DUT was given", *told.device]
    if entry.version:
        lines += ["", f"# version: {harmless(entry.version)}"]
    return "\n".join(lines) + "\n"
