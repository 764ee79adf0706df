"""Ownership and attributes of ports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from wirespeed.client.stateless_client import ALL_PROFILES, ProfileTarget
from wirespeed.console.commands.registry import COMMON, STATELESS, command
from wirespeed.console.commands.statistics import port_status
from wirespeed.console.grammar import ALL, PORTS, ConsoleOption, Given, count, switch
from wirespeed.console.screen import step
from wirespeed.console.session import Session
from wirespeed.errors import RemoteError, UsageError

_FILTERED = {
    "bgp": ("BGP", 2),
    "dhcp": ("DHCPv4 and DHCPv6", 4),
    "mdns": ("mDNS", 16),
    "emu": ("what the emulation server needs", 4 | 16 | 1 | 8),
    "tran": ("TCP and UDP of the emulation server", 8),
    "no-tcp-udp": ("all but TCP and UDP", 1),
    "all": ("everything that can be filtered", 255),
}
"""Packets that filtered service mode hands out, and their bits in the server's mask."""

_FLOW_CONTROL = {"none": 0, "tx": 1, "rx": 2, "full": 3}


@command(
    "acquire",
    COMMON,
    "Take ports, so that this console may change them.",
    PORTS,
    ALL,
    switch("-f", "--force", help="Acquire ports by force."),
)
def acquire(session: Session, given: Given) -> None:
    ports = list(session.some(given.ports))
    with step(session.screen, f"{'Force acquiring' if given.force else 'Acquiring'} ports {ports}:"):
        session.client.take(ports, given.force)


@command("release", COMMON, "Give ports back; what they send goes on.", PORTS, ALL)
def release(session: Session, given: Given) -> None:
    ports = session.ours(given.ports)
    running = [port for port in session.active_ports() if port in ports]
    with step(session.screen, f"Releasing ports {list(ports)}:"):
        session.client.give_back(ports)
    session.service_ports.difference_update(ports)
    if running:
        session.screen.show(f"traffic still runs on port(s) {running}; `acquire` and `stop` end it")


@command(
    "reset",
    COMMON,
    "Take ports, stop them, and bring them back to what they were at first.",
    PORTS,
    ALL,
    switch("-r", "--restart", help="Also bring the links up, if the driver can."),
)
def reset(session: Session, args: Given) -> None:
    """Features that a server does not have cannot be on, so those that it refuses are left. Queues and captures go
    first: they keep a port in service mode."""
    client, ports = session.client, session.some(args.ports)
    with step(session.screen, f"Resetting ports {list(ports)}:"):
        client.take(ports, force=True)
        client.on_profiles("stop_traffic", [ProfileTarget(port, ALL_PROFILES) for port in ports])
        for port in ports:
            _try(session, "set_rx_feature", port, type="queue", enabled=False)
        _remove_captures(session, ports)
        client.on_profiles("remove_all_streams", client.profiles(ports))
        for port in ports:
            _try(session, "set_port_attr", port, attr={"promiscuous": {"enabled": False}})
            if args.restart:
                _try(session, "set_port_attr", port, attr={"link_status": {"up": True}})
            _try(session, "service", port, enabled=False, filtered=False)
        session.clear(ports)
    session.service_ports.difference_update(ports)


def _remove_captures(session: Session, ports: Sequence[int]) -> None:
    """Remove the captures that take packets of `ports`."""
    mask = sum(1 << port for port in ports)
    for one in session.client.capture("status"):
        sides = one.get("filter") or {}
        if (int(sides.get("tx", 0)) | int(sides.get("rx", 0))) & mask:
            session.client.capture("remove", capture_id=int(one["id"]))


def _try(session: Session, method: str, port: int, **params: object) -> None:
    try:
        session.client.on_ports(method, [port], **params)
    except RemoteError as error:
        if "not registered" not in str(error) and "not supported" not in str(error):
            raise


def _switch(flag: str, help: str, *choices: str) -> ConsoleOption:
    return ConsoleOption((flag,), help, choices=choices)


@command(
    "portattr",
    COMMON,
    "Show or set attributes of ports.",
    PORTS,
    ALL,
    _switch("--prom", "Receive what is not addressed to the port.", "on", "off"),
    _switch("--mult", "Receive multicast.", "on", "off"),
    _switch("--link", "Bring the link up or down.", "up", "down"),
    _switch("--led", "Light the port's LED.", "on", "off"),
    _switch("--fc", "Flow control.", *_FLOW_CONTROL),
    ConsoleOption(
        ("--vxlan-fs",),
        "UDP ports of VXLAN whose inner packets the NIC counts in flow statistics.",
        count("UDP port"),
        "UDP",
        True,
    ),
    switch("--supp", help="List the attributes that can be set."),
)
def portattr(session: Session, args: Given) -> None:
    attributes: dict[str, dict[str, object]] = {}
    if args.prom:
        attributes["promiscuous"] = {"enabled": args.prom == "on"}
    if args.mult:
        attributes["multicast"] = {"enabled": args.mult == "on"}
    if args.link:
        attributes["link_status"] = {"up": args.link == "up"}
    if args.led:
        attributes["led_status"] = {"on": args.led == "on"}
    if args.fc:
        attributes["flow_ctrl_mode"] = {"mode": _FLOW_CONTROL[args.fc]}
    if args.vxlan_fs:
        attributes["vxlan_fs"] = args.vxlan_fs
    if args.supp:
        _show_supported(session, session.some(args.ports))
    elif attributes:
        ports = session.ours(args.ports)
        with step(session.screen, f"Applying attributes on port(s) {list(ports)}:"):
            session.client.on_ports("set_port_attr", ports, attr=attributes)
    else:
        session.screen.show(port_status(session, session.some(args.ports)))


def _show_supported(session: Session, ports: tuple[int, ...]) -> None:
    kinds = {"prom": "is_prom_supported", "link": "is_link_supported", "led": "is_led_supported"}
    kinds["fc"] = "is_fc_supported"
    for port in ports:
        info = session.port_info(port)
        can = [f"--{flag}" for flag, key in kinds.items() if info.get(key)]
        session.screen.show(f"port {port}: {', '.join(can) or 'no attribute can be set'}")


@command(
    "service",
    STATELESS,
    "Switch service mode, which captures, ping and ARP need.",
    PORTS,
    replace(ALL, flags=("-a",)),
    switch("--off", help="Return to normal mode."),
    switch("--filtered", help="Filtered: the port passes selected packets only. A wirespeed generator passes all."),
    *(switch(f"--{name}", help=f"Filtered: {text}.") for name, (text, _) in _FILTERED.items()),
)
def service(session: Session, args: Given) -> None:
    ports = session.ours(args.ports)
    masks = [mask for name, (_, mask) in _FILTERED.items() if getattr(args, name.replace("-", "_"))]
    filtered = args.filtered or bool(masks)
    if args.off and filtered:
        raise UsageError("service: --off excludes the filtered modes")
    params: dict[str, object] = {"enabled": not (args.off or masks), "filtered": filtered}
    if masks:
        params["mask"] = reduce(or_, masks)
    mode = "filtered service" if filtered else "service"
    with step(session.screen, f"{'Disabling' if args.off else 'Enabling'} {mode} mode on port(s): {list(ports)}"):
        session.client.on_ports("service", ports, **params)
    if args.off:
        session.service_ports.difference_update(ports)
    else:
        session.service_ports.update(ports)
