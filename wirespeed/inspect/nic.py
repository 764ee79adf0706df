"""Output of `ethtool` about an interface."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.inspect.dump import dump_bytes
from wirespeed.inspect.memory import decode_module
from wirespeed.inspect.module import OpticalModule
from wirespeed.inspect.questions import question
from wirespeed.inspect.transcript import Transcript, TranscriptSection, section, text

OFFLOADS = {
    "rx-checksumming": "rx checksum",
    "tx-checksumming": "tx checksum",
    "tcp-segmentation-offload": "tso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
    "receive-hashing": "rx hash",
    "ntuple-filters": "ntuple",
}
"""Offloads that matter to a router, with their names in tables."""
_MODE = re.compile(r"(\d+)base", re.IGNORECASE)
_SPEED = re.compile(r"Speed: (\d+)Mb/s")


@dataclass(frozen=True)
class LinuxInterface:
    """One of the kernel's interfaces. Speeds in bits per second; queues and rings as set now and at most; None of what
    its driver does not tell. `module_fault` says why a module that is there cannot be read."""

    name: str
    driver: str = ""
    version: str = ""
    firmware: str = ""
    address: str = ""
    has_link: bool | None = None
    speed_bps: float | None = None
    most_bps: float | None = None
    queues: int | None = None
    most_queues: int | None = None
    rx_ring: int | None = None
    most_rx_ring: int | None = None
    tx_ring: int | None = None
    most_tx_ring: int | None = None
    offloads: tuple[str, ...] = ()
    module: OpticalModule | None = None
    module_fault: str = ""


def interface_of(name: str, transcript: Transcript) -> LinuxInterface:
    """Facts about interface `name`, from the answers to its questions."""

    def said(option: str) -> str:
        return text(transcript, question(name, option))

    about, plain = _fields(said("-i")), said("")
    most_rings, rings = _halves(said("-g"))
    most_channels, channels = _halves(said("-l"))
    link, speed = re.search(r"Link detected: (yes|no)", plain), _SPEED.search(plain)
    modes = [float(mode) * 1e6 for mode in _MODE.findall(plain.partition("Advertised")[0])]
    module, fault = module_of(section(transcript, question(name, "-m")))
    return LinuxInterface(
        name=name,
        driver=about.get("driver", ""),
        version=about.get("version", ""),
        firmware=about.get("firmware-version", ""),
        address=about.get("bus-info", ""),
        has_link=None if link is None else link[1] == "yes",
        speed_bps=float(speed[1]) * 1e6 if speed else None,
        most_bps=max(modes, default=None),
        queues=_queues(channels),
        most_queues=_queues(most_channels),
        rx_ring=_count(rings, "RX"),
        most_rx_ring=_count(most_rings, "RX"),
        tx_ring=_count(rings, "TX"),
        most_tx_ring=_count(most_rings, "TX"),
        offloads=_offloads(said("-k")),
        module=module,
        module_fault=fault,
    )


def module_of(dump: TranscriptSection) -> tuple[OpticalModule | None, str]:
    """The module by `ethtool -m`, or the reason why an inserted module cannot be read."""
    if dump.code != 0 or not dump.text.strip():
        return None, ""
    try:
        return decode_module(dump_bytes(dump.text)), ""
    except ValueError as error:
        return None, str(error)


def _fields(printed: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in printed.splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}


def _halves(printed: str) -> tuple[dict[str, str], dict[str, str]]:
    """Supported and present settings."""
    most, _, now = printed.partition("Current hardware settings:")
    return _fields(most), _fields(now)


def _count(fields: dict[str, str], name: str) -> int | None:
    value = fields.get(name, "")
    return int(value) if value.isdigit() else None


def _queues(fields: dict[str, str]) -> int | None:
    """Receive queues: combined ones and those that only receive."""
    counts = [_count(fields, name) for name in ("Combined", "RX")]
    return sum(count or 0 for count in counts) or None if any(count is not None for count in counts) else None


def _offloads(printed: str) -> tuple[str, ...]:
    fields = _fields(printed)
    return tuple(short for name, short in OFFLOADS.items() if fields.get(name, "").startswith("on"))
