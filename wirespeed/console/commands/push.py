"""Packets of a file, and one written at the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wirespeed.client.stateless_client import Multiplier, ProfileTarget
from wirespeed.console.commands.registry import COMMON, STATELESS, command
from wirespeed.console.commands.traffic import listed, make_ready
from wirespeed.console.grammar import ALL, PORTS, ConsoleOption, Given, Word, number, read_duration, switch
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.errors import FileFault, UsageError

MAX_LOCAL_BYTES = 1 << 20
_FROM_FILE = {"src_mac_pcap": 0x8000_0000, "dst_mac_pcap": 0x4000_0000}
"""T-Rex's clients say these two in the highest bits of the count."""


@command(
    "push",
    STATELESS,
    "Send the packets of a file, at its own times or at others.",
    ConsoleOption(("-f", "--file"), "pcap or pcapng file.", metavar="FILE", optional=False, source="files"),
    PORTS,
    ALL,
    ConsoleOption(
        ("-c", "--count"), "Number of times; 0 repeats until stopped.", number(0, "count", whole=True), "N", default="1"
    ),
    ConsoleOption(("-d", "--duration"), "Maximum duration, e.g. 10, 5m or 1h.", read_duration, "TIME"),
    ConsoleOption(("-i", "--ipg"), "Microseconds between packets.", number(0.001, "ipg"), "USEC"),
    ConsoleOption(("--min-ipg",), "Minimum microseconds between packets.", number(0, "min-ipg"), "USEC"),
    ConsoleOption(("-s", "--speedup"), "Speed as a multiple of the file's.", number(1e-6, "speedup"), "N", default="1"),
    switch("--force", help="Stop running traffic; allow large files, ports without link, and service mode."),
    switch("--dual", help="Split the file by MAC address between each port and the other one of its pair."),
    switch("-r", "--remote", help="The file is on the server, which sends it directly."),
    switch("--src-mac-pcap", help="Source addresses of the file, not of the port."),
    switch("--dst-mac-pcap", help="Destination addresses of the file."),
)
def push(session: Session, args: Given) -> None:
    if args.ipg is not None and args.min_ipg is not None:
        raise UsageError("push: --ipg and --min-ipg exclude each other")
    ports = session.ours(args.ports)
    if args.remote:
        _push_remote(session, ports, args)
        return
    path = Path(args.file).expanduser()
    if not path.is_file():
        raise FileFault(f"packet file {args.file} is not a file on this machine; --remote sends one of the server's")
    if path.stat().st_size > MAX_LOCAL_BYTES and not args.force:
        raise UsageError(f"packet file {args.file} is over 1 MB; copy it to the server and push it with -r, or --force")
    both = _both_sides(session, ports) if args.dual else ports
    targets = [ProfileTarget(port) for port in both]
    make_ready(session, targets, args.force)
    with step(session.screen, f"Converting '{args.file}' to streams:"):
        streams = _streams(path, args, len(both))
    client = session.client
    with step(session.screen, f"Pushing '{args.file}' on port(s) {listed(targets)}:"):
        client.on_profiles("remove_all_streams", targets)
        for target, items in zip(targets, streams, strict=True):
            client.load_streams(target, items)
        session.started = True
        client.start_profiles(targets, Multiplier("raw", "abs", 1), args.duration or -1, args.force)


def _both_sides(session: Session, ports: Sequence[int]) -> list[int]:
    """Each port and the other port of its pair: first the sending side, then the answering one."""
    if twice := [port for port in ports if port ^ 1 in ports]:
        raise UsageError(f"push --dual: ports {twice} are a pair; give one port of each, as in `push --dual -p 0`")
    both = [one for port in ports for one in (port, port ^ 1)]
    session.ours(both)
    return both


def _streams(path: Path, args: Given, ports: int) -> list[list[dict[str, Any]]]:
    """Streams for each of the ports, in turn those of one side and of the other."""
    from wirespeed.profiles.loading import number_streams  # noqa: PLC0415 - scapy takes long to import
    from wirespeed.profiles.packet_files import load_pcap  # noqa: PLC0415

    loaded = load_pcap(
        path,
        ipg_usec=args.ipg,
        speedup=args.speedup,
        loop_count=int(args.count),
        split_mode="MAC" if args.dual else None,
        min_ipg_usec=args.min_ipg,
        src_mac_pcap=args.src_mac_pcap,
        dst_mac_pcap=args.dst_mac_pcap,
    )
    sides = (loaded,) if isinstance(loaded, list) else loaded
    return [number_streams(sides[place % len(sides)], str(path)) for place in range(ports)]


def _push_remote(session: Session, ports: tuple[int, ...], args: Given) -> None:
    make_ready(session, [ProfileTarget(port) for port in ports], args.force)
    flags = sum(bit for name, bit in _FROM_FILE.items() if getattr(args, name))
    with step(session.screen, f"Pushing remote PCAP on port(s) {list(ports)}:"):
        session.started = True
        session.client.play_file(
            ports,
            pcap_filename=args.file,
            ipg_usec=-1 if args.ipg is None else args.ipg,
            min_ipg_usec=args.min_ipg or 0,
            speedup=args.speedup,
            count=int(args.count) | flags,
            duration=args.duration or -1,
            dual=args.dual,
        )


def _as_typed(word: str) -> str:
    """A packet as it was typed: only quotes around the whole of it are not part of it."""
    typed = word.typed if isinstance(word, Word) else word
    return word if typed[:1] in ("'", '"') else typed


@command(
    "pkt",
    COMMON,
    "Send one packet, written as scapy's layers.",
    ConsoleOption(
        ("-s", "--scapy"), 'The packet, as in -s Ether()/IP(dst="48.0.0.1")/UDP(dport=12).', _as_typed, "PACKET"
    ),
    switch("-l", "--layers", help="List the available layers."),
    PORTS,
    ALL,
    switch("-n", "--dry", help="Show the packet; send nothing."),
    switch("--force", help="Accepted as in T-Rex; running traffic never blocks the packet."),
)
def pkt(session: Session, args: Given) -> None:
    from wirespeed.console.packet_text import layer_names, read_packet  # noqa: PLC0415 - imports all of scapy

    if (args.scapy is None) != args.layers:
        raise UsageError("pkt: give the packet with -s, or -l to list the layers")
    if args.layers:
        session.screen.show(layer_names())
        return
    packet, described = read_packet(args.scapy)
    if args.dry:
        session.screen.show(f"Packet (size: {len(packet.raw)} B, without FCS):\n\n{described}\nnot sent")
        return
    ports = session.ours(args.ports)
    with step(session.screen, f"Pushing 1 packets on port(s) {list(ports)}:"):
        for port in ports:
            session.client.push_packets(port, [packet])
