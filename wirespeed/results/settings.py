"""The settings of a measurement in its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from wirespeed.results.codec import LENIENT_ORIGINAL, SPARSE, Number, Stored

Tunables = str | Mapping[str, Any] | Sequence[Any]
"""Tunables of a profile, such as `size=64,vm=var2`. Files of other programs have an object or a list."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of all kinds of measurement; each kind has further ones. None and empty values are not in the file.
    `group` is what people call the load, such as `64b many flows`. `line` is the line speed, in bits per second, that
    percentages are of if it is not the ports' own. Settings of other programs are kept as they are."""

    server: Annotated[str, SPARSE] = ""
    profile_file: Annotated[str, SPARSE] = ""
    tunables: Annotated[Tunables | None, Stored(sparse=True, read=lambda raw: raw, shape=str)] = None
    group: Annotated[str, SPARSE] = ""
    output_file: Annotated[str, SPARSE] = ""
    unidirectional: Annotated[bool | None, Stored(sparse=True, read=bool)] = None
    signature: Annotated[bool | None, Stored(sparse=True, read=bool, former="verify")] = None
    line: Annotated[Number | None, SPARSE] = None
    as_read: Annotated[Mapping[str, Any], LENIENT_ORIGINAL] = field(default_factory=dict)


class SettingsHead(TypedDict):
    """Settings that a plan of any kind has."""

    server: str
    profile_file: str
    tunables: str
    group: str
    output_file: str
    signature: bool | None
    line: float | None
