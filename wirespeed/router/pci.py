"""PCI devices as Linux knows them: what they are, and the link that their packets take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PCI_DEVICES = Path("/sys/bus/pci/devices")


@dataclass(frozen=True)
class RouterPciDevice:
    """`device` and `subsystem` are VENDOR:DEVICE in hex; a `link` is `2.5 GT/s x1`, or `unknown`."""

    device: str
    subsystem: str
    link: str
    most_link: str


def pci_device(address: str, devices: Path = PCI_DEVICES) -> RouterPciDevice | None:
    """The device at `0000:02:00.0`; None where Linux has none there."""
    at = devices / address
    if not at.is_dir():
        return None
    return RouterPciDevice(
        _ids(at, "vendor", "device"),
        _ids(at, "subsystem_vendor", "subsystem_device"),
        pci_link(at, "current"),
        pci_link(at, "max"),
    )


def _ids(at: Path, vendor: str, device: str) -> str:
    return f"{fact(at / vendor)[2:] or '0000'}:{fact(at / device)[2:] or '0000'}"


def pci_link(at: Path, which: str) -> str:
    """The `current` or `max` link; devices of a virtual machine often have none."""
    speed, width = fact(at / f"{which}_link_speed"), fact(at / f"{which}_link_width")
    if not speed or speed.startswith("Unknown") or width in ("", "0", "255"):
        return "unknown"
    return f"{speed.removesuffix(' PCIe')} x{width}"


def fact(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
