"""Addresses of ports: layer 2, IPv4, IPv6 and VLAN."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any

from wirespeed.console.commands.registry import COMMON, command
from wirespeed.console.grammar import ALL, PORTS, ConsoleOption, Given, count, read_ports, switch
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.errors import UsageError, WirespeedError
from wirespeed.model import parse_mac

_SERVER_ASKS_S = 3.5
"""Our server resolves by itself: three requests, a second apart."""

_CLIENT_ASKS_S = 0.5
"""T-Rex leaves the resolution to its client, which needs service mode; a wirespeed generator has resolved the address
by then."""

_POLL_S = 0.05

ONE_PORT = ConsoleOption(
    ("-p", "--port"), "The port.", read_ports, "PORT", optional=False, dest="ports", source="ports"
)


def only_port(args: Given) -> int:
    """The one port of a command that takes one; UsageError for more."""
    if len(args.ports) != 1:
        raise UsageError(f"-p takes one port here, not {len(args.ports)}")
    port: int = args.ports[0]
    return port


def _read_address(kind: Callable[[str], object], example: str) -> Callable[[str], str]:
    def read(word: str) -> str:
        try:
            return str(kind(word))
        except AddressValueError:
            raise UsageError(f"address {word!r} cannot be read; give one such as {example}") from None

    return read


read_ipv4 = _read_address(IPv4Address, "10.0.0.1")
_read_ipv6 = _read_address(IPv6Address, "2001:db8::1")


def read_ip(word: str) -> str:
    """IPv4 or IPv6."""
    return _read_ipv6(word) if ":" in word else read_ipv4(word)


def read_tags(tags: Sequence[int]) -> tuple[int, ...]:
    """VLAN tags of one packet; UsageError for more than two."""
    if len(tags) > 2:
        raise UsageError(f"{len(tags)} VLAN tags; a port takes two at most")
    return tuple(tags)


def read_vlan(word: str) -> int:
    if not word.isascii() or not word.isdigit() or not 1 <= int(word) <= 4094:
        raise UsageError(f"VLAN {word!r} cannot be used; give a number from 1 to 4094")
    return int(word)


@command(
    "l2",
    COMMON,
    "Send to a MAC address: layer 2 mode.",
    ONE_PORT,
    ConsoleOption(("--dst",), "Destination MAC address of the port's packets.", parse_mac, "MAC", optional=False),
)
def l2(session: Session, given: Given) -> None:
    ports = session.ours([only_port(given)])
    with step(session.screen, f"Setting port {ports[0]} in L2 mode:"):
        session.client.on_ports("set_l2", ports, dst_mac=given.dst, block=False)


@command(
    "l3",
    COMMON,
    "Give a port an IPv4 address and a next hop, and resolve it: layer 3 mode.",
    ONE_PORT,
    ConsoleOption(("--src",), "Address of the port.", read_ipv4, "IP", optional=False),
    ConsoleOption(("--dst",), "Next hop of the port: the router's address.", read_ipv4, "IP", optional=False),
    ConsoleOption(("--vlan",), "VLAN tags, at most two.", read_vlan, "VLAN", many=True),
)
def l3(session: Session, args: Given) -> None:
    ports = session.ours([only_port(args)])
    addresses = {"src_addr": args.src, "dst_addr": args.dst}
    if args.vlan is not None:
        _set_vlan(session, ports, args.vlan)
    with step(session.screen, f"Setting port {ports[0]} in L3 mode:"):
        session.client.on_ports("set_l3", ports, block=False, **addresses)
    [status] = session.statuses(ports)
    serving = bool(status.get("service"))
    if _resolved(session, ports[0], _CLIENT_ASKS_S if serving else _SERVER_ASKS_S):
        session.screen.show(f"port {ports[0]}: {args.dst} is resolved")
    elif serving:
        _resolve(session, ports[0])
    else:
        raise WirespeedError(f"port {ports[0]}: no answer for {args.dst}; `service`, then `arp` asks again")


@command(
    "arp",
    COMMON,
    "Resolve the next hops of ports in layer 3 mode (again).",
    PORTS,
    ALL,
    ConsoleOption(
        ("--vlan",), "VLAN tags of the requests; those of the port if left out.", read_vlan, "VLAN", many=True
    ),
    ConsoleOption(("-r", "--retries"), "Retries if there is no answer.", count("retries", 0), "N", default="0"),
)
def arp(session: Session, args: Given) -> None:
    """Without ports given, those that have an IPv4 address."""
    from wirespeed.console.layer3 import layer3  # noqa: PLC0415 - scapy takes long to import

    tags = None if args.vlan is None else read_tags(args.vlan)
    ports = session.ours(args.ports)
    statuses = dict(zip(ports, session.statuses(ports), strict=True))
    if args.ports is None:
        statuses = {
            port: one for port, one in statuses.items() if _ipv4(one).get("state", "none") != "none"
        } or statuses
    for port, status in statuses.items():
        layer3(port, status)
        _need_service(port, bool(status.get("service")), "arp")
    for port in statuses:
        _resolve(session, port, tags, args.retries)


def _need_service(port: int, serving: bool, what: str) -> None:
    if not serving:
        raise UsageError(f"{what}: port {port} must be in service mode; `service -p {port}` first")


def _resolved(session: Session, port: int, within_s: float) -> bool:
    """True as soon as the port's next hop is known."""
    deadline = time.monotonic() + within_s
    while True:
        [status] = session.statuses([port])
        is_resolved = _ipv4(status).get("state") == "resolved"
        if is_resolved or time.monotonic() > deadline:
            return is_resolved
        time.sleep(_POLL_S)


def _ipv4(status: Mapping[str, Any]) -> Mapping[str, Any]:
    return ((status.get("attr") or {}).get("layer_cfg") or {}).get("ipv4") or {}


def _resolve(session: Session, port: int, tags: tuple[int, ...] | None = None, retries: int = 0) -> None:
    from wirespeed.client.probes import resolve  # noqa: PLC0415
    from wirespeed.console.layer3 import layer3  # noqa: PLC0415

    [status] = session.statuses([port])
    who = layer3(port, status)
    who = who if tags is None else replace(who, vlans=tags)
    with step(session.screen, f"Resolving {who.dst_ip} from port {port}:"):
        tries = (resolve(session.client, port, who) for _ in range(retries + 1))
        mac = next(filter(None, tries), None)
        if mac is None:
            raise WirespeedError(f"port {port}: no answer for {who.dst_ip}; is the neighbour up on this link?")
        addresses = {"src_addr": who.src_ip, "dst_addr": who.dst_ip, "resolved_mac": mac}
        session.client.on_ports("set_l3", [port], block=False, **addresses)
    session.screen.show(f"port {port}: {who.dst_ip} is at {mac}")


@command(
    "vlan",
    COMMON,
    "Tag what ports send by themselves, such as ARP and ping.",
    PORTS,
    ALL,
    ConsoleOption(("tags",), "At most two tags, the outer one first.", read_vlan, "VLAN", many=True),
    ConsoleOption(("--vlan",), "The same.", read_vlan, "VLAN", many=True),
    switch("-c", "--clear", help="No tags."),
)
def vlan(session: Session, args: Given) -> None:
    tags = [*(args.tags or ()), *(args.vlan or ())]
    if bool(tags) == args.clear:
        raise UsageError("vlan: give one or two tags, or --clear, as in `vlan -p 0 -c` or `vlan 100 -p 0`")
    _set_vlan(session, session.ours(args.ports), tags)


def _set_vlan(session: Session, ports: tuple[int, ...], tags: list[int]) -> None:
    vlan = list(read_tags(tags))
    with step(session.screen, f"Setting VLAN {vlan} on port(s) {list(ports)}:"):
        session.client.on_ports("set_vlan", ports, vlan=vlan, block=False)


@command(
    "ipv6",
    COMMON,
    "Give ports an IPv6 address.",
    PORTS,
    switch("--off", help="Disable IPv6."),
    switch("--auto-ipv6", help="Use an address derived from the MAC address (the default without --src)."),
    ConsoleOption(("-s", "--src"), "Address.", _read_ipv6, "IPV6"),
)
def ipv6(session: Session, args: Given) -> None:
    if args.off + args.auto_ipv6 + (args.src is not None) > 1:
        raise UsageError("ipv6: --off, --auto-ipv6 and --src exclude each other")
    ports = session.ours(args.ports)
    with step(session.screen, f"{'Disabling' if args.off else 'Enabling'} IPv6 on port(s) {list(ports)}:"):
        session.client.on_ports("conf_ipv6", ports, enabled=not args.off, src_ipv6=args.src or "", block=False)
