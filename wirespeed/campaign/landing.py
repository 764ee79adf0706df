"""Storage of a campaign's results in an archive, as they arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from wirespeed.campaign.cells import CampaignCell
from wirespeed.corpus.opening import open_corpus
from wirespeed.errors import WirespeedError

Say = Callable[[str], None]


@contextmanager
def landing(where: str, campaign: str, say: Say) -> Iterator[Callable[[CampaignCell, Path], None]]:
    """A function that keeps a cell's result in the corpus at `where`, tagged with the campaign's name and with the
    version that the campaign's file gives the device as its build. What the corpus refuses is said once and costs the
    campaign nothing: its folder has the result, and the next run lands it."""
    said: set[str] = set()

    def once(text: str) -> None:
        if text not in said:
            said.add(text)
            say(text)

    with open_corpus(where) as corpus:

        def land(cell: CampaignCell, result: Path) -> None:
            try:
                added = corpus.add([result], cell.setup.version, (campaign,))
            except WirespeedError as error:
                once(f"  not in the archive: {error}")
            else:
                for reason in added.refused:
                    once(f"  not in the archive: {reason}")
                if added.waiting:
                    once(f"  {added.why}; results wait in {corpus.place.folder / 'spool'}")

        yield land
