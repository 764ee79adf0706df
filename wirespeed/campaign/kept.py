"""A result file in a campaign's folder against the cell whose name it has: the file alone proves nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePath

from wirespeed.campaign.cells import CampaignCell
from wirespeed.errors import FileFault
from wirespeed.files import read_text_file
from wirespeed.measurement.file import of_bytes
from wirespeed.measurement.registry import class_of
from wirespeed.results.ending import COMPLETE
from wirespeed.results.journal import MAX_RESULT_BYTES


def digest_of(file: Path) -> str:
    """The SHA-256 of a result file. FileFault when it cannot be read."""
    return hashlib.sha256(read_text_file(file, "result file", MAX_RESULT_BYTES)).hexdigest()


def fault_of(file: Path, cell: CampaignCell, sha256: str = "") -> str:
    """Why `file` is not the result of `cell`, in words; empty for the complete result of that cell.

    `sha256` is the digest of the result that the campaign kept; empty where none was recorded.
    """
    try:
        content = read_text_file(file, "result file", MAX_RESULT_BYTES)
        result = of_bytes(content, file)
    except FileFault as fault:
        return str(fault)
    kind, test = class_of(cell.command), PurePath(result.variables.output_file).stem
    if result.kind != cell.command:
        return f"{file} is not a {kind.noun}"
    if test != cell.stem:
        return f"{file} is the result of another test, {test or 'without a name'}"
    if result.ending.status != COMPLETE:
        return f"{file} is of a test that is {result.ending.status}"
    if sha256 and hashlib.sha256(content).hexdigest() != sha256:
        return f"{file} has changed since it was measured"
    return ""
