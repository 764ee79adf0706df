"""Packet captures: received, sent or dropped packets in a file.

- Packets are written as they are at that moment, with their Ethernet header, into a file in `/tmp` (or at a path).
  After `max` packets, or `off`, the file is complete.
- `filter` selects the packets of `trace filter prefix`, behind VLAN tags and MPLS labels too. `intfc` names a port,
  including its sub-interfaces.
- Workers make copies that the main thread writes. A copy without room is counted as missed, and the packet continues.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.errors import FileFault, UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.seam.graph import CaptureConfig, CaptureStatus
from wirespeed.seam.interfaces import InterfaceKind

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_DEFAULT_PACKETS, _MOST_PACKETS = 1000, 10_000_000
_LEAST_BYTES, _MOST_BYTES = 32, 9216
_DIRECTORY = Path("/tmp")  # where VPP puts them
_WHAT = "rx|tx|drop"
_HOW = (
    "max <number:packets>|intfc (any|<interface>)|interface (any|<interface>)|file <file>"
    "|max-bytes-per-pkt <number:bytes>|filter|preallocate-data|free-data"
)


@command(f"pcap trace ({_WHAT}) [({_WHAT}|{_HOW})...]", f"pcap trace ({_HOW})... ({_WHAT}) [({_WHAT}|{_HOW})...]")
def start(console: Console, words: Match) -> Iterator[str]:
    """Capture packets into a file in /tmp, until `max` packets or pcap trace off."""
    rx, tx, drop = ("rx" in words, "tx" in words, "drop" in words)
    packets = _within("max", words.get("packets", _DEFAULT_PACKETS), 1, _MOST_PACKETS)
    size = _within("max-bytes-per-pkt", words.get("bytes", _MOST_BYTES), _LEAST_BYTES, _MOST_BYTES)
    prefix = console.capture_prefix if "filter" in words else None
    if "filter" in words and prefix is None:
        raise UsageError("there is no filter; give one with: trace filter prefix <prefix>")
    on = words.get("interface")
    if on is not None and console.core.interface(on).kind is not InterfaceKind.PORT:
        raise UsageError(f"{console.core.interface(on).name} is not a port; capture on its port, or on any")
    if console.core.capture_status().is_there:
        raise UsageError("a capture is there already; end it with: pcap trace off")
    file = words.get(
        "file", Path("".join(word for word, on in (("rx", rx), ("tx", tx), ("drop", drop)) if on) + ".pcap")
    )
    # A bare name goes where VPP puts it.
    path = console.directory / file if len(file.parts) > 1 else _DIRECTORY / file
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise FileFault(f"{path} cannot be written: {error.strerror}") from None
    try:
        console.core.start_capture(CaptureConfig(rx, tx, drop, on, packets, size, prefix), descriptor)
    finally:
        os.close(descriptor)
    console.capture_file = path
    yield f"capturing {packets} packets into {path}"


@command(f"pcap trace [({_WHAT})...] off")
def stop(console: Console, words: Match) -> Iterator[str]:
    """End the capture; its file is then complete."""
    yield _summary(console.core.stop_capture(), console.capture_file)


@command("pcap trace status")
def status(console: Console, words: Match) -> Iterator[str]:
    """Progress of the capture."""
    capture = console.core.capture_status()
    if not capture.is_there:
        yield "no capture"
        return
    state = "on" if capture.is_on else "full"
    yield f"{state}: {_summary(capture, console.capture_file)}"


def _summary(status: CaptureStatus, path: Path) -> str:
    missed = f", {status.missed} more found no room" if status.missed else ""
    error = f", then the file could not be written: {os.strerror(status.error)}" if status.error else ""
    return f"captured {status.written} packets in {path}{missed}{error}"


def _within(what: str, given: int, least: int, most: int) -> int:
    if not least <= given <= most:
        raise UsageError(f"{what} {given} is not between {least} and {most}")
    return given
