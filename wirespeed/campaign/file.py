"""A campaign file read: errors name its line, the path in it, and for an unknown key the nearest that there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wirespeed.campaign.model import FORMAT, Campaign
from wirespeed.campaign.tests import TESTS
from wirespeed.errors import FileFault
from wirespeed.files import read_text_file

_MOST_BYTES = 1 << 20


def read_campaign(path: Path) -> Campaign:
    """The campaign that the file at `path` says; FileFault names the first thing that is wrong, and its line."""
    return parse_campaign(read_text_file(path, "campaign file", _MOST_BYTES).decode(errors="replace"), str(path))


def parse_campaign(text: str, name: str = "campaign.yaml") -> Campaign:
    """Read a campaign like `read_campaign`, from a text; errors call it `name`."""
    from wirespeed.documents import mapping_of, validated  # noqa: PLC0415 - YAML is slow to import

    document, raw = mapping_of(text, name, "has no campaign in it; docs/campaigns.md shows one")
    form = raw.get("campaign", raw.get("suite"))
    if isinstance(form, int) and form > FORMAT:
        raise FileFault(f"{name} has format {form}; this program reads up to {FORMAT}: use a newer wirespeed")
    if form != FORMAT:
        raise FileFault(f"{name} does not give its format; begin the file with `campaign: {FORMAT}`")
    return validated(Campaign, document, name, "campaign", _words, _place, TESTS)


def schema_text() -> str:
    """The JSON schema of a campaign file."""
    return json.dumps(Campaign.model_json_schema(), indent=2)


def _place(error: Any) -> tuple[str | int, ...]:
    """Without the word that says which kind of test it is, which stands elsewhere in the file."""
    return tuple(part for part in error["loc"] if part not in TESTS)


def _words(error: Any) -> str:
    match error["type"]:
        case "union_tag_invalid" | "union_tag_not_found":
            return f"`command` says what runs: {', '.join(TESTS)}"
    return ""
