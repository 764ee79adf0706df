"""Captures: record packets to a pcap file, or watch them pass."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wirespeed.console.commands.registry import CONSOLE, command
from wirespeed.console.grammar import ConsoleOption, Given, count, read_ports, switch
from wirespeed.console.monitor import CaptureMonitor, PacketLines, PcapFile, PcapPipe, Sink, pcap_writer, write_packet
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.console.tables import ConsoleRow, ConsoleTable, render
from wirespeed.errors import FileFault, UsageError

_FETCH = 50

TX = ConsoleOption(("--tx",), "Ports whose sent packets to capture.", read_ports, "PORT", True, source="ports")
RX = ConsoleOption(("--rx",), "Ports whose received packets to capture.", read_ports, "PORT", True, source="ports")
FILTER = ConsoleOption(("-f", "--filter"), "BPF filter, such as udp and port 53.", str, "WORD", True, joins=True)
LIMIT = ConsoleOption(("-l", "--limit"), "Packets to keep; 0 counts them only.", count("limit", 0), "N", default="1000")
SNAPLEN = ConsoleOption(
    ("-s", "--snaplen"), "Bytes of each packet to keep; 0 for all.", count("snaplen", 0), "N", default="0"
)
ENDPOINT = ConsoleOption(
    ("-e", "--endpoint"),
    "Endpoint that a T-Rex writes the packets to. A wirespeed generator refuses it.",
    metavar="ENDPOINT",
)


@command("capture", CONSOLE, "Show the captures there are.")
@command("capture show", CONSOLE, "Show the captures there are.")
def show(session: Session, given: Given) -> None:
    captures = session.client.capture("status")
    if not captures:
        session.screen.show("no captures; `capture record start --rx 0` begins one")
        return
    rows = tuple(ConsoleRow(str(one.get("id")), _cells(one)) for one in captures)
    columns = ("ID", "Status", "Packets", "Bytes", "Matched", "TX ports", "RX ports", "Filter")
    session.screen.show(render(ConsoleTable("Captures", columns, rows, align="center", least=7)))


def _cells(capture: dict[str, Any]) -> tuple[str, ...]:
    chosen = capture.get("filter") or {}
    return (
        str(capture.get("state", "?")),
        f"[{capture.get('count', 0)}/{capture.get('limit', 0)}]",
        str(capture.get("bytes", 0)),
        str(capture.get("matched", 0)),
        _from_mask(int(chosen.get("tx", 0))),
        _from_mask(int(chosen.get("rx", 0))),
        str(chosen.get("bpf") or "-"),
    )


def _from_mask(mask: int) -> str:
    return ", ".join(str(bit) for bit in range(mask.bit_length()) if mask >> bit & 1) or "-"


@command("capture record start", CONSOLE, "Record packets on the server.", TX, RX, LIMIT, FILTER, SNAPLEN, ENDPOINT)
def record_start(session: Session, given: Given) -> None:
    more = {"endpoint": given.endpoint} if given.endpoint else {}
    identity = _start(session, given, _sides(session, given), "fixed", given.limit, **more)
    session.screen.show(f"recording as capture {identity}; `capture record stop --id {identity} -o FILE` keeps it")


def _sides(session: Session, given: Given) -> tuple[list[int], list[int]]:
    tx, rx = (list(session.some(ports)) if ports else [] for ports in (given.tx, given.rx))
    if not tx and not rx:
        raise UsageError("no ports to capture on; give --tx PORT, --rx PORT, or both")
    return tx, rx


def _start(
    session: Session, args: Given, sides: tuple[list[int], list[int]], mode: str, limit: int, **more: object
) -> int:
    if args.snaplen:
        more["snaplen"] = args.snaplen
    tx, rx = sides
    answer = session.client.capture("start", tx=tx, rx=rx, limit=limit, mode=mode, filter=args.filter, **more)
    return int(answer["capture_id"])


@command(
    "capture record stop",
    CONSOLE,
    "Stop recording and write what was recorded to a pcap file.",
    ConsoleOption(
        ("-i", "--id"), "The capture, as `capture show` lists it.", count("capture", 0), "ID", optional=False
    ),
    ConsoleOption(
        ("-o", "--output"), "File to write; without it the packets are dropped.", metavar="FILE", source="files"
    ),
)
def record_stop(session: Session, args: Given) -> None:
    if session.monitor is not None and session.monitor.capture_id == args.id:
        raise UsageError(f"capture {args.id} belongs to the monitor; `capture monitor stop` ends it")
    path = _writable(args.output) if args.output else None
    with step(session.screen, f"Stopping capture {args.id}:"):
        packets = int(session.client.capture("stop", capture_id=args.id)["pkt_count"])
    if path is not None:
        with step(session.screen, f"Writing {packets} packets to {path}:"):
            write_pcap(path, _fetch(session, args.id, packets))
    session.client.capture("remove", capture_id=args.id)


def _writable(name: str) -> Path:
    path = Path(name).expanduser()
    if not path.parent.is_dir():
        raise FileFault(f"output {path} cannot be written: there is no directory {path.parent}")
    return path


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
    try:
        with pcap_writer(str(path)) as writer:
            for at_s, packet in packets:
                write_packet(writer, at_s, packet)
    except OSError as error:
        raise FileFault(f"output {path} cannot be written: {error.strerror or error}") from None


@command(
    "capture monitor start",
    CONSOLE,
    "Show packets as they pass, until `capture monitor stop`; as a single command until Ctrl-C.",
    TX,
    RX,
    FILTER,
    SNAPLEN,
    switch("-v", "--verbose", help="Show the layers of each packet."),
    switch("-p", "--pipe", help="Write the packets to a named pipe for Wireshark."),
    ConsoleOption(("-o", "--output"), "Write the packets to a pcap file.", metavar="FILE", source="files"),
)
def monitor_start(session: Session, args: Given) -> None:
    if args.verbose + args.pipe + (args.output is not None) > 1:
        raise UsageError("capture monitor start: --verbose, --pipe and --output exclude each other")
    sides = _sides(session, args)
    if session.monitor is not None:
        session.screen.show("the monitor before this one is stopped")
        session.end_monitor()
    sink = _sink(session, args)
    identity = _start(session, args, sides, "cyclic", _FETCH)
    session.monitor = CaptureMonitor(session.server, identity, sink, session.notify)
    if not session.single:
        session.monitor.start()
        session.screen.show("monitor started; `capture monitor stop` ends it")
        return
    session.screen.show("Ctrl-C ends the monitor")
    try:
        session.monitor.follow()
    except (KeyboardInterrupt, BrokenPipeError):
        session.screen.show("monitor ended")
    finally:
        session.end_monitor()


def _sink(session: Session, args: Given) -> Sink:
    if args.output is not None:
        return PcapFile(_writable(args.output))
    if not args.pipe:
        return PacketLines(session.notify, args.verbose)
    pipe = PcapPipe()
    session.screen.show(f"packets go into {pipe.path}; `wireshark -k -i {pipe.path}` shows them")
    return pipe


@command("capture monitor stop", CONSOLE, "End the monitor.")
def monitor_stop(session: Session, given: Given) -> None:
    if session.monitor is None:
        session.screen.show("no monitor runs")
        return
    with step(session.screen, "Stopping the monitor:"):
        session.end_monitor()


@command("capture clear", CONSOLE, "End and drop all captures.")
def clear(session: Session, given: Given) -> None:
    if session.monitor is not None:
        session.end_monitor()
    identities = [int(one["id"]) for one in session.client.capture("status")]
    with step(session.screen, f"Removing {len(identities)} captures:"):
        for identity in identities:
            session.client.capture("remove", capture_id=identity)
