"""Captures of ports: the frames that they receive, kept until they are asked for."""

from __future__ import annotations

import base64
import time
from collections import deque
from dataclasses import dataclass, field

from wirespeed.client.stateless_client import StatelessClient
from wirespeed.otg.faults import ModelFault
from wirespeed.otg.filters import filter_text
from wirespeed.otg.model import OtgCapture
from wirespeed.otg.pcap_bytes import PcapFrame, pcap, pcapng, seen
from wirespeed.otg.requests import CaptureRequest

MOST_PACKETS = 100_000
"""Most packets of one capture."""

_AT_ONCE = 5000


@dataclass
class _Running:
    """`offset_s` is what the server's clock lacks to the time of day; `number` is None once it is stopped."""

    settings: OtgCapture
    number: int | None
    offset_s: float
    packets: deque[PcapFrame] = field(default_factory=lambda: deque(maxlen=MOST_PACKETS))


class PortCaptures:
    """By the port's number; a port has one."""

    def __init__(self, client: StatelessClient) -> None:
        self._client = client
        self._captures: dict[int, _Running] = {}

    def runs(self, port: int) -> bool:
        return port in self._captures and self._captures[port].number is not None

    def start(self, port: int, settings: OtgCapture) -> None:
        """Clear the capture."""
        self._drop(port)
        answer = self._client.capture(
            "start",
            tx=[],
            rx=[port],
            limit=MOST_PACKETS,
            mode="cyclic" if settings.overwrite else "fixed",
            filter=filter_text("", settings.filters),
            snaplen=settings.packet_size or 0,
        )
        offset_s = time.time() - self._client.server_ts()
        self._captures[port] = _Running(settings, int(answer["capture_id"]), offset_s)

    def stop(self, port: int) -> int:
        """Number of packets that arrived faster than they could be kept."""
        running = self._captures.get(port)
        if running is None or running.number is None:
            return 0
        self._client.capture("stop", capture_id=running.number)
        missed = sum(told.get("missed", 0) for told in self._client.capture("status") if told["id"] == running.number)
        self._fetch(running)
        self._client.capture("remove", capture_id=running.number)
        running.number = None
        return int(missed)

    def file(self, port: int, request: CaptureRequest) -> bytes:
        """Packets captured so far; ModelFault without a capture."""
        running = self._captures.get(port)
        if running is None:
            text = f"port {request.port_name!r} was not captured; start that with control_state.port.capture"
            raise ModelFault("port_name", text)
        if running.number is not None:
            self._fetch(running)
        packets = list(running.packets)
        if request.packets.choice == "slice":
            asked = request.packets.slice.initial
            packets = packets[asked.start - 1 : asked.start - 1 + asked.count]
        return (pcap if running.settings.format == "pcap" else pcapng)(packets)

    def _fetch(self, running: _Running) -> None:
        pending = 1
        while pending:
            answer = self._client.capture("fetch", capture_id=running.number, pkt_limit=_AT_ONCE)
            pending = answer["pending"] if answer["pkts"] else 0
            for packet in answer["pkts"]:
                if len(running.packets) < MOST_PACKETS or running.settings.overwrite:
                    data, at_ns = base64.b64decode(packet["binary"]), round((packet["ts"] + running.offset_s) * 1e9)
                    running.packets.append(seen(at_ns, data, packet["wirelen"], running.settings.packet_size))

    def forget(self) -> None:
        for port in list(self._captures):
            self._drop(port)

    def _drop(self, port: int) -> None:
        one = self._captures.pop(port, None)
        if one is not None and one.number is not None:
            self._client.capture("remove", capture_id=one.number)
