"""Board, firmware and memory, from `dmidecode` or what the kernel shows of it; storage from sysfs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.inspect.transcript import Transcript, section, text, tree

_SIZE = re.compile(r"(\d+) ([kMGT])B")
_BYTES = {"k": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_NOTHING = {"Not Specified", "Unknown", "Not Provided", "Default string", "To be filled by O.E.M.", "None", ""}
_CHANNEL = re.compile(r"(?:channel|CHANNEL|Channel)[ _-]?([A-Z0-9])|(?:DIMM|ChannelDimm)[ _-]?([A-Z])")


@dataclass(frozen=True)
class Dimm:
    """One memory device that is there; transfers a second in millions, as it can and as it runs."""

    place: str
    size_bytes: int
    kind: str = ""
    rated_mts: int | None = None
    speed_mts: int | None = None
    maker: str = ""
    channel: str = ""


@dataclass(frozen=True)
class Board:
    """`slots` is the number of memory slots, empty ones included; 0 if unknown."""

    maker: str = ""
    product: str = ""
    board: str = ""
    firmware: str = ""
    firmware_date: str = ""
    dimms: tuple[Dimm, ...] = ()
    slots: int = 0
    memory_bytes: int = 0

    @property
    def channels(self) -> int | None:
        """Channels that have memory, by the names of the places; None where those do not say."""
        named = {dimm.channel for dimm in self.dimms}
        return len(named) if named and "" not in named else None


@dataclass(frozen=True)
class Disk:
    name: str
    model: str
    size_bytes: int
    rotates: bool


def board_of(transcript: Transcript) -> Board:
    """The mainboard, by dmidecode; otherwise the values that sysfs shows to all users."""
    structures = list(_structures(text(transcript, "dmidecode")))
    files = {path.rpartition("/")[2]: value for path, value in tree(text(transcript, "dmi")).items()}

    def of(kind: str, field: str, otherwise: str) -> str:
        value = next((one.get(field, "") for name, one in structures if name == kind), "")
        return value if value not in _NOTHING else files.get(otherwise, "")

    devices = [fields for name, fields in structures if name == "Memory Device"]
    dimms = tuple(dimm for fields in devices if (dimm := _dimm(fields)) is not None)
    return Board(
        maker=of("System Information", "Manufacturer", "sys_vendor"),
        product=of("System Information", "Product Name", "product_name"),
        board=of("Base Board Information", "Product Name", "board_name"),
        firmware=of("BIOS Information", "Version", "bios_version"),
        firmware_date=of("BIOS Information", "Release Date", "bios_date"),
        dimms=dimms,
        slots=len(devices),
        memory_bytes=_total(text(transcript, "meminfo")) or sum(dimm.size_bytes for dimm in dimms),
    )


def _structures(printed: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Name and fields of each structure of dmidecode."""
    for block in re.split(r"\n\s*\n", printed):
        lines = block.strip("\n").splitlines()
        if len(lines) >= 2 and lines[0].startswith("Handle "):
            pairs = (line.strip().partition(":") for line in lines[2:])
            yield lines[1].strip(), {key: value.strip() for key, colon, value in pairs if colon}


def _dimm(fields: dict[str, str]) -> Dimm | None:
    size = _bytes(fields.get("Size", ""))
    if not size:
        return None
    place = fields.get("Locator", "")
    named = _CHANNEL.search(f"{place} {fields.get('Bank Locator', '')}")
    kind, maker = fields.get("Type", ""), fields.get("Manufacturer", "")
    return Dimm(
        place=place,
        size_bytes=size,
        kind="" if kind in _NOTHING else kind,
        rated_mts=_speed(fields.get("Speed", "")),
        speed_mts=_speed(fields.get("Configured Memory Speed", "") or fields.get("Configured Clock Speed", "")),
        maker="" if maker in _NOTHING else maker,
        channel=(named[1] or named[2]) if named else "",
    )


def _bytes(value: str) -> int:
    match = _SIZE.search(value)
    return int(match[1]) * _BYTES[match[2]] if match else 0


def _speed(value: str) -> int | None:
    match = re.match(r"(\d+) (?:MT/s|MHz)", value)
    return int(match[1]) if match else None


def _total(meminfo: str) -> int:
    match = re.search(r"MemTotal:\s+(\d+) kB", meminfo)
    return int(match[1]) << 10 if match else 0


def dimms_text(dimms: tuple[Dimm, ...]) -> str:
    """`2 x 16 GiB DDR4 at 2933 MT/s`, equal ones together."""
    kinds = Counter((dimm.size_bytes, dimm.kind, dimm.speed_mts or dimm.rated_mts) for dimm in dimms)
    return ", ".join(
        f"{count} x {size / (1 << 30):g} GiB{kind and ' ' + kind}" + (f" at {speed} MT/s" if speed else "")
        for (size, kind, speed), count in kinds.items()
    )


def disks_of(transcript: Transcript) -> tuple[Disk, ...]:
    """Block devices that hold something; loop, RAM and mapped ones are none."""
    files = tree(text(transcript, "block"))
    names = [path.split("/")[3] for path in files if path.endswith("/size")]
    return tuple(
        Disk(
            name=name,
            model=files.get(f"/sys/block/{name}/device/model", ""),
            size_bytes=int(files[f"/sys/block/{name}/size"]) * 512,
            rotates=files.get(f"/sys/block/{name}/queue/rotational") == "1",
        )
        for name in names
        if not re.match(r"loop|ram|zram|dm-|md|sr|fd", name) and files[f"/sys/block/{name}/size"].strip("0")
    )


def dmi_is_hidden(transcript: Transcript) -> bool:
    """True if dmidecode is installed and was not permitted to read."""
    found = section(transcript, "dmidecode")
    return not found.is_missing and "ermission denied" in found.text
