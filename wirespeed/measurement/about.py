"""Description of a kind of measurement, for help and references. `wirespeed --help` imports only this."""

from __future__ import annotations

from typing import NamedTuple


class About(NamedTuple):
    """`order` is the place of the kind in help and reports. `summary` is one line, `help` stands above the options.
    `file` says what a result file is of, `more` what its schema does not tell."""

    order: int
    summary: str
    help: str
    file: str
    more: str = ""
