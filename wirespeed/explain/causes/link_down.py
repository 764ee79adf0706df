"""A link was down under load: a cable, a module, a port that was shut, or a DUT that restarted.

The tester reads the state of its own ports in each sample. Loss in samples without a link is not a limit of the DUT.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.evidence import HINT, PROOF, CauseFinding, Evidence
from wirespeed.explain.words import share_text

NAME = "link-down"
_MOST = 0.5


def look(case: Case) -> CauseFinding | None:
    share = case.load.unlinked_share
    if share <= 0 or not case.is_short:
        return None
    text = f"{share_text(share)} of what was lost was lost while a port of the tester had no link"
    return CauseFinding(
        NAME,
        f"a link was down: {text}",
        (Evidence(text, PROOF if share >= _MOST else HINT, case.load.source),),
        next="cables, modules and the log of the DUT for that time; `--force` sends without a link",
    )
