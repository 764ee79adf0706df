"""sflow, show sflow: packets of ports sampled at random, and their counters, for a collector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.features.sflow.collector import CollectorPlace
from wirespeed.router.features.sflow.core import SflowDirection
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_MOST_INTERVAL_S = 86400
_MOST_PORT = 65535


@command("sflow sampling-rate <number:rate>")
def set_rate(console: Console, words: Match) -> None:
    """Sample one packet of so many, at random."""
    console.core.sflow.set(replace(console.core.sflow.get()[0], sampling_rate=words["rate"]))


@command("sflow header-bytes <number:bytes>")
def set_header(console: Console, words: Match) -> None:
    """How much of a sampled packet is kept."""
    console.core.sflow.set(replace(console.core.sflow.get()[0], header_bytes=words["bytes"]))


@command("sflow direction (rx|tx|both)")
def set_direction(console: Console, words: Match) -> None:
    """Sample what ports receive, send, or both."""
    direction = next(one for one in SflowDirection if one.name.lower() in words)
    console.core.sflow.set(replace(console.core.sflow.get()[0], direction=direction))


@command("sflow polling-interval <number:seconds>")
def set_interval(console: Console, words: Match) -> None:
    """Send a port's counters every so many seconds."""
    set_polling_interval(console, words["seconds"])


def set_polling_interval(console: Console, seconds: int) -> None:
    if not 1 <= seconds <= _MOST_INTERVAL_S:
        raise UsageError(f"a polling interval is 1 to {_MOST_INTERVAL_S} seconds, not {seconds}")
    console.sflow.polling_interval_s = seconds


@command("sflow enable <interface>", "sflow enable-disable <interface> [(enable|disable)]")
def enable(console: Console, words: Match) -> None:
    """Sample packets of a port; disable: no longer."""
    enable_port(console, words["interface"], "disable" not in words)


def enable_port(console: Console, index: int, on: bool) -> None:
    console.core.sflow.enable(index, on)
    console.sflow.follow_ports()


@command("sflow collector <address:collector> [port <number:port>] [agent <address:agent>]", "sflow collector (off)")
def set_collector(console: Console, words: Match) -> None:
    """Send samples and counters there in sFlow datagrams besides, by the host's own network; off: no longer."""
    if "off" in words:
        console.sflow.set_collector(None)
        return
    place = CollectorPlace(words["collector"], agent=words.get("agent"))
    port = words.get("port", place.port)
    if not 1 <= port <= _MOST_PORT:
        raise UsageError(f"port {port} is not between 1 and {_MOST_PORT}")
    console.sflow.set_collector(replace(place, port=port))


@command("show sflow")
def show(console: Console, words: Match) -> Iterator[str]:
    """What is sampled, and what became of it."""
    settings, _ = console.core.sflow.get()
    agent = console.sflow
    yield f"sflow sampling-rate {settings.sampling_rate}"
    yield f"sflow direction {settings.direction.name.lower()}"
    yield f"sflow polling-interval {agent.polling_interval_s}"
    yield f"sflow header-bytes {settings.header_bytes}"
    if agent.collector is not None:
        place = agent.collector.place
        own = "" if place.agent is None else f" agent {place.agent}"
        yield f"sflow collector {place.address} port {place.port}{own}"
    ports = agent.ports
    for index in ports:
        yield f"sflow enable {console.core.interface(index).name}"
    yield "Status"
    yield f"  interfaces enabled: {len(ports)}"
    yield f"  packet samples sent: {agent.sent.packets}"
    yield f"  packet samples dropped: {agent.dropped}"
    yield f"  counter samples sent: {agent.sent.counters}"
    yield f"  counter samples dropped: {agent.sent.counters_dropped}"
    if agent.psample_lacks:
        yield f"  psample: this kernel has none ({agent.psample_lacks}); samples need a collector"
