"""Single packets: ping, IPv6 neighbours, and which port is wired to which."""

from __future__ import annotations

import time
from dataclasses import replace

from wirespeed.console.commands.port_addresses import ONE_PORT, only_port, read_ip, read_tags, read_vlan
from wirespeed.console.commands.registry import COMMON, command
from wirespeed.console.grammar import ALL, PORTS, ConsoleOption, Given, count, number
from wirespeed.console.session import Session
from wirespeed.errors import UsageError
from wirespeed.units import MAX_FRAME_BYTES, MIN_FRAME_BYTES


@command(
    "ping",
    COMMON,
    "Ping the server, or with -p and -d an address from a port.",
    replace(ONE_PORT, optional=True),
    ConsoleOption(("-d", "--dst"), "Address to ping from the port, IPv4 or IPv6.", read_ip, "IP"),
    ConsoleOption(
        ("--vlan",), "VLAN tags of the requests; those of the port if left out.", read_vlan, "VLAN", many=True
    ),
    ConsoleOption(("-n", "--count"), "Packets.", count("count"), "N", default="5"),
    ConsoleOption(
        ("-s", "--size"), "Frame size with FCS.", count("frame size", MIN_FRAME_BYTES), "BYTES", default="64"
    ),
    ConsoleOption(("-i", "--interval"), "Seconds between packets.", number(0, "interval"), "S", default="1"),
)
def ping(session: Session, args: Given) -> None:
    if (args.ports is None) != (args.dst is None):
        raise UsageError("ping: give both -p PORT and -d IP, or neither to ping the server")
    if args.size > MAX_FRAME_BYTES:
        raise UsageError(f"frame size {args.size} cannot be used; give {MIN_FRAME_BYTES} to {MAX_FRAME_BYTES}")
    if args.ports is None:
        before_s = time.perf_counter()
        session.client.call("ping")
        session.screen.show(f"{session.server} answers in {(time.perf_counter() - before_s) * 1e3:.2f} ms")
    else:
        _ping_from(session, only_port(args), args)


def _ping_from(session: Session, port: int, args: Given) -> None:
    from wirespeed.client.probes import ping, resolve6  # noqa: PLC0415
    from wirespeed.console.layer3 import layer3, layer3_ipv6  # noqa: PLC0415 - scapy takes long to import
    from wirespeed.console.neighbors6 import ping6  # noqa: PLC0415 - as above

    session.ours([port])
    [status] = session.statuses([port])
    if not status.get("service"):
        raise UsageError(f"ping - port(s) [{port}]: must be under service mode; `service -p {port}` first")
    is_ipv6 = ":" in args.dst
    who = replace(layer3_ipv6(status) if is_ipv6 else layer3(port, status), dst_ip=args.dst)
    who = who if args.vlan is None else replace(who, vlans=read_tags(args.vlan))
    if is_ipv6:  # an address that nobody on the link has is behind the router
        who = replace(who, dst_mac=resolve6(session.client, port, who) or who.dst_mac)
    session.screen.show(f"Pinging {args.dst} from port {port} with {args.size} bytes:")
    answered = 0
    for sequence in range(1, args.count + 1):
        took_s = (ping6 if is_ipv6 else ping)(session.client, port, who, sequence, args.size)
        answered += took_s is not None
        what = "no reply" if took_s is None else f"reply from {args.dst}, time={took_s * 1e3:.3f} ms"
        session.screen.show(f"seq={sequence} {what}")
        if sequence < args.count:
            time.sleep(args.interval)
    session.screen.show(f"{answered} of {args.count} answered")


@command(
    "scan6",
    COMMON,
    "Find the IPv6 neighbours of ports.",
    PORTS,
    ALL,
    ConsoleOption(("-t", "--timeout"), "Seconds to wait for answers.", number(0.1, "timeout"), "S", default="3"),
)
def scan6(session: Session, args: Given) -> None:
    from wirespeed.console.layer3 import layer3_ipv6  # noqa: PLC0415 - scapy takes long to import
    from wirespeed.console.neighbors6 import scan  # noqa: PLC0415 - as above

    ports = session.ours(args.ports)
    statuses = dict(zip(ports, session.statuses(ports), strict=True))
    for port, status in statuses.items():
        if not status.get("service"):
            raise UsageError(f"scan6 - port(s) [{port}]: must be under service mode; `service -p {port}` first")
    for port, status in statuses.items():
        who = layer3_ipv6(status)
        session.screen.show(f"port {port}: asking all nodes from {who.src_ip}")
        count = 0
        for one in scan(session.client, port, who, args.timeout):
            count += 1
            kind = "  router" if one.is_router else ""
            session.screen.show(f"  {one.ip:<39}  {one.mac}{kind}")
        session.screen.show(f"port {port}: {count} neighbour{'' if count == 1 else 's'}")


@command("map", COMMON, "Find out which port is wired to which, by a packet from each.", PORTS)
def map_ports(session: Session, given: Given) -> None:
    from wirespeed.client.probes import find_peers  # noqa: PLC0415

    ports = session.some(given.ports)
    macs = {port: str(session.port_info(port).get("hw_mac")) for port in ports}
    for port, peer in find_peers(session.client, macs).items():
        session.screen.show(f"port {port} -> {'nothing came back' if peer is None else f'port {peer}'}")
