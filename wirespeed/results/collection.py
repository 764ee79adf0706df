"""The file of `wirespeed dut collect -o FILE`: the telemetry of a device, during a test or without one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import FileFault
from wirespeed.files import json_of, open_regular, read_text_file
from wirespeed.results.codec import as_object, from_json, placed
from wirespeed.results.dut import DutFacts, DutTelemetry

FORMAT = "wirespeed-dut/1"
_MOST_BYTES = 512 << 20
_HEAD_BYTES = 200


@dataclass(frozen=True)
class Collected:
    """`whole` is the telemetry of all of the time; `dut` says what the device is, and has its texts."""

    source: str
    dut: DutFacts
    whole: DutTelemetry


def is_collected(path: Path) -> bool:
    """True if the head of the file names this format; False if the file cannot be read."""
    try:
        with open_regular(path) as file:
            return FORMAT.encode() in file.read(_HEAD_BYTES)
    except (OSError, FileFault):
        return False


def read_collected(path: Path) -> Collected:
    """FileFault for an invalid file, with the reason."""
    document = json_of(read_text_file(path, "collection", _MOST_BYTES), path, "collection")
    try:
        raw = placed("the file", as_object, document).get("dut", {})
        dut = from_json(DutFacts, raw, "dut")
        return Collected(path.name, dut, DutTelemetry.from_json(raw.get("telemetry")))
    except ValueError as error:
        raise FileFault(f"{path} is not a file of `wirespeed dut collect`: {error}") from None
