"""Captures: record packets to a pcap file, or watch them pass."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wirespeed.console.commands.registry import CONSOLE, command
from wirespeed.console.flow_views import packet_summary
from wirespeed.console.grammar import Given, Option, count, read_ports
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.console.tables import Row, Table, render
from wirespeed.errors import FileFault, UsageError

_FETCH = 50
_MONITOR_POLL_S = 0.1

TX = Option(("--tx",), "Ports whose sent packets are taken.", read_ports, "PORT", True, source="ports")
RX = Option(("--rx",), "Ports whose received packets are taken.", read_ports, "PORT", True, source="ports")
FILTER = Option(("-f", "--filter"), "BPF filter, such as 'udp and port 53'.", metavar="BPF", default="")
LIMIT = Option(("-l", "--limit"), "Packets to keep.", count("limit"), "N", default="1000")


@command("capture", CONSOLE, "Show the captures there are.")
@command("capture show", CONSOLE, "Show the captures there are.")
def show(session: Session, given: Given) -> None:
    found = session.client.capture("status")
    if not found:
        session.screen.show("no captures; `capture record start --rx 0` begins one")
        return
    rows = tuple(Row(str(one.get("id")), _cells(one)) for one in found)
    columns = ("ID", "Status", "Packets", "Bytes", "Matched", "TX ports", "RX ports", "Filter")
    session.screen.show(render(Table("Captures", columns, rows, align="center", least=7)))


def _cells(one: dict[str, Any]) -> tuple[str, ...]:
    chosen = one.get("filter") or {}
    return (
        str(one.get("state", "?")),
        f"[{one.get('count', 0)}/{one.get('limit', 0)}]",
        str(one.get("bytes", 0)),
        str(one.get("matched", 0)),
        _from_mask(int(chosen.get("tx", 0))),
        _from_mask(int(chosen.get("rx", 0))),
        str(chosen.get("bpf") or "-"),
    )


def _from_mask(mask: int) -> str:
    return ", ".join(str(bit) for bit in range(mask.bit_length()) if mask >> bit & 1) or "-"


@command("capture record start", CONSOLE, "Record packets on the server.", TX, RX, LIMIT, FILTER)
def record_start(session: Session, given: Given) -> None:
    identity = _start(session, given, "fixed", given.limit)
    session.screen.show(f"recording as capture {identity}; `capture record stop --id {identity} -o FILE` keeps it")


def _start(session: Session, given: Given, mode: str, limit: int) -> int:
    tx, rx = (list(session.some(ports)) if ports else [] for ports in (given.tx, given.rx))
    if not tx and not rx:
        raise UsageError("say whose packets to take: --tx PORT, --rx PORT, or both")
    answer = session.client.capture("start", tx=tx, rx=rx, limit=limit, mode=mode, filter=given.filter)
    return int(answer["capture_id"])


@command(
    "capture record stop",
    CONSOLE,
    "Stop recording and write what was recorded to a pcap file.",
    Option(("-i", "--id"), "The capture, as `capture show` lists it.", count("capture", 0), "ID", optional=False),
    Option(("-o", "--output"), "File to write; without it the packets are dropped.", metavar="FILE", source="files"),
)
def record_stop(session: Session, given: Given) -> None:
    path = Path(given.output).expanduser() if given.output else None
    if path is not None and not path.parent.is_dir():
        raise FileFault(f"output {path} cannot be written: there is no directory {path.parent}")
    with step(session.screen, f"Stopping capture {given.id}:"):
        packets = int(session.client.capture("stop", capture_id=given.id)["pkt_count"])
    if path is not None:
        with step(session.screen, f"Writing {packets} packets to {path}:"):
            write_pcap(path, _fetch(session, given.id, packets))
    session.client.capture("remove", capture_id=given.id)


def _fetch(session: Session, identity: int, packets: int) -> Iterator[tuple[float, bytes]]:
    """All packets of a capture in order; times are seconds since it started plus when that was by our clock."""
    while packets > 0:
        limit = min(_FETCH, packets)
        answer = session.client.capture("fetch", capture_id=identity, pkt_limit=limit, snaplen=0)
        listed = answer.get("pkts") or []
        for one in listed:
            yield float(one["ts"]), base64.b64decode(one["binary"])
        packets = int(answer.get("pending", 0)) if listed else 0


def write_pcap(path: Path, packets: Iterator[tuple[float, bytes]]) -> None:
    """Microsecond pcap of Ethernet frames."""
    from wirespeed.scapy_layers import RawPcapWriter  # noqa: PLC0415 - scapy takes long to import

    try:
        with RawPcapWriter(str(path), linktype=1, sync=False) as writer:
            writer.write_header(None)
            for at_s, packet in packets:
                writer.write_packet(packet, sec=int(at_s), usec=int(at_s % 1 * 1e6))
    except OSError as error:
        raise FileFault(f"output {path} cannot be written: {error.strerror or error}") from None


@command("capture monitor start", CONSOLE, "Show packets as they pass, until Ctrl-C.", TX, RX, FILTER, endless=True)
def monitor(session: Session, given: Given) -> None:
    identity = _start(session, given, "cyclic", _FETCH)
    session.screen.show("Ctrl-C ends the monitor")
    first_s = None
    try:
        while True:
            answer = session.client.capture("fetch", capture_id=identity, pkt_limit=_FETCH, snaplen=0)
            for one in answer.get("pkts") or ():
                first_s = float(one["ts"]) if first_s is None else first_s
                packet = base64.b64decode(one["binary"])
                session.screen.show(
                    f"#{one['index']} port {one['port']} {one['origin']} {float(one['ts']) - first_s:.6f} s, "
                    f"{one.get('wirelen', len(packet))} bytes: {packet_summary(packet)}"
                )
            time.sleep(_MONITOR_POLL_S)
    except KeyboardInterrupt:
        session.screen.show("monitor ended")
    finally:
        session.client.capture("remove", capture_id=identity)


@command("capture clear", CONSOLE, "End and drop all captures.")
def clear(session: Session, given: Given) -> None:
    identities = [int(one["id"]) for one in session.client.capture("status")]
    with step(session.screen, f"Removing {len(identities)} captures:"):
        for identity in identities:
            session.client.capture("remove", capture_id=identity)
