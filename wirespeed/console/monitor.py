"""Packets of a capture as they pass, while the console takes other commands: shown, or in a file or a pipe as pcap."""

from __future__ import annotations

import base64
import errno
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from wirespeed.client.stateless_client import StatelessClient
from wirespeed.console.flow_views import packet_summary
from wirespeed.errors import FileFault, WirespeedError

if TYPE_CHECKING:
    from wirespeed.scapy_layers import RawPcapWriter

Json = dict[str, Any]

_FETCH = 50
_POLL_S = 0.1
_ENDS_WITHIN_S = 1.0
"""A reader of the pipe that stands still holds the thread; it ends with the process then."""


class Sink(Protocol):
    """Receives the packets from `fetch`. BrokenPipeError: the reader is gone."""

    def take(self, packet: Json) -> None: ...
    def close(self) -> None: ...


class PacketLines:
    """A line for each packet, times since the first one; `verbose` adds the layers."""

    def __init__(self, show: Callable[[str], None], verbose: bool) -> None:
        self._show, self._verbose = show, verbose
        self._first_s: float | None = None

    def take(self, packet: Json) -> None:
        at_s, raw = float(packet["ts"]), base64.b64decode(packet["binary"])
        self._first_s = at_s if self._first_s is None else self._first_s
        self._show(
            f"#{packet['index']} port {packet['port']} {packet['origin']} {at_s - self._first_s:.6f} s, "
            f"{packet.get('wirelen', len(raw))} bytes: {packet_summary(raw)}"
        )
        if self._verbose:
            from wirespeed.scapy_layers import Ether  # noqa: PLC0415 - scapy takes long to import

            self._show(str(Ether(raw).show2(dump=True)))

    def close(self) -> None:
        pass


class PcapFile:
    """FileFault where the file cannot be written."""

    def __init__(self, path: Path) -> None:
        try:
            self._writer = pcap_writer(str(path), sync=True)
        except OSError as error:
            raise FileFault(f"output {path} cannot be written: {error.strerror or error}") from None

    def take(self, packet: Json) -> None:
        write_packet(self._writer, float(packet["ts"]), base64.b64decode(packet["binary"]))

    def close(self) -> None:
        self._writer.close()


class PcapPipe:
    """A named pipe at `path`, as Wireshark reads one. Packets that pass before somebody reads it are left out."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="wirespeed-")
        self.path = Path(self._directory.name) / "monitor.pcap"
        os.mkfifo(self.path, 0o600)
        self._opened: tuple[BinaryIO, RawPcapWriter] | None = None

    def take(self, packet: Json) -> None:
        if self._opened is None:
            try:
                descriptor = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno == errno.ENXIO:
                    return
                raise
            os.set_blocking(descriptor, True)
            file = os.fdopen(descriptor, "wb", buffering=0)
            self._opened = file, pcap_writer(file, sync=True)
        write_packet(self._opened[1], float(packet["ts"]), base64.b64decode(packet["binary"]))

    def close(self) -> None:
        if self._opened is not None:
            self._opened[0].close()
        self._directory.cleanup()


class CaptureMonitor:
    """Fetches the packets of `capture_id` on a connection of its own, until `stop` or until the capture is gone. `tell`
    is given why it ended by itself."""

    def __init__(self, server: str, capture_id: int, sink: Sink, tell: Callable[[str], None]) -> None:
        self.capture_id = capture_id
        self._client = StatelessClient(server)
        self._sink, self._tell = sink, tell
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="monitor", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(_ENDS_WITHIN_S)

    def follow(self) -> None:
        """Runs until `stop` or an error of the server; BrokenPipeError if the reader of the pipe is gone."""
        try:
            self._client.connect()
            while not self._ending.is_set():
                answer = self._client.capture("fetch", capture_id=self.capture_id, pkt_limit=_FETCH, snaplen=0)
                for packet in answer.get("pkts") or ():
                    self._sink.take(packet)
                self._ending.wait(_POLL_S)
        finally:
            self._client.close()
            self._sink.close()

    def _run(self) -> None:
        try:
            self.follow()
        except BrokenPipeError:
            self._tell("monitor ended: nobody reads the pipe any more")
        except (WirespeedError, OSError) as error:
            if not self._ending.is_set():
                self._tell(f"monitor ended: {error}")


def pcap_writer(target: str | BinaryIO, sync: bool = False) -> RawPcapWriter:
    """A writer of a microsecond pcap of Ethernet frames; OSError where the file cannot be written."""
    from wirespeed.scapy_layers import RawPcapWriter  # noqa: PLC0415 - scapy takes long to import

    writer = RawPcapWriter(target, linktype=1, sync=sync)
    writer.write_header(None)
    return writer


def write_packet(writer: RawPcapWriter, at_s: float, packet: bytes) -> None:
    writer.write_packet(packet, sec=int(at_s), usec=int(at_s % 1 * 1e6))
