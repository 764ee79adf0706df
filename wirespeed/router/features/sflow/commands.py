"""sFlow: random samples of packets, and counters of ports.

- Defaults: one packet of 10 000, 128 bytes of it (1 to 256), counters every 20 s, direction `rx`. Each packet has the
  same chance, so gaps between samples are geometric. Ports only.
- Samples go to Linux' `psample` by generic netlink and counters to group 29 of `NETLINK_USERSOCK`, as VPP's plugin
  sends them. host-sflow with its module `vpp` reads both. Port numbers are those of `show interface`. Received samples
  have psample's group 3, sent ones 4.
- If the kernel has no psample (`show sflow` says so), or the collector is on another machine, use `sflow collector` (an
  extension). It sends samples and counters as sFlow version 5 over UDP through the host's network. The source is the
  address that leads there, or `agent`. Samples without either receiver count as dropped.
- A worker keeps up to 2048 samples, which the main thread takes twenty times per second. More than 40 000 per second
  and worker are dropped and counted (`show sflow`, `show errors`). A changed setting restarts the random sequence. A
  bond's packets are sampled as those of the member.
- Without an enabled port there is no node. 1 in 10 000 costs 0.2 to 0.3 cycles per packet at vectors of 256. VPP rounds
  `header-bytes` up to a multiple of 32 and samples drops (`sflow drop-monitoring`); neither is supported.
"""

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
    """Sample one packet of N, at random."""
    console.core.sflow.set(replace(console.core.sflow.get()[0], sampling_rate=words["rate"]))


@command("sflow header-bytes <number:bytes>")
def set_header(console: Console, words: Match) -> None:
    """Set the bytes kept of each sample, 1 to 256."""
    console.core.sflow.set(replace(console.core.sflow.get()[0], header_bytes=words["bytes"]))


@command("sflow direction (rx|tx|both)")
def set_direction(console: Console, words: Match) -> None:
    """Sample received packets, sent packets, or both."""
    direction = next(one for one in SflowDirection if one.name.lower() in words)
    console.core.sflow.set(replace(console.core.sflow.get()[0], direction=direction))


@command("sflow polling-interval <number:seconds>")
def set_interval(console: Console, words: Match) -> None:
    """Set the interval of counter records in seconds."""
    set_polling_interval(console, words["seconds"])


def set_polling_interval(console: Console, seconds: int) -> None:
    if not 1 <= seconds <= _MOST_INTERVAL_S:
        raise UsageError(f"a polling interval is 1 to {_MOST_INTERVAL_S} seconds, not {seconds}")
    console.sflow.polling_interval_s = seconds


@command("sflow enable <interface>", "sflow enable-disable <interface> [(enable|disable)]")
def enable(console: Console, words: Match) -> None:
    """Enable or disable sampling of a port."""
    enable_port(console, words["interface"], "disable" not in words)


def enable_port(console: Console, index: int, on: bool) -> None:
    console.core.sflow.enable(index, on)
    console.sflow.follow_ports()


@command("sflow collector <address:collector> [port <number:port>] [agent <address:agent>]", "sflow collector (off)")
def set_collector(console: Console, words: Match) -> None:
    """Also send sFlow datagrams to a collector, through the host's network; off: stop."""
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
    """Settings and counters of sFlow."""
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
