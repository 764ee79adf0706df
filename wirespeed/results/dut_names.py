"""Names for the DUTs of results that have none, such as files of trex-loadtest: given, or from the names of files."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from wirespeed.errors import UsageError
from wirespeed.files import json_of
from wirespeed.results.measurement import MeasurementResult

FIELDS = ("dut", "load", "direction", "any")
_FIELD = re.compile(r"\{(\w*)\}")
R = TypeVar("R", bound=MeasurementResult)


@dataclass(frozen=True)
class DutNames:
    """`name` is for every unnamed DUT. `globs` of file names, with a name each, and `patterns`, which find the name in
    the file's name, go before it."""

    name: str = ""
    globs: tuple[tuple[str, str], ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()

    def of(self, file: Path) -> str:
        """The name for the DUT of an unnamed result in `file`; empty if none is given."""
        for glob, name in self.globs:
            if fnmatchcase(file.name, glob) or fnmatchcase(file.stem, glob):
                return name
        for pattern in self.patterns:
            if found := pattern.fullmatch(file.name) or pattern.fullmatch(file.stem):
                return found["dut"]
        return self.name

    def named(self, result: R, file: Path) -> R:
        """The result, with a name for its DUT if it has none."""
        name = "" if result.dut.name else self.of(file)
        return replace(result, dut=replace(result.dut, name=name)) if name else result

    def in_file(self, content: bytes, file: Path) -> bytes:
        """The content of a result file, with a name for its DUT if it has none. FileFault if it is not JSON."""
        name = self.of(file)
        if not name:
            return content
        document = json_of(content, file)
        dut = document.get("dut", {}) if isinstance(document, dict) else None
        if not isinstance(dut, dict) or dut.get("name"):
            return content
        return (json.dumps({**document, "dut": {**dut, "name": name}}) + "\n").encode()


UNNAMED = DutNames()


def parse_names(name: str, names: Sequence[str]) -> DutNames:
    """`names` are GLOB=NAME, or a pattern of file names with `{dut}` in it (`{box}` in earlier versions).
    UsageError for another form."""
    globs, patterns = [], []
    for text in names:
        glob, equals, dut = text.partition("=")
        if "{" in text:
            patterns.append(_pattern(text.replace("{box}", "{dut}")))
        elif equals and glob and dut.strip():
            globs.append((glob, dut.strip()))
        else:
            raise UsageError(f"--name {text}: {_ALLOWED}")
    return DutNames(name.strip(), tuple(globs), tuple(patterns))


_ALLOWED = "give GLOB=NAME such as 'apu4-*=APU4', or a pattern of file names such as '{dut}-{load}-{direction}.json'"


def _pattern(text: str) -> re.Pattern[str]:
    """The pattern of a name; if it can be split in several ways, `{dut}` is as long as possible."""
    fields = _FIELD.findall(text)
    if fields.count("dut") != 1 or len(set(fields)) < len(fields) or set(fields) - set(FIELDS):
        raise UsageError(
            f"--name {text}: {_ALLOWED}; fields in braces are {', '.join(FIELDS)}, each once, and {{dut}} is needed"
        )
    parts = _FIELD.split(text)
    said = [re.escape(part) if place % 2 == 0 else f"(?P<{part}>.+)" for place, part in enumerate(parts)]
    return re.compile("".join(said))
