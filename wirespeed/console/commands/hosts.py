"""Hosts that a port emulates in addition to itself: T-Rex's `ns`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wirespeed.console.commands.port_addresses import ONE_PORT, only_port, read_ipv4, read_tags, read_vlan
from wirespeed.console.commands.registry import COMMON, command
from wirespeed.console.grammar import ConsoleOption, Given, count, switch
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.console.tables import ConsoleRow, ConsoleTable, render
from wirespeed.errors import RemoteError, UsageError
from wirespeed.model import link_local, mac_bytes, parse_mac

Json = dict[str, Any]

_TAG_TYPES = {"0x8100": 0x8100, "0x88a8": 0x88A8}
_SAID = ("mac", "address", "gateway", "gateway_mac", "vlan")

MAC = ConsoleOption(("--mac",), "Address of the host.", parse_mac, "MAC", optional=False)


def _read_type(word: str) -> int:
    if (kind := _TAG_TYPES.get(word.lower())) is None:
        raise UsageError(f"type {word!r} of a VLAN tag cannot be used; give {' or '.join(_TAG_TYPES)}")
    return kind


@command(
    "ns add",
    COMMON,
    "Let a port stand for one more host, which answers ARP and ping.",
    ONE_PORT,
    MAC,
    ConsoleOption(("--src",), "IPv4 address of the host.", read_ipv4, "IP", optional=False),
    ConsoleOption(("--dst",), "Gateway of the host, resolved by ARP.", read_ipv4, "IP"),
    ConsoleOption(("--vlan",), "VLAN tags, at most two.", read_vlan, "VLAN", True),
    ConsoleOption(("--tpid",), "Types of the tags, 0x8100 or 0x88a8.", _read_type, "TYPE", True, repeats=True),
    switch("--auto-ipv6", help="Also use the link-local IPv6 address of the MAC address."),
    replace(
        ConsoleOption(("--shared-ns",), "Taken as T-Rex's.", metavar="NAME"),
        moot="hosts of a port share nothing; each is given its address and gateway",
    ),
    replace(
        ConsoleOption(("--subnet",), "Taken as T-Rex's.", count("subnet"), "BITS"),
        moot="a host needs no mask; all that it sends goes to its gateway",
    ),
)
def add(session: Session, args: Given) -> None:
    [port] = session.ours([only_port(args)])
    kinds = args.tpid or []
    if len(kinds) > len(args.vlan or ()):
        raise UsageError("ns add: --tpid has more types than --vlan has tags")
    tags = [{"id": tag} for tag in read_tags(args.vlan or ())]
    vlan = [{**tag, "type": kind} for tag, kind in zip(tags, kinds, strict=False)] + tags[len(kinds) :]
    host = {"mac": args.mac, "address": args.src, "gateway": args.dst, "vlan": vlan}
    added = [host] + [{"mac": args.mac, "address": str(link_local(mac_bytes(args.mac))), "vlan": vlan}] * args.auto_ipv6
    with step(session.screen, f"Adding host {args.mac} to port {port}:"):
        _place(session, port, [*(one for one in _hosts(session, port) if one["mac"] != args.mac), *added])


@command("ns remove", COMMON, "Let a port stand for a host no more.", ONE_PORT, MAC)
def remove(session: Session, args: Given) -> None:
    [port] = session.ours([only_port(args)])
    hosts = _hosts(session, port)
    _of_mac(port, hosts, args.mac)
    with step(session.screen, f"Removing host {args.mac} from port {port}:"):
        _place(session, port, [one for one in hosts if one["mac"] != args.mac])


@command("ns remove-all", COMMON, "Let none of the acquired ports stand for hosts any more.")
def remove_all(session: Session, given: Given) -> None:
    ports = session.ours(None)
    with step(session.screen, f"Removing all hosts from port(s) {list(ports)}:"):
        for port in ports:
            _place(session, port, [])


@command("ns show-nodes", COMMON, "Show the hosts that a port stands for.", ONE_PORT)
def show_nodes(session: Session, given: Given) -> None:
    [port] = session.some([only_port(given)])
    _show(session, port, _hosts(session, port))


@command("ns show-node", COMMON, "Show one of the hosts that a port stands for.", ONE_PORT, MAC)
def show_node(session: Session, given: Given) -> None:
    [port] = session.some([only_port(given)])
    _show(session, port, _of_mac(port, _hosts(session, port), given.mac))


def _show(session: Session, port: int, hosts: Sequence[Json]) -> None:
    rows = tuple(ConsoleRow(one["mac"], tuple(_cell(one.get(key)) for key in _SAID[1:])) for one in hosts)
    if rows:
        session.screen.show(render(ConsoleTable(f"Hosts of port {port}", _SAID, rows, align="left")))
    else:
        session.screen.show(f"port {port} emulates no host")


def _cell(value: Any) -> str:
    return ", ".join(str(tag["id"]) for tag in value) or "-" if isinstance(value, list) else str(value or "-")


def _of_mac(port: int, hosts: Sequence[Json], mac: str) -> list[Json]:
    found = [one for one in hosts if one["mac"] == mac]
    if not found:
        raise UsageError(f"port {port} emulates no host {mac}; `ns show-nodes -p {port}` lists them")
    return found


def _hosts(session: Session, port: int) -> list[Json]:
    """UsageError at a T-Rex, which has name spaces of Linux instead."""
    try:
        hosts: list[Json] = session.client.call("get_emulated_hosts", port_id=port)
    except RemoteError as error:
        if "not registered" in str(error):
            raise UsageError(f"ns: {session.server} is a T-Rex; use its own console for hosts in namespaces") from None
        raise
    return hosts


def _place(session: Session, port: int, hosts: Sequence[Json]) -> None:
    listed = [{key: one[key] for key in _SAID if one.get(key)} for one in hosts]
    session.client.on_ports("set_emulated_hosts", [port], hosts=listed)
