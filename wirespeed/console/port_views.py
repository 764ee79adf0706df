"""Port, global and status tables. Pure: readings in, tables out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from wirespeed.console.readings import STATES, PortReading, total
from wirespeed.console.tables import RULE, ConsoleRow, ConsoleTable, facts
from wirespeed.units import format_si, l1_bps

Json = Mapping[str, Any]

GOOD, BAD = "green", "bold red"

_DROP_NOISE = 0.001
"""Sent and received rates are smoothed apart: a difference below this share of the sent is none."""


def port_table(readings: Sequence[PortReading], title: str = "Port Statistics") -> ConsoleTable:
    """T-Rex's port statistics, with additional counters of a wirespeed generator; a total for several ports."""
    shown = [*readings, total(readings)] if len(readings) > 1 else list(readings)
    headings = [str(reading.port) if reading.port is not None else "total" for reading in shown]

    def row(
        name: str, text: Callable[[PortReading], str], styles: tuple[str, ...] = (), ports_only: bool = False
    ) -> ConsoleRow:
        return ConsoleRow(name, tuple("" if ports_only and port.port is None else text(port) for port in shown), styles)

    def count(name: str, bad: bool = False) -> ConsoleRow:
        return row(name, lambda reading: str(reading.counters[name]), count_styles(shown, name) if bad else ())

    links = tuple("" if reading.link_up else BAD for reading in shown)
    states = tuple(GOOD if reading.sends else "" for reading in shown)
    rows = [
        row("owner", lambda reading: reading.owner, ports_only=True),
        row("link", lambda reading: "UP" if reading.link_up else "DOWN", links, ports_only=True),
        row("state", lambda reading: reading.state, states, ports_only=True),
        row("speed", lambda reading: format_speed(reading.speed_bps), ports_only=True),
        row("CPU util.", lambda reading: f"{reading.cpu_percent:.2f}%", ports_only=True),
        RULE,
        row("Tx bps L2", lambda reading: format_si(reading.tx_bps, "bps")),
        row("Tx bps L1", lambda reading: format_si(reading.tx_l1_bps, "bps")),
        row("Tx pps", lambda reading: format_si(reading.tx_pps, "pps")),
        row("Line Util.", format_line, ports_only=True),
        RULE,
        row("Rx bps", lambda reading: format_si(reading.rx_bps, "bps")),
        row("Rx pps", lambda reading: format_si(reading.rx_pps, "pps")),
        RULE,
        *(count(name) for name in ("opackets", "ipackets", "obytes", "ibytes")),
        row("tx-pkts", lambda reading: format_si(reading.counters["opackets"], "pkts")),
        row("rx-pkts", lambda reading: format_si(reading.counters["ipackets"], "pkts")),
        row("tx-bytes", lambda reading: format_si(reading.counters["obytes"], "B")),
        row("rx-bytes", lambda reading: format_si(reading.counters["ibytes"], "B")),
        RULE,
        count("oerrors", bad=True),
        count("ierrors", bad=True),
    ]
    extra = (("intended", False), ("refused", True), ("late", True), ("missed", True))
    known = [(name, bad) for name, bad in extra if shown and all(name in reading.counters for reading in shown)]
    if known:
        rows += [RULE, *(count(name, bad=bad) for name, bad in known)]
    return ConsoleTable(title, ("port", *headings), tuple(rows))


def count_styles(readings: Sequence[PortReading], name: str) -> tuple[str, ...]:
    """Counters that should stay 0 stand out when they do not."""
    return tuple(BAD if one.counters[name] else "" for one in readings)


@dataclass(frozen=True)
class ServerFacts:
    """Head of the global statistics: facts about the server."""

    server: str
    version: str
    cores: int
    ports_per_core: int


def global_table(server: ServerFacts, stats: Json) -> Text:
    """T-Rex's global statistics, from `get_global_stats`."""
    tx_bps, tx_pps, rx_bps = (float(stats.get(name) or 0) for name in ("m_tx_bps", "m_tx_pps", "m_rx_bps"))
    host, _, port = server.server.rpartition(":")
    cores = f"{server.cores} cores ({server.ports_per_core} per dual port)"
    rx_cpu = f"{float(stats.get('m_rx_cpu_util') or 0):.2f}%"
    left = [
        ("connection", f"{host}, Port {port}"),
        ("version", server.version),
        ("cpu_util.", f"{float(stats.get('m_cpu_util') or 0):.2f}% @ {cores}"),
        ("rx_cpu_util.", f"{rx_cpu} / {format_si(float(stats.get('m_rx_core_pps') or 0), 'pps')}"),
        ("total_cps.", format_si(float(stats.get("m_tx_cps") or 0), "cps")),
    ]
    right = [
        ("total_tx_L2", format_si(tx_bps, "bps")),
        ("total_tx_L1", format_si(l1_bps(tx_bps, tx_pps), "bps")),
        ("total_rx", format_si(rx_bps, "bps")),
        ("total_pps", format_si(tx_pps, "pps")),
        ("drop_rate", format_si(drop_bps(stats), "bps")),
        ("queue_full", format_si(float(stats.get("m_total_queue_full") or 0), "pkts")),
    ]
    return facts("Global Statistics", left, right)


def drop_bps(stats: Json) -> float:
    """Rate of packets that are sent and do not come back, or the server's own figure if that is higher."""
    tx_bps, rx_bps = float(stats.get("m_tx_bps") or 0), float(stats.get("m_rx_bps") or 0)
    lost = tx_bps - rx_bps
    return max(lost if lost > tx_bps * _DROP_NOISE else 0.0, float(stats.get("m_rx_drop_bps") or 0))


def status_table(ports: Sequence[Json], statuses: Sequence[Json]) -> ConsoleTable:
    """`portattr` without options: from `get_system_info`'s ports and `get_port_status`."""
    columns = [_status_cells(port, status) for port, status in zip(ports, statuses, strict=True)]
    rows = []
    for name in _STATUS_ROWS:
        if not name:
            rows.append(RULE)
            continue
        cells = tuple(column[name] for column in columns)
        if name in _OURS and not any(cells):
            continue
        rows.append(ConsoleRow(name, cells, tuple(BAD if cell == "DOWN" else "" for cell in cells)))
    headings = tuple(str(port.get("index", "?")) for port in ports)
    return ConsoleTable("Port Status", ("port", *headings), tuple(rows), align="center", least=18)


_STATUS_ROWS = (
    "driver",
    "description",
    "link status",
    "link speed",
    "MTU",
    "longest frame",
    "port status",
    "promiscuous",
    "multicast",
    "flow ctrl",
    "vxlan fs",
    "",
    "layer mode",
    "src IPv4",
    "IPv6",
    "src MAC",
    "",
    "Destination",
    "ARP Resolution",
    "",
    "VLAN",
    "",
    "PCI Address",
    "NUMA Node",
    "RX Filter Mode",
    "RX Queueing",
    "Grat ARP",
    "service",
)

_OURS = ("MTU", "longest frame")
"""Placeholder for values that a T-Rex does not have."""


def _status_cells(port: Json, status: Json) -> dict[str, str]:
    attr = status.get("attr") or {}
    layers, rx = attr.get("layer_cfg") or {}, status.get("rx_info") or {}
    ether, ipv4, ipv6 = (layers.get(name) or {} for name in ("ether", "ipv4", "ipv6"))
    state = str(status.get("state", ""))
    layer3 = ipv4.get("state", "none") != "none"
    modes = {-1: "N/A", 0: "none", 1: "tx", 2: "rx", 3: "full"}
    return {
        "driver": str(port.get("driver", "N/A")),
        "description": str(port.get("description") or "Unknown"),
        "link status": "UP" if (attr.get("link") or {}).get("up", True) else "DOWN",
        "link speed": format_speed(float(attr.get("speed") or 0) * 1e9),
        "MTU": str(attr.get("mtu", "")),
        "longest frame": _longest(attr),
        "port status": STATES.get(state, state),
        "promiscuous": _on(attr.get("promiscuous")),
        "multicast": _on(attr.get("multicast")),
        "flow ctrl": modes.get((attr.get("fc") or {}).get("mode", -1), "N/A"),
        "vxlan fs": _listed(attr.get("vxlan_fs")),
        "layer mode": "IPv4" if layer3 else "Ethernet",
        "src IPv4": str(ipv4.get("src") or "-"),
        "IPv6": (str(ipv6.get("src") or "auto") if ipv6.get("enabled") else "off"),
        "src MAC": str(ether.get("src") or port.get("hw_mac") or "-"),
        "Destination": str((ipv4.get("dst") if layer3 else ether.get("dst")) or "-"),
        "ARP Resolution": _resolution(ipv4, ether),
        "VLAN": _listed((attr.get("vlan") or {}).get("tags")),
        "PCI Address": str(port.get("pci_addr") or "N/A"),
        "NUMA Node": str(port.get("numa", "N/A")),
        "RX Filter Mode": "fetch all" if attr.get("rx_filter_mode") == "all" else "hardware match",
        "RX Queueing": _active(rx.get("queue")),
        "Grat ARP": _active(rx.get("grat_arp")),
        "service": "filtered" if status.get("service_filtered") else "on" if status.get("service") else "off",
    }


def _longest(attr: Json) -> str:
    """Without FCS; what goes out and what comes in may differ."""
    tx, rx = attr.get("longest_tx"), attr.get("longest_rx")
    if tx is None or rx is None:
        return ""
    return f"{tx} B" if tx == rx else f"tx {tx}, rx {rx} B"


def _resolution(ipv4: Json, ether: Json) -> str:
    match ipv4.get("state", "none"):
        case "none":
            return "-"
        case "resolved":
            return str(ether.get("dst") or "resolved")
        case other:
            return str(other)


def _on(attribute: Json | None) -> str:
    return "N/A" if attribute is None else "on" if attribute.get("enabled") else "off"


def _active(feature: Json | None) -> str:
    return "on" if (feature or {}).get("is_active") else "off"


def _listed(values: Sequence[Any] | None) -> str:
    return ", ".join(str(value) for value in values or ()) or "-"


def format_speed(speed_bps: float) -> str:
    return f"{speed_bps / 1e9:g} Gb/s" if speed_bps else "unknown"


def format_line(reading: PortReading) -> str:
    percent = reading.line_percent
    return "N/A" if percent is None else f"{percent:.2f} %"
