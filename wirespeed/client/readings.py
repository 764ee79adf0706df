"""Readings of a generator's ports: counters, state and properties, parsed from its answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wirespeed.renamed import present_keys

RUNNING_STATES = ("TX", "PAUSE", "PCAP_TX")
DOWN = "DOWN"
"""State of a port without a link at a wirespeed generator, whether it sends or not. T-Rex keeps the previous state."""

_NOBODY = ("", "<FREE>")

_KIND = "rx_kind_"
"""Prefix of the counters of frames that no load consists of."""


@dataclass(frozen=True)
class PortStats:
    """Counters of one port since its server started; bytes include the FCS. None if the server does not report a
    counter.

    `intended` counts the packets of the intended load: `opackets + refused + no_buffer + late`. Refused packets did not
    fit into the TX queue, there was no buffer for others, and the worker was behind schedule for the late ones. If the
    server counts them separately, `opackets`, `obytes` and `intended` exclude packets that it sent in addition to the
    streams, e.g. its ARP replies: no load consists of them, and they do not return. `kinds` counts received frames that
    no load consists of, by kind. `at_s` is the time of the counters, if they have one."""

    opackets: int
    ipackets: int
    obytes: int
    ibytes: int
    oerrors: int
    ierrors: int
    intended: int | None = None
    refused: int | None = None
    no_buffer: int | None = None
    late: int | None = None
    rx_missed: int | None = None
    rx_pause_frames: int | None = None
    kinds: Mapping[str, int] = field(default_factory=dict)
    at_s: float | None = field(default=None, compare=False)

    def went_back(self, before: PortStats) -> bool:
        """True if counters are smaller than `before`, although they only grow: the server was restarted."""
        counters = ("opackets", "ipackets", "obytes", "ibytes")
        return any(getattr(self, counter) < getattr(before, counter) for counter in counters)


@dataclass(frozen=True)
class PortStatus:
    """`speed_bps` is None if the port has no line rate; `state` is DOWN, IDLE, STREAMS, TX, PAUSE or PCAP_TX.

    `owner` is empty for a free port. `medium` is "ring" or "queue", None if the server does not report it;
    `flow_control` is T-Rex's mode (0 is off), None if the driver has none. `link_losses` is the number of link losses,
    None if not counted.
    """

    port: int
    owner: str
    state: str
    link_up: bool
    speed_bps: float | None
    medium: str | None = None
    flow_control: int | None = None
    link_losses: int | None = None


@dataclass(frozen=True)
class Snapshot:
    """Counters of several ports read together, at `at_s` of the server's monotonic clock, or of ours if it has none.

    `instant`: the server reads all of them at one instant, on request. `machine` has the CPU counters of a wirespeed
    generator, `groups` the answer to get_pgid_stats. `status` and `refused` are set if ownership was verified:
    `refused` is the answer of a port that is not owned, or does not send.
    """

    at_s: float
    ports: dict[int, PortStats]
    global_stats: dict[str, Any] = field(default_factory=dict)
    instant: bool = False
    machine: dict[str, Any] | None = None
    groups: dict[str, Any] = field(default_factory=dict)
    status: dict[int, PortStatus] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ServerInfo:
    """`program` is the server's name and version; `ports` are as `get_system_info` lists them, in order. `floors` is
    the latency of the medium alone, by the first port of each pair, where the server measured it."""

    program: str
    port_count: int
    ports: tuple[dict[str, Any], ...]
    floors: Mapping[int, Mapping[str, float]] = field(default_factory=dict)


def is_wirespeed(version: Mapping[str, Any]) -> bool:
    """True if this is the answer of a wirespeed generator to get_version."""
    return str(version.get("built_by", "")).startswith("wirespeed ")


def server_info(version: dict[str, Any], system: dict[str, Any]) -> ServerInfo:
    ports = tuple(sorted(system.get("ports", ()), key=lambda port: port.get("index", 0)))
    program = str(version["built_by"]) if is_wirespeed(version) else f"T-Rex {version.get('version', '?')}"
    floors = {int(port): dict(floor) for port, floor in (system.get("latency_floors") or {}).items()}
    return ServerInfo(program, int(system["port_count"]), ports, floors)


def port_status(port: int, raw: dict[str, Any]) -> PortStatus:
    attributes = raw.get("attr", {})
    speed_gbps = float(attributes.get("speed") or 0)
    owner, mode = str(raw.get("owner", "")), attributes.get("fc", {}).get("mode", -1)
    return PortStatus(
        port=port,
        owner="" if owner in _NOBODY else owner,
        state=str(raw.get("state", "")),
        link_up=bool(attributes.get("link", {}).get("up", True)),
        speed_bps=speed_gbps * 1e9 if speed_gbps > 0 else None,
        medium=attributes.get("medium"),
        link_losses=attributes.get("link_losses"),
        flow_control=int(mode) if isinstance(mode, int) and mode >= 0 else None,
    )


def port_stats(raw: dict[str, Any]) -> PortStats:
    raw = present_keys(raw)

    def optional(key: str) -> int | None:
        return int(raw[key]) if key in raw else None

    pushed, intended = optional("pushed_packets") or 0, optional("intended_packets")
    return PortStats(
        opackets=int(raw["opackets"]) - pushed,
        obytes=int(raw["obytes"]) - (optional("pushed_bytes") or 0),
        **{key: int(raw[key]) for key in ("ipackets", "ibytes", "oerrors", "ierrors")},
        intended=None if intended is None else intended - pushed,
        refused=optional("refused_packets"),
        no_buffer=optional("no_buffer_packets"),
        late=optional("late_packets"),
        rx_missed=optional("rx_missed"),
        rx_pause_frames=optional("rx_pause_frames"),
        kinds={key.removeprefix(_KIND): int(count) for key, count in raw.items() if key.startswith(_KIND)},
        at_s=float(raw["ts"]) if "ts" in raw else None,
    )
